"""Heads on features of images: scores whose differences predict what people choose.

A score s is a linear function of an image's features, or that of one hidden layer. Of two images
the first is chosen with probability σ(s₁ − s₂), as Bradley & Terry (1952) have it; with ties by
Davidson (1970), "On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments", Journal of the American Statistical Association 65, eq. 2.4. The loss is the mean of
−log probability over votes. Of two alternatives it is the KL divergence of softmax(s₁, s₂) from the
shares of the votes (Wu et al. 2023, eq. 3), weighed by their number, but for a constant: both have
the same minimum.

A linear head's loss is minimised whole, by L-BFGS; that of a hidden layer by Adam (Kingma & Ba
2015, "Adam: A method for stochastic optimization"), some prompts at a time. Images are taken in
blocks of a fixed size, whose sums are added in their order: how many threads there are changes no
bit, as long as each product of matrices has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.optimize import minimize

from hype.errors import HypeError
from hype.features.features import FeatureArray
from hype.reward.votes import VotedPairs
from hype.statistics.arrays import FloatArray

PENALTIES: Final = (100.0, 10.0, 1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
"""Of half the sum of squared weights, beside the mean loss of a vote. The strongest is first."""
STRONGEST_OF_LAYER: Final = 0.1
"""Under a stronger penalty both layers of a head with a hidden one vanish together: so in trials
with the penalties of the list, which are ten times apart."""
PATIENCE: Final = 2
"""Penalties in a row that do no better on the validation prompts, after which none is tried."""
MOST_STEPS: Final = 500
RELATIVE: Final = 1e-8
"""Change of the loss by a step, at which it is minimal."""
STEPS_OF_LAYER: Final = 300
"""With a hidden layer: its loss has no one minimum, and the validation prompts choose."""
RATE: Final = 0.03
"""Of learning, in which curvatures are about 1; it falls to 0 like a cosine. As the steps and the
decays it was set after few trials, and not searched for."""
IMAGES_A_STEP: Final = 8_192
DECAYS: Final = (0.9, 0.99)
"""Of Adam's means of the slope and of its square, from one step to the next."""
MOST_DOUBLES: Final = 50_000_000
"""Features up to which a linear head is trained in double precision, whatever theirs is."""
BLOCK: Final = 4_096
"""Images of which a product of matrices is made at a time."""
PAIRS_A_FEATURE: Final = 8
"""From which the curvature of the loss is known well enough to search along its axes."""
Each = Callable[..., Iterable[Any]]
"""Calls a function with each of some values, like `map`."""
Loss = tuple[float, FloatArray]
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

    def inner(self, x: Any) -> Any:
        """Give what the weights make of features, in these' precision, which is not copied."""
        inner = x @ self.weights["weight"].astype(x.dtype)
        if "bias" in self.weights:
            inner += self.weights["bias"].astype(x.dtype)
            np.tanh(inner, out=inner)
        return inner

    def outer(self, inner: Any) -> FloatArray:
        own = inner @ self.weights["out"].astype(inner.dtype) if "out" in self.weights else inner
        return np.asarray(own, dtype=float) - self.offset

    def scores(self, features: FeatureArray) -> FloatArray:
        """Give the score of each image, shape (n,)."""
        return self.outer(self.inner(features))

    def slopes(self, x: Any, of_scores: FloatArray, inner: Any) -> list[FloatArray]:
        """Give the derivatives by each of the weights, from those by scores."""
        if "out" not in self.weights:
            return [np.asarray(of_scores.astype(x.dtype) @ x, dtype=float)]
        back = (of_scores[:, None] * (1 - inner**2) * self.weights["out"]).astype(x.dtype)
        of_weight, of_bias = np.asarray(x.T @ back, dtype=float), back.sum(axis=0, dtype=float)
        return [of_weight, of_bias, np.asarray(of_scores @ inner, dtype=float)]


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
    penalty: float
    steps: int
    point: FloatArray  # where it ended, to begin at again


