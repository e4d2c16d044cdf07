"""Ratings and rankings with a known truth, and files of judges with known behaviour."""

import numpy as np
import pandas as pd

from hype.judges.files import read_judges
from hype.protocols.ranking.table import check_rankings
from hype.protocols.rating.table import check_ratings

AXES = ("aesthetics", "anatomy", "artifacts", "composition", "objects", "style", "overall")


def levels(z):
    """Convert the first image's advantage to levels from 1 (first is much better) to 5."""
    return np.clip(np.rint(3 - 1.2 * z), 1, 5).astype(int)


class Raters:
    """Ratings of pairs on seven correlated axes; `each` evaluators rate each item."""

    def __init__(self, *, items=300, people=30, each=1, seed=0):
        self.rng = np.random.default_rng(seed)
        whole = self.rng.normal(size=(items, 1))
        self.truth = 0.7 * whole + 0.71 * self.rng.normal(size=(items, len(AXES)))
        self.items = [f"i{n:04d}" for n in range(items)]
        parts = [self._by(turn, people) for turn in range(each)]
        self.frame = pd.concat(parts, ignore_index=True)

    @property
    def checked(self):
        return check_ratings(self.frame)

    def like_people(self):
        noise = self.rng.normal(size=self.truth.shape)
        return levels(0.775 * self.truth + 0.632 * noise)

    def random(self):
        return self.rng.integers(1, 6, self.truth.shape)

    def people(self):
        """Return the answers of the first person who rated each item."""
        return self.frame["answer"].to_numpy()[: self.truth.size].reshape(self.truth.shape)

    def file(self, folder, name, answers):
        """Write a judge's answers: for each item a row of seven axes, with "" for no answer."""
        table = self._table(np.asarray(answers).astype(str))
        table.to_csv(folder / f"{name}.csv", index=False)

    def _by(self, turn, people):
        answers = self.like_people().astype(object)
        answers[self.rng.random(answers.shape) < 0.1] = "not-relevant"
        table = self._table(answers)
        number = np.repeat(np.arange(len(self.items)), len(AXES))
        who = (number + 7 * turn) % people
        return table.assign(
            first="x",
            second="y",
            evaluator=[f"p{one:02d}" for one in who],
            first_image=[f"x{n}.png" for n in number],
            second_image=[f"y{n}.png" for n in number],
        )

    def _table(self, answers):
        return pd.DataFrame(
            {
                "item": np.repeat(self.items, len(AXES)),
                "axis": list(AXES) * len(self.items),
                "answer": np.ravel(answers),
            }
        )


def judges(folder, **text):
    """Write files of judges and read them."""
    for name, rows in text.items():
        (folder / f"{name}.csv").write_text(rows)
    return read_judges([folder])


def by_name(score):
    return {judge.judge: judge for judge in score.judges}


class Rankers:
    """Rankings of groups with one image of each condition; `each` people rank each group."""

    def __init__(self, *, groups=60, images=5, people=12, each=4, seed=0):
        rng = self.rng = np.random.default_rng(seed)
        quality = np.linspace(0, 1.5, images) + rng.normal(size=(groups, images))
        names = [[f"g{g}/{i}.png" for i in range(images)] for g in range(groups)]
        self.quality = dict(zip(np.ravel(names), quality.ravel(), strict=True))
        rows = []
        for g in range(groups):
            for who in rng.choice(people, each, replace=False):
                order = np.argsort(-(quality[g] + rng.gumbel(size=images)))
                rows += [
                    (f"g{g}", f"m{i}", names[g][i], place + 1, f"p{who:02d}")
                    for place, i in enumerate(order)
                ]
        columns = ["group", "condition", "image", "rank", "evaluator"]
        self.frame = pd.DataFrame(rows, columns=columns)

    @property
    def checked(self):
        return check_rankings(self.frame)

    def file(self, folder, name, scores):
        """Write a model's scores, in the order of `quality`, without those that are NaN."""
        table = pd.DataFrame({"image": list(self.quality), "score": scores}).dropna()
        table.to_csv(folder / f"{name}.csv", index=False)
