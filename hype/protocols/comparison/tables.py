"""The tables of comparisons, and how a terminal shows their score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Final

from rich.console import RenderableType, group
from rich.text import Text

from hype.judges.tables import lay_out_in_terminal
from hype.protocols.comparison.evaluators import FOLDER
from hype.protocols.comparison.results import PairResult, PairwiseScore
from hype.protocols.prompted.results import fit_facts
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.tables import (
    by_reason,
    choose_pairs,
    counted_columns,
    end_table,
    further_pair_columns,
    pair_columns,
    rate_columns,
    strength_columns,
    tests_note,
)
from hype.protocols.prompted.wording import intervals, ranks, shared
from hype.report import tabular
from hype.report.methods import notes_of, said
from hype.report.tabular import Row, Table, tabulated, that_say_something
from hype.report.terminal import beneath_scores, closing, grid, opening, texts

say: Final = partial(said, FOLDER)
"""Writes a block of notes.txt."""


def conditions(score: PairwiseScore) -> Table:
    confidence, scale = f"{score.confidence:.0%} CI", SCALES[score.strengths]
    return tabulated(
        score.conditions,
        name="comparison-conditions",
        title="Ranking",
        columns=(
            tabular.whole("Rank", "rank"),
            tabular.name("Condition", "condition"),
            tabular.percent("Win\nrate", "win_rate"),
            tabular.percents(confidence, "win_rate"),
            *scale.columns(confidence),
            tabular.whole("Compa-\nrisons", "comparisons"),
            *counted_columns(),
            *strength_columns(),
            *tabular.further(tabular.words("No strength, because", "reason")),
        ),
        note=f"{say('win_rates')} {strengths_note(score)}",
    )


def strengths_note(score: PairwiseScore) -> str:
    return say("strengths", score=score, scale=SCALES[score.strengths])


def pairs(
    score: PairwiseScore, some: Sequence[PairResult] | None = None, *, tested: bool = True
) -> Table:
    """Show pairs; ``tested``: with a column for p, which an arena's pairs do not have."""
    return tabulated(
        score.pairs if some is None else some,
        name="comparison-pairs",
        title="Pairs of conditions",
        columns=(
            *pair_columns(score, tested=tested),
            tabular.words("Verdict", "verdict"),
            *further_pair_columns(),
            *tabular.further(
                *rate_columns(score.confidence),
                tabular.yes_or_no("Powered", "powered"),
                tabular.words("To be said", "said"),
            ),
        ),
        note=tests_note(score, score.fit.rule if tested else None),
    )


def agreement(score: PairwiseScore) -> Table:
    return tabulated(
        [score.agreement] if score.agreement else [],
        name="comparison-agreement",
        title="Do evaluators agree?",
        columns=(
            tabular.name("Same comparison", "unit"),
            tabular.number("α", "alpha", 3),
            tabular.interval(f"{score.confidence:.0%} CI", "alpha", 3),
            tabular.number("α with\nwin rates", "even_alpha", 3),
            tabular.number("Cohen's κ", "mean_kappa", 3),
            tabular.whole("Compa-\nrisons", "units"),
            tabular.whole("Answers", "judgements"),
            tabular.whole("Evaluators", "evaluators"),
            *tabular.further(
                tabular.number("Observed agreement", "observed", 3),
                tabular.whole("Pairs of evaluators with κ", "kappa_pairs"),
                tabular.whole("without κ", "kappa_undefined"),
                tabular.whole("Comparisons that a pair must share", "kappa_shared"),
                tabular.words("No α, because", "reason"),
            ),
        ),
    )


def left_out(score: PairwiseScore) -> Table:
    return by_reason(score.exclusions, "comparisons")


def demographics(score: PairwiseScore) -> Table:
    return tabulated(
        [row for question in score.demographics for row in _answers_to(question)],
        name="comparison-demographics",
        title="Who the evaluators are",
        columns=(
            tabular.name("Question", "question"),
            tabular.words("Answer", "answer"),
            tabular.whole("Evalu-\nators", "evaluators"),
            tabular.share("Share", "share"),
            tabular.share("Refer-\nence", "reference_share"),
            tabular.number("Standard\nerrors off", "residual"),
            *tabular.further(tabular.number("Expected", "expected")),
        ),
    )


def _answers_to(question: Row) -> Iterator[Row]:
    answers, known = question["answers"], {"question": question["question"]}
    if all(answer["reference_share"] is None for answer in answers):
        answers = sorted(answers, key=itemgetter("answer"))
    yield from (known | answer for answer in answers)
    if question["withheld"]:
        unknown = dict.fromkeys(("share", "reference_share", "residual", "expected"))
        yield known | unknown | {"answer": "withheld", "evaluators": question["withheld"]}


def demographic_tests(score: PairwiseScore) -> Table:
    return tabulated(
        score.demographics,
        name="comparison-demographic-tests",
        title="Do evaluators differ from whom they stand for?",
        columns=(
            tabular.name("Question", "question"),
            tabular.whole("Answered", "answered"),
            tabular.whole("Withheld", "withheld"),
            tabular.number("χ²", "chi_square", 2),
            tabular.whole("Degrees of freedom", "df"),
            tabular.probability("p", "p"),
            tabular.number("Cohen's w", "cohens_w", 2),
            tabular.words("Method", "method"),
        ),
    )


def validation(score: PairwiseScore) -> Table:
    return tabulated(
        score.validation["evaluators"] if score.validation else (),
        name="comparison-validation",
        title="Comparisons with an obvious answer",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.whole("Shown", "shown"),
            tabular.whole("Right", "right"),
            tabular.percent("Share", "right_share", of="share"),
            tabular.percents(f"{score.confidence:.0%} CI", "right_share", of="share"),
            tabular.yes_or_no("Passed", "passed"),
            tabular.whole("Answers", "answers", of="comparisons"),
            tabular.whole("Hasty", "hasty"),
            *tabular.further(tabular.share("Share of hasty answers", "hasty_share")),
        ),
    )


