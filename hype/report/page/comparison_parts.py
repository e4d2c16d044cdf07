"""What the page says of comparisons, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report import comparison_wording as said
from hype.report.open_ranks import listed
from hype.report.page.parts import Findings, Folded, Part, PartMaker, Section, gathered
from hype.report.page.preferred import image_table
from hype.report.page.share_square import MOST_SQUARE, no_square
from hype.report.page.typeset import heading
from hype.report.page.win_matrix import win_matrix
from hype.report.tables import comparison_people, comparison_tables
from hype.report.tables.comparison_catalogue import shown_pairs
from hype.report.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hype.analysis.pairwise.image_wins import PromptEnds
    from hype.analysis.pairwise.scores import PairwiseScore
    from hype.report.page.asked import Asked
    from hype.report.page.page_figures import PageFigure
    from hype.report.page.preferred import Preferred

KEY: Final = "comparison"
MEANING: Final = (
    "Which of two images was chosen. A strength says how likely a condition is chosen over another "
    "one; where all are alike, every win rate is 50%."
)
_ORDER: Final = (
    "asked",
    "registered",
    "ranking",
    "pairs",
    "evaluators",
    "course",
    "leading-pair",
    "images",
    "sides",
    "response-times",
    "validation",
    "demographics",
)
"""Parts that have a place; the others follow."""
_TITLES: Final = {
    "asked": "What was asked",
    "registered": "What was fixed beforehand",
    "ranking": "Ranking",
    "pairs": "Which of two",
    "evaluators": "Do evaluators agree?",
    "course": "The course of the arena",
    "leading-pair": "The two at the top, vote by vote",
    "images": "Images chosen most, and least",
    "sides": "Did the side matter?",
    "response-times": "Answer times",
    "validation": "Comparisons with an obvious answer",
    "demographics": "Who the evaluators are",
}
MOST_CAUTIONS: Final = 3
MOST_TESTS: Final = 190
"""Pairs of whose tests the page lists all."""


def comparison_section(
    score: PairwiseScore,
    figures: Iterable[PageFigure],
    *,
    asked: Asked | None,
    registered: Sequence[str],
    ends: Sequence[PromptEnds],
    shown: Preferred,
) -> Section:
    """Put together what there is to say.

    Parameters
    ----------
    score
        What was scored.
    figures
        Those that have their data.
    asked
        What the evaluators were asked, where that is known.
    registered
        Sentences on what was fixed before anybody came.
    ends, shown
        The images at either end of some prompts, and the same with their pictures.
    """
    parts = (
        *([_part("asked", blocks=(asked,))] if asked else []),
        *([_part("registered", sentences=registered)] if registered else []),
        _ranking(score),
        *_pairs(score),
        *_evaluators(score),
        *map(_part.of_figure, figures),
        *_images(ends, shown),
        _sides(score),
        *_times(score),
        *_validation(score),
        *_demographics(score),
    )
    return Section(
        key=KEY,
        title=heading("Comparisons"),
        meaning=MEANING,
        parts=gathered(parts, KEY, _ORDER),
    )


_part: Final = PartMaker(protocol=KEY, titles=_TITLES)


def _ranking(score: PairwiseScore) -> Part:
    arena = (score.sequential.said,) if score.sequential else ()
    sentences = (
        *said.rank_sentences(score),
        *arena,
        *filter(None, [said.plan_sentence(score)]),
    )
    problems = tuple(sentence(problem) for problem in score.fit.problems)
    found = Findings(sentences=sentences, notes=(*problems, *score.notes))
    return _part("ranking", table=comparison_tables.ranking(score), blocks=(found,))


def _pairs(score: PairwiseScore) -> Iterator[Part]:
    if not score.pairs:
        return
    matrix = win_matrix(score)
    every = len(score.pairs) <= MOST_SQUARE
    table = comparison_tables.pairs(score, None if every else shown_pairs(score))
    yield _part(
        "pairs",
        sentences=(
            *_separable(score),
            *([] if matrix else [no_square(len(score.conditions))]),
        ),
        blocks=(
            *([matrix] if matrix else []),
            Folded(summary=_summary(every=every), table=table),
            *_tests(score),
            *_cautions(score),
        ),
    )


def _summary(*, every: bool) -> str:
    return "Every pair in a table" if every else "Each condition and the next one, in a table"


def _separable(score: PairwiseScore) -> tuple[str, ...]:
    """Say how many pairs are separable, without the cautions, which have a place of their own."""
    return tuple(said.pair_sentences(score))[:1]


def _tests(score: PairwiseScore) -> Iterator[Folded]:
    if len(score.pairs) <= MOST_TESTS:
        table = comparison_tables.every_test(score)
        yield Folded(summary="Every test, and what must be said with it", table=table)


def _cautions(score: PairwiseScore) -> Iterator[Findings]:
    told = [f"{pair.a} over {pair.b}: {pair.said}" for pair in score.pairs if pair.said]
    if not told:
        return
    more = len(told) - MOST_CAUTIONS
    where = "the table of tests" if len(score.pairs) <= MOST_TESTS else "hype report --tables"
    rest = [f"The like is to be said of {more:,} more: {where} has them."] if more > 0 else []
    yield Findings(sentences=(), notes=(*told[:MOST_CAUTIONS], *rest))


def _evaluators(score: PairwiseScore) -> Iterator[Part]:
    sentences = tuple(said.agreement_sentences(score))
    if not sentences:
        return
    table = comparison_people.camps(score)
    folded = (Folded(summary="How evaluators differ, pair by pair", table=table),)
    told = table.says_something and len(table.rows) <= MOST_SQUARE
    yield _part("evaluators", sentences=sentences, blocks=folded if told else ())


def _images(ends: Sequence[PromptEnds], shown: Preferred) -> Iterator[Part]:
    """Show the images at either end; without any picture a table of names says it shorter."""
    if shown.pictured:
        yield _part("images", blocks=(shown,))
    elif ends:
        yield _part("images", table=image_table(ends))


def _sides(score: PairwiseScore) -> Part:
    table = comparison_people.sides(score)
    return _part("sides", sentences=(score.sides.said,), table=table)


def _times(score: PairwiseScore) -> Iterator[Part]:
    found = score.validation
    if found is not None and found.hasty is not None:
        answers = sum(row.comparisons for row in found.evaluators)
        share = f" ({found.hasty / answers:.1%})" if answers else ""
        yield _part(
            "response-times",
            sentences=(
                f"Of {answers:,} answers, those to comparisons with an obvious answer among them, "
                f"{found.hasty:,}{share} came faster than the study's minimum time.",
            ),
        )


def _validation(score: PairwiseScore) -> Iterator[Part]:
    found = score.validation
    if found is None or not found.shown:
        return
    table = comparison_people.validation(score)
    named = [f"Not scored for failing it: {listed(found.failed)}."] if found.failed else []
    folded = Folded(summary="Evaluator by evaluator", table=table)
    yield _part("validation", sentences=(found.said, *named), blocks=(folded,))


def _demographics(score: PairwiseScore) -> Iterator[Part]:
    if score.demographics:
        table = comparison_people.demographics(score)
        sentences = (one.said for one in score.demographics)
        folded = (Folded(summary="In numbers", table=table),) if table.rows else ()
        yield _part("demographics", sentences=sentences, blocks=folded)
