"""What is wrong with a judge, or that nothing is, in sentences and in a word."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.judges.results import JudgeVerdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.judges.results import (
        AxisAgreement,
        CountedEstimate,
        JudgeAgreement,
        MatrixAgreement,
        PreferenceAgreement,
        SecondPerson,
    )

_MOST_LISTED: Final = 4


def number(value: float) -> str:
    return f"{value + 0.0:.2f}".replace("-0.00", "0.00").replace("-", "−")


def percent(share: float) -> str:
    """Write a share; all and nothing only where they are meant."""
    text = f"{share:.0%}"
    if (text == "100%" and share < 1) or (text == "0%" and share > 0):
        text = f"{share:.1%}"
    return text


def tenths(share: float) -> str:
    """Write an accuracy with one decimal of a percent, as 004 recommends."""
    return f"{share:.1%}"


def p_in_words(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def and_listed(names: Sequence[str]) -> str:
    if len(names) > _MOST_LISTED:
        names = [*names[:_MOST_LISTED], f"{len(names) - _MOST_LISTED} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def r_in_words(row: AxisAgreement) -> str:
    correlation = row.correlation
    if correlation.r is None:
        return f"{row.axis} r unknown"
    ends = ""
    if correlation.low is not None and correlation.high is not None:
        ends = f", {number(correlation.low)} to {number(correlation.high)}"
    return f"{row.axis} r = {number(correlation.r)}{ends}"


def of_axes(some: Sequence[AxisAgreement], every: Sequence[AxisAgreement]) -> str:
    if len(every) == 1:
        return f"its one axis, {every[0].axis}"
    if len(some) == len(every):
        return f"all {len(every)} axes"
    return f"{len(some)} of {len(every)} axes"


def least_agreed(rows: Sequence[AxisAgreement]) -> AxisAgreement:
    return min(rows, key=lambda row: row.correlation.r if row.correlation.r is not None else 2.0)


def means_in_words(matrix: MatrixAgreement) -> str:
    off = np.triu_indices(len(matrix.axes), 1)
    own, people = (float(np.nanmean(np.array(each)[off])) for each in (matrix.judge, matrix.people))
    more = "more closely" if own > people else "less closely"
    return f"they are {more} related, with a mean r of {number(own)}; people's is {number(people)}"


def side_in_words(
    side: str, share: float, people: float, decided: int, p: float, *, most: float
) -> str:
    """Say that a judge prefers one side, in `most` of its answers or in fewer."""
    how = f"takes the {side} image more often than people do"
    if share >= most:
        how = f"{'always' if share == 1 else 'nearly always'} prefers the {side} image"
    return (
        f"It {how}: in {percent(share)} of its {decided:,} decided answers, where people do in "
        f"{percent(people)} ({p_in_words(p)})."
    )


FEWEST: Final = 10
"""Answers below which nothing is said."""
FEWEST_COPIED: Final = 20
"""Fewer answers may all agree by chance or because the items are easy."""
NEARLY_ALL: Final = 0.9
"""Of decided answers for one side, and of items answered."""
LEANING: Final = 0.1
"""How much oftener than people a judge may take one side before it is said."""
_ONE: Final = 1 - 1e-12
"""κ of complete agreement, but for rounding."""

Finding = tuple[JudgeVerdict, str]


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What must be known beside a judge to say something of it."""

    people: tuple[SecondPerson, ...]  # how far people agree, one row for each axis
    overall: str | None  # the axis of the whole verdict, None where there is none
    pairs: bool  # whether pairs are rated
    alpha: float  # level of the tests


def judge_in_words(judge: JudgeAgreement, reference: Reference, *, copies: bool) -> JudgeAgreement:
    """Add verdict and sentences.

    ``reference``: what they are held against.
    ``copies``: whether its answers could have been made from people's.
    """
    if not any(row.correlation.n >= FEWEST for row in judge.axes):
        most = max(row.correlation.n for row in judge.axes)
        few = f"On no axis can more than {most} of its answers be held against people's: too few."
        few = few if most else "None of its answers can be held against people's."
        return replace(judge, verdict=JudgeVerdict.UNKNOWN, said=(few,))
    findings = _findings(judge, reference, copies=copies)
    order = list(JudgeVerdict)
    findings.sort(key=lambda each: order.index(each[0]))
    if not findings and all(row.p_holm is None for row in judge.axes):
        nothing = "Of no axis can an r be tested: too few people, or one answer to everything."
        return replace(judge, verdict=JudgeVerdict.UNKNOWN, said=(nothing,))
    verdict = findings[0][0] if findings else JudgeVerdict.AGREES
    sentences = [sentence for _, sentence in findings] or [_nothing_wrong(judge, reference)]
    second = _as_good_as_people(judge, reference)
    if second and verdict in {
        JudgeVerdict.AGREES,
        JudgeVerdict.PARTLY,
        JudgeVerdict.STRUCTURE,
        JudgeVerdict.LEANS,
    }:
        sentences.append(second)
    silent = [row for row in judge.axes if not row.answered]
    if silent:
        sentences.append(f"It says nothing on {of_axes(silent, judge.axes)}.")
    return replace(judge, verdict=verdict, said=tuple(sentences))


