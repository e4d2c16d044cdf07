"""`hype metrics`: compare images of conditions with real ones, or metrics with scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from hype.answers.choices import shell_option
from hype.cli.options import Json, Seed, check_seed
from hype.console import out, print_json, progress
from hype.errors import InputError
from hype.features import classes_of, compare_cells, read_features, tables, write_metrics
from hype.protocols.hype.metrics import correlate_with, read_metrics
from hype.protocols.hype.tables import correlations
from hype.protocols.load import load_any
from hype.protocols.opening import is_table
from hype.protocols.registry import protocol_of
from hype.report.terminal import lay_titled
from hype.session.materials import read_stimuli
from hype.statistics.estimate import plain_members

SCORE: Final = "score"
FEWEST_REAL: Final = 2
"""The ratios of the closest images need the distance between two real images."""


def metrics(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY-or-CSV",
            help="a study, or a table of conditions with scores and metrics (.csv, .parquet)",
        ),
    ],
    features: Annotated[
        Path | None,
        shell_option(
            "--features FILE",
            "features of the images: .csv (image, and a column for each value), .npz (names, "
            "values) or .npy (rows in the manifest's order); needed for a study",
        ),
    ] = None,
    by: Annotated[
        str | None,
        shell_option(
            "--by COLUMN",
            "compare images separately for each value of this column of the manifest, such as "
            "class; for a table: the column that distinguishes the rows of one condition",
        ),
    ] = None,
    against: Annotated[
        str | None, shell_option("--against COLUMN", "for a table: the column of scores")
    ] = None,
    destination: Annotated[
        Path | None, shell_option("-o --out CSV", "write a table for hype score --metrics")
    ] = None,
    seed: Seed = 0,
    draws: Annotated[
        int, shell_option("--draws N", "intervals come from N random halves of the images", min=10)
    ] = 50,
    as_json: Json = False,
) -> None:
    """Compare generated with real images by features, or compare metrics with scores.

    For a study: Fréchet and kernel distance, precision, recall, F8, F1/8, density, coverage,
    authenticity, and the images that are closest to a real one. For a table: rank correlations with
    its scores.
    """
    check_seed(seed)
    if is_table(source):
        for option, value in (("--features", features), ("--out", destination)):
            if value is not None:
                raise InputError(option, "is only for a study's images", "leave it out for a table")
        correlate_table(source, against or SCORE, by, seed=seed, as_json=as_json)
    elif against is not None:
        raise InputError(
            "--against", "is only for a table", "hype score --metrics for a study's scores"
        )
    elif features is None:
        raise InputError("--features", "is missing", "a file with the features of the images")
    else:
        compare_images(source, features, by, destination, seed=seed, draws=draws, as_json=as_json)


def compare_images(
    source: Path,
    file: Path,
    by: str | None,
    destination: Path | None,
    *,
    seed: int,
    draws: int,
    as_json: bool,
) -> None:
    study = load_any(source)
    from rich.console import Group

    study = load_any(source)
    stimuli = read_stimuli(study)
    if len(stimuli.real) < FEWEST_REAL:
        problem = f"has fewer than {FEWEST_REAL} real images for a comparison"
        raise InputError(study.stimuli_folder, problem, f"{FEWEST_REAL} or more in its manifest")
    conditions = protocol_of(study).design.conditions(study, stimuli)
    classes = classes_of(stimuli, by)
    features = read_features(file, [s.path for s in stimuli.stimuli])
    with progress() as bar:
        total = draws * len(conditions) * len(set(classes.values()))
        task = bar.add_task("Halves of images", total=total)
        cells = list(
            compare_cells(
                stimuli,
                conditions,
                features,
                classes,
                draws=draws,
                seed=seed,
                advance=lambda: bar.advance(task),
            )
        )
    if destination:
        write_metrics(destination, cells, by)
    if as_json:
        about = {"features": features.source, "by": by, "halves": draws, "seed": seed}
        print_json(about | plain_members({"cells": tuple(cells)}))
        return
    for table in tables(cells, features, by):
        out.print(Group(*lay_titled(table)))
    for cell in cells:
        if cell.problem:
            out.print(f"{cell.condition} {cell.group}".strip() + f": {cell.problem}", markup=False)


def correlate_table(path: Path, against: str, by: str | None, *, seed: int, as_json: bool) -> None:
    from rich.console import Group

    table = read_metrics(path, by)
    if by is not None and by not in table.index.names:
        raise InputError(path, f"has no column {by!r}", "--by names the column of classes")
    metrics = correlate_with(against, table, path, seed=seed)
    if as_json:
        print_json(
            {"against": against, "by": by, "seed": seed} | plain_members({"metrics": metrics})
        )
        return
    title = f"Metrics against {against}"
    out.print(Group(*lay_titled(correlations(metrics, name="metrics", title=title))))
