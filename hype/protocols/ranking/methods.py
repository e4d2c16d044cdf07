"""The statistics of rankings in words for a paper: what was computed, each with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.protocols.ranking.tables import models_of
from hype.report.bibliography import Said, said

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from hype.judges.preference_results import RankingJudgesScore
    from hype.protocols.ranking.results import RankingScore

Paragraph = tuple[Said, ...]

_TIES: Final = {
    "davidson": "In Bradley and Terry's model ties are a part of it ({Davidson1970}), and in win "
    "rates half a win to either.",
    "half": "In Bradley and Terry's model and in win rates a tie is half a win to either.",
    "none": "In Bradley and Terry's model and in win rates ties are not counted.",
}


def rankings_said(score: RankingScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
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
    found = score.bootstrap
    if found is None or not strong:
        return
    yield said(
        "{confidence:.0%} intervals of Plackett and Luce's strengths are by the sandwich's "
        "standard errors ({White1982}), with {unit} as the independent units ({LiangZeger1986}) "
        "and Student's distribution; those of Bradley and Terry's, and the ranks left open, are "
        "percentiles of {draws:,} bootstrap draws of {unit} ({Efron1979}), seed {seed}.",
        confidence=score.confidence,
        unit=found.unit,
        draws=found.draws,
        seed=found.seed,
    )


def _rates(score: RankingScore) -> Iterator[Said]:
    found = score.bootstrap
    if found is None:
        return
    yield said(
        "Mean ranks, shares of first places and win rates are ratios of sums over {unit}, with "
        "their linearised standard errors ({Cochran1977}), those of shares on the scale of "
        "log-odds.",
        unit=found.unit,
    )
    if any(pair.p is not None for pair in score.pairs):
        more = ", with Holm's rule over all pairs ({Holm1979})" if len(score.pairs) > 1 else ""
        yield said(
            "Whether one of two conditions was put above the other more often was tested by the "
            "two-sided sign-flip test with {unit} as the independent units "
            f"({{Fisher1935}}){more}"
            ", at α = {alpha:g}.",
            unit=found.unit,
            alpha=score.alpha,
        )


def _agreement(score: RankingScore) -> Iterator[Said]:
    found = score.agreement
    if found is None:
        return
    yield said(
        "Agreement is counted over pairs of images that two people or more ranked ({Wu2023}): how "
        "often two of them put the same image first, and how often one puts first what has the "
        "better mean rank of all others. A tie counts half."
    )
    if found.single_single.low is not None:
        yield said(
            "Its intervals are the jackknife's ({Efron1982}) over groups of images and over "
            "evaluators at once ({Cameron2011})."
        )
    if found.alpha.alpha is not None:
        yield said("Krippendorff's α ({Krippendorff2011}) is that of ordinal data.")
    if found.difference_correlation is not None:
        yield said("ρ is Spearman's rank correlation ({Spearman1904}).")


def _screening(score: RankingScore) -> Iterator[Said]:
    found = score.screening
    if found is None:
        return
    yield said(
        "Evaluators were held against checkers by recall@2 ({Wu2023}): how often their first "
        "choice is among a checker's first two, with Wilson's interval ({Wilson1927})."
    )
    if found.min_recall is not None:
        yield said(
            "Whoever was below {bound:.0%} was not scored, a bound that the study had fixed.",
            bound=found.min_recall,
        )


def _models(models: RankingJudgesScore) -> Iterator[Said]:
    held = ", of rankings that were held out of training," if models.held_out else ""
    yield said(
        f"A preference model is right in a person's choice between two images{held} where the one "
        "that was chosen has the higher score ({Wu2023}); equal scores are half right. Intervals "
        "know evaluators and groups of images as the independent units ({Cameron2011})."
    )
    if any(pair.p_holm is not None for one in models.judges for pair in one.pairs):
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