def _findings(judge: JudgeAgreement, reference: Reference, *, copies: bool) -> list[Finding]:
    findings = [_one_side(judge, reference), _constant(judge), _coverage(judge)]
    if copies:
        return [
            _copies(judge),
            *[each for each in findings if each and each[0] is JudgeVerdict.PARTLY],
        ]
    blind = any(
        each and each[0] in {JudgeVerdict.ONE_SIDED, JudgeVerdict.CONSTANT} for each in findings
    )
    whole = _random(judge, reference) or _inverted(judge, reference)
    if not whole and not blind:
        whole = _few_axes(judge, reference)
        findings += [] if whole else [_fails(judge, reference), _structure(judge, reference)]
    findings.append(whole)
    return [each for each in findings if each is not None]


def _copies(judge: JudgeAgreement) -> Finding:
    exact = all(
        row.kappa is None or row.kappa.value is None or row.kappa.value > _ONE for row in judge.axes
    )
    if judge.shape == "answers" and exact:
        return JudgeVerdict.COPIES, (
            "It agrees with people's every answer (κ = 1 on every axis): was it made from them?"
        )
    if judge.shape == "answers":
        what = "Its every answer is the level next to the mean of people's"
    else:
        what = "It prefers the image that people prefer in every case"
    return JudgeVerdict.COPIES, f"{what}: was it made from them?"


