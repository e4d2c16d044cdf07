"""The statistics of ratings in words for a paper: what was computed, each with its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hype.judges.report import judge_paragraphs
from hype.protocols.prompted.wording import (
    SIDE_BY_SIDE,
    demographic_sentences,
    drawn_sentences,
    pay_sentences,
    real_sentence,
    rest_sentence,
    scaled_sentence,
)
from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.settings import RatingFile
from hype.protocols.rating.tables import rating_judges
from hype.protocols.rating.trial import YES_NO, Axis
from hype.report.bibliography import Said, said
from hype.statistics.resampling import FEWEST_CLUSTERS
from hype.study.phrases import (
    PARTHASARATHY,
    ComparisonTopic,
    Paragraph,
    Topic,
    counted,
    evaluated,
    listed,
    paragraph,
)

if TYPE_CHECKING:
    from hype.protocols.rating.results import RatingScore

Sentences = tuple[Said, ...]

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


def ratings_said(score: RatingScore) -> tuple[Sentences, ...]:
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


def described_rating(settings: RatingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study of ratings; what it has switched off is not mentioned.

    Parameters
    ----------
    conditions
        What it rates; empty where that is not known.
    """
    pairs = settings.rating.of == "pairs"
    size = SIDE_BY_SIDE if pairs else "to just over half the height of the window"
    found = (
        paragraph(Topic.DESIGN, design_sentences(settings, conditions), PARTHASARATHY),
        paragraph(ComparisonTopic.TRIAL, trial_sentences(settings)),
        paragraph(Topic.PRACTICE, practice_sentences(settings)),
        paragraph(ComparisonTopic.DEMOGRAPHICS, demographic_sentences(settings.demographics)),
        paragraph(Topic.PAY, pay_sentences(settings.pay, "answer")),
        paragraph(Topic.DISPLAY, [scaled_sentence(settings, size)]),
    )
    return tuple(one for one in found if one)


def asked_axes(settings: RatingFile) -> tuple[tuple[str, str, str], ...]:
    """Give the name of each axis, its question, and what could be answered."""
    return tuple(
        (axis.name, axis.question, answers_in_short(settings, axis)) for axis in axes_of(settings)
    )


def answers_in_short(settings: RatingFile, axis: Axis) -> str:
    """Say how an axis was answered."""
    texts = settings.texts
    if settings.rating.of == "pairs":
        number = counted(settings.rating.levels, "level")
        said = f"{number} from “{texts.left_much}” to “{texts.right_much}”"
    elif axis.levels == YES_NO:
        said = f"“{texts.answer_yes}” or “{texts.answer_no}”"
    else:
        said = f"{axis.levels[0]} to {axis.levels[-1]}"
    return f"{said}, or “{texts.not_relevant}”" if axis.optional else said


def asked_details(settings: RatingFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the questions, as names and values."""
    asked = settings.rating
    above = "images" if asked.of == "pairs" else "image"
    return (
        ("Prompt", f"shown above the {above}" if asked.prompt == "shown" else "not shown"),
        ("Order of axes", "the same for everybody" if asked.axis_order == "fixed" else "random"),
        ("Design", design_in_short(settings)),
    )


def design_in_short(settings: RatingFile) -> str:
    """Name the design."""
    asked = settings.rating
    what = "all pairs" if asked.of == "pairs" else "single images"
    images = counted(asked.images, "image")
    return f"{what}, {images} of each condition and prompt, {counted(asked.ratings, 'rating')} each"


def design_sentences(settings: RatingFile, conditions: Sequence[str]) -> Iterator[str]:
    """Say what was to be rated, how often and by whom."""
    asked = settings.rating
    pairs = asked.of == "pairs"
    number = counted(len(settings.axis_names), "axis", "axes")
    how = "in pairs" if pairs else "one at a time"
    yield (
        f"Images of {evaluated(conditions)} were rated {how} on {number}, after Parthasarathy et "
        "al. (2025)."
    )
    yield real_sentence(asked)
    met = ", each of which met every image of the other conditions" if pairs else ""
    item = "pair" if pairs else "image"
    yield (
        f"Of each prompt {counted(asked.images, 'image')} of each condition took part{met}; each "
        f"{item} was to be rated by {counted(asked.ratings, 'evaluator')}."
    )
    if pairs:
        yield (
            "Which image was on which side was drawn at random, so that of each evaluator's pairs "
            "of two conditions each was on the left in half, to within one."
        )
    yield from drawn_sentences(settings.study)


def trial_sentences(settings: RatingFile) -> Iterator[str]:
    """Say what was asked, and what was seen meanwhile."""
    asked = settings.rating
    axes = axes_of(settings)
    item = "pair" if asked.of == "pairs" else "image"
    questions = listed([f"{axis.name} (“{axis.question}”)" for axis in axes])
    yield (
        f"An evaluator was to rate {counted(asked.blocks, 'block')} of up to "
        f"{counted(asked.items, item)}, each on one axis after the other: {questions}."
    )
    if asked.axis_order == "random":
        yield "The order of the axes was drawn for each evaluator."
    yield (
        "The prompt was not shown."
        if asked.prompt == "hidden"
        else (f"The prompt stood above the {'images' if item == 'pair' else 'image'}.")
    )
    by = "by a key or a click" if asked.mouse else "by a key"
    yield f"{answer_sentence(settings, axes)}, {by}."
    if optional := [axis.name for axis in axes if axis.optional]:
        on = "" if len(optional) == len(axes) else f" on {listed(optional)}"
        yield (
            f"They could also say{on} that the question did not apply "
            f"(“{settings.texts.not_relevant}”), which counts as a missing answer."
        )
    yield rest_sentence(asked.blocks, breaks=settings.study.breaks)


def answer_sentence(settings: RatingFile, axes: Sequence[Axis]) -> str:
    """Say how one could answer."""
    texts = settings.texts
    if settings.rating.of == "pairs":
        return (
            f"They chose one of {counted(settings.rating.levels, 'level')} from "
            f"“{texts.left_much}” to “{texts.right_much}”, with “{texts.equal}” in the middle"
        )
    whether = [axis.name for axis in axes if axis.levels == YES_NO]
    scales = [
        f"{axis.name} from {axis.levels[0]} to {axis.levels[-1]}"
        for axis in axes
        if axis.levels != YES_NO
    ]
    said = [f"{listed(whether)} by yes or no"] if whether else []
    return f"They answered {listed([*said, *scales])}"


def practice_sentences(settings: RatingFile) -> Iterator[str]:
    """Say what was practised."""
    if number := settings.rating.practice:
        item = "pair" if settings.rating.of == "pairs" else "image"
        was = "was" if number == 1 else "were"
        yield (
            f"Before the first block they practised on {counted(number, item)}, which {was} not "
            "scored."
        )
