"""Comparisons as votes: each is one."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Engine

from hype.export.votes_by_pair import Ballot, Vote
from hype.protocol.comparison import Choice
from hype.sessions.exported_comparisons import COMPARED
from hype.study.studies import ComparisonStudy

CELLS: Final = (
    *("excluded", "evaluator", "prompt", "answer"),
    *("left_image", "left", "left_sha256", "right_image", "right", "right_sha256"),
)
VERDICTS: Final = {Choice.LEFT.value: 1, Choice.RIGHT.value: -1, Choice.TIE.value: 0}


def votes_of(engine: Engine, study: ComparisonStudy, simulated: bool) -> Ballot:
    """Collect the comparisons that are scored."""
    exported = COMPARED.read(engine, study, simulated=simulated)
    cells: Any = itemgetter(*map(exported.columns.index, CELLS))
    ballot = Ballot()
    for excluded, evaluator, prompt, answer, *sides in map(cells, exported.rows):
        if not excluded and answer in VERDICTS:
            left, right = tuple(sides[:3]), tuple(sides[3:])
            ballot.cast(evaluator, Vote(prompt, left, right, VERDICTS[answer]))
    return ballot
