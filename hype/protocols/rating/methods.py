"""What was run and computed, in words for a paper; the words are in design.txt, statistics.txt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.tables import rating_judges
from hype.protocols.rating.trial import YES_NO, Axis
from hype.report.methods import Paragraph, paragraphs_of
from hype.study.phrases import counted, listed

if TYPE_CHECKING:
    from hype.protocols.rating.results import RatingScore
    from hype.protocols.rating.settings import RatingFile

FOLDER: Final = Path(__file__).parent


def statistics_in_words(score: RatingScore) -> tuple[Paragraph, ...]:
    """Write what was computed."""
    judges = rating_judges(score)
    each_judge = judges.judges if judges else ()
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        judges=judges,
        not_relevant=any(axis.not_relevant for axis in score.axes),
        strong=any(row.strength for axis in score.axes for row in axis.strengths),
        of_two=score.what == "pairs",
        tested=any(pair.verdict for axis in score.axes for pair in axis.pairs),
        yes_no=any(axis.kind == "yes-no" for axis in score.axes),
        units_of_agreement={alpha.unit for axis in score.axes for alpha in axis.alphas},
        truths=any(axis.truth for axis in score.axes),
        shapes={judge.shape for judge in each_judge},
        second_persons=judges is not None and any(person.r for person in judges.people),
        matrices=any(judge.matrix for judge in each_judge),
        positions=any(judge.position for judge in each_judge),
    )


def design_in_words(settings: RatingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty where they are not known."""
    axes = axes_of(settings)
    return paragraphs_of(
        FOLDER / "design.txt",
        settings=settings,
        conditions=conditions,
        axes=axes,
        questions=[f"{axis.name} (“{axis.question}”)" for axis in axes],
        kinds_of_answers=list(_kinds_of_answers(axes)),
        optional=[axis.name for axis in axes if axis.optional],
    )


def _kinds_of_answers(axes: Sequence[Axis]) -> Iterator[str]:
    """Say for single images how each axis was answered."""
    whether = [axis.name for axis in axes if axis.levels == YES_NO]
    if whether:
        yield f"{listed(whether)} by yes or no"
    for axis in axes:
        if axis.levels != YES_NO:
            yield f"{axis.name} from {axis.levels[0]} to {axis.levels[-1]}"


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
