"""Figures shown next to a score, and the course of an arena."""

import numpy as np
import pandas as pd
import pytest
from made_comparisons import score_votes
from made_votes import of_strengths, two_models

from hype.protocols.comparison.images import image_table, image_wins
from hype.protocols.comparison.score import PairwiseOptions, choose_votes
from hype.protocols.comparison.sequential import (
    MOST_MOMENTS,
    StoppingRule,
    course,
    sequential,
    votes_of,
)
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.prompted.tables import MOST_PROMPTS
from hype.statistics.paired_counts import count


def scored(votes, **options):
    return score_votes(votes, PairwiseOptions(**options))


@pytest.fixture
def votes():
    rng = np.random.default_rng(3)
    return of_strengths([1.0, 0.0, -1.0], evaluators=20, each=30, rng=rng, ties=0.1)


def test_rows_are_those_that_were_scored(votes):
    frame = votes.astype(object).assign(status="complete", obvious="")
    frame.loc[frame["evaluator"].eq("e003"), "status"] = "active"
    own = frame["evaluator"].eq("e007") & frame["left"].eq("m0")
    frame.loc[own, ["task", "obvious", "answer"]] = ["validation", "left", "right"]
    checked = check_comparisons(frame)
    rules = {"min_correct": 0.75}
    score = scored(checked, **rules)
    rows = choose_votes(checked, PairwiseOptions(**rules)).rows
    assert len(rows) == score.facts["comparisons"]
    assert set(rows["evaluator"]) == set(votes["evaluator"]) - {"e003", "e007"}
    assert rows["evaluator"].cat.categories.size == 18


def with_images(votes):
    frame = votes.astype(object)
    for side in ("left", "right"):
        frame[f"{side}_image"] = [f"{name}.png" for name in frame[side]]
    return check_comparisons(frame.assign(trial=range(1, len(frame) + 1)))


def test_images_are_counted_on_both_sides(votes):
    rows = with_images(votes.assign(prompt="p"))
    found = image_wins(rows).set_index("image")
    counts = count(rows)
    for place, name in enumerate(counts.conditions):
        image = found.loc[f"{name}.png"]
        assert image["wins"] == counts.wins[place].sum()
        assert image["ties"] == counts.ties[place].sum()
        assert image["comparisons"] == counts.comparisons[place].sum()
    assert image_wins(votes).empty


def test_the_ends_of_a_prompt_share_no_image(votes):
    rows = with_images(votes)
    ends = pd.DataFrame(image_table(image_wins(rows)).records)
    prompts = ends["prompt"].unique()
    assert len(prompts) == MOST_PROMPTS < votes["prompt"].nunique()
    met = image_wins(rows).groupby("prompt")["comparisons"].sum()
    sizes = [met[prompt] for prompt in prompts]
    assert sizes == sorted(sizes, reverse=True)
    assert not ends.duplicated(["prompt", "image"]).any()
    whole = image_table(image_wins(with_images(votes.assign(prompt="p")))).records
    assert [(row["end"], row["condition"]) for row in whole] == [("most", "m0"), ("least", "m2")]


RULE = StoppingRule(goal="top", evaluators=20)


def course_of(votes, score):
    names = tuple(row["condition"] for row in score.rows("conditions"))
    reached = score.facts["sequential"]["reached"]
    since = score.rows("looks")[-1]["evaluators"] if reached else None
    return course(votes, names, score.facts["ties"], since)


def test_a_course_ends_where_the_score_is(votes):
    score = scored(votes, rule=RULE)
    found = course_of(votes, score)
    assert found.conditions == tuple(row["condition"] for row in score.rows("conditions"))
    assert found.votes[-1] == score.facts["comparisons"]
    assert len(found.votes) <= MOST_MOMENTS
    assert found.strengths[-1] == pytest.approx(
        [row["strength"].value for row in score.rows("conditions")]
    )
    assert (np.diff(found.votes) > 0).all()
    assert (found.known_at is not None) == score.facts["sequential"]["reached"]


def test_a_moment_is_somebody_who_finished(votes):
    mixed = votes.sample(frac=1, random_state=5).reset_index(drop=True)
    found = course_of(mixed, scored(mixed, rule=RULE))
    assert found.votes.tolist() == [30 * (n + 1) for n in range(20)]


