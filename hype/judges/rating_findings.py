"""What is wrong with a judge, above all of ratings, or that nothing is: a word and sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import special

from hype.judges.results import JudgeVerdict
from hype.report import wording
from hype.report.wording import probability
from hype.statistics.correlation import fisher_z
from hype.statistics.proportions import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.judges.results import (
        AxisAgreement,
        CountedEstimate,
        JudgeAgreement,
        JudgeOptions,
        MatrixAgreement,
        PersonComparison,
        Position,
        PreferenceAgreement,
        SecondPerson,
    )

Finding = tuple[JudgeVerdict, str]
FEWEST: Final = 10
"""Answers below which nothing is said."""
NEARLY_ALL: Final = 0.9
"""Of decided answers for one side, and of items answered."""
_MOST_LISTED: Final = 4


def number(value: float | None) -> str:
    return wording.number(value, 2)


def percent(share: float) -> str:
    """Write a share; all and nothing only where they are meant."""
    text = f"{share:.0%}"
    if (text == "100%" and share < 1) or (text == "0%" and share > 0):
        text = f"{share:.1%}"
    return text


def and_listed(names: Sequence[str]) -> str:
    if len(names) > _MOST_LISTED:
        names = [*names[:_MOST_LISTED], f"{len(names) - _MOST_LISTED} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def r_and_interval(figure: CountedEstimate | None) -> str:
    if figure is None or figure.value is None:
        return "no r"
    if figure.low is None or figure.high is None:
        return f"r = {number(figure.value)}"
    return f"r = {number(figure.value)} ({number(figure.low)} to {number(figure.high)})"


def hardly_looks(
    of: AxisAgreement | PreferenceAgreement,
    side: PersonComparison | PreferenceAgreement,
    share: float,
) -> bool:
    """Tell whether r about models is above 0, and within pairs less than half of what it should be.

    That is a second person's r within pairs, or less where the judge agrees less in all.
    ``share``: how far it does, of a second person's agreement; so who only errs more is told apart.
    """
    if side.within_difference is None:
        return False
    person = side.within_person.value if side.within_person else None
    high = of.within.high if of.within else None
    return (
        (side.within_difference.high or 0.0) < 0
        and (of.about is not None and (of.about.low or 0.0) > 0)
        and (person is not None and person > 0)
        and (high is None or high < min(1.0, share) * person / 2)
    )


def models_alone_in_words(
    of: AxisAgreement | PreferenceAgreement, person: CountedEstimate | None
) -> str:
    return (
        f"It agrees with people about models, and nothing shows that it looks at the images: "
        f"{r_and_interval(of.about)} about models, {r_and_interval(of.within)} within pairs of "
        f"them, where a second person has {r_and_interval(person)}"
    )


LEANING: Final = 0.1
"""How much oftener than people a judge may take one side before it is said."""
_WHETHER: Final = "Whether it agrees with a person as well as a second person does"


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What must be known beside a judge to say something of it."""

    people: tuple[SecondPerson, ...]  # how far people agree, one row for each axis
    overall: str | None  # the axis of the whole verdict, None where there is none
    pairs: bool  # whether pairs are rated
    options: JudgeOptions


