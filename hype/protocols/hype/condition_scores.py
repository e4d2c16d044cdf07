"""What conditions score: judgements to blocks, evaluators and conditions.

`precision` is the paper's Figure 4 (Zhou et al. 2019, section 3): the interval of the bootstrap for
10 to 120 evaluators, drawn with replacement from those there are; from ten of them on, and to four
times as many, since a few people tell little of how people vary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.block_scores import is_quest_plus, score_blocks, staircase_bounds
from hype.protocols.hype.error_rates import count_errors
from hype.protocols.hype.inference import (
    EVERY,
    Inference,
    inference_of_errors,
    inference_of_exposures,
)
from hype.protocols.hype.table import Treatment, check_treatment, drop_spoiled
from hype.statistics.arrays import FloatArray
from hype.statistics.crossed import Images
from hype.statistics.resampling import check_draws, condition_rng

ALPHA: Final = 0.05
CONFIDENCE: Final = 0.95


@dataclass(frozen=True, kw_only=True)
class Options:
    """What an analyst chooses.

    InputError for fewer than two draws, a negative seed, an unknown treatment of spoiled trials, or
    an accuracy that is not above chance and below 1.
    """

    # Of every bootstrap. The same seed gives the same figures, whatever the order of the rows and
    # whichever other conditions there are.
    draws: int = 10_000
    seed: int = 0
    # Whether trials of HYPE_time whose verdict is late, dropped or seen are scored
    spoiled: Treatment = "keep"
    # Whether to resample evaluators and images together as well, where images have names (Owen &
    # Eckles 2012): a second opinion on error rates, slower than all the rest
    two_way: bool = False
    # Whether images are a sample of what a model makes, or all that is spoken of ("fixed")
    images: Images = "sample"
    # Protocol to the difference below which conditions are equivalent, in ms or percentage points
    margins: Mapping[str, float] = field(default_factory=dict)
    # Accuracy at which thresholds are wanted of each evaluator's psychometric function; None: none
    thresholds_at: float | None = None
    order: Sequence[str] = ()  # of conditions, along which to test for a trend
    metrics: pd.DataFrame | None = None  # of the conditions, as `read_metrics` returns them
    by: str | None = None  # the column of the classes that metrics are of, if they are of any
    progress: Callable[[int, int], None] | None = None  # called with fits done, and all of them

    def __post_init__(self) -> None:
        check_draws(self.draws)
        condition_rng(self.seed, "")
        check_treatment(self.spoiled)
        if self.thresholds_at is not None and not 0.5 < self.thresholds_at < 1:
            allowed = "an accuracy above 0.5, which is chance, and below 1"
            raise InputError("at", f"{self.thresholds_at:g}", allowed)


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgementRows:
    """The judgements of one protocol, and what blocks and evaluators score by them."""

    protocol: str  # "time" or "infinity"
    # All trials. How far a staircase came does not depend on what the screen did.
    shown: pd.DataFrame
    scored: pd.DataFrame  # those that count

    @property
    def timed(self) -> bool:
        return self.protocol == "time"

    def only(self, which: pd.Series) -> JudgementRows:
        kept = which[self.scored.index]
        return replace(self, shown=self.shown[which], scored=self.scored[kept])

    @cached_property
    def quest_plus(self) -> bool:
        """Whether QUEST+ chose the exposures."""
        return self.timed and is_quest_plus(self.shown)

    @cached_property
    def bounds_ms(self) -> tuple[float, float]:
        """Floor and ceiling of the exposures."""
        return staircase_bounds(self.shown)

    @cached_property
    def blocks(self) -> pd.DataFrame:
        """The blocks of the time protocol, as `score_blocks` gives them."""
        return score_blocks(self.scored, self.bounds_ms if self.quest_plus else None)

    @cached_property
    def evaluators(self) -> pd.DataFrame:
        """What `count_errors` gives, with ``score`` and ``left_out`` judgements.

        The score is in percent (infinity), or the mean over blocks in ms. Judgements are left out
        since the screen spoiled their trials.
        """
        keys = ["condition", "evaluator"]
        found = count_errors(self.scored)
        if self.timed:
            means_ms = self.blocks.groupby(keys)["exposure_ms"].mean()
            found = found.merge(means_ms.rename("score").reset_index(), on=keys)
        else:
            found["score"] = 100 * found["wrong"] / found["judgements"]
        shown = found[keys].merge(count_errors(self.shown), on=keys)
        return found.assign(left_out=shown["judgements"] - found["judgements"])

    def summands(self, condition: str) -> tuple[list[float], list[float]]:
        """Give what a score is made of: a sum of totals by evaluator over a sum of weights.

        The one is a mean, the other a pooled rate.
        """
        own = self.evaluators[self.evaluators["condition"].eq(condition)]
        if self.timed:
            return own["score"].tolist(), [1.0] * len(own)
        return (100.0 * own["wrong"]).tolist(), own["judgements"].astype(float).tolist()

    def scores(self) -> dict[str, float]:
        """Give the score of each condition, by name."""
        names = self.evaluators["condition"].unique()
        sums = {name: self.summands(name) for name in names}
        return {name: sum(totals) / sum(weights) for name, (totals, weights) in sums.items()}

    def infer(self, images: Images) -> Inference:
        """Infer what holds for other people and other images."""
        if not self.timed:
            return inference_of_errors(self.scored, images)
        return inference_of_exposures(
            self.scored,
            self.blocks["exposure_ms"].to_numpy(),
            images,
            bounds_ms=self.bounds_ms,
            # Modes are exposures that were shown; QUEST+'s estimates may lie beyond.
            possible_ms=EVERY if self.quest_plus else self.bounds_ms,
        )

    def tested(self, inferred: Inference, names: Iterable[str]) -> dict[str, FloatArray]:
        """Return each evaluator's tested value: the score, or errors weighting both kinds alike."""
        column = "score" if inferred.same_mix else "mean_error"
        every = self.evaluators.groupby("condition")[column]
        own = {name: values.dropna() for name, values in every}
        return {name: own[name].to_numpy() if len(own[name]) else np.zeros(1) for name in names}


