"""Make judges/: four automated judges of the shipped images, for comparison with evaluators.

The judges are simple measures of an image, not models of taste: how many real images are among its
neighbours of the same label, how near it is to real ones, how sharp it is, and how bright it is.
From the project's folder: ``python experiments/fashion-rankings/judges.py``. Each file has the
columns judge, image, score, and a row for every shipped image; higher is better.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from PIL import Image

STIMULI = Path(__file__).parents[2] / "stimuli" / "fashion"
JUDGES = Path(__file__).parent / "judges"
SIDE_PX = 28
"""The images were made at this size and then enlarged."""
NEAREST = 5

Pictures = npt.NDArray[np.float64]
"""Shape (images, SIDE_PX, SIDE_PX), from 0 to 1."""


def pictures_of(manifest: pd.DataFrame) -> Pictures:
    """Read all images at the size at which they were made."""
    size = (SIDE_PX, SIDE_PX)
    shrunk = [
        Image.open(STIMULI / path).convert("L").resize(size, Image.Resampling.BOX)
        for path in manifest["path"]
    ]
    return np.stack([np.asarray(one, dtype=float) / 255 for one in shrunk])


def neighbours(
    pictures: Pictures, manifest: pd.DataFrame
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]]:
    """Yield each label's images and their squared distances (infinite from an image to itself)."""
    flat = pictures.reshape(len(pictures), -1)
    for label in manifest["label"].unique():
        own = np.flatnonzero(manifest["label"].eq(label).to_numpy())
        norm = (flat[own] ** 2).sum(axis=1)
        square = norm[:, None] + norm - 2 * flat[own] @ flat[own].T
        np.fill_diagonal(square, np.inf)
        yield own, square.clip(0)


def nearest_real(pictures: Pictures, manifest: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return minus the mean distance to the nearest real images of the same label."""
    scores = np.zeros(len(pictures))
    real = manifest["kind"].eq("real").to_numpy()
    for own, square in neighbours(pictures, manifest):
        to_real = np.sort(square[:, real[own]], axis=1)
        scores[own] = -np.sqrt(to_real[:, :NEAREST]).mean(axis=1)
    return scores


def real_neighbours(pictures: Pictures, manifest: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the share of real images among the nearest images of the same label."""
    scores = np.zeros(len(pictures))
    real = manifest["kind"].eq("real").to_numpy()
    for own, square in neighbours(pictures, manifest):
        nearest = np.argsort(square, axis=1, kind="stable")[:, : 2 * NEAREST]
        scores[own] = real[own][nearest].mean(axis=1)
    return scores


def sharpness(pictures: Pictures, _manifest: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the mean absolute Laplacian."""
    middle = pictures[:, 1:-1, 1:-1]
    around = pictures[:, :-2, 1:-1] + pictures[:, 2:, 1:-1]
    around = around + pictures[:, 1:-1, :-2] + pictures[:, 1:-1, 2:]
    return np.abs(4 * middle - around).mean(axis=(1, 2))


def brightness(pictures: Pictures, _manifest: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the mean grey value."""
    return pictures.mean(axis=(1, 2))


MEASURES: Mapping[str, Callable[[Pictures, pd.DataFrame], npt.NDArray[np.float64]]] = {
    "neighbours": real_neighbours,
    "nearest-real": nearest_real,
    "sharpness": sharpness,
    "brightness": brightness,
}


def main() -> None:
    """Write a file for each judge."""
    manifest = pd.read_csv(STIMULI / "manifest.csv")
    pictures = pictures_of(manifest)
    JUDGES.mkdir(exist_ok=True)
    for name, measure in MEASURES.items():
        with (JUDGES / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["judge", "image", "score"])
            for path, score in zip(manifest["path"], measure(pictures, manifest), strict=True):
                rows.writerow([name, path, f"{score:.5f}"])


if __name__ == "__main__":
    main()