def judge_in_words(judge: JudgeAgreement, reference: Reference) -> JudgeAgreement:
    """Add verdict and sentences.

    ``reference``: what they are held against.
    """
    if not any(row.correlation.n >= FEWEST for row in judge.axes):
        most = max(row.correlation.n for row in judge.axes)
        few = f"On no axis can more than {most} of its answers be held against people's: too few."
        few = few if most else "None of its answers can be held against people's."
        return replace(judge, verdict=JudgeVerdict.UNKNOWN, said=(few,))
    findings = _findings(judge, reference)
    order = list(JudgeVerdict)
    findings.sort(key=lambda each: order.index(each[0]))
    if not findings and all(row.p_holm is None for row in judge.axes):
        nothing = "Of no axis can an r be tested: too few people, or one answer to everything."
        return replace(judge, verdict=JudgeVerdict.UNKNOWN, said=(nothing,))
    below = JudgeVerdict.BELOW if _is_below(judge, reference.options.alpha) else None
    verdict = findings[0][0] if findings else below or JudgeVerdict.AGREES
    sentences = [sentence for _, sentence in findings] or [_nothing_wrong(judge, reference)]
    second = _beside_a_second_person(judge, reference)
    if second and verdict in {
        JudgeVerdict.AGREES,
        JudgeVerdict.BELOW,
        JudgeVerdict.PARTLY,
        JudgeVerdict.STRUCTURE,
        JudgeVerdict.LEANS,
    }:
        sentences.append(second)
    silent = [row for row in judge.axes if not row.answered]
    if silent:
        sentences.append(f"It says nothing on {_of_axes(silent, judge.axes)}.")
    return replace(judge, verdict=verdict, said=tuple(sentences))


def _findings(judge: JudgeAgreement, reference: Reference) -> list[Finding]:
    side, place = one_side(judge.position, reference.options.alpha), judge.position
    # Who always takes the first place has one mean of both orders, and gave two answers.
    alike = None if side and place and place.both is not None else _constant(judge)
    findings = [side, alike, _coverage(judge)]
    blind = any(
        each and each[0] in {JudgeVerdict.ONE_SIDED, JudgeVerdict.CONSTANT} for each in findings
    )
    whole = _random(judge, reference) or _inverted(judge, reference)
    if not whole and not blind:
        whole = _few_axes(judge, reference)
        whole = whole or _knows_models(judge, reference)
        findings += [] if whole else [_fails(judge, reference), _structure(judge, reference)]
    findings.append(whole)
    return [each for each in findings if each is not None]


def one_side(place: Position | None, alpha: float) -> Finding | None:
    """Say that a judge takes the first image, or the second, more often than it should."""
    if place is None or place.share is None or place.expected is None:
        return None
    away = place.share - place.expected
    if place.p_holm >= alpha or abs(away) < LEANING:
        return None
    side, share = ("first", place.share) if away > 0 else ("second", 1 - place.share)
    people = place.expected if away > 0 else 1 - place.expected
    sentence = _side_in_words(side, share, people, place.decided, place.p_holm, most=NEARLY_ALL)
    if place.both is not None:
        sentence = _place_in_words(side, share, place)
    return (JudgeVerdict.ONE_SIDED if share >= NEARLY_ALL else JudgeVerdict.LEANS), sentence


def _side_in_words(
    side: str, share: float, people: float, decided: int, p: float, *, most: float
) -> str:
    """Say that a judge prefers one side, in `most` of its answers or in fewer."""
    how = f"takes the {side} image more often than people do"
    if share >= most:
        how = f"{'always' if share == 1 else 'nearly always'} prefers the {side} image"
    return (
        f"It {how}: in {percent(share)} of its {decided:,} decided answers, where people do in "
        f"{percent(people)} ({probability(p)})."
    )


def _place_in_words(side: str, share: float, place: Position) -> str:
    """Say it of a judge that was asked in both orders."""
    how = f"takes what is shown {side} more often than not"
    if share >= NEARLY_ALL:
        how = f"{'always' if share == 1 else 'nearly always'} prefers what is shown {side}"
    agree = f"{place.same:,} of {place.both:,}"
    return (
        f"It {how}: in {percent(share)} of its {place.decided:,} decided answers, where pairs were "
        f"shown in both orders ({probability(place.p_holm)}); the orders agree in {agree} cases."
    )


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
        f"It cannot be told from a judge that throws dice: {where} ({_r_in_words(shown)})."
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
        f"It says the opposite of people on {_of_axes(against, judge.axes)} "
        f"({_r_in_words(shown)}): {why}?"
    )


