"""Ratings of pairs as votes: on one axis, for the image that was found better."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Engine

from hype.errors import InputError
from hype.export.votes_by_pair import Ballot, Vote
from hype.protocol.rating import NOT_RELEVANT
from hype.sessions.exported_ratings import RATED
from hype.study.studies import RatingStudy

OVERALL: Final = "overall"
CELLS: Final = (
    *("excluded", "axis", "evaluator", "prompt", "answer"),
    *("first_image", "first", "first_sha256", "second_image", "second", "second_sha256"),
)


def axis_of(study: RatingStudy) -> str:
    """Give the axis that says which image is better on the whole.

    Raises
    ------
    InputError
        There are several, and none is called so.
    """
    names = study.settings.axis_names
    if OVERALL not in names and len(names) > 1:
        raise InputError(
            study.path,
            f"rates on several axes, and none is called {OVERALL!r}: nothing says which image is "
            "preferred",
            f"--format csv has the answers on {', '.join(names)}",
        )
    return OVERALL if OVERALL in names else names[0]


def votes_of(engine: Engine, study: RatingStudy, simulated: bool) -> Ballot:
    """Collect the ratings on that axis that are scored, and count those that are not relevant.

    How much better an image is does not count.
    """
    axis, middle = axis_of(study), (study.settings.rating.levels + 1) // 2
    exported = RATED.read(engine, study, simulated=simulated)
    cells: Any = itemgetter(*map(exported.columns.index, CELLS))
    ballot, not_relevant = Ballot(), 0
    for excluded, rated, evaluator, prompt, answer, *images in map(cells, exported.rows):
        if excluded or rated != axis:
            continue
        if answer == NOT_RELEVANT:
            not_relevant += 1
        elif answer.isdecimal():
            level, first, second = int(answer), tuple(images[:3]), tuple(images[3:])
            verdict = (level < middle) - (level > middle)
            ballot.cast(evaluator, Vote(prompt, first, second, verdict))
    ballot.told = {
        "axis": axis,
        "not_relevant_left_out": not_relevant,
    }
    return ballot
