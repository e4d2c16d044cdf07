"""The scale of strengths in a study's tables, figures and sentences.

Scores have strengths on all three scales: Elo's numbers, log-strengths, and shares that sum to 100.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from scipy.special import expit

from hype.report import tabular, wording
from hype.report.figures.drawing import INK, Axes, Drawing, LegendEntry, draw_key
from hype.report.figures.rows import Rows as DrawnRows
from hype.report.figures.rows import draw_estimate, list_values, mark_mean
from hype.report.tabular import Column, Row, Rows
from hype.statistics.arrays import FloatArray
from hype.statistics.estimate import Estimate
from hype.statistics.strength_table import elo, shares
from hype.statistics.strengths import ELO_MEAN, ELO_PER_UNIT, StrengthsShown
from hype.study.phrases import write_count


@dataclass(frozen=True, kw_only=True)
class StrengthScale:
    """A scale of strengths and their differences."""

    of: str  # the key of the strength in a row
    heading: str  # the heading of a column with strengths
    unit: str  # the unit of strengths and differences in files
    name: str  # the name on an axis and in sentences
    meaning: str  # the meaning of the numbers, for the note of a table
    decimals: int
    difference_heading: str
    difference: str  # the unit of a difference
    # The differences at which a condition is chosen in 60 % and in 75 % of comparisons
    steps: tuple[str, str]
    convert: Callable[[FloatArray], FloatArray]  # converts log-strengths of all conditions
    apart: Callable[[Any], Any]  # converts a difference of two log-strengths
    mean: float | None  # the mean strength; None if it has no meaning

    def estimate(self, row: Row, model: str = "") -> Estimate | None:
        """Return the strength in a row; ``model``: the prefix of the strength's key."""
        found: Estimate | None = row.get(f"{model}{self.of}")
        return found

    def columns(self, ci: str, heading: str = "", model: str = "") -> tuple[Column, Column]:
        """Declare columns of strengths and their intervals; ``heading`` replaces the scale's."""
        head, key, of = heading or self.heading, f"{model}score", f"{model}{self.of}"
        return (
            tabular.number(head, key, self.decimals, of=of, measure=self.unit),
            tabular.interval(ci, f"{model}score" if model else "", self.decimals, of=of),
        )

    def difference_columns(self, ci: str) -> tuple[Column, Column]:
        def apart(pair: Any) -> Estimate | None:
            return self.estimate_apart(pair["difference"])

        return (
            tabular.number(
                self.difference_heading, "difference", self.decimals, of=apart, measure=self.unit
            ),
            tabular.interval(ci, "", self.decimals, of=apart),
        )

    def estimate_apart(self, difference: Estimate | None) -> Estimate | None:
        if difference is None:
            return None
        ends = [None if end is None else float(self.apart(end)) for end in difference.ends]
        return Estimate(value=float(self.apart(difference.value)), low=ends[0], high=ends[1])

    def written(self, estimate: Estimate | None) -> str:
        """Format a strength or a difference, with its interval if known."""
        if estimate is None:
            return wording.NOT_KNOWN
        number = wording.number(estimate.value, self.decimals)
        if estimate.ends == (None, None):
            return number
        return f"{number} ({wording.open_interval(*estimate.ends, self.decimals)})"

    def shorten(self, row: Row) -> tuple[str, str]:
        """Format the strength of a row, once with and once without its interval."""
        estimate = self.estimate(row)
        return self.written(estimate), self.written(estimate and Estimate(value=estimate.value))

    def steps_in_words(self, chosen: str, of_what: str) -> str:
        """Explain how much stronger a condition is if it is chosen in 60% or 75% of cases."""
        near, far = self.steps
        return f"If a condition is {near}, it {chosen} in 60% of {of_what}; if {far}, in 75%."


# No lambdas, since scores must be picklable.
def _elo_points(difference: Any) -> Any:
    return ELO_PER_UNIT * difference


def _share_of_two(difference: Any) -> Any:
    return 100 * expit(difference)


def _same(log_strengths: Any) -> Any:
    return log_strengths


