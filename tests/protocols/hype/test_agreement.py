import numpy as np
import pandas as pd
import pytest

from hype.protocols.hype.images import agreement_by_condition
from hype.protocols.hype.table import check_judgements

MEG = "rfrrrrrrfr"
OWEN = "fffrrfrrrr"


def judged(answers, condition="gan", truth="fake"):
    """Make judgements from evaluator -> one letter per image: f, r, or a dot for no judgement."""
    words = {"f": "fake", "r": "real"}
    return pd.DataFrame(
        [
            (evaluator, condition, truth, words[letter], f"{image:03}.png")
            for evaluator, letters in answers.items()
            for image, letter in enumerate(letters)
            if letter in words
        ],
        columns=["evaluator", "condition", "truth", "answer", "image"],
    )


def agreed(*tables, **settings):
    table = check_judgements(pd.concat(tables, ignore_index=True))
    return agreement_by_condition(table, **settings).get("gan")


def random_answers(rng, evaluators=6, images=60):
    """Some images look more fake than others, so the evaluators agree a little."""
    chance = rng.beta(1, 1, images)
    letters = np.array(["r", "f"])
    return {
        f"e{n}": "".join(letters[(rng.random(images) < chance).astype(int)])
        for n in range(evaluators)
    }


def test_published_example():
    # Krippendorff (2011), section A: two observers, ten units, α = .095.
    row = agreed(judged({"meg": MEG, "owen": OWEN}))
    assert row.alpha.value == pytest.approx(1 - 19 * 4 / (6 * 14))
    assert row.alpha.ends == (None, None)
    assert (row.units, row.n, row.evaluators) == (10, 20, 2)


def test_a_real_and_a_fake_of_one_name_are_two_images():
    row = agreed(judged({"a": "f", "b": "f"}), judged({"a": "r", "b": "r"}, truth="real"))
    assert (row.units, row.alpha.value) == (2, 1.0)


def test_perfect_agreement_leaves_no_doubt():
    row = agreed(judged(dict.fromkeys("abc", "frfrfrfr")))
    assert (row.alpha.value, *row.alpha.ends) == (1.0, None, None)


def test_fixed_images_leave_the_doubt_about_people(rng):
    table = judged(random_answers(rng, evaluators=30, images=12))
    model, images = (agreed(table, images=which) for which in ("sample", "fixed"))
    assert model.alpha.value == images.alpha.value
    assert model.alpha.low < images.alpha.low < images.alpha.high < model.alpha.high


def twice(first, second, **columns):
    """Return judgements: a judges image 0 twice, b calls it fake, and both call image 1 real."""
    rows = [("a", first, "0"), ("a", second, "0"), ("b", "fake", "0"), ("a", "real", "1")]
    table = pd.DataFrame([*rows, ("b", "real", "1")], columns=["evaluator", "answer", "image"])
    return table.assign(condition="gan", truth="fake", **columns)


@pytest.mark.parametrize(("last", "alpha"), [("fake", 1.0), ("real", 0.0)])
def test_of_several_judgements_of_an_image_the_last_counts(last, alpha):
    first = {"fake": "real", "real": "fake"}[last]
    row = agreed(twice(first, last))
    assert (row.alpha.value, row.n) == (alpha, 4)


@pytest.mark.parametrize("blocks", [("10", "9"), ("b", "a"), ("extra", "10")])
def test_blocks_come_by_number_then_by_name(blocks):
    table = twice("fake", "real", trial=[1, 7, 1, 2, 2], block=[*blocks, "1", "1", "1"])
    assert agreed(table).alpha.value == agreed(table[::-1]).alpha.value == 1.0


@pytest.mark.parametrize(
    "answers",
    [
        {"a": "fr..", "b": "..fr"},  # no image has two judgements
        {"a": "frf"},
        {"a": "ffr", "b": "ff."},  # images with two judgements got the same answer
    ],
)
def test_no_alpha(answers):
    assert agreed(judged(answers)) is None


@pytest.mark.parametrize("nothing", ["no column", "empty column"])
def test_no_images_no_agreement(nothing):
    table = check_judgements(judged({"a": "fr", "b": "fr"}).drop(columns="image"))
    table = table.assign(image="") if nothing == "empty column" else table
    assert agreement_by_condition(table) == {}