def select_rows(everyone: pd.DataFrame, protocol: str, options: Options) -> JudgementRows:
    """Take the judgements of one protocol; the options decide on those that the screen spoiled."""
    scored = drop_spoiled(everyone) if options.spoiled == "leave-out" else everyone
    return JudgementRows(protocol=protocol, shown=everyone, scored=scored)


SIZES: Final = tuple(range(10, 121, 10))
"""Numbers of evaluators in the paper's Figure 4."""
FEWEST_FOR_PRECISION: Final = 10
MOST_TIMES: Final = 4
"""As many times the evaluators there are a curve of precision goes on."""
_CELLS: Final = 2**17
"""Evaluators times draws held in memory at once; few enough for a processor's cache."""


def precision(
    totals: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float = CONFIDENCE,
    sizes: Iterable[int] = SIZES,
) -> tuple[dict[str, Any], ...]:
    """Resample evaluators, more and more of them, and tell how their score varies.

    A draw of 20 evaluators is a draw of 10 and ten more, so that the curve is smooth. Totals and
    weights, above 0, are one number for each of two evaluators or more; a score is the sum of the
    one over that of the other, as in `hype.statistics.resampling.bootstrap`.

    Returns
    -------
    tuple of dict
        A row for each number of ``evaluators``, ascending: ``std`` (n - 1 in the denominator),
        ``low`` and ``high`` (percentiles) of their scores.
    """
    wanted = sorted(sizes)
    joining = list(pairwise((0, *wanted)))

    def grown(values: FloatArray, drawn: npt.NDArray[np.int64]) -> FloatArray:
        """Sum values of growing groups; shape (sizes, draws), or (sizes, 1) if all are equal."""
        if np.all(values == values[0]):  # as weights often are
            return np.array([[high] for _, high in joining], dtype=float) * float(values[0])
        sums = [values[drawn[low:high]].sum(axis=0) for low, high in joining]
        return np.cumsum(np.array(sums, dtype=float), axis=0)

    people = np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)
    step = max(1, _CELLS // wanted[-1])
    parts = []
    for start in range(0, draws, step):
        drawn = rng.integers(len(people[0]), size=(wanted[-1], min(step, draws - start)))
        total, weight = (grown(each, drawn) for each in people)
        parts.append(np.broadcast_to(total / weight, (len(wanted), drawn.shape[1])))
    scores = np.hstack(parts)
    stds = scores.std(axis=1, ddof=1).tolist()
    ends = np.quantile(scores, ((1 - confidence) / 2, (1 + confidence) / 2), axis=1).tolist()
    return tuple(
        {"evaluators": size, "std": std, "low": low, "high": high}
        for size, std, low, high in zip(wanted, stds, *ends, strict=True)
    )
