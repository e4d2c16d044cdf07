"""The report on rankings: from a score and its rows to a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from hype.judges.report import model_parts
from hype.protocols.prompted.report import MOST_SQUARE, no_square
from hype.protocols.prompted.results import FAKES
from hype.protocols.prompted.wording import few, on_top
from hype.protocols.ranking import tables as ranking_tables
from hype.protocols.ranking import wording as said
from hype.protocols.ranking.figures import ranking_drawings
from hype.protocols.ranking.methods import ranking_paragraphs
from hype.protocols.ranking.tables import (
    agreement_square,
    models_of,
    screening,
    shown_pairs,
    win_square,
)
from hype.report import wording
from hype.report.methods import methods_of
from hype.report.page import Page, excluded_by_reason, page_figure, write_page
from hype.report.parts import (
    Block,
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

    from hype.protocols.prompted.report import AskedQuestion
    from hype.protocols.ranking.results import ImageEnds, ImagePlaces, RankingScore
    from hype.report.page import PageFigure
    from hype.report.parts import Background, Fact, Pictured


@dataclass(frozen=True, kw_only=True)
class RankedImage:
    """One image, and how often it came first or last.

    ``name``, ``condition``: what to call it, and what made it. ``end``, ``often``: first or last,
    and how often, such as "8 of 10". ``uri``: a data URI of a small copy; None where there is no
    picture. ``width_px``, ``height_px``: size of the copy; 0 without one.
    """

    name: str
    condition: str
    end: str
    often: str
    uri: str | None
    width_px: int
    height_px: int

    @property
    def alt(self) -> str:
        return f"{self.name} of {self.condition}, {self.end} in {self.often}"


@dataclass(frozen=True, kw_only=True)
class RankedPrompt:
    """The images of one prompt at either end, the extreme one first."""

    prompt: str
    first: tuple[RankedImage, ...]
    last: tuple[RankedImage, ...]


@dataclass(frozen=True, kw_only=True)
class RankedImages(Block):
    """The images of several prompts at either end."""

    template: ClassVar[str] = "ranked_images.html"

    prompts: tuple[RankedPrompt, ...]

    @property
    def pictured(self) -> bool:
        return any(image.uri for prompt in self.prompts for image in (*prompt.first, *prompt.last))


def named_images(ends: Sequence[ImageEnds]) -> tuple[str, ...]:
    return tuple(image.image for end in ends for image in (*end.first, *end.last))


def ranked_images(ends: Sequence[ImageEnds], pictured: Pictured) -> RankedImages:
    """Add the pictures."""
    return RankedImages(
        prompts=tuple(
            RankedPrompt(
                prompt=end.prompt,
                first=tuple(
                    _pictured(image, "first", image.first, pictured) for image in end.first
                ),
                last=tuple(_pictured(image, "last", image.last, pictured) for image in end.last),
            )
            for end in ends
        )
    )


def _pictured(image: ImagePlaces, end: str, times: float, pictured: Pictured) -> RankedImage:
    uri, width_px, height_px = pictured(image.image) or (None, 0, 0)
    shown = f"{times:,.0f}" if times == round(times) else wording.number(times, 1)
    return RankedImage(
        name=image.image.removeprefix(FAKES),
        condition=image.condition,
        end=end,
        often=f"{shown} of {image.rankings:,}",
        uri=uri,
        width_px=width_px,
        height_px=height_px,
    )


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
    asked: AskedQuestion | None,
    registered: Sequence[str],
    shown: RankedImages,
) -> Section:
    """Put together what there is to say.

    ``shown``: its images at either end of some prompts, with their pictures.
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
        *_images(score, shown),
        *_screening(score),
    )
    return Section(
        key=KEY, title=heading("Rankings"), meaning=MEANING, parts=gathered(parts, KEY, _ORDER)
    )


_part: Final = PartMaker(protocol=KEY, titles=_TITLES)


def _asked(score: RankingScore, asked: AskedQuestion | None) -> tuple[Block, ...]:
    groups = Folded(summary="Groups by their size", table=ranking_tables.sizes(score))
    return (*([asked] if asked else []), *([groups] if len(score.sizes) > 1 else []))


