"""Rankings in words for a paper: what was done, and what was computed, each with its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hype.protocols.prompted.wording import (
    demographic_sentences,
    drawn_sentences,
    pay_sentences,
    real_sentence,
    rest_sentence,
    scaled_sentence,
)
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.ranking.tables import models_of
from hype.report.bibliography import Said, said
from hype.study.phrases import (
    WU,
    ComparisonTopic,
    Paragraph,
    RankingTopic,
    Topic,
    counted,
    evaluated,
    paragraph,
    percent,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from hype.judges.results import RankingJudgesScore
    from hype.protocols.ranking.results import RankingScore

CitedParagraph = tuple[Said, ...]

_TIES: Final = {
    "davidson": "In Bradley and Terry's model ties are a part of it ({Davidson1970}), and in win "
    "rates half a win to either.",
    "half": "In Bradley and Terry's model and in win rates a tie is half a win to either.",
    "none": "In Bradley and Terry's model and in win rates ties are not counted.",
}


def ranking_paragraphs(
    score: RankingScore, *, drawn: Collection[str]
) -> tuple[CitedParagraph, ...]:
    """Write the paragraphs on strengths, pairs, agreement, screening and preference models.

    Parameters
    ----------
    score
        What was scored.
    drawn
        Keys of the parts that the report has.
    """
    models = models_of(score)
    paragraphs = (
        tuple(_strengths(score)),
        tuple(_rates(score)),
        tuple(_agreement(score)),
        tuple(_screening(score)),
        tuple(_models(models)) if models else (),
        tuple(_images(drawn)),
    )
    return tuple(paragraph for paragraph in paragraphs if paragraph)


def _strengths(score: RankingScore) -> Iterator[Said]:
    strong = [row for row in score.conditions if row.strength is not None]
    if strong:
        yield said(
            "Strengths are maximum-likelihood estimates of Plackett and Luce's model "
            "({Plackett1975}; {Luce1959}): the best image is chosen from all of a group, the next "
            "from those that are left, each with a chance proportional to the strength of what "
            "made it. Log-strengths have mean 0."
        )
    if score.tied:
        yield said("Images that are tied count by Breslow's rule ({Breslow1974}).")
    if any(row.bt_strength is not None for row in score.conditions):
        yield said(
            "Beside them stand strengths of Bradley and Terry's model ({BradleyTerry1952}) from "
            "the n(n − 1)/2 comparisons that a ranking of n images makes ({Wu2023})."
        )
    if score.tied:
        yield said(_TIES[score.ties])
    if len(strong) < len(score.conditions):
        yield said(
            "Strengths are finite only where a path of preferences leads from each condition to "
            "each other one and back ({Hunter2004}); other conditions have none, and no number was "
            "made up for them."
        )
    yield from _intervals(score, strong=bool(strong))


def _intervals(score: RankingScore, *, strong: bool) -> Iterator[Said]:
    bootstrap = score.bootstrap
    if bootstrap is None or not strong:
        return
    yield said(
        "{confidence:.0%} intervals of Plackett and Luce's strengths are by the sandwich's "
        "standard errors ({White1982}), with {unit} as the independent units ({LiangZeger1986}) "
        "and Student's distribution; those of Bradley and Terry's, and the ranks left open, are "
        "percentiles of {draws:,} bootstrap draws of {unit} ({Efron1979}), seed {seed}.",
        confidence=score.confidence,
        unit=bootstrap.unit,
        draws=bootstrap.draws,
        seed=bootstrap.seed,
    )


def _rates(score: RankingScore) -> Iterator[Said]:
    bootstrap = score.bootstrap
    if bootstrap is None:
        return
    yield said(
        "Mean ranks, shares of first places and win rates are ratios of sums over {unit}, with "
        "their linearised standard errors ({Cochran1977}), those of shares on the scale of "
        "log-odds.",
        unit=bootstrap.unit,
    )
    if any(pair.p is not None for pair in score.pairs):
        more = ", with Holm's rule over all pairs ({Holm1979})" if len(score.pairs) > 1 else ""
        yield said(
            "Whether one of two conditions was put above the other more often was tested by the "
            "two-sided sign-flip test with {unit} as the independent units "
            f"({{Fisher1935}}){more}"
            ", at α = {alpha:g}.",
            unit=bootstrap.unit,
            alpha=score.alpha,
        )


def _agreement(score: RankingScore) -> Iterator[Said]:
    agreement = score.agreement
    if agreement is None:
        return
    yield said(
        "Agreement is counted over pairs of images that two people or more ranked ({Wu2023}): how "
        "often two of them put the same image first, and how often one puts first what has the "
        "better mean rank of all others. A tie counts half."
    )
    if agreement.single_single.low is not None:
        yield said(
            "Its intervals are the jackknife's ({Efron1982}) over groups of images and over "
            "evaluators at once ({Cameron2011})."
        )
    if agreement.alpha.alpha is not None:
        yield said("Krippendorff's α ({Krippendorff2011}) is that of ordinal data.")
    if agreement.difference_correlation is not None:
        yield said("ρ is Spearman's rank correlation ({Spearman1904}).")


def _screening(score: RankingScore) -> Iterator[Said]:
    screening = score.screening
    if screening is None:
        return
    yield said(
        "Evaluators were held against checkers by recall@2 ({Wu2023}): how often their first "
        "choice is among a checker's first two, with Wilson's interval ({Wilson1927})."
    )
    if screening.min_recall is not None:
        yield said(
            "Whoever was below {bound:.0%} was not scored, a bound that the study had fixed.",
            bound=screening.min_recall,
        )


def _models(models: RankingJudgesScore) -> Iterator[Said]:
    held = ", of rankings that were held out of training," if models.held_out else ""
    yield said(
        f"A preference model is right in a person's choice between two images{held} where the one "
        "that was chosen has the higher score ({Wu2023}); equal scores are half right. Intervals "
        "know evaluators and groups of images as the independent units ({Cameron2011})."
    )
    if any(pair.p_holm is not None for judge in models.judges for pair in judge.pairs):
        yield said(
            "Whether a model is wrong more often than right between two conditions was tested by "
            "the exact binomial test over groups of images, with Holm's rule ({Holm1979}), at "
            "α = {alpha:g}.",
            alpha=models.alpha,
        )
    if models.benchmarks:
        yield said(
            "The benchmark is the mean score over prompts, with the standard deviation of the "
            "means of {groups} groups of prompts ({Wu2023}).",
            groups=models.benchmarks[0].groups,
        )


def _images(drawn: Collection[str]) -> Iterator[Said]:
    if "ranking-images" in drawn:
        yield said(
            "The images of a prompt that were most often first, or last, are those whose Wilson "
            "interval ({Wilson1927}) of the share of first, or last, places begins highest."
        )


TOGETHER = "so that all of a group fitted on the screen"
"""How large images were, where the study does not say."""


def described_ranking(settings: RankingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study of rankings; what it has switched off is not mentioned.

    Parameters
    ----------
    conditions
        What it ranks; empty where that is not known.
    """
    paragraphs = (
        paragraph(Topic.DESIGN, design_sentences(settings, conditions), WU),
        paragraph(ComparisonTopic.TRIAL, trial_sentences(settings)),
        paragraph(RankingTopic.SCREENING, screening_sentences(settings)),
        paragraph(RankingTopic.HELD_OUT, held_out_sentences(settings)),
        paragraph(Topic.PRACTICE, practice_sentences(settings)),
        paragraph(ComparisonTopic.DEMOGRAPHICS, demographic_sentences(settings.demographics)),
        paragraph(Topic.PAY, pay_sentences(settings.pay, "group that they put in order")),
        paragraph(Topic.DISPLAY, [scaled_sentence(settings, TOGETHER)]),
    )
    return tuple(paragraph_or_none for paragraph_or_none in paragraphs if paragraph_or_none)


