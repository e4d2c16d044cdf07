"""What is wrong with a judge of choices, or that nothing is, in a word and in sentences.

Of preference models, which score images, of judges of comparisons, and of real and fake.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from hype.judges.rating_findings import (
    FEWEST,
    NEARLY_ALL,
    Finding,
    and_listed,
    hardly_looks,
    models_alone_in_words,
    number,
    one_side,
    percent,
    r_and_interval,
)
from hype.judges.results import JudgeVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hype.judges.results import (
        ComparingAgreement,
        CountedEstimate,
        DetectorAgreement,
        JudgeOptions,
        PreferenceAgreement,
    )

_COIN: Final = math.log(2)
_ROUNDING: Final = 1e-12
_NOT_COMPARED: Final = {
    JudgeVerdict.RANDOM,
    JudgeVerdict.INVERTED,
    JudgeVerdict.CONSTANT,
}


def model_in_words(judge: PreferenceAgreement, options: JudgeOptions) -> PreferenceAgreement:
    """Add verdict and sentences.

    ``options``: level of the tests, margin, and how many people are too few.
    """
    if judge.comparisons < FEWEST:
        few = (
            f"It scored both images of {judge.comparisons} of people's "
            f"{judge.of_comparisons:,} choices: too few to say anything."
        )
        return replace(judge, verdict=JudgeVerdict.UNKNOWN, said=(few,))
    findings = _findings_on_model(judge, options.alpha)
    verdict = findings[0][0] if findings else JudgeVerdict.AGREES
    sentences = [sentence for _, sentence in findings if sentence]
    judge = replace(judge, verdict=verdict)
    if verdict not in _NOT_COMPARED:
        sentences += [_beside_a_person(judge, options), *_scale(judge)]
    return replace(judge, said=tuple(sentences))


def comparing_in_words(judge: ComparingAgreement, options: JudgeOptions) -> ComparingAgreement:
    """Add verdict and sentences, as `model_in_words`, and whether it looks at places."""
    missing = [f"No answer: {missing_in_words(judge.missing)}."] if judge.missing else []
    if judge.comparisons < FEWEST:
        few = (
            f"It can be held against {judge.comparisons} of people's "
            f"{judge.of_comparisons:,} choices: too few to say anything."
        )
        return replace(judge, verdict=JudgeVerdict.UNKNOWN, said=(few, *missing))
    side = one_side(judge.position, options.alpha)
    findings = [side, _comparing(judge, options.alpha), _left_out(judge)]
    if side and side[0] is JudgeVerdict.ONE_SIDED:
        findings = [side, _left_out(judge)]
    held = sorted(filter(None, findings), key=lambda each: list(JudgeVerdict).index(each[0]))
    judge = replace(judge, verdict=held[0][0] if held else JudgeVerdict.AGREES)
    sentences = [sentence for _, sentence in held if sentence]
    if not {verdict for verdict, _ in held} & {*_NOT_COMPARED, JudgeVerdict.ONE_SIDED}:
        sentences.append(_beside_a_person(judge, options, _COMPARED))
    return replace(judge, said=(*sentences, *missing))


def _comparing(judge: ComparingAgreement, alpha: float) -> Finding | None:
    if not judge.pairs_decided:
        return JudgeVerdict.CONSTANT, "It prefers neither image of any pair: it does not look."
    return (
        _model_inverted(judge, alpha)
        or _model_random(judge, alpha)
        or _model_fails(judge, alpha)
        or _model_below(judge, alpha)
    )


def _left_out(judge: ComparingAgreement) -> Finding | None:
    if judge.coverage >= NEARLY_ALL:
        return None
    return JudgeVerdict.PARTLY, (
        f"It judged {judge.pairs_judged:,} of {judge.of_pairs:,} pairs of images "
        f"({percent(judge.coverage)}); nothing is known of the others."
    )


def detecting_in_words(judge: DetectorAgreement, options: JudgeOptions) -> DetectorAgreement:
    """Add verdict and sentences: what it errs in, and whether it errs as people do."""
    missing = [f"No answer: {missing_in_words(judge.missing)}."] if judge.missing else []
    if judge.comparisons < FEWEST:
        few = (
            f"It can be held against {judge.comparisons} of people's "
            f"{judge.of_comparisons:,} judgements: too few to say anything."
        )
        return replace(judge, verdict=JudgeVerdict.UNKNOWN, said=(few, *missing))
    findings = [_detecting(judge, options.alpha), _unseen(judge)]
    held = [each for each in findings if each]
    judge = replace(judge, verdict=held[0][0] if held else JudgeVerdict.AGREES)
    sentences = [sentence for _, sentence in held if sentence]
    sentences.append(_errors_in_words(judge))
    if judge.verdict not in _NOT_COMPARED:
        sentences.append(_beside_a_person(judge, options, _DETECTED))
    return replace(judge, said=(*sentences, *missing))


def _detecting(judge: DetectorAgreement, alpha: float) -> Finding | None:
    if judge.constant:
        return JudgeVerdict.CONSTANT, f"It calls everything {judge.constant}: it does not look."
    return _unlike_people(judge, alpha) or _less_like_people(judge, alpha)


def _unlike_people(judge: DetectorAgreement, alpha: float) -> Finding | None:
    surely = judge.p_r is not None and judge.p_r < alpha
    if surely and judge.r is not None and judge.r < 0:
        return JudgeVerdict.INVERTED, (
            f"It says the opposite of people (r = {number(judge.r)}): are real and fake exchanged?"
        )
    if not surely and not _tells_apart(judge):
        return JudgeVerdict.RANDOM, (
            "It cannot be told from a judge that throws dice: it neither tells fake from real "
            f"nor agrees with people (r = {number(judge.r or 0.0)})."
        )
    return None


def _less_like_people(judge: DetectorAgreement, alpha: float) -> Finding | None:
    """Say that it agrees less than a person; of who errs less than people that is no fault."""
    high = judge.difference_of_errors.high
    if high is not None and high < 0:
        return None
    below = _model_below(judge, alpha)
    if below and below[0] is JudgeVerdict.MODELS:
        return JudgeVerdict.MODELS, (
            "It agrees with people about what is real and about models, and nothing shows that it "
            f"errs on the same images: {r_and_interval(judge.within)} within models, where a "
            f"second person has {r_and_interval(judge.within_person)}."
        )
    return below


def _tells_apart(judge: DetectorAgreement) -> bool:
    """Tell whether d′ is surely not 0, or the errors on images of one kind no coin's."""
    sensitivity = judge.d_prime
    if sensitivity is None or sensitivity.low is None or sensitivity.high is None:
        low, high = judge.error.low, judge.error.high
        return low is None or high is None or not low <= 1 / 2 <= high
    return not sensitivity.low <= 0 <= sensitivity.high