class Training:
    """Features and votes on which heads are trained.

    ``features``: of all images, shape (n, d); a feature that does not vary gets no weight.
    ``pairs``: of these images. ``each``: what does the work for one block of images after another.

    Weights are sought along the principal axes of the loss's curvature at equal scores, each
    divided by its root, where there are pairs enough to know them: features of a network hang
    together, and by them alone the minimum lies in a long valley. Where there are fewer images than
    features, weights are sought in the space of these images: in all others they are 0.
    """

    def __init__(
        self, features: FeatureArray, pairs: VotedPairs, hidden: int, each: Each = map
    ) -> None:
        rows, self.pairs = of_pairs(features, pairs)
        self.each = each
        exact = not hidden and rows.size <= MOST_DOUBLES
        self.features = rows.astype(np.float64) if exact else rows
        self.mean = self.features.mean(axis=0, dtype=np.float64)
        spread = spread_of(self.features, self.mean)
        varies = spread > 1e-9 * np.maximum(1e-30, np.abs(self.mean))
        self.scale = np.where(varies, 1 / np.where(varies, spread, 1.0), 0.0)
        self.basis: tuple[FloatArray, FloatArray] | None = None
        if rows.shape[0] < rows.shape[1]:
            self.reduce()
        self.shapes = shapes(self.features.shape[1], hidden)
        self.axes = self.principal_axes()

    def reduce(self) -> None:
        """Take the images' places along their own principal axes for their features."""
        standard = (self.features - self.mean) * self.scale
        _, sizes, axes = np.linalg.svd(standard, full_matrices=False)
        axes = axes[sizes >= 1e-9 * sizes.max()]  # one is left where no feature varies
        self.basis = self.scale[:, None] * axes.T, self.mean
        self.features = (standard @ axes.T).astype(self.features.dtype)
        self.mean, self.scale = np.zeros(len(axes)), np.ones(len(axes))

    def principal_axes(self) -> tuple[FloatArray, FloatArray] | None:
        """Give curvatures, shape (d,), of standardised features, and the axes, shape (d, d)."""
        number, pairs = self.features.shape[1], self.pairs
        if len(pairs.one) < number:
            return None
        some = np.linspace(0, len(pairs.one) - 1, min(len(pairs.one), PAIRS_A_FEATURE * number))
        rows = np.unique(some.astype(int))
        apart = self.features[pairs.one[rows]] - self.features[pairs.other[rows]]
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

    def folded(self, point: FloatArray) -> Head:
        """Give a head of the features as they are here."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes.values()])
        parts = zip(self.shapes.items(), np.split(point[:-1], ends[:-1]), strict=True)
        weights = {name: part.reshape(shape) for (name, shape), part in parts}
        weights["weight"] = (weights["weight"].T * self.scale).T
        return moved(Head(weights=weights), self.mean)

    def head(self, point: FloatArray) -> Head:
        """Give a head of the features as they came."""
        own = self.folded(point)
        if self.basis is None:
            return own
        basis, mean = self.basis
        return moved(Head(weights={**own.weights, "weight": basis @ own.weights["weight"]}), mean)

    def loss(
        self, point: FloatArray, penalty: float, features: FeatureArray, pairs: VotedPairs
    ) -> Loss:
        """Give the penalised mean loss of a vote, and its derivatives by the point."""
        head, has_ties = self.folded(point), bool(self.pairs.ties.any())
        blocks = [slice(at, at + BLOCK) for at in range(0, len(features), BLOCK)]
        each = self.each if len(blocks) > 1 else map
        inner = list(each(lambda rows: head.inner(features[rows]), blocks))
        scores = np.concatenate([head.outer(part) for part in inner])
        ahead = scores[pairs.one] - scores[pairs.other]
        log_nu = float(point[-1]) if has_ties else -np.inf
        loss, slope, of_nu = negative_log_likelihood(ahead, pairs, log_nu)
        of_scores = np.bincount(pairs.one, slope, len(features)).astype(float)
        of_scores -= np.bincount(pairs.other, slope, len(features))
        slopes = each(
            lambda rows, part: head.slopes(features[rows], of_scores[rows], part), blocks, inner
        )
        of_weight, *others = (sum(parts) for parts in zip(*slopes, strict=True))
        # Derivatives by scores sum to 0, so that the mean matters to a hidden layer alone.
        if others:
            of_weight = of_weight - np.outer(self.mean, others[0])
        parts = [(of_weight.T * self.scale).T.ravel(), *others, [of_nu if has_ties else 0.0]]
        decayed = np.append(point[:-1], 0.0)
        value = loss / pairs.total + penalty / 2 * float(decayed @ decayed)
        return value, np.concatenate(parts) / pairs.total + penalty * decayed

    def along_axes(self, penalty: float) -> tuple[Callable[[FloatArray], FloatArray], ...]:
        """Give the way out of the coordinates of the search, into them, and that of slopes."""
        if self.axes is None:
            return (lambda point: point,) * 3
        values, axes = self.axes
        root = np.sqrt(values + penalty)
        width = int(np.prod(self.shapes["weight"]))

        kind = self.features.dtype if "out" in self.shapes else np.float64

        def by(matrix: FloatArray) -> Callable[[FloatArray], FloatArray]:
            own = np.ascontiguousarray(matrix, dtype=kind)

            def turned(point: FloatArray) -> FloatArray:
                weight = own @ point[:width].reshape(len(root), -1).astype(kind)
                return np.append(weight.ravel(), point[width:])

            return turned

        return by(axes / root), by((axes * root).T), by((axes / root).T)

    def fit(
        self,
        penalty: float,
        start: FloatArray,
        of_prompt: FloatArray | None = None,
        rng: np.random.Generator | None = None,
    ) -> Trained:
        """Minimise the loss.

        ``of_prompt``: how often the votes on each prompt count. ``rng``: draws which prompts a
        hidden layer sees first.

        Raises NotTrained: a linear head's loss was not at its minimum in `MOST_STEPS` steps.
        """
        pairs = self.pairs if of_prompt is None else self.pairs.weighed(of_prompt)
        outward, inward, slopes = self.along_axes(penalty)

        def loss(point: FloatArray, features: FeatureArray, pairs: VotedPairs) -> Loss:
            value, slope = self.loss(outward(point), penalty, features, pairs)
            return value, slopes(slope)

        if "out" in self.shapes:
            batches = self.batches(pairs, rng or np.random.default_rng(0))
            found, steps = by_adam(loss, inward(start), batches), STEPS_OF_LAYER
        else:
            found, steps = by_lbfgs(loss, inward(start), (self.features, pairs))
        point = outward(found)
        return Trained(
            head=self.head(point),
            log_nu=float(point[-1]) if pairs.ties.any() else -np.inf,
            penalty=penalty,
            steps=steps,
            point=point,
        )

    def batches(
        self, pairs: VotedPairs, rng: np.random.Generator
    ) -> Iterator[tuple[FeatureArray, VotedPairs]]:
        """Yield all images and pairs of some prompts, over and over; each image is there once."""
        prompts, place = np.unique(pairs.prompt, return_inverse=True)
        number = -(-len(self.features) // IMAGES_A_STEP)
        while number == 1:
            yield self.features, pairs
        while True:
            batch = (rng.permutation(len(prompts)) % number)[place]
            for n in range(number):
                if (some := pairs.of(batch == n)).total:
                    yield of_pairs(self.features, some)


def of_pairs(features: FeatureArray, pairs: VotedPairs) -> tuple[FeatureArray, VotedPairs]:
    """Take the images of some pairs alone, and number them anew."""
    used, places = np.unique(np.append(pairs.one, pairs.other), return_inverse=True)
    one, other = np.split(places, 2)
    rows = features[used] if len(used) < len(features) else features
    return rows, replace(pairs, one=one, other=other)


def moved(head: Head, mean: FloatArray) -> Head:
    """Have a hidden layer see features less their mean; a linear head's differences stay."""
    weights = dict(head.weights)
    if "bias" in weights:
        weights["bias"] = weights["bias"] - mean @ weights["weight"]
    return Head(weights=weights)