def _strengths(score: RankingScore) -> Part:
    problems = tuple(map(sentence, (*score.fit.problems, *score.fit.bt_problems)))
    findings = Findings(
        sentences=tuple(said.rank_sentences(score)),
        notes=tuple(dict.fromkeys((*problems, *score.notes))),
    )
    every = Folded(summary="Every strength and interval", table=ranking_tables.strengths(score))
    return _part("strengths", table=ranking_tables.ranking(score), blocks=(findings, every))


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
    agreement = score.agreement
    if agreement is None:
        return
    square = agreement_square(score)
    table = ranking_tables.pair_agreement(score)
    is_short = len(table.rows) <= MOST_SQUARE
    folded = (
        [Folded(summary="Every pair of conditions in a table", table=table)] if is_short else []
    )
    yield _part(
        "agreement",
        sentences=(said.shared_groups_sentence(agreement), *said.alpha_sentences(agreement)),
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


def _images(score: RankingScore, shown: RankedImages) -> Iterator[Part]:
    """Show the images at either end; without any picture a table of names says it shorter."""
    if shown.pictured:
        yield _part("images", blocks=(shown,))
    elif score.images:
        yield _part("images", table=ranking_tables.images(score))


def _screening(score: RankingScore) -> Iterator[Part]:
    if score.screening is not None:
        table = screening(score)
        yield _part(
            "screening",
            sentences=said.screening_sentences(score.screening),
            blocks=(Folded(summary="Evaluator by evaluator", table=table),),
        )


def ranking_facts(score: RankingScore, background: Background | None) -> tuple[Fact, ...]:
    """Say who is on top and how sure that is, how far people agree, and of how many."""
    return (*_found(score), *_counted(score), *(background.facts if background else ()))


def _found(score: RankingScore) -> Iterator[Fact]:
    if score.fit.unbeaten:
        yield "Never below another, so without a strength", few(score.fit.unbeaten)
    yield on_top(score.conditions)
    if score.agreement is not None:
        single = score.agreement.single_single
        ends = wording.interval(*single.scaled(100).ends, 0).replace(" ", "")
        interval = f" ({ends})" if single.low is not None else ""
        yield "Two people prefer the same", f"{said.percent(single.value, 0)}{interval}"
    models = models_of(score)
    if models is not None and models.judges:
        best = models.judges[0]
        yield "Best preference model", f"{best.judge}, {said.percent(best.accuracy.value, 0)}"


def _counted(score: RankingScore) -> Iterator[Fact]:
    yield "Conditions", f"{len(score.conditions):,}"
    if score.evaluators is not None:
        yield "Simulated evaluators" if score.simulated else "Evaluators", f"{score.evaluators:,}"
    yield "Rankings", f"{score.rankings:,}"
    yield "Comparisons in them", f"{score.comparisons:,}"


EYEBROW: Final = "Rankings: images in order"
STYLES: Final = ("comparison.css", "judges.css")
NOTHING_EXCLUDED: Final = "Nothing was excluded: all rankings were scored."


def write_ranking_report(
    score: RankingScore,
    out: Path,
    *,
    title: str,
    provenance: Mapping[str, str],
    background: Background | None = None,
    asked: AskedQuestion | None = None,
    registered: Sequence[str] = (),
    pictured: Pictured | None = None,
) -> Path:
    """Write the report on rankings.

    ``score``: as `hype.protocols.ranking.scoring.score_rankings` returns it, with or without
    preference models. ``out``: the HTML file to write. It appears whole or not at all.
    ``provenance``: what the figures come from (study, seed, versions, software), shown in this
    order. ``background``: what was run, and on whom; None for tables from elsewhere. ``asked``:
    what the evaluators were asked; None where that is not known. ``pictured``: gives an image, by
    its name, as a ``data:`` address with its width and height in px; None where it has none.
    Without it images are named. The same input gives the same bytes.

    Raises
    ------
    InputError
        `out` cannot be written.
    """
    section = ranking_section(
        score,
        map(page_figure, ranking_drawings(score)),
        asked=asked,
        registered=registered,
        shown=ranked_images(score.images, pictured or no_picture),
    )
    page = Page(
        title=title,
        eyebrow=EYEBROW,
        simulated=score.simulated,
        facts=ranking_facts(score, background),
        background=background,
        sections=(section,),
        excluded=excluded_by_reason(ranking_tables.left_out(score), NOTHING_EXCLUDED),
        methods=methods_of(
            ranking_paragraphs(score, drawn=frozenset(part.key for part in section.parts)),
            background=background,
            programs=provenance,
        ),
        provenance=dict(provenance),
        styles=STYLES,
    )
    return write_page(page, out)