def _few_axes(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    """Say that a judge agrees on fewer than half of the axes, where others are surely worse."""
    tested = [row for row in judge.axes if row.p_holm is not None]
    surely = [row for row in tested if _sure(row, reference)]
    agreed = [row for row in surely if (row.correlation.r or 0) > 0]
    if 2 * len(agreed) >= len(tested):
        return None
    named = and_listed([_r_in_words(row) for row in agreed or surely])
    if agreed:
        rest = [row for row in judge.axes if row not in agreed]
        if not _worse(rest, [agreed] * len(rest), reference):
            return None
        where = f"It agrees with people on {_of_axes(agreed, judge.axes)} only: {named}"
        return (
            JudgeVerdict.FAILS_AXES,
            f"{where}; the others cannot be told from dice, or are worse.",
        )
    against = f"and says the opposite on {_of_axes(surely, judge.axes)}: {named}"
    return JudgeVerdict.RANDOM, f"It agrees with people on no axis, {against}."


def _fails(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    """Say on which axes a judge is far worse than on the others."""
    others = [[other for other in judge.axes if other is not row] for row in judge.axes]
    worse = _worse(judge.axes, others, reference)
    kept = [row for row in judge.axes if row.correlation.r is not None and row not in worse]
    if not worse or not kept:
        return None
    median = float(np.median([row.correlation.r for row in kept if row.correlation.r is not None]))
    named = and_listed([_r_in_words(row) if row.constant == "" else _same(row) for row in worse])
    rest = "the other axes" if len(kept) > 1 else "the other axis"
    middle = "a median r" if len(kept) > 1 else "r"
    agrees = f"It agrees with people on {rest} ({middle} = {number(median)})"
    return (
        JudgeVerdict.FAILS_AXES,
        f"{agrees}, but fails on {_of_axes(worse, judge.axes)}: {named}.",
    )


def _worse(
    rows: Sequence[AxisAgreement], others: Sequence[list[AxisAgreement]], reference: Reference
) -> list[AxisAgreement]:
    """Give the axes that lie surely, and far, below what others let expect, by Holm's rule."""
    p = holm([_below(row, beside, reference) for row, beside in zip(rows, others, strict=True)])
    return [
        row
        for row, beside, each in zip(rows, others, p.tolist(), strict=True)
        if each < reference.options.alpha and _is_far(row, beside, reference)
    ]


def _same(row: AxisAgreement) -> str:
    return f"{row.axis} always {row.constant}"


def _expected(row: AxisAgreement, others: list[AxisAgreement], reference: Reference) -> float:
    """Give the median r of other axes, or less where two people agree less than on these."""
    middle = _median([other.correlation.r for other in others])
    people = {second.axis: second.r.value if second.r else None for second in reference.people}
    person, beside = people[row.axis], _median([people[other.axis] for other in others])
    if person is None or not beside > 0:
        return middle
    return middle * min(1.0, max(0.0, person) / beside)


def _median(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else np.nan


def _below(row: AxisAgreement, others: list[AxisAgreement], reference: Reference) -> float:
    """Give one-sided p of r not lying below what other axes let expect; NaN where untested.

    That is taken to be as uncertain as r of one axis: all are of the same items.
    """
    middle = _expected(row, others, reference)
    if row.constant and row.answered >= FEWEST:
        return 0.0 if middle > 0 else 1.0
    r, own = row.correlation.r, _reach(row)
    beside = [reach for other in others if (reach := _reach(other)) is not None]
    if r is None or own is None or row.correlation.n < FEWEST or np.isnan(middle) or not beside:
        return np.nan
    quantile = special.ndtri((1 + reference.options.confidence) / 2)
    apart = float(fisher_z(middle) - fisher_z(r)) / float(np.hypot(own, np.median(beside)))
    return float(special.ndtr(-quantile * apart))


def _reach(row: AxisAgreement) -> float | None:
    """Give how far the interval of r reaches above it, on Fisher's scale."""
    r, high = row.correlation.r, row.correlation.high
    return None if r is None or high is None or high <= r else float(fisher_z(high) - fisher_z(r))


def _is_far(row: AxisAgreement, others: list[AxisAgreement], reference: Reference) -> bool:
    """Tell whether r is half of what is expected or less, and a second person's is not."""
    r, high, middle = row.correlation.r, row.correlation.high, _expected(row, others, reference)
    if row.constant and row.answered >= FEWEST:
        return True
    if r is None or high is None:
        return False
    person = next(second for second in reference.people if second.axis == row.axis)
    enough = person.r is not None and person.r.value is not None and high >= person.r.value > 0
    return not enough and r < middle / 2


def _structure(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    matrix = judge.matrix
    if matrix is None or matrix.distance is None:
        return None
    apart = [each for each in matrix.apart if each.p_holm < reference.options.alpha]
    main = _main(judge, reference, [row for row in judge.axes if row.p_holm is not None])
    if not apart or not _sure(main, reference) or (main.correlation.r or 0) <= 0:
        return None
    most = apart[0]
    pairs = "pair of axes" if len(matrix.apart) == 1 else f"of {len(matrix.apart)} pairs of axes"
    return JudgeVerdict.STRUCTURE, (
        f"It agrees with people on {main.axis} ({_r_in_words(main)}) but not on how axes hang "
        f"together: {len(apart)} {pairs} surely differ ({_means_in_words(matrix)}), most of all "
        f"{most.a} and {most.b} (its r = {number(most.judge)}, people's {number(most.people)}; "
        f"{probability(most.p_holm)}, corrected)."
    )


def _means_in_words(matrix: MatrixAgreement) -> str:
    off = np.triu_indices(len(matrix.axes), 1)
    own, people = (float(np.nanmean(np.array(each)[off])) for each in (matrix.judge, matrix.people))
    more = "more closely" if own > people else "less closely"
    return f"they are {more} related, with a mean r of {number(own)}; people's is {number(people)}"


def _coverage(judge: JudgeAgreement) -> Finding | None:
    if judge.coverage >= NEARLY_ALL:
        return None
    return JudgeVerdict.PARTLY, (
        f"It answered {judge.answered:,} of {judge.asked:,} questions "
        f"({percent(judge.coverage)}); nothing is known of the others."
    )


def _nothing_wrong(judge: JudgeAgreement, reference: Reference) -> str:
    correlated = [row for row in judge.axes if row.correlation.r is not None]
    sure = [row for row in correlated if _sure(row, reference)] or correlated
    main = _main(judge, reference, sure)
    least = _least_agreed(sure)
    weakest = "" if len(sure) < 2 or least is main else f", least on {_r_in_words(least)}"
    open_ones = [row for row in correlated if row not in sure]
    rest = f" On {_of_axes(open_ones, judge.axes)} it is not known." if open_ones else ""
    below = _is_below(judge, reference.options.alpha)
    shows = "It agrees" if below else "Nothing wrong shows: it agrees"
    return f"{shows} with people on {_r_in_words(main)}{weakest}.{rest}"


def _is_below(judge: JudgeAgreement, alpha: float) -> bool:
    """Whether it agrees surely less than a second person on most of the axes that were tested."""
    p = [row.beside_person.p_less_holm for row in judge.axes if row.beside_person]
    known = [one for one in p if one is not None]
    return 2 * sum(one < alpha for one in known) > len(known)


def _least_agreed(rows: Sequence[AxisAgreement]) -> AxisAgreement:
    return min(rows, key=lambda row: row.correlation.r if row.correlation.r is not None else 2.0)


def _beside_a_second_person(judge: JudgeAgreement, reference: Reference) -> str:
    """Say whether it agrees as well as a second person, less, or that this is not known."""
    asked = [row for row in judge.axes if row.correlation.r is not None]
    rows = [(row, row.beside_person) for row in asked if row.beside_person is not None]
    if not rows:
        return f"{_WHETHER} is not known: of no item is it known that two people rated it."
    alpha = reference.options.alpha
    well = [row for row, side in rows if side.p_holm is not None and side.p_holm < alpha]
    less = [row for row, side in rows if side.p_less_holm is not None and side.p_less_holm < alpha]
    if all(side.p is None for _, side in rows):
        most = max((side for _, side in rows), key=lambda side: (side.evaluators, side.items))
        return (
            f"{_WHETHER} is not known: {most.evaluators} people rated the same {most.items} items, "
            f"and {reference.options.fewest_people} of both are needed."
        )
    parts = []
    if well:
        parts.append(
            f"On {_of_axes(well, asked)} it agrees with a person as well as a second person does, "
            f"within {number(reference.options.margin)} of r ({_side_by_side(well, reference)})."
        )
    if less:
        parts.append(
            f"On {_of_axes(less, asked)} it agrees with a person less than a second person does "
            f"({_side_by_side(less, reference)})."
        )
    if not parts:
        return f"{_WHETHER} is not known ({_side_by_side([row for row, _ in rows], reference)})."
    if len(well) + len(less) < len(asked):
        parts.append("On the others it is not known.")
    return " ".join(parts)


def _side_by_side(rows: list[AxisAgreement], reference: Reference) -> str:
    row = _main_of(rows, reference)
    side = row.beside_person
    if side is None:
        return row.axis
    sentence = f"{row.axis} r = {number(side.judge)} beside {number(side.person)}"
    if side.within_person is None or side.within_person.value is None:
        return sentence
    within = row.within.value if row.within else None
    own = "none" if within is None else number(within)
    return f"{sentence}, within pairs of models {own} beside {number(side.within_person.value)}"


def _knows_models(judge: JudgeAgreement, reference: Reference) -> Finding | None:
    """Tell whether it agrees about models, and less than people on images of one pair of them."""
    rows = [row for row in judge.axes if _of_models_alone(row, reference.options.alpha)]
    tested = [row for row in judge.axes if row.beside_person is not None and row.about is not None]
    if not rows or 2 * len(rows) <= len(tested):
        return None
    row = _main_of(rows, reference)
    person = row.beside_person.within_person if row.beside_person else None
    return JudgeVerdict.MODELS, f"{models_alone_in_words(row, person)} ({row.axis})."


def _of_models_alone(row: AxisAgreement, alpha: float) -> bool:
    side = row.beside_person
    if side is None or side.p_less_holm is None or side.p_less_holm >= alpha:
        return False
    return hardly_looks(row, side, side.judge / side.person if side.person > 0 else 1.0)


def _main(judge: JudgeAgreement, reference: Reference, rows: list[AxisAgreement]) -> AxisAgreement:
    return _main_of(rows or list(judge.axes), reference)


def _main_of(rows: list[AxisAgreement], reference: Reference) -> AxisAgreement:
    """Give the axis to quote: the overall one, or else the one in the middle."""
    of_overall = [row for row in rows if row.axis == reference.overall]
    if of_overall:
        return of_overall[0]
    ordered = sorted(rows, key=lambda row: row.correlation.r or 0.0)
    return ordered[len(ordered) // 2]


def _sure(row: AxisAgreement, reference: Reference) -> bool:
    return row.p_holm is not None and row.p_holm < reference.options.alpha


def _r_in_words(row: AxisAgreement) -> str:
    correlation = row.correlation
    if correlation.r is None:
        return f"{row.axis} r unknown"
    ends = ""
    if correlation.low is not None and correlation.high is not None:
        ends = f", {number(correlation.low)} to {number(correlation.high)}"
    return f"{row.axis} r = {number(correlation.r)}{ends}"


def _of_axes(some: Sequence[AxisAgreement], every: Sequence[AxisAgreement]) -> str:
    if len(every) == 1:
        return f"its one axis ({every[0].axis})"
    if len(some) == len(every):
        return f"all {len(every)} axes"
    return f"{len(some)} of {len(every)} axes"
