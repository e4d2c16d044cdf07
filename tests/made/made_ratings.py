"""Tables of ratings with a known truth, and the figures of infinitely many people.

An answer on an axis of a pair (a, b) has the probabilities of Davidson's model with the strengths
of that axis; a share `much` of the wins is "much better". Each answer is the level of a normally
distributed number, correlated between axes. The number is a sum of three parts: the rater's taste
for the conditions, the images (the same for all raters of the item), and noise. The true figures do
not depend on each part's share of the variance.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from hype.protocols.rating.table import check_ratings

VALUES = np.array([2.0, 1.0, 0.0, -1.0, -2.0])
"""The values of the levels 1 to 5."""


@dataclass(frozen=True, kw_only=True)
class World:
    """The true parameters of people and models.

    `strengths` has the shape (axes, conditions), `correlation` (axes, axes). `taste` and `images`
    are the shares of the rater's taste and of the images in the variance.
    """

    axes: tuple[str, ...]
    strengths: np.ndarray
    correlation: np.ndarray
    taste: float = 0.2
    images: float = 0.0
    nu: float = 0.7
    much: float = 0.4

    @property
    def conditions(self):
        return tuple(f"m{place:02d}" for place in range(self.strengths.shape[1]))

    def alike(self):
        """Make all conditions equally good."""
        return replace(self, strengths=np.zeros_like(self.strengths))


THREE = World(
    axes=("style", "anatomy", "overall"),
    strengths=np.array([[0.3, 0.1, -0.1, -0.3], [0.9, 0.1, -0.2, -0.8], [0.8, 0.3, -0.3, -0.8]]),
    correlation=np.array([[1.0, 0.1, 0.3], [0.1, 1.0, 0.6], [0.3, 0.6, 1.0]]),
)


def made_ratings(world, rng, *, evaluators, each, raters=1, not_relevant=None, checked=True):
    """Let each person rate `each` pairs on each axis, and `raters` people rate each pair.

    `not_relevant` maps an axis to the share of "not-relevant" answers, at random.
    """
    rows = evaluators * each
    item = np.arange(rows) // raters
    person = np.arange(rows) % evaluators
    size = world.strengths.shape[1]
    first = rng.integers(size, size=item[-1] + 1)
    second = (first + rng.integers(1, size, size=len(first))) % size
    latent = _latent(world, rng, person, item, first[item], second[item])
    names = np.array(world.conditions)
    parts = []
    for place, axis in enumerate(world.axes):
        chances = level_chances(world, place)[first[item], second[item]]
        level = 1 + (ndtr(latent[:, place, None]) < 1 - chances.cumsum(axis=1)[:, :4]).sum(axis=1)
        answer = level.astype(str).astype(object)
        answer[rng.random(rows) < (not_relevant or {}).get(axis, 0.0)] = "not-relevant"
        parts.append(
            pd.DataFrame(
                {
                    "item": [f"pair {i:06d}" for i in item],
                    "axis": axis,
                    "answer": answer,
                    "first": names[first[item]],
                    "second": names[second[item]],
                    "evaluator": [f"e{e:03d}" for e in person],
                    "prompt": [f"prompt {i % 20}" for i in item],
                }
            )
        )
    frame = pd.concat(parts, ignore_index=True)
    return check_ratings(frame) if checked else frame


def _latent(world, rng, person, item, first, second):
    """Draw the normal numbers from which the answers follow; shape (rows, axes), variance 1."""
    root = np.linalg.cholesky(world.correlation)
    shape = (person.max() + 1, world.strengths.shape[1], len(world.axes))
    tastes = rng.standard_normal(shape) @ root.T
    taste = (tastes[person, first] - tastes[person, second]) / np.sqrt(2)
    images = (rng.standard_normal((item.max() + 1, len(world.axes))) @ root.T)[item]
    noise = rng.standard_normal((len(person), len(world.axes))) @ root.T
    rest = 1 - world.taste - world.images
    return np.sqrt(world.taste) * taste + np.sqrt(world.images) * images + np.sqrt(rest) * noise


def level_chances(world, axis):
    """Return each pair's probabilities of the five levels; shape (conditions, conditions, 5)."""
    strong = np.exp(world.strengths[axis])
    win, loss = np.broadcast_arrays(strong[:, None], strong[None, :])
    tie = world.nu * np.sqrt(win * loss)
    total = win + loss + tie
    levels = [world.much * win, (1 - world.much) * win, tie]
    levels += [(1 - world.much) * loss, world.much * loss]
    return np.stack([level / total for level in levels], axis=-1)


