import json

import numpy as np
import pandas as pd
import pytest
from made_ranked import score_rankings
from made_rankings import drawn, made, of_rankings
from scipy import stats
from score_rows import row_of
from statsmodels.stats.proportion import proportion_confint

from hype.errors import InputError
from hype.protocols.ranking.score import RankingOptions
from hype.protocols.ranking.table import check_rankings

STRENGTHS = [1, 0.3, -0.3, -1]


def score(rankings, **options):
    return score_rankings(rankings, RankingOptions(**options))


def joined(*parts):
    return check_rankings(pd.concat(parts, ignore_index=True))


@pytest.fixture
def rankings(rng):
    return drawn(STRENGTHS, rng=rng, taste=0.3, evaluators=12, groups=15)


def test_strengths_are_recovered_and_everything_is_counted(rng):
    found = score(drawn(STRENGTHS, rng=rng, evaluators=30, groups=60))
    assert [row["condition"] for row in found.rows("conditions")] == ["m00", "m01", "m02", "m03"]
    for row, truth in zip(found.rows("conditions"), STRENGTHS, strict=True):
        assert row["strength"].value == pytest.approx(truth, abs=0.12)
        assert row["bt_strength"].value == pytest.approx(truth, abs=0.15)
        assert row["strength"].low < row["strength"].value < row["strength"].high
        assert row["mean_rank"].low < row["mean_rank"].value < row["mean_rank"].high
        assert row["first_share"].value == row["places"][0]
        assert sum(row["places"]) == pytest.approx(1)
        assert row["mean_rank"].value == pytest.approx(np.dot(row["places"], [1, 2, 3, 4]))
    facts, random = found.facts, found.facts["random"]
    assert [facts[name] for name in ("groups", "rankings", "comparisons")] == [60, 1800, 10_800]
    assert [facts[name] for name in ("evaluators", "prompts", "tied")] == [30, None, 0]
    assert sum(row["first_share"].value for row in found.rows("conditions")) == pytest.approx(1)
    assert (random.unit, random.units) == ("evaluators", 30)
    assert (random.item, random.items, facts["images"]) == ("groups", 60, "sample")
    assert all(pair["separable"] for pair in found.rows("pairs"))
    assert found.notes == ()


def test_pairs_follow_the_ranking_and_are_tested_by_evaluators(rng):
    # Two thirds of people always put a first: 600 rankings, but only 12 people.
    rows = [(f"e{k:02d}", f"g{g}", "ab" if k < 8 else "ba") for k in range(12) for g in range(50)]
    (pair,) = score(of_rankings(rows)).rows("pairs")
    assert (pair["a"], pair["wins_a"], pair["wins_b"], pair["separable"]) == ("a", 400, 200, False)
    assert pair["verdict"] == "not known"
    assert pair["win_rate"].low < 0.5 < pair["win_rate"].high
    assert pair["difference"].value == pytest.approx(np.log(2))
    assert pair["difference"].low < 0 < pair["difference"].high


def test_of_few_groups_the_verdict_is_about_these_images(rng):
    """Most of 30 people agree that a is better for two of three prompts, but these are few."""
    rows = [
        (f"e{k:02d}", f"g{g}", "ab" if (g < 2) != (k % 10 == g) else "ba")
        for k in range(30)
        for g in range(3)
    ]
    table = of_rankings(rows)
    (model,), (images,) = score(table).rows("pairs"), score(table, images="fixed").rows("pairs")
    assert (model["verdict"], images["verdict"]) == ("separable", "separable")
    assert score(table).facts["images"] == "fixed"
    assert "only 3 groups, too few to tell how results" in " ".join(score(table).notes)


def test_several_prompts_are_what_images_have_in_common(rng):
    table = drawn(STRENGTHS, rng=rng, evaluators=6, groups=12)
    group = table["group"].astype(str)
    prompted = check_rankings(
        table.assign(prompt=group.str[-1], image=group + table["condition"].astype(str))
    )
    found = score(prompted)
    assert (found.facts["random"].item, found.facts["random"].items) == ("prompts", 10)
    same = check_rankings(prompted.assign(prompt="the same"))
    assert score(same).facts["random"].item == "groups"


def test_intervals_do_not_shrink_with_groups_that_are_only_repeated(rankings):
    """The n(n-1)/2 pairs of a ranking, and the rankings of a person, are not independent."""
    again = rankings.assign(group=rankings["group"].astype(str) + "again")
    twice = joined(rankings, again)
    one, two = score(rankings, images="fixed"), score(twice, images="fixed")
    for row in one.rows("conditions"):
        other = row_of(two, row["condition"])
        assert other["strength"].value == pytest.approx(row["strength"].value, abs=1e-6)
        for name in ("strength", "win_rate"):
            own, again = row[name], other[name]
            assert again.high - again.low == pytest.approx(own.high - own.low, rel=1e-5)


