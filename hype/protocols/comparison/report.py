"""The report on comparisons: from a score and its votes to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.protocols.comparison import tables as comparison_people
from hype.protocols.comparison import tables as comparison_tables
from hype.protocols.comparison import wording as said
from hype.protocols.comparison.figures import comparison_drawings
from hype.protocols.comparison.methods import comparisons_said
from hype.protocols.comparison.preferred import image_table, preferred
from hype.protocols.comparison.tables import shown_pairs, win_matrix
from hype.protocols.prompted.report import MOST_SQUARE, AskedQuestion, no_square
from hype.protocols.prompted.wording import few, listed, on_top
from hype.report import wording
from hype.report.methods import methods_of
from hype.report.page import Page, excluded_by_reason, page_figure, write_page
from hype.report.parts import (
    Findings,
    Folded,
    Part,
    PartMaker,
    Section,
    gathered,
    heading,
    no_picture,
)
from hype.report.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from hype.protocols.comparison.images import PromptEnds
    from hype.protocols.comparison.preferred import Preferred
    from hype.protocols.comparison.results import PairResult, PairwiseDetails, PairwiseScore
    from hype.report.page import PageFigure
    from hype.report.parts import Background, Fact, Pictured

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
    asked: AskedQuestion | None,
    registered: Sequence[str],
    ends: Sequence[PromptEnds],
    shown: Preferred,
) -> Section:
    """Put together what there is to say.

    ``ends``, ``shown``: the images at either end of some prompts, and the same with their pictures.
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
    findings = Findings(sentences=sentences, notes=(*problems, *score.notes))
    return _part("ranking", table=comparison_tables.ranking(score), blocks=(findings,))


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
    cautions = [f"{pair.a} over {pair.b}: {pair.said}" for pair in score.pairs if pair.said]
    if not cautions:
        return
    more = len(cautions) - MOST_CAUTIONS
    where = "the table of tests" if len(score.pairs) <= MOST_TESTS else "hype report --tables"
    rest = [f"The like is to be said of {more:,} more: {where} has them."] if more > 0 else []
    yield Findings(sentences=(), notes=(*cautions[:MOST_CAUTIONS], *rest))


def _evaluators(score: PairwiseScore) -> Iterator[Part]:
    sentences = tuple(said.agreement_sentences(score))
    if not sentences:
        return
    table = comparison_people.camps(score)
    folded = (Folded(summary="How evaluators differ, pair by pair", table=table),)
    is_shown = table.says_something and len(table.rows) <= MOST_SQUARE
    yield _part("evaluators", sentences=sentences, blocks=folded if is_shown else ())


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
    validation = score.validation
    if validation is not None and validation.hasty is not None:
        answers = sum(row.comparisons for row in validation.evaluators)
        share = f" ({validation.hasty / answers:.1%})" if answers else ""
        yield _part(
            "response-times",
            sentences=(
                f"Of {answers:,} answers, those to comparisons with an obvious answer among them, "
                f"{validation.hasty:,}{share} came faster than the study's minimum time.",
            ),
        )


def _validation(score: PairwiseScore) -> Iterator[Part]:
    validation = score.validation
    if validation is None or not validation.shown:
        return
    table = comparison_people.validation(score)
    named = (
        [f"Not scored for failing it: {listed(validation.failed)}."] if validation.failed else []
    )
    folded = Folded(summary="Evaluator by evaluator", table=table)
    yield _part("validation", sentences=(validation.said, *named), blocks=(folded,))


def _demographics(score: PairwiseScore) -> Iterator[Part]:
    if score.demographics:
        table = comparison_people.demographics(score)
        sentences = (one.said for one in score.demographics)
        folded = (Folded(summary="In numbers", table=table),) if table.rows else ()
        yield _part("demographics", sentences=sentences, blocks=folded)


def comparison_facts(score: PairwiseScore, background: Background | None) -> tuple[Fact, ...]:
    """Say who is on top and how sure that is, of how many, and what was fixed before."""
    return (*_found(score), *_counted(score), *(background.facts if background else ()))


