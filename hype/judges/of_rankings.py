"""Preference models held against people's rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.errors import InputError
from hype.judges.benchmark import benchmarks_of
from hype.judges.choices import compared
from hype.judges.items import by_judge, known_images
from hype.judges.options import JudgeOptions
from hype.judges.preference import preference_agreement
from hype.judges.preference_findings import with_words
from hype.judges.preference_results import RankingJudgesScore
from hype.judges.table import place_of
from hype.tables.columns import shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

    from hype.judges.choices import Compared
    from hype.judges.table import Judges

FloatArray = npt.NDArray[np.float64]


def judge_rankings(
    rankings: pd.DataFrame,
    judges: Judges,
    options: JudgeOptions | None = None,
    *,
    failed: Collection[str] = (),
) -> RankingJudgesScore:
    """Hold preference models against people's rankings.

    Parameters
    ----------
    rankings
        As `check_rankings` returns them, with names of images; rankings that are not scored do not
        count, and where the column split calls any of them test, only those do.
    judges
        As `read_judges` returns them; all score images.
    options
        The choices; None for the usual ones.
    failed
        Evaluators whom the study's screening leaves out.

    Raises
    ------
    InputError
        No ranking is scored, or images have no names; or a model answers instead of scoring,
        scores an image that is in no ranking and has no prompt, or gives an image two scores.

    Notes
    -----
    An image without a score is no error: the model is held against the choices that it can make.
    Images with a prompt that are in no ranking are of a benchmark.
    """
    options = options or JudgeOptions()
    if not judges.answers.empty:
        judge = shortened(str(judges.answers["judge"].iloc[0]))
        problem = f"the judge {judge!r} answers items, and rankings have none"
        raise InputError(
            place_of(judges.answers, 0), problem, "needed are the columns image, score"
        )
    said = compared(rankings, failed=failed)
    found = [
        with_words(
            preference_agreement(name, scores, said, confidence=options.confidence), options.alpha
        )
        for name, scores in _scores(judges.scores, said.images)
    ]
    return RankingJudgesScore(
        held_out=said.held_out,
        judges=tuple(sorted(found, key=lambda one: (-(one.accuracy.value or 0.0), one.judge))),
        benchmarks=benchmarks_of(judges.scores, groups=options.groups),
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
        notes=_notes(said),
    )


def _scores(table: pd.DataFrame, every: tuple[str, ...]) -> Iterator[tuple[str, FloatArray]]:
    """Give each model's scores of the images of `Compared.images`."""
    image = known_images(table, every)
    judge = table["judge"].cat.codes.to_numpy().astype(np.int64)
    _refuse_two_scores(table, judge, image, len(every))
    values = table["score"].to_numpy()
    for name, rows in by_judge(table):
        held = rows[image[rows] >= 0]
        scores = np.full(len(every), np.nan)
        scores[image[held]] = values[held]
        yield name, scores


def _refuse_two_scores(
    table: pd.DataFrame,
    judge: npt.NDArray[np.int64],
    image: npt.NDArray[np.int64],
    images: int,
) -> None:
    """Refuse two scores of an image, which two axes, prompts or conditions may have let through."""
    held = np.flatnonzero(image >= 0)
    keys = judge[held] * images + image[held]
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(np.diff(keys[order]) == 0)
    if again.size:
        first, second = (int(held[order[again[0] + step]]) for step in (0, 1))
        name = shortened(str(table["image"].iloc[second]))
        problem = f"scores the image {name!r} again, first in {place_of(table, first)}"
        raise InputError(
            place_of(table, second), problem, "one score of an image; axes do not count"
        )


def _notes(said: Compared) -> tuple[str, ...]:
    held = (
        "Only rankings of the part called test count: they were held out of training."
        if said.held_out
        else "No column split says which rankings were held out: nobody can tell from the table "
        "whether a model was trained on them, and its accuracy may flatter it."
    )
    return (
        held,
        "Accuracy is the share of people's choices between two images in which the chosen one has "
        "the higher score; ties of people do not count, equal scores count as half. Its interval "
        "takes evaluators and groups of images for the independent units.",
    )
