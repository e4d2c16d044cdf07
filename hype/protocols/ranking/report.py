"""The report on rankings: a page, and sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hype.answers.choices import Choices
from hype.errors import few
from hype.judges.report import benchmark_blocks, model_blocks
from hype.protocols.facets import Reporting
from hype.protocols.prompted.report import (
    AskedQuestion,
    PageContext,
    PromptedPage,
    PromptedReport,
    StudyWords,
    evaluators_fact,
    page_context,
)
from hype.protocols.prompted.tables import end_images, list_unnamed_images, win_square
from hype.protocols.prompted.wording import MOST_NAMED, name_leaders, read_facts
from hype.protocols.ranking.course import COURSE
from hype.protocols.ranking.design import DESIGN
from hype.protocols.ranking.figures import ranking_drawings
from hype.protocols.ranking.layout import LAYOUT, sentences_of
from hype.protocols.ranking.score import Rankings
from hype.protocols.ranking.settings import RankingFile
from hype.registration import Fixed
from hype.report import wording
from hype.report.methods import paragraphs_of
from hype.report.parts import (
    MOST_SQUARE,
    Block,
    Fact,
    Findings,
    Folded,
    Paragraph,
    ShareCell,
    Tabled,
    share_cell,
    share_square,
)
from hype.report.scores import Scores
from hype.report.tabular import Row
from hype.statistics.estimate import ends_of, scale_to_percent
from hype.study import phrases

MEANING: Final = (
    "People put the images of a group in order. Strengths show how likely an image of a "
    "condition is to be put first in a group. A ranking of n images has n(n − 1)/2 comparisons."
)
UNDER_IMAGES: Final = (
    "Below each image: its condition, and in how many of its rankings it was first, or last. "
    "These numbers depend on the group's other images;\nwith few rankings, they are partly chance."
)


def facts(scores: Scores) -> Iterator[Fact]:
    """State the best condition with its certainty, the agreement, and the counts."""
    conditions = scores.rows("conditions")
    if unbeaten := [row["condition"] for row in conditions if row["unbeaten"]]:
        yield "Never ranked below another, so no strength", few(unbeaten, MOST_NAMED)
    yield name_leaders(conditions)
    for shared in scores.rows("shared"):
        single = shared["single_single"]
        ends = wording.interval(*ends_of(scale_to_percent(single)), 0).replace(" ", "")
        interval = f" ({ends})" if single.low is not None else ""
        yield "Two people prefer the same image", f"{wording.share(single.value)}{interval}"
    if scores.judges and scores.judges.judges:
        best = scores.judges.judges[0]
        yield "Best preference model", f"{best.judge}, {wording.share(best.accuracy.value)}"
    yield "Conditions", f"{len(conditions):,}"
    yield from evaluators_fact(scores)
    yield "Rankings", f"{scores.facts['rankings']:,}"
    yield "Comparisons in them", f"{scores.facts['comparisons']:,}"


def sentences(scores: Scores, _context: PageContext) -> dict[str, Sequence[str]]:
    of, models = sentences_of(scores), scores.judges
    shown = ("asked", "pairs", "agreement", "screening")
    return {
        **{name: of[name] for name in shown},
        "images": list_unnamed_images(scores),
        "benchmark": benchmark_blocks(models)[0] if models else [],
    }


def blocks(scores: Scores, context: PageContext) -> dict[str, Iterable[Block]]:
    of, alpha, models = sentences_of(scores), scores.facts["alpha"], scores.judges
    names = [row["condition"] for row in scores.rows("conditions")]
    summary = [Tabled(table=table) for table in scores.tables if table.name == "judges"]
    notes = tuple(dict.fromkeys((*of["problems"], *scores.notes)))
    sizes = [table] if (table := scores.table("sizes")) and len(table.rows) > 1 else []
    return {
        "asked": [Folded(summary="Groups by their size", table=table) for table in sizes],
        "conditions": [Findings(sentences=of["ranks"], notes=notes)],
        "pairs": win_square(scores, chosen="put above", over="above", alpha=alpha),
        "agreement": agreement_blocks(scores),
        "models": (*summary, *model_blocks(models, names)) if models else (),
        "images": end_images(scores, context.pictured, count_places, UNDER_IMAGES),
        "benchmark": benchmark_blocks(models)[1] if models else (),
    }


def agreement_blocks(scores: Scores) -> Iterator[Block]:
    """Show agreement on pairs of conditions as a matrix and a table, unless there are too many."""
    cells: dict[tuple[str, str], ShareCell] = {}
    for pair in scores.rows("pair-agreement"):
        one, other, share = pair["a"], pair["b"], pair["agreement"].value
        for a, b in ((one, other), (other, one)):
            cells[a, b] = share_cell(share, pair["pairs_of_images"], f"{a} and {b}")
    square = share_square(
        [row["condition"] for row in scores.rows("conditions")],
        cells,
        key="ranking-agreement",
        label="Agreement on each pair of conditions",
        explained="How often two people put the same image of a pair first, in %, and the number "
        "of pairs of images; chance gives 50.",
        ends=("never the same", "always the same"),
    )
    if square:
        yield square
    table = scores.table("pair-agreement")
    if table and 0 < len(table.rows) <= MOST_SQUARE:
        yield Folded(summary="Every pair of conditions in a table", table=table)


def count_places(image: Row) -> tuple[str, str, str]:
    times = image[image["end"]]
    shown = f"{times:,.0f}" if times == round(times) else wording.number(times, 1)
    often = f"{shown} of {image['rankings']:,}"
    return often, "", f"{image['end']} in {often}"


def ranking_report(
    rankings: Rankings, scores: Scores, _choices: Choices, stimuli: Path | None
) -> PromptedReport:
    """Report rankings; ``stimuli``: the folder of images, if it is not that of a study."""
    failed = sum(row["failed"] for row in scores.rows("screening"))
    more = (("Failed screening", failed),)
    return report_scores(scores, page_context(rankings, WORDS, scores, more=more, stimuli=stimuli))


def report_scores(scores: Scores, context: PageContext) -> PromptedReport:
    draw = partial(ranking_drawings, scores)
    return PromptedReport(page=PAGE, scores=scores, context=context, draw=draw)


FOLDER: Final = Path(__file__).parent


def statistics_in_words(scores: Scores) -> tuple[Paragraph, ...]:
    score = read_facts(scores)
    strengths = [row["strength"] is not None for row in score["conditions"]]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        models=scores.judges,
        strong=any(strengths),
        of_two=False,
        all_strong=all(strengths),
        bradley_terry=any(row["bt_strength"] is not None for row in score["conditions"]),
        tested=any(pair["p"] is not None for pair in score["pairs"]),
        rule=score["fit"]["rule"],
    )


def design_in_words(settings: RankingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe the design of a study; ``conditions`` is empty if they are unknown."""
    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def details_of_question(settings: RankingFile) -> tuple[tuple[str, str], ...]:
    asked, rule = settings.ranking, settings.screening
    size = "one image of each condition"
    if asked.group is not None:
        size = f"{phrases.spell_count(asked.group, 'image')}, each of a different condition"
    checked = f"{phrases.percent(rule.check_share)} ranked again" if rule.checkers else "none"
    return (
        ("Group", size),
        ("Prompt", "shown above the images" if asked.prompt == "shown" else "not shown"),
        ("Ties", f"a separate step: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", f"{phrases.spell_count(asked.rankings, 'ranking')} of each group"),
        ("Test", phrases.spell_count(rule.test, "group") if rule.test else "none"),
        ("Cross-checks", checked),
    )


WORDS: Final = StudyWords(
    asked=lambda study: AskedQuestion(
        question=study.settings.ranking.question, details=details_of_question(study.settings)
    ),
    described=design_in_words,
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="orders were drawn from the strengths that the study sets",
)
PAGE: Final = PromptedPage(
    eyebrow="Rankings: images in order",
    title="Rankings",
    answers="rankings",
    meaning=lambda _scores: MEANING,
    layout=LAYOUT,
    facts=facts,
    sentences=sentences,
    blocks=blocks,
    methods=statistics_in_words,
)
REPORTING: Final = Reporting(
    report=ranking_report, design_in_words=WORDS.design, statistics_in_words=statistics_in_words
)
