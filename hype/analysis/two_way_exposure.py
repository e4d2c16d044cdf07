"""How much a modal exposure would vary with other evaluators *and* other images.

Weights as in `hype.analysis.two_way` (Owen & Eckles 2012): every evaluator and every image gets
one, and what belongs to both counts with the product. Evaluators' scores can be weighed so, but
trials cannot: an image acts on a staircase by where the staircase goes next, not by the level at
which it is shown, so counting its trial twice, or not at all, says nothing of what another image
would have done. (Tried: where all share 75 + 75 images that vary, modes so weighed covered 81 % to
86 %.)

So images enter by what they do to accuracy. Within an evaluator the share of correct answers rises
with the logarithm of the exposure t by β. What is left of an answer,

    r = (y - mean y) - β·(ln t - mean ln t),

is due to the image and to chance. If images that are harder by δ on average had been shown, a
staircase that keeps accuracy where it is would have come to rest at ln t + δ/β. To first order,
therefore, a draw of weights w for evaluators and v for images scores

    Σ w_e s_e / Σ w_e  -  m · (Σ w_e v_i r_ei / Σ w_e v_i n_ei) / β

with s_e the evaluators' scores, and m their weighted mean without blocks whose mode lies on a
bound, since these would not have moved. This is a linear approximation of ours;
`benchmarks/recovery.py` shows how well its intervals cover. Staircases that have not come to rest
yet move less than it says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from hype.analysis.resampling import check_draws
from hype.analysis.two_way import Spread, coins, in_parts, spread_of, two_way_problem

FloatArray = npt.NDArray[np.float64]

SURE: Final = 2.0
"""Standard errors that β must be above 0, for accuracy to be said to rise with exposure."""


@dataclass(frozen=True, kw_only=True)
class TwoWayExposure(Spread):
    """Spread of a time score over reweighed evaluators and images, in ms.

    Parameters
    ----------
    std
        Standard deviation over the draws (n - 1 in the denominator).
    ci_low, ci_high
        Percentile interval.
    slope
        β: rise of accuracy, as a proportion, with the natural logarithm of the exposure.
    confidence
        Coverage the interval aims at, as a proportion.
    draws
        Number of sets of weights.
    images
        Number of different images.
    """

    slope: float
    confidence: float
    draws: int
    images: int


@dataclass(frozen=True, kw_only=True)
class ExposureScore:
    """One evaluator's score in ms, and the part of it that lies within the bounds.

    Parameters
    ----------
    score_ms
        Mean of the modal exposures of the blocks.
    moving_ms
        The same with 0 for each block whose mode lies on the floor or on the ceiling.
    """

    score_ms: float
    moving_ms: float


def two_way_exposure(
    judgements: pd.DataFrame,
    scores: Mapping[str, ExposureScore],
    *,
    bounds_ms: tuple[float, float],
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> TwoWayExposure | None:
    """Reweigh evaluators and images, and tell how the mean modal exposure varies.

    Parameters
    ----------
    judgements
        Rows of one condition of the time protocol, as `check_judgements` returns them. An image is
        what agrees in truth and in the column ``image``.
    scores
        Of every evaluator in it.
    bounds_ms
        Floor and ceiling; no draw lies beyond them.
    draws
        Number of sets of weights.
    rng
        Source of randomness.
    confidence
        Coverage the interval is to have, as a proportion.

    Returns
    -------
    TwoWayExposure or None
        None where `two_way_problem` says why, or accuracy does not plainly rise with exposure: then
        nothing tells how far another accuracy would have moved the staircases.

    Raises
    ------
    InputError
        For fewer than two draws.
    """
    check_draws(draws)
    if two_way_problem(judgements):
        return None
    evaluator, names = pd.factorize(judgements["evaluator"])
    slope, left = _residuals(judgements, evaluator)
    if slope is None:
        return None
    sums, images = _by_image(judgements, evaluator, left)
    each = np.array([(scores[str(n)].score_ms, scores[str(n)].moving_ms) for n in names])
    drawn_ms = in_parts(
        lambda wanted: _some_draws(sums, each, slope, wanted, rng), draws, max(sums.shape)
    )
    return TwoWayExposure(
        **asdict(spread_of(drawn_ms.clip(*bounds_ms), confidence)),
        slope=slope,
        confidence=confidence,
        draws=draws,
        images=images,
    )


def _residuals(
    judgements: pd.DataFrame, evaluator: npt.NDArray[np.intp]
) -> tuple[float | None, FloatArray]:
    """Give β, None where it is not plainly above 0, and what is left of each answer."""
    right = judgements["answer"].eq("fake") == judgements["truth"].eq("fake")
    y = _centred(np.where(right, 1.0, 0.0), evaluator)
    x = _centred(np.log(judgements["exposure_ms"].to_numpy(dtype=float)), evaluator)
    squares = float(x @ x)
    if squares == 0:
        return None, y
    slope = float(x @ y) / squares
    left = y - slope * x
    freedom = len(y) - evaluator.max() - 2
    error = np.sqrt(float(left @ left) / max(freedom, 1) / squares)
    return (slope if slope > SURE * error else None), left


def _centred(values: FloatArray, group: npt.NDArray[np.intp]) -> FloatArray:
    means = np.bincount(group, values) / np.bincount(group)
    centred: FloatArray = values - means[group]
    return centred


def _by_image(
    judgements: pd.DataFrame, evaluator: npt.NDArray[np.intp], left: FloatArray
) -> tuple[sparse.csr_array, int]:
    """Sum up residuals, and below them count trials: shape (2 × evaluators, images)."""
    named, _ = pd.factorize(judgements["image"])
    image, images = pd.factorize(2 * named + judgements["truth"].eq("fake").to_numpy())
    people = int(evaluator.max()) + 1
    cells = np.concatenate([left, np.ones(len(left))]).astype(np.float32)
    rows = np.concatenate([evaluator, evaluator + people])
    shape = 2 * people, len(images)
    return sparse.csr_array((cells, (rows, np.tile(image, 2))), shape=shape), len(images)


def _some_draws(
    sums: sparse.csr_array,
    scores: FloatArray,
    slope: float,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Score under random weights; draws under which nothing counts are left out."""
    people = len(scores)
    of_images, of_people = coins(sums.shape[1], draws, rng), coins(people, draws, rng)
    left, trials = np.einsum(
        "ted,ed->td", (sums @ of_images).reshape(2, people, draws), of_people, dtype=np.float64
    )
    score_ms, moving_ms = scores.T @ of_people
    counted, weight = trials > 0, of_people.sum(axis=0)
    ease = left[counted] / trials[counted] / slope
    some: FloatArray = (score_ms[counted] - moving_ms[counted] * ease) / weight[counted]
    return some
