"""The figures of judges, compared with scipy, scikit-learn and numbers worked by hand."""

import numpy as np
import pandas as pd
import pytest
from made_judges import AXES, Raters, by_name, judges
from scipy.stats import pearsonr
from sklearn.metrics import cohen_kappa_score

from hype.errors import InputError
from hype.judges.files import read_judges
from hype.judges.ratings import judge_ratings
from hype.judges.results import JudgeOptions
from hype.protocols.rating.table import check_ratings
from hype.statistics.correlation import correlation_matrix


@pytest.fixture(scope="module")
def raters():
    return Raters(items=200, people=20, seed=1)


@pytest.fixture(scope="module")
def scored(raters, tmp_path_factory):
    """A judge who rates like people but skips a quarter of the items, and one who scores images."""
    folder = tmp_path_factory.mktemp("judges")
    answers = raters.like_people().astype(str)
    answers[raters.rng.random(answers.shape) < 0.25] = ""
    raters.file(folder, "partial", answers)
    z = 10 + raters.truth[:, -1]
    scores = {f"x{n}.png": one for n, one in enumerate(z)} | {f"y{n}.png": 10.0 for n in range(200)}
    pd.DataFrame({"image": list(scores), "score": list(scores.values())}).to_csv(
        folder / "scorer.csv", index=False
    )
    return answers, scores, judge_ratings(raters.checked, read_judges([folder]))


def both(raters, answers, axis):
    """Return people's and the judge's values on an axis, for items where both have one."""
    people = 3 - pd.to_numeric(pd.Series(raters.people()[:, axis]), errors="coerce").to_numpy()
    judge = 3 - pd.to_numeric(pd.Series(answers[:, axis]), errors="coerce").to_numpy()
    kept = ~(np.isnan(people) | np.isnan(judge))
    return people[kept], judge[kept]


@pytest.mark.parametrize("axis", [0, 6])
def test_r_and_kappa_as_others_compute_them(raters, scored, axis):
    answers, _, score = scored
    people, judge = both(raters, answers, axis)
    row = by_name(score)["partial"].axis(AXES[axis])

    assert row.r.value == pytest.approx(pearsonr(people, judge)[0], abs=1e-6)
    assert row.r.n == len(people)
    assert row.kappa.value == pytest.approx(cohen_kappa_score(people, judge), abs=1e-6)
    weighted = cohen_kappa_score(people, judge, weights="quadratic")
    assert row.weighted.value == pytest.approx(weighted, abs=1e-6)
    decided = (people != 0) & (judge != 0)
    same = (np.sign(people) == np.sign(judge))[decided]
    assert (row.same_image.value, row.same_image.n) == (pytest.approx(same.mean()), decided.sum())


def test_scores_of_images_judge_pairs_by_the_higher(raters, scored):
    _, scores, score = scored
    judge = by_name(score)["scorer"]
    ahead = np.array([scores[f"x{n}.png"] - scores[f"y{n}.png"] for n in range(200)])
    people = 3 - pd.to_numeric(pd.Series(raters.people()[:, 6]), errors="coerce").to_numpy()
    kept = ~np.isnan(people)
    row = judge.axis("overall")

    assert row.r.value == pytest.approx(pearsonr(people[kept], ahead[kept])[0], abs=1e-6)
    assert row.weighted is None
    decided = kept & (people != 0)
    kappa = cohen_kappa_score(np.sign(people)[decided], np.sign(ahead)[decided])
    assert row.kappa.value == pytest.approx(kappa, abs=1e-6)
    assert judge.axis("style").answered == 0
    assert judge.between_axes is None
    assert (judge.answered, judge.asked) == (200, 200)


def test_coverage(raters, scored):
    answers, _, score = scored
    judge = by_name(score)["partial"]
    assert (judge.answered, judge.asked) == ((answers != "").sum(), 200 * 7)
    assert judge.coverage == judge.answered / judge.asked
    assert judge.axis("style").answered == (answers[:, AXES.index("style")] != "").sum()


def test_the_matrix_is_that_of_what_both_answered(raters, scored):
    answers, _, score = scored
    matrix = by_name(score)["partial"].between_axes
    numbers = [
        pd.DataFrame(each).apply(pd.to_numeric, errors="coerce").to_numpy()
        for each in (answers, raters.people())
    ]
    kept = ~np.isnan(numbers[0] + numbers[1])
    judge, people = (correlation_matrix(np.where(kept, each, np.nan)).r for each in numbers)

    assert np.array(matrix["judge"]) == pytest.approx(judge)
    assert np.array(matrix["people"]) == pytest.approx(people)


def test_how_often_the_first_image_is_preferred(raters, scored):
    answers, _, score = scored
    numbers = [
        3 - pd.DataFrame(each).apply(pd.to_numeric, errors="coerce").to_numpy()
        for each in (answers, raters.people())
    ]
    judge, people = np.sign(numbers[0]), np.sign(numbers[1])
    people[np.isnan(judge)] = np.nan
    found = by_name(score)["partial"].first_image

    assert found["judge"].value == pytest.approx((judge == 1).sum() / (np.abs(judge) == 1).sum())
    assert found["people"].value == pytest.approx((people == 1).sum() / (np.abs(people) == 1).sum())


