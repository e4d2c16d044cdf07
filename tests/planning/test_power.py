"""Power compared with the noncentral t distribution; the search for rivals and sample sizes."""

from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hype.errors import InputError
from hype.planning.people import Pool
from hype.planning.planned import Asked, PairVerdict
from hype.planning.power import Rival, find, pair_of, power_row, search
from hype.session.steps import Pay
from hype.workers import WorkerPool

PEOPLE = 4_000


def t_test(frame: pd.DataFrame, baseline: str, rival: str) -> PairVerdict:
    score, condition = frame["score"].to_numpy(), frame["condition"].to_numpy()
    low, high = (score[condition == one] for one in (baseline, rival))
    found = stats.ttest_ind(high, low)
    return PairVerdict(rival, baseline, float(high.mean() - low.mean()), bool(found.pvalue < 0.05))


@dataclass
class Normal:
    """A study with normally distributed scores and one answer from each person."""

    difference: float
    conditions: tuple[str, ...] = ("a", "b")
    groups: tuple[tuple[str, ...], ...] = (("a",), ("b",))
    each: int = 1
    pay: Pay = field(default_factory=lambda: Pay(base=1.0, per_correct=0.5, currency="$"))
    find_verdict: Any = t_test

    def drawn(self, **asked: Any) -> tuple[Any, Pool]:
        """Return the planned study, and the pool from which studies are drawn."""
        rng = np.random.default_rng(7)
        scores = rng.standard_normal((2, PEOPLE))
        scores -= scores.mean(axis=1, keepdims=True)
        scores[1] += self.difference
        frame = pd.DataFrame(
            {"condition": np.repeat(["a", "b"], PEOPLE), "score": scores.ravel(), "evaluator": "x"}
        )
        pool = Pool(
            frame=frame,
            starts=np.arange(2 * PEOPLE),
            sizes=np.ones(2 * PEOPLE, dtype=int),
            groups=(np.arange(PEOPLE), np.arange(PEOPLE, 2 * PEOPLE)),
            came=1.25,
            minutes=6.0,
            paid=2.0,
        )
        people: Any = SimpleNamespace(
            planned=self,
            asked=Asked(difference=self.difference, **asked),
            pair=("a", "b"),
            workers=WorkerPool(None, 1),
            progress=lambda *_: None,
        )
        return people, pool


def normal_power(difference: float, n: int) -> float:
    critical = stats.t.ppf(0.975, 2 * n - 2)
    return float(stats.nct.sf(critical, 2 * n - 2, difference * np.sqrt(n / 2)))


@pytest.mark.parametrize(("difference", "evaluators"), [(0.8, 26), (1.2, 6)])
def test_the_power_of_normal_scores_is_that_of_the_noncentral_t(difference, evaluators):
    row, _ = power_row(*Normal(difference).drawn(), evaluators, 200)
    expected = normal_power(difference, evaluators)

    assert row.power == pytest.approx(expected, abs=3 * row.power_se)
    assert row.power_se == pytest.approx(np.sqrt(expected * (1 - expected) / 200), rel=0.2)
    assert (row.people, row.hours, row.cost) == (
        2 * evaluators,
        pytest.approx(2 * evaluators / 10),
        pytest.approx(2 * evaluators * 2.25),
    )


def test_equals_are_told_apart_in_five_percent():
    row, _ = power_row(*Normal(0.0).drawn(), 12, 300)
    assert row.power + row.wrong_way == pytest.approx(0.05, abs=0.04)


def test_a_pool_that_nobody_placed_makes_power_less_sure():
    people, pool = Normal(0.8).drawn()
    placed, _ = power_row(people, pool, 26, 100)
    people.asked = Asked()
    as_it_is, _ = power_row(people, pool, 26, 100)
    assert as_it_is.power == placed.power
    assert as_it_is.power_se > placed.power_se


def test_the_number_for_80_percent_is_found():
    rows, found = search(*Normal(0.8).drawn(studies=200))
    assert found == pytest.approx(26, rel=0.2)
    assert len(rows) <= 2


def test_a_search_ends_where_no_number_is_enough():
    rows, found = search(*Normal(0.001).drawn(studies=20))
    assert found is None
    assert max(row.power for row in rows) < 0.8


def rival(score, by: float) -> Rival:
    return Rival(by=by, difference=score(by), settings=None, pool=None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("score", "target"),
    [
        (lambda by: 12 * by, 5.0),
        (lambda by: 12 * by, -5.0),
        (lambda by: 100 * np.tanh(by / 3), 60.0),
        (lambda by: 3 + 12 * by, 9.0),  # images differ
        (lambda by: np.sign(by) * 40 * by**2, -700.0),
    ],
)
def test_a_rival_is_found(score, target):
    found = find(partial(rival, score), target, 0.3)
    assert found.difference == pytest.approx(target, rel=0.03)


def test_out_of_reach_the_nearest_is_given():
    found = find(partial(rival, np.tanh), 5.0, 0.3)
    assert (found.by, found.difference) == (8.0, pytest.approx(1))


def test_which_pair():
    values = {"a": 0.1, "b": 0.5, "c": 0.2, "d": 0.9}
    planned: Any = SimpleNamespace(
        conditions=tuple(values), value=lambda _, name: values[name], sign=1, settings=None
    )
    assert pair_of(planned, None) == ("b", "c")
    assert pair_of(planned, "d") == ("d", "b")
    with pytest.raises(InputError, match=r"'e' is not a condition .* a, b, c, d"):
        pair_of(planned, "e")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"difference": -1}, "--difference: -1"),
        ({"studies": 5}, "--studies: 5 is out of range"),
        ({"numbers": (1,)}, "--evaluators: 1 is out of range"),
    ],
)
def test_what_cannot_be_asked(asked, said):
    with pytest.raises(InputError, match=said):
        Asked(**asked)
