import json

import numpy as np
import pandas as pd
import pytest
from made_comparisons import score_votes
from made_ratings import THREE, made_images, made_ratings
from scipy import stats
from score_rows import axis_of, on_axis

from hype.errors import InputError
from hype.protocols.comparison.score import PairwiseOptions
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.rating.axes import RatingOptions
from hype.protocols.rating.score import score_ratings
from hype.protocols.rating.table import check_ratings

QUICK = {"axes": ("overall", "style", "anatomy")}


def score(ratings, **options):
    return score_ratings(check_ratings(ratings), RatingOptions(**{**QUICK, **options}))


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(2509)
    gone = {"style": 0.3}
    return made_ratings(THREE, rng, evaluators=15, each=40, not_relevant=gone, checked=False)


@pytest.fixture(scope="module")
def found(pairs):
    return score(pairs)


def mirrored(frame):
    """Swap the two images of every row, and reverse the answers."""
    turned = {str(level): str(6 - level) for level in range(1, 6)}
    swapped = frame.rename(columns={"first": "second", "second": "first"})
    return swapped.assign(answer=frame["answer"].map(lambda answer: turned.get(answer, answer)))


def test_which_image_is_called_first_does_not_matter(pairs, found):
    one, other = (rounded(each.to_object()) for each in (found, score(mirrored(pairs))))
    for made in (one, other):
        del made["answers"]  # these are mirrored
    assert one == other


def rounded(members):
    return json.loads(json.dumps(members), parse_float=lambda digits: round(float(digits), 9))


def test_strengths_are_those_of_comparisons(pairs):
    """Levels 1 and 2 both count as votes for the first image, 4 and 5 as votes for the second."""
    told = pairs[(pairs["axis"] == "style") & (pairs["answer"] != "not-relevant")]
    said = {"1": "left", "2": "left", "3": "tie", "4": "right", "5": "right"}
    votes = told.rename(columns={"first": "left", "second": "right"})
    votes = votes.assign(answer=told["answer"].map(said))[["left", "right", "answer", "evaluator"]]
    expected = score_votes(check_comparisons(votes), PairwiseOptions())
    found = axis_of(score(pairs, images="fixed"), "style")
    for row in expected.rows("conditions"):
        own = on_axis(found, row["condition"])
        for name in ("strength", "elo"):
            assert own[name].value == pytest.approx(row[name].value)
        for name in ("wins", "ties", "win_rate", "rank_low", "rank_high"):
            assert own[name] == row[name]
        assert own["strength"].low < own["strength"].value < own["strength"].high
    for pair, own in zip(expected.rows("pairs"), found["pairs"], strict=True):
        for name in ("a", "b", "verdict", "p_adjusted"):
            assert own[name] == pair[name]


def test_single_images_are_told_apart_by_the_people_who_rated_both():
    rng = np.random.default_rng(7)
    good = np.array([0.0, 0.1, 2.0]) + rng.normal(size=(12, 1)) + 0.3 * rng.normal(size=(12, 3))
    frame = pd.DataFrame(
        [
            {"evaluator": f"e{who}", "item": name, "condition": name, "axis": "q", "answer": value}
            for who, row in enumerate(np.rint(5 + good).astype(int))
            for name, value in zip("abc", row.tolist(), strict=True)
        ]
    )
    pairs = axis_of(score(frame, images="fixed", margin=0.1), "q")["pairs"]
    told = {(pair["a"], pair["b"]): pair for pair in pairs}
    own = frame.pivot_table(index="evaluator", columns="item", values="answer")
    for (a, b), pair in told.items():
        paired = stats.ttest_rel(own[a], own[b])
        ends = paired.confidence_interval(0.95)
        # If people vary less than independent answers, the interval is that of independent answers.
        assert pair["difference"].value == pytest.approx(float(np.mean(own[a] - own[b])))
        assert pair["difference"].low <= ends.low + 1e-9
        assert pair["p"] >= paired.pvalue - 1e-12
    assert {told["c", "a"]["verdict"], told["c", "b"]["verdict"]} == {"separable"}
    (near,) = (pair for pair in pairs if pair["b"] != "c" and pair["a"] != "c")
    assert near["verdict"] in ("equivalent", "not known")
    wide = axis_of(score(frame, images="fixed", margin=0.3), "q")["pairs"]
    assert [pair["verdict"] for pair in wide] == ["separable", "separable", "equivalent"]
    assert all(pair["p_equivalent"] is None for pair in axis_of(score(frame), "q")["pairs"])


def test_what_is_counted(pairs, found):
    style = axis_of(found, "style")
    given = pairs[pairs["axis"] == "style"]["answer"]
    assert (style["ratings"], style["not_relevant"]) == (600, (given == "not-relevant").sum())
    assert style["not_relevant_share"] == pytest.approx((given == "not-relevant").mean())
    assert {row["answer"]: row["ratings"] for row in style["answers"]} == {
        str(level): (given == str(level)).sum() for level in range(1, 6)
    }
    assert sum(row["relevant_share"] for row in style["answers"]) == pytest.approx(1)
    assert [axis["axis"] for axis in found.rows("axes")] == ["overall", "style", "anatomy"]
    facts = [found.facts[name] for name in ("what", "evaluators", "items", "prompts")]
    assert facts == ["pairs", 15, 600, 20]


