"""What a study of rankings asks about, for preference models."""

from __future__ import annotations

from typing import Final

from hype.export.columns import ExportedColumn, Kind
from hype.export.kinds.base import Items
from hype.sessions.exported_rankings import SPLITS, split_of
from hype.sessions.ranking_pools import read_ranking_pools
from hype.study.studies import RankingStudy

MEANINGS: Final = {
    "group": "name of the group that is ranked, as in rankings.csv",
    "prompt": "what the images are to show",
    "image": "path of the image within the stimulus set, as in what a judge scores",
    "condition": "condition that made it; a judge is not to know it",
}
COLUMNS: Final = (
    *(
        ExportedColumn(name=name, meaning=meaning, kind=Kind.TEXT)
        for name, meaning in MEANINGS.items()
    ),
    ExportedColumn(
        name="split",
        meaning="what the prompt may be used for; empty where none is held out",
        kind=Kind.TEXT,
        levels=SPLITS,
        gaps=True,
    ),
)
JUDGES: Final = {
    "scores": "one CSV file with the columns judge, image and score, a row for each image, higher "
    "is better",
    "then": "hype score STUDY --judges FILE",
}
"""What judges are to give."""


def items_of(study: RankingStudy) -> Items:
    """List all images of the design, group by group; those of the test are not scored."""
    asked, pools = study.settings.ranking, read_ranking_pools(study)
    rows = sorted(
        (name, group.prompt, image.path, image.condition, split_of(group.prompt, pools.held_out))
        for name, group in pools.groups.items()
        for image in group.images
    )
    return Items(
        rows=tuple(rows),
        columns=COLUMNS,
        name="images",
        asked={
            "question": asked.question,
            "prompt": asked.prompt,
            "ties": asked.ties,
            "judges": JUDGES,
        },
    )
