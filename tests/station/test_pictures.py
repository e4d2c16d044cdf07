"""What a session will want to show, and how it is made to fit."""

import numpy as np
import pytest
from builders import noise
from paper_station import PaperStation, as_answered, block, session
from PIL import Image

from hype.protocols.comparison.trial import (
    ComparisonBlock,
    ComparisonPlan,
    ComparisonTask,
    Planned,
    trial_of,
)
from hype.protocols.hype.trial import SessionPlan, Task, hype_session
from hype.protocols.prompted.trial import Candidate
from hype.session.loop import Answered, run_session
from hype.session.steps import Pay, PictureRequest, Response
from hype.station.pictures import fitted

PLAN = session(
    block(Task.QUALIFICATION, 2),
    block(Task.TIME, 4, repeat_spoiled=True),
    block(Task.TIME, 4, number=2),
    block(Task.INFINITY, 2),
)


def held(plan: SessionPlan, *spoiled: int) -> PaperStation:
    """Hold a session in which the screen spoils these trials of the first timed block."""
    first = Task.TIME, 1
    station = PaperStation(spoils=lambda t, n: (t.task, t.block) == first and t.number in spoiled)
    run_session(hype_session(plan), station, station, station)
    return station


def test_a_trial_wants_its_image_and_then_its_masks():
    trial = next(trial for trial, _ in held(PLAN).rows if trial.task is Task.TIME)

    assert list(trial.pictures) == [
        PictureRequest(trial.stimulus.path, mask=False),
        PictureRequest("0.png", mask=True),
        PictureRequest("1.png", mask=True),
    ]


def test_what_is_upcoming_is_what_will_be_wanted_in_order():
    wanted = [request for trial, _ in held(PLAN).rows for request in trial.pictures]

    assert list(PLAN.upcoming()) == wanted
    assert len(wanted) == 2 + 8 * 3 + 2


def test_repetitions_are_not_foreseen_and_do_not_confuse_what_is():
    """In front of the last repetition, only the blocks after it are foreseen."""
    rows = held(PLAN, 1, 3).rows
    later = [request for trial, _ in rows[8:] for request in trial.pictures]

    assert [trial.repeats for trial, _ in rows[6:8]] == [1, 3]
    assert list(PLAN.upcoming(as_answered(rows[:7]))) == later


def compared(number: int, task: ComparisonTask = ComparisonTask.COMPARISON) -> Planned:
    """Plan a comparison of images of its own."""
    left, right = (
        Candidate(path=f"{name}/{number}.png", condition=name, sha256=f"{name}{number}")
        for name in ("flow", "pca")
    )
    return Planned(task=task, prompt="a bag", left=left, right=right)


COMPARISONS = ComparisonPlan(
    evaluator="p01",
    blocks=(
        ComparisonBlock(number=1, planned=(compared(9, ComparisonTask.PRACTICE),), practice=True),
        ComparisonBlock(number=1, planned=(compared(1), compared(2, ComparisonTask.VALIDATION))),
        ComparisonBlock(number=2, planned=(compared(3), compared(1))),
    ),
    questions=(),
    ties=False,
    word_ms=0.0,
    hasty_ms=0.0,
    wait_ms=0.0,
    limit_ms=None,
    pay=Pay(base=0.0, per_correct=0.0, currency="$"),
    minutes=1,
    consent=False,
    breaks=False,
)


def test_a_comparison_wants_what_is_left_and_then_what_is_right():
    block = COMPARISONS.blocks[1]
    trial = trial_of(COMPARISONS, block, 1, block.planned[0])
    assert list(trial.pictures) == [
        PictureRequest("flow/1.png", mask=False),
        PictureRequest("pca/1.png", mask=False),
    ]


@pytest.mark.parametrize("answered", range(6))
def test_comparisons_are_foreseen_in_order_but_for_those_that_were_answered(answered):
    trials = [
        trial_of(COMPARISONS, block, number, planned)
        for block in COMPARISONS.blocks
        for number, planned in enumerate(block.planned, start=1)
    ]
    done = [
        Answered(trial.name, trial.fingerprint, Response("left")) for trial in trials[:answered]
    ]
    rest = [request for trial in trials[answered:] for request in trial.pictures]

    assert list(COMPARISONS.upcoming(done)) == rest


@pytest.mark.parametrize(
    ("size", "cover", "becomes"),
    [
        ((50, 20), False, (100, 40)),
        ((20, 50), False, (40, 100)),
        ((400, 200), False, (100, 50)),
        ((1000, 1), False, (100, 1)),
        ((100, 100), False, (100, 100)),
        ((50, 20), True, (100, 100)),
        ((300, 400), True, (100, 100)),
    ],
)
def test_an_image_keeps_its_shape_and_a_mask_covers_the_square(size, cover, becomes):
    assert fitted(Image.new("RGB", size), 100, cover=cover).size == becomes


@pytest.mark.parametrize("cover", [True, False])
def test_pixels_of_an_image_that_fits_are_left_alone(cover):
    image = noise(1, 96)
    shown = fitted(image, 96, cover=cover)

    assert shown.mode == "RGB"
    assert np.array_equal(np.asarray(shown), np.asarray(image.convert("RGB")))
