"""The report on comparisons: a page, and sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import pandas as pd

from hype.answers.choices import Choices
from hype.errors import few
from hype.judges.tables import remarks
from hype.protocols.comparison.course import COURSE
from hype.protocols.comparison.criteria import split_by_criterion
from hype.protocols.comparison.design import DESIGN
from hype.protocols.comparison.figures import comparison_drawings
from hype.protocols.comparison.layout import LAYOUT, OF_ALL, OF_CRITERION, say, sentences_of
from hype.protocols.comparison.score import Comparisons, choose_votes, options_for
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.facets import Reporting
from hype.protocols.prompted.report import (
    AskedQuestion,
    PageContext,
    PromptedPage,
    PromptedReport,
    StudyWords,
    blocks_of_judges,
    evaluators_fact,
    page_context,
)
from hype.protocols.prompted.tables import end_images, list_unnamed_images, win_square
from hype.protocols.prompted.wording import MOST_NAMED, name_leaders, read_facts
from hype.registration import Fixed
from hype.report import wording
from hype.report.methods import paragraphs_of
from hype.report.parts import Block, Fact, Findings, Paragraph
from hype.report.scores import Scores
from hype.report.tabular import Row
from hype.statistics.estimate import ends_of, scale_to_percent
from hype.study.phrases import write_count

MEANING: Final = (
    "People chose one of two images. Strengths show how likely a condition is to be chosen "
    "over another; if all are equal, every win rate is 50%."
)
UNDER_IMAGES: Final = (
    "Below each image: its condition, and in how many of its comparisons it was chosen. This "
    "number depends on the other images in these comparisons;\nwith few comparisons, it is partly "
    "chance."
)


def facts(scores: Scores) -> Iterator[Fact]:
    """State the best condition, its win rate over the second, and the number of answers."""
    conditions, pairs = scores.rows("conditions"), scores.rows("pairs")
    arena = scores.facts["sequential"]
    if unbeaten := [row["condition"] for row in conditions if row["unbeaten"]]:
        yield "Never lost, so no strength", few(unbeaten, MOST_NAMED)
    if arena and arena["reached"]:
        yield "On top, by the stopping rule", arena["top"] or conditions[0]["condition"]
    else:
        yield name_leaders(conditions)
    strong = [row["condition"] for row in conditions if row["strength"] is not None][:2]
    leading = next((pair for pair in pairs if [pair["a"], pair["b"]] == strong), None)
    if leading is not None and leading["win_rate"] is not None:
        rate = leading["win_rate"]
        low, high = ends_of(scale_to_percent(rate))
        # short, so that it stays on one line
        ends = wording.interval(low, high, 0).replace(" ", "")
        share = f"{wording.share(rate.value)} ({ends})"
        chosen = f"{leading['wins_a']} of {write_count(leading['comparisons'], 'comparison')}"
        yield f"Win rate: {leading['a']} over {leading['b']}", chosen if low is None else share
    yield "Conditions", f"{len(conditions):,}"
    yield from evaluators_fact(scores)
    yield "Comparisons", f"{scores.facts['comparisons']:,}"
    if arena:  # an arena has no planned precision: most votes go to the important pairs
        return
    known = (pair["powered"] for pair in pairs)
    if powered := [each for each in known if each is not None]:
        yield "Pairs as precise as planned", f"{sum(powered)} of {len(powered)}"


def sentences(scores: Scores, _context: PageContext) -> dict[str, Sequence[str]]:
    of = sentences_of(scores)
    return {
        **{name: of[name] for name in ("agreement", "sides", "demographics", "pairs")},
        "validation": (*of["validation"], *of["hasty"]),
        "images": list_unnamed_images(scores),
        "judges": remarks(scores.judges) if scores.judges else (),
    }


def blocks(scores: Scores, context: PageContext) -> dict[str, Iterable[Block]]:
    of, found = sentences_of(scores), scores.facts
    tested = found["alpha"] if found["sequential"] is None else None
    findings = Findings(
        sentences=(*of["ranks"], *of["plan"], *of["intervals"]),
        notes=(*of["problems"], *scores.notes),
    )
    criterion = found["criterion"]
    asked = [] if context.asked or not criterion else [AskedQuestion(question=criterion)]
    return {
        "asked": asked,  # a table has no question, but may name a criterion
        "conditions": [findings],
        "pairs": win_square(scores, chosen="chosen over", over="over", alpha=tested),
        "images": end_images(scores, context.pictured, count_wins, UNDER_IMAGES),
        "judges": blocks_of_judges(scores),
    }


def count_wins(image: Row) -> tuple[str, str, str]:
    chosen = f"{image['wins']:,} of {image['comparisons']:,}"
    ties = write_count(image["ties"], "tie") if image["ties"] else ""
    return chosen, ties, f"chosen {', '.join(filter(None, (chosen, ties)))}"


def comparison_report(
    comparisons: Comparisons, scores: Scores, choices: Choices, stimuli: Path | None
) -> PromptedReport:
    """Report comparisons; ``stimuli``: the folder of images, if it is not the study's."""
    rows = choose_votes(comparisons.frame, options_for(comparisons, choices)).rows
    tested = [row["passed"] for row in scores.rows("validation") if row["passed"] is not None]
    context = page_context(
        comparisons,
        WORDS,
        scores,
        more=(("Failed validation", tested.count(False)),) if tested else (),
        questions=lambda study: {  # the scores already show "choice" questions
            name: one for name, one in study.demographics.items() if one.kind != "choice"
        },
        stimuli=stimuli,
    )
    return report_scores(scores, rows, context, of_study=comparisons.study is not None)


