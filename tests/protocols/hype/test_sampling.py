"""From a study and an evaluator to a plan."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from builders import ENOUGH, pools_of, settings_of, stimulus
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.protocols.hype.sampling import Images, Pools, demand, plan_session, shapes
from hype.protocols.hype.settings import StudyFile
from hype.protocols.hype.trial import BlockPlan, SessionPlan, Task
from hype.stimuli.manifest import Stimulus, Truth
from hype.study.assignment import Assignment, Cell


def plan_of(
    study: StudyFile | None = None,
    pools: Pools | None = None,
    *,
    evaluator: str = "p01",
    condition: str = "crude",
    methods: tuple[Any, ...] = ("time",),
    qualified: bool = False,
) -> SessionPlan:
    cell = Cell(condition=condition, methods=methods)
    where = "../pool" if qualified else ""
    assignment = Assignment(evaluator=evaluator, cell=cell, left_means="real", qualified_in=where)
    return plan_session(study or settings_of(), pools or pools_of(), assignment)


def outline(plan: SessionPlan) -> list[tuple[str, int, int]]:
    return [(b.task.value, b.number, len(b.stimuli)) for b in plan.blocks]


def test_the_papers_session():
    study = StudyFile.model_validate(
        {"study": {"name": "paper"}, "stimuli": {"folder": "s"}, "masks": {"folder": "m"}}
    )
    plan = plan_of(study, pools_of({"": 5000, "crude": 5000, "good": 5000}, masks=100))

    assert outline(plan) == [
        ("practice", 1, 6),
        ("qualification", 1, 100),
        ("practice", 2, 6),
        ("time", 1, 150),
        ("time", 2, 150),
        ("time", 3, 150),
    ]
    assert plan.minutes == pytest.approx(75, abs=10)  # 60 for the main task, 10 to qualify


PRACTICE, TEST, TIME = ("practice", 1, 2), ("qualification", 1, 6), [("time", n, 6) for n in (1, 2)]


@pytest.mark.parametrize(
    ("changes", "methods", "expected"),
    [
        ({}, ("infinity",), [PRACTICE, TEST, ("infinity", 1, 6)]),
        ({"qualification": {"enabled": False}}, ("time",), [PRACTICE, *TIME]),
        ({"practice": {"trials": 0}}, ("time",), [TEST, *TIME]),
        (
            {"qualification": {"enabled": False}},
            ("time", "infinity"),
            [PRACTICE, *TIME, ("practice", 2, 2), ("infinity", 1, 6)],
        ),
    ],
    ids=["infinity", "no qualification", "no practice", "both methods"],
)
def test_blocks_of_a_session(changes, methods, expected):
    pools = pools_of({"": 40, "crude": 40, "good": 40})

    assert outline(plan_of(settings_of(**changes), pools, methods=methods)) == expected


designs = st.fixed_dictionaries(
    {
        "time": st.fixed_dictionaries(
            {"blocks": st.integers(1, 3), "trials": st.integers(1, 8).map(lambda n: 2 * n)}
        ),
        "infinity": st.fixed_dictionaries(
            {"blocks": st.integers(1, 2), "trials": st.integers(1, 8).map(lambda n: 2 * n)}
        ),
        "qualification": st.fixed_dictionaries(
            {
                "enabled": st.booleans(),
                "on_own_condition": st.booleans(),
                "trials": st.integers(1, 12).map(lambda n: 2 * n),
            }
        ),
        "practice": st.fixed_dictionaries({"trials": st.integers(0, 4).map(lambda n: 2 * n)}),
    }
)


@given(
    changes=designs,
    methods=st.sampled_from([("time",), ("infinity",), ("time", "infinity")]),
    conditions=st.integers(1, 5),
    spare=st.integers(0, 3),
    evaluator=st.text("abcxyz0129", min_size=1, max_size=8),
)
def test_any_session_is_half_real_and_repeats_no_image(
    changes, methods, conditions, spare, evaluator
):
    """The pools have exactly the number of images that is needed, or a few more."""
    names = [f"m{n}" for n in range(conditions)]
    study, cell = settings_of(**changes), Cell(condition=names[-1], methods=methods)
    none = pools_of(dict.fromkeys(("", *names), 0))
    wanted = demand(shapes(study, none, cell, qualified=False))
    pools = pools_of({name: wanted[name] + spare for name in ("", *names)})
    plan = plan_of(study, pools, evaluator=evaluator, condition=names[-1], methods=methods)

    everything = [s.path for b in plan.blocks for s in b.stimuli]
    assert len(everything) == len(set(everything))
    own = study.qualification.on_own_condition
    for block in plan.blocks:
        among = names if block.task is Task.PRACTICE or own else names[:-1]
        assert_block_is_fair(block, names[-1], among)


def assert_block_is_fair(block: BlockPlan, condition: str, among: list[str]) -> None:
    truths = Counter(s.truth for s in block.stimuli)
    fakes = Counter(s.condition for s in block.stimuli if s.truth is Truth.FAKE)
    assert truths[Truth.REAL] == truths[Truth.FAKE] == len(block.stimuli) // 2
    if block.task in (Task.PRACTICE, Task.QUALIFICATION):
        assert set(fakes) <= set(among)
        counts = [fakes[name] for name in among]
        assert max(counts) - min(counts) <= 1
    else:
        assert set(fakes) == {condition}
    assert len(block.masks) == (len(block.stimuli) if block.timed else 0)


def test_what_is_evaluated_does_not_supply_the_test_of_who_evaluates_it():
    pools = pools_of({"": 200, "a": 200, "b": 200, "c": 200})
    study = settings_of(qualification={"trials": 20})
    for condition in pools.fake:
        plan = plan_of(study, pools, condition=condition)
        assert fakes_of_test(plan) == {name: 5 for name in pools.fake if name != condition}

    asked = settings_of(qualification={"trials": 18, "on_own_condition": True})
    assert fakes_of_test(plan_of(asked, pools, condition="a")) == {"a": 3, "b": 3, "c": 3}


def fakes_of_test(plan: SessionPlan) -> dict[str, int]:
    """Count the fakes of the qualification by condition."""
    test = next(b for b in plan.blocks if b.task is Task.QUALIFICATION)
    return dict(Counter(s.condition for s in test.stimuli if s.truth is Truth.FAKE))


def test_there_is_no_test_on_the_only_condition_unless_the_study_asks_for_it():
    pools = pools_of({"": 40, "crude": 40})
    asked = settings_of(qualification={"on_own_condition": True})

    assert Task.QUALIFICATION not in {b.task for b in plan_of(pools=pools).blocks}
    assert fakes_of_test(plan_of(asked, pools)) == {"crude": 3}


def with_test(pools: Pools, counts: dict[str, int], first: int = 1000) -> Pools:
    """Return pools with a set for the qualification; with ``first=0`` it shares images."""
    made = {
        name: tuple(in_test(stimulus(first + n, name)) for n in range(number))
        for name, number in counts.items()
    }
    return replace(pools, test=Images(real=made.pop(""), fake=made))


def in_test(image: Stimulus) -> Stimulus:
    """Return an image with a path in the set of the test."""
    return replace(image, path=f"qualification/{image.path}")


def test_a_set_of_its_own_supplies_the_whole_test_and_counts_for_nothing_else():
    pools = pools_of({"": 8, "crude": 8})
    plan = plan_of(pools=with_test(pools, {"": 3, "one": 1, "two": 1, "three": 1}))
    test = plan.blocks[1]

    assert fakes_of_test(plan) == {"one": 1, "two": 1, "three": 1}
    assert {s.path.partition("/")[0] for s in test.stimuli} == {"qualification"}
    assert {s.path.partition("/")[0] for b in plan.blocks if b is not test for s in b.stimuli} == {
        *("real", "fake"),
    }


def test_a_picture_that_is_in_both_sets_is_shown_once():
    """The other blocks need all 8 real images, so the test cannot use them."""
    pools = pools_of({"": 8, "crude": 8})
    with pytest.raises(InputError, match="has 2 images of 'real', but one evaluator needs 3"):
        plan_of(pools=with_test(pools, {"": 10, "one": 3}, first=0))

    both = with_test(pools, {"": 11, "one": 3}, first=0)
    for number in range(20):
        plan = plan_of(pools=both, evaluator=f"p{number}")
        seen = [s.sha256 for b in plan.blocks for s in b.stimuli]
        assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("counts", "masks", "message"),
    [
        ({**ENOUGH, "": 10}, 8, r"has 10 images of 'real', .* 11: 2 for practice, 3 for qualif"),
        ({**ENOUGH, "crude": 7}, 8, r"has 7 images of 'crude', but one evaluator needs 8"),
        ({**ENOUGH, "good": 4}, 8, r"has 4 images of 'good', but one evaluator needs 5"),
        (ENOUGH, 3, r"fewer masks \(3\) than a trial shows \(4\)"),
    ],
    ids=["real", "own fakes", "other fakes", "masks"],
)
def test_too_few_images_or_masks(counts, masks, message):
    with pytest.raises(InputError, match=message):
        plan_of(pools=pools_of(counts, masks))


def test_exposures_come_from_the_studys_staircase():
    study = settings_of(time={"staircase": {"preset": "weighted-75", "start_ms": 300.0}})
    practice, timed = plan_of(study).blocks[2:4]

    assert practice.exposure_ms == 300
    assert practice.staircase is None
    assert timed.staircase is not None
    assert (timed.staircase.up_ms, timed.staircase.start_ms) == (30, 300)


@pytest.mark.parametrize("fate", ["keep", "leave-out", "repeat"])
def test_only_a_study_that_repeats_spoiled_trials_repeats_them_and_only_scored_ones(fate):
    plan = plan_of(settings_of(timing={"spoiled_trials": fate}))

    assert {b.repeat_spoiled for b in plan.blocks if b.task is Task.TIME} == {fate == "repeat"}
    assert not any(b.repeat_spoiled for b in plan.blocks if b.task is not Task.TIME)


@pytest.mark.parametrize("on", [True, False])
def test_feedback_is_what_the_study_says_and_practice_always_has_it(on):
    study = settings_of(
        time={"feedback": on}, infinity={"feedback": on}, qualification={"feedback": on}
    )
    pools = pools_of({"": 40, "crude": 40, "good": 40})
    plan = plan_of(study, pools, methods=("time", "infinity"))

    assert {b.task: b.feedback for b in plan.blocks} == {
        Task.PRACTICE: True,
        Task.QUALIFICATION: on,
        Task.TIME: on,
        Task.INFINITY: on,
    }


def test_order_of_real_and_fake_is_random():
    """Over many evaluators, each place of a block has a real image about half of the time."""
    places = Counter[int]()
    for n in range(400):
        block = plan_of(evaluator=f"p{n}").blocks[-1]
        places.update(i for i, s in enumerate(block.stimuli) if s.truth is Truth.REAL)

    assert all(abs(places[i] - 200) < 40 for i in range(6))  # 4 standard deviations
