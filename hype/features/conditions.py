"""Each condition's images against the real ones, whole or within the classes of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from hype.confine import shortened
from hype.errors import InputError
from hype.features.features import Features
from hype.files import write_table
from hype.report import tabular
from hype.report.tabular import Table
from hype.statistics.arrays import FloatArray
from hype.statistics.distributions import BOUNDS, FEWEST, Products, Statistic, compare
from hype.statistics.estimate import JsonValue, plain_members
from hype.statistics.resampling import condition_rng
from hype.stimuli.manifest import StimulusSet, read_extra_columns
from hype.system import cores

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
"""Images of a cell that are named for being closest to a real one."""
MOST_IMAGES: Final = 10_000
"""Of either kind in a cell: the distances among them take 0.8 GB."""
NOT_FID: Final = (
    "Intervals are for other images, as many, and held in 90 to 100 % of simulated sets; beside "
    "them what half as many give. Distances by other features than Inception's are no FID or KID, "
    "and compare with none that is published."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A generated image and the real one that is nearest to it.

    ``ratio``: the distance between them, over that from the real image to its own nearest.
    """

    image: str
    real: str
    distance: float
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionImages:
    """A condition's images, of one class where there are classes, against the real ones of it.

    Without statistics, ``problem`` says why.
    """

    condition: str
    group: str
    real_images: int
    fake_images: int
    statistics: tuple[Statistic, ...] = ()
    closest: tuple[Neighbour, ...] = ()
    problem: str = ""


def classes_of(stimuli: StimulusSet, column: str | None) -> dict[str, str]:
    """Give the class of each image by a column of the manifest; "" of all without a column.

    Images whose cell is empty are left out.

    Raises InputError: the manifest has no such column, or it is empty.
    """
    if column is None:
        return dict.fromkeys((s.path for s in stimuli.stimuli), "")
    sets = (stimuli.folder, *stimuli.added.values())
    extra = {path: row for folder in sets for path, row in read_extra_columns(folder).items()}
    if column not in (known := sorted({name for row in extra.values() for name in row})):
        problem = f"the manifest has no column {shortened(column)}"
        raise InputError("--by", problem, f"one of: {', '.join(known) or '(it has none)'}")
    classes = {path: row[column] for path, row in extra.items() if row.get(column)}
    if not classes:
        raise InputError("--by", f"the column {shortened(column)} is empty", "a class of images")
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

    ``features`` are of the set's images; of more than `MOST_IMAGES` in a cell so many are drawn.
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
            real, fake = (drawn(of_class.get((group, kind), []), rng) for kind in ("", condition))
            x, y = (
                features.values[[rows[name] for name in names]].astype(np.float64)
                for names in (real, fake)
            )
            cell = ConditionImages(
                condition=condition,
                group=group,
                real_images=len(real),
                fake_images=len(fake),
                closest=closest(x, y, (real, fake)) if min(len(x) - 1, len(y)) > 0 else (),
            )
            yield measured(cell, x, y, rng=rng, draws=draws, advance=advance)


def drawn(names: Sequence[str], rng: np.random.Generator) -> list[str]:
    if len(names) <= MOST_IMAGES:
        return list(names)
    return [names[place] for place in rng.permutation(len(names))[:MOST_IMAGES]]


def measured(
    cell: ConditionImages,
    real: FloatArray,
    fake: FloatArray,
    *,
    rng: np.random.Generator,
    draws: int,
    advance: Callable[[], None],
) -> ConditionImages:
    if min(len(real), len(fake)) < FEWEST:
        return replace(cell, problem=f"fewer than {FEWEST} real or generated images")
    statistics = compare(real, fake, rng=rng, draws=draws, threads=cores(), advance=advance)
    return replace(cell, statistics=statistics)


def closest(
    real: FloatArray, fake: FloatArray, names: tuple[Sequence[str], Sequence[str]]
) -> tuple[Neighbour, ...]:
    """Name the generated images that are nearest to a real one for how apart the real ones are."""
    distances = Products.of(real, fake).distances()
    ratios, nearest = distances.ratios(), distances.nearest()
    return tuple(
        Neighbour(
            image=names[1][place],
            real=names[0][nearest[place]],
            distance=float(distances.across[nearest[place], place]),
            ratio=float(ratios[place]),
        )
        for place in np.argsort(ratios, kind="stable")[:CLOSEST]
    )


FAR: Final = 100
"""Times their spread: features whose mean is farther from 0 make a kernel distance of their own."""
FAR_FROM_ZERO: Final = (
    " These features lie far from 0. The kernel distance depends on that, and loses its digits; "
    "the other numbers do not."
)


def tables(
    cells: Sequence[ConditionImages], features: Features, column: str | None
) -> Iterator[Table]:
    """Lay out the statistics of each cell, and the images that are closest to a real one."""
    of_group = (tabular.name(column, "group"),) if column else ()
    values = features.values.astype(np.float64)
    is_far = np.abs(values.mean(axis=0)).mean() > FAR * values.std(axis=0).mean()
    yield tabular.tabulated(
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
    yield tabular.tabulated(
        sorted((n for cell in cells for n in cell.closest), key=lambda n: n.ratio)[:CLOSEST],
        name="closest-images",
        title="Closest to a real image",
        columns=(
            tabular.name("Image", "image"),
            tabular.name("Real image", "real"),
            tabular.number("Ratio", "ratio", 2),
        ),
        note="Distance to the nearest real image, over that one's own to its nearest real one: "
        "far below 1 is a copy.",
    )


def as_object(cells: Sequence[ConditionImages]) -> dict[str, JsonValue]:
    return plain_members({"cells": tuple(cells)})


def short(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def ends(both: tuple[float | None, float | None]) -> str:
    return "–".join("" if end is None else short(end) for end in both)


def write_metrics(path: Path, cells: Sequence[ConditionImages], column: str | None) -> None:
    """Write a table that `hype score --metrics` takes: a row for each cell, a metric a column."""
    keys = ("condition", *([column] if column else []))
    rows = [
        dict(zip(keys, (cell.condition, cell.group), strict=False))
        | {statistic.name: statistic.estimate.value for statistic in cell.statistics}
        for cell in cells
    ]
    write_table(path, (*keys, *BOUNDS), rows)
