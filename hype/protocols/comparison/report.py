"""The report on comparisons: a page, and the words for a paper."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import pandas as pd

from hype.answers.choices import Choices
from hype.errors import few
from hype.judges.report import judge_blocks
from hype.judges.tables import remarks
from hype.protocols.comparison import tables as comparison_tables
from hype.protocols.comparison.course import COURSE
from hype.protocols.comparison.design import DESIGN
from hype.protocols.comparison.figures import comparison_drawings
from hype.protocols.comparison.images import image_wins, prompt_ends
from hype.protocols.comparison.results import PairwiseScore
from hype.protocols.comparison.score import Comparisons, options_for, scored_votes
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.comparison.tables import every_table, say
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
from hype.protocols.prompted.wording import MOST_NAMED, intervals, on_top, ranks
from hype.registration import Fixed
from hype.report import wording
from hype.report.figures.drawing import Drawing
from hype.report.methods import paragraphs_of
from hype.report.page import PageFigure
from hype.report.parts import (
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
from hype.report.tabular import Row, Rows, Table, that_say_something
from hype.report.wording import sentence
from hype.statistics.estimate import ends_of, in_percent
from hype.study.phrases import numbered

KEY: Final = "comparison"

MEANING: Final = (
    "Which of two images was chosen. A strength says how likely a condition is chosen over another "
    "one; where all are alike, every win rate is 50%."
)

_PLACES: Final[Places] = {
    Place.ASKED: ("asked",),
    Place.RESULT: ("ranking", "pairs"),
    Place.PEOPLE: ("evaluators", "demographics", "judges"),
    Place.IMAGES: ("images", "unnamed"),
    Place.DETAILS: (*("registered", "course", "sides", "response-times", "validation"),),
}
_TITLES: Final = {
    "asked": "What was asked",
    "registered": "What was fixed beforehand",
    "ranking": "Ranking",
    "pairs": "Which of two",
    "evaluators": "Do evaluators agree?",
    "course": "The course of the arena",
    "images": "Images chosen most, and least",
    "unnamed": "Images chosen most, and least",
    "sides": "Did the side matter?",
    "response-times": "Answer times",
    "validation": "Comparisons with an obvious answer",
    "demographics": "Who the evaluators are",
    "judges": "Judges compared with people",
}

_part: Final = PartMaker(protocol=KEY, titles=_TITLES)


def _ranking(score: PairwiseScore) -> Part:
    arena = (score.sequential.said,) if score.sequential else ()
    sentences = (
        ranks(score.conditions, score.pairs),
        *arena,
        say("plan", score=score),
        intervals(score),
    )
    problems = tuple(sentence(problem) for problem in score.fit.problems)
    findings = Findings(sentences=tuple(filter(None, sentences)), notes=(*problems, *score.notes))
    table, whole = led(comparison_tables.conditions(score), comparison_tables.strengths_note(score))
    return _part("ranking", table=table, blocks=(whole, findings))


def _pairs(score: PairwiseScore) -> Iterator[Part]:
    tested = score.sequential is None
    square = win_square(
        score,
        name=KEY,
        chosen="chosen over",
        over="over",
        alpha=score.alpha if tested else None,
    )
    cautions = comparison_tables.lines("cautions", score=score, where="hype report --tables")
    yield from pair_parts(
        *(_part, score, square),
        lambda some: comparison_tables.pairs(score, some, tested=tested),
        [say(block, score=score) for block in ("pairs", "arena_errors")],
        [Findings(sentences=(), notes=cautions)] if cautions else (),
    )


_UNDER_IMAGES: Final = (
    "Under each image: what made it, and how often it was chosen of how often it was compared. An "
    "image depends on what it\nstood beside, and with few comparisons each, other votes would put "
    "other images here."
)


def _often(image: Row, _end: int) -> tuple[str, str, str]:
    chosen = f"{image['wins']:,} of {image['comparisons']:,}"
    ties = numbered(image["ties"], "tie") if image["ties"] else ""
    return chosen, ties, f"chosen {', '.join(filter(None, (chosen, ties)))}"


def _sides(score: PairwiseScore) -> Part:
    table = comparison_tables.leaning(score)
    return _part("sides", sentences=(score.sides["said"],), table=table)


def _validation(score: PairwiseScore) -> Iterator[Part]:
    if sentences := comparison_tables.lines("validated", score=score):
        table = comparison_tables.validation(score)
        folded = Folded(summary="Evaluator by evaluator", table=table)
        yield _part("validation", sentences=sentences, blocks=(folded,))


def _demographics(score: PairwiseScore) -> Iterator[Part]:
    if score.demographics:
        table = comparison_tables.demographics(score)
        sentences = (question["said"] for question in score.demographics)
        folded = (Folded(summary="In numbers", table=table),) if table.rows else ()
        yield _part("demographics", sentences=sentences, blocks=folded)


def _judges(score: PairwiseScore) -> Iterator[Part]:
    if score.judges is not None:
        summary, *tables = comparison_tables.of_judges(score)
        yield _part(
            "judges",
            sentences=remarks(score.judges),
            table=summary,
            blocks=judge_blocks(score.judges, tables),
        )


def leading_facts(score: PairwiseScore) -> Iterator[Fact]:
    if score.fit.unbeaten:
        yield "Never lost, so without a strength", few(score.fit.unbeaten, MOST_NAMED)
    if score.sequential is not None and score.sequential.reached:
        first = score.sequential.top or (score.sequential.order or ("",))[0]
        yield "On top, by the stopping rule", first
    else:  # what is left open is not decided here
        yield on_top(score.conditions)
    strong = [row.condition for row in score.conditions if row.strength is not None][:2]
    leading = next((pair for pair in score.pairs if [pair.a, pair.b] == strong), None)
    if leading is not None and leading.win_rate is not None:
        low, high = ends_of(in_percent(leading.win_rate))
        ends = wording.interval(low, high, 0).replace(" ", "")  # so that it stays on one line
        rate = f"{wording.share(leading.win_rate.value)} ({ends})"
        chosen = f"{leading.wins_a} of {numbered(leading.comparisons, 'comparison')}"
        yield f"{leading.a} over {leading.b}", chosen if low is None else rate


@dataclass(frozen=True, kw_only=True)
class ComparisonReport(PromptedReport):
    """Comparisons that were scored, and what a report makes of them."""

    eyebrow = "Comparisons: which of two"
    answers = "comparisons"
    title, part, places = "Comparisons", _part, _PLACES
    meaning = MEANING
    score: PairwiseScore
    rows: pd.DataFrame  # those that were scored
    of_study: bool = True  # whether they are of a study, and not of a table from elsewhere

    @cached_property
    def image_ends(self) -> Rows:
        return image_ends(self.rows, self.score)

    def drawings(self) -> Sequence[Drawing]:
        return comparison_drawings(self.score, self.rows, of_study=self.of_study)

    def tables(self) -> Sequence[Table]:
        images = comparison_tables.images(self.image_ends)
        return (*that_say_something(every_table(self.score)), *that_say_something([images]))

    def parts(self, figures: Iterable[PageFigure]) -> Iterable[Part]:
        score, context = self.score, self.context
        agreement, hasty = say("agreement", score=score), say("hasty", score=score)
        return (
            *([_part("asked", blocks=self._asked)] if self._asked else []),
            _ranking(score),
            *_pairs(score),
            *([_part("evaluators", sentences=(agreement,))] if score.agreement else []),
            *map(_part.of_figure, figures),
            *end_parts(
                *(_part, self.image_ends, context.pictured, _often),
                comparison_tables.images(self.image_ends),
                called=("Chosen most", "Chosen least"),
                explained=_UNDER_IMAGES,
            ),
            _sides(score),
            *([_part("response-times", sentences=(hasty,))] if hasty else []),
            *_validation(score),
            *_demographics(score),
            *_judges(score),
        )

    @property
    def _asked(self) -> tuple[Block, ...]:
        """What evaluators were asked; of a table only the criterion may be known."""
        if self.context.asked:
            return (self.context.asked,)
        criterion = self.score.criterion
        return (AskedQuestion(question=criterion),) if criterion else ()

    def facts(self) -> Iterator[Fact]:
        """State the best condition, how sure that is, and the number of answers."""
        score = self.score
        yield from leading_facts(score)
        yield "Conditions", f"{len(score.conditions):,}"
        yield from evaluators_fact(score)
        yield "Comparisons", f"{score.comparisons:,}"
        if score.sequential is not None:  # an arena gives most votes to the pairs that matter
            return
        if powered := [pair.powered for pair in score.pairs if pair.powered is not None]:
            yield "Pairs as precise as planned", f"{sum(powered)} of {len(powered)}"

    def methods(self, parts: frozenset[str]) -> Sequence[Paragraph]:
        return statistics_in_words(self.score, drawn=parts)


def comparison_report(
    comparisons: Comparisons, score: PairwiseScore, choices: Choices, stimuli: Path | None
) -> ComparisonReport:
    """Report comparisons; ``stimuli`` is where images lie if not as a study says."""
    rows = scored_votes(comparisons.frame, options_for(comparisons, choices)).rows
    failed = len(score.validation["failed"]) if score.validation else 0
    context = page_context(
        comparisons,
        WORDS,
        [row.condition for row in score.conditions],
        simulated=score.simulated,
        more=(("Failed validation", failed),),
        questions=lambda study: {  # those that no table of the score sums up
            name: one for name, one in study.demographics.items() if one.kind != "choice"
        },
        stimuli=stimuli,
        images=named_images(image_ends(rows, score)),
    )
    of_study = comparisons.study is not None
    return ComparisonReport(score=score, rows=rows, of_study=of_study, context=context)


def image_ends(rows: pd.DataFrame, score: PairwiseScore) -> Rows:
    """Give the images at either end of some prompts."""
    return prompt_ends(image_wins(rows, confidence=score.confidence))


FOLDER: Final = Path(__file__).parent
SHOWN: Final = {
    "hidden": "not shown",
    "shown": "shown above the images",
    "words": "appeared above the images word by word",
}
"""How the prompt was shown, in a few words."""


def statistics_in_words(score: PairwiseScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
    """Write what was computed; ``drawn`` has the keys of the parts that the report has."""
    strengths = [row.strength is not None for row in score.conditions]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        judges=score.judges,
        both_orders=any(j.first_image for j in score.judges.judges) if score.judges else False,
        drawn=drawn,
        of_two=True,
        tied=any(row.ties for row in score.conditions),
        tested=any(pair.p is not None for pair in score.pairs),
        rule=score.fit.rule,
        strong=any(strengths),
        all_strong=all(strengths),
        demographics_tested=any(question["p"] is not None for question in score.demographics),
    )


def design_in_words(settings: ComparisonFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty if they are not known."""
    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def asked_details(settings: ComparisonFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked = settings.comparison
    limit = "none" if asked.limit_ms is None else f"{asked.limit_ms:g} ms"
    return (
        ("Criterion", asked.criterion),
        ("Prompt", SHOWN[asked.shown_prompt]),
        ("Ties", f"an answer of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", say("design", settings=settings)),
        ("Time limit", limit),
    )


WORDS: Final = StudyWords(
    asked=lambda study: AskedQuestion(
        question=study.settings.comparison.asked, details=asked_details(study.settings)
    ),
    described=design_in_words,
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="choices were drawn from strengths of the conditions that the study sets",
)
REPORTING: Final = Reporting(
    report=comparison_report,
    design_in_words=WORDS.design,
    statistics_in_words=lambda scored: statistics_in_words(scored, drawn=()),
)
