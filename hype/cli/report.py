"""`hype report`: what the judgements say, on a page, in figures and in tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hype.cli.judgements import Judgements
from hype.cli.options import Source, out
from hype.cli.scoring import Choices, chosen, judgements_for, score_judgements

if TYPE_CHECKING:
    from hype.analysis import Score

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
    scores = score_judgements(judgements, choices)
    path = destination or default_report_path(source)
    out.print(f"report: {write_page(judgements, scores, path)}")
    if tables:
        out.print(f"tables: {write_table_files(judgements, scores, tables)} files in {tables}")


def default_report_path(source: Path) -> Path:
    """Put a report beside the study or the table."""
    folder = source if source.is_dir() else source.parent
    return folder / "report.html"


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


def write_table_files(judgements: Judgements, scores: tuple[Score, ...], folder: Path) -> int:
    """Write every table to files; gives how many files."""
    from hype.analysis import measured_timing
    from hype.report import timing
    from hype.report.table_files import write_tables
    from hype.report.tables import file_tables

    measured = measured_timing(judgements.frame)
    durations = [timing.durations(measured)] if measured.rows else []
    every = [*(table for score in scores for table in file_tables(score)), *durations]
    return len(write_tables(every, folder, simulated=any(score.simulated for score in scores)))
