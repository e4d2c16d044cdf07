"""Scores of evaluators and conditions, and the judgements that are left out.

Zhou et al. (2019), section 2.2: HYPE_infinity is how often evaluators are wrong. `precision` is the
paper's Figure 4 (section 3): the bootstrap interval for 10 to 120 evaluators, drawn with
replacement from the study's evaluators. A curve of precision needs at least ten evaluators, and
goes up to four times their number, since few people show little about the variation between people.
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
from scipy import sparse

from hype.errors import InputError
from hype.protocols.hype.block_scores import is_quest_plus, score_blocks, staircase_bounds
from hype.protocols.hype.images import label_codes
from hype.protocols.hype.inference import (
    EVERY,
    Inference,
    inference_of_errors,
    inference_of_exposures,
)
from hype.protocols.hype.table import TREATMENTS, Treatment, are_left_out, drop_spoiled
from hype.protocols.hype.trial import SCORED_TASKS
from hype.report.tabular import Row, Rows
from hype.session.steps import Ending
from hype.statistics.arrays import FloatArray, renumber
from hype.statistics.estimate import Images
from hype.statistics.proportions import median_interval
from hype.statistics.resampling import check_draws, condition_rng
from hype.tables.reasons import COMPLETE

ALPHA: Final = 0.05
CONFIDENCE: Final = 0.95


@dataclass(frozen=True, kw_only=True)
class Options:
    """The analyst's options.

    Raises InputError: fewer than two draws, a negative seed, an unknown treatment of spoiled
    trials, or an accuracy that is not between chance and 1.
    """

    # The number of draws of every bootstrap. The same seed gives the same numbers; the order of the
    # rows and the other conditions do not matter.
    draws: int = 10_000
    seed: int = 0
    # Whether trials of HYPE_time with the verdict late, dropped or seen are scored
    spoiled: Treatment = "keep"
    # Whether to also resample evaluators and images together, if images have names (Owen &
    # Eckles 2012). This is a second estimate of how error rates vary, and the slowest step.
    two_way: bool = False
    # "sample" if images are a sample of the model's output, "fixed" if only they are of interest
    images: Images = "sample"
    # By protocol: the difference below which conditions are equivalent, in ms or percentage points
    margins: Mapping[str, float] = field(default_factory=dict)
    # Accuracy at which each evaluator's threshold is estimated; None for no thresholds
    thresholds_at: float | None = None
    order: Sequence[str] = ()  # an order of conditions, to test for a trend
    metrics: pd.DataFrame | None = None  # metrics of the conditions, from `read_metrics`
    by: str | None = None  # the column of classes, if the metrics are given by class
    # A function that is called with the numbers of finished fits and of all fits
    progress: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        check_draws(self.draws)
        condition_rng(self.seed, "")
        if self.spoiled not in TREATMENTS:
            allowed = f"it must be {' or '.join(TREATMENTS)}"
            raise InputError("spoiled", f"{self.spoiled!r} is not allowed", allowed)
        if self.thresholds_at is not None and not 0.5 < self.thresholds_at < 1:
            allowed = "an accuracy above 0.5, which is chance, and below 1"
            raise InputError("at", f"{self.thresholds_at:g}", allowed)


def percent(part: int, whole: int) -> float | None:
    # Multiply first, so that equal rates from unequal counts are equal to the last bit.
    return 100 * part / whole if whole else None


COUNTS: Final = ["judgements", "wrong", "fakes", "fakes_wrong", "reals", "reals_wrong"]


def count_errors(judgements: pd.DataFrame) -> pd.DataFrame:
    """Count the judgements and errors of each evaluator in one protocol.

    Returns a row for each condition and evaluator, sorted by condition and evaluator. Columns:
    `COUNTS`, and in percent ``fakes_error``, ``reals_error`` and their unweighted mean
    ``mean_error``; NaN without fakes or reals.
    """
    conditions, names = pd.factorize(judgements["condition"], sort=True)
    evaluators, codes = pd.factorize(judgements["evaluator"], sort=True)
    pairs, evaluated = pd.factorize(conditions * len(codes) + evaluators, sort=True)
    real = judgements["truth"].eq("real").to_numpy()
    wrong = real != judgements["answer"].eq("real").to_numpy()
    tally = np.bincount(4 * pairs + 2 * real + wrong, minlength=4 * len(evaluated)).reshape(-1, 4)
    fakes_right, fakes_wrong, reals_right, reals_wrong = tally.T
    fakes, reals = fakes_right + fakes_wrong, reals_right + reals_wrong
    with np.errstate(invalid="ignore"):
        fakes_error, reals_error = 100 * fakes_wrong / fakes, 100 * reals_wrong / reals
        mean_error = 50 * (fakes_wrong / fakes + reals_wrong / reals)
    return pd.DataFrame(
        {
            "condition": names[evaluated // len(codes)].astype(str).astype(object),
            "evaluator": codes[evaluated % len(codes)].astype(str).astype(object),
            "judgements": fakes + reals,
            "wrong": fakes_wrong + reals_wrong,
            "fakes": fakes,
            "fakes_wrong": fakes_wrong,
            "reals": reals,
            "reals_wrong": reals_wrong,
            "fakes_error": fakes_error,
            "reals_error": reals_error,
            "mean_error": mean_error,
        }
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgementRows:
    """The judgements of one protocol, with the scores of its blocks and evaluators."""

    protocol: str  # "time" or "infinity"
    # All trials: the course of a staircase includes trials that the screen spoiled.
    shown: pd.DataFrame
    scored: pd.DataFrame  # the scored trials

    @property
    def timed(self) -> bool:
        return self.protocol == "time"

    def only(self, which: pd.Series) -> JudgementRows:
        kept = which[self.scored.index]
        return replace(self, shown=self.shown[which], scored=self.scored[kept])

    @cached_property
    def quest_plus(self) -> bool:
        return self.timed and is_quest_plus(self.shown)

    @cached_property
    def bounds_ms(self) -> tuple[float, float]:
        return staircase_bounds(self.shown)

    @cached_property
    def blocks(self) -> pd.DataFrame:
        return score_blocks(self.scored, self.bounds_ms if self.quest_plus else None)

    @cached_property
    def evaluators(self) -> pd.DataFrame:
        """The rows of `count_errors`, with ``score`` and the number of judgements ``left_out``.

        The score is in percent (infinity), or the mean over blocks in ms. Judgements are left out
        if the screen spoiled their trials.
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
        """Return each evaluator's total and weight; the score is the ratio of their sums.

        The score is a mean for HYPE_time, and a pooled rate for HYPE_infinity.
        """
        own = self.evaluators[self.evaluators["condition"].eq(condition)]
        if self.timed:
            return own["score"].tolist(), [1.0] * len(own)
        return (100.0 * own["wrong"]).tolist(), own["judgements"].astype(float).tolist()

    def scores(self) -> dict[str, float]:
        names = self.evaluators["condition"].unique()
        sums = {name: self.summands(name) for name in names}
        return {name: sum(totals) / sum(weights) for name, (totals, weights) in sums.items()}

    def people(self) -> dict[str, dict[str, float]]:
        """Return the score of each evaluator, by condition, the best condition first."""
        scores = self.scores()
        own = {
            str(name): dict(zip(rows["evaluator"], rows["score"], strict=True))
            for name, rows in self.evaluators.groupby("condition")
        }
        return {name: own[name] for name in sorted(own, key=lambda name: (-scores[name], name))}

    def infer(self, images: Images) -> Inference:
        """Estimate how scores vary with other people and other images."""
        if not self.timed:
            return inference_of_errors(self.scored, images)
        return inference_of_exposures(
            self.scored,
            self.blocks["exposure_ms"].to_numpy(),
            images,
            bounds_ms=self.bounds_ms,
            # Modes are within the exposures shown; QUEST+ estimates may be outside.
            possible_ms=EVERY if self.quest_plus else self.bounds_ms,
        )

    def tested(self, inferred: Inference, names: Iterable[str]) -> dict[str, FloatArray]:
        """Return each evaluator's value for tests: the score, or the mean of both error rates."""
        column = "score" if inferred.same_mix else "mean_error"
        every = self.evaluators.groupby("condition")[column]
        own = {name: values.dropna() for name, values in every}
        return {name: own[name].to_numpy() if len(own[name]) else np.zeros(1) for name in names}


