"""What a study of ratings asks about, for judges who are no people."""

from __future__ import annotations

from typing import Final

from hype.export.columns import ExportedColumn, Kind
from hype.export.kinds.base import Items
from hype.export.kinds.rating_answers import answers_of
from hype.protocol.comparison import Candidate
from hype.protocol.rating import RatedItem
from hype.sessions.outgoing import Row
from hype.sessions.rating_pools import read_rating_pools
from hype.study.studies import RatingStudy

NO_IMAGE: Final = Candidate(path="", condition="", sha256="")
MEANINGS: Final = {
    "item": "name of what is rated, as in ratings.csv and in what a judge answers",
    "prompt": "what the images are to show",
    "first_image": "path of the first image within the stimulus set",
    "second_image": "path of the second image; empty where one image is rated",
    "first": "condition that made the first image; a judge is not to know it",
    "second": "condition that made the second image; empty where one image is rated",
}
COLUMNS: Final = tuple(
    ExportedColumn(name=name, meaning=meaning, kind=Kind.TEXT, gaps=name.startswith("second"))
    for name, meaning in MEANINGS.items()
)
JUDGES: Final = {
    "answers": "one CSV file with the columns judge, item, axis and answer, a row for each item "
    "and axis, the answer about the item's first image",
    "scores": "or one with the columns judge, image and score (and axis, if it scores several), "
    "higher is better",
    "then": "hype score STUDY --judges FILE",
}
"""What judges are to give."""


def items_of(study: RatingStudy) -> Items:
    """List all items of the design, and the axes with their questions and answers."""
    settings, pools = study.settings, read_rating_pools(study)
    rows = sorted(row_of(item) for share in pools.shares for item in share)
    pairs = settings.rating.of == "pairs"
    axes = [
        {
            "name": axis.name,
            "question": axis.question,
            "answers": dict(answers_of(axis, pairs=pairs)),
        }
        for axis in pools.axes
    ]
    asked = {
        "rated": settings.rating.of,
        "prompt": settings.rating.prompt,
        "axes": axes,
        "judges": JUDGES,
    }
    return Items(rows=tuple(rows), columns=COLUMNS, name="items", asked=asked)


def row_of(item: RatedItem) -> Row:
    """Give an item's row, in the order of `COLUMNS`."""
    first, second, *_ = (*item.images, NO_IMAGE)
    return (
        *(item.name, item.prompt, first.path, second.path),
        *(first.condition, second.condition),
    )
