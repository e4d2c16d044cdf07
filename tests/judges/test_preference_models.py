import numpy as np
import pandas as pd
import pytest
from made_judges import Rankers, by_name, judges

from hype.errors import InputError
from hype.judges.choices import judge_rankings
from hype.judges.files import read_judges
from hype.judges.results import JudgeOptions
from hype.protocols.ranking.score import choose_rankings
from hype.protocols.ranking.table import check_rankings


def scored(frame):
    return choose_rankings(check_rankings(frame)).rows


def by_hand(split=None):
    """Two people rank a, b, c, one of them with a and c tied; the first one also ranks d, e."""
    rows = [
        ("g1", "A", "a", 1, "p"),
        ("g1", "B", "b", 2, "p"),
        ("g1", "C", "c", 3, "p"),
        ("g1", "A", "a", 1, "q"),
        ("g1", "B", "b", 3, "q"),
        ("g1", "C", "c", 1, "q"),
        ("g2", "A", "d", 1, "p"),
        ("g2", "B", "e", 2, "p"),
    ]
    frame = pd.DataFrame(rows, columns=["group", "condition", "image", "rank", "evaluator"])
    return frame if split is None else frame.assign(split=split)


def test_accuracy_by_hand(tmp_path):
    # Choices of p: a>b, a>c, b>c, d>e; choices of q: a>b, c>b (a and c tied).
    read = judges(tmp_path, m="image,score\na,2\nb,1\nc,1\nd,0\ne,1\n")
    found = by_name(judge_rankings(scored(by_hand()), read))["m"]

    assert (found.comparisons, found.of_comparisons) == (6, 6)
    assert found.accuracy.value == pytest.approx((1 + 1 + 0.5 + 1 + 0.5 + 0) / 6)
    # Both people chose a>b; on b and c they disagree; the other pairs have one choice.
    assert (found.person.value, found.person.n) == (0.5, 4)
    pairs = {(one["a"], one["b"]): one["accuracy"] for one in found.pairs}
    assert pairs["A", "B"].value == pytest.approx(2 / 3)
    assert (pairs["B", "C"].value, pairs["B", "C"].n) == (0.5, 2)
    assert found.verdict is None


@pytest.fixture(scope="module")
def score(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    rankers = Rankers(seed=2)
    true = np.array(list(rankers.quality.values()))
    wrong = true.copy()
    wrong[2::5] += 6
    found = {"true": true, "inverted": -true, "random": rankers.rng.normal(size=len(true))}
    found |= {"constant": np.ones(len(true)), "wrong": wrong}
    found["half"] = np.where(rankers.rng.random(len(true)) < 0.5, true, np.nan)
    for name, scores in found.items():
        rankers.file(folder, name, scores)
    options = JudgeOptions(margin=0.05)
    return judge_rankings(scored(rankers.checked), read_judges([folder]), options)


def test_models_have_the_figures_that_they_deserve(score):
    verdicts = {one.judge: one.verdict for one in score.judges}
    assert verdicts["true"] == "as good"
    assert {verdicts[name] for name in ("inverted", "random", "constant")} == {"worse"}
    true, inverted = by_name(score)["true"], by_name(score)["inverted"]
    assert true.accuracy.value == pytest.approx(1 - inverted.accuracy.value)
    assert true.difference.low > 0
    assert by_name(score)["constant"].accuracy.value == 0.5
    assert by_name(score)["half"].coverage == pytest.approx(0.5, abs=0.1)
    pairs = {(one["a"], one["b"]): one["accuracy"] for one in by_name(score)["wrong"].pairs}
    assert pairs["m2", "m4"].high < 0.5 < pairs["m0", "m4"].low


def test_only_what_was_held_out_counts(tmp_path):
    read = judges(tmp_path, m="image,score\na,2\nb,1\nc,1\nd,0\ne,1\n")
    split = ["train"] * 6 + ["test"] * 2
    held = judge_rankings(scored(by_hand(split)), read)
    unknown = judge_rankings(scored(by_hand()), read)

    assert held.held_out is True
    assert (by_name(held)["m"].accuracy.value, by_name(held)["m"].of_images) == (0, 2)
    assert (unknown.held_out, by_name(unknown)["m"].of_comparisons) == (None, 6)
    assert "a model may have been trained" in unknown.notes[0]


def test_benchmark_rows_beside_ranked_images(tmp_path):
    text = "image,condition,prompt,style,score\na,A,one,photo,1\nb,B,one,photo,0\n"
    more = "".join(f"z{n},A,two {n},photo,{n}\n" for n in range(4))
    score = judge_rankings(scored(by_hand()), judges(tmp_path, m=text + more))
    assert by_name(score)["m"].images == 2
    (benchmark,) = score.benchmarks
    assert (
        benchmark.judge,
        next(
            r["prompts"] for r in benchmark.rows if (r["condition"], r["style"]) == ("A", "photo")
        ),
    ) == ("m", 5)
    assert by_name(score)["m"].coverage == 0.4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("image,score\nz,1\n", r"row 2, column image: the image 'z' of the judge 'm' is unknown"),
        ("item,axis,answer\na,b,1\n", "the judge 'm' has answers, but rankings need scores"),
        ("image,axis,score\na,x,1\na,y,2\n", r"row 3: scores the image 'a' again; .* in .* 2"),
    ],
)
def test_bad_models(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        judge_rankings(scored(by_hand()), judges(tmp_path, m=text))


def test_rankings_without_images(tmp_path):
    read = judges(tmp_path, m="image,score\na,1\n")
    with pytest.raises(InputError, match="the images have no names"):
        judge_rankings(scored(by_hand().drop(columns="image")), read)
