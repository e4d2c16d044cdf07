"""HYPE_infinity: how often evaluators are wrong, over all images, fakes and reals.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
section 2.2.

Beside them, how well evaluators tell fakes from reals, apart from how readily they say "real".
Green & Swets (1966), "Signal Detection Theory and Psychophysics"; Macmillan & Creelman (2005),
"Detection Theory: A User's Guide", 2nd ed., eqs. 1.5 and 2.1. The fakes are what is to be detected:
a hit is a fake called fake, a false alarm a real called fake.

An error rate mixes the two: an evaluator who calls everything real errs as often as one who
guesses. d′ is the same for whatever criterion an evaluator of equal-variance normal evidence takes.

A staircase of HYPE_time moves through exposures at which d′ differs, so its judgements have no
single d′.

How much a rate would vary with other evaluators and other images is drawn by reweighing both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse, special

from hype.protocols.hype.images import label_codes
from hype.statistics.arrays import FloatArray, renumbered
from hype.statistics.estimate import Estimate, estimated
from hype.statistics.resampling import check_draws, condition_rng, side_by_side


@dataclass(frozen=True, kw_only=True)
class ErrorCounts:
    """Judgements of fake and of real images, and how many of each were wrong."""

    fakes: int
    fakes_wrong: int
    reals: int
    reals_wrong: int

    @property
    def judgements(self) -> int:
        return self.fakes + self.reals

    @property
    def wrong(self) -> int:
        return self.fakes_wrong + self.reals_wrong

    @property
    def fakes_error(self) -> float | None:
        return percent(self.fakes_wrong, self.fakes)

    @property
    def reals_error(self) -> float | None:
        return percent(self.reals_wrong, self.reals)

    @property
    def mean_error(self) -> float | None:
        """The mean of the two, percent: both kinds count alike; None without either."""
        if not self.fakes or not self.reals:
            return None
        return 50 * (self.fakes_wrong / self.fakes + self.reals_wrong / self.reals)


def percent(part: int, whole: int) -> float | None:
    # Multiplied first: equal rates of unequal counts are then equal to the last bit.
    return 100 * part / whole if whole else None


def error_counts(judgements: pd.DataFrame) -> dict[tuple[str, str], ErrorCounts]:
    """Count the judgements and errors in one protocol by (condition, evaluator), sorted."""
    conditions, names = pd.factorize(judgements["condition"], sort=True)
    evaluators, codes = pd.factorize(judgements["evaluator"], sort=True)
    pairs, evaluated = pd.factorize(conditions * len(codes) + evaluators, sort=True)
    # Four kinds of judgement, in the order of the fields: fakes, those wrong, reals, those wrong.
    real = judgements["truth"].eq("real").to_numpy()
    wrong = real != judgements["answer"].eq("real").to_numpy()
    tally = np.bincount(4 * pairs + 2 * real + wrong, minlength=4 * len(evaluated)).reshape(-1, 4)
    return {
        (names[pair // len(codes)], codes[pair % len(codes)]): ErrorCounts(
            fakes=right + missed, fakes_wrong=missed, reals=known + denied, reals_wrong=denied
        )
        for pair, (right, missed, known, denied) in zip(
            evaluated.tolist(), tally.tolist(), strict=True
        )
    }


def pooled(counts: Iterable[ErrorCounts]) -> ErrorCounts:
    each = tuple(counts)
    return ErrorCounts(
        fakes=sum(c.fakes for c in each),
        fakes_wrong=sum(c.fakes_wrong for c in each),
        reals=sum(c.reals for c in each),
        reals_wrong=sum(c.reals_wrong for c in each),
    )


CHANCE_PERCENT = 50.0
"""The infinity score of evaluators who cannot tell fakes from reals, with as many of each."""


@dataclass(frozen=True, kw_only=True)
class SignalDetection:
    """Means over a condition's evaluators; intervals are for other evaluators and other images."""

    # 0 where fakes cannot be told from reals, below 0 where they are taken for real more often than
    # the reals are. No interval of a single evaluator, or several alike, who do not show how
    # evaluators vary
    d_prime: Estimate = estimated("d_prime")
    # In units of d′; above 0 says "real" more often, 0 favours neither answer
    criterion: Estimate = estimated("criterion")
    evaluators: int  # how many judged both fakes and reals; the others have no d′ and are left out
    confidence: float  # coverage the intervals aim at, as a proportion


