"""What is wrong with a judge, or that nothing is, in sentences and in a word."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.judges.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.judges.results import (
        AxisAgreement,
        Figure,
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


def p_said(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def and_listed(names: Sequence[str]) -> str:
    if len(names) > _MOST_LISTED:
        names = [*names[:_MOST_LISTED], f"{len(names) - _MOST_LISTED} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def r_said(row: AxisAgreement) -> str:
    """Write the r of an axis with its interval."""
    found = row.correlation
    if found.r is None:
        return f"{row.axis} r unknown"
    ends = ""
    if found.low is not None and found.high is not None:
        ends = f", {number(found.low)} to {number(found.high)}"
    return f"{row.axis} r = {number(found.r)}{ends}"


def of_axes(some: Sequence[AxisAgreement], every: Sequence[AxisAgreement]) -> str:
    """Say how many of the axes are meant."""
    if len(every) == 1:
        return f"its one axis, {every[0].axis}"
    if len(some) == len(every):
        return f"all {len(every)} axes"
    return f"{len(some)} of {len(every)} axes"


def least_agreed(rows: Sequence[AxisAgreement]) -> AxisAgreement:
    return min(rows, key=lambda row: row.correlation.r if row.correlation.r is not None else 2.0)


def means_said(matrix: MatrixAgreement) -> str:
    """Say whether a judge's axes go together more or less than people's."""
    off = np.triu_indices(len(matrix.axes), 1)
    own, people = (float(np.nanmean(np.array(each)[off])) for each in (matrix.judge, matrix.people))
    more = "more closely" if own > people else "less closely"
    return f"they are {more} related, with a mean r of {number(own)}; people's is {number(people)}"


def side_said(
    side: str, share: float, people: float, decided: int, p: float, *, most: float
) -> str:
    """Say that a judge prefers one side, in `most` of its answers or in fewer."""
    how = f"takes the {side} image more often than people do"
    if share >= most:
        how = f"{'always' if share == 1 else 'nearly always'} prefers the {side} image"
    return (
        f"It {how}: in {percent(share)} of its {decided:,} decided answers, where people do in "
        f"{percent(people)} ({p_said(p)})."
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

Found = tuple[Verdict, str]


@dataclass(frozen=True, kw_only=True)
class Said:
    """What must be known beside a judge to say something of it.

    Parameters
    ----------
    people
        How far people agree, one row for each axis.
    overall
        The axis of the whole verdict, None where there is none.
    pairs
        Whether pairs are rated.
    alpha
        Level of the tests.
    """

    people: tuple[SecondPerson, ...]
    overall: str | None
    pairs: bool
    alpha: float


def judge_in_words(judge: JudgeAgreement, said: Said, *, copies: bool) -> JudgeAgreement:
    """Add verdict and sentences.

    Parameters
    ----------
    judge
        The figures.
    said
        What they stand beside.
    copies
        Whether its answers could have been made from people's.
    """
    if not any(row.correlation.n >= FEWEST for row in judge.axes):
        most = max(row.correlation.n for row in judge.axes)
        few = f"On no axis can more than {most} of its answers be held against people's: too few."
        few = few if most else "None of its answers can be held against people's."
        return replace(judge, verdict=Verdict.UNKNOWN, said=(few,))
    found = _findings(judge, said, copies=copies)
    order = list(Verdict)
    found.sort(key=lambda each: order.index(each[0]))
    if not found and all(row.p_holm is None for row in judge.axes):
        nothing = "Of no axis can an r be tested: too few people, or one answer to everything."
        return replace(judge, verdict=Verdict.UNKNOWN, said=(nothing,))
    verdict = found[0][0] if found else Verdict.AGREES
    sentences = [sentence for _, sentence in found] or [_nothing_wrong(judge, said)]
    second = _as_good_as_people(judge, said)
    if second and verdict in {Verdict.AGREES, Verdict.PARTLY, Verdict.STRUCTURE, Verdict.LEANS}:
        sentences.append(second)
    silent = [row for row in judge.axes if not row.answered]
    if silent:
        sentences.append(f"It says nothing on {of_axes(silent, judge.axes)}.")
    return replace(judge, verdict=verdict, said=tuple(sentences))


def _findings(judge: JudgeAgreement, said: Said, *, copies: bool) -> list[Found]:
    found = [_one_side(judge, said), _constant(judge), _coverage(judge)]
    if copies:
        return [_copies(judge), *[each for each in found if each and each[0] is Verdict.PARTLY]]
    blind = any(each and each[0] in {Verdict.ONE_SIDED, Verdict.CONSTANT} for each in found)
    whole = _random(judge, said) or _inverted(judge, said)
    if not whole and not blind:
        whole = _few_axes(judge, said)
        found += [] if whole else [_fails(judge, said), _structure(judge, said)]
    found.append(whole)
    return [each for each in found if each is not None]


def _copies(judge: JudgeAgreement) -> Found:
    exact = all(
        row.kappa is None or row.kappa.value is None or row.kappa.value > _ONE for row in judge.axes
    )
    if judge.shape == "answers" and exact:
        return Verdict.COPIES, (
            "It agrees with people's every answer (κ = 1 on every axis): was it made from them?"
        )
    if judge.shape == "answers":
        what = "Its every answer is the level next to the mean of people's"
    else:
        what = "It prefers the image that people prefer in every case"
    return Verdict.COPIES, f"{what}: was it made from them?"


def _one_side(judge: JudgeAgreement, said: Said) -> Found | None:
    """Say that a judge takes one side, where people do not."""
    place = judge.position
    if place is None or place.share is None or place.people_share is None:
        return None
    away = place.share - place.people_share
    if place.p_holm >= said.alpha or abs(away) < LEANING:
        return None
    side, share = ("first", place.share) if away > 0 else ("second", 1 - place.share)
    people = place.people_share if away > 0 else 1 - place.people_share
    sentence = side_said(side, share, people, place.decided, place.p_holm, most=NEARLY_ALL)
    return (Verdict.ONE_SIDED if share >= NEARLY_ALL else Verdict.LEANS), sentence


def _constant(judge: JudgeAgreement) -> Found | None:
    same = [row for row in judge.axes if row.constant]
    if not same or len(same) < sum(row.answered > 0 for row in judge.axes):
        return None
    answers = and_listed(sorted({row.constant for row in same}))
    where = "to everything" if len({row.constant for row in same}) == 1 else "on each axis"
    return Verdict.CONSTANT, f"It gives one answer {where} ({answers}): it does not look."


def _random(judge: JudgeAgreement, said: Said) -> Found | None:
    tested = [row for row in judge.axes if row.p_holm is not None]
    if not tested or any(_sure(row, said) for row in tested):
        return None
    shown = _main(judge, said, tested)
    where = "its r may be 0"
    if len(tested) > 1:
        where = f"on no axis is its r surely different from 0, corrected for {len(tested)} axes"
    return Verdict.RANDOM, (
        f"It cannot be told from a judge that throws dice: {where} ({r_said(shown)})."
    )


def _inverted(judge: JudgeAgreement, said: Said) -> Found | None:
    tested = [row for row in judge.axes if row.p_holm is not None]
    against = [row for row in tested if _sure(row, said) and (row.correlation.r or 0) < 0]
    if 2 * len(against) <= len(tested):
        return None
    shown = _main(judge, said, against)
    why = "are first and second exchanged" if said.pairs else "is its scale upside down"
    why = why if judge.shape == "answers" else "is a lower score the better one"
    return Verdict.INVERTED, (
        f"It says the opposite of people on {of_axes(against, judge.axes)} ({r_said(shown)}): "
        f"{why}?"
    )


def _few_axes(judge: JudgeAgreement, said: Said) -> Found | None:
    """Say that a judge agrees with people on fewer than half of the axes, or on none."""
    tested = [row for row in judge.axes if row.p_holm is not None]
    surely = [row for row in tested if _sure(row, said)]
    agreed = [row for row in surely if (row.correlation.r or 0) > 0]
    if 2 * len(agreed) >= len(tested):
        return None
    named = and_listed([r_said(row) for row in agreed or surely])
    if agreed:
        where = f"It agrees with people on {of_axes(agreed, judge.axes)} only: {named}"
        return Verdict.FAILS_AXES, f"{where}; the others cannot be told from dice, or are worse."
    against = f"and says the opposite on {of_axes(surely, judge.axes)}: {named}"
    return Verdict.RANDOM, f"It agrees with people on no axis, {against}."


def _fails(judge: JudgeAgreement, said: Said) -> Found | None:
    """Say on which axes a judge is far worse than on the others."""
    worse = [row for row in judge.axes if _far_below(row, judge, said)]
    kept = [row for row in judge.axes if row.correlation.r is not None and row not in worse]
    if not worse or not kept:
        return None
    others = float(np.median([row.correlation.r for row in kept if row.correlation.r is not None]))
    named = and_listed([r_said(row) if row.constant == "" else _same(row) for row in worse])
    rest = "the other axes" if len(kept) > 1 else "the other axis"
    middle = "a median r" if len(kept) > 1 else "r"
    agrees = f"It agrees with people on {rest} ({middle} = {number(others)})"
    return Verdict.FAILS_AXES, f"{agrees}, but fails on {of_axes(worse, judge.axes)}: {named}."


def _same(row: AxisAgreement) -> str:
    return f"{row.axis} always {row.constant}"


def _far_below(row: AxisAgreement, judge: JudgeAgreement, said: Said) -> bool:
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
    person = next(one for one in said.people if one.axis == row.axis)
    enough = person.r is not None and person.r.value is not None and high >= person.r.value > 0
    return not enough and (r < middle / 2 or not _sure(row, said))


def _structure(judge: JudgeAgreement, said: Said) -> Found | None:
    matrix = judge.matrix
    if matrix is None or matrix.distance is None or matrix.floor_high is None:
        return None
    expected = matrix.floor or 0.0
    if matrix.distance <= max(matrix.floor_high, 2 * expected) or matrix.most is None:
        return None
    main = _main(judge, said, [row for row in judge.axes if row.p_holm is not None])
    if not _sure(main, said) or (main.correlation.r or 0) <= 0:
        return None
    most = matrix.most
    return Verdict.STRUCTURE, (
        f"It agrees with people on {main.axis} ({r_said(main)}) but not on how axes hang together: "
        f"its correlations are {number(matrix.distance)} from people's, where {number(expected)} "
        f"would be expected ({means_said(matrix)}), most of all between {most.a} and {most.b} "
        f"(its r = {number(most.judge)}, people's {number(most.people)})."
    )


def _coverage(judge: JudgeAgreement) -> Found | None:
    if judge.coverage >= NEARLY_ALL:
        return None
    return Verdict.PARTLY, (
        f"It answered {judge.answered:,} of {judge.asked:,} questions "
        f"({percent(judge.coverage)}); nothing is known of the others."
    )


def _nothing_wrong(judge: JudgeAgreement, said: Said) -> str:
    known = [row for row in judge.axes if row.correlation.r is not None]
    main = _main(judge, said, known)
    least = least_agreed(known)
    weakest = "" if len(known) < 2 or least is main else f", least on {r_said(least)}"
    return f"Nothing wrong shows: it agrees with people on {r_said(main)}{weakest}."


def _as_good_as_people(judge: JudgeAgreement, said: Said) -> str:
    """Say where a judge agrees with a person as well as a second person would."""
    asked, met = [], []
    for row, person in zip(judge.axes, said.people, strict=True):
        if person.r is None or person.r.low is None or row.correlation.r is None:
            continue
        asked.append(row)
        met += [row] if row.correlation.r >= person.r.low else []
    if not met:
        return ""
    return f"On {of_axes(met, asked)} it agrees with a person as well as a second person does."


def _main(judge: JudgeAgreement, said: Said, rows: list[AxisAgreement]) -> AxisAgreement:
    """Give the axis to quote: the overall one, or else the one in the middle."""
    of_overall = [row for row in rows if row.axis == said.overall]
    if of_overall:
        return of_overall[0]
    ordered = sorted(rows or judge.axes, key=lambda row: row.correlation.r or 0.0)
    return ordered[len(ordered) // 2]


def _sure(row: AxisAgreement, said: Said) -> bool:
    return row.p_holm is not None and row.p_holm < said.alpha


_COIN: Final = math.log(2)

_ROUNDING: Final = 1e-12


def model_in_words(judge: PreferenceAgreement, alpha: float) -> PreferenceAgreement:
    """Add verdict and sentences.

    Parameters
    ----------
    judge
        The figures.
    alpha
        Level of the tests.
    """
    if judge.comparisons < FEWEST:
        few = (
            f"It scored both images of {judge.comparisons} of people's "
            f"{judge.of_comparisons:,} choices: too few to say anything."
        )
        return replace(judge, verdict=Verdict.UNKNOWN, said=(few,))
    found = _findings_on_model(judge, alpha)
    verdict = found[0][0] if found else Verdict.AGREES
    sentences = [sentence for _, sentence in found]
    if verdict not in {Verdict.RANDOM, Verdict.INVERTED, Verdict.CONSTANT}:
        sentences += [_beside_a_person(judge), *_scale(judge)]
    return replace(judge, verdict=verdict, said=tuple(sentences))


def _findings_on_model(judge: PreferenceAgreement, alpha: float) -> list[Found]:
    whole = (
        _model_copies(judge)
        or _model_constant(judge)
        or _model_inverted(judge, alpha)
        or _model_random(judge, alpha)
    )
    found = [whole or _model_fails(judge, alpha), _model_coverage(judge)]
    return [each for each in found if each is not None]


def _model_copies(judge: PreferenceAgreement) -> Found | None:
    for figure, what in (
        (judge.accuracy, "people's every choice"),
        (judge.average, "the mean of people's ranks in every pair"),
    ):
        if figure is not None and figure.value == 1 and figure.n >= FEWEST_COPIED:
            return Verdict.COPIES, f"It agrees with {what}: was it made from them?"
    return None


def _model_constant(judge: PreferenceAgreement) -> Found | None:
    if judge.log_loss is None or abs(judge.log_loss - _COIN) > _ROUNDING:
        return None
    return Verdict.CONSTANT, "It gives images of one group the same score: it does not look."


def _model_inverted(judge: PreferenceAgreement, alpha: float) -> Found | None:
    value = judge.accuracy.value or 0.0
    if judge.p is None or judge.p >= alpha or value >= 0.5:
        return None
    return Verdict.INVERTED, (
        f"It prefers what people do not: it is right in {_said(judge.accuracy)} of their choices. "
        "Is a lower score a better one?"
    )


def _model_random(judge: PreferenceAgreement, alpha: float) -> Found | None:
    if judge.p is None or judge.p < alpha:
        return None
    return Verdict.RANDOM, (
        f"It cannot be told from a coin: it is right in {_said(judge.accuracy)} of people's "
        "choices."
    )


def _model_fails(judge: PreferenceAgreement, alpha: float) -> Found | None:
    wrong = [
        pair
        for pair in judge.pairs
        if pair.p_holm is not None and pair.p_holm < alpha and pair.groups_wrong > pair.groups_right
    ]
    if not wrong:
        return None
    wrong.sort(key=lambda pair: pair.accuracy or 0.0)
    named = and_listed([f"{one.a} and {one.b} ({percent(one.accuracy or 0.0)})" for one in wrong])
    return Verdict.FAILS_PAIRS, f"It is wrong more often than right between {named}."


def _model_coverage(judge: PreferenceAgreement) -> Found | None:
    if judge.coverage >= NEARLY_ALL:
        return None
    return Verdict.PARTLY, (
        f"It scored {judge.images:,} of {judge.of_images:,} images ({percent(judge.coverage)}); "
        f"it is held against {judge.comparisons:,} of people's {judge.of_comparisons:,} choices."
    )


def _beside_a_person(judge: PreferenceAgreement) -> str:
    right = f"It is right in {_said(judge.accuracy)} of people's choices"
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


def _said(figure: Figure) -> str:
    value = tenths(figure.value or 0.0)
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({tenths(figure.low)} to {tenths(figure.high)})"
