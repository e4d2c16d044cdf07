"""Measure how long a reward model takes to train on as many comparisons as HPD v2 has.

    nice -n 15 python benchmarks/reward.py [SHARE]

SHARE is the share of the prompts to use, 1 if it is left out.

Training has 107,515 prompts with 4 images, which one person ranks. The test has 300 prompts with 9
images and 100 prompts with 10, which ten people rank. This makes 798,090 comparisons of 433,760
images (Wu et al. 2023, sections 3.4 and H). Each image has 1,280 features, correlated like a
network's: principal component k has variance 1/k. All people have the same taste.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from itertools import combinations

import numpy as np

from hype.reward.train import train_model
from hype.reward.votes import Votes

FEATURES = 1280
TASTE_SD = 1.5


def features_of(images: int, rng: np.random.Generator) -> np.ndarray:
    mix = np.linalg.qr(rng.normal(size=(FEATURES, FEATURES)))[0]
    mix = (mix / np.sqrt(np.arange(1, FEATURES + 1))[:, None]).T @ mix
    values = np.empty((images, FEATURES), dtype=np.float32)
    for at in range(0, images, 10_000):
        part = values[at : at + 10_000]
        part[:] = rng.standard_normal(part.shape, dtype=np.float32) @ mix.astype(np.float32) + 0.5
    return values


def ranked(groups: int, size: int, people: int, first: int, prompt: int) -> np.ndarray:
    """Return rows of the prompt, the evaluator and the two images of each comparison."""
    group = np.repeat(np.arange(groups), people)
    who = np.tile(np.arange(people), groups)
    return np.concatenate(
        [
            np.stack([prompt + group, who, first + size * group + a, first + size * group + b])
            for a, b in combinations(range(size), 2)
        ],
        axis=1,
    )


def votes_of(share: float, rng: np.random.Generator) -> tuple[Votes, np.ndarray, np.ndarray]:
    groups = round(107_515 * share)
    shapes = [(groups, 4, 1), (round(300 * share), 9, 10), (round(100 * share), 10, 10)]
    columns, image, prompt = [], 0, 0
    for number, size, people in shapes:
        columns.append(ranked(number, size, people, image, prompt))
        image, prompt = image + number * size, prompt + number
    x = features_of(image, rng)
    taste = rng.normal(size=FEATURES).astype(np.float32)
    score = (x - x[:10_000].mean(axis=0)) @ taste
    score *= TASTE_SD / score.std()
    of_prompt, who, first, second = np.concatenate(columns, axis=1)
    ahead = score[first] - score[second]
    verdict = np.where(rng.random(len(ahead)) < 1 / (1 + np.exp(-ahead)), 1, -1)
    names = tuple(f"{n:06}" for n in range(prompt))
    votes = Votes(
        images=tuple(f"{n:06}.png" for n in range(image)),
        conditions=("a", "b", "c", "d"),
        condition=np.arange(image) % 4,
        prompts=names,
        held_out=frozenset(names[groups:]),
        evaluators=10,
        evaluator=who,
        prompt=of_prompt,
        first=first,
        second=second,
        verdict=verdict,
    )
    return votes, x, 1 / (1 + np.exp(-np.abs(ahead[of_prompt >= groups])))


def main(share: float) -> None:
    began = time.monotonic()
    votes, x, best = votes_of(share, np.random.default_rng(0))
    print(f"{len(votes.verdict):,} comparisons, {len(x):,} images, {len(votes.prompts):,} prompts")
    print(f"made in {time.monotonic() - began:.0f} s; load {os.getloadavg()[0]:.1f}", flush=True)
    began, worked = time.monotonic(), time.process_time()
    fits: list[float] = []
    model = train_model(votes, x, {}, tell=lambda: fits.append(time.monotonic()))
    seconds, own = time.monotonic() - began, time.process_time() - worked
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    accuracy = model.evaluation.agreement.accuracy.value
    print(
        f"{len(fits)} fits in {seconds:.0f} s ({own:.0f} s of a core), "
        f"penalty {model.head.penalty:g}, {model.head.steps} steps; accuracy {accuracy:.4f}, "
        f"of the planted taste {best.mean():.4f}; at most {memory / 2**20:.1f} GiB; load "
        f"{os.getloadavg()[0]:.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main(float((*sys.argv[1:], "1")[0]))
