"""The parts of HYPE's scores, in their order on the page and in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rich.console import Group

from hype.judges.tables import lay_out_in_terminal
from hype.protocols.hype.tables import papers_test
from hype.protocols.hype.wording import METHOD_NAMES, interval_sentence, meaning_of, score_sentences
from hype.report import wording
from hype.report.layout import Slot, Terminal, lay_out_terminal
from hype.report.parts import Place
from hype.report.scores import Scores
from hype.report.tabular import slug

LAYOUT: Final = (
    Slot("conditions", Place.RESULT, figure="intervals", leads=True, terminal=Terminal.MAIN),
    Slot("separability", Place.RESULT, title="Pairs of conditions"),
    Slot("two-way", terminal=Terminal.WHOLE),
    Slot("qualification", Place.PEOPLE, terminal=Terminal.NOTES, hint="qualification"),
    Slot("errors", Place.DETAILS),
    Slot("answers", Place.DETAILS, terminal=Terminal.NOTES, hint="d′ and criterion"),
    Slot("confidence-areas", Place.DETAILS, terminal=Terminal.NOTES, hint="confidence"),
    Slot("calibration", Place.DETAILS),
    Slot("agreement", Place.PEOPLE, terminal=Terminal.NOTES, hint="Krippendorff's α"),
    Slot("staircases", Place.DETAILS, terminal=Terminal.NOTES, hint="the course of the staircases"),
    Slot("quest-plus", Place.DETAILS, terminal=Terminal.NOTES, hint="estimates of QUEST+"),
    Slot("psychometric", Place.DETAILS),
    Slot("thresholds", Place.DETAILS, terminal=Terminal.WHOLE),
    Slot("precision", Place.DETAILS, table=None),
    Slot("response-times", Place.DETAILS),
    Slot("metrics", Place.DETAILS, terminal=Terminal.WHOLE),
    Slot("against-time", Place.DETAILS, terminal=Terminal.WHOLE),
    Slot("as-in-the-paper", Place.PAPER, terminal=Terminal.WHOLE),
    Slot("tukey", Place.PAPER),
    Slot("judges", Place.PEOPLE),
    Slot("why", Place.PEOPLE),
    Slot(
        "images",
        Place.IMAGES,
        title="Images that were taken for real most and least often",
        table="fakes-at-either-end",
    ),
)


def drop_repeats(scores: Sequence[Scores]) -> Iterator[Scores]:
    """Drop the notes and tables of the second method that repeat those of the first."""
    said: tuple[str, ...] = ()
    for place, score in enumerate(scores):
        twice = slug(score.protocol, "qualification") if place else ""
        yield replace(
            score,
            notes=tuple(note for note in score.notes if note not in said),
            tables=tuple(table for table in score.tables if table.name != twice),
        )
        said += score.notes


def score_table(scores: Sequence[Scores], *, whole: bool = True) -> Group:
    """Arrange scores for a terminal of at least 80 columns; ``whole``: all tables and notes."""
    return Group(
        *(
            lay_out_terminal(
                score,
                LAYOUT,
                title=f"{METHOD_NAMES[score.protocol]}: {meaning_of(score)}",
                sentences={
                    "conditions": score_sentences(score),
                    "as-in-the-paper": tuple(name_pairs(score)),
                },
                judges=lay_out_in_terminal(score.judges) if score.judges else (),
                intervals=interval_sentence(score),
                whole=whole,
            )
            for score in drop_repeats(scores)
        )
    )


MOST_PAIRS: Final = 21
"""A terminal shows at most this many pairs; seven conditions have 21 pairs."""


def name_pairs(score: Scores) -> Iterator[str]:
    """List the p of the paper's test for each pair; such a list is shorter than a table."""
    table = score.table("tukey")
    pairs = [pair for pair in table.records if pair.p is not None] if table else []
    if table and pairs:
        test, more = papers_test(table.records), len(pairs) - MOST_PAIRS
        named = [f"{one.a} – {one.b} {wording.probability(one.p)}" for one in pairs[:MOST_PAIRS]]
        rest = [f"{more} more: hype report --tables DIR"] if more > 0 else []
        yield f"{test}: {'; '.join(named + rest)}. {table.note}".strip()
