"""Features of images, as a table has them: one row of numbers for each image, in a set's order."""

from __future__ import annotations

import csv
import io
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hype.confine import shortened
from hype.errors import InputError
from hype.features.efficientnet_lite0 import (
    DIMENSIONS,
    NAME,
    WEIGHTS_SHA256,
    network,
    values_of,
)
from hype.files import cache_folder, make_folder, read_bytes, write_bytes
from hype.stimuli.images import decode
from hype.stimuli.manifest import Stimuli, file_in, read_stimulus_set, sha256_of
from hype.system import cores, memory_free

FeatureArray = NDArray[np.float32] | NDArray[np.float64]
NamedImage = tuple[str, Path]
"""What an image is called in tables, such as its path in the manifest, and where it lies."""

LARGEST_BYTES: Final = 2 << 30
"""Of a .csv or .npz; 50,000 images with 2,048 values of eight bytes have half of it."""
ROWS_AT_ONCE: Final = 10_000
FOLDER: Final = Path("features", f"{NAME}-{WEIGHTS_SHA256[:12]}")
"""In the cache: another network, or another way to show it images, has another."""
STORED: Final = np.dtype("<f4")
FORMATS: Final = ".csv, .npy or .npz"
NAMES: Final = "names"
VALUES: Final = "values"
SOURCE: Final = "source"
UNREADABLE: Final = (
    OSError,
    ValueError,
    csv.Error,
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    TypeError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy and zipfile raise of a damaged file; an encrypted archive is a RuntimeError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """A row of ``values``, shape (n, d), for each of n images; in single precision if they came so.

    ``names`` are the images' paths as in the manifest, ``source`` says what made the values.
    """

    names: tuple[str, ...]
    values: FeatureArray
    source: str


def images_of(stimuli: Stimuli) -> list[NamedImage]:
    """List the images of a stimulus set, or of a study, as manifests do, real and generated.

    Raises InputError: as from `hype.stimuli.manifest.read_stimulus_set`.
    """
    return [(s.path, file_in(stimuli, s.path)) for s in read_stimulus_set(stimuli).stimuli]


def features_of(
    stimuli: Stimuli | Sequence[NamedImage],
    *,
    file: Path | None = None,
    cache: Path | None = None,
    advance: Callable[[int, int], None] = lambda _done, _of: None,
) -> Features:
    """Give the features of images, in their order: those of a file, or of EfficientNet-Lite0.

    Parameters
    ----------
    stimuli
        A stimulus set with its manifest, all those of a study, or images by name.
    file
        A table that has them, in one of three formats; values are finite numbers. Rows of other
        images are passed over where there are names.

        - CSV: a column ``image`` with names, and a column for each value.
        - NPZ: arrays ``names`` of shape (n,) and ``values`` of shape (n, d); a text ``source``.
        - NPY: an array of shape (n, d), whose rows are the images in their order. It is mapped into
          memory, and may be of any size.
    cache
        Where the network's values are kept from one call to the next; the user's cache if None.
    advance
        Called with how many images are done, and how many there are.

    Raises InputError: the file is none of these, an image has no row in it, or two, a value is
    missing or is no finite number; an image cannot be decoded.

    Raises ModuleNotFoundError: the extra ``metrics``, with the network's weights, is needed.
    """
    images = images_of(stimuli) if isinstance(stimuli, Stimuli) else stimuli
    if file is not None:
        return read_features(file, tuple(name for name, _ in images))
    folder = (cache or cache_folder()) / FOLDER
    values = list(computed([path for _, path in images], folder, advance))
    return Features(
        names=tuple(name for name, _ in images),
        values=np.array(values, dtype=np.float32).reshape(-1, DIMENSIONS),
        source=NAME,
    )


def computed(
    paths: Sequence[Path], folder: Path, advance: Callable[[int, int], None]
) -> Iterator[NDArray[np.float32]]:
    """Yield the network's values of images, each of which is computed once in a lifetime.

    An image's values lie in a file that is called by the checksum of the image's bytes, and is
    there whole or not at all.
    """
    from threadpoolctl import threadpool_limits

    network()  # what is missing is said once, and not by each thread
    threads = ThreadPoolExecutor(cores())
    try:
        with threadpool_limits(1, user_api="blas"):  # threads within threads wait for each other
            values = threads.map(partial(of_image, folder), paths)
            for done, row in enumerate(values, start=1):
                advance(done, len(paths))
                yield row
    finally:
        threads.shutdown(cancel_futures=True)


def of_image(folder: Path, path: Path) -> NDArray[np.float32]:
    try:
        sha256 = sha256_of(path)
    except OSError:
        sha256 = ""  # decoding says what is wrong with it
    place = folder / sha256[:2] / sha256
    with suppress(OSError):
        content = place.read_bytes()
        if len(content) == DIMENSIONS * STORED.itemsize:
            return np.frombuffer(content, STORED).astype(np.float32)
    values = values_of(decode(path))
    make_folder(place.parent)
    write_bytes(place, values.astype(STORED).tobytes())
    return values


def read_features(file: Path, images: Sequence[str]) -> Features:
    """Read the rows of these images, in this order; as `features_of` has it."""
    readers = {".csv": read_csv, ".npz": read_npz, ".npy": read_npy}
    if file.suffix.lower() not in readers:
        raise InputError(file, "is no file of features by its name", FORMATS)
    try:
        table = readers[file.suffix.lower()](file, images)
    except FileNotFoundError:
        raise InputError(file, "there is no such file", f"features as {FORMATS}") from None
    except UNREADABLE as error:
        problem = shortened(str(error) or type(error).__name__)
        raise InputError(file, f"cannot be read: {problem}", f"features as {FORMATS}") from None
    return of_images(file, table, images)


def read_csv(file: Path, _images: Sequence[str]) -> Features:
    text = read_bytes(file, most_bytes=LARGEST_BYTES).decode("utf-8-sig")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = [name.strip() for name in next(reader, [])]
    if header.count("image") != 1 or len(header) < 2:
        problem = f"has the columns {shortened(', '.join(header))}"
        raise InputError(file, problem, "a column image, and one for each value")
    place = header.index("image")
    names, rows = [], []
    for cells in filter(None, reader):
        where = f"{file}, row {reader.line_num}"
        if len(cells) != len(header):
            raise InputError(where, f"has {len(cells)} cells", f"{len(header)}, as the header has")
        names.append(cells.pop(place).strip())
        rows.append(as_numbers(where, cells, [*header[:place], *header[place + 1 :]]))
    values = np.array(rows).reshape(len(rows), len(header) - 1)
    return Features(names=tuple(names), values=values, source=file.name)


def as_numbers(where: str, cells: Sequence[str], columns: Sequence[str]) -> NDArray[np.float64]:
    """Read one row's cells, or say which of them is no finite number."""
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError:
        values = np.array([number_of(cell) for cell in cells])
    if (wrong := ~np.isfinite(values)).any():
        first = int(wrong.argmax())
        problem = f"{shortened(cells[first])} in the column {shortened(columns[first])}"
        raise InputError(where, problem, "a finite number")
    return values


def number_of(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def read_npz(file: Path, _images: Sequence[str]) -> Features:
    content = io.BytesIO(read_bytes(file, most_bytes=LARGEST_BYTES))
    with zipfile.ZipFile(content) as archive:
        if (size := sum(part.file_size for part in archive.infolist())) > LARGEST_BYTES:
            raise InputError(file, f"holds {size:,} bytes", f"at most {LARGEST_BYTES:,}, or .npy")
        arrays = {
            part.removesuffix(".npy"): np.load(io.BytesIO(archive.read(part)), allow_pickle=False)
            for part in archive.namelist()
        }
    if lacking := [name for name in (NAMES, VALUES) if name not in arrays]:
        raise InputError(file, f"has no array {lacking[0]}", "arrays names and values")
    names, source = arrays[NAMES], str(arrays.get(SOURCE, ""))
    if names.ndim != 1 or names.dtype.kind != "U":
        raise InputError(file, f"names are {described(names)}", "one row of text")
    if not source.isprintable():
        raise InputError(file, f"source {shortened(source)}", "a text to be printed")
    return Features(
        names=tuple(map(str, names)),
        values=as_values(file, arrays[VALUES]),
        source=f"{source} ({file.name})" if source else file.name,
    )


def read_npy(file: Path, images: Sequence[str]) -> Features:
    """Read an array without names, whose rows are taken for the images in their order."""
    array = np.load(file, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise ValueError("an archive of arrays, called .npy")
    values = as_values(file, array)
    if len(values) != len(images):
        raise InputError(
            file,
            f"has {len(values):,} rows, and there are {len(images):,} images",
            "a row for each image in the manifest's order; in .npz and .csv they have names",
        )
    return Features(names=tuple(images), values=values, source=file.name)


def as_values(file: Path, array: NDArray[Any]) -> FeatureArray:
    """Give an array as numbers, once it is two-dimensional and all are finite.

    What is of single or double precision stays as it is, where it is.
    """
    if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.shape[1]:
        raise InputError(file, f"values are {described(array)}", "numbers, images x values")
    for at in range(0, len(array), ROWS_AT_ONCE):
        if (wrong := ~np.isfinite(array[at : at + ROWS_AT_ONCE]).all(axis=1)).any():
            where = f"{file} row {at + int(wrong.argmax()) + 1}"
            raise InputError(where, "holds a value that is not finite", "finite numbers")
    if array.dtype in (np.float16, np.float32):
        return np.asarray(array, dtype=np.float32)
    return np.asarray(array, dtype=np.float64)


def require_memory(where: object, needed: int) -> None:
    """Refuse what would take more memory than is free, before the system ends the program.

    Raises InputError: there are not so many bytes.
    """
    if needed > (free := memory_free()):
        problem = f"takes {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free"
        raise InputError(where, problem, "fewer images or features, or a machine with more")


def described(array: NDArray[Any]) -> str:
    return f"an array of {array.dtype} of shape {array.shape}"


def of_images(file: Path, table: Features, images: Sequence[str]) -> Features:
    """Take the rows of these images, in this order."""
    if len(table.names) != len(table.values):
        problem = f"{len(table.names)} names and {len(table.values)} rows of values"
        raise InputError(file, problem, "as many of both")
    rows: dict[str, int] = {}
    for row, name in enumerate(table.names):
        if rows.setdefault(name, row) != row:
            problem = f"names {shortened(name)} as row {rows[name] + 1} did"
            raise InputError(f"{file} row {row + 1}", problem, "each image once")
    if lacking := [name for name in images if name not in rows]:
        others = f", nor for {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        problem = f"has no row for {shortened(lacking[0])}{others}"
        raise InputError(file, problem, "one for each image, called as the manifest calls it")
    if table.names == tuple(images):
        return table
    require_memory(file, len(images) * table.values[:1].nbytes)
    values = table.values[[rows[name] for name in images]]
    return Features(names=tuple(images), values=values, source=table.source)