def spread_of(features: FeatureArray, mean: FloatArray) -> FloatArray:
    """Give the standard deviation of each feature, without a copy of all in double precision."""
    parts = (features[at : at + BLOCK] - mean for at in range(0, len(features), BLOCK))
    return np.asarray(np.sqrt(sum((part**2).sum(axis=0) for part in parts) / len(features)))


Batch = tuple[FeatureArray, VotedPairs]
LossOfBatch = Callable[[FloatArray, FeatureArray, VotedPairs], Loss]


def by_lbfgs(loss: LossOfBatch, start: FloatArray, whole: Batch) -> tuple[FloatArray, int]:
    options: Any = {"maxiter": MOST_STEPS, "maxcor": 20, "ftol": RELATIVE, "gtol": 1e-7}
    found: Any = minimize(loss, start, whole, "L-BFGS-B", jac=True, options=options)
    if found.status == 1:
        raise NotTrained(f"the loss was not at its minimum after {MOST_STEPS} steps")
    return np.asarray(found.x, dtype=float), int(found.nit)


def by_adam(loss: LossOfBatch, start: FloatArray, batches: Iterator[Batch]) -> FloatArray:
    point, mean, square = start, np.zeros(len(start)), np.zeros(len(start))
    for step, batch in zip(range(1, STEPS_OF_LAYER + 1), batches, strict=False):
        slope = loss(point, *batch)[1]
        mean += (1 - DECAYS[0]) * (slope - mean)
        square += (1 - DECAYS[1]) * (slope**2 - square)
        true_mean, true_square = mean / (1 - DECAYS[0] ** step), square / (1 - DECAYS[1] ** step)
        rate = RATE * (1 + np.cos(np.pi * (step - 1) / STEPS_OF_LAYER)) / 2
        point = point - rate * true_mean / (np.sqrt(true_square) + 1e-8)
    return point


def loss_on(trained: Trained, features: FeatureArray, pairs: VotedPairs) -> float:
    """Give the mean loss of a vote that decides, on other images; of no vote it is NaN."""
    scores = trained.head.scores(features)
    decided = replace(pairs, ties=np.zeros(len(pairs.one)))
    ahead, total = scores[pairs.one] - scores[pairs.other], decided.total
    return negative_log_likelihood(ahead, decided, -np.inf)[0] / total if total else np.nan


def along_penalties(
    training: Training, validation: Batch, seed: np.random.SeedSequence, tell: Callable[[], object]
) -> Trained:
    """Weaken the penalty step by step until validation prompts say stop; give the best head.

    A linear head begins where the one before ended, which saves steps and changes nothing; a hidden
    layer begins anew, at the same place.
    """
    start = training.start(np.random.default_rng(seed))
    losses: list[float] = []
    path: list[Trained] = []
    is_linear = "out" not in training.shapes
    for penalty in PENALTIES:
        if not is_linear and penalty > STRONGEST_OF_LAYER:
            continue
        path.append(training.fit(penalty, start, rng=np.random.default_rng(seed)))
        losses.append(loss_on(path[-1], *validation))
        tell()
        if is_linear:
            start = path[-1].point
        if len(losses) - int(np.argmin(losses)) > PATIENCE:
            break
    return path[int(np.argmin(losses))]
