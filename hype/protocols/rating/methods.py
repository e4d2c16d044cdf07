"""The statistics of ratings in words for a paper: what was computed, each with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.judges.report import judge_paragraphs
from hype.protocols.rating.tables_of_axes import rating_judges
from hype.report.bibliography import Said, said
from hype.statistics.jackknife import FEWEST_CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.protocols.rating.results import RatingScore

Paragraph = tuple[Said, ...]

_TIES: Final = {
    "davidson": "alike was a tie, which is a part of the model ({Davidson1970})",
    "half": "alike counted as half a win to either",
    "none": "alike was not counted",
}
_LEVELS: Final = {
    "ordinal": "values being as far apart as there are values between them",
    "interval": "values being as far apart as their difference",
    "nominal": "values being the same or not",
}


def ratings_said(score: RatingScore) -> tuple[Paragraph, ...]:
    """Write the paragraphs on conditions, axes, agreement, and on judges."""
    paragraphs = (
        tuple(_conditions(score)),
        tuple(_axes(score)),
        tuple(_beside(score)),
        *judge_paragraphs(rating_judges(score)),
    )
    return tuple(paragraph for paragraph in paragraphs if paragraph)


def _conditions(score: RatingScore) -> Iterator[Said]:
    if score.what == "images":
        yield said(
            "Single images were rated axis by axis ({Parthasarathy2025}); conditions are scored by "
            "their mean number, or by their share of yes."
        )
    else:
        yield from _strengths(score)
    relevant = any(axis.not_relevant for axis in score.axes)
    if relevant:
        yield said("Answers that an axis is not relevant were missing, and in no figure.")
    yield said(_intervals(score), confidence=score.confidence)


def _strengths(score: RatingScore) -> Iterator[Said]:
    levels = score.scale.levels
    yield said(
        "Pairs were rated axis by axis ({Parthasarathy2025}). On each axis, the strengths of "
        "conditions are maximum-likelihood estimates of Bradley and Terry's model "
        "({BradleyTerry1952}) of which image was called better, however much; "
        f"{_TIES[score.ties]}. On Elo's scale ({{Elo1978}}) 400 points are odds of 10 to 1, and the"
        " mean is 1000."
    )
    drawn = next((axis.bootstrap for axis in score.axes if axis.bootstrap), None)
    if drawn:
        yield said(
            "Their {confidence:.0%} intervals are percentiles of {draws:,} bootstrap draws of "
            "{unit} ({Efron1979}), seed {seed}.",
            confidence=score.confidence,
            draws=drawn.draws,
            unit=drawn.unit,
            seed=drawn.seed,
        )
    yield said(
        "Mean ratings count the {levels} levels from {most} to −{most}, to the first image's "
        "condition as they are and to the second's with the opposite sign.",
        levels=levels,
        most=(levels - 1) // 2,
    )


def _intervals(score: RatingScore) -> str:
    what = "Intervals of means" if score.what == "pairs" else "Intervals"
    if score.evaluators is None or score.evaluators < FEWEST_CLUSTERS:
        return f"{what} ({{confidence:.0%}}) take every rating for independent of all others."
    wilson = any(axis.kind == "yes-no" for axis in score.axes)
    also = ", and those of shares are never narrower than Wilson's ({Wilson1927})" * wilson
    return (
        f"{what} ({{confidence:.0%}}) are by the jackknife over evaluators ({{Miller1974}}), who "
        f"are the independent units{also}."
    )


def _axes(score: RatingScore) -> Iterator[Said]:
    if score.correlations is not None:
        spread = (
            "by the jackknife over evaluators on Fisher's scale ({Fisher1921})"
            if score.correlations.matrix.clusters
            else "Fisher's ({Fisher1921})"
        )
        yield said(
            "Correlations between axes are Pearson's, of what one person said of one item on both; "
            f"intervals are {spread}."
        )
    units = {alpha.unit for axis in score.axes for alpha in axis.alphas}
    if units:
        yield said(
            "Agreement on each axis is Krippendorff's α ({Krippendorff2011}), {level}.",
            level=_LEVELS[score.level],
        )
    if "conditions" in units:
        yield said(
            "Over conditions ({Parthasarathy2025}) its units are the conditions, so that it says "
            "how far people agree on these and not on images."
        )
    if "items" in units:
        what = "pairs" if score.what == "pairs" else "images"
        yield said(f"Over items its units are the {what} that several people rated.")
    if any(axis.truth for axis in score.axes):
        yield said(
            "Answers were held against what is right by accuracy, of yes and no, or by Pearson's "
            "r, of numbers."
        )


def _beside(score: RatingScore) -> Iterator[Said]:
    if score.leaderboard is not None:
        yield said(
            "Conditions stand beside the leaderboard by Pearson's r, with Fisher's interval "
            "({Fisher1921}), and by Spearman's ({Spearman1904}), with one on the same scale "
            "({BonettWright2000}); the units of both are the conditions."
        )
