"""Training recovers known tastes from votes, as well as the noise allows."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_tastes import tasted

from hype.errors import InputError
from hype.reward.train import (
    FINGERPRINT,
    measure_calibration,
    measures_of,
    temperature_of,
    train_model,
)
from hype.reward.votes import (
    VoteSplit,
    others_choices,
    pairs_of,
    split_prompts,
    votes_of_rows,
)


@cache
def made(**how):
    return tasted(**how)


@cache
def trained(**how):
    one = made(**how)
    return train_model(one.votes, one.features, {"brightness": one.features[:, 0]})


@pytest.mark.parametrize("size", [0.5, 1.0, 2.0])
def test_a_planted_taste_is_learnt_as_far_as_the_noise_allows(size):
    evaluation, best = trained(size=size, votes=6000).evaluation, made(size=size, votes=6000).best
    accuracy = evaluation.agreement.accuracy

    assert accuracy.low - 0.01 <= best <= accuracy.high + 0.01
    assert accuracy.value == pytest.approx(best, abs=0.03)
    assert trained(size=size, votes=6000).temperature == pytest.approx(1, abs=0.2)


def test_the_scores_are_the_planted_log_odds():
    one, model = made(votes=6000), trained(votes=6000)
    scores = model.head.scores(one.features)

    assert np.corrcoef(scores, one.scores)[0, 1] > 0.98
    assert np.polyfit(one.scores, scores, 1)[0] == pytest.approx(1, abs=0.15)


def test_a_taste_for_brightness_is_called_a_shortcut():
    one = tasted(features=6, weights=[1, 0, 0, 0, 0, 0], votes=3000)
    measures = {"brightness": one.features[:, 0]}
    shortcuts = train_model(one.votes, one.features, measures).evaluation.shortcuts
    gain = {row["name"]: row["gain"] for row in shortcuts}

    assert gain["brightness"].high < 0.03
    assert gain[FINGERPRINT].low > 0.1
    assert gain["the image on the left, or shown first"].low > 0.1


def test_a_taste_for_a_model_is_called_its_fingerprint_and_is_lost_on_one_never_seen():
    one = tasted(votes=3000, features=4)
    made_by = np.eye(4)[one.votes.condition]
    ahead = (made_by[one.votes.first] - made_by[one.votes.second]) @ np.array(
        [1.5, 0.5, -0.5, -1.5]
    )
    chance = np.random.default_rng(0).random(len(ahead))
    verdict = np.where(chance < 1 / (1 + np.exp(-ahead)), 1, -1)
    votes = type(one.votes)(**{**vars(one.votes), "verdict": verdict})
    found = train_model(votes, made_by, {}).evaluation
    lead = {row["name"]: row["gain"].value for row in found.shortcuts}

    assert lead[FINGERPRINT] == pytest.approx(0, abs=0.01)
    hardest = {row["condition"]: row for row in found.unseen}["d"]
    assert hardest["seen"].value > 0.75
    assert hardest["unseen"].value < 0.65


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    one = made(votes=1000)
    models = [train_model(one.votes, one.features, {}, seed=seed) for seed in (1, 1, 2)]
    weights = [model.head.weight.tobytes() for model in models]

    assert weights[0] == weights[1] != weights[2]


def test_a_part_in_which_nobody_chose_is_refused():
    one = tasted(prompts=3, votes=60, ties=1.0)
    with pytest.raises(InputError, match="no vote on the prompts for train prefers"):
        train_model(one.votes, one.features, {})


@pytest.mark.parametrize("factor", [0.3, 1.0, 4.0])
def test_the_temperature_undoes_what_scores_were_multiplied_by(factor):
    one = made(votes=6000)
    temperature = temperature_of(one.votes, factor * one.scores)
    found = measure_calibration(
        one.votes, factor * one.scores, temperature, np.random.default_rng(0)
    )

    assert temperature == pytest.approx(factor, rel=0.1)
    assert found["error"] < 0.03
    assert (found["error_before"] > 0.06) == (factor != 1.0)


def test_measures_tell_bright_from_dark_and_sharp_from_smooth(tmp_path):
    from PIL import Image

    noise = np.random.default_rng(0).integers(0, 256, (32, 32), dtype=np.uint8)
    pictures = {"dark": noise // 4, "smooth": np.full((16, 16), 200, dtype=np.uint8)}
    for name, pixels in pictures.items():
        Image.fromarray(pixels).save(tmp_path / f"{name}.png")
    measures = measures_of([tmp_path / f"{name}.png" for name in pictures])

    assert measures["brightness"][0] < 40 < measures["brightness"][1] == 200
    assert measures["sharpness"][0] > measures["sharpness"][1] == 0
    assert measures["size in pixels"] == pytest.approx(np.log([1024, 256]))
    assert measures["size of the file"][0] > measures["size of the file"][1]


@given(st.integers(3, 60), st.integers(0, 1000))
def test_no_prompt_is_in_two_parts_and_none_is_lost(prompts, seed):
    votes = tasted(prompts=prompts, votes=50).votes
    parts = split_prompts(votes, np.random.default_rng(seed))

    assert sorted(np.concatenate(list(parts.values())).tolist()) == list(range(prompts))
    assert all(some.size for some in parts.values())


def test_the_test_has_the_prompts_that_the_study_holds_out():
    votes = tasted(prompts=10, votes=50, held_out=("p003", "p007")).votes
    parts = split_prompts(votes, np.random.default_rng(0))

    assert parts[VoteSplit.TEST].tolist() == [3, 7]


def test_two_prompts_are_too_few():
    votes = tasted(prompts=2, votes=50).votes
    with pytest.raises(InputError, match="2 prompts, 0 of them held out for the test; one or"):
        split_prompts(votes, np.random.default_rng(0))


def rows():
    a, b = ("fake/x/1.png", "x"), ("fake/y/1.png", "y")
    return [
        (7, "a bag", a, b, 1),
        (7, "a bag", b, a, 1),
        (9, "a bag", b, a, -1),
        (9, "a bag", a, b, 0),
        (12, "a bag", a, b, 1),
    ]


def test_votes_on_the_same_two_images_are_gathered_whichever_came_first():
    votes = votes_of_rows(rows(), ())
    pairs = pairs_of(votes)

    assert (votes.evaluators, votes.images) == (3, ("fake/x/1.png", "fake/y/1.png"))
    assert (pairs.one.tolist(), pairs.other.tolist()) == ([0], [1])
    assert (pairs.for_one[0], pairs.for_other[0], pairs.ties[0]) == (3, 1, 1)
    assert pairs.total == 5


def test_others_choices_by_hand():
    same, chosen = others_choices(votes_of_rows(rows(), ()))

    assert chosen.tolist() == [3, 3, 3, 4, 3]  # a tie is not a choice
    assert same.tolist() == [2, 0, 2, 0, 2]


def test_the_checksum_is_of_who_voted_how():
    first, again, other = (tasted(votes=60, seed=seed).votes for seed in (0, 0, 1))

    assert first.checksum() == again.checksum() != other.checksum()
