"""Heads on features of images: scores whose differences predict what people choose.

A score s is a linear function of an image's features, or that of one hidden layer. Of two images
the first is chosen with probability σ(s₁ − s₂), as Bradley & Terry (1952) have it; with ties by
Davidson (1970), "On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments", Journal of the American Statistical Association 65, eq. 2.4. The loss is the mean of
−log probability over votes. Of two alternatives it is the KL divergence of softmax(s₁, s₂) from the
shares of the votes (Wu et al. 2023, eq. 2), weighed by their number, but for a constant: both have
the same minimum.

The whole loss is minimised by L-BFGS, without batches and without chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from hype.errors import HypeError
from hype.reward.votes import VotedPairs
from hype.statistics.arrays import FloatArray

PENALTIES: Final = (100.0, 10.0, 1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
"""Of half the sum of squared weights, beside the mean loss of a vote. The strongest is first."""
PATIENCE: Final = 2
"""Penalties in a row that do no better on the validation prompts, after which none is tried."""
MOST_STEPS: Final = 500
RELATIVE: Final = 1e-8
"""Change of the loss by a step, at which it is minimal."""
STEPS_OF_LAYER: Final = 100
"""With a hidden layer: its loss has no one minimum, and the validation prompts choose."""
MOST_DOUBLES: Final = 50_000_000
"""Features up to which numbers of single precision are taken as double ones."""
FeatureArray = npt.NDArray[np.float32] | npt.NDArray[np.float64]
ROWS_AT_ONCE: Final = 10_000
PAIRS_A_FEATURE: Final = 8
"""From which the curvature of the loss is known well enough to search along its axes."""
Loss = tuple[float, FloatArray]
Axes = tuple[FloatArray, FloatArray]
"""Curvatures, shape (d,), and the directions in which they are so large, shape (d, d)."""
Shapes = Mapping[str, tuple[int, ...]]


class NotTrained(HypeError):
    """The minimum of the loss was not reached."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Head:
    """Weights of a score, of features as they are: what standardises them is folded in."""

    weights: Mapping[str, FloatArray]  # of the shapes that `shapes` gives
    offset: float = 0.0  # what is taken off a score

    def scaled(self, temperature: float, offset: float) -> Head:
        """Take something off all scores, and divide what is left."""
        last = "out" if "out" in self.weights else "weight"
        weights = {**self.weights, last: self.weights[last] / temperature}
        return Head(weights=weights, offset=(self.offset + offset) / temperature)

    def scores(self, features: FeatureArray) -> FloatArray:
        """Give the score of each image, shape (n,)."""
        x: Any = features  # in its own precision, which is not copied
        w = {name: values.astype(x.dtype) for name, values in self.weights.items()}
        inner = x @ w["weight"]
        scores = np.tanh(inner + w["bias"]) @ w["out"] if "out" in w else inner
        return np.asarray(scores, dtype=float) - self.offset


def shapes(number: int, hidden: int) -> Shapes:
    """Give the shapes of a head's weights.

    ``number``: of features. ``hidden``: of units; 0 for a linear head.
    """
    if not hidden:
        return {"weight": (number,)}
    return {"weight": (number, hidden), "bias": (hidden,), "out": (hidden,)}