TOO_FAST_MS: Final = 200.0
"""After they see a picture, people need longer than this to choose between two keys.

In HYPE_time the clock starts after the masks, when people may already have decided, so a fast
answer proves nothing.
"""
TOO_SLOW_MS: Final = 60_000.0
"""An evaluator who took longer than this to respond was doing something else."""


def sum_up_times(judgements: pd.DataFrame, names: Sequence[str]) -> Rows:
    """Summarise the response times of one protocol, with a row per condition that has times.

    Each evaluator has a median time. The interval for the median over evaluators goes from one of
    these times to another (`median_interval`); it is None with fewer than six evaluators.
    """
    rows = []
    for condition in names if "rt_ms" in judgements else ():
        every = judgements.loc[judgements["condition"].eq(condition), ["evaluator", "rt_ms"]]
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


def select_rows(everyone: pd.DataFrame, protocol: str, options: Options) -> JudgementRows:
    """Select the judgements of one protocol; the options decide whether spoiled trials count."""
    scored = drop_spoiled(everyone) if options.spoiled == "leave-out" else everyone
    return JudgementRows(protocol=protocol, shown=everyone, scored=scored)


def compare_selected(judgements: pd.DataFrame) -> Rows:
    """Compare evaluators who passed the qualification with all who took it, by condition.

    Evaluators who failed judged nothing else, so both groups are compared only on the images of the
    qualification, by their percentages of wrong judgements. Empty without a column "status", since
    then nobody's result in the qualification is known.
    """
    if "status" not in judgements:
        return ()
    test = judgements[judgements["task"].eq("qualification")]
    went_on = judgements.loc[judgements["task"].isin(SCORED_TASKS), "evaluator"].unique()
    away = test["status"].eq(Ending.UNQUALIFIED.value)
    passed = test["status"].eq(COMPLETE) | (test["evaluator"].isin(went_on) & ~away)
    known = test[passed | away]
    rows = []
    for condition, own in known.groupby("condition", observed=True):
        wrong = own["answer"].astype(str).ne(own["truth"].astype(str))
        own_passed = passed[own.index]
        came = own["evaluator"].nunique()
        rows.append(
            {
                "condition": str(condition),
                "came": came,
                "turned_away": came - own.loc[own_passed, "evaluator"].nunique(),
                "error_of_all": 100 * float(wrong.mean()),
                "error_of_passed": percent(int(wrong[own_passed].sum()), int(own_passed.sum())),
            }
        )
    return tuple(rows)


