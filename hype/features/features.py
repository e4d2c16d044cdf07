"""Features of images, as a file has them: one row of numbers for each image."""

from __future__ import annotations

import csv
import io
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hype.confine import shortened
from hype.errors import InputError
from hype.files import read_bytes
from hype.system import memory_free

FeatureArray = NDArray[np.float32] | NDArray[np.float64]
LARGEST_BYTES: Final = 2 << 30
"""Of a .csv or .npz; 50,000 images with 2,048 values of eight bytes have half of it."""
ROWS_AT_ONCE: Final = 10_000
FORMATS: Final = ".csv, .npy or .npz"
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


def read_features(
    file: Path, images: Sequence[str], every_image: Sequence[str] | None = None
) -> Features:
    """Read the features of images, in their order.

    Parameters
    ----------
    file
        In one of three formats; values are finite numbers. Rows of other images are passed over.

        - CSV: a column ``image`` with names, and a column for each value.
        - NPZ: arrays ``names`` of shape (n,) and ``values`` of shape (n, d); a text ``source``.
        - NPY: an array of shape (n, d) without names. It is mapped into memory, and may be of any
          size.
    every_image
        The images that the rows of an NPY file are of, in their order; ``images`` if None.

    Raises InputError: the file is none of these, an image has no row in it, or two, a value is
    missing or is no finite number.
    """
    suffix = file.suffix.lower()
    try:
        if suffix == ".csv":
            table = read_csv(file)
        elif suffix == ".npz":
            table = read_npz(file)
        elif suffix == ".npy":
            table = read_npy(file, images if every_image is None else every_image)
        else:
            raise InputError(file, "is no file of features by its name", FORMATS)
    except FileNotFoundError:
        raise InputError(file, "there is no such file", f"features as {FORMATS}") from None
    except UNREADABLE as error:
        problem = shortened(str(error) or type(error).__name__)
        raise InputError(file, f"cannot be read: {problem}", f"features as {FORMATS}") from None
    return select_images(file, table, images)


def read_csv(file: Path) -> Features:
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


def read_npz(file: Path) -> Features:
    content = io.BytesIO(read_bytes(file, most_bytes=LARGEST_BYTES))
    with zipfile.ZipFile(content) as archive:
        if (size := sum(part.file_size for part in archive.infolist())) > LARGEST_BYTES:
            raise InputError(file, f"holds {size:,} bytes", f"at most {LARGEST_BYTES:,}, or .npy")
        arrays = {
            part.removesuffix(".npy"): np.load(io.BytesIO(archive.read(part)), allow_pickle=False)
            for part in archive.namelist()
        }
    if lacking := [name for name in ("names", "values") if name not in arrays]:
        raise InputError(file, f"has no array {lacking[0]}", "arrays names and values")
    names, source = arrays["names"], str(arrays.get("source", ""))
    if names.ndim != 1 or names.dtype.kind != "U":
        raise InputError(file, f"names are {described(names)}", "one row of text")
    if not source.isprintable():
        raise InputError(file, f"source {shortened(source)}", "a text to be printed")
    return Features(
        names=tuple(map(str, names)),
        values=as_values(file, arrays["values"]),
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


def select_images(file: Path, table: Features, images: Sequence[str]) -> Features:
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
