"""Automated judges held against people's ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hype.judges.agreement import axis_agreement
from hype.judges.copied import copied
from hype.judges.findings import Said, with_words
from hype.judges.items import judged
from hype.judges.matrix_agreement import Matrices
from hype.judges.options import JudgeOptions
from hype.judges.people import people_of
from hype.judges.position import position
from hype.judges.results import JudgeAgreement, RatingJudgesScore
from hype.judges.second_person import second_person
from hype.judges.verdicts import Verdict
from hype.statistics.proportions import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from hype.judges.items import Judged
    from hype.judges.people import People
    from hype.judges.results import AxisAgreement
    from hype.judges.table import Judges


def judge_ratings(
    ratings: pd.DataFrame, judges: Judges, options: JudgeOptions | None = None
) -> RatingJudgesScore:
    """Hold judges against people's ratings.

    Parameters
    ----------
    ratings
        As `check_ratings` returns them; rows that are not scored do not count.
    judges
        As `read_judges` returns them.
    options
        The choices; None for the usual ones.

    Raises
    ------
    InputError
        No rating is scored; or a judge names an item, image or axis that people did not rate, gives
        an answer that is not on the scale, or scores without an axis where there are several and
        none is the overall one. The message names the file and the row.

    Notes
    -----
    An item that a judge did not answer is no error: the judge is held against people on what it
    answered, and its coverage is told. What it or people called not relevant is in no correlation,
    κ or direction.
    """
    options = options or JudgeOptions()
    people = people_of(ratings, options.scale, first=options.axes)
    matrices = Matrices(people, options)
    pairs = [
        (_agreement(one, people, matrices, options), copied(one, people))
        for one in judged(judges, people, overall=options.overall)
    ]
    agreements = _corrected_positions([agreement for agreement, _ in pairs])
    seconds = tuple(
        second_person(people, axis, confidence=options.confidence)
        for axis in range(len(people.axes))
    )
    overall = options.overall if options.overall in people.axes else None
    said = Said(people=seconds, overall=overall, pairs=people.pairs, alpha=options.alpha)
    found = [
        with_words(agreement, said, copies=copies)
        for agreement, (_, copies) in zip(agreements, pairs, strict=True)
    ]
    return RatingJudgesScore(
        axes=people.axes,
        overall=overall,
        pairs=people.pairs,
        people=seconds,
        judges=tuple(sorted(found, key=lambda one: _best_first(one, overall))),
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
        notes=_notes(people),
    )


def _agreement(
    one: Judged, people: People, matrices: Matrices, options: JudgeOptions
) -> JudgeAgreement:
    axes = _corrected(
        [
            axis_agreement(one, people, axis, confidence=options.confidence)
            for axis in range(len(people.axes))
        ]
    )
    answered = sum(row.answered for row in axes)
    asked = sum(row.items for row in axes if row.answered)
    known = [row.correlation.r for row in axes if row.correlation.r is not None]
    return JudgeAgreement(
        judge=one.judge,
        shape=one.shape,
        answered=answered,
        asked=asked,
        coverage=answered / asked if asked else 0.0,
        axes=axes,
        mean_r=float(np.mean(known)) if known else None,
        matrix=matrices.agreement(one),
        position=position(one, people),
        verdict=Verdict.UNKNOWN,
        said=(),
    )


def _corrected(rows: Sequence[AxisAgreement]) -> tuple[AxisAgreement, ...]:
    """Correct p for the number of axes."""
    p = holm([np.nan if row.p is None else row.p for row in rows])
    return tuple(
        row if row.p is None else replace(row, p_holm=float(each))
        for row, each in zip(rows, p, strict=True)
    )


def _corrected_positions(agreements: Sequence[JudgeAgreement]) -> list[JudgeAgreement]:
    """Correct p of positions for the number of judges."""
    p = holm([np.nan if one.position is None else one.position.p for one in agreements])
    return [
        replace(one, position=replace(one.position, p_holm=float(each))) if one.position else one
        for one, each in zip(agreements, p, strict=True)
    ]


def _best_first(one: JudgeAgreement, overall: str | None) -> tuple[bool, float, str]:
    r = one.mean_r if overall is None else one.axis(overall).correlation.r
    r = one.mean_r if r is None else r
    return r is None, -(r or 0.0), one.judge


def _notes(people: People) -> tuple[str, ...]:
    who = "evaluators" if people.evaluator is not None else "answers, whose evaluators are unknown,"
    also = " and items" if people.repeated and people.evaluator is not None else ""
    notes = [
        "Every rating by a person is met with the judge's answer to its item and axis; what "
        "either called not relevant is missing in both.",
        f"Intervals take {who}{also} for the independent units; p is corrected for the number of "
        "axes of a judge, not for the number of judges, but for the first image's p.",
    ]
    if people.pairs:
        notes.append(
            "A judge that scores images prefers the one with the higher score; its r is that of "
            "the difference of the scores, and its κ that of which image is better, where both "
            "prefer one. Judges that answer have κ of all levels as names."
        )
    return tuple(notes)