def _found(score: PairwiseScore) -> Iterator[Fact]:
    if score.fit.unbeaten:
        yield "Never lost, so without a strength", few(score.fit.unbeaten)
    yield _top(score)
    pair = leading_pair(score)
    if pair is not None:
        ends = _together(wording.interval(_percent(pair.ci_low), _percent(pair.ci_high), 0))
        yield f"{pair.a} over {pair.b}", f"{wording.share(pair.win_rate)} ({ends})"
    agreement = score.agreement
    if agreement is not None and agreement.alpha is not None:
        ends = _together(wording.interval(agreement.ci_low, agreement.ci_high, 2))
        shown = wording.number(agreement.alpha, 2)
        has_interval = agreement.ci_low is not None
        yield "Agreement, Krippendorff's α", f"{shown} ({ends})" if has_interval else shown


def _together(ends: str) -> str:
    """Write an interval without spaces, so that it stays on one line."""
    return ends.replace(" ", "")


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def leading_pair(score: PairwiseScore) -> PairResult | None:
    """Give the pair of the two at the top, where both have a strength and met."""
    strong = [row.condition for row in score.conditions if row.strength is not None][:2]
    return next((pair for pair in score.pairs if [pair.a, pair.b] == strong), None)


def _top(score: PairwiseScore) -> Fact:
    """Name whoever may be the first: what resampling leaves open is not decided here."""
    if score.sequential is not None and score.sequential.reached:
        first = score.sequential.top or (score.sequential.order or ("",))[0]
        return "On top, by the stopping rule", first
    return on_top(score.conditions)


def _counted(score: PairwiseScore) -> Iterator[Fact]:
    yield "Conditions", f"{len(score.conditions):,}"
    if score.evaluators is not None:
        yield "Simulated evaluators" if score.simulated else "Evaluators", f"{score.evaluators:,}"
    yield "Comparisons", f"{score.comparisons:,}"
    if score.sequential is not None:  # an arena gives most votes to the pairs that matter
        return
    if score.plan is not None and score.plan.needed is not None and score.pairs:
        least = min(pair.wins_a + pair.wins_b for pair in score.pairs)
        yield "Comparisons of a pair, at least", f"{least:,} ({score.plan.needed:,} needed)"


EYEBROW: Final = "Comparisons: which of two"
STYLES: Final = ("comparison.css",)
NOTHING_EXCLUDED: Final = "Nothing was excluded: all comparisons were scored."


def write_comparison_report(
    score: PairwiseScore,
    out: Path,
    *,
    details: PairwiseDetails,
    title: str,
    provenance: Mapping[str, str],
    background: Background | None = None,
    asked: AskedQuestion | None = None,
    registered: Sequence[str] = (),
    pictured: Pictured | None = None,
) -> Path:
    """Write the report on comparisons.

    ``out``: the HTML file to write. It appears whole or not at all. ``details``: what is shown
    beside it; both as `hype.protocols.comparison.scoring.score_in_detail` returns them.
    ``provenance``: what the figures come from (study, seed, versions, software), shown in this
    order. ``background``: what was run, and on whom; None for tables from elsewhere. ``asked``:
    what the evaluators were asked; None where that is not known but for the score's criterion.
    ``pictured``: gives an image, by its name, as a ``data:`` address with its width and height in
    px; None where it has none. Without it images are named. The same input gives the same bytes.

    Raises
    ------
    InputError
        `out` cannot be written.
    """
    section = _section(score, details, asked, registered, pictured or no_picture)
    page = Page(
        title=title,
        eyebrow=EYEBROW,
        simulated=score.simulated,
        facts=comparison_facts(score, background),
        background=background,
        sections=(section,),
        excluded=excluded_by_reason(comparison_people.left_out(score), NOTHING_EXCLUDED),
        methods=methods_of(
            comparisons_said(score, drawn=_drawn(section)),
            background=background,
            programs=provenance,
        ),
        provenance=dict(provenance),
        styles=STYLES,
    )
    return write_page(page, out)


def _section(
    score: PairwiseScore,
    details: PairwiseDetails,
    asked: AskedQuestion | None,
    registered: Sequence[str],
    pictured: Pictured,
) -> Section:
    if asked is None and score.criterion:
        asked = AskedQuestion(question=score.criterion)
    return comparison_section(
        score,
        map(page_figure, comparison_drawings(score, details)),
        asked=asked,
        registered=registered,
        ends=details.images,
        shown=preferred(details.images, pictured),
    )


def _drawn(section: Section) -> frozenset[str]:
    return frozenset(part.key for part in section.parts)
