"""Features of images from a file, and how each condition differs from the real images.

A file has one row of numbers for each image. A condition is compared as a whole, or class by class;
a column of the manifest contains each image's class.
"""

from __future__ import annotations

import csv
import io
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hype.errors import InputError
from hype.files import read_bytes, shorten, write_table
from hype.report import tabular
from hype.report.tabular import Rows, Table
from hype.statistics.arrays import FloatArray
from hype.statistics.distributions import BOUNDS, FEWEST, Products, Statistic, compare
from hype.statistics.resampling import condition_rng
from hype.stimuli.manifest import StimulusSet, read_extra_columns
from hype.system import cores, memory_free

FeatureArray = NDArray[np.float32] | NDArray[np.float64]
LARGEST_BYTES: Final = 2 << 30
"""A larger .csv or .npz file is refused; 50,000 images x 2,048 values of 8 bytes are 0.8 GB."""
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
"""What NumPy and zipfile raise for damaged files, and for encrypted archives (RuntimeError)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The features of n images: ``values`` of shape (n, d), with the precision of the file.

    ``names``: the images' paths in the manifest; ``source``: where the values come from.
    """

    names: tuple[str, ...]
    values: FeatureArray
    source: str


def read_features(
    file: Path, images: Sequence[str], every_image: Sequence[str] | None = None
) -> Features:
    """Read the features of images, in the order of ``images``.

    ``file``: one of the formats below; values are finite numbers. Rows of other images are skipped.

    - CSV: a column ``image`` with names, and a column for each value.
    - NPZ: arrays ``names`` of shape (n,) and ``values`` of shape (n, d); a text ``source``.
    - NPY: an array of shape (n, d) without names. The file is memory-mapped: it may have any size.

    ``every_image``: the image of each row of an NPY file; if None, these are ``images``. Raises
    InputError: the file has another format, an image has no row or two rows, or a value is missing
    or not a finite number.
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
            raise InputError(file, "has an unknown file type", FORMATS)
    except FileNotFoundError:
        raise InputError(file, "there is no such file", f"features as {FORMATS}") from None
    except UNREADABLE as error:
        problem = shorten(str(error) or type(error).__name__)
        raise InputError(file, f"cannot be read: {problem}", f"features as {FORMATS}") from None
    return select_images(file, table, images)


def read_csv(file: Path) -> Features:
    text = read_bytes(file, most_bytes=LARGEST_BYTES).decode("utf-8-sig")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = [name.strip() for name in next(reader, [])]
    if header.count("image") != 1 or len(header) < 2:
        problem = f"has the columns {shorten(', '.join(header))}"
        raise InputError(file, problem, "a column 'image', and one for each value")
    columns = [name for name in header if name != "image"]
    place = header.index("image")
    names, rows = [], []
    for cells in filter(None, reader):
        where = f"{file}, row {reader.line_num}"
        if len(cells) != len(header):
            raise InputError(where, f"has {len(cells)} cells", f"{len(header)}, as in the header")
        names.append(cells.pop(place).strip())
        values = np.array([number_of(cell) for cell in cells])
        if (wrong := ~np.isfinite(values)).any():
            first = int(wrong.argmax())
            problem = f"{shorten(cells[first])} in the column {shorten(columns[first])}"
            raise InputError(where, problem, "a finite number")
        rows.append(values)
    array = np.array(rows).reshape(len(rows), len(columns))
    return Features(names=tuple(names), values=array, source=file.name)


def number_of(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def read_npz(file: Path) -> Features:
    content = io.BytesIO(read_bytes(file, most_bytes=LARGEST_BYTES))
    with zipfile.ZipFile(content) as archive:
        if (size := sum(part.file_size for part in archive.infolist())) > LARGEST_BYTES:
            raise InputError(file, f"has {size:,} bytes", f"at most {LARGEST_BYTES:,}, or .npy")
        arrays = {
            part.removesuffix(".npy"): np.load(io.BytesIO(archive.read(part)), allow_pickle=False)
            for part in archive.namelist()
        }
    if lacking := [name for name in ("names", "values") if name not in arrays]:
        raise InputError(file, f"has no array {lacking[0]}", "arrays names and values")
    names, source = arrays["names"], str(arrays.get("source", ""))
    if names.ndim != 1 or names.dtype.kind != "U":
        raise InputError(file, f"names are {describe_array(names)}", "one-dimensional text")
    if not source.isprintable():
        raise InputError(file, f"source {shorten(source)}", "printable text")
    return Features(
        names=tuple(map(str, names)),
        values=check_array(file, arrays["values"]),
        source=f"{source} ({file.name})" if source else file.name,
    )


def read_npy(file: Path, images: Sequence[str]) -> Features:
    """Read an array without names; row i belongs to image i."""
    array = np.load(file, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise ValueError("an .npz archive with the suffix .npy")
    values = check_array(file, array)
    if len(values) != len(images):
        raise InputError(
            file,
            f"has {len(values):,} rows, but there are {len(images):,} images",
            "a row for each image, in the manifest's order; .npz and .csv files name their rows",
        )
    return Features(names=tuple(images), values=values, source=file.name)


def check_array(file: Path, array: NDArray[Any]) -> FeatureArray:
    """Return an array as numbers; refuse it unless it is two-dimensional and finite.

    Arrays of single or double precision are returned as they are, not copied.
    """
    if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.shape[1]:
        raise InputError(file, f"values are {describe_array(array)}", "images x values, as numbers")
    for at in range(0, len(array), ROWS_AT_ONCE):
        if (wrong := ~np.isfinite(array[at : at + ROWS_AT_ONCE]).all(axis=1)).any():
            where = f"{file} row {at + int(wrong.argmax()) + 1}"
            raise InputError(where, "contains a value that is not finite", "finite numbers")
    if array.dtype in (np.float16, np.float32):
        return np.asarray(array, dtype=np.float32)
    return np.asarray(array, dtype=np.float64)


def require_memory(where: object, needed: int) -> None:
    """Refuse a file that needs more memory than is free: the system would kill the program.

    Raises InputError: the file needs more memory than is free.
    """
    if needed > (free := memory_free()):
        problem = f"needs {needed / 1e9:.1f} GB of memory, but only {free / 1e9:.1f} GB are free"
        raise InputError(where, problem, "fewer images or features, or more memory")


def describe_array(array: NDArray[Any]) -> str:
    return f"an array of {array.dtype} of shape {array.shape}"


def select_images(file: Path, table: Features, images: Sequence[str]) -> Features:
    if len(table.names) != len(table.values):
        problem = f"{len(table.names)} names and {len(table.values)} rows of values"
        raise InputError(file, problem, "one name for each row")
    rows: dict[str, int] = {}
    for row, name in enumerate(table.names):
        if rows.setdefault(name, row) != row:
            problem = f"has the image {shorten(name)} again, as in row {rows[name] + 1}"
            raise InputError(f"{file} row {row + 1}", problem, "each image once")
    if lacking := [name for name in images if name not in rows]:
        others = f" and {len(lacking) - 1:,} more images" if len(lacking) > 1 else ""
        problem = f"has no row for {shorten(lacking[0])}{others}"
        raise InputError(file, problem, "a row for each image, named as in the manifest")
    if table.names == tuple(images):
        return table
    require_memory(file, len(images) * table.values[:1].nbytes)
    values = table.values[[rows[name] for name in images]]
    return Features(names=tuple(images), values=values, source=table.source)


LABELS: Final[Mapping[str, str]] = {
    "frechet_distance": "Fréchet distance",
    "frechet_distance_limit": "Fréchet distance, N → ∞",
    "kernel_distance": "Kernel distance",
    "precision": "Precision",
    "recall": "Recall",
    "f8": "F8 (recall weighs more)",
    "f1_8": "F1/8 (precision weighs more)",
    "density": "Density",
    "coverage": "Coverage",
    "authenticity": "Authenticity",
}
CLOSEST: Final = 5
"""Number of images that are listed as closest to a real image."""
MOST_IMAGES: Final = 10_000
"""Maximum number of real and of generated images in a cell; a distance matrix then has 0.8 GB."""
NOT_FID: Final = (
    "Intervals generalise to other image sets of the same size; in simulations, 90 to 100 % of "
    "them contained the true value. Of half: the value from half of the images. Only distances of "
    "Inception features are FID or KID; do not compare others with published ones."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionImages:
    """A condition's images (of one class, if there are classes), compared with the real images.

    ``problem``: why there are no statistics.
    """

    condition: str
    group: str
    statistics: tuple[Statistic, ...] = ()
    closest: Rows = ()  # from `find_closest`
    problem: str = ""


def classes_of(stimuli: StimulusSet, column: str | None) -> dict[str, str]:
    """Read each image's class from a column of the manifest; without a column, all are "".

    Images with an empty cell are left out. Raises InputError: the manifest has no such column, or
    the column is empty.
    """
    if column is None:
        return dict.fromkeys((s.path for s in stimuli.stimuli), "")
    sets = (stimuli.folder, *stimuli.added.values())
    extra = {path: row for folder in sets for path, row in read_extra_columns(folder).items()}
    if column not in (known := sorted({name for row in extra.values() for name in row})):
        problem = f"the manifest has no column {shorten(column)}"
        raise InputError("--by", problem, f"one of: {', '.join(known) or '(it has none)'}")
    classes = {path: row[column] for path, row in extra.items() if row.get(column)}
    if not classes:
        raise InputError("--by", f"the column {shorten(column)} is empty", "classes of images")
    return classes


def compare_cells(
    stimuli: StimulusSet,
    conditions: Sequence[str],
    features: Features,
    classes: Mapping[str, str],
    *,
    draws: int,
    seed: int,
    advance: Callable[[], None] = lambda: None,
) -> Iterator[ConditionImages]:
    """Compare each condition with the real images, class by class.

    ``features``: of all images. Of more than `MOST_IMAGES` images in a cell, random ones are used.
    """
    rows = {name: row for row, name in enumerate(features.names)}
    of_class: dict[tuple[str, str], list[str]] = {}
    for stimulus in stimuli.stimuli:
        if stimulus.path in classes:
            key = (classes[stimulus.path], stimulus.condition)
            of_class.setdefault(key, []).append(stimulus.path)
    for group in sorted(set(classes.values())):
        for condition in conditions:
            rng = condition_rng(seed, condition, f"metrics {group}".strip())
            real, fake = (of_class.get((group, kind), []) for kind in ("", condition))
            real, fake = (
                [names[place] for place in rng.permutation(len(names))[:MOST_IMAGES]]
                if len(names) > MOST_IMAGES
                else names
                for names in (real, fake)
            )
            x, y = (
                features.values[[rows[name] for name in names]].astype(np.float64)
                for names in (real, fake)
            )
            cell = ConditionImages(
                condition=condition,
                group=group,
                closest=find_closest(x, y, (real, fake)) if min(len(x) - 1, len(y)) > 0 else (),
            )
            if min(len(real), len(fake)) < FEWEST:
                yield replace(cell, problem=f"fewer than {FEWEST} real or generated images")
                continue
            statistics = compare(x, y, rng=rng, draws=draws, threads=cores(), advance=advance)
            yield replace(cell, statistics=statistics)


def find_closest(
    real: FloatArray, fake: FloatArray, names: tuple[Sequence[str], Sequence[str]]
) -> Rows:
    """List the generated images that are closest to a real one: those with the smallest ``ratio``.

    ``ratio``: the distance to the real image, divided by that real image's distance to the
    nearest other real image.
    """
    distances = Products.of(real, fake).distances()
    ratios, nearest = distances.ratios(), distances.nearest()
    return tuple(
        {
            "image": names[1][place],
            "real": names[0][nearest[place]],
            "distance": float(distances.across[nearest[place], place]),
            "ratio": float(ratios[place]),
        }
        for place in np.argsort(ratios, kind="stable")[:CLOSEST]
    )


FAR: Final = 100
"""If the features' mean is more than this many SDs from 0, the kernel distance is imprecise."""
FAR_FROM_ZERO: Final = (
    " The features' means are far larger than their spread, so the kernel distance is imprecise; "
    "the other numbers are precise."
)


