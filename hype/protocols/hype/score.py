"""From judgements to scores, and to what a terminal and a leaderboard show of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from hype.answers.choices import Choices
from hype.answers.groups import GroupMeasure
from hype.errors import InputError
from hype.files import write_table
from hype.leaderboard.boards import Measured, entry_of
from hype.protocols.facets import Scoring
from hype.protocols.hype.exclusion import counted
from hype.protocols.hype.further_tables import score_table
from hype.protocols.hype.groups import judgement_measures
from hype.protocols.hype.images import image_scores
from hype.protocols.hype.judgements import (
    Judgements,
    judgements_for,
    options_of,
    score_judgements,
)
from hype.protocols.hype.results import Score
from hype.protocols.hype.scoring import alpha_of_all
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import SCORED_TASKS
from hype.statistics.agreement import Alpha
from hype.study.versions import alike
from hype.tables.spreadsheet_text import as_cell


def as_object(scored: tuple[Score, ...]) -> object:
    """Give one object, or a list of those of both methods."""
    objects = [score.to_json() for score in scored]
    return objects[0] if len(objects) == 1 else objects


def laid_out(answers: Judgements, scored: tuple[Score, ...]) -> RenderableType:
    said = answers.said if answers.registration else ()
    return Group(score_table(scored), *map(Text, said))


def agreement(answers: Judgements, choices: Choices) -> Alpha | None:
    return alpha_of_all(answers.frame, choices.images)


def group_measures(answers: Judgements, choices: Choices) -> Iterator[GroupMeasure]:
    return judgement_measures(answers.frame, options_of(answers, choices))


def measured(
    _answers: Judgements, scored: tuple[Score, ...], _choices: Choices
) -> Iterator[Measured]:
    for score in scored:
        timed = score.protocol == "time"
        yield Measured(
            title="HYPE_time" if timed else "HYPE_∞",
            unit=score.unit,
            decimals=1,
            about="The modal exposure (the score of Zhou et al.): a longer one means more "
            "convincing images."
            if timed
            else "How often people are wrong about images without a time limit; at 50 % they "
            "guess.",
            simulated=score.simulated,
            entries=tuple(
                entry_of(
                    row.condition,
                    row.interval,
                    value=row.score,
                    evaluators=row.evaluators,
                    answers=row.judgements,
                )
                for row in score.conditions
            ),
            pairs=score.pairwise,
        )


def alike_with_materials(study: Study) -> dict[str, object]:
    """Give settings, and of what is here: how masks were made, and which images are real."""
    from hype.session.materials import describe_materials

    methods = study.settings.study.methods
    idle = tuple(f"{task}." for task in SCORED_TASKS if task not in methods)
    return alike(study, idle) | describe_materials(study)


def image_table(judgements: Judgements) -> pd.DataFrame:
    """Say how often each image was shown and called fake.

    Raises InputError: the judgements name no images.
    """
    frame = judgements.frame[counted(judgements.frame)]
    table = image_scores(frame[frame["task"].isin(SCORED_TASKS)])
    if table.empty:
        raise InputError("--images", "the judgements name no images", "a column 'image'")
    return table


def write_images(judgements: Judgements, path: Path) -> None:
    """Write what `image_table` gives."""
    table = image_table(judgements)
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    cells = ({str(key): as_cell(value) for key, value in row.items()} for row in rows)
    write_table(path, list(table.columns), cells)


SCORING: Final = Scoring(
    read=judgements_for,
    score=score_judgements,
    laid_out=laid_out,
    alike=alike_with_materials,
    as_object=as_object,
    agreement=agreement,
    group_measures=group_measures,
    measured=measured,
)
