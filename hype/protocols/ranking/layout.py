"""How scores of rankings are laid out: the order of tables and figures, and the sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from hype.judges.tables import best_first, lay_out_in_terminal, name_means
from hype.protocols.prompted.wording import intervals, ranks, read_facts
from hype.report.layout import Layout, Slot, Terminal, lay_out_terminal
from hype.report.methods import notes_of, render_block
from hype.report.parts import Place
from hype.report.scores import Scores

LAYOUT: Final[Layout] = (
    Slot("asked", Place.ASKED, title="What was asked"),
    Slot("conditions", Place.RESULT, figure="strengths", leads=True, terminal=Terminal.MAIN),
    Slot("pairs", Place.RESULT, title="Conditions in pairs"),
    Slot("agreement", Place.PEOPLE, terminal=Terminal.NOTES, hint="agreement"),
    Slot("models", Place.PEOPLE, title="Preference models compared with people"),
    Slot("why", Place.PEOPLE),
    Slot("screening", Place.PEOPLE, terminal=Terminal.NOTES, hint="screening"),
    Slot("images", Place.IMAGES, title="Images most often first and last", table="extreme-images"),
    Slot("registered", Place.DETAILS, title="What was fixed in advance"),
    Slot("places", Place.DETAILS),
    Slot("benchmark", Place.DETAILS, title="Benchmark by preference models"),
    Slot("exclusions", terminal=Terminal.NOTES, hint="what was not scored"),
)
TITLE: Final = "Rankings: the images of a group in order, the best one first"

say: Final = partial(render_block, Path(__file__).parent)
"""Fills in a block of notes.txt."""
lines: Final = partial(notes_of, Path(__file__).parent)
"""Fills in a block of notes.txt that is a list of sentences."""


def sentences_of(scores: Scores) -> dict[str, tuple[str, ...]]:
    """Write the sentences of each topic. Sentences on a table have the table's name as topic."""
    score = read_facts(scores)
    written = {
        "asked": lines("asked", score=score),
        "problems": (score["fit"]["problems"], score["fit"]["bt_problems"]),
        "ranks": (ranks(score["conditions"], score["pairs"]),),
        "pairs": (say("pairs", score=score),),
        "agreement": lines("agreement", score=score),
        "screening": (say("screening", score=score),) if score["screening"] else (),
    }
    return {name: tuple(dict.fromkeys(filter(None, own))) for name, own in written.items()}


def lay_out(scores: Scores, background: Sequence[str], *, whole: bool) -> RenderableType:
    """Arrange scores for a terminal; ``background``: where the answers come from."""
    of = sentences_of(scores)
    return lay_out_terminal(
        scores,
        LAYOUT,
        title=TITLE,
        sentences={
            "conditions": (scores.facts["fit"]["problems"], *of["ranks"], *of["pairs"]),
            **{name: of[name] for name in ("agreement", "screening")},
        },
        asked=of["asked"],
        judges=lay_out_models(scores) if scores.judges else (),
        background=background,
        intervals=intervals(scores),
        whole=whole,
    )


def lay_out_models(scores: Scores) -> Iterator[RenderableType]:
    yield from lay_out_in_terminal(scores.judges)
    if benchmarks := best_first(scores.judges):
        yield Text(name_means(benchmarks[0]))
        yield Text(say("benchmarks", more=len(benchmarks) - 1), style="dim")
