"""Which tables ratings have, in order: in the terminal and in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.analysis.judges.scores import RatingJudgesScore
from hype.report.tables import judge_details, judge_tables, rating_axes, rating_tables
from hype.report.tables.comparison_catalogue import that_say_something

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.analysis.judges.scores import JudgeAgreement
    from hype.analysis.ratings.scores import RatingScore
    from hype.report.tables.tabular import Table

MOST_ROWS: Final = 40
"""Conditions on axes that a terminal shows all with intervals; of more, those of one axis."""
WIDTH: Final = 79
"""Of a terminal, in letters, and of a column of numbers in it."""
COLUMN: Final = 10
FEWEST_COLUMNS: Final = 3
"""Axes that stand beside each other even where names are long."""
MOST_SQUARE: Final = 10
"""Axes whose correlations a terminal shows as a triangle."""
MOST_JUDGES: Final = (6, 6)
"""Judges that a terminal shows, from the first and from the last."""


def of_conditions(score: RatingScore) -> tuple[Table, ...]:
    """List the tables on conditions that a terminal has room for."""
    rows = sum(len(rating_tables.condition_names(axis)) for axis in score.axes)
    if rows <= MOST_ROWS:
        return (rating_tables.in_short(score, score.axes),)
    first = rating_tables.main_axis(score)
    size = beside_each_other(score)
    parts = range(0, len(score.axes), size)
    return (
        rating_tables.in_short(score, [first]),
        *(rating_tables.by_axis(score, score.axes[at : at + size]) for at in parts),
    )


def beside_each_other(score: RatingScore) -> int:
    """Say how many axes stand side by side, so that names keep their line and none is alone."""
    longest = max(len(name) for name in score.conditions)
    most = max(FEWEST_COLUMNS, (WIDTH - longest) // COLUMN)
    tables = -(-len(score.axes) // most)
    return -(-len(score.axes) // tables)


def of_axes(score: RatingScore) -> tuple[Table, ...]:
    """List the tables on axes that a terminal has room for."""
    found = score.correlations
    fits = found is not None and len(found.axes) <= MOST_SQUARE
    return that_say_something(
        (
            rating_axes.axes(score),
            *([rating_axes.square(score)] if fits else []),
            rating_axes.with_overall(score),
            rating_axes.truth(score),
            rating_axes.leaderboard(score),
        )
    )


def shown_judges(judges: Sequence[JudgeAgreement]) -> Sequence[JudgeAgreement]:
    """Give all judges, or the first and the last where there are too many to read."""
    first, last = MOST_JUDGES
    return judges if len(judges) <= first + last else (*judges[:first], *judges[-last:])


def rating_judges(score: RatingScore) -> RatingJudgesScore | None:
    """Give the judges of a score, where there are any."""
    return score.judges if isinstance(score.judges, RatingJudgesScore) else None


def rating_file_tables(score: RatingScore) -> tuple[Table, ...]:
    """List all tables, to be written to files."""
    return that_say_something(
        (
            rating_tables.conditions(score),
            rating_tables.by_axis(score),
            rating_axes.axes(score),
            rating_axes.alphas(score),
            rating_axes.answers(score),
            rating_axes.correlations(score),
            rating_axes.with_overall(score),
            rating_axes.truth(score),
            rating_axes.leaderboard(score),
            rating_axes.left_out(score),
            *_of_judges(rating_judges(score)),
        )
    )


def _of_judges(score: RatingJudgesScore | None) -> Iterator[Table]:
    if score is None:
        return
    yield judge_tables.summary(score)
    yield judge_details.sentences(score)
    for what in ("kappa", "weighted", "r"):
        yield judge_tables.by_axis(score, what)
    yield judge_tables.every_axis(score)
    yield judge_details.structure(score)
    yield judge_details.positions(score)
    yield judge_details.against_truth(score)
