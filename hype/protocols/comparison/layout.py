"""The parts of comparison scores, in order, and their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType

from hype.judges.tables import lay_out_in_terminal
from hype.protocols.prompted.wording import intervals, ranks, read_facts
from hype.report.layout import Layout, Slot, Terminal, lay_out_terminal
from hype.report.methods import notes_of, render_block
from hype.report.parts import Place
from hype.report.scores import Scores

LAYOUT: Final[Layout] = (
    Slot("asked", Place.ASKED, title="What was asked"),
    Slot("strengths-by-criterion", Place.RESULT, terminal=Terminal.WHOLE),
    Slot("conditions", Place.RESULT, figure="ranking", leads=True, terminal=Terminal.MAIN),
    Slot(
        "pairs",
        Place.RESULT,
        title="Which of two",
        terminal=Terminal.NOTES,
        hint="all pairs of conditions",
    ),
    Slot("both-bad", Place.RESULT, terminal=Terminal.NOTES, hint="both are bad"),
    Slot("agreement", Place.PEOPLE, terminal=Terminal.NOTES, hint="agreement"),
    Slot("demographics", Place.PEOPLE),
    Slot("judges", Place.PEOPLE, title="Judges compared with people"),
    Slot("why", Place.PEOPLE),
    Slot("images", Place.IMAGES, title="Images chosen most and least", table="extreme-images"),
    Slot("registered", Place.DETAILS, title="What was fixed in advance"),
    Slot("course", Place.DETAILS),
    Slot("confidence-steps", Place.DETAILS, terminal=Terminal.NOTES, hint="confidence"),
    Slot("sides", Place.DETAILS, terminal=Terminal.NOTES, hint="sides"),
    Slot("leaning", Place.DETAILS),
    Slot("response-times", Place.DETAILS),
    Slot("validation", Place.DETAILS),
    Slot("answers", terminal=Terminal.NOTES),
    Slot("exclusions", terminal=Terminal.NOTES, hint="what was not scored"),
)
OF_ALL: Final = tuple(
    slot
    for slot in LAYOUT
    if slot.name in ("asked", "strengths-by-criterion", "demographics", "why", "registered")
    or slot.name in ("validation", "answers", "exclusions")
)
OF_CRITERION: Final = tuple(slot for slot in LAYOUT if slot not in OF_ALL)
"""The parts of each criterion if there are several; `OF_ALL` are the common parts."""
TITLE: Final = (
    "Comparisons: how often the images of a condition were chosen; 50% means no difference"
)

say: Final = partial(render_block, Path(__file__).parent)
"""Writes a block of notes.txt."""
lines: Final = partial(notes_of, Path(__file__).parent)
"""Writes a block of notes.txt that is a list of sentences."""


def sentences_of(scores: Scores) -> dict[str, tuple[str, ...]]:
    """Write the sentences by topic; for sentences about a table, the topic is the table's name."""
    score = read_facts(scores)
    arena = score["sequential"]
    written = {
        "asked": lines("asked", score=score),
        "problems": (score["fit"]["problems"],),
        "ranks": (ranks(score["conditions"], score["pairs"]), arena["said"] if arena else ""),
        "pairs": (
            say("pairs", score=score),
            say("arena_errors", score=score),
            *lines("cautions", score=score),
        ),
        "plan": (say("plan", score=score),),
        "agreement": (say("agreement", score=score),),
        "sides": tuple(found["said"] for found in score["sides"]),
        "validation": lines("validated", score=score),
        "hasty": (say("hasty", score=score),),
        "demographics": tuple(question["said"] for question in score["demographic_tests"]),
        "intervals": (intervals(scores),),
    }
    return {name: tuple(filter(None, own)) for name, own in written.items()}


def lay_out(
    scores: Scores, background: Sequence[str], *, whole: bool, criterion: str = ""
) -> RenderableType:
    """Arrange scores for a terminal: first the common parts, then each criterion.

    ``background``: where the answers come from. ``criterion``: its name, if there are several.
    """
    of = sentences_of(scores)
    first = ("problems", "ranks", "pairs", "plan")
    last = ("validation", "hasty", "demographics")
    laid_out = lay_out_terminal(
        scores,
        OF_ALL if scores.parts else OF_CRITERION if criterion else LAYOUT,
        title=f"Criterion: {criterion}" if criterion else TITLE,
        sentences={
            "conditions": [sentence for name in first for sentence in of[name]],
            "answers": [sentence for name in last for sentence in of[name]],
            "strengths-by-criterion": of["plan"] if scores.parts else (),
            **{name: of[name] for name in ("agreement", "sides")},
        },
        asked=of["asked"],
        judges=lay_out_in_terminal(scores.judges) if scores.judges else (),
        background=background,
        intervals=" ".join(of["intervals"]),
        whole=whole,
    )
    parts = (lay_out(part, (), whole=whole, criterion=name) for name, part in scores.parts.items())
    return Group(laid_out, *parts)
