"""What a report shows of the answers behind the scores: computed once, before anything is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from hype.protocols.hype.exclusion import (
    Exclusion,
    Treatment,
    are_measured,
    are_spoiled,
    counted,
    exclusions,
)
from hype.protocols.hype.images import ImageDifferences, image_differences
from hype.protocols.hype.response_times import ResponseTimes, response_times
from hype.protocols.hype.results import ConditionScore, Score
from hype.protocols.hype.thresholds import Curve, psychometric_curves
from hype.protocols.hype.wording import protocol_name
from hype.report.parts import Fact
from hype.session.timing import TIMING_COLUMNS, TimingTable, table_of_rows
from hype.statistics.arrays import FloatArray

MOST_TRACES: Final = 30
_MOST_POINTS: Final = 400
_QUARTILES: Final = (0.25, 0.5, 0.75)
_MOST_LABELS: Final = 6


@dataclass(frozen=True, kw_only=True)
class StaircaseCourse:
    """The staircases of one condition."""

    quartiles: FloatArray  # trial, and the three quartiles of the exposure in ms; shape (4, trials)
    traces: tuple[FloatArray, ...]  # trial and exposure of single blocks, shape (trials, 2) each
    blocks: int
    # For each label of a block the quartiles of the scores of the blocks that have it, in ms; empty
    # where there is one label, or more than can be told apart
    scores: Mapping[str, FloatArray]


def course_of(row: ConditionScore, judgements: pd.DataFrame) -> StaircaseCourse:
    blocks = judgements.groupby(["evaluator", "block"], observed=True, sort=True).indices
    trials = judgements["trial"].to_numpy(dtype=float)
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)
    places = list(blocks.values())
    rng = np.random.default_rng(len(places))  # a draw, but the same one every time
    drawn = sorted(rng.permutation(len(places))[:MOST_TRACES])
    return StaircaseCourse(
        quartiles=_quartiles(trials, exposures_ms),
        traces=tuple(_trace(trials[places[n]], exposures_ms[places[n]]) for n in drawn),
        blocks=len(places),
        scores=_scores_by_label(row),
    )


def _quartiles(trials: FloatArray, exposures_ms: FloatArray) -> FloatArray:
    """Give the trials, and the quartiles of the exposures in each; shape (4, trials)."""
    order = np.lexsort((exposures_ms, trials))
    sorted_ms = exposures_ms[order]
    distinct, first, counts = np.unique(trials[order], return_index=True, return_counts=True)
    rows = [distinct]
    for share in _QUARTILES:
        at = share * (counts - 1)
        below = first + at.astype(np.int64)
        above = np.minimum(below + 1, first + counts - 1)
        part = at - np.floor(at)
        rows.append(sorted_ms[below] + part * (sorted_ms[above] - sorted_ms[below]))
    return np.vstack(rows)


def _trace(trials: FloatArray, exposures_ms: FloatArray) -> FloatArray:
    """Give the points of one block's line; of a very long one some."""
    order = np.argsort(trials, kind="stable")
    points = np.column_stack([trials[order], exposures_ms[order]])
    return points[:: -(-len(points) // _MOST_POINTS)]


def _scores_by_label(row: ConditionScore) -> dict[str, FloatArray]:
    by_label: dict[str, list[float]] = {}
    for evaluator in row.evaluator_scores:
        for block in evaluator.blocks:
            by_label.setdefault(block.block, []).append(block.exposure_ms)
    if not 1 < len(by_label) <= _MOST_LABELS:
        return {}
    labels = sorted(by_label, key=lambda label: (len(label), label))
    return {
        label: np.array(np.quantile(by_label[label], _QUARTILES), dtype=float) for label in labels
    }


Bounds = tuple[float, float]


def known_bounds_ms(score: Score, judgements: pd.DataFrame) -> Bounds | None:
    """Give floor and ceiling in ms.

    None for a table that does not tell them: the extremes that were shown are no bounds. Untimed
    scores have none either.
    """
    stairs = score.conditions[0].staircases
    if stairs is None or not {"floor_ms", "ceiling_ms"} <= set(judgements.columns):
        return None
    return stairs.shortest_ms, stairs.longest_ms


@dataclass(frozen=True, kw_only=True)
class AnswerTimes:
    """Response times of one condition, of correct and of wrong answers."""

    condition: str
    correct_ms: FloatArray
    wrong_ms: FloatArray

    @property
    def median_ms(self) -> float:
        return float(np.median(np.concatenate([self.correct_ms, self.wrong_ms])))


def times_of_conditions(score: Score, judgements: pd.DataFrame) -> tuple[AnswerTimes, ...]:
    if "rt_ms" not in judgements:
        return ()
    rt_ms = judgements["rt_ms"].to_numpy(dtype=float)
    fake = judgements["truth"].eq("fake").to_numpy()
    correct = judgements["answer"].eq("fake").to_numpy() == fake
    # No logarithm of 0; what took less than a millisecond is no answer to what was seen.
    known = rt_ms >= 1
    answered = []
    for row in score.conditions:
        own = judgements["condition"].eq(row.condition).to_numpy() & known
        times = AnswerTimes(
            condition=row.condition,
            correct_ms=rt_ms[own & correct],
            wrong_ms=rt_ms[own & ~correct],
        )
        answered += [times] if own.any() else []
    return tuple(answered)


@dataclass(frozen=True, kw_only=True)
class Durations:
    """Pictures of one kind."""

    nominal_ms: FloatArray  # how long they should have been shown
    # By how many frames they were shown for longer; both of shape (pictures,)
    frames_off: FloatArray


def _durations(measured: pd.DataFrame, prefix: str) -> Durations:
    """Read pictures of one kind; of masks several durations stand in one cell."""
    names = [f"{prefix}_{rest}" for rest in ("nominal_ms", "frames", "measured_ms")]
    if not set(names) <= set(measured.columns):
        return Durations(nominal_ms=np.empty(0), frames_off=np.empty(0))
    table = measured[names].set_axis(["nominal_ms", "frames", "measured_ms"], axis=1)
    if prefix == "mask":
        table["measured_ms"] = table["measured_ms"].astype(str).str.split()
        table = table.explode("measured_ms")
        table["measured_ms"] = pd.to_numeric(table["measured_ms"], errors="coerce")
    table = table.dropna().astype(float)
    off_ms = table["measured_ms"] - table["nominal_ms"]
    frame_ms = table["nominal_ms"] / table["frames"]
    return Durations(
        nominal_ms=table["nominal_ms"].to_numpy(), frames_off=(off_ms / frame_ms).to_numpy()
    )


def measured_timing(judgements: pd.DataFrame) -> TimingTable:
    trials = judgements.loc[are_measured(judgements)]
    columns = [name for name in TIMING_COLUMNS if name in trials]
    return table_of_rows(trials[columns].to_dict("records"))


def key_facts(scores: Sequence[Score], judgements: pd.DataFrame) -> tuple[Fact, ...]:
    scored = judgements[judgements["task"].isin([score.protocol for score in scores])]
    simulated = any(score.simulated for score in scores)
    conditions = {row.condition for score in scores for row in score.conditions}
    evaluators = scored["evaluator"].nunique()
    return (
        ("Protocols", ", ".join(protocol_name(score) for score in scores)),
        ("Conditions", f"{len(conditions):,}"),
        ("Simulated evaluators" if simulated else "Evaluators", f"{evaluators:,}"),
        ("Judgements", f"{sum(r.judgements for s in scores for r in s.conditions):,}"),
    )


@dataclass(frozen=True, kw_only=True)
class MeasuredExposures:
    """How long pictures were on the screen."""

    timing: TimingTable  # every measured trial
    # images, masks: by how much they differed from what was asked for
    images: Durations
    masks: Durations
    verdicts: Mapping[str, int]  # how many trials have each of them


@dataclass(frozen=True, kw_only=True)
class ProtocolAnswers:
    """The answers to one protocol."""

    bounds_ms: Bounds | None  # floor and ceiling of the staircases, where they are known
    # courses, curves: staircases and psychometric curves by condition; none for answers without a
    # time limit
    courses: Mapping[str, StaircaseCourse]
    curves: Mapping[str, Curve]
    # Response times of each condition that has any, in the order of the scores
    times: tuple[AnswerTimes, ...]
    response_times: ResponseTimes | None  # the same in figures; None where there are none
    # Whether the fakes of a condition differ, where images have names
    differences: Mapping[str, ImageDifferences]


@dataclass(frozen=True, kw_only=True)
class JudgementAnswers:
    """The answers behind all scores of a report."""

    of_protocols: Mapping[str, ProtocolAnswers]  # those to each protocol that has a score
    measured: MeasuredExposures  # how long pictures were on the screen
    exclusions: tuple[Exclusion, ...]  # what was not scored, and why
    facts: tuple[Fact, ...]  # how much was scored, for the head of a page


def answers_behind(
    scores: Sequence[Score], judgements: pd.DataFrame, spoiled: Treatment
) -> JudgementAnswers:
    """Take from judgements what a report shows of them beside their scores.

    From those that were scored, and those that were not; ``spoiled`` is as it was told to `score`.
    """
    of_finished = judgements[counted(judgements)]
    return JudgementAnswers(
        of_protocols={score.protocol: protocol_answers(score, of_finished) for score in scores},
        measured=measured_exposures(of_finished),
        exclusions=exclusions(judgements, spoiled),
        facts=key_facts(scores, of_finished),
    )


def protocol_answers(score: Score, judgements: pd.DataFrame) -> ProtocolAnswers:
    own = judgements[judgements["task"].eq(score.protocol)]
    left_out = score.spoiled_trials is not None and score.spoiled_trials.left_out
    scored = own[~are_spoiled(own)] if left_out else own
    timed = score.protocol == "time"
    return ProtocolAnswers(
        bounds_ms=known_bounds_ms(score, own),
        courses=courses_of(score, own) if timed else {},
        curves=psychometric_curves(scored) if timed else {},
        times=times_of_conditions(score, own),
        response_times=response_times(own),
        differences=image_differences(scored),
    )


def courses_of(score: Score, judgements: pd.DataFrame) -> dict[str, StaircaseCourse]:
    """Give the staircases of each condition; none if it is not known which trial an answer was."""
    if "repeats" in judgements:  # at the end of few blocks only
        judgements = judgements[judgements["repeats"].isna()]
    if "trial" not in judgements or judgements["trial"].isna().any():
        return {}
    return {
        row.condition: course_of(row, judgements[judgements["condition"].eq(row.condition)])
        for row in score.conditions
    }


def measured_exposures(judgements: pd.DataFrame) -> MeasuredExposures:
    measured = judgements[are_measured(judgements)]
    return MeasuredExposures(
        timing=measured_timing(judgements),
        images=_durations(measured, "exposure"),
        masks=_durations(measured, "mask"),
        verdicts=Counter(measured.get("verdict", ())),
    )
