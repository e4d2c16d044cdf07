"""A judge compared with a second person: worked by hand, and with a margin."""

import numpy as np
import pandas as pd
import pytest
from made_judges import by_name
from scipy.stats import pearsonr

from hype.judges.choices import compare_shares
from hype.judges.files import Judges
from hype.judges.items import people_in
from hype.judges.ratings import compare_r, judge_ratings, meet_second_person
from hype.judges.results import CountedEstimate, JudgeOptions, RowUnits, ends_of_difference
from hype.protocols.rating.table import check_ratings
from hype.statistics.crossed import Error
from hype.statistics.estimate import Estimate
from hype.study.scales import Scale

MODELS = 4


class Study:
    """Ratings of pairs of images on one axis; `each` people rate each pair.

    An answer is a level: the rounded sum of the models' difference, the images' difference, the
    person's taste for the models, and noise.
    """

    def __init__(self, seed, *, people=20, items=120, each=3, taste=0.4):
        rng = self.rng = np.random.default_rng(seed)
        self.taste, self.place = taste, np.arange(items)
        strengths = rng.normal(size=MODELS) * 0.8 / np.sqrt(2)
        self.first = rng.integers(MODELS, size=items)
        self.second = (self.first + rng.integers(1, MODELS, items)) % MODELS
        differences = strengths[self.first] - strengths[self.second]
        self.truth = differences + 0.8 * rng.normal(size=items)
        turn = rng.permuted(np.tile(np.arange(people), (items, 1)), axis=1)[:, :each]
        self.who = np.sort(turn, axis=1)
        tastes = rng.normal(size=(people, MODELS))
        self.answers = np.stack([self._answer(tastes[who]) for who in self.who.T], axis=1)

    def _answer(self, tastes, noise=1.0):
        liked = tastes[self.place, self.first] - tastes[self.place, self.second]
        seen = self.truth + self.taste / np.sqrt(2) * liked
        seen += noise * self.rng.normal(size=len(seen))
        lapse = self.rng.random(len(seen)) < 0.02
        answer = np.clip(np.rint(3 - seen), 1, 5).astype(int)
        return np.where(lapse, self.rng.integers(1, 6, len(seen)), answer)

    def judge(self, noise=1.0):
        """Answer without a taste; ``noise`` is relative to the noise of people."""
        return self._answer(np.zeros((len(self.place), MODELS)), noise)

    def person(self):
        """Answer like one more person."""
        return self._answer(
            np.broadcast_to(self.rng.normal(size=MODELS), (len(self.place), MODELS))
        )

    def table(self, answers):
        """Return answers, one for each item, as a table."""
        items = [f"i{item:04d}" for item in self.place]
        return pd.DataFrame({"item": items, "axis": "overall", "answer": answers.astype(str)})

    def ratings(self):
        sides = {"first": [f"m{m}" for m in self.first], "second": [f"m{m}" for m in self.second]}
        return check_ratings(
            pd.concat(
                self.table(answers).assign(**sides, evaluator=[f"p{who:02d}" for who in people])
                for answers, people in zip(self.answers.T, self.who.T, strict=True)
            ).reset_index(drop=True)
        )

    def judged(self, **judges):
        rows = [
            self.table(answers).assign(judge=name, first_side="", repeat="")
            for name, answers in judges.items()
        ]
        table = pd.concat(rows, ignore_index=True).astype("category")
        table = table.assign(file="simulated", row=np.arange(len(table)))
        files = Judges(answers=table, scores=pd.DataFrame())
        found = by_name(judge_ratings(self.ratings(), files, JudgeOptions(margin=0.1)))
        return {name: judge.axis("overall") for name, judge in found.items()}


@pytest.fixture(scope="module")
def study():
    return Study(3, people=30, items=300, each=4)


def test_the_difference_by_a_loop(study):
    people = people_in(study.ratings(), Scale())
    answers = 3 - study.judge()
    found = compare_r(answers, people, 0, 0.95)
    theirs = 3 - study.answers
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    own = pearsonr(np.repeat(answers, 4), theirs.ravel())[0]
    second = pearsonr(
        np.ravel([theirs[:, i] for i, _ in pairs]), np.ravel([theirs[:, j] for _, j in pairs])
    )[0]
    assert found.value == pytest.approx(own - second)
    assert meet_second_person(people, 0, 0.95)["r"].value == pytest.approx(second)
    assert found.low < found.value < found.high


def test_the_ends_of_a_difference_are_those_of_both_figures():
    """For independent figures, the squares of the widths are added (Zou 2007)."""
    judge = Estimate(value=0.5, low=0.35, high=0.6)
    person = Estimate(value=0.4, low=0.3, high=0.49)
    errors = [
        Error(variance=each**2, freedom=np.inf, of_items=0)
        for each in (0.06, 0.05, np.hypot(0.06, 0.05))
    ]
    low, high = ends_of_difference(judge, person, errors)
    assert low == pytest.approx(0.1 - np.hypot(0.15, 0.09))
    assert high == pytest.approx(0.1 + np.hypot(0.1, 0.1))


def test_of_few_questions_a_judge_near_the_most_there_is_may_be_much_worse():
    """This judge chooses the majority 18 of 20 times, so higher agreement is hardly possible."""
    question, person = np.divmod(np.arange(200), 10)
    most_say = (person + question) % 10 < 8
    hits = np.where(question < 18, most_say, ~most_say).astype(float)
    others = np.where(most_say, 7 / 9, 1 / 9)
    units = RowUnits(evaluator=person, item=question)
    found = compare_shares(hits, others, 0.8, units, 0.95)
    assert found.value == pytest.approx(hits.mean() - others.mean())
    assert found.value - found.low > 1.5 * (found.high - found.value)
    assert found.high < 0.8 - others.mean() + 0.01


@pytest.mark.long
def test_intervals_hold_the_truth_of_many_studies():
    # A judge who answers like one more person does not differ from a second person on average.
    held = []
    for seed in range(40):
        study = Study(seed, people=12, items=60, each=4, taste=0)
        found = study.judged(person=study.person())["person"].difference
        held.append(found.low < 0 < found.high)
    assert sum(held) >= 35


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.09, 0.2, "as good"),
        (-0.09, -0.01, "as good"),
        (-0.3, -0.11, "worse"),
        (-0.2, 0.1, "not known"),
        (None, None, "not known"),
    ],
)
def test_a_verdict_follows_from_the_interval(low, high, verdict):
    difference = CountedEstimate(value=-0.05, low=low, high=high, n=9)
    assert JudgeOptions(margin=0.1).verdict(difference) == verdict
    assert JudgeOptions().verdict(difference) is None


def test_of_two_people_there_is_no_interval():
    study = Study(1, people=2, items=80, each=2)
    row = study.judged(good=study.judge(0.3))["good"]
    assert (row.difference.low, row.verdict) == (None, "not known")


def test_without_two_ratings_of_an_item_there_is_no_second_person():
    study = Study(1, people=10, items=80, each=1)
    row = study.judged(good=study.judge(0.3))["good"]
    assert (row.difference, row.verdict) == (None, "not known")