def _errors_in_words(judge: DetectorAgreement) -> str:
    apart = judge.difference_of_errors
    if apart.high is not None and apart.high < 0:
        how = ": it errs less than people"
    elif apart.low is not None and apart.low > 0:
        how = ": it errs more than people"
    else:
        how = ""
    sentence = (
        f"It is wrong about {_figure_in_words(judge.error)} of images, people about "
        f"{_tenths(judge.people_error.value or 0.0)} of the same{how}."
    )
    own, people = judge.d_prime, judge.people_d_prime
    if own is None or people is None or judge.criterion is None or judge.people_criterion is None:
        return sentence
    return (
        f"{sentence} d′ = {number(own.value)} ({number(own.low)} to {number(own.high)}) beside "
        f"people's {number(people.value)}, criterion {number(judge.criterion.value)} beside "
        f"{number(judge.people_criterion.value)}."
    )


def _unseen(judge: DetectorAgreement) -> Finding | None:
    if judge.coverage >= NEARLY_ALL:
        return None
    return JudgeVerdict.PARTLY, (
        f"It judged {judge.images:,} of {judge.of_images:,} images ({percent(judge.coverage)}); "
        "nothing is known of the others."
    )


def missing_in_words(missing: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {why}" for why, number in missing.items())


def _findings_on_model(judge: PreferenceAgreement, alpha: float) -> list[Finding]:
    whole = _model_constant(judge) or _model_inverted(judge, alpha) or _model_random(judge, alpha)
    failing = whole or _model_fails(judge, alpha) or _model_below(judge, alpha)
    findings = [failing, _model_coverage(judge)]
    return [each for each in findings if each is not None]


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
    named = and_listed(
        [f"{pair.a} and {pair.b} ({percent(pair.accuracy or 0.0)})" for pair in wrong]
    )
    return JudgeVerdict.FAILS_PAIRS, f"It is wrong more often than right between {named}."


def _model_below(judge: PreferenceAgreement, alpha: float) -> Finding | None:
    """Tell whether a person surely does better; `_beside_a_person` says at what."""
    if judge.p_less is None or judge.p_as_well is None:
        return None
    if judge.p_as_well < alpha or judge.p_less >= alpha:
        return None
    if not hardly_looks(judge, judge, _share_of_a_persons(judge)):
        return JudgeVerdict.BELOW, ""
    return JudgeVerdict.MODELS, f"{models_alone_in_words(judge, judge.within_person)}."


def _share_of_a_persons(judge: PreferenceAgreement) -> float:
    """Give how far it gets choices right beyond chance, of how far a second person does."""
    own = (judge.accuracy.value or 0.0) - 0.5
    less = (judge.difference.value or 0.0) if judge.difference else 0.0
    return own / (own - less) if own > less else 1.0


def _model_coverage(judge: PreferenceAgreement) -> Finding | None:
    if judge.coverage >= NEARLY_ALL:
        return None
    return JudgeVerdict.PARTLY, (
        f"It scored {judge.images:,} of {judge.of_images:,} images ({percent(judge.coverage)}); "
        f"it is held against {judge.comparisons:,} of people's {judge.of_comparisons:,} choices."
    )


@dataclass(frozen=True, kw_only=True)
class AgreementWords:
    """How it is said how often a judge gives people's answers."""

    own: str = "It is right in {} of people's choices"
    person: str = "where another person would be in {}"
    alone: str = "no two people chose between the same images"
    well: str = "it tells what people prefer {} a single person"
    less: str = "a single person tells better what people prefer"
    better: str = "better than"
    groups: str = "groups of images"  # what people choose in
    pairs: str = "pairs of models"  # within which only who looks at the images can agree


_RANKED: Final = AgreementWords()
_COMPARED: Final = AgreementWords(groups="prompts or pairs of images")
_DETECTED: Final = AgreementWords(
    own="It gives people's answers in {} of cases",
    person="where another person does in {}",
    alone="no two people judged the same images",
    well="it agrees with a person {} a second person does",
    less="it agrees with a person less than a second person does",
    better="more than",
    groups="images",
    pairs="models",
)


def _beside_a_person(
    judge: PreferenceAgreement, options: JudgeOptions, words: AgreementWords = _RANKED
) -> str:
    own = words.own.format(_figure_in_words(judge.accuracy))
    if judge.single is None or judge.single.value is None:
        return f"{own}; {words.alone}, so nobody knows how well a person would do."
    own = f"{own}, {words.person.format(_tenths(judge.single.value))}"
    difference, within = judge.difference, ""
    varies = judge.within is not None and judge.within.low != judge.within.high
    if varies and judge.within_person and judge.verdict is not JudgeVerdict.MODELS:
        within = (
            f" Within {words.pairs} {r_and_interval(judge.within)}, a second person's "
            f"{number(judge.within_person.value or 0.0)}."
        )
    if difference is None or judge.p_as_well is None or judge.p_less is None:
        few = f"fewer than {options.fewest_people} people, or {words.groups}, are known"
        return f"{own}; whether it does as well as a person is not known: {few}.{within}"
    if judge.p_as_well < options.alpha:
        better = difference.low is not None and difference.low > 0
        how = words.well.format(words.better if better else "as well as")
        margin = "" if better else f", within {percent(options.margin_of_shares)}"
        return f"{own}: {how}{margin}.{within}"
    if judge.p_less < options.alpha:
        surely = difference.high is not None and difference.high < 0
        where = "" if surely else f"within {words.pairs} "
        return f"{own}: {where}{words.less}.{within}"
    return f"{own}: whether it does as well as a person is not known.{within}"


def _scale(judge: PreferenceAgreement) -> list[str]:
    if judge.log_loss is None or judge.log_loss <= _COIN:
        return []
    return [
        f"Its scores cannot be taken for log-odds: their log loss is {judge.log_loss:.2f}, "
        f"a coin's {_COIN:.2f}."
    ]


def _figure_in_words(figure: CountedEstimate) -> str:
    value = _tenths(figure.value or 0.0)
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({_tenths(figure.low)} to {_tenths(figure.high)})"


def _tenths(share: float) -> str:
    """Write an accuracy with one decimal of a percent, as 004 recommends."""
    return f"{share:.1%}"
