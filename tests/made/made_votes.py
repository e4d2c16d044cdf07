"""Tables of comparisons with a known truth."""

import numpy as np
import pandas as pd

from hype.protocols.comparison.table import check_comparisons


def two_models(probabilities, number, *, rng, prompts=None):
    """Make `number` comparisons per evaluator, who prefers A with a given probability."""
    evaluator = np.repeat(np.arange(len(probabilities)), number)
    a_won = rng.random(len(evaluator)) < np.repeat(probabilities, number)
    frame = sided(a_won, rng)
    frame.insert(0, "evaluator", [f"e{e:02d}" for e in evaluator])
    if prompts is not None:
        frame["prompt"] = [f"prompt {p}" for p in prompts]
    return check_comparisons(frame)


def sided(a_won, rng, a="A", b="B"):
    """Make one comparison of A with B for each entry; their sides are random."""
    a_left = rng.random(len(a_won)) < 0.5
    return pd.DataFrame(
        {
            "left": np.where(a_left, a, b),
            "right": np.where(a_left, b, a),
            "answer": np.where(np.asarray(a_won) == a_left, "left", "right"),
        }
    )


def of_strengths(strengths, *, evaluators, each, rng, ties=0.0, prompts=20):
    """Draw comparisons of random pairs of m0, m1, … by Bradley and Terry's model."""
    strengths = np.asarray(strengths, dtype=float)
    n = evaluators * each
    left = rng.integers(len(strengths), size=n)
    right = (left + rng.integers(1, len(strengths), size=n)) % len(strengths)
    chance = 1 / (1 + np.exp(strengths[right] - strengths[left]))
    answer = np.where(rng.random(n) < chance, "left", "right").astype(object)
    answer[rng.random(n) < ties] = "tie"
    return check_comparisons(
        pd.DataFrame(
            {
                "evaluator": [f"e{i // each:03d}" for i in range(n)],
                "prompt": [f"prompt {p}" for p in rng.integers(prompts, size=n)],
                "left": [f"m{i}" for i in left],
                "right": [f"m{i}" for i in right],
                "answer": answer,
            }
        )
    )
