"""Votes by people with a known taste, on images with known features."""

from dataclasses import dataclass

import numpy as np

from hype.reward.votes import Votes
from hype.statistics.arrays import FloatArray

CONDITIONS = ("a", "b", "c", "d")


@dataclass(frozen=True, kw_only=True, eq=False)
class Tasted:
    """Votes, features, the true scores, and the accuracy of a model with the true scores."""

    votes: Votes
    features: FloatArray
    scores: FloatArray
    best: float


def tasted(
    *,
    prompts=150,
    features=12,
    people=30,
    votes=4000,
    size=1.0,
    ties=0.0,
    weights=None,
    held_out=(),
    seed=0,
):
    """Draw votes; features are correlated and their means are not 0."""
    rng = np.random.default_rng(seed)
    images = prompts * len(CONDITIONS)
    mixed = rng.normal(size=(features, features)) / np.sqrt(features)
    x = rng.normal(size=(images, features)) @ mixed + 3
    taste = rng.normal(size=features) if weights is None else np.asarray(weights, dtype=float)
    scores = (x - x.mean(axis=0)) @ taste
    scores *= size / scores.std()
    prompt, one = rng.integers(prompts, size=votes), rng.integers(4, size=votes)
    other = (one + rng.integers(1, 4, size=votes)) % 4
    first, second = 4 * prompt + one, 4 * prompt + other
    ahead = scores[first] - scores[second]
    verdict = np.where(rng.random(votes) < 1 / (1 + np.exp(-ahead)), 1, -1)
    verdict = np.where(rng.random(votes) < ties, 0, verdict)
    evaluator = rng.integers(people, size=votes)
    names = tuple(f"p{n:03}" for n in range(prompts))
    return Tasted(
        votes=Votes(
            images=tuple(f"{n:05}.png" for n in range(images)),
            conditions=CONDITIONS,
            condition=np.tile(np.arange(4), prompts),
            prompts=names,
            held_out=frozenset(held_out),
            evaluators=people,
            evaluator=evaluator,
            prompt=prompt,
            first=first,
            second=second,
            verdict=verdict,
        ),
        features=x,
        scores=scores,
        best=float((1 / (1 + np.exp(-np.abs(ahead)))).mean()),
    )
