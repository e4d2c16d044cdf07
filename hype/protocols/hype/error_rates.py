"""HYPE_infinity: how often evaluators are wrong, over all images, fakes and reals.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
section 2.2.

Also how well evaluators tell fakes from reals, apart from how readily they say "real".
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

from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse, special

from hype.protocols.hype.images import label_codes
from hype.statistics.arrays import FloatArray, renumbered


def percent(part: int, whole: int) -> float | None:
    # Multiplied first: equal rates of unequal counts are then equal to the last bit.
    return 100 * part / whole if whole else None


COUNTS: Final = ["judgements", "wrong", "fakes", "fakes_wrong", "reals", "reals_wrong"]


def count_errors(judgements: pd.DataFrame) -> pd.DataFrame:
    """Count the judgements and errors of each evaluator in one protocol.

    Returns
    -------
    DataFrame
        A row for each condition and evaluator, sorted by these; with `COUNTS`, and of
        judgements and errors, in percent and NaN without any, ``fakes_error``, ``reals_error`` and
        their mean, ``mean_error``, in which both kinds count alike.
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


CHANCE_PERCENT = 50.0
"""The infinity score of evaluators who cannot tell fakes from reals, with as many of each."""


def d_prime_and_criterion(
    fakes: npt.ArrayLike,
    fakes_wrong: npt.ArrayLike,
    reals: npt.ArrayLike,
    reals_wrong: npt.ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """Compute d′ = z(H) − z(F) and c = −½(z(H) + z(F)) from counts that broadcast.

    NaN if there were no fakes or no reals. With the log-linear correction of Hautus (1995),
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


_CELLS: Final = 2**20
"""Weights held in memory at once."""


def resample_both(
    judgements: pd.DataFrame, *, draws: int, rng: np.random.Generator, confidence: float = 0.95
) -> dict[str, float] | None:
    """Reweigh the evaluators and the images of one condition, and tell how its error rate varies.

    An image is what agrees in truth and in the column ``image``. ``draws`` is the number of sets of
    weights; a set under which nothing counts is drawn again.

    Gives ``std`` (n - 1 in the denominator), ``low`` and ``high`` (percentiles), in percent. None
    for a single evaluator or image, and where a judgement does not name its image: it could be one
    of the others or not, and to guess would make the interval too narrow or too wide.
    """
    if "image" not in judgements or judgements["evaluator"].nunique() < 2:
        return None
    labels, names = label_codes(judgements["image"])
    if (labels < 0).any() or (len(names) < 2 and judgements["truth"].nunique() < 2):
        return None
    # By their names, so that the order of the rows changes no weight.
    evaluators, evaluator = renumbered(label_codes(judgements["evaluator"])[0])
    fake = judgements["truth"].eq("fake").to_numpy()
    wrong = judgements["answer"].eq("fake").to_numpy() != fake
    images, image = renumbered(2 * labels + fake)
    # Whole numbers up to 2**24, more than anyone judges, are exact in single precision.
    ones = np.ones(len(fake), dtype=np.float32)
    row = (2 * ~fake + wrong) * evaluators + evaluator
    counts = sparse.csr_array((ones, (row, image)), shape=(4 * evaluators, images))
    at_once = max(1, _CELLS // max(counts.shape))
    drawn: list[FloatArray] = []
    missing = draws
    while missing:
        some = min(missing, at_once)
        # Of double or nothing the double cancels out of a rate.
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
    """Toss coins, eight to a random byte; 0 or 1."""
    tossed = np.frombuffer(rng.bytes(rows * -(-columns // 8)), dtype=np.uint8)
    return np.unpackbits(tossed.reshape(rows, -1), axis=1, count=columns).astype(np.float32)