def test_the_top_was_known_since_the_look_that_the_rule_says(votes):
    score = scored(votes, rule=RULE)
    found = course_of(votes, score)
    assert found.known_at == 30 * score.rows("looks")[-1]["evaluators"]
    assert found.known_at in found.votes


def asked(votes, **options):
    rule = StoppingRule(**{"goal": "top", "evaluators": 60} | options)
    arena, looks, _ = sequential(votes, rule)
    return arena and arena | {"looked": [look.people for look in looks]}


def test_the_top_is_known(rng):
    found = asked(of_strengths([1.5, 0, -1], evaluators=60, each=50, rng=rng))
    assert (found["reached"], found["top"]) == (True, "m0")
    assert (found["looked"], found["next_look"]) == ([12], None)
    assert found["said"].startswith(
        "The votes of 12 evaluators established that m0 is the best condition. The error rate is "
        "at most 5%, however often you look; the rule generalises to other people"
    )
    whole = asked(of_strengths([1.5, 0, -1], evaluators=12, each=50, rng=rng), evaluators=12)
    assert whole["said"].endswith("prompts and images.")


def test_the_ranking_is_known(rng):
    votes = of_strengths([1.5, 0, -1.5], evaluators=60, each=50, rng=rng)
    found = asked(votes, goal="ranking", images="fixed")
    assert (found["separated"], found["pairs"]) == (3, 3)
    assert "the ranking is m0, m1, m2. The error rate" in found["said"]
    assert "to other people. The arena ended early" in found["said"]


def test_nothing_is_known_of_equals(rng):
    found = asked(two_models([0.5] * 14, 20, rng=rng), alpha=0.01)
    assert (found["reached"], found["top"], found["separated"]) == (False, None, 0)
    assert found["said"] == (
        "The best condition is not known yet: the votes of 12 evaluators separate 0 of 1 pairs. "
        "The next analysis comes after 24 evaluators."
    )
    last = asked(two_models([0.5] * 14, 20, rng=rng), alpha=0.01, evaluators=14)
    assert last["said"].startswith("The best condition is not known: the votes of 14")
    assert last["said"].endswith("0 of 1 pairs. This was the last analysis.")


def test_it_does_not_look_before_it_was_to(rng):
    votes = two_models([1.0] * 11, 20, rng=rng)
    assert "the votes are first analysed after 12 evaluators." in asked(votes)["said"]
    assert asked(votes, evaluators=11)["reached"]
    assert "says nothing about other people" in asked(votes, evaluators=1)["said"]


def test_camps_are_worth_their_evaluators(rng):
    votes = two_models([1.0] * 9 + [0.0] * 5, 100, rng=rng)
    assert not asked(votes, evaluators=14)["reached"]
    assert asked(votes.drop(columns="evaluator")) is None


def test_of_few_prompts_an_arena_speaks_of_these_images(rng):
    prompts = np.tile(np.arange(4), 40 * 6)
    votes = two_models([0.5] * 40, 24, rng=rng, prompts=prompts)
    favoured = votes["prompt"].isin(["prompt 0", "prompt 1", "prompt 2"])
    for side, other in (("left", "right"), ("right", "left")):
        for_a = favoured & votes[side].eq("A")
        votes.loc[for_a, "answer"] = side
        votes.loc[~favoured & votes[side].eq("A"), "answer"] = other
    few = asked(votes, evaluators=40)
    assert (few["images"], few["top"]) == ("fixed", "A")
    assert "to other people." in few["said"]
    assert asked(votes, evaluators=40, images="fixed")["said"] == few["said"]


def test_votes_by_hand():
    frame = pd.DataFrame(
        {
            "evaluator": ["x", "y", "x", "y", "x"],
            "prompt": ["p", "q", "p", "p", "q"],
            "left": ["a", "b", "a", "a", "c"],
            "right": ["b", "a", "b", "c", "b"],
            "answer": ["left", "left", "tie", "tie", "right"],
        }
    )
    votes = votes_of(check_comparisons(frame), "sample")
    assert votes.people.tolist() == [1, 0, 1, 0, 1], "y finished first"
    assert votes.items is None, "two prompts are too few"
    assert votes.points() == pytest.approx(np.array([[0, 1.5, 0.5], [1.5, 0, 1], [0.5, 0, 0]]))