def test_a_mean_rank_is_that_of_evaluators(rankings):
    row = row_of(score(rankings, images="fixed"), "m01")
    own = (
        rankings[rankings["condition"].eq("m01")].groupby("evaluator", observed=True)["rank"].mean()
    )
    low, high = stats.ttest_1samp(own, 0).confidence_interval(0.95)
    share, last = (own.mean() - 1), rankings["rank"].max()
    share, reach = share / (last - 1), (high - low) / 2 / (last - 1)
    number = share * (1 - share) * (stats.norm.ppf(0.975) / reach) ** 2  # yes-or-no answers
    ends = proportion_confint(share * number, number, method="wilson")
    assert row["mean_rank"].ends == pytest.approx(tuple(1 + (last - 1) * end for end in ends))


def test_what_is_not_scored_is_said():
    usual = {"status": "complete", "task": "ranking", "excluded": "", "checker": False}
    frames = [
        made([("ann", "g1", "abc"), ("ben", "g1", "bca"), ("cat", "g1", "ab")], **usual),
        made([("dan", "g1", "abc")], **{**usual, "status": "declined"}),
        made([("eve", "g1", "abc")], **{**usual, "status": "active"}),
        made([("ann", "g2", "abc")], **{**usual, "task": "practice"}),
        made([("ann", "g3", "abc")], **{**usual, "task": "test"}),
        made([("fay", "g1", "abc")], **{**usual, "excluded": "hasty"}),
        made([("chief", "g1", "abc")], **{**usual, "checker": True}),
    ]
    found = score(joined(*frames))
    assert found.facts["rankings"] == 2
    left_out = found.rows("exclusions")
    assert [(one.reason, one.evaluators, one.answers) for one in left_out] == [
        ("declined", 1, 1),
        ("unfinished", 1, 1),
        ("checker", 1, 1),
        ("test", 1, 1),
        ("practice", 1, 1),
        ("unfinished-ranking", 1, 1),
        ("hasty", 1, 1),
    ]
    with pytest.raises(InputError, match="no answer can be scored: 2 in the test"):
        score(of_rankings([("ann", "g", "ab"), ("ben", "g", "ab")], task="test"))


def test_who_fails_the_screening_is_left_out_only_by_rule(rng):
    rankings = drawn([4, 2, -2, -4], rng=rng, evaluators=12, groups=15)
    checks = rankings[rankings["evaluator"].eq("e000001").to_numpy()].assign(
        evaluator="chief", checker=True, task="check"
    )
    worst = rankings["evaluator"].eq("e000000").to_numpy()
    turned = rankings.assign(rank=np.where(worst, 5 - rankings["rank"], rankings["rank"]))
    both = joined(turned, checks)
    free, strict = score(both), score(both, min_recall=0.5)
    assert (free.facts["evaluators"], strict.facts["evaluators"]) == (12, 11)
    assert [row["evaluator"] for row in strict.rows("screening") if row["failed"]] == ["e000000"]
    left_out = [(one.reason, one.answers) for one in strict.rows("exclusions")]
    assert ("failed-screening", 15) in left_out
    assert "no one is left out" in " ".join(score(rankings, min_recall=0.5).notes)


def test_rankings_of_own_groups_have_no_agreement(rng):
    found = score(drawn(STRENGTHS, rng=rng, evaluators=12, groups=10, own=True))
    assert found.rows("shared") == ()
    assert "it is unknown how far they agree" in " ".join(found.notes)
    assert found.rows("pairs")[0]["p"] is not None


def test_nobody_is_known(rng):
    alone = drawn(STRENGTHS, rng=rng, evaluators=1, groups=60)
    for table, said in (
        (alone, "One evaluator gave all rankings"),
        (alone.drop(columns="evaluator"), "The table does not say who answered"),
    ):
        found = score(table)
        random, first = found.facts["random"], found.rows("conditions")[0]
        assert (random.unit, random.units, random.item) == ("groups", 60, None)
        assert first["strength"].low < first["strength"].value
        assert found.rows("pairs")[-1]["p"] is not None
        assert found.notes[0].startswith(said)


def test_a_single_ranking_says_little():
    found = score(of_rankings([("ann", "g", ["a", ("b", "c")])]))
    assert found.facts["random"] is None
    assert [row["strength"] for row in found.rows("conditions")] == [None] * 3
    assert all(row["reason"] for row in found.rows("conditions"))
    assert found.rows("conditions")[0]["places"] == (1, 0, 0)
    assert found.rows("conditions")[1]["places"] == (0, 0.5, 0.5)
    json.dumps(found.to_object(), allow_nan=False)
