"""What the page says of rankings, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report import ranking_wording as said
from hype.report.page.parts import Findings, Folded, Part, PartMaker, Section, gathered
from hype.report.page.preference_parts import model_parts
from hype.report.page.ranked_images import image_table
from hype.report.page.ranking_squares import agreement_square, win_square
from hype.report.page.share_square import MOST_SQUARE, no_square
from hype.report.page.typeset import heading
from hype.report.tables import ranking_tables
from hype.report.tables.ranking_catalogue import models_of, shown_pairs
from hype.report.tables.ranking_screening import screening
from hype.report.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hype.analysis.rankings.image_places import ImageEnds
    from hype.analysis.rankings.scores import RankingScore
    from hype.report.page.asked import Asked
    from hype.report.page.page_figures import PageFigure
    from hype.report.page.parts import Block
    from hype.report.page.ranked_images import RankedImages

KEY: Final = "ranking"
MEANING: Final = (
    "The images of a group in order. A strength says how likely an image of a condition is the "
    "first of any set; a ranking of n images is n(n − 1)/2 comparisons."
)
_ORDER: Final = (
    "asked",
    "registered",
    "strengths",
    "places",
    "pairs",
    "agreement",
    "models",
    "benchmark",
    "images",
    "screening",
)
_TITLES: Final = {
    "asked": "What was asked",
    "registered": "What was fixed beforehand",
    "strengths": "Ranking",
    "places": "Where images came",
    "pairs": "Which of two",
    "agreement": "Do people agree?",
    "models": "Preference models beside people",
    "benchmark": "Benchmark by preference models",
    "images": "Images most often first, and last",
    "screening": "Screening: annotators beside checkers",
}


def ranking_section(
    score: RankingScore,
    figures: Iterable[PageFigure],
    *,
    asked: Asked | None,
    registered: Sequence[str],
    ends: Sequence[ImageEnds],
    shown: RankedImages,
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
        _part("asked", sentences=said.asked_sentences(score), blocks=_asked(score, asked)),
        *([_part("registered", sentences=registered)] if registered else []),
        _strengths(score),
        *_pairs(score),
        *_agreement(score),
        *_models(score),
        *map(_part.of_figure, figures),
        *_places(score),
        *_images(ends, shown),
        *_screening(score),
    )
    return Section(
        key=KEY, title=heading("Rankings"), meaning=MEANING, parts=gathered(parts, KEY, _ORDER)
    )


_part: Final = PartMaker(protocol=KEY, titles=_TITLES)


def _asked(score: RankingScore, asked: Asked | None) -> tuple[Block, ...]:
    groups = Folded(summary="Groups by their size", table=ranking_tables.sizes(score))
    return (*([asked] if asked else []), *([groups] if len(score.sizes) > 1 else []))


def _strengths(score: RankingScore) -> Part:
    problems = tuple(map(sentence, (*score.fit.problems, *score.fit.bt_problems)))
    found = Findings(
        sentences=tuple(said.rank_sentences(score)),
        notes=tuple(dict.fromkeys((*problems, *score.notes))),
    )
    every = Folded(summary="Every strength and interval", table=ranking_tables.strengths(score))
    return _part("strengths", table=ranking_tables.ranking(score), blocks=(found, every))


def _places(score: RankingScore) -> Iterator[Part]:
    table = ranking_tables.places(score)
    yield _part("places", blocks=(Folded(summary="In numbers, with intervals", table=table),))


def _pairs(score: RankingScore) -> Iterator[Part]:
    if not score.pairs:
        return
    square = win_square(score)
    some = shown_pairs(score)
    every = len(some) == len(score.pairs)
    summary = "Every pair in a table" if every else "Each condition and the next one, in a table"
    folded = Folded(summary=summary, table=ranking_tables.pairs(score, some))
    none = [] if square else [no_square(len(score.conditions))]
    yield _part(
        "pairs",
        sentences=(*said.pair_sentences(score), *none),
        blocks=(*([square] if square else []), folded),
    )


def _agreement(score: RankingScore) -> Iterator[Part]:
    found = score.agreement
    if found is None:
        return
    square = agreement_square(score)
    table = ranking_tables.pair_agreement(score)
    told = len(table.rows) <= MOST_SQUARE
    folded = [Folded(summary="Every pair of conditions in a table", table=table)] if told else []
    yield _part(
        "agreement",
        sentences=(said.shared_groups_sentence(found), *said.alpha_sentences(found)),
        table=ranking_tables.agreement(score),
        blocks=(*([square] if square else []), *folded),
    )


def _models(score: RankingScore) -> Iterator[Part]:
    models = models_of(score)
    if models is not None:
        yield from (
            _part(name, sentences=sentences, table=table, blocks=blocks)
            for name, sentences, table, blocks in model_parts(score, models)
        )


def _images(ends: Sequence[ImageEnds], shown: RankedImages) -> Iterator[Part]:
    """Show the images at either end; without any picture a table of names says it shorter."""
    if shown.pictured:
        yield _part("images", blocks=(shown,))
    elif ends:
        yield _part("images", table=image_table(ends))


def _screening(score: RankingScore) -> Iterator[Part]:
    if score.screening is not None:
        table = screening(score)
        yield _part(
            "screening",
            sentences=said.screening_sentences(score.screening),
            blocks=(Folded(summary="Evaluator by evaluator", table=table),),
        )
