"""Rankings for a report with every part, and preference models of known skill."""

from dataclasses import replace

import numpy as np
import pandas as pd

from hype.judges.choices import judge_rankings
from hype.judges.files import read_judges
from hype.judges.results import JudgeOptions
from hype.protocols.ranking import score as ranking_score
from hype.protocols.ranking.score import RankingOptions, choose_rankings, score_of
from hype.protocols.ranking.table import check_rankings


def score_rankings(rankings, options):
    return score_of(choose_rankings(rankings, options), options)


STRENGTHS = {"flow": 1.0, "vae": 0.4, "pca": -0.2, "gaussian": -1.2}
PROMPTS = ("a bag", "a coat", "a dress", "a hat", "a shoe", "a sock")
STYLES = dict(zip(PROMPTS, 3 * ("photo", "painting"), strict=True))
CHECKER = "check1"


def rankings_of(
    strengths=None,
    *,
    evaluators=10,
    groups=12,
    ties=0.1,
    size=None,
    simulated=False,
    drop=(),
    seed=4,
):
    """Draw rankings by Plackett and Luce's model; all evaluators and a checker rank all groups."""
    strengths = STRENGTHS if strengths is None else strengths
    rng = np.random.default_rng(seed)
    names, values = np.array(list(strengths)), np.array(list(strengths.values()))
    shown = rng.random((groups, len(names))).argsort(axis=1)[:, : size or len(names)]
    rows = []
    for who in (*(f"e{n:02}" for n in range(evaluators)), CHECKER):
        for group, members in enumerate(shown):
            utility = values[members] + rng.gumbel(size=len(members))
            rank = (np.round(utility / ties) if ties else utility) * -1
            prompt = PROMPTS[group % len(PROMPTS)]
            rows += [
                (who, f"g{group:02}", name, place, prompt, f"fake/{name}/{group}.png")
                for name, place in zip(
                    names[members], pd.Series(rank).rank(method="min").astype(int), strict=True
                )
            ]
    columns = ["evaluator", "group", "condition", "rank", "prompt", "image"]
    frame = pd.DataFrame(rows, columns=columns)
    test = frame["group"].eq("g00")
    frame = frame.assign(
        task=np.where(test, "test", "ranking"),
        checker=frame["evaluator"].eq(CHECKER),
        split=np.where(frame["prompt"].isin(PROMPTS[:2]), "train", "test"),
        simulated=simulated,
    )
    return frame.drop(columns=list(drop))


def models_in(folder, frame, number=3, strengths=None):
    """Write scores of models, in turn by strength, at random, and by inverted strength."""
    strengths = STRENGTHS if strengths is None else strengths
    rng = np.random.default_rng(2)
    images = frame[["image", "condition", "prompt"]].drop_duplicates("image")
    liked = images["condition"].map(strengths).to_numpy(dtype=float)
    for n in range(number):
        scores = (1, 0, -1)[n % 3] * liked + 0.1 * rng.normal(size=len(images))
        table = images.assign(score=scores, style=images["prompt"].map(STYLES))
        table.to_csv(folder / f"{named(n)}.csv", index=False)
    return folder


def scored(frame, folder=None, **options):
    """Check and score rankings, and compare the models in a folder with them."""
    checked = check_rankings(frame)
    score = score_rankings(checked, RankingOptions(**options))
    if folder is None:
        return score
    models = judge_rankings(
        choose_rankings(checked).rows, read_judges([folder]), JudgeOptions(groups=2)
    )
    return ranking_score.add_models(score, models)


def with_models(score, number):
    """Return a score with copies of its models, since judging many models would take long."""
    own = score.judges
    judges = [replace(own.judges[n % len(own.judges)], judge=named(n)) for n in range(number)]
    judges.sort(key=lambda one: (-one.accuracy.value, one.judge))
    benchmarks = tuple(
        replace(own.benchmarks[n % len(own.benchmarks)], judge=named(n)) for n in range(number)
    )
    models = replace(own, judges=tuple(judges), benchmarks=benchmarks)
    bare = replace(score, tables=tuple(t for t in score.tables if t.name.startswith("ranking")))
    return ranking_score.add_models(bare, models)


def named(number):
    return f"model-{number:02}"
