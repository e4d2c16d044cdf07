"""`hype score` and `hype report`: what the judgements say."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hype.cli.judgements import Judgements, load_judgements
from hype.cli.options import Json, Simulated, Source, drawn_on, out, print_json, progress
from hype.errors import InputError

if TYPE_CHECKING:
    from hype.analysis import Score

Seed = Annotated[int, typer.Option("--seed", metavar="S", help="of every bootstrap")]
Draws = Annotated[int, typer.Option("--draws", metavar="N", help="bootstrap resamples", min=100)]
People = Annotated[
    bool, typer.Option("--people", metavar="", help="people only, where a table holds both kinds")
]
KeepSpoiled = Annotated[
    bool | None,
    typer.Option(
        "--keep-spoiled/--leave-out-spoiled",
        metavar="",
        help="score trials that the screen spoiled, or not; else as the study says, and those of "
        "a table are scored",
        show_default=False,
    ),
]
TwoWay = Annotated[
    bool,
    typer.Option(
        "--two-way/--no-two-way",
        metavar="",
        help="resample evaluators and images together as well",
    ),
]
Thresholds = Annotated[
    bool,
    typer.Option(
        "--thresholds",
        metavar="",
        help="fit a psychometric function to each evaluator and condition (HYPE_time; half a "
        "second each)",
    ),
]
At = Annotated[
    float,
    typer.Option("--at", metavar="P", help="accuracy at which --thresholds are taken, 0.5 to 1"),
]
Mixed = Annotated[
    bool,
    typer.Option(
        "--mixed",
        metavar="",
        help="fit a mixed-effects logistic model of evaluators and images (HYPE_∞)",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="score again within each value of a column of the table, or of the stimuli's manifest",
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        "--order",
        metavar="A,B,C",
        help="conditions in an order, such as training checkpoints, to test for a trend",
    ),
]
Metrics = Annotated[
    Path | None,
    typer.Option(
        "--metrics",
        metavar="CSV",
        help="automated metrics (condition, fid, …) to correlate the scores with",
    ),
]
Images = Annotated[
    Path | None,
    typer.Option(
        "--images",
        metavar="CSV",
        help="write how often each image was shown and called fake to this table",
    ),
]


def score(
    source: Source,
    simulated: Simulated = False,
    people: People = False,
    seed: Seed = 0,
    draws: Draws = 10_000,
    keep_spoiled: KeepSpoiled = None,
    two_way: TwoWay = True,
    thresholds: Thresholds = False,
    at: At = 0.75,
    mixed: Mixed = False,
    by: By = None,
    order: Order = None,
    metrics: Metrics = None,
    images: Images = None,
    as_json: Json = False,
) -> None:
    """Print every figure of the paper's tables, and what stands beside them."""
    judgements = load_judgements(source, simulated=simulated, people=people, column=by)
    scores = score_judgements(
        judgements,
        keep_spoiled,
        seed=seed,
        draws=draws,
        two_way=two_way,
        thresholds_at=at if thresholds else None,
        mixed=mixed,
        by=by,
        order=conditions_in(order),
        metrics=metrics,
    )
    if images:
        write_images(judgements, images)
    if as_json:
        objects = [s.to_json() for s in scores]
        print_json(objects[0] if len(objects) == 1 else objects)
    else:
        print_scores(scores)


def report(
    source: Source,
    destination: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="HTML", help="where the page goes")
    ] = None,
    simulated: Simulated = False,
    people: People = False,
    seed: Seed = 0,
    draws: Draws = 10_000,
    keep_spoiled: KeepSpoiled = None,
    two_way: TwoWay = True,
    thresholds: Thresholds = False,
    at: At = 0.75,
    mixed: Mixed = False,
    by: By = None,
    order: Order = None,
    metrics: Metrics = None,
) -> None:
    """Write one self-contained page with tables and figures."""
    judgements = load_judgements(source, simulated=simulated, people=people, column=by)
    scores = score_judgements(
        judgements,
        keep_spoiled,
        seed=seed,
        draws=draws,
        two_way=two_way,
        thresholds_at=at if thresholds else None,
        mixed=mixed,
        by=by,
        order=conditions_in(order),
        metrics=metrics,
    )
    path = destination or default_report_path(source)
    out.print(f"report: {write_page(judgements, scores, path)}")


def default_report_path(source: Path) -> Path:
    """Put a report beside the study or the table."""
    folder = source if source.is_dir() else source.parent
    return folder / "report.html"


def conditions_in(order: str | None) -> tuple[str, ...]:
    """Take the names out of what stands behind ``--order``."""
    return tuple(name.strip() for name in order.split(",")) if order else ()


def score_judgements(
    judgements: Judgements,
    keep_spoiled: bool | None = None,
    *,
    thresholds_at: float | None = None,
    by: str | None = None,
    metrics: Path | None = None,
    **choices: Any,
) -> tuple[Score, ...]:
    """Score judgements as their study says, or as the command line overrules it.

    ``choices`` are those of `hype.analysis.Options`.
    """
    from hype.analysis import Options, read_metrics, score_checked

    if keep_spoiled is not None:
        choices["spoiled"] = "keep" if keep_spoiled else "leave-out"
    options = Options(
        **{"spoiled": judgements.spoiled, **choices},
        thresholds_at=thresholds_at,
        by=by,
        metrics=read_metrics(metrics) if metrics else None,
        processes=os.cpu_count() or 1,
    )
    if thresholds_at is None:
        return score_checked(judgements.frame, options)
    with progress() as bar:
        shown = drawn_on(bar, "psychometric functions")
        return score_checked(judgements.frame, replace(options, progress=shown))


def print_scores(scores: tuple[Score, ...]) -> None:
    """Print scores as tables."""
    from hype.report.table import score_table

    out.print(score_table(scores))


def write_images(judgements: Judgements, path: Path) -> None:
    """Write the table of images, of what is scored."""
    from hype.analysis import SCORED_TASKS, finished, image_scores
    from hype.cli.export import as_cell
    from hype.files import write_table

    frame = judgements.frame[finished(judgements.frame)]
    table = image_scores(frame[frame["task"].isin(SCORED_TASKS)])
    if table.empty:
        raise InputError("--images", "the judgements name no images", "a column 'image'")
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    cells = ({str(key): as_cell(value) for key, value in row.items()} for row in rows)
    write_table(path, list(table.columns), cells)


def write_page(judgements: Judgements, scores: tuple[Score, ...], path: Path) -> Path:
    """Write the report page."""
    from hype.report.page import write_report
    from hype.sessions.facts import versions

    return write_report(
        scores,
        path,
        frame=judgements.frame,
        title=judgements.title,
        provenance={**judgements.provenance, **versions()},
    )
