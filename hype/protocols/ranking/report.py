"""The report on rankings: a page, and the words for a paper."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from hype.answers.choices import Choices
from hype.errors import few
from hype.judges import tables as judge_tables
from hype.judges.report import benchmark_blocks, model_blocks
from hype.protocols.facets import Reporting
from hype.protocols.prompted.report import (
    AskedQuestion,
    PromptedReport,
    StudyWords,
    evaluators_fact,
    page_context,
    pair_parts,
)
from hype.protocols.prompted.tables import end_parts, named_images, win_square
from hype.protocols.prompted.wording import MOST_NAMED, on_top, ranks
from hype.protocols.ranking import tables as ranking_tables
from hype.protocols.ranking.course import COURSE
from hype.protocols.ranking.design import DESIGN
from hype.protocols.ranking.figures import ranking_drawings
from hype.protocols.ranking.results import RankingScore
from hype.protocols.ranking.score import Rankings, with_image_ends
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.ranking.tables import (
    agreement_square,
    every_table,
    models_of,
    say,
    screening,
)
from hype.registration import Fixed
from hype.report import wording
from hype.report.figures.drawing import Drawing
from hype.report.methods import paragraphs_of
from hype.report.page import PageFigure
from hype.report.parts import (
    MOST_SQUARE,
    Block,
    Fact,
    Findings,
    Folded,
    Paragraph,
    Part,
    PartMaker,
    Place,
    Places,
    led,
)
from hype.report.tabular import Row, Table, that_say_something
from hype.report.wording import sentence
from hype.study import phrases

KEY: Final = "ranking"

MEANING: Final = (
    "The images of a group in order. A strength says how likely an image of a condition is the "
    "first of any set; a ranking of n images is n(n − 1)/2 comparisons."
)

_PLACES: Final[Places] = {
    Place.ASKED: ("asked",),
    Place.RESULT: ("strengths", "pairs"),
    Place.PEOPLE: ("agreement", "models", "screening"),
    Place.IMAGES: ("images", "unnamed"),
    Place.DETAILS: ("registered", "places", "benchmark"),
}

_TITLES: Final = {
    "asked": "What was asked",
    "registered": "What was fixed beforehand",
    "strengths": "Ranking",
    "places": "Where images came",
    "pairs": "Which of two",
    "agreement": "Do people agree?",
    "models": "Preference models compared with people",
    "benchmark": "Benchmark by preference models",
    "images": "Images most often first, and last",
    "unnamed": "Images most often first, and last",
    "screening": "Screening: annotators beside checkers",
}


_part: Final = PartMaker(protocol=KEY, titles=_TITLES)


def _asked(score: RankingScore, asked: Block | None) -> tuple[Block, ...]:
    groups = Folded(summary="Groups by their size", table=ranking_tables.sizes(score))
    return (*([asked] if asked else []), *([groups] if len(score.sizes) > 1 else []))


def _strengths(score: RankingScore) -> Part:
    problems = tuple(map(sentence, (*score.fit.problems, *score.bt_problems)))
    findings = Findings(
        sentences=tuple(filter(None, [ranks(score.conditions, score.pairs)])),
        notes=tuple(dict.fromkeys((*problems, *score.notes))),
    )
    table, whole = led(ranking_tables.conditions(score))
    return _part("strengths", table=table, blocks=(whole, findings))


def _pairs(score: RankingScore) -> Iterator[Part]:
    square = win_square(score, name=KEY, chosen="put above", over="above", alpha=score.alpha)
    table = partial(ranking_tables.pairs, score)
    yield from pair_parts(_part, score, square, table, [say("pairs", score=score)])


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
        sentences=(
            say("shared", agreement=agreement),
            *ranking_tables.lines("alphas", agreement=agreement),
        ),
        table=ranking_tables.agreement(score),
        blocks=(*([square] if square else []), *folded),
    )


def _models(score: RankingScore) -> Iterator[Part]:
    models = models_of(score)
    if models is None:
        return
    conditions = [row.condition for row in score.conditions]
    yield _part(
        "models",
        table=judge_tables.summary(models),
        blocks=model_blocks(models, conditions),
    )
    if models.benchmarks:
        sentence, table, folded = benchmark_blocks(models)
        yield _part("benchmark", sentences=(sentence,), table=table, blocks=folded)


_UNDER_IMAGES: Final = (
    "Under each image: what made it, and how often it was put first, or last, of how often it was "
    "ranked. That depends on\nwhat it was ranked with, and with few rankings each, other people "
    "would put other images here."
)


def _often(image: Row, end: int) -> tuple[str, str, str]:
    times = image["last" if end else "first"]
    shown = f"{times:,.0f}" if times == round(times) else wording.number(times, 1)
    often = f"{shown} of {image['rankings']:,}"
    return often, "", f"{'last' if end else 'first'} in {often}"


def _screening(score: RankingScore) -> Iterator[Part]:
    if score.screening is not None:
        table = screening(score)
        yield _part(
            "screening",
            sentences=(say("screening", screening=score.screening),),
            blocks=(Folded(summary="Evaluator by evaluator", table=table),),
        )


@dataclass(frozen=True, kw_only=True)
class RankingReport(PromptedReport):
    """Rankings that were scored, and what a report makes of them."""

    eyebrow = "Rankings: images in order"
    answers = "rankings"
    title, part, places = "Rankings", _part, _PLACES
    meaning = MEANING

    score: RankingScore

    def drawings(self) -> Sequence[Drawing]:
        return ranking_drawings(self.score)

    def tables(self) -> Sequence[Table]:
        return that_say_something(every_table(self.score))

    def parts(self, figures: Iterable[PageFigure]) -> Iterable[Part]:
        score, context = self.score, self.context
        asked = _asked(score, context.asked)
        places = ranking_tables.places(score)
        return (
            _part("asked", sentences=ranking_tables.say_asked(score), blocks=asked),
            _strengths(score),
            *_pairs(score),
            *_agreement(score),
            *_models(score),
            *map(_part.of_figure, figures),
            _part("places", table=places),
            *end_parts(
                *(_part, score.image_ends, context.pictured, _often),
                ranking_tables.images(score),
                called=("Most often first", "Most often last"),
                explained=_UNDER_IMAGES,
            ),
            *_screening(score),
        )

    def facts(self) -> Iterator[Fact]:
        """State the best condition, how sure that is, how far people agree, and the counts."""
        score = self.score
        if score.fit.unbeaten:
            unbeaten = few(score.fit.unbeaten, MOST_NAMED)
            yield "Never below another, so without a strength", unbeaten
        yield on_top(score.conditions)
        if score.agreement is not None:
            single = score.agreement.single_single
            ends = wording.interval(*single.scaled(100).ends, 0).replace(" ", "")
            interval = f" ({ends})" if single.low is not None else ""
            yield "Two people prefer the same", f"{wording.share(single.value)}{interval}"
        models = models_of(score)
        if models is not None and models.judges:
            best = models.judges[0]
            yield "Best preference model", f"{best.judge}, {wording.share(best.accuracy.value)}"
        yield "Conditions", f"{len(score.conditions):,}"
        yield from evaluators_fact(score)
        yield "Rankings", f"{score.rankings:,}"
        yield "Comparisons in them", f"{score.comparisons:,}"

    def methods(self, parts: frozenset[str]) -> Sequence[Paragraph]:
        return statistics_in_words(self.score, drawn=parts)


def ranking_report(
    rankings: Rankings, score: RankingScore, choices: Choices, stimuli: Path | None
) -> RankingReport:
    """Report rankings; ``stimuli`` is where images lie if not as a study says."""
    score = with_image_ends(rankings, score, choices)
    failed = len(score.screening["failed"]) if score.screening else 0
    context = page_context(
        rankings,
        WORDS,
        [row.condition for row in score.conditions],
        simulated=score.simulated,
        more=(("Failed screening", failed),),
        stimuli=stimuli,
        images=named_images(score.image_ends),
    )
    return RankingReport(score=score, context=context)


FOLDER: Final = Path(__file__).parent


def statistics_in_words(score: RankingScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
    """Write what was computed; ``drawn`` has the keys of the parts that the report has."""
    models = models_of(score)
    strengths = [row.strength is not None for row in score.conditions]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        models=models,
        drawn=drawn,
        strong=any(strengths),
        of_two=False,
        all_strong=all(strengths),
        bradley_terry=any(row.bt_strength is not None for row in score.conditions),
        tested=any(pair.p is not None for pair in score.pairs),
        rule=score.fit.rule,
    )


def design_in_words(settings: RankingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty if they are not known."""
    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def asked_details(settings: RankingFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked, rule = settings.ranking, settings.screening
    size = "one image of each condition"
    if asked.group is not None:
        size = f"{phrases.counted(asked.group, 'image')}, each of another condition"
    checked = f"{phrases.percent(rule.check_share)} ranked again" if rule.checkers else "none"
    return (
        ("Group", size),
        ("Prompt", "shown above the images" if asked.prompt == "shown" else "not shown"),
        ("Ties", f"an act of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", f"{phrases.counted(asked.rankings, 'ranking')} of each group"),
        ("Test", phrases.counted(rule.test, "group") if rule.test else "none"),
        ("Cross-checks", checked),
    )


WORDS: Final = StudyWords(
    asked=lambda study: AskedQuestion(
        question=study.settings.ranking.question, details=asked_details(study.settings)
    ),
    described=design_in_words,
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="orders were drawn from strengths of the conditions that the study sets",
)
REPORTING: Final = Reporting(
    report=ranking_report,
    design_in_words=WORDS.design,
    statistics_in_words=lambda scored: statistics_in_words(scored, drawn=()),
)