def negative_log_likelihood(
    ahead: FloatArray, pairs: VotedPairs, log_nu: float
) -> tuple[float, FloatArray, float]:
    """Sum −log probability over votes; with its derivatives by ``ahead`` and ``log_nu``.

    ``ahead``: score of one less that of the other, shape (pairs,).
    ``log_nu``: of Davidson's ν; −inf where there are no ties.
    """
    votes = pairs.for_one + pairs.for_other + pairs.ties
    total = np.logaddexp(np.logaddexp(ahead / 2, -ahead / 2), log_nu)
    for_one, for_other, tied = (np.exp(x - total) for x in (ahead / 2, -ahead / 2, log_nu))
    margin = pairs.for_one - pairs.for_other
    loss = float(votes @ total - margin @ ahead / 2)
    if pairs.ties.any():
        loss -= float(pairs.ties.sum()) * log_nu
    slope = (votes * (for_one - for_other) - margin) / 2
    return loss, slope, float(votes @ tied - pairs.ties.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Trained:
    """A head, and how it was trained."""

    head: Head
    log_nu: float  # of Davidson's ν; −inf where nobody tied
    loss: float  # mean over votes, without the penalty
    penalty: float
    steps: int  # of L-BFGS
    point: FloatArray  # where it ended, to begin at again


class Training:
    """Features and votes on which heads are trained.

    ``features``: of all images, shape (n, d); a feature that does not vary gets no weight.
    ``pairs``: of these images.

    Weights are sought along the principal axes of the loss's curvature at equal scores, each
    divided by its root, where there are pairs enough to know them: features of a network hang
    together, and by them alone the minimum lies in a long valley. ``axes`` of a training on nearly
    the same will do.
    """

    def __init__(
        self, features: FeatureArray, pairs: VotedPairs, hidden: int, axes: Axes | None = None
    ) -> None:
        used, places = np.unique(np.append(pairs.one, pairs.other), return_inverse=True)
        rows = features[used] if len(used) < len(features) else features
        self.features = rows.astype(np.float64) if rows.size <= MOST_DOUBLES else rows
        self.one, self.other = np.split(places, 2)
        self.pairs = pairs
        self.shapes = shapes(features.shape[1], hidden)
        self.mean = self.features.mean(axis=0, dtype=np.float64)
        spread = spread_of(self.features, self.mean)
        varies = spread > 1e-9 * np.maximum(1e-30, np.abs(self.mean))
        self.scale = np.where(varies, 1 / np.where(varies, spread, 1.0), 0.0)
        self.axes = axes or self.principal_axes()

    def principal_axes(self) -> Axes | None:
        """Give curvatures and axes of the loss by standardised features, from some of the pairs."""
        number = self.shapes["weight"][0]
        if len(self.one) < number:
            return None
        some = np.linspace(0, len(self.one) - 1, min(len(self.one), PAIRS_A_FEATURE * number))
        rows = np.unique(some.astype(int))
        apart = self.features[self.one[rows]] - self.features[self.other[rows]]
        inner = (apart.T @ apart).astype(np.float64) * np.outer(self.scale, self.scale)
        values, axes = np.linalg.eigh(inner / (4 * len(rows)))
        return np.maximum(values, 0.0), axes

    def start(self, rng: np.random.Generator) -> FloatArray:
        """Draw where a hidden layer begins; a linear head begins at 0. The last is log ν."""
        if "out" not in self.shapes:
            return np.zeros(self.shapes["weight"][0] + 1)
        drawn = [
            rng.normal(size=shape) / np.sqrt(shape[0]) if name != "bias" else np.zeros(shape)
            for name, shape in self.shapes.items()
        ]
        return np.concatenate([*(each.ravel() for each in drawn), [0.0]])

    def named(self, point: FloatArray) -> dict[str, FloatArray]:
        """Cut a point into weights of standardised features; log ν is left out."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes.values()])
        parts = zip(self.shapes.items(), np.split(point[:-1], ends[:-1]), strict=True)
        return {name: part.reshape(shape) for (name, shape), part in parts}

    def folded(self, point: FloatArray) -> Head:
        """Give a head of the features as they are."""
        weights = self.named(point)
        weights["weight"] = (weights["weight"].T * self.scale).T
        if "bias" in weights:
            weights["bias"] = weights["bias"] - self.mean @ weights["weight"]
        return Head(weights=weights)

    def loss(self, point: FloatArray, pairs: VotedPairs, penalty: float) -> Loss:
        """Give the penalised mean loss of a vote, and its derivatives by the point."""
        head, has_ties = self.folded(point), bool(pairs.ties.any())
        scores = head.scores(self.features)
        ahead = scores[self.one] - scores[self.other]
        log_nu = float(point[-1]) if has_ties else -np.inf
        loss, slope, of_nu = negative_log_likelihood(ahead, pairs, log_nu)
        size = len(self.features)
        of_scores = np.bincount(self.one, slope, size).astype(float)
        of_scores -= np.bincount(self.other, slope, size)
        parts = [*self.slopes(head, of_scores), np.array([of_nu if has_ties else 0.0])]
        decayed = np.append(point[:-1], 0.0)
        value = loss / pairs.total + penalty / 2 * float(decayed @ decayed)
        return value, np.concatenate(parts) / pairs.total + penalty * decayed

    def slopes(self, head: Head, of_scores: FloatArray) -> Iterator[FloatArray]:
        """Yield the derivatives by the weights of standardised features.

        Those by scores sum to 0, so that the mean of a feature matters to a hidden layer alone.
        """
        x, w = self.features, head.weights
        if "out" not in w:
            yield self.scale * (of_scores.astype(x.dtype) @ x)
            return
        inner = np.tanh(x @ w["weight"].astype(x.dtype) + w["bias"].astype(x.dtype))
        back = (of_scores[:, None] * (1 - inner**2) * w["out"]).astype(x.dtype)
        of_bias = back.sum(axis=0, dtype=np.float64)
        of_weight = np.asarray(x.T @ back, dtype=float) - np.outer(self.mean, of_bias)
        yield (of_weight.T * self.scale).T.ravel()
        yield of_bias
        yield np.asarray(of_scores @ inner, dtype=float)

    def along_axes(self, penalty: float, *, turn: str) -> Callable[[FloatArray], FloatArray]:
        """Give the way out of the coordinates of the search, into them, or that of slopes."""
        if self.axes is None:
            return lambda point: point
        values, axes = self.axes
        root = np.sqrt(values + penalty)
        width = int(np.prod(self.shapes["weight"]))

        def turned(point: FloatArray) -> FloatArray:
            weight = point[:width].reshape(len(root), -1)
            if turn == "out":
                weight = axes @ (weight / root[:, None])
            elif turn == "in":
                weight = root[:, None] * (axes.T @ weight)
            else:
                weight = (axes.T @ weight) / root[:, None]
            return np.append(weight.ravel(), point[width:])

        return turned

    def fit(
        self, penalty: float, start: FloatArray, of_prompt: FloatArray | None = None
    ) -> Trained:
        """Minimise the loss; ``of_prompt`` says how often the votes on each prompt count.

        Raises NotTrained: a linear head's loss was not at its minimum in `MOST_STEPS` steps.
        """
        pairs = self.pairs if of_prompt is None else self.pairs.weighed(of_prompt)
        outward, inward, slopes = (
            self.along_axes(penalty, turn=turn) for turn in ("out", "in", "slopes")
        )

        def loss(point: FloatArray) -> Loss:
            value, slope = self.loss(outward(point), pairs, penalty)
            return value, slopes(slope)

        is_linear = "out" not in self.shapes
        steps = MOST_STEPS if is_linear else STEPS_OF_LAYER
        options: Any = {"maxiter": steps, "maxcor": 20, "ftol": RELATIVE, "gtol": 1e-7}
        found: Any = minimize(loss, inward(start), jac=True, method="L-BFGS-B", options=options)
        if found.status == 1 and is_linear:
            raise NotTrained(f"the loss was not at its minimum after {steps} steps")
        point = outward(np.asarray(found.x, dtype=float))
        return Trained(
            head=self.folded(point),
            log_nu=float(point[-1]) if pairs.ties.any() else -np.inf,
            loss=float(found.fun) - penalty / 2 * float(point[:-1] @ point[:-1]),
            penalty=penalty,
            steps=int(found.nit),
            point=point,
        )


def spread_of(features: FeatureArray, mean: FloatArray) -> FloatArray:
    """Give the standard deviation of each feature, without a copy of all in double precision."""
    starts = range(0, len(features), ROWS_AT_ONCE)
    parts = (features[at : at + ROWS_AT_ONCE] - mean for at in starts)
    return np.asarray(np.sqrt(sum((part**2).sum(axis=0) for part in parts) / len(features)))


def loss_on(trained: Trained, features: FeatureArray, pairs: VotedPairs) -> float:
    """Give the mean loss of a vote on other images; of no vote it is NaN."""
    scores = trained.head.scores(features)
    ahead = scores[pairs.one] - scores[pairs.other]
    decided = VotedPairs(**{**vars(pairs), "ties": np.zeros(len(pairs.one))})
    total = decided.total
    return negative_log_likelihood(ahead, decided, -np.inf)[0] / total if total else np.nan


def along_penalties(
    training: Training,
    validation: tuple[FeatureArray, VotedPairs],
    seed: np.random.SeedSequence,
    tell: Callable[[], object],
) -> Trained:
    """Weaken the penalty step by step until validation prompts say stop; give the best head.

    A linear head begins where the one before ended, which saves steps and changes nothing; a hidden
    layer begins anew, at the same place.
    """
    start = training.start(np.random.default_rng(seed))
    losses: list[float] = []
    path: list[Trained] = []
    for penalty in PENALTIES:
        path.append(training.fit(penalty, start))
        losses.append(loss_on(path[-1], *validation))
        tell()
        if "out" not in training.shapes:
            start = path[-1].point
        if len(losses) - int(np.argmin(losses)) > PATIENCE:
            break
    return path[int(np.argmin(losses))]
