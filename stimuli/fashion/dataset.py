"""Fashion-MNIST as the Debian package `dataset-fashion-mnist` installs it.

Xiao, Rasul and Vollgraf (2017), Fashion-MNIST: a novel image dataset for benchmarking machine
learning algorithms, arXiv:1708.07747. The file format ("IDX") is that of MNIST: a magic number of
four bytes (the last byte is the number of axes), a big-endian length for each axis, then the data.
"""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DATASET_DIR = Path("/usr/share/datasets/fashion-mnist")
CLASS_NAMES = (
    "t-shirt",
    "trouser",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle-boot",
)


class DatasetError(Exception):
    """The data set is missing or has the wrong content."""


@dataclass(frozen=True, kw_only=True)
class LabelledImages:
    """Grey pictures, (n, 28, 28) bytes, background 0, and their classes, (n,), 0 to 9."""

    images: np.ndarray
    labels: np.ndarray

    def of_class(self, label: int) -> np.ndarray:
        """Return the pictures of one class, (m, 28, 28), pixels in [0, 1]."""
        return self.images[self.labels == label] / 255.0


def read_part(folder: Path, part: str) -> LabelledImages:
    """Read `part`, "train" (60,000 images) or "t10k" (10,000, held out).

    Raises
    ------
    DatasetError
        A file is missing or has another shape than Fashion-MNIST.
    """
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz")
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte.gz")
    if images.shape != (len(labels), 28, 28):
        msg = f"{folder}, part {part}: images have shape {images.shape}, labels {labels.shape}"
        raise DatasetError(msg)
    return LabelledImages(images=images, labels=labels)


def read_idx(path: Path) -> np.ndarray:
    """Read one gzipped IDX file of bytes."""
    if not path.is_file():
        msg = (
            f"{path} does not exist. Install the Debian package dataset-fashion-mnist "
            "(apt install dataset-fashion-mnist), or name the folder with the four "
            "files of Fashion-MNIST with --dataset."
        )
        raise DatasetError(msg)
    content = gzip.decompress(path.read_bytes())
    n_axes = content[3]
    shape = np.frombuffer(content, dtype=">u4", count=n_axes, offset=4).astype(int)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * n_axes).reshape(shape).copy()