SCALES: Final[dict[StrengthsShown, StrengthScale]] = {
    "elo": StrengthScale(
        of="elo",
        heading="Elo",
        unit="Elo points",
        name="strength in Elo points",
        meaning="in Elo points: the mean is 1000, and a lead of 400 points means odds of 10 to 1",
        decimals=0,
        difference_heading="Differ-\nence",
        difference="in Elo points",
        steps=("stronger than another by 70 points", "by 191 points"),
        convert=elo,
        apart=_elo_points,
        mean=ELO_MEAN,
    ),
    "log": StrengthScale(
        of="strength",
        heading="Log\nstrength",
        unit="log-odds",
        name="log-strength",
        meaning="as log-strengths: the mean is 0; a difference is the log-odds of being chosen",
        decimals=2,
        difference_heading="Differ-\nence",
        difference="of log-strengths",
        steps=("stronger than another by 0.41", "by 1.10"),
        convert=_same,
        apart=_same,
        mean=0.0,
    ),
    "share": StrengthScale(
        of="share100",
        heading="Of\n100",
        unit="share of 100",
        name="strength, of 100",
        meaning="as shares of 100: share a is chosen over share b with the probability a/(a + b)",
        decimals=1,
        difference_heading="Share\nof two",
        difference="the first condition's share of 100",
        steps=("1.5 times as strong as another", "3 times as strong"),
        convert=shares,
        apart=_share_of_two,
        mean=None,
    ),
}

MOST_DRAWN: Final = 40
"""The maximum number of rows of a figure; more are hard to read. The table has all rows."""
HEADER_IN: Final = 0.55
"""Room above the rows for a legend, in inches."""
BRADLEY_TERRY: Final = {"": LegendEntry(label="Bradley–Terry", marker="o", colour=INK)}


def strength_drawing(
    conditions: Rows,
    scale: StrengthScale,
    name: str,
    models: Mapping[str, LegendEntry],
    caption: Iterable[str],
) -> Drawing | None:
    """Draw the strengths of conditions with their intervals; None if no condition has one.

    ``models``: one or more models of strengths, by the prefix of their strengths' keys in a row.
    """
    strong = [row for row in conditions if row["strength"] is not None]
    shown = strong[:MOST_DRAWN]
    if not shown:
        return None
    sentences = [*caption]
    if len(strong) > MOST_DRAWN:
        sentences.append(f"The {MOST_DRAWN} strongest of {len(strong):,}; the table has all.")
    if without := len(conditions) - len(strong):
        sentences.append(f"Not drawn: {write_count(without, 'condition')} without a strength.")
    several = {"header_in": HEADER_IN} if len(models) > 1 else {}
    rows = DrawnRows(
        names=tuple(row["condition"] for row in shown),
        values=tuple(scale.shorten(row) for row in shown),
        **several,
    )
    (model, *others) = models.values()
    best, worst = (
        f"{row['condition']}, {scale.shorten(row)[0]}" for row in (strong[0], strong[-1])
    )
    return rows.drawing(
        name=name,
        title="Ranking",
        caption=" ".join(sentences),
        alt=f"Strengths of {len(strong)} conditions, from {worst}, to {best}.",
        draw=partial(_draw_strengths, shown=shown, rows=rows, scale=scale, models=models),
        x_label=scale.name if others else f"{scale.name} ({model.label})",
    )


def _draw_strengths(
    axes: Axes,
    shown: Sequence[Row],
    rows: DrawnRows,
    scale: StrengthScale,
    models: Mapping[str, LegendEntry],
) -> None:
    each = [[scale.estimate(row, model) for model in models] for row in shown]
    rows.prepare(axes)
    mark_mean(axes, scale.mean, list_values(estimate for row in each for estimate in row))
    apart = rows.half * 0.55
    heights = (-apart, apart) if len(models) > 1 else (0.0,)
    for place, estimates in enumerate(each):
        for entry, estimate, y in zip(models.values(), estimates, heights, strict=True):
            if estimate:
                draw_estimate(axes, entry, estimate, rows.centre(place) + y, close=rows.close)
    if len(models) > 1:
        draw_key(axes, tuple(models.values()), 72 * HEADER_IN - 12)
