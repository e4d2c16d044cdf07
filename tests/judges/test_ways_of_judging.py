"""Judges with known behaviour get the right figures and remarks."""

import numpy as np
import pytest
from made_judges import AXES, Raters, by_name

from hype.judges.files import read_judges
from hype.judges.ratings import judge_ratings
from hype.judges.tables import remarks
from hype.protocols.rating.table import check_ratings


@pytest.fixture(scope="module")
def score(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judges")
    raters = Raters(items=500, people=40, seed=2)
    like = raters.like_people()
    one_wrong = like.copy()
    one_wrong[:, AXES.index("anatomy")] = raters.random()[:, 0]
    half = like.astype(object)
    half[raters.rng.random(like.shape) < 0.5] = ""
    found = {
        "people": raters.people(),
        "random": raters.random(),
        "first": raters.rng.integers(1, 3, like.shape),
        "second": np.full(like.shape, 5),
        "one-wrong": one_wrong,
        "like": like,
        "inverted": 6 - like,
        "halo": np.repeat(like[:, [6]], 7, axis=1),
        "constant": np.full(like.shape, 3),
        "half": half,
    }
    for name, answers in found.items():
        raters.file(folder, name, answers)
    return judge_ratings(raters.checked, read_judges([folder]))


def test_figures_that_they_deserve(score):
    people, random, wrong = (by_name(score)[name] for name in ("people", "random", "one-wrong"))
    assert {row.kappa.value for row in people.axes} == {1.0}
    matrix = people.between_axes
    assert np.array(matrix["judge"]) == pytest.approx(np.array(matrix["people"]))
    assert all(abs(row.kappa.value) < 0.12 for row in random.axes)
    assert all(row.r.low < 0.1 for row in random.axes)
    assert abs(wrong.axis("anatomy").r.value) < 0.15 < wrong.axis("style").r.low
    assert score.judges[0].judge == "people"
    assert by_name(score)["half"].coverage == pytest.approx(0.5, abs=0.05)
    halo = np.array(by_name(score)["halo"].between_axes["judge"])
    assert halo == pytest.approx(np.ones((7, 7)))


def test_who_prefers_the_first_image(score):
    first, second, like = (by_name(score)[name].first_image for name in ("first", "second", "like"))
    assert (first["judge"].value, second["judge"].value) == (1.0, 0.0)
    assert first["judge"].low > first["people"].high
    assert like["judge"].low < like["people"].value < like["judge"].high
    assert like["both"] is None


def test_one_answer_to_everything_is_remarked(score):
    assert remarks(score) == (
        "constant gives the same answer to everything (3).",
        "second gives the same answer to everything (5).",
    )
    assert by_name(score)["constant"].between_axes is None


@pytest.mark.parametrize(
    ("people", "answer"), [("3", ""), ("3", "2"), ("not-relevant", "2"), ("2", "not-relevant")]
)
def test_where_nothing_is_known(tmp_path, people, answer):
    raters = Raters(items=40, people=8)
    answers = np.full(raters.truth.shape, answer, dtype=object)
    answers[:20] = "4" if answer == "2" else answer
    raters.file(tmp_path, "one", answers)
    ratings = check_ratings(raters.frame.assign(answer=people))
    found = by_name(judge_ratings(ratings, read_judges([tmp_path])))["one"]
    assert [row.r.value for row in found.axes] == [None] * 7
    assert found.mean_r is None


def test_without_names_of_evaluators(tmp_path):
    raters = Raters(items=80, people=8, each=2, seed=7)
    raters.file(tmp_path, "like", raters.like_people())
    ratings = check_ratings(raters.frame.drop(columns="evaluator"))
    found = by_name(judge_ratings(ratings, read_judges([tmp_path])))["like"]
    assert found.axis("overall").r.low is not None
    assert found.axis("overall").difference.low is None  # the table does not name the people
    assert found.between_axes is None  # for the same reason