def _one_side(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    place = judge.position
    if place is None or place.share is None or place.people_share is None:
        return None
    away = place.share - place.people_share
    if place.p_holm >= reference.alpha or abs(away) < LEANING:
        return None
    side, share = ("first", place.share) if away > 0 else ("second", 1 - place.share)
    people = place.people_share if away > 0 else 1 - place.people_share
    sentence = side_in_words(side, share, people, place.decided, place.p_holm, most=NEARLY_ALL)
    return (JudgeVerdict.ONE_SIDED if share >= NEARLY_ALL else JudgeVerdict.LEANS), sentence


def _constant(judge: JudgeAgreement) -> Finding | None:
    same = [row for row in judge.axes if row.constant]
    if not same or len(same) < sum(row.answered > 0 for row in judge.axes):
        return None
    answers = and_listed(sorted({row.constant for row in same}))
    where = "to everything" if len({row.constant for row in same}) == 1 else "on each axis"
    return JudgeVerdict.CONSTANT, f"It gives one answer {where} ({answers}): it does not look."


def _random(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    tested = [row for row in judge.axes if row.p_holm is not None]
    if not tested or any(_sure(row, reference) for row in tested):
        return None
    shown = _main(judge, reference, tested)
    where = "its r may be 0"
    if len(tested) > 1:
        where = f"on no axis is its r surely different from 0, corrected for {len(tested)} axes"
    return JudgeVerdict.RANDOM, (
        f"It cannot be told from a judge that throws dice: {where} ({r_in_words(shown)})."
    )


def _inverted(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    tested = [row for row in judge.axes if row.p_holm is not None]
    against = [row for row in tested if _sure(row, reference) and (row.correlation.r or 0) < 0]
    if 2 * len(against) <= len(tested):
        return None
    shown = _main(judge, reference, against)
    why = "are first and second exchanged" if reference.pairs else "is its scale upside down"
    why = why if judge.shape == "answers" else "is a lower score the better one"
    return JudgeVerdict.INVERTED, (
        f"It says the opposite of people on {of_axes(against, judge.axes)} ({r_in_words(shown)}): "
        f"{why}?"
    )


def _few_axes(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    tested = [row for row in judge.axes if row.p_holm is not None]
    surely = [row for row in tested if _sure(row, reference)]
    agreed = [row for row in surely if (row.correlation.r or 0) > 0]
    if 2 * len(agreed) >= len(tested):
        return None
    named = and_listed([r_in_words(row) for row in agreed or surely])
    if agreed:
        where = f"It agrees with people on {of_axes(agreed, judge.axes)} only: {named}"
        return (
            JudgeVerdict.FAILS_AXES,
            f"{where}; the others cannot be told from dice, or are worse.",
        )
    against = f"and says the opposite on {of_axes(surely, judge.axes)}: {named}"
    return JudgeVerdict.RANDOM, f"It agrees with people on no axis, {against}."


def _fails(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    """Say on which axes a judge is far worse than on the others."""
    worse = [row for row in judge.axes if _far_below(row, judge, reference)]
    kept = [row for row in judge.axes if row.correlation.r is not None and row not in worse]
    if not worse or not kept:
        return None
    others = float(np.median([row.correlation.r for row in kept if row.correlation.r is not None]))
    named = and_listed([r_in_words(row) if row.constant == "" else _same(row) for row in worse])
    rest = "the other axes" if len(kept) > 1 else "the other axis"
    middle = "a median r" if len(kept) > 1 else "r"
    agrees = f"It agrees with people on {rest} ({middle} = {number(others)})"
    return JudgeVerdict.FAILS_AXES, f"{agrees}, but fails on {of_axes(worse, judge.axes)}: {named}."


def _same(row: AxisAgreement) -> str:
    return f"{row.axis} always {row.constant}"


def _far_below(row: AxisAgreement, judge: JudgeAgreement, reference: Reference) -> bool:
    """Tell whether r lies wholly below the median of the other axes, and by half of it or more."""
    others = [o.correlation.r for o in judge.axes if o is not row and o.correlation.r is not None]
    if not others:
        return False
    middle = float(np.median(others))
    if row.constant and row.answered >= FEWEST:
        return middle > 0
    r, high = row.correlation.r, row.correlation.high
    if r is None or high is None or high >= middle or row.correlation.n < FEWEST:
        return False
    person = next(second for second in reference.people if second.axis == row.axis)
    enough = person.r is not None and person.r.value is not None and high >= person.r.value > 0
    return not enough and (r < middle / 2 or not _sure(row, reference))


def _structure(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    matrix = judge.matrix
    if matrix is None or matrix.distance is None or matrix.floor_high is None:
        return None
    expected = matrix.floor or 0.0
    if matrix.distance <= max(matrix.floor_high, 2 * expected) or matrix.most is None:
        return None
    main = _main(judge, reference, [row for row in judge.axes if row.p_holm is not None])
    if not _sure(main, reference) or (main.correlation.r or 0) <= 0:
        return None
    most = matrix.most
    return JudgeVerdict.STRUCTURE, (
        f"It agrees with people on {main.axis} ({r_in_words(main)}) but not on how axes hang "
        f"together: its correlations are {number(matrix.distance)} from people's, where "
        f"{number(expected)} "
        f"would be expected ({means_in_words(matrix)}), most of all between {most.a} and {most.b} "
        f"(its r = {number(most.judge)}, people's {number(most.people)})."
    )


def _coverage(judge: JudgeAgreement) -> Finding | None:
    if judge.coverage >= NEARLY_ALL:
        return None
    return JudgeVerdict.PARTLY, (
        f"It answered {judge.answered:,} of {judge.asked:,} questions "
        f"({percent(judge.coverage)}); nothing is known of the others."
    )


def _nothing_wrong(judge: JudgeAgreement, reference: Reference) -> str:
    correlated = [row for row in judge.axes if row.correlation.r is not None]
    main = _main(judge, reference, correlated)
    least = least_agreed(correlated)
    weakest = "" if len(correlated) < 2 or least is main else f", least on {r_in_words(least)}"
    return f"Nothing wrong shows: it agrees with people on {r_in_words(main)}{weakest}."


def _as_good_as_people(judge: JudgeAgreement, reference: Reference) -> str:
    asked, met = [], []
    for row, person in zip(judge.axes, reference.people, strict=True):
        if person.r is None or person.r.low is None or row.correlation.r is None:
            continue
        asked.append(row)
        met += [row] if row.correlation.r >= person.r.low else []
    if not met:
        return ""
    return f"On {of_axes(met, asked)} it agrees with a person as well as a second person does."


def _main(judge: JudgeAgreement, reference: Reference, rows: list[AxisAgreement]) -> AxisAgreement:
    """Give the axis to quote: the overall one, or else the one in the middle."""
    of_overall = [row for row in rows if row.axis == reference.overall]
    if of_overall:
        return of_overall[0]
    ordered = sorted(rows or judge.axes, key=lambda row: row.correlation.r or 0.0)
    return ordered[len(ordered) // 2]


def _sure(row: AxisAgreement, reference: Reference) -> bool:
    return row.p_holm is not None and row.p_holm < reference.alpha


_COIN: Final = math.log(2)
_ROUNDING: Final = 1e-12


def model_in_words(judge: PreferenceAgreement, alpha: float) -> PreferenceAgreement:
    """Add verdict and sentences.

    ``alpha``: level of the tests.
    """
    if judge.comparisons < FEWEST:
        few = (
            f"It scored both images of {judge.comparisons} of people's "
            f"{judge.of_comparisons:,} choices: too few to say anything."
        )
        return replace(judge, verdict=JudgeVerdict.UNKNOWN, said=(few,))
    findings = _findings_on_model(judge, alpha)
    verdict = findings[0][0] if findings else JudgeVerdict.AGREES
    sentences = [sentence for _, sentence in findings]
    if verdict not in {JudgeVerdict.RANDOM, JudgeVerdict.INVERTED, JudgeVerdict.CONSTANT}:
        sentences += [_beside_a_person(judge), *_scale(judge)]
    return replace(judge, verdict=verdict, said=tuple(sentences))


def _findings_on_model(judge: PreferenceAgreement, alpha: float) -> list[Finding]:
    whole = (
        _model_copies(judge)
        or _model_constant(judge)
        or _model_inverted(judge, alpha)
        or _model_random(judge, alpha)
    )
    findings = [whole or _model_fails(judge, alpha), _model_coverage(judge)]
    return [each for each in findings if each is not None]


def _model_copies(judge: PreferenceAgreement) -> Finding | None:
    for figure, what in (
        (judge.accuracy, "people's every choice"),
        (judge.average, "the mean of people's ranks in every pair"),
    ):
        if figure is not None and figure.value == 1 and figure.n >= FEWEST_COPIED:
            return JudgeVerdict.COPIES, f"It agrees with {what}: was it made from them?"
    return None


def _model_constant(judge: PreferenceAgreement) -> Finding | None:
    if judge.log_loss is None or abs(judge.log_loss - _COIN) > _ROUNDING:
        return None
    return JudgeVerdict.CONSTANT, "It gives images of one group the same score: it does not look."


def _model_inverted(judge: PreferenceAgreement, alpha: float) -> Finding | None:
    value = judge.accuracy.value or 0.0
    if judge.p is None or judge.p >= alpha or value >= 0.5:
        return None
    return JudgeVerdict.INVERTED, (
        f"It prefers what people do not: it is right in {_figure_in_words(judge.accuracy)} of "
        "their choices. Is a lower score a better one?"
    )


def _model_random(judge: PreferenceAgreement, alpha: float) -> Finding | None:
    if judge.p is None or judge.p < alpha:
        return None
    return JudgeVerdict.RANDOM, (
        f"It cannot be told from a coin: it is right in {_figure_in_words(judge.accuracy)} of "
        "people's choices."
    )


def _model_fails(judge: PreferenceAgreement, alpha: float) -> Finding | None:
    wrong = [
        pair
        for pair in judge.pairs
        if pair.p_holm is not None and pair.p_holm < alpha and pair.groups_wrong > pair.groups_right
    ]
    if not wrong:
        return None
    wrong.sort(key=lambda pair: pair.accuracy or 0.0)
    named = and_listed([f"{one.a} and {one.b} ({percent(one.accuracy or 0.0)})" for one in wrong])
    return JudgeVerdict.FAILS_PAIRS, f"It is wrong more often than right between {named}."


def _model_coverage(judge: PreferenceAgreement) -> Finding | None:
    if judge.coverage >= NEARLY_ALL:
        return None
    return JudgeVerdict.PARTLY, (
        f"It scored {judge.images:,} of {judge.of_images:,} images ({percent(judge.coverage)}); "
        f"it is held against {judge.comparisons:,} of people's {judge.of_comparisons:,} choices."
    )


def _beside_a_person(judge: PreferenceAgreement) -> str:
    right = f"It is right in {_figure_in_words(judge.accuracy)} of people's choices"
    single, own = judge.single, judge.accuracy
    if single is None or single.value is None:
        return (
            f"{right}; no two people chose between the same images, so nobody knows how well a "
            "person would do."
        )
    person = f"another person would be in {tenths(single.value)}"
    if own.low is not None and own.low > single.value:
        return f"{right}, where {person}: it tells what people prefer better than a single person."
    if own.high is not None and own.high < single.value:
        return f"{right}, where {person}: a single person tells better what people prefer."
    return f"{right}, where {person}: it cannot be told from a single person."


def _scale(judge: PreferenceAgreement) -> list[str]:
    if judge.log_loss is None or judge.log_loss <= _COIN:
        return []
    return [
        f"Its scores cannot be taken for log-odds: their log loss is {judge.log_loss:.2f}, "
        f"a coin's {_COIN:.2f}."
    ]


def _figure_in_words(figure: CountedEstimate) -> str:
    value = tenths(figure.value or 0.0)
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({tenths(figure.low)} to {tenths(figure.high)})"