def are_careless(judgements: pd.DataFrame) -> pd.Series:
    left_out = are_left_out(judgements)
    return judgements["careless"].ne("") | left_out if "careless" in judgements else left_out


def compare_careless(rows: JudgementRows) -> Row | None:
    """Return the careless evaluators among those who finished a protocol; None if there are none.

    ``evaluators``: these people, with the rules that they broke. ``conditions``: the scores with
    and without them; None if all are careless. ``left_out``: whether other results leave them out.
    """
    flagged = are_careless(rows.scored)
    if not flagged.any():
        return None
    theirs = rows.scored[flagged]
    others = rows.only(~are_careless(rows.shown))
    scores, without = rows.scores(), others.scores()
    people, left = (each.evaluators["condition"].value_counts() for each in (rows, others))
    if "careless" not in theirs:
        theirs = theirs.assign(careless="")
    who = theirs[["condition", "evaluator", "careless"]].astype(str).drop_duplicates()
    evaluators: list[dict[str, Any]] = [
        {"evaluator": evaluator, "condition": condition, "rules": tuple(rules.split())}
        for condition, evaluator, rules in sorted(who.itertuples(index=False, name=None))
    ]
    return {
        "left_out": bool(are_left_out(theirs).all()),
        "evaluators": tuple(evaluators),
        "conditions": tuple(
            {
                "condition": name,
                "evaluators": int(people[name]),
                "score": scores[name],
                "evaluators_without": int(left.get(name, 0)),
                "score_without": without.get(name),
            }
            for name in sorted(who["condition"].unique())
        ),
    }


