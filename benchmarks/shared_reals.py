"""Check how often intervals cover the truth in simulated studies whose models share real images.

python benchmarks/shared_reals.py --studies 400
"""

from __future__ import annotations

import argparse
import io
from contextlib import redirect_stderr

import numpy as np
import pandas as pd
from scipy.special import expit

import hype

MODELS = {"m0": -0.5, "m1": -0.5, "m2": 0.3}
"""Log-odds that a fake of a model is judged real."""
REAL, SD_PEOPLE, SD_IMAGES = -0.8, 0.6, 0.6
"""Log-odds that a real image is called fake; SDs of people and of images, in log-odds."""


def study(rng: np.random.Generator, people: int, fakes: int, reals: int) -> pd.DataFrame:
    """Simulate everybody's judgements of all images; real images have the condition "Reals"."""
    ease = SD_PEOPLE * rng.standard_normal((people, 2))
    parts = []
    for name, mean in {**MODELS, "Reals": REAL}.items():
        number, kind = (reals, 1) if name == "Reals" else (fakes, 0)
        logit = mean + ease[:, [kind]] + SD_IMAGES * rng.standard_normal(number)
        wrong = rng.random((people, number)) < expit(logit)
        truth, other = ("real", "fake") if kind else ("fake", "real")
        who, image = np.indices(wrong.shape)
        parts.append(
            pd.DataFrame(
                {
                    "evaluator": [f"p{n}" for n in who.ravel()],
                    "condition": name,
                    "truth": truth,
                    "answer": np.where(wrong.ravel(), other, truth),
                    "image": [f"{name}/{n}.png" for n in image.ravel()],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=400)
    given = parser.parse_args()
    noise = np.hypot(SD_PEOPLE, SD_IMAGES) * np.random.default_rng(0).standard_normal(2_000_000)
    rate = {name: 100 * expit(mean + noise).mean() for name, mean in {**MODELS, "r": REAL}.items()}
    print("| people | fakes of a model | reals | scores, % | all differences, % | false, % |")
    print("| --- | --- | --- | --- | --- | --- |")
    for people, fakes, reals in ((12, 20, 20), (30, 30, 60), (30, 20, 60)):
        covered, apart, false = [], [], []
        share = fakes / (fakes + reals)
        for seed in range(given.studies):
            rng = np.random.default_rng((people, fakes, reals, seed))
            with redirect_stderr(io.StringIO()):
                scores = hype.score(
                    study(rng, people, fakes, reals), real_condition="Reals", draws=100
                )
            for row in scores.conditions.itertuples():
                truth = share * rate[row.condition] + (1 - share) * rate["r"]
                covered.append(row.low <= truth <= row.high)
            pairs = list(scores.pairs.itertuples())
            # Simultaneous intervals of all pairs.
            apart.append(all(p.low <= (rate[p.a] - rate[p.b]) / 2 <= p.high for p in pairs))
            equal = (pair for pair in pairs if {pair.a, pair.b} == {"m0", "m1"})
            false += [pair.verdict == "separable" for pair in equal]
        shares = (f"{100 * np.mean(each):.1f}" for each in (covered, apart, false))
        print(f"| {people} | {fakes} | {reals} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