def report_scores(
    scores: Scores, rows: pd.DataFrame, context: PageContext, *, of_study: bool = True
) -> PromptedReport:
    """Report scores; ``rows``: the scored rows; ``of_study``: whether these come from a study."""
    draw = partial(comparison_drawings, scores, rows, of_study=of_study)
    report = PromptedReport(page=PAGE, scores=scores, context=context, draw=draw)
    if not scores.parts:
        return report
    parts = (
        replace(
            report_scores(scores.parts[name], own, context, of_study=of_study),
            page=replace(OF_ONE, title=name),
        )
        for name, own in split_by_criterion(rows, scores.parts).items()
    )
    return replace(report, page=COMMON, draw=tuple, parts=tuple(parts))


FOLDER: Final = Path(__file__).parent
SHOWN: Final = {
    "hidden": "not shown",
    "shown": "shown above the images",
    "words": "appeared above the images word by word",
}
"""How the prompt was shown."""


def statistics_in_words(scores: Scores) -> tuple[Paragraph, ...]:
    score, judges = read_facts(scores), scores.judges
    strengths = [row["strength"] is not None for row in score["conditions"]]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        judges=judges,
        both_orders=any(judge.first_image for judge in judges.judges) if judges else False,
        of_two=True,
        tied=any(row["ties"] for row in score["conditions"]),
        tested=any(pair["p"] is not None for pair in score["pairs"]),
        rule=score["fit"]["rule"],
        strong=any(strengths),
        all_strong=all(strengths),
        demographics_tested=any(row["p"] is not None for row in score["demographic_tests"]),
        criteria=len(scores.parts),
        over_criteria=scores.facts.get("over_criteria", False),
    )


def design_in_words(settings: ComparisonFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty if they are not known."""
    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def details_of_question(settings: ComparisonFile) -> tuple[tuple[str, str], ...]:
    asked = settings.comparison
    limit = "none" if asked.limit_ms is None else f"{asked.limit_ms:g} ms"
    return (
        ("Criterion", ", ".join(asked.questions)),
        ("Prompt", SHOWN[asked.shown_prompt]),
        ("Ties", f"a separate answer: “{settings.texts.tie}”" if asked.ties else "none"),
        *((("Both are bad", f"an answer: “{settings.texts.both_bad}”"),) if asked.both_bad else ()),
        ("Design", say("design", settings=settings)),
        ("Time limit", limit),
    )


WORDS: Final = StudyWords(
    asked=lambda study: AskedQuestion(
        question=study.settings.comparison.asked, details=details_of_question(study.settings)
    ),
    described=design_in_words,
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="choices were drawn from the strengths that the study sets",
)
PAGE: Final = PromptedPage(
    eyebrow="Comparisons: which of two",
    title="Comparisons",
    answers="comparisons",
    meaning=lambda _scores: MEANING,
    layout=LAYOUT,
    facts=facts,
    sentences=sentences,
    blocks=blocks,
    methods=statistics_in_words,
)


def common_facts(scores: Scores) -> Iterator[Fact]:
    """State the best condition on each criterion, and the number of answers."""
    for name, part in scores.parts.items():
        label, value = name_leaders(part.rows("conditions"))
        yield f"{label}: {name}", value
    yield from evaluators_fact(scores)
    yield "Comparisons", f"{scores.facts['comparisons']:,}"


def common_blocks(scores: Scores, _context: PageContext) -> dict[str, Iterable[Block]]:
    of = sentences_of(scores)
    findings = Findings(sentences=(*of["plan"], *of["intervals"]), notes=scores.notes)
    return {"strengths-by-criterion": [findings]}


COMMON: Final = replace(
    PAGE, title="All criteria", facts=common_facts, blocks=common_blocks, layout=OF_ALL
)
"""The part of the page about all criteria, before the sections of single criteria."""
OF_ONE: Final = replace(PAGE, meaning=lambda scores: scores.facts["criterion"], layout=OF_CRITERION)
REPORTING: Final = Reporting(
    report=comparison_report, design_in_words=WORDS.design, statistics_in_words=statistics_in_words
)
