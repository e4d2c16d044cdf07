"""Judges who are what they are get the verdict and the sentence that they deserve."""

import re

import numpy as np
import pytest
from made_judges import AXES, Raters

from hype.judges.files import read_judges
from hype.judges.ratings import judge_ratings
from hype.protocols.rating.table import check_ratings


@pytest.fixture(scope="module")
def score(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judges")
    raters = Raters(items=500, people=40, seed=2)
    like = raters.like_people()
    one_wrong, leaning = like.copy(), like.astype(object)
    one_wrong[:, AXES.index("anatomy")] = raters.random()[:, 0]
    leaning[raters.rng.random(like.shape) < 0.3] = 1
    upside_down = like.copy()
    upside_down[:, AXES.index("style")] = 6 - like[:, AXES.index("style")]
    half = like.astype(object)
    half[raters.rng.random(like.shape) < 0.5] = ""
    found = {
        "people": raters.people(),
        "random": raters.random(),
        "first": raters.rng.integers(1, 3, like.shape),
        "second": np.full(like.shape, 5),
        "one-wrong": one_wrong,
        "upside-down": upside_down,
        "like": like,
        "inverted": 6 - like,
        "leaning": leaning,
        "halo": np.repeat(like[:, [6]], 7, axis=1),
        "constant": np.full(like.shape, 3),
        "half": half,
        "few": np.where(np.arange(500)[:, None] < 5, like.astype(object), ""),
    }
    for name, answers in found.items():
        raters.file(folder, name, answers)
    return judge_ratings(raters.checked, read_judges([folder]))


@pytest.mark.parametrize(
    ("judge", "verdict", "said"),
    [
        ("random", "random", "cannot be told from a judge that throws dice: on no axis"),
        ("first", "one-sided", r"always prefers the first image: in 100% of its 3,500 decided"),
        ("second", "one-sided", "always prefers the second image"),
        ("one-wrong", "fails-axes", r"agrees .* the other axes .*fails on 1 of 7 axes: anatomy r"),
        ("upside-down", "fails-axes", "fails on 1 of 7 axes: style r = −0"),
        ("like", "agrees", "Nothing wrong shows: it agrees with people on overall r = 0"),
        ("inverted", "inverted", "the opposite of people on all 7 axes.*first and second exchang"),
        ("leaning", "leans", "takes the first image more often than people do: in 6"),
        ("halo", "structure", r"not on how axes hang together: .*more closely related.*r of 1.00"),
        ("constant", "constant", r"gives one answer to everything \(3\)"),
        ("half", "partly", r"answered 1,7\d\d of 3,500 questions \((49|50|51)%\)"),
        ("few", "unknown", "On no axis can more than 5 of its answers be held against people's"),
    ],
)
def test_each_judge_is_told_what_is_wrong(score, judge, verdict, said):
    found = score.judge(judge)
    assert found.verdict.value == verdict, found.said
    assert any(re.search(said, one) for one in found.said), found.said


def test_figures_that_they_deserve(score):
    people, random, first = (score.judge(name) for name in ("people", "random", "first"))
    assert {row.kappa.value for row in people.axes} == {1.0}
    assert people.matrix.distance == pytest.approx(0)
    assert all(abs(row.kappa.value) < 0.12 for row in random.axes)
    assert (first.position.share, first.position.people_only) == (1.0, 0)
    assert first.position.p_holm < 1e-9
    wrong = score.judge("one-wrong")
    assert abs(wrong.axis("anatomy").correlation.r) < 0.15
    assert "anatomy" in (wrong.matrix.most.a, wrong.matrix.most.b)
    assert wrong.matrix.distance > 2 * wrong.matrix.floor
    assert score.judges[0].judge == "people"


def test_a_judge_turned_over_has_the_same_figures_with_the_other_sign(score):
    for row, other in zip(score.judge("like").axes, score.judge("inverted").axes, strict=True):
        assert row.correlation.r == pytest.approx(-other.correlation.r)
        assert row.direction.value == pytest.approx(1 - other.direction.value)
    like, inverted = score.judge("like").matrix, score.judge("inverted").matrix
    assert like.distance == pytest.approx(inverted.distance)


@pytest.mark.parametrize(
    ("people", "answer", "said"),
    [
        ("3", "", "None of its answers can be held against people's"),
        ("3", "2", "Of no axis can an r be tested"),
        ("not-relevant", "2", "None of its answers can be held"),
        ("2", "not-relevant", "None of its answers can be held"),
    ],
)
def test_where_nothing_can_be_said(tmp_path, people, answer, said):
    raters = Raters(items=40, people=8)
    answers = np.full(raters.truth.shape, answer, dtype=object)
    answers[:20] = "4" if answer == "2" else answer
    raters.file(tmp_path, "one", answers)
    ratings = check_ratings(raters.frame.assign(answer=people))
    found = judge_ratings(ratings, read_judges([tmp_path])).judge("one")
    assert (found.verdict.value, len(found.said)) == ("unknown", 1)
    assert said in found.said[0]


def test_without_names_of_evaluators(tmp_path):
    raters = Raters(items=80, people=8, each=2, seed=7)
    raters.file(tmp_path, "like", raters.like_people())
    ratings = check_ratings(raters.frame.drop(columns="evaluator"))
    found = judge_ratings(ratings, read_judges([tmp_path])).judge("like")
    told = raters.frame["axis"].eq("overall") & raters.frame["answer"].ne("not-relevant")
    items = raters.frame["item"][told].nunique()
    assert found.axis("overall").correlation.clusters == items
    assert found.matrix is None  # nobody knows which answers are one person's