def test_two_people_who_rated_the_same_are_the_ceiling(tmp_path):
    raters = Raters(items=120, people=15, each=2, seed=3)
    raters.file(tmp_path, "like", raters.like_people())
    score = judge_ratings(raters.checked, read_judges([tmp_path]))
    person = score.people[score.axes.index("overall")]
    answers = raters.frame["answer"].to_numpy().reshape(2, 120, 7)[:, :, 6]
    a, b = pd.DataFrame(answers).apply(pd.to_numeric, errors="coerce").to_numpy()
    kept = ~np.isnan(a + b)
    x, y = np.append(a[kept], b[kept]), np.append(b[kept], a[kept])

    assert (person["items"], person["r"].n) == (kept.sum(), 2 * kept.sum())
    assert person["r"].value == pytest.approx(pearsonr(x, y)[0], abs=1e-6)
    assert person["kappa"].value == pytest.approx(cohen_kappa_score(x, y), abs=1e-6)
    quadratic = cohen_kappa_score(x, y, weights="quadratic")
    assert person["weighted"].value == pytest.approx(quadratic, abs=1e-6)
    assert person["r"].low < person["r"].value < person["r"].high


def test_items_that_several_rated_are_units_too(tmp_path):
    raters = Raters(items=40, people=40, each=9, seed=4)
    raters.file(tmp_path, "random", raters.random())
    row = by_name(judge_ratings(raters.checked, read_judges([tmp_path])))["random"].axis("overall")
    of_answers = 1.96 / np.sqrt(row.r.n)  # if nine ratings of an item counted as nine items
    assert row.r.high - row.r.low > 3 * of_answers
    assert row.kappa.high - row.kappa.low > 1.2 * _own_width(row.kappa)


def _own_width(kappa):
    return 2 * 1.96 * np.sqrt(0.2 * 0.8 / kappa.n) / 0.8


def test_single_images_against_the_truth(tmp_path):
    ratings = check_ratings(
        pd.DataFrame(
            {
                "item": ["a", "b", "c", "d"] * 2,
                "axis": ["anatomy"] * 4 + ["aesthetics"] * 4,
                "answer": ["yes", "no", "yes", "yes", "1", "4", "6", "10"],
                "condition": "m",
                "evaluator": ["p", "q", "r", "s"] * 2,
                "truth": ["yes", "no", "no", "yes", "2", "3", "7", "9"],
            }
        )
    )
    answers = ["no", "no", "no", "yes", 3, 2, 7, 7]
    rows = zip(ratings["item"], ratings["axis"], answers, strict=True)
    text = "item,axis,answer\n" + "".join(f"{i},{a},{x}\n" for i, a, x in rows)
    score = judge_ratings(ratings, judges(tmp_path, j=text))
    words, numbers = (by_name(score)["j"].axis(axis) for axis in ("anatomy", "aesthetics"))

    assert (words.truth["right"].value, words.truth["people_right"].value) == (0.75, 0.75)
    assert words.kappa.value == pytest.approx(cohen_kappa_score([1, 0, 1, 1], [0, 0, 0, 1]))
    assert numbers.truth["r"].value == pytest.approx(pearsonr([3, 2, 7, 7], [2, 3, 7, 9])[0])
    assert numbers.truth["people_r"].value == pytest.approx(
        pearsonr([1, 4, 6, 10], [2, 3, 7, 9])[0]
    )
    assert (words.same_image, by_name(score)["j"].first_image, score.pairs) == (None, None, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,axis,answer\nnone,overall,1\n", r"row 2, column item: the item 'none' .* unknown"),
        ("item,axis,answer\ni0000,beauty,1\n", "the axis 'beauty' .* unknown; it must be an axis"),
        ("item,axis,answer\ni0000,overall,6\n", r"row 2, column answer: '6' .*it must be 1 to 5"),
        ("item,axis,answer\ni0000,overall,yes\n", "'yes' of the judge 'one' is not allowed"),
        ("item,axis,answer\ni0000,overall,1.5\n", "'1.5' of the judge"),
        ("image,score\nz.png,1\n", r"row 2, column image: the image 'z.png' .* unknown"),
        ("image,axis,score\nx0.png,beauty,1\n", "the axis 'beauty'"),
    ],
)
def test_what_people_did_not_rate(raters, tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        judge_ratings(raters.checked, judges(tmp_path, one=text))


def test_scores_without_an_axis_need_an_overall_one(raters, tmp_path):
    read = judges(tmp_path, one="image,score\nx0.png,1\ny0.png,2\n")
    with pytest.raises(InputError, match="row 2: the score names no axis"):
        judge_ratings(raters.checked, read, JudgeOptions(overall="total"))
    frame = raters.frame[raters.frame["axis"].eq("style")]
    only = judge_ratings(check_ratings(frame), read)
    assert by_name(only)["one"].axis("style").answered == 1


def test_images_with_a_prompt_may_be_of_a_benchmark(raters, tmp_path):
    rows = "image,score,prompt\nx0.png,1,\ny0.png,2,\nother.png,3,a cat\n"
    found = judge_ratings(raters.checked, judges(tmp_path, one=rows))
    assert by_name(found)["one"].answered == 1


@pytest.mark.parametrize(
    "wrong", [{"confidence": 1.0}, {"margin": 0}, {"margin": 1}, {"groups": 1}]
)
def test_options_that_cannot_be_meant(wrong):
    with pytest.raises(InputError):
        JudgeOptions(**wrong)
