"""More on automated judges: how their axes hang together, sides, what is right, sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report.tables import tabular
from hype.report.tables.judge_tables import FOUND
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from hype.analysis.judges.scores import AxisAgreement, JudgeAgreement, RatingJudgesScore
    from hype.report.tables.tabular import Value


def structure(score: RatingJudgesScore) -> Table:
    """Lay out how far each judge's correlations between axes are from people's."""
    return Table(
        name="judges-structure",
        title="How far judges' correlations between axes are from people's",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.number("Distance", "distance", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "distance_*", 2),
            tabular.number("To be\nexpected", "floor", 2),
            tabular.number("at most", "floor_high", 2),
            tabular.words("Furthest apart", "furthest_apart"),
            tabular.number("Judge's\nr", "furthest_r_judge", 2),
            tabular.number("People's\nr", "furthest_r_people", 2),
        ),
        rows=tuple(_structured(judge) for judge in score.judges if judge.matrix),
        note="Distance: root of the mean squared difference over pairs of axes. To be expected: "
        "what a judge that is like people would have with as many answers, by halves of people.",
    )


def _structured(judge: JudgeAgreement) -> tuple[Value, ...]:
    found = judge.matrix
    if found is None:
        return (judge.judge, *[None] * 7)
    most = found.most
    return (
        judge.judge,
        found.distance,
        (found.low, found.high),
        found.floor,
        found.floor_high,
        f"{most.a} and {most.b}" if most else None,
        most.judge if most else None,
        most.people if most else None,
    )


def positions(score: RatingJudgesScore) -> Table:
    """Lay out how often each judge preferred the first image, and people of the same items."""
    return Table(
        name="judges-position",
        title="Which image judges prefer",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.whole("Prefers\none", "decided"),
            tabular.share("the\nfirst", "first_share"),
            tabular.share("people,\nthe first", "first_share_people"),
            tabular.whole("Items: judge first,\npeople second", "judge_only"),
            tabular.whole("the other\nway round", "people_only"),
            tabular.probability("p", "p"),
            tabular.probability("Holm", "p_holm"),
        ),
        rows=tuple(_placed(judge) for judge in score.judges if judge.position),
        note="p: exact, of both kinds of items being equally likely. Holm: over all judges.",
    )


def _placed(judge: JudgeAgreement) -> tuple[Value, ...]:
    found = judge.position
    if found is None:
        return (judge.judge, *[None] * 7)
    shares = (found.share, found.people_share)
    tests = (found.judge_only, found.people_only, found.p, found.p_holm)
    return (judge.judge, found.decided, *shares, *tests)


def sentences(score: RatingJudgesScore) -> Table:
    """Lay out what is found of each judge, in sentences."""
    return Table(
        name="judges-said",
        title="What is found of each judge",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.words("Found", "found"),
            tabular.words("In words", "said"),
        ),
        rows=tuple(
            (judge.judge, FOUND[judge.verdict], " ".join(judge.said)) for judge in score.judges
        ),
    )


def against_truth(score: RatingJudgesScore) -> Table:
    """Lay out judges and people against what is right of single images, each on each axis."""
    return Table(
        name="judges-truth",
        title="Judges and people against what is right",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.name("Axis", "axis"),
            tabular.share("Right", "right_share"),
            tabular.share("People,\nright", "people_right_share"),
            tabular.number("r with\nthe truth", "r_truth", 2),
            tabular.number("People,\nr", "people_r_truth", 2),
            tabular.whole("Answers", "answers"),
        ),
        rows=tuple(_right(judge, row) for judge in score.judges for row in judge.axes if row.truth),
        note="People: all of their answers whose right answer is known.",
    )


def _right(judge: JudgeAgreement, row: AxisAgreement) -> tuple[Value, ...]:
    own, people = row.truth, row.people_truth
    return (
        judge.judge,
        row.axis,
        own.accuracy if own else None,
        people.accuracy if people else None,
        own.r if own else None,
        people.r if people else None,
        own.n if own else None,
    )
