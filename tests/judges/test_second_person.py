"""A judge beside a second person, and what is about models: by hand, and where little is known."""

import numpy as np
import pytest
from made_judged import Design, Study

from hype.judges.clustered import RowUnits
from hype.judges.results import JudgeOptions
from hype.judges.second_person import (
    Met,
    about_models,
    beside_person,
    paired_agreement,
    within_models,
)

WELL = "as well as a second person does, within 0.10 of r"


def met(theirs, judge, who, item, group, side=None):
    theirs, judge = np.array(theirs, dtype=float), np.array(judge, dtype=float)
    units = RowUnits(evaluator=np.array(who), item=np.array(item))
    side = np.ones(len(theirs)) if side is None else np.array(side)
    return Met(theirs=theirs, judge=judge, units=units, group=np.array(group), side=side)


@pytest.fixture(scope="module")
def judged():
    study = Study(Design(people=30, items=300, each=4), np.random.default_rng(3))
    return study.judged(
        {
            "good": study.judge(0.5),
            "half": study.judge(3.0),
            "names": study.of_models_alone(),
        }
    )


def test_two_people_and_a_judge_by_hand():
    # Three items by two people; what has two items or two people in common is taken off.
    theirs, judge = [2, 1, 0, 1, -2, -1], [1, 1, 0, 0, -1, -1]
    found = paired_agreement(met(theirs, judge, [0, 1] * 3, [0, 0, 1, 1, 2, 2], [0] * 6))
    pairs = [(i, j) for i in range(6) for j in range(6) if i // 2 != j // 2]
    others = [(i, j) for i, j in pairs if i % 2 != j % 2]
    shared = np.mean([theirs[i] * theirs[j] for i, j in others])
    variance = np.mean(np.square(theirs)) - shared
    own = np.mean(np.square(judge)) - np.mean([judge[i] * judge[j] for i, j in pairs])
    both = np.mean(np.multiply(judge, theirs)) - np.mean([judge[i] * theirs[j] for i, j in pairs])
    person = np.mean([2 * 1, 0 * 1, -2 * -1]) - shared
    assert found.judge == pytest.approx(min(1.0, both / np.sqrt(own * variance)))
    assert found.person == pytest.approx(min(1.0, person / variance))


def test_within_models_the_means_are_without_bias():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(400), 2)  # two items a pair of models
    image = rng.normal(size=800)
    means = 3 * rng.normal(size=400)[group]
    rows = np.repeat(np.arange(800), 2)
    noise = rng.normal(size=1600)
    who = np.tile([0, 1], 800) + 2 * rng.integers(20, size=800).repeat(2)
    every = met(means[rows] + image[rows] + noise, (means + image)[rows], who, rows, group[rows])
    found = paired_agreement(every)
    assert found.person == pytest.approx(0.5, abs=0.08)
    assert found.judge == pytest.approx(np.sqrt(0.5), abs=0.08)
    assert about_models(every, pairs=True, confidence=0.95).value > 0.95


def test_who_knows_the_models_alone_agrees_about_them_alone(judged):
    names = judged["names"]
    row = names.axis("overall")
    assert row.about.low > 0.5
    assert row.within.low < 0 < row.within.high
    assert row.beside_person.within_difference.high < 0
    assert names.verdict.value == "models-only"
    assert "nothing shows that it looks at the images" in names.said[0]


def test_praise_needs_a_paired_comparison(judged):
    assert WELL in judged["good"].said[-1]
    side = judged["good"].axis("overall").beside_person
    assert side.difference.value == pytest.approx(side.judge - side.person)
    assert (side.p_holm < 0.05, side.evaluators, side.items) == (True, 30, 300)
    half = judged["half"].axis("overall").beside_person
    assert half.p_holm > 0.05 > half.p_less_holm
    assert judged["half"].verdict.value == "below"
    assert "less than a second person does" in judged["half"].said[-1]


@pytest.mark.parametrize("people", [3, 5])
def test_of_few_people_it_is_not_known(people):
    study = Study(Design(people=people, items=80, each=people), np.random.default_rng(1))
    found = study.judged({"good": study.judge(0.3)})["good"]
    assert found.axis("overall").beside_person.p is None
    assert f"is not known: {people} people rated the same 80 items, and 10" in found.said[-1]


def test_without_two_ratings_of_an_item_it_is_not_known():
    study = Study(Design(people=10, items=80, each=1), np.random.default_rng(1))
    found = study.judged({"good": study.judge(0.3)})["good"]
    assert found.axis("overall").beside_person is None
    assert "of no item is it known that two people rated it" in found.said[-1]


def test_what_cannot_be_compared():
    flat = met([1, 1, 1, 1], [1, 2, 1, 2], [0, 1, 0, 1], [0, 0, 1, 1], [0] * 4)
    assert paired_agreement(flat) is None
    assert beside_person(flat, JudgeOptions()) is None
    assert within_models(flat, 0.95) is None
    assert about_models(flat, pairs=True, confidence=0.95) is None
    one_item = met([1, 2], [1, 1], [0, 1], [0, 0], [0, 0])
    assert paired_agreement(one_item) is None
