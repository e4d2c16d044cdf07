"""Effects of studies whose conditions only stand to each other: which does better in which."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_comparisons import STRENGTHS, votes_of
from scipy.stats import norm

from hype.answers.choices import Choices
from hype.answers.joined import StudyEffect, score_together
from hype.protocols.prompted.study_effects import ConditionStrengths, Measures, strength_effects
from hype.statistics.estimate import Estimate
from hype.tables.table_files import FrameTable

Z = float(norm.ppf(0.975))


def part(values: Mapping[str, float], errors: float | Sequence[float] = 10.0) -> Measures:
    """Give strengths, by condition, whose intervals are as of these standard errors."""
    each = np.broadcast_to(errors, len(values)).tolist()
    of = {
        name: Estimate(value=value, low=value - Z * error, high=value + Z * error)
        for (name, value), error in zip(values.items(), each, strict=True)
    }
    return {"comparisons": ConditionStrengths(unit="Elo", of=of)}


def test_two_parts_worked_by_hand() -> None:
    """What they share is 20 below and 10 above twice; the error of each is √(10² + 10²)."""
    here, there = {"a": 100.0, "b": 0.0, "c": -100.0}, {"a": 130.0, "b": 0.0, "c": -100.0, "d": 9.0}
    one, other = strength_effects("comparison", {"one": part(here), "other": part(there)})
    error = math.sqrt(200)

    assert (one.most, one.conditions, one.unit) == ("a", ("a", "b", "c"), "Elo")
    assert one.difference == pytest.approx(-20) == -other.difference
    assert one.p == pytest.approx(min(1, 3 * 2 * norm.sf(20 / error)))
    assert one.ci_high == pytest.approx(-20 + norm.ppf(1 - 0.05 / 6) * error)
    assert (other.ci_low, other.p) == pytest.approx((-(one.ci_high or 0), one.p))


def test_of_three_parts_the_others_count_by_their_precision() -> None:
    """Beside 0 and -30 with errors of 5 and 10, one tells 12 against the more exact: 4 to 1."""
    parts = {
        "one": part({"a": 0.0, "b": 0.0}),
        "exact": part({"a": 0.0, "b": 0.0}, 5.0),
        "rough": part({"a": 30.0, "b": -30.0}, 10.0),
    }
    one, _, rough = strength_effects("comparison", parts)
    error = math.sqrt(10**2 + 1 / (5**-2 + 10**-2))

    assert abs(one.difference) == pytest.approx(30 / 5)
    assert rough.difference == pytest.approx(30)
    assert one.p == pytest.approx(min(1.0, 3 * 2 * norm.sf(6 / error)))


@given(
    st.lists(st.tuples(*[st.floats(-300, 300)] * 3), min_size=2, max_size=5),
    st.floats(-500, 500),
    st.floats(0.1, 10),
)
def test_a_level_of_a_part_and_the_unit_say_nothing(
    rows: list[tuple[float, float, float]], level: float, scale: float
) -> None:
    names = [f"m{number}" for number in range(len(rows))]
    parts = [dict(zip(names, values, strict=True)) for values in zip(*rows, strict=True)]
    plain = effects(parts)
    raised = effects([{n: v + level for n, v in parts[0].items()}, *parts[1:]])
    scaled = effects([{n: v * scale for n, v in own.items()} for own in parts], 10.0 * scale)
    turned = effects(parts[::-1])[::-1]

    for before, *others in zip(plain, raised, scaled, turned, strict=True):
        p = [one.p for one in others]
        assert p == pytest.approx([before.p] * 3, rel=1e-6, abs=1e-9)
        sizes = [abs(one.difference) for one in others]
        expected = [abs(before.difference) * times for times in (1, scale, 1)]
        assert sizes == pytest.approx(expected, rel=1e-6, abs=1e-6)


def effects(parts: Sequence[Mapping[str, float]], error: float = 10.0) -> tuple[StudyEffect, ...]:
    made = {str(number): part(values, error) for number, values in enumerate(parts)}
    return strength_effects("comparison", made)


def drawn(
    rng: np.random.Generator, *, parts: int, shift: float = 0.0, models: int = 6
) -> tuple[StudyEffect, ...]:
    """Draw what parts find of the same strengths, where the last one places m2 higher."""
    truth = np.linspace(-150, 150, models)
    found = truth + 12 * rng.standard_normal((parts, models))
    found[-1, 2] += shift
    names = [f"m{number}" for number in range(models)]
    return effects([dict(zip(names, own.tolist(), strict=True)) for own in found], 12.0)


@pytest.mark.parametrize("parts", [2, 4])
def test_parts_alike_are_seldom_said_to_differ(parts: int) -> None:
    """Of 600 joined scores 30 at most are expected; 50 or more have a probability of 0.0005."""
    rng = np.random.default_rng(parts)
    any_differs = [any((one.p or 0) < 0.05 for one in drawn(rng, parts=parts)) for _ in range(600)]

    assert sum(any_differs) < 50


def test_a_condition_that_does_better_in_one_part_is_found_with_its_size() -> None:
    """Centred on six conditions, 80 more of one are 67 of it; the interval is of all together."""
    rng = np.random.default_rng(5)
    last = [drawn(rng, parts=3, shift=80.0)[-1] for _ in range(200)]
    covered = [(one.ci_low or 0) <= 80 * 5 / 6 <= (one.ci_high or 0) for one in last]

    assert sum(one.most == "m2" for one in last) > 190
    assert sum((one.p or 1) < 0.05 for one in last) > 170
    assert np.mean([one.difference for one in last]) == pytest.approx(80 * 5 / 6, abs=5)
    assert sum(covered) > 185


def test_votes_in_which_a_model_does_better_in_one_study_say_so() -> None:
    sizes = {"evaluators": 20, "each": 40, "ties": 0.0}
    frames = [
        votes_of(seed=1, **sizes),
        votes_of({**STRENGTHS, "vae": STRENGTHS["vae"] + 2.0}, seed=2, **sizes),
    ]
    *_, joined = score_together([FrameTable(frame) for frame in frames], Choices(), apart=True)
    one, other = joined.effects

    assert {one.most, other.most} == {"vae"}
    assert other.difference == pytest.approx(-one.difference)
    assert other.difference > 0
    assert (other.p or 1) < 0.01
    (said,) = (sentence for sentence in joined.sentences("comparison") if "places" in sentence)
    assert "places vae most apart from the other" in said
    assert "studies differ" in said
