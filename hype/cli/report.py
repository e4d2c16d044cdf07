"""`hype report`: what the judgements say, on a page, in figures and in tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hype.cli.judgements import Judgements, is_table
from hype.cli.options import Source, out
from hype.cli.scoring import (
    Choices,
    chosen,
    judgements_for,
    score_judgements,
    spoiled_by,
)

if TYPE_CHECKING:
    from hype.analysis import Score, Treatment
    from hype.report.page.background import Background

Destination = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="HTML", help="where the page goes")
]
Figures = Annotated[
    Path | None,
    typer.Option("--figures", metavar="DIR", help="also write every figure as SVG and as PDF"),
]
Tables = Annotated[
    Path | None,
    typer.Option("--tables", metavar="DIR", help="also write every table as CSV and as LaTeX"),
]
Stimuli = Annotated[
    Path | None,
    typer.Option(
        "--stimuli",
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="where the images lie that are to be pictured; a study knows it",
    ),
]


@chosen
def report(
    source: Source,
    choices: Choices,
    destination: Destination = None,
    figures: Figures = None,
    tables: Tables = None,
    stimuli: Stimuli = None,
) -> None:
    """Write one self-contained page with tables and figures."""
    judgements = judgements_for(source, choices)
    if stimuli:
        judgements = replace(judgements, stimuli=stimuli)
    scores = score_judgements(judgements, choices)
    path = destination or default_report_path(source)
    background = None if is_table(source) else background_of_study(source, choices)
    spoiled = spoiled_by(judgements, choices)
    written = write_page(judgements, scores, path, background=background, spoiled=spoiled)
    out.print(f"report: {written}", markup=False)
    if figures:
        settles_at = background.settles_at if background else None
        number = write_figure_files(judgements, scores, figures, settles_at=settles_at)
        out.print(f"figures: {number} files in {figures}", markup=False)
    if tables:
        number = write_table_files(judgements, scores, tables)
        out.print(f"tables: {number} files in {tables}", markup=False)


def default_report_path(source: Path) -> Path:
    """Put a report beside the study or the table."""
    folder = source if source.is_dir() else source.parent
    return folder / "report.html"


def background_of_study(path: Path, choices: Choices) -> Background:
    """Say what was run, and on whom."""
    from hype.cli.background import background_of
    from hype.study.load import load_study

    return background_of(load_study(path), simulated=choices.simulated)


def write_page(
    judgements: Judgements,
    scores: tuple[Score, ...],
    path: Path,
    *,
    background: Background | None,
    spoiled: Treatment,
) -> Path:
    """Write the report page."""
    from hype.cli.pictures import pictures_in
    from hype.report.page.gallery import gallery_images
    from hype.report.page.report import write_report
    from hype.sessions.facts import versions

    return write_report(
        scores,
        path,
        frame=judgements.frame,
        title=judgements.title,
        provenance={**judgements.provenance, **bootstrap(scores), **versions()},
        background=background,
        pictured=pictures_in(judgements.stimuli, gallery_images(scores)),
        spoiled=spoiled,
    )


def bootstrap(scores: tuple[Score, ...]) -> dict[str, str]:
    """Say what the bootstrap can be repeated with."""
    return {"bootstrap": f"{scores[0].draws:,} draws, seed {scores[0].seed}"}


def write_figure_files(
    judgements: Judgements, scores: tuple[Score, ...], folder: Path, *, settles_at: float | None
) -> int:
    """Write every figure to files; gives how many files."""
    from hype.analysis import finished
    from hype.report import wording
    from hype.report.figures import drawings, timing_drawings
    from hype.report.figures.files import write_figures

    frame = judgements.frame[finished(judgements.frame)]
    of_scores = (drawings(score, frame, settles_at=settles_at) for score in scores)
    every = [*chain.from_iterable(of_scores), *timing_drawings(frame)]
    simulated = any(score.simulated for score in scores)
    return len(write_figures(every, folder, mark=wording.SIMULATED if simulated else ""))


def write_table_files(judgements: Judgements, scores: tuple[Score, ...], folder: Path) -> int:
    """Write every table to files; gives how many files."""
    from hype.analysis import finished, measured_timing, response_times
    from hype.report import timing
    from hype.report.tables.answer_times import answer_times
    from hype.report.tables.catalogue import file_tables
    from hype.report.tables.files import write_tables

    frame = judgements.frame[finished(judgements.frame)]
    measured, times = measured_timing(frame), response_times(frame)
    besides = [*(answer_times(score, times) for score in scores), timing.durations(measured)]
    every = [
        *(table for score in scores for table in file_tables(score)),
        *(table for table in besides if table.says_something),
    ]
    return len(write_tables(every, folder, simulated=any(score.simulated for score in scores)))
