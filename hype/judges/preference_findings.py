"""What is wrong with a preference model, or that nothing is, in sentences and in a word."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hype.judges.copied import FEWEST as FEWEST_COPIED
from hype.judges.findings import FEWEST, NEARLY_ALL, and_listed, percent, tenths
from hype.judges.verdicts import Verdict

if TYPE_CHECKING:
    from hype.judges.preference_results import PreferenceAgreement
    from hype.judges.verdicts import Figure

_COIN: Final = math.log(2)
_ROUNDING: Final = 1e-12

Found = tuple[Verdict, str]


def with_words(judge: PreferenceAgreement, alpha: float) -> PreferenceAgreement:
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
    found = _findings(judge, alpha)
    verdict = found[0][0] if found else Verdict.AGREES
    sentences = [sentence for _, sentence in found]
    if verdict not in {Verdict.RANDOM, Verdict.INVERTED, Verdict.CONSTANT}:
        sentences += [_beside_a_person(judge), *_scale(judge)]
    return replace(judge, verdict=verdict, said=tuple(sentences))


def _findings(judge: PreferenceAgreement, alpha: float) -> list[Found]:
    whole = _copies(judge) or _constant(judge) or _inverted(judge, alpha) or _random(judge, alpha)
    found = [whole or _fails(judge, alpha), _coverage(judge)]
    return [each for each in found if each is not None]


def _copies(judge: PreferenceAgreement) -> Found | None:
    for figure, what in (
        (judge.accuracy, "people's every choice"),
        (judge.average, "the mean of people's ranks in every pair"),
    ):
        if figure is not None and figure.value == 1 and figure.n >= FEWEST_COPIED:
            return Verdict.COPIES, f"It agrees with {what}: was it made from them?"
    return None


def _constant(judge: PreferenceAgreement) -> Found | None:
    if judge.log_loss is None or abs(judge.log_loss - _COIN) > _ROUNDING:
        return None
    return Verdict.CONSTANT, "It gives images of one group the same score: it does not look."


def _inverted(judge: PreferenceAgreement, alpha: float) -> Found | None:
    value = judge.accuracy.value or 0.0
    if judge.p is None or judge.p >= alpha or value >= 0.5:
        return None
    return Verdict.INVERTED, (
        f"It prefers what people do not: it is right in {_said(judge.accuracy)} of their choices. "
        "Is a lower score a better one?"
    )


def _random(judge: PreferenceAgreement, alpha: float) -> Found | None:
    if judge.p is None or judge.p < alpha:
        return None
    return Verdict.RANDOM, (
        f"It cannot be told from a coin: it is right in {_said(judge.accuracy)} of people's "
        "choices."
    )


def _fails(judge: PreferenceAgreement, alpha: float) -> Found | None:
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


def _coverage(judge: PreferenceAgreement) -> Found | None:
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