SIZES: Final = tuple(range(10, 121, 10))
"""Numbers of evaluators in the paper's Figure 4."""
FEWEST_FOR_PRECISION: Final = 10
MOST_TIMES: Final = 4
"""A curve of precision goes up to this multiple of the number of evaluators."""
_WEIGHTS: Final = 2**20
"""At most this many weights are in memory at once."""
_CELLS: Final = 2**17
"""Maximum of evaluators x draws in one step, which still fits into a processor's cache."""


def precision(
    totals: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float = CONFIDENCE,
    sizes: Iterable[int] = SIZES,
) -> tuple[dict[str, Any], ...]:
    """Resample growing numbers of evaluators, and measure how the score varies.

    A draw of 20 evaluators extends a draw of 10 by ten more, so the curve is smooth. ``totals``,
    ``weights``: one number per evaluator (at least two); weights are above 0. A score is the sum of
    totals over the sum of weights, as in `hype.statistics.resampling.bootstrap`.

    Returns a row for each number of ``evaluators``, ascending: ``std`` (n - 1 in the denominator),
    ``low`` and ``high`` (percentiles) of the resampled scores.
    """
    wanted = sorted(sizes)
    joining = list(pairwise((0, *wanted)))

    def grown(values: FloatArray, drawn: npt.NDArray[np.int64]) -> FloatArray:
        """Sum values of growing groups; shape (sizes, draws), or (sizes, 1) for equal values."""
        if np.all(values == values[0]):  # weights are often equal
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


def resample_both(
    judgements: pd.DataFrame, *, draws: int, rng: np.random.Generator, confidence: float = 0.95
) -> dict[str, float] | None:
    """Give the evaluators and images of a condition random weights (Owen & Eckles 2012).

    The result shows how the error rate varies. Judgements with the same truth and ``image`` are of
    one image. ``draws``: the number of sets of weights; a set of only zeros is drawn again.

    Returns ``std`` (n - 1 in the denominator), ``low`` and ``high`` (percentiles), in percent. None
    for a single evaluator or image, and if a judgement does not name its image: a guess would make
    the interval too narrow or too wide.
    """
    if "image" not in judgements or judgements["evaluator"].nunique() < 2:
        return None
    labels, names = label_codes(judgements["image"])
    if (labels < 0).any() or (len(names) < 2 and judgements["truth"].nunique() < 2):
        return None
    # Number people and images by name, so that the order of the rows changes no weight.
    evaluators, evaluator = renumber(label_codes(judgements["evaluator"])[0])
    fake = judgements["truth"].eq("fake").to_numpy()
    wrong = judgements["answer"].eq("fake").to_numpy() != fake
    images, image = renumber(2 * labels + fake)
    # Single precision is exact for whole numbers up to 2**24, and no one judges that many images.
    ones = np.ones(len(fake), dtype=np.float32)
    row = (2 * ~fake + wrong) * evaluators + evaluator
    counts = sparse.csr_array((ones, (row, image)), shape=(4 * evaluators, images))
    at_once = max(1, _WEIGHTS // max(counts.shape))
    drawn: list[FloatArray] = []
    missing = draws
    while missing:
        some = min(missing, at_once)
        # In theory weights are 0 or 2; 0 or 1 gives the same rate.
        of_images, of_evaluators = (coins(size, some, rng) for size in (images, evaluators))
        tallies = (counts @ of_images).reshape(2, 2, -1, some)
        sums = np.einsum("twed,ed->dw", tallies, of_evaluators, dtype=np.float64)
        drawn.append(sums[sums.any(axis=1)])
        missing -= len(drawn[-1])
    answers = np.concatenate(drawn)
    errors = 100 * answers[:, 1] / answers.sum(axis=1)
    low, high = np.quantile(errors, ((1 - confidence) / 2, (1 + confidence) / 2))
    return {"std": float(errors.std(ddof=1)), "low": float(low), "high": float(high)}


def coins(rows: int, columns: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Draw zeros and ones, eight from each random byte."""
    tossed = np.frombuffer(rng.bytes(rows * -(-columns // 8)), dtype=np.uint8)
    return np.unpackbits(tossed.reshape(rows, -1), axis=1, count=columns).astype(np.float32)