def test_correlations_are_over_what_one_person_said_of_one_item(pairs, found):
    checked = check_ratings(pairs)
    wide = checked.pivot_table(
        index=["item", "evaluator"], columns="axis", values="value", observed=True
    )
    rows, closest = found.rows("correlations"), found.rows("with-overall")
    r = {(row["axis"], row["other_axis"]): row["r"].value for row in rows}
    expected = wide.corr()
    assert r == pytest.approx({(a, b): expected.loc[a, b] for a, b in r}, abs=1e-12)
    both = wide[["style", "anatomy"]].dropna()
    assert r["style", "anatomy"] == pytest.approx(stats.pearsonr(both["style"], both["anatomy"])[0])
    assert [row["axis"] for row in closest] == ["anatomy", "style"]
    assert closest[0]["r"].value > closest[1]["r"].value


def test_several_raters_of_an_item_give_it_an_alpha():
    rng = np.random.default_rng(1)
    alone = score(made_ratings(THREE, rng, evaluators=9, each=20, checked=False))
    assert [a.unit for a in alone.rows("axes")[0]["alphas"]] == ["conditions"]
    together = made_ratings(THREE, rng, evaluators=9, each=20, raters=3, checked=False)
    found = axis_of(score(together), "overall")["alpha"]
    assert (found.units, found.n, found.evaluators) == (60, 180, 9)


def test_single_images_against_the_truth():
    rng = np.random.default_rng(7)
    table = made_images(rng, evaluators=12, each=30, qualities=[4, 5, 7])
    found = score(table, axes=())
    beauty, anatomy = found.rows("axes")
    told = table[table["axis"] == "beauty"]
    expected = stats.pearsonr(told["value"], told["truth_value"]).statistic
    assert beauty["truth"]["r"].value == pytest.approx(expected, abs=1e-12)
    assert beauty["truth"]["evaluators"] == 12
    assert [row["condition"] for row in beauty["conditions"]] == ["m2", "m1", "m0"]
    said = table[table["axis"] == "anatomy"]
    right = (said["answer"].astype(str) == said["truth"].astype(str)).mean()
    assert anatomy["truth"]["right"].value == pytest.approx(right)
    assert anatomy["truth"]["right"].low < 0.8 < anatomy["truth"]["right"].high
    assert (anatomy["kind"], beauty["kind"]) == ("yes-no", "numbers")
    assert found.facts["what"] == "images"
    assert not any("strength" in row for row in anatomy["conditions"])


def test_the_leaderboard_is_beside_the_strengths(pairs):
    board = {"m00": 1100.0, "m01": 1020.0, "m02": 990.0, "m03": 900.0, "other": 7.0}
    found = score(pairs, leaderboard=board)
    overall = axis_of(found, "overall")
    strengths = [on_axis(overall, name)["strength"].value for name in list(board)[:4]]
    expected = stats.pearsonr(strengths, list(board.values())[:4]).statistic
    assert found.rows("leaderboard")[0]["pearson"].value == pytest.approx(expected)
    assert found.rows("leaderboard")[0]["unrated"] == ("other",)


def test_what_is_not_scored_is_said(pairs):
    changed = pairs.assign(task="rating", status="complete", excluded="")
    changed.loc[pairs["evaluator"] == "e000", "status"] = "active"
    changed.loc[pairs["evaluator"] == "e001", "status"] = "declined"
    changed.loc[pairs["evaluator"] == "e002", "task"] = "practice"
    changed.loc[pairs["evaluator"] == "e003", "excluded"] = "asleep"
    found = score(changed)
    left_out = {one.reason: (one.evaluators, one.answers) for one in found.rows("exclusions")}
    assert left_out == dict.fromkeys(("declined", "unfinished", "practice", "asleep"), (1, 120))
    facts = [found.facts[name] for name in ("rows", "ratings", "evaluators")]
    assert facts == [1800, 1320, 11]
    kept = score(pairs[~pairs["evaluator"].isin(["e000", "e001", "e002", "e003"])])
    assert found.rows("axes") == kept.rows("axes")
    with pytest.raises(InputError, match="no answer can be scored: 1,800 by people who declined"):
        score(pairs.assign(status="declined"))


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"evaluator": None}, "The table does not say who answered. Each rating counts as"),
        ({"evaluator": "me"}, "One evaluator gave all ratings: intervals say nothing"),
        ({"answer": "2"}, "answer 10 times or more, and no other answer: e000, .* and 9 more"),
    ],
)
def test_what_a_reader_must_know(pairs, changes, note):
    assert any(pd.Series(score(pairs.assign(**changes)).notes).str.contains(note))


def test_an_axis_that_is_mostly_not_relevant_is_noted(pairs):
    answer = pairs["answer"].where(pairs["axis"] != "style", "not-relevant")
    few = score(pairs.assign(answer=answer))
    assert few.notes[-1].startswith("On “style”, 100% of the answers say that the axis is not")
    style = axis_of(few, "style")
    assert (style["conditions"], style["fit"]) == ((), None)
    assert few.rows("with-overall")[-1]["r"] is None


def test_always_the_image_on_the_left_is_the_same_answer(pairs):
    rng = np.random.default_rng(3)
    left = pd.Series(rng.random(len(pairs)) < 0.5)
    lazy = pairs.assign(first_side=np.where(left, "left", "right"))
    own = lazy["evaluator"] == "e004"
    lazy.loc[own, "answer"] = np.where(left, "1", "5")[own]
    assert any("no other answer: e004." in note for note in score(lazy).notes)
    lazy.loc[own, "first_side"] = ""
    assert not any("no other answer" in note for note in score(lazy).notes)