def true_means(world, axis):
    """Return the mean of each condition against all others."""
    means = level_chances(world, axis) @ VALUES
    np.fill_diagonal(means, 0.0)
    return means.sum(axis=1) / (len(means) - 1)


def true_correlation(world, one, other):
    """Return Pearson's correlation of the values on two axes, over all pairs of conditions."""
    size = world.strengths.shape[1]
    pairs = [(a, b) for a in range(size) for b in range(size) if a != b]
    chances = [level_chances(world, axis) for axis in (one, other)]
    products = [
        _product(*(c[pair] for c in chances), world.correlation[one, other]) for pair in pairs
    ]
    squares = [np.mean([c[pair] @ VALUES**2 for pair in pairs]) for c in chances]
    return np.mean(products) / np.sqrt(np.prod(squares))  # by symmetry the means are 0


def _product(p, q, rho):
    """Return the mean product of two levels' values if their normal numbers are correlated."""
    # E[v·w] follows from the joint probabilities of two cuts, since values go in steps of 1.
    cuts = [ndtri(each.cumsum()[:4]) for each in (p, q)]
    grid = np.stack(np.meshgrid(*cuts, indexing="ij"), axis=-1)
    both = multivariate_normal(cov=[[1, rho], [rho, 1]], allow_singular=True).cdf(grid)
    above = [each.cumsum()[:4] for each in (p, q)]
    return both.sum() - 2 * above[0].sum() - 2 * above[1].sum() + 4


def true_alpha(world, axis, *, level="interval"):
    """Return Krippendorff's α over conditions for infinitely many people."""
    chances = level_chances(world, axis)
    off = ~np.eye(len(chances), dtype=bool)
    own = np.stack([chances[a][off[a]].mean(axis=0) for a in range(len(chances))])
    all_values = own.mean(axis=0)
    place = VALUES if level == "interval" else all_values.cumsum() - all_values / 2
    apart = (place[:, None] - place[None, :]) ** 2
    within = np.einsum("uc,uk,ck->u", own, own, apart).mean()
    return 1 - within / (all_values @ apart @ all_values)


def made_images(rng, *, evaluators, each, qualities, taste=0.5, noise=1.5, right=0.8):
    """Let people rate single images: beauty from 1 to 10, and whether the anatomy is right."""
    rows = evaluators * each
    person, image = np.repeat(np.arange(evaluators), each), np.arange(rows)
    condition = rng.integers(len(qualities), size=rows)
    own = np.asarray(qualities)[condition] + rng.standard_normal(rows)
    seen = own + taste * rng.standard_normal(evaluators)[person] + noise * rng.standard_normal(rows)
    sound = rng.random(rows) < 0.5
    said = sound == (rng.random(rows) < right)
    columns = {
        "item": [f"image {i}" for i in image],
        "condition": [f"m{c}" for c in condition],
        "evaluator": [f"e{e:02d}" for e in person],
    }
    beauty = {
        "axis": "beauty",
        "answer": np.clip(np.rint(seen), 1, 10).astype(int).astype(str),
        "truth": [f"{value:.3f}" for value in own],
    }
    words = {
        "axis": "anatomy",
        "answer": np.where(said, "yes", "no"),
        "truth": np.where(sound, "yes", "no"),
    }
    parts = [pd.DataFrame({**columns, **axis}) for axis in (beauty, words)]
    return check_ratings(pd.concat(parts, ignore_index=True))
