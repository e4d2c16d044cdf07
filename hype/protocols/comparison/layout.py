"""Where the parts of scores of comparisons stand, and the sentences beside them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import RenderableType

from hype.judges.tables import lay_out_in_terminal
from hype.protocols.prompted.wording import intervals, known, ranks
from hype.report.layout import Layout, Slot, Terminal, lay_out_terminal
from hype.report.methods import notes_of, said
from hype.report.parts import Place
from hype.report.scores import Scores

LAYOUT: Final[Layout] = (
    Slot(name="asked", place=Place.ASKED, title="What was asked"),
    Slot(
        name="conditions",
        place=Place.RESULT,
        figure="ranking",
        leads=True,
        terminal=Terminal.MAIN,
    ),
    Slot(
        name="pairs",
        place=Place.RESULT,
        title="Which of two",
        terminal=Terminal.NOTES,
        hint="all pairs of conditions",
    ),
    Slot(name="agreement", place=Place.PEOPLE, terminal=Terminal.NOTES, hint="agreement"),
    Slot(name="demographics", place=Place.PEOPLE),
    Slot(name="judges", place=Place.PEOPLE, title="Judges compared with people"),
    Slot(name="extreme-images", place=Place.IMAGES, title="Images chosen most, and least"),
    Slot(name="registered", place=Place.DETAILS, title="What was fixed beforehand"),
    Slot(name="course", place=Place.DETAILS),
    Slot(name="sides", place=Place.DETAILS, terminal=Terminal.NOTES, hint="sides"),
    Slot(name="leaning", place=Place.DETAILS),
    Slot(name="response-times", place=Place.DETAILS),
    Slot(name="validation", place=Place.DETAILS),
    Slot(name="answers", terminal=Terminal.NOTES),
    Slot(name="exclusions", terminal=Terminal.NOTES, hint="what was not scored"),
)
TITLE: Final = "Comparisons: how often the images of a condition were chosen; equals have 50%"

say: Final = partial(said, Path(__file__).parent)
"""Writes a block of notes.txt."""
lines: Final = partial(notes_of, Path(__file__).parent)
"""Writes one whose sentences stand one by one."""


def sentences_of(scores: Scores) -> dict[str, tuple[str, ...]]:
    """Write the sentences by what they are about, those of tables by the tables' names."""
    score = known(scores)
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
    }
    return {name: tuple(filter(None, own)) for name, own in written.items()}


def lay_out(scores: Scores, background: Sequence[str], *, whole: bool) -> RenderableType:
    """Lay scores out for a terminal; ``background``: where the answers come from."""
    of = sentences_of(scores)
    first = ("problems", "ranks", "pairs", "plan")
    last = ("validation", "hasty", "demographics")
    return lay_out_terminal(
        scores.protocol,
        LAYOUT,
        title=TITLE,
        simulated=scores.simulated,
        tables=scores.tables,
        sentences={
            "conditions": [sentence for name in first for sentence in of[name]],
            "answers": [sentence for name in last for sentence in of[name]],
            **{name: of[name] for name in ("agreement", "sides")},
        },
        asked=of["asked"],
        judges=lay_out_in_terminal(scores.judges) if scores.judges else (),
        background=background,
        intervals=intervals(scores),
        notes=scores.notes,
        whole=whole,
    )
