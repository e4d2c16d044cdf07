"""Common sentences about results of comparisons, ratings and rankings."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.export.kind import TaskWords
from hype.report.methods import render_block
from hype.report.parts import Fact
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows
from hype.study.phrases import any_of

if TYPE_CHECKING:
    from hype.statistics.paired_counts import Randomness


shared: Final = partial(render_block, Path(__file__).parent)
"""Renders a block of prompted/notes.txt."""


def ranks(rows: Rows, pairs: Rows) -> str:
    ranked = [row for row in rows if row["rank_low"] is not None]
    open_ranks = [
        f"{row['condition']} {row['rank_low']} to {row['rank_high']}"
        for row in ranked
        if row["rank_low"] < row["rank_high"]
    ]
    return shared("ranks", open=open_ranks, pairs=pairs, every=len(ranked) == len(rows))


def describe_randomness(random: Randomness | None) -> str:
    return shared("allowed_for", random=random) if random else ""


def read_facts(scores: Scores) -> Row:
    """Return the values that sentences refer to: the facts, and the rows of the tables."""
    prefix = f"{scores.protocol}-"
    names = {table.name: table.name.removeprefix(prefix) for table in scores.tables}
    rows = {own.replace("-", "_"): scores.rows(own) for own in names.values()}
    return {"simulated": scores.simulated, **rows, **scores.facts}


def intervals(scores: Scores) -> str:
    facts = scores.facts
    return say_intervals(facts["random"], facts["confidence"], arena=bool(facts.get("sequential")))


def say_intervals(random: Randomness | None, confidence: float, *, arena: bool = False) -> str:
    """Describe what intervals and tests generalise beyond; empty if there are no intervals."""
    if random is None:
        return ""
    return shared(
        "intervals", confidence=confidence, allowed=describe_randomness(random), arena=arena
    )


NO_STRENGTH: Final = "unknown"
MOST_NAMED: Final = 3


def name_leaders(conditions: Rows) -> Fact:
    """Name the conditions that may be the best; ``conditions``: the strongest first."""
    tops = firsts(conditions)
    if not tops:
        return "On top", NO_STRENGTH
    every = all(row["strength"] is not None for row in conditions)
    return "On top" if every else "Top condition with a strength", any_of(tops)


def firsts(conditions: Rows) -> list[str]:
    """List the conditions that may be the best; without ranks, the strongest one."""
    strong = [row for row in conditions if row["strength"] is not None]
    return [row["condition"] for row in strong if row["rank_low"] == 1] or [
        row["condition"] for row in strong[:1]
    ]


PROMPT: Final = {"hidden": "The prompt was not shown.", "shown": "The prompt was shown above."}
"""How the prompt was shown."""
TESTED: Final = "A test on images whose quality is known. The answers are not scored."
REFERENCE: Final = "The reference image (manifest column “reference”) was shown too."


def task_words(description: str, *read: str, question: str = "") -> TaskWords:
    """Describe a task, with the texts that people read before it and in each trial."""
    filled = (text.replace("{question}", question) if question else text for text in read)
    return TaskWords(description=description, instructions="\n\n".join(filled))


def one_line(question: str) -> str:
    return f"“{' '.join(question.split())}”"
