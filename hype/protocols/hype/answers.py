"""What a report shows of the answers behind the scores: computed once, before anything is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.protocols.hype.block_scores import are_right
from hype.protocols.hype.images import image_differences
from hype.protocols.hype.results import Row, Rows, Score
from hype.protocols.hype.table import (
    Exclusion,
    Treatment,
    are_counted,
    are_measured,
    are_spoiled,
    exclusions,
)
from hype.protocols.hype.thresholds import EvaluatorCurve, fit_curves
from hype.protocols.hype.wording import protocol_name
from hype.report.parts import Fact
from hype.session.timing import TIMING_COLUMNS, TimingTable, table_of_rows
from hype.statistics.proportions import median_interval

MOST_TRACES: Final = 30
_MOST_POINTS: Final = 400
_QUARTILES: Final = np.array([0.25, 0.5, 0.75])
_MOST_LABELS: Final = 6
PICTURES: Final = {"exposure": "image", "mask": "mask"}
"""What the columns of measured durations begin with, and what the pictures are called."""

Bounds = tuple[float, float]


def staircase_courses(score: Score, judgements: pd.DataFrame) -> Rows:
    """Give the staircases of each condition; none if it is not known which trial an answer was.

    ``quartiles``: trial, and the three quartiles of the exposure in ms, shape (4, trials);
    ``traces``: trial and exposure of single blocks, shape (trials, 2) each, of a very long one some
    points; ``blocks``: how many there are; ``scores``: for each label of a block the quartiles of
    the scores of the blocks that have it, in ms, empty if there is one label, or more than can
    be told apart.
    """
    if "repeats" in judgements:  # at the end of few blocks only
        judgements = judgements[judgements["repeats"].isna()]
    if "trial" not in judgements or judgements["trial"].isna().any():
        return ()
    shown = judgements[["condition", "evaluator", "block", "trial", "exposure_ms"]]
    shown = shown.astype({"trial": float, "exposure_ms": float})
    by_condition = dict(list(shown.groupby(shown["condition"].astype(str))))
    every = pd.DataFrame(list(score.blocks))
    courses = []
    for name in score.names:
        own = by_condition[name]
        blocks = list(own.groupby(["evaluator", "block"], observed=True).indices.values())
        rng = np.random.default_rng(len(blocks))  # a draw, but the same one every time
        drawn = sorted(rng.permutation(len(blocks))[:MOST_TRACES])
        points = own[["trial", "exposure_ms"]].to_numpy()
        traces = [points[blocks[n]] for n in drawn]
        traces = [trace[np.argsort(trace[:, 0], kind="stable")] for trace in traces]
        quartiles = own.groupby("trial")["exposure_ms"].quantile(_QUARTILES)
        scores = every[every["condition"].eq(name)].groupby("block")["exposure_ms"]
        labels = sorted(map(str, scores.groups), key=lambda label: (len(label), label))
        several = labels if 1 < len(labels) <= _MOST_LABELS else []
        courses.append(
            {
                "condition": name,
                "quartiles": np.vstack(
                    [quartiles.index.unique(0), quartiles.to_numpy().reshape(-1, 3).T]
                ),
                "traces": [trace[:: -(-len(trace) // _MOST_POINTS)] for trace in traces],
                "blocks": len(blocks),
                "scores": {n: np.quantile(scores.get_group(n), _QUARTILES) for n in several},
            }
        )
    return tuple(courses)


def times_of_conditions(score: Score, judgements: pd.DataFrame) -> Rows:
    """Give the response times, in ms, of the correct and the wrong answers of each condition."""
    if "rt_ms" not in judgements:
        return ()
    rt_ms, correct = judgements["rt_ms"].to_numpy(dtype=float), are_right(judgements)
    # No logarithm of 0; what took less than a millisecond is no answer to what was seen.
    known = rt_ms >= 1
    rows = []
    for name in score.names:
        own = judgements["condition"].eq(name).to_numpy() & known
        if own.any():
            rows.append(
                {
                    "condition": name,
                    "correct": rt_ms[own & correct],
                    "wrong": rt_ms[own & ~correct],
                    "median": float(np.median(rt_ms[own])),
                }
            )
    return tuple(rows)


def measured_pictures(judgements: pd.DataFrame) -> pd.DataFrame:
    """Return each picture's intended time on the screen, and the error of its real time.

    The columns are ``kind`` (image, mask), ``nominal_ms``, and ``frames_off``, by how many frames
    it was shown for longer.
    """
    measured = judgements[are_measured(judgements)]
    pictures = [pd.DataFrame(columns=["kind", "nominal_ms", "frames_off"])]
    for prefix, kind in PICTURES.items():
        names = [f"{prefix}_{rest}" for rest in ("nominal_ms", "frames", "measured_ms")]
        if not set(names) <= set(measured.columns):
            continue
        table = measured[names].set_axis(["nominal_ms", "frames", "measured_ms"], axis=1)
        if kind == "mask":  # a cell holds the durations of several masks
            table["measured_ms"] = table["measured_ms"].astype(str).str.split()
            table = table.explode("measured_ms")
            table["measured_ms"] = pd.to_numeric(table["measured_ms"], errors="coerce")
        table = table.dropna().astype(float)
        frame_ms = table["nominal_ms"] / table["frames"]
        off = (table["measured_ms"] - table["nominal_ms"]) / frame_ms
        pictures.append(table[["nominal_ms"]].assign(kind=kind, frames_off=off))
    return pd.concat([one for one in pictures if len(one)] or pictures[:1], ignore_index=True)


def measured_timing(judgements: pd.DataFrame) -> TimingTable:
    trials = judgements.loc[are_measured(judgements)]
    columns = [name for name in TIMING_COLUMNS if name in trials]
    return table_of_rows(trials[columns].to_dict("records"))


def key_facts(scores: Sequence[Score], judgements: pd.DataFrame) -> tuple[Fact, ...]:
    scored = judgements[judgements["task"].isin([score.protocol for score in scores])]
    simulated = any(score.simulated for score in scores)
    conditions = {name for score in scores for name in score.names}
    evaluators = scored["evaluator"].nunique()
    return (
        ("Protocols", ", ".join(protocol_name(score) for score in scores)),
        ("Conditions", f"{len(conditions):,}"),
        ("Simulated evaluators" if simulated else "Evaluators", f"{evaluators:,}"),
        ("Judgements", f"{sum(r['judgements'] for s in scores for r in s.conditions):,}"),
    )


@dataclass(frozen=True, kw_only=True)
class ProtocolAnswers:
    """The answers to one protocol."""

    bounds_ms: Bounds | None  # floor and ceiling of the staircases, where they are known
    # courses, curves: staircases and psychometric curves of conditions; none for answers without a
    # time limit
    courses: Rows
    curves: Mapping[str, tuple[EvaluatorCurve, ...]]
    # Response times of each condition that has any, in the order of the scores
    times: Rows
    response_times: Rows  # the same in figures
    # Whether the fakes of a condition differ, where images have names
    differences: Mapping[str, Row]


@dataclass(frozen=True, kw_only=True)
class JudgementAnswers:
    """The answers behind all scores of a report."""

    of_protocols: Mapping[str, ProtocolAnswers]  # those to each protocol that has a score
    timing: TimingTable  # every measured trial
    pictures: pd.DataFrame  # by how much they were shown too long
    verdicts: Mapping[str, int]  # how many trials have each of them
    exclusions: tuple[Exclusion, ...]  # what was not scored, and why
    facts: tuple[Fact, ...]  # how much was scored, for the head of a page


def answers_behind(
    scores: Sequence[Score], judgements: pd.DataFrame, spoiled: Treatment
) -> JudgementAnswers:
    """Take from judgements what a report shows of them besides their scores.

    From those that were scored, and those that were not; ``spoiled`` is as given to `score`.
    """
    of_finished = judgements[are_counted(judgements)]
    measured = of_finished[are_measured(of_finished)]
    return JudgementAnswers(
        of_protocols={score.protocol: protocol_answers(score, of_finished) for score in scores},
        timing=measured_timing(of_finished),
        pictures=measured_pictures(of_finished),
        verdicts=Counter(measured.get("verdict", ())),
        exclusions=exclusions(judgements, spoiled),
        facts=key_facts(scores, of_finished),
    )


def protocol_answers(score: Score, judgements: pd.DataFrame) -> ProtocolAnswers:
    own = judgements[judgements["task"].eq(score.protocol)]
    left_out = score.spoiled_trials is not None and score.spoiled_trials.left_out
    scored = own[~are_spoiled(own)] if left_out else own
    timed = score.protocol == "time"
    return ProtocolAnswers(
        # The extremes that a table shows are no bounds.
        bounds_ms=score.bounds_ms if {"floor_ms", "ceiling_ms"} <= set(own.columns) else None,
        courses=staircase_courses(score, own) if timed else (),
        curves=fit_curves(scored) if timed else {},
        times=times_of_conditions(score, own),
        response_times=response_times(own, score.names),
        differences=image_differences(scored),
    )


TOO_FAST_MS: Final = 200.0
"""A choice between two keys that begins with the picture takes people longer. In HYPE_time the
clock starts after the masks, and a decision may have been made before: there it proves nothing."""
TOO_SLOW_MS: Final = 60_000.0
"""Somebody did something else meanwhile."""


def response_times(
    judgements: pd.DataFrame, conditions: Sequence[str]
) -> tuple[dict[str, Any], ...]:
    """Sum up the response times of one protocol, a row for each condition that has any.

    ``median`` and ``quartiles`` in ms; ``evaluators_median``, that of evaluators' medians, with its
    interval between two of theirs (`median_interval`; without ends of fewer than six); how many
    times are ``too_fast`` and ``too_slow``, which are among all the others here; and how many are
    ``missing``.
    """
    if "rt_ms" not in judgements:
        return ()
    times = judgements[["condition", "evaluator", "rt_ms"]]
    by_condition = dict(list(times.groupby(times["condition"].astype(str))))
    rows = []
    for condition in conditions:
        every = by_condition[condition]
        known = every.dropna(subset="rt_ms")
        if known.empty:
            continue
        rt_ms = known["rt_ms"].to_numpy(dtype=float)
        low_ms, median_ms, high_ms = np.quantile(rt_ms, (0.25, 0.5, 0.75)).tolist()
        medians_ms = np.sort(known.groupby("evaluator", observed=True)["rt_ms"].median())
        rows.append(
            {
                "condition": condition,
                "median": median_ms,
                "quartiles": (low_ms, high_ms),
                "evaluators_median": float(np.median(medians_ms)),
                "evaluators_interval": median_interval(medians_ms) or (None, None),
                "too_fast": int((rt_ms < TOO_FAST_MS).sum()),
                "too_slow": int((rt_ms > TOO_SLOW_MS).sum()),
                "missing": len(every) - len(known),
            }
        )
    return tuple(rows)
