"""`hype report`: the results as a page, figures and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hype.answers.choices import Choices, shell_option, take_options
from hype.cli.options import Sources
from hype.console import out
from hype.errors import ExtraMissing, InputError, installing, is_installed
from hype.protocols.opening import score_sources
from hype.report import wording
from hype.report.groups import group_drawings, group_tables
from hype.report.table_files import write_tables


@take_options
def report(
    sources: Sources,
    destination: Annotated[
        Path | None,
        shell_option(
            "-o --out HTML",
            "default: report.html in the study's folder; for a table, here",
        ),
    ] = None,
    figures: Annotated[
        Path | None, shell_option("--figures DIR", "also write every figure as SVG, PDF and PNG")
    ] = None,
    width: Annotated[
        float | None, shell_option("--width IN", "for --figures: width in inches, such as 3.4")
    ] = None,
    font: Annotated[
        float | None, shell_option("--font PT", "for --figures: font size in points")
    ] = None,
    tables: Annotated[
        Path | None, shell_option("--tables DIR", "also write every table as CSV and as LaTeX")
    ] = None,
    stimuli: Annotated[
        Path | None,
        shell_option(
            "--stimuli DIR",
            "the folder of the images to show, if the answers are from a table",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    *,
    choices: Choices,
) -> None:
    """Write one self-contained page with tables and figures."""
    for option, value in (("--width", width), ("--font", font)):
        if value is not None and not figures:
            raise InputError(option, "only changes the files of --figures", "with --figures DIR")
    if figures and not is_installed("matplotlib"):
        raise ExtraMissing("matplotlib")
    made = score_sources(sources, choices)
    answers = made.answers
    reported = made.protocol.reporting.report(answers, made.scored, choices, stimuli)
    if destination is None:  # the page is next to the study or the table
        source = Path(sources[0])
        beside = source if source.is_dir() else source.parent
        destination = Path("report.html") if len(sources) > 1 else beside / "report.html"
    written = reported.write_page(destination)
    out.print(f"report: {written}", markup=False)
    say_if_undrawn()
    if figures:
        from hype.report.figures.files import write_figures

        drawings = (*reported.drawings(), *group_drawings(answers.grouped))
        mark = wording.SIMULATED if reported.simulated else ""
        written_files = write_figures(drawings, figures, mark=mark, width_in=width, font_pt=font)
        out.print(f"figures: {len(written_files)} files in {figures}", markup=False)
    if tables:
        every = (*reported.tables(), *group_tables(answers.grouped))
        written_files = write_tables(every, tables, simulated=reported.simulated)
        out.print(f"tables: {len(written_files)} files in {tables}", markup=False)


def say_if_undrawn() -> None:
    """Explain how to get figures if a report has none."""
    if not is_installed("matplotlib"):
        how = f"the report describes them in words; to draw them: {installing('figures')}"
        out.print(f"figures: {how}", markup=False, soft_wrap=True)
