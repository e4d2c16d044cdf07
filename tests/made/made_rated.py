"""Ratings and judges for a report with every part, made and scored quickly."""

import numpy as np
import pandas as pd

from hype.judges.files import read_judges
from hype.judges.ratings import judge_ratings
from hype.protocols.rating.axes import RatingOptions
from hype.protocols.rating.score import add_judges, score_ratings
from hype.protocols.rating.table import check_ratings

AXES = ("overall", "style", "anatomy")
STRENGTHS = {"flow": 0.9, "vae": 0.2, "pca": -0.3, "<b>gauss</b>": -0.9}
LEADERBOARD = {"flow": 1100.0, "vae": 1010.0, "pca": 990.0, "<b>gauss</b>": 900.0, "other": 1.0}
ITEMS = 60
EACH = 3


def levels(seen):
    return np.clip(np.rint(3 - 1.1 * seen), 1, 5).astype(int)


def rated_pairs(strengths=None, *, axes=AXES, items=ITEMS, people=12, simulated=False, seed=1):
    """Draw ratings of pairs, each by three people; style is often not relevant."""
    strengths = STRENGTHS if strengths is None else strengths
    rng = np.random.default_rng(seed)
    names, values = np.array(list(strengths)), np.array(list(strengths.values()))
    first = rng.integers(len(names), size=items)
    second = (first + rng.integers(1, len(names), size=items)) % len(names)
    own = values[first] - values[second] + rng.normal(0, 0.5, (len(axes), items))
    rows = []
    for turn in range(EACH):
        answers = levels(own + rng.normal(0, 0.7, own.shape))
        for (a, i), answer in np.ndenumerate(answers):
            off = axes[a] == "style" and rng.random() < 0.4
            said = "not-relevant" if off else str(answer)
            who = f"p{(i + 5 * turn) % people:02}"
            rows.append((f"i{i:03}", axes[a], said, names[first[i]], names[second[i]], who, i))
    columns = ["item", "axis", "answer", "first", "second", "evaluator", "number"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["first_image"] = [
        f"{c}/{n}.png" for c, n in zip(frame["first"], frame["number"], strict=True)
    ]
    frame["second_image"] = [
        f"{c}/{n}.png" for c, n in zip(frame["second"], frame["number"], strict=True)
    ]
    frame["task"] = np.where(frame["number"] == items - 1, "practice", "rating")
    return frame.drop(columns="number").assign(simulated=simulated)


def rated_images(*, people=8, images=40, seed=2):
    """Draw ratings of single images: correct anatomy (yes or no), and beauty."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(images):
        name = ("crude", "fine")[i % 2]
        sound, beauty = ("yes", "no")[i % 3 == 0], 3 + 3 * (i % 2) + i % 3
        for turn in range(2):
            who = f"p{(i + 3 * turn) % people}"
            said = sound if rng.random() < 0.8 else {"yes": "no", "no": "yes"}[sound]
            number = int(np.clip(beauty + rng.integers(-2, 3), 1, 10))
            rows.append((f"i{i}", "anatomy", said, name, who, sound))
            rows.append((f"i{i}", "beauty", str(number), name, who, str(beauty)))
    columns = ["item", "axis", "answer", "condition", "evaluator", "truth"]
    return pd.DataFrame(rows, columns=columns)


def scored(frame, folder=None, **options):
    """Score ratings, and compare the judges in a folder with them."""
    ratings = check_ratings(frame)
    score = score_ratings(ratings, RatingOptions(**options))
    if folder is None:
        return score
    return add_judges(score, judge_ratings(ratings, read_judges([folder])))


def judge_files(folder, frame, *, more=0):
    """Write files of judges: one like people, one always first level, 1 + `more` random ones."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(3)
    asked = frame[frame["task"].eq("rating")].groupby(["item", "axis"], sort=False).first()
    asked = asked.reset_index()[["item", "axis", "answer"]]
    known = asked["answer"].replace("not-relevant", "3").astype(int)
    near = (known + rng.integers(-1, 2, len(known))).clip(1, 5)
    said = {"like-people": near, "dice": rng.integers(1, 6, len(known)), "first & foremost": 1}
    said |= {f"dice{n:03}": rng.integers(1, 6, len(known)) for n in range(more)}
    for name, answers in said.items():
        asked.assign(answer=answers).to_csv(folder / f"{name}.csv", index=False)
    return folder
