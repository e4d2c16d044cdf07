"""Comparisons for a report with every part, made and scored quickly."""

import numpy as np
import pandas as pd

from hype.protocols.comparison.power import AnalysisPlan
from hype.protocols.comparison.score import PairwiseOptions, choose_votes, score_comparisons
from hype.protocols.comparison.sequential import StoppingRule
from hype.protocols.comparison.table import check_comparisons

QUESTION = "Which image better reflects the caption above?"
STRENGTHS = {"flow": 1.0, "vae": 0.5, "pca": -0.3, "gaussian": -1.2}
PROMPTS = ("a bag", "a coat")
IMAGES = 3
SHARES = {"young": 0.5, "old": 0.5}


def votes_of(strengths=None, *, evaluators=12, each=36, ties=0.1, simulated=False, seed=5, drop=()):
    """Draw comparisons of random pairs by Bradley and Terry's model, with images and times."""
    strengths = STRENGTHS if strengths is None else strengths
    rng = np.random.default_rng(seed)
    names, values = np.array(list(strengths)), np.array(list(strengths.values()))
    number = evaluators * each
    left = rng.integers(len(names), size=number)
    right = (left + rng.integers(1, len(names), size=number)) % len(names)
    chance = 1 / (1 + np.exp(values[right] - values[left]))
    answer = np.where(rng.random(number) < chance, "left", "right").astype(object)
    answer[rng.random(number) < ties] = "tie"
    prompt = rng.integers(len(PROMPTS), size=number)
    frame = pd.DataFrame(
        {
            "evaluator": [f"e{n // each:02}" for n in range(number)],
            "prompt": np.array(PROMPTS)[prompt],
            "left": names[left],
            "right": names[right],
            "left_image": images(names[left], prompt, rng),
            "right_image": images(names[right], prompt, rng),
            "answer": answer,
            "task": "comparison",
            "obvious": "",
            "rt_ms": rng.lognormal(7.4, 0.4, number).round(1),
            "hasty": rng.random(number) < 0.02,
            "simulated": simulated,
        }
    )
    return frame.drop(columns=list(drop))


def images(names, prompt, rng):
    numbers = prompt * IMAGES + rng.integers(IMAGES, size=len(names))
    return [f"fake/{name}/{n}.png" for name, n in zip(names, numbers, strict=True)]


def validations(frame, *, each=5, careless=("e00",)):
    """Make comparisons with an obvious answer, which all evaluators but the careless give."""
    people = frame["evaluator"].unique()
    rows = frame.groupby("evaluator").head(each).assign(task="validation", obvious="left")
    rows["answer"] = np.where(rows["evaluator"].isin(careless), "right", "left")
    assert len(rows) == each * len(people)
    return rows


def score_votes(votes, options=None):
    """Score checked comparisons, each criterion separately."""
    chosen = options or PairwiseOptions()
    return score_comparisons(choose_votes(votes, chosen), chosen)


def scored(frame, **options):
    """Check and score comparisons; return the votes and the score."""
    votes = check_comparisons(frame)
    return votes, score_votes(votes, PairwiseOptions(**options))


def everything(*, simulated=False, arena=False):
    """Return votes and a score with everything that a score can contain."""
    frame = votes_of(simulated=simulated)
    frame = pd.concat([frame, validations(frame)], ignore_index=True)
    people = frame["evaluator"].unique()
    about = {who: ("young", "old", "")[n % 3] for n, who in enumerate(people)}
    rule = (
        {"rule": StoppingRule(goal="top", evaluators=len(people) - 1, images="fixed")}
        if arena
        else {}
    )
    return scored(
        frame,
        questions={"": QUESTION},
        plan=AnalysisPlan(win_rate=0.6, registration="ab" * 32),
        min_correct=0.75,
        demographics={"age": about},
        reference={"age": SHARES},
        **rule,
    )


def rows_scored(votes, score):
    """Return the rows from which a score was computed."""
    return choose_votes(votes, PairwiseOptions(min_correct=score.facts["min_correct"])).rows