def tables(
    cells: Sequence[ConditionImages], features: Features, column: str | None
) -> Iterator[Table]:
    """Lay out the statistics of each cell, and the images that are closest to a real one."""
    of_group = (tabular.name(column, "group"),) if column else ()
    values = features.values.astype(np.float64)
    is_far = np.abs(values.mean(axis=0)).mean() > FAR * values.std(axis=0).mean()
    yield tabular.tabulate(
        [(cell, statistic) for cell in cells for statistic in cell.statistics],
        name="image-metrics",
        title=f"Generated against real images (features: {features.source})",
        columns=(
            tabular.name("Condition", "condition", lambda row: row[0].condition),
            *(replace(each, of=lambda row: row[0].group) for each in of_group),
            tabular.name("Metric", "metric", lambda row: LABELS[row[1].name]),
            replace(tabular.number("Value", "value", of=lambda row: row[1].estimate), show=short),
            replace(tabular.interval("95% CI", "", of=lambda row: row[1].estimate), show=ends),
            replace(
                tabular.number("Of half", "at_half", of=lambda row: row[1].at_half), show=short
            ),
        ),
        note=NOT_FID + FAR_FROM_ZERO * bool(is_far),
    )
    yield tabular.tabulate(
        sorted((n for cell in cells for n in cell.closest), key=itemgetter("ratio"))[:CLOSEST],
        name="closest-images",
        title="Closest to a real image",
        columns=(
            tabular.name("Image", "image"),
            tabular.name("Real image", "real"),
            tabular.number("Ratio", "ratio", 2),
        ),
        note="The ratio is the image's distance to the real image, divided by the distance of the "
        "real image to the nearest other real image. A ratio far below 1 suggests a copy.",
    )


def short(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def ends(both: tuple[float | None, float | None]) -> str:
    return "–".join("" if end is None else short(end) for end in both)


def write_metrics(path: Path, cells: Sequence[ConditionImages], column: str | None) -> None:
    """Write a table for `hype score --metrics`, with a row per cell and a column per metric."""
    keys = ("condition", *([column] if column else []))
    rows = [
        dict(zip(keys, (cell.condition, cell.group), strict=False))
        | {statistic.name: statistic.estimate.value for statistic in cell.statistics}
        for cell in cells
    ]
    write_table(path, (*keys, *BOUNDS), rows)