def asked_details(settings: RankingFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked, rule = settings.ranking, settings.screening
    size = "one image of each condition"
    if asked.group is not None:
        size = f"{counted(asked.group, 'image')}, each of another condition"
    checked = f"{percent(rule.check_share)} ranked again" if rule.checkers else "none"
    return (
        ("Group", size),
        ("Prompt", "shown above the images" if asked.prompt == "shown" else "not shown"),
        ("Ties", f"an act of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", f"{counted(asked.rankings, 'ranking')} of each group"),
        ("Test", counted(rule.test, "group") if rule.test else "none"),
        ("Cross-checks", checked),
    )


def design_sentences(settings: RankingFile, conditions: Sequence[str]) -> Iterator[str]:
    """Say what was to be ranked, how often and by whom."""
    asked = settings.ranking
    yield (
        f"Images of {evaluated(conditions)} were put in order in groups of one prompt each, after "
        "Wu et al. (2023)."
    )
    yield real_sentence(asked)
    yield from group_sentences(settings)
    yield f"Each group was to be ranked by {counted(asked.rankings, 'evaluator')}."
    yield "In which order the images of a group were shown was drawn for each evaluator."
    yield from drawn_sentences(settings.study)


def group_sentences(settings: RankingFile) -> Iterator[str]:
    """Say what a group was, and how many a prompt had."""
    asked = settings.ranking
    number = counted(asked.images, "group")
    if asked.group is None:
        yield f"A group had one image of each condition; each prompt had {number}."
        return
    yield (
        f"A group had {counted(asked.group, 'image')}, each of another condition, which took turns "
        f"where there were more; each prompt had {number}."
    )


def trial_sentences(settings: RankingFile) -> Iterator[str]:
    """Say what was asked, and how one could answer."""
    asked = settings.ranking
    yield (
        f"An evaluator was to put {counted(asked.blocks, 'block')} of up to "
        f"{counted(asked.groups, 'group')} in order, and was told: “{asked.question}”"
    )
    if asked.prompt == "shown":
        yield "The prompt stood above the images."
    else:
        yield "The prompt was not shown."
    by = "by keys or clicks" if asked.mouse else "by keys"
    yield (
        f"They placed the best image first, then the best of the others, and so on, {by}, could "
        "take each step back, and accepted the order when all images had a place."
    )
    yield "Images could share a place." if asked.ties else "No two images could share a place."
    yield rest_sentence(asked.blocks, breaks=settings.study.breaks)


def screening_sentences(settings: RankingFile) -> Iterator[str]:
    """Say how it was found out who ranked as checkers do, and what followed."""
    rule = settings.screening
    if rule.test:
        too = ", checkers too," if rule.checkers else ""
        groups = counted(rule.test, "group")
        yield f"First everybody{too} ranked {groups} as a test, which was not scored."
    if rule.checkers and rule.check_share:
        yield (
            f"Of each evaluator's groups {percent(rule.check_share)} were to be ranked again by a "
            "checker, who was not scored."
        )
    if rule.min_recall is not None:
        yield (
            f"Evaluators with a recall@2 below {percent(rule.min_recall)} in the test (how often "
            "their first choice was among the checker's first two) were not scored."
        )


def held_out_sentences(settings: RankingFile) -> Iterator[str]:
    """Say what was kept for testing preference models."""
    if share := settings.ranking.held_out:
        yield (
            f"Of the prompts {percent(share)}, drawn at random, were held out for testing "
            "preference models."
        )


def practice_sentences(settings: RankingFile) -> Iterator[str]:
    if number := settings.ranking.practice:
        was = "was" if number == 1 else "were"
        yield f"They began with {counted(number, 'group')} of practice, which {was} not scored."
