from collections import namedtuple
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from long import long_but
from scipy import special, stats

from hype.protocols.hype.inference import (
    d_prime_and_criterion,
    detect_signals,
    encode_answers,
    roc_areas,
)

Z = NormalDist().inv_cdf


Counts = namedtuple("Counts", "fakes fakes_wrong reals reals_wrong")


def detection(one):
    """Return d′ and the criterion of one evaluator."""
    return d_prime_and_criterion(*one)


def judged(group):
    """Make one row for each judgement in evaluators' counts, without names of images."""
    rows = [
        (f"e{number}", truth, truth if place >= wrong else {"fake": "real"}.get(truth, "fake"))
        for number, one in enumerate(group)
        for truth, shown, wrong in (
            ("fake", one.fakes, one.fakes_wrong),
            ("real", one.reals, one.reals_wrong),
        )
        for place in range(shown)
    ]
    return pd.DataFrame(rows, columns=["evaluator", "truth", "answer"]).assign(condition="gan")


def summary(group, **settings):
    return detect_signals(encode_answers(judged(group), "sample"), **settings).get("gan")


def test_published_example():
    # Stanislaw & Todorov (1999), p. 142: H = .8, F = .4. The correction is negligible.
    many = 10**9
    d_prime, criterion = d_prime_and_criterion(many, many * 0.2, many, many * 0.4)
    assert d_prime == pytest.approx(1.095, abs=5e-4)
    assert criterion == pytest.approx(-0.294, abs=5e-4)


def test_log_linear_correction_by_hand():
    # 45 of 50 fakes and 10 of 50 reals are called fake: H = 45.5 / 51, F = 10.5 / 51.
    d_prime, criterion = detection(Counts(50, 5, 50, 10))
    z_hit, z_alarm = Z(45.5 / 51), Z(10.5 / 51)
    assert d_prime == pytest.approx(z_hit - z_alarm)
    assert criterion == pytest.approx(-(z_hit + z_alarm) / 2)


def test_no_fakes_or_no_reals_is_none():
    nobody = Counts(0, 0, 10, 2), Counts(10, 2, 0, 0)
    assert np.isnan([detection(one) for one in nobody]).all()
    assert summary(nobody) is None


def test_evaluators_without_fakes_are_left_out_of_the_mean():
    both, one_sided = Counts(50, 5, 50, 10), Counts(0, 0, 100, 50)
    three, two = summary([both, one_sided, both, both]), summary([both, both, both])
    assert three == two


def test_mean_and_interval_are_those_of_a_t_test():
    group = [Counts(50, wrong, 50, 3 * wrong) for wrong in (1, 4, 5, 9)]
    result = summary(group, confidence=0.9)
    each = np.transpose([detection(one) for one in group])
    for name, values in zip(("d_prime", "criterion"), each, strict=True):
        interval = stats.ttest_1samp(values, 0).confidence_interval(0.9)
        assert result[name].value == pytest.approx(np.mean(values))
        assert result[name].ends == pytest.approx(tuple(interval))


@pytest.mark.parametrize("images", long_but(["sample"], ["sample", "fixed"]))
def test_intervals_hold_for_other_people_and_other_images(rng, images):
    """Student's interval over evaluators, for these images only, would cover only 70%."""
    true, people, shown = -1.2, 20, 25
    held = []
    for _ in range(40):
        looks = rng.normal(0, 0.6, (1, 2, shown))
        able = rng.normal(0, 0.2, (people, 2, 1))
        wrong = rng.random((people, 2, shown)) < special.ndtr(true / 2 + able + looks)
        frame = judged_of(wrong)
        found = detect_signals(encode_answers(frame, images))["gan"]
        expected = 1.2 / np.sqrt(1 + 0.6**2 + 0.2**2)
        held.append(found["d_prime"].low < expected < found["d_prime"].high)
    low, high = (0.85, 1.0) if images == "sample" else (0.5, 0.85)
    assert low < np.mean(held) < high


def judged_of(wrong):
    """Make judgements from errors of the shape (evaluators, fake or real, images)."""
    person, kind, image = (axis.ravel() for axis in np.indices(wrong.shape))
    kinds = np.array(["fake", "real"])
    return pd.DataFrame(
        {
            "evaluator": np.char.add("e", person.astype(str)),
            "condition": "gan",
            "truth": kinds[kind],
            "answer": kinds[np.where(wrong.ravel(), 1 - kind, kind)],
            "image": np.char.add(kinds[kind].astype("U9"), image.astype(str)),
        }
    )


def test_areas_are_those_of_mann_and_whitney_within_people(rng):
    """One person's area is U/(n·m); several people's pairs are added, each on their own scale."""
    person, first = np.repeat([0, 1, 2, 3], 40), rng.random(160) < 0.5
    level = rng.integers(1, 5, 160) + 10 * person + first
    each = [(level[first & (person == p)], level[~first & (person == p)]) for p in range(4)]
    wins = sum(stats.mannwhitneyu(*both).statistic for both in each)
    (area,) = roc_areas(np.zeros(160, int), person, level, first)

    assert area.value == pytest.approx(wins / sum(len(one) * len(other) for one, other in each))
    assert area.low < area.value < area.high
    nobody, steps = np.zeros(4, int), np.array([1, 2, 2, 3])
    (alone,) = roc_areas(nobody, nobody, steps, np.arange(4) > 1)
    assert (alone.value, alone.low) == (0.875, None)
    with_three = np.append(nobody, [1, 2, 3]), np.append(steps, [1, 2, 3]), np.arange(7) > 1
    assert roc_areas(np.zeros(7, int), *with_three) == [alone], "three used one answer only"
    assert roc_areas(nobody, nobody, steps, np.ones(4, bool)) == [None]