def d_prime_and_criterion(
    fakes: npt.ArrayLike,
    fakes_wrong: npt.ArrayLike,
    reals: npt.ArrayLike,
    reals_wrong: npt.ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """Compute d′ = z(H) − z(F) and c = −½(z(H) + z(F)) from counts that broadcast.

    NaN where there were no fakes or no reals. With the log-linear correction of Hautus (1995),
    "Corrections for extreme proportions and their biasing effects on estimated values of d′",
    always applied: half a hit and half a false alarm are added, and one trial of each kind. Without
    a single error d′ is then finite, and all the smaller the fewer trials there were: at most 4.67
    with 50 fakes and 50 reals.
    """
    fakes, reals = np.asarray(fakes, dtype=float), np.asarray(reals, dtype=float)
    # z(H) is taken as -z(1 - H): as many misses as false alarms then give a criterion of just 0.
    z_miss = special.ndtri((np.asarray(fakes_wrong) + 0.5) / (fakes + 1))
    z_alarm = special.ndtri((np.asarray(reals_wrong) + 0.5) / (reals + 1))
    d_prime, criterion = -z_miss - z_alarm, (z_miss - z_alarm) / 2
    defined = (fakes > 0) & (reals > 0)
    return np.where(defined, d_prime, np.nan), np.where(defined, criterion, np.nan)


COLUMNS: Final = ("evaluator", "condition", "truth", "answer", "image")
_CELLS: Final = 2**20
"""Weights held in memory at once."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Spread over draws, in the unit of what is drawn: standard deviation and percentiles."""

    std: float  # with n - 1 in the denominator
    ci_low: float
    ci_high: float


@dataclass(frozen=True, kw_only=True)
class TwoWay(Spread):
    """Spread of a condition's error rate over reweighed evaluators and images, in percent."""

    # fakes, reals: the same for the errors on fakes and on reals; None where there are none
    fakes: Spread | None
    reals: Spread | None
    confidence: float  # coverage the intervals aim at, as a proportion
    # Number of sets of weights. A set under which nothing counts is drawn again; where it only
    # leaves no fake, or no real image, it is left out of their own spread.
    draws: int
    images: int  # different ones


def two_way_by_condition(
    judgements: pd.DataFrame, *, draws: int, seed: int, confidence: float = 0.95
) -> dict[str, TwoWay | None]:
    """Reweigh the evaluators and images of every condition of a protocol; see `two_way`."""
    table = judgements[[name for name in COLUMNS if name in judgements]]
    rows = {str(name): own for name, own in table.groupby("condition", observed=True, sort=True)}
    tests = side_by_side(
        lambda name: two_way(
            rows[name],
            draws=draws,
            rng=condition_rng(seed, name, "two-way"),
            confidence=confidence,
        ),
        rows,
    )
    return dict(zip(rows, tests, strict=True))


def two_way(
    judgements: pd.DataFrame,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> TwoWay | None:
    """Reweigh evaluators and images, and tell how the error rate varies.

    Parameters
    ----------
    judgements
        Rows of one condition, as `check_judgements` returns them. An image is what agrees in
        truth and in the column ``image``.
    draws
        Number of sets of weights.
    rng
        Source of randomness.
    confidence
        Coverage the interval is to have, as a proportion.

    Returns
    -------
    TwoWay or None
        None where `two_way_problem` says why.

    Raises
    ------
    InputError
        For fewer than two draws.
    """
    check_draws(draws)
    if two_way_problem(judgements):
        return None
    counts, images = _counts(judgements)
    fakes, reals = _reweighed(counts, draws, rng).transpose(1, 0, 2)
    return TwoWay(
        **asdict(_spread(fakes + reals, confidence)),
        fakes=_spread_if_any(fakes, confidence),
        reals=_spread_if_any(reals, confidence),
        confidence=confidence,
        draws=draws,
        images=images,
    )


def two_way_problem(judgements: pd.DataFrame) -> str | None:
    """Say why the evaluators and images of a condition cannot be reweighed; None if they can.

    Judgements that name no image could share one, or not; to guess would make the interval too
    narrow or too wide. So all of a condition's judgements must name theirs.
    """
    if "image" not in judgements:
        return "the judgements do not name their images"
    codes, names = pd.factorize(judgements["image"])
    unnamed = [code for code, name in enumerate(names) if not str(name).strip()]
    if np.isin(codes, [-1, *unnamed]).any():
        return "some judgements do not name their image"
    if judgements["evaluator"].nunique() < 2:
        return "one person cannot show how people vary"
    if len(names) < 2 and judgements["truth"].nunique() < 2:
        return "one image cannot show how images vary"
    return None


def _counts(judgements: pd.DataFrame) -> tuple[sparse.csr_array, int]:
    """Count judgements by truth, by whether they are wrong, and by evaluator; and by image.

    Counts have the shape (2 × 2 × evaluators, images), fakes before reals, right before wrong;
    beside them stands how many images there are.
    """
    # By their names, so that the order of the rows changes no weight.
    evaluators, evaluator = renumbered(label_codes(judgements["evaluator"])[0])
    named, _ = label_codes(judgements["image"])
    fake = judgements["truth"].eq("fake").to_numpy()
    wrong = judgements["answer"].eq("fake").to_numpy() != fake
    images, image = renumbered(2 * named + fake)
    row = ((2 * ~fake + wrong) * evaluators) + evaluator
    # Whole numbers up to 2**24, more than anyone judges, are exact in single precision.
    ones = np.ones(len(row), dtype=np.float32)
    shape = 4 * evaluators, images
    return sparse.csr_array((ones, (row, image)), shape=shape), images


def _reweighed(counts: sparse.csr_array, draws: int, rng: np.random.Generator) -> FloatArray:
    """Count again under random weights; shape (draws, 2, 2): fakes, reals; right, wrong."""

    def some(wanted: int) -> FloatArray:
        sums = _reweigh(counts, wanted, rng)
        kept: FloatArray = sums[sums.any(axis=(1, 2))]
        return kept

    return in_parts(some, draws, max(counts.shape))


def in_parts(some: Callable[[int], FloatArray], draws: int, weights: int) -> FloatArray:
    """Draw a few at a time, with so many weights each, until there are as many as are wanted.

    ``some`` draws at most as many as it is asked for: what has no rate is left out.
    """
    at_once = max(1, _CELLS // weights)
    drawn: list[FloatArray] = []
    missing = draws
    while missing:
        drawn.append(some(min(missing, at_once)))
        missing -= len(drawn[-1])
    return np.concatenate(drawn)


def _reweigh(counts: sparse.csr_array, draws: int, rng: np.random.Generator) -> FloatArray:
    rows, images = counts.shape
    # Of double or nothing the double cancels out of a rate.
    of_images, of_evaluators = (coins(size, draws, rng) for size in (images, rows // 4))
    tallies = (counts @ of_images).reshape(2, 2, -1, draws)
    sums: FloatArray = np.einsum("twed,ed->dtw", tallies, of_evaluators, dtype=np.float64)
    return sums


def coins(rows: int, columns: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Toss coins, eight to a random byte; 0 or 1."""
    tossed = np.frombuffer(rng.bytes(rows * -(-columns // 8)), dtype=np.uint8)
    return np.unpackbits(tossed.reshape(rows, -1), axis=1, count=columns).astype(np.float32)


def _spread(sums: FloatArray, confidence: float) -> Spread:
    """Give the spread of wrong / (right + wrong), for two draws or more, none of them empty."""
    return spread_of(100 * sums[:, 1] / sums.sum(axis=1), confidence)


def spread_of(drawn: FloatArray, confidence: float) -> Spread:
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return Spread(std=float(drawn.std(ddof=1)), ci_low=float(low), ci_high=float(high))


def _spread_if_any(sums: FloatArray, confidence: float) -> Spread | None:
    """Leave empty draws out; None where fewer than two remain."""
    filled = sums[sums.any(axis=1)]
    return _spread(filled, confidence) if len(filled) > 1 else None
