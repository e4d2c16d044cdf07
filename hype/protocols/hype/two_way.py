"""How much a score would vary with other evaluators *and* other images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from hype.statistics.arrays import FloatArray
from hype.statistics.resampling import check_draws, condition_rng, side_by_side

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
    found = side_by_side(
        lambda name: two_way(
            rows[name],
            draws=draws,
            rng=condition_rng(seed, name, "two-way"),
            confidence=confidence,
        ),
        rows,
    )
    return dict(zip(rows, found, strict=True))


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
    evaluator, evaluators = pd.factorize(judgements["evaluator"])
    named, _ = pd.factorize(judgements["image"])
    fake = judgements["truth"].eq("fake").to_numpy()
    wrong = judgements["answer"].eq("fake").to_numpy() != fake
    image, images = pd.factorize(2 * named + fake)
    row = ((2 * ~fake + wrong) * len(evaluators)) + evaluator
    # Whole numbers up to 2**24, more than anyone judges, are exact in single precision.
    ones = np.ones(len(row), dtype=np.float32)
    shape = 4 * len(evaluators), len(images)
    return sparse.csr_array((ones, (row, image)), shape=shape), len(images)


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