def sides(score: PairwiseScore) -> Table:
    return tabulated(
        [score.sides],
        name="comparison-sides",
        title="Was one side chosen more often?",
        columns=(
            tabular.name("Choices of", "of", of=lambda _sides: "all"),
            tabular.whole("Left", "left"),
            tabular.whole("Right", "right"),
            tabular.percent("Share of\nthe left", "left_share"),
            tabular.percents(f"{score.confidence:.0%} CI", "left_share"),
            tabular.probability("p", "p"),
            tabular.probability("p, by\nevaluator", "p_clustered"),
            tabular.whole("Evaluators", "evaluators"),
        ),
    )


def leaning(score: PairwiseScore) -> Table:
    return tabulated(
        score.sides["flagged"],
        name="comparison-leaning",
        title="Evaluators who lean to one side",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.whole("Left", "left"),
            tabular.whole("Right", "right"),
            tabular.whole("Longest\nrun", "longest_run"),
            tabular.probability("p", "p"),
            tabular.probability("p of\nthe run", "p_run"),
            tabular.probability("Holm", "p_holm"),
            *tabular.further(
                tabular.percent("Share of the left", "left_share"),
                tabular.words("Always", "always"),
            ),
        ),
    )


MOST_PAIRS: Final = 45
"""Pairs that a terminal shows, those of ten conditions; of more, each condition and the next."""


def beneath(score: PairwiseScore) -> tuple[Table, ...]:
    tested = score.sequential is None
    return that_say_something([pairs(score, choose_pairs(score, MOST_PAIRS), tested=tested)])


def of_judges(score: PairwiseScore) -> tuple[Table, ...]:
    """Arrange judges next to people: overall, by pair, and by the place of images."""
    if score.judges is None:
        return ()
    from hype.judges.tables import first_images, pairs, summary

    return summary(score.judges), pairs(score.judges), first_images(score.judges)


def every_table(score: PairwiseScore) -> tuple[Table, ...]:
    return (
        conditions(score),
        pairs(score, tested=score.sequential is None),
        agreement(score),
        left_out(score),
        validation(score),
        sides(score),
        leaning(score),
        demographics(score),
        demographic_tests(score),
        looks(score),
        *of_judges(score),
    )


def looks(score: PairwiseScore) -> Table:
    arena = score.sequential
    return Table(
        name="comparison-looks",
        title="When the rule of the arena looked",
        columns=(
            tabular.name("Evaluators", "evaluators"),
            tabular.number("Level", "level", 4),
        ),
        rows=tuple(zip(arena.looks, arena.levels, strict=True)) if arena else (),
    )


def facts(score: PairwiseScore) -> dict[str, object]:
    """List what JSON holds besides tables, for comparisons only."""
    arena = score.sequential
    known = ("goal", "images", "alpha", "planned", "next_look", "reached", "top", "pairs")
    return {
        "criterion": score.criterion,
        "votes": score.votes,
        "comparisons": score.comparisons,
        "fit": fit_facts(score.fit),
        "plan": score.plan,
        "min_correct": score.validation and score.validation["min_correct"],
        "sequential": arena and {name: getattr(arena, name) for name in (*known, "separated")},
    }


def images(ends: Sequence[Row]) -> Table:
    return end_table(
        ends,
        (
            tabular.whole("Compa-\nrisons", "comparisons"),
            tabular.whole("Wins", "wins"),
            tabular.whole("Ties", "ties"),
            tabular.percent("Win\nrate", "win_rate", of="share"),
            tabular.percents("95% CI", "win_rate", of=lambda row: (row["low"], row["high"])),
        ),
        name="comparison-extreme-images",
        title="Images chosen most and least often",
        called=("most", "least"),
    )


TITLE: Final = "Comparisons: how often the images of a condition were chosen; equals have 50%"

lines: Final = partial(notes_of, Path(__file__).parent)
"""Writes one whose sentences stand one by one."""


@group()
def comparison_table(
    score: PairwiseScore, *, background: Sequence[str] = (), whole: bool = True
) -> Iterator[RenderableType]:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.comparison.score.score_comparisons` returns it. ``background``:
    sentences on where it comes from, such as what was registered. ``whole``: with every table and
    note.
    """
    yield from opening(TITLE, lines("asked", score=score), simulated=score.simulated)
    table = conditions(score)
    yield grid(table)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield from texts(ranks(score.conditions, score.pairs))
    if score.sequential is not None:
        yield Text(f"Arena: {score.sequential.said}")
    if whole:
        for table in beneath(score):
            yield from beneath_scores(table)
    yield from texts(*(say(block, score=score) for block in ("pairs", "arena_errors")))
    yield from map(Text, lines("cautions", score=score, where="--json"))
    if score.pairs:
        yield from texts(say("plan", score=score))
    if score.judges is not None:
        yield from lay_out_in_terminal(score.judges)
    yield Text()
    if whole:
        yield Text("Answers and evaluators", style="bold")
        yield from texts(say("agreement", score=score), score.sides["said"])
        yield from map(Text, lines("validated", score=score))
        yield from texts(
            say("hasty", score=score), shared("not_scored", exclusions=score.exclusions)
        )
        yield from texts(*(question["said"] for question in score.demographics))
    known = ((score.pairs, "all pairs of conditions"), (score.agreement, "agreement"))
    more = [*(words for what, words in known if what), "sides"]
    yield from closing(background, intervals(score), score.notes, whole=whole, more=more)
