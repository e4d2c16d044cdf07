"""One self-contained HTML page: readable on a desk, on a phone and on paper, without a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hype.analysis import check_judgements, finished, measured_timing
from hype.files import write_bytes
from hype.report import score_tables, timing, wording
from hype.report.matrix import pair_matrix
from hype.report.tables import page_tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from hype.analysis import Score


@dataclass(frozen=True, kw_only=True)
class _Figures:
    """The figures of one protocol, as SVG; None where one does not apply or lacks its data."""

    interval: Markup
    errors: Markup | None
    staircases: Markup | None
    precision: Markup | None


def write_report(
    scores: Sequence[Score],
    out: Path,
    *,
    frame: pd.DataFrame,
    title: str,
    provenance: Mapping[str, str],
) -> Path:
    """Write the report on a study.

    Parameters
    ----------
    scores
        As `hype.analysis.score` returns them for `frame`.
    out
        The HTML file to write. It appears whole or not at all.
    frame
        The judgements that were scored.
    title
        Heading of the page.
    provenance
        What the figures come from (study, seed, versions, software), shown in this order.

    Returns
    -------
    Path
        `out`. The same input gives the same bytes.

    Raises
    ------
    InputError
        The judgements are not well formed, or `out` cannot be written.
    """
    judgements = check_judgements(frame)
    judgements = judgements[finished(judgements)]
    measured = measured_timing(judgements)
    html = (
        _environment()
        .get_template("page.html")
        .render(
            title=title,
            scores=scores,
            figures=[_figures(score, judgements) for score in scores],
            matrices=[pair_matrix(score) for score in scores],
            score_tables=[score_tables.scores(score) for score in scores],
            tables=[page_tables(score) for score in scores],
            provenance=dict(provenance),
            wording=wording,
            protocol=_protocol,
            timing=measured if measured.trials else None,
            timing_table=timing.durations(measured),
            timing_words=timing,
        )
    )
    write_bytes(out, html.encode())
    return out


def _protocol(score: Score) -> Markup:
    """Write the protocol's name with the paper's subscript."""
    name, _, subscript = wording.protocol_name(score).partition("_")
    return Markup("{}<sub>{}</sub>").format(name, subscript)


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("hype.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _figures(score: Score, judgements: pd.DataFrame) -> _Figures:
    from hype.report import figures

    timed = score.protocol == "time"
    return _Figures(
        interval=figures.interval_figure(score),
        errors=None if timed else figures.errors_figure(score),
        staircases=figures.staircase_figure(score, judgements) if timed else None,
        precision=figures.precision_figure(score),
    )
