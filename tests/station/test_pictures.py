"""What a session will want to show, and how it is made to fit."""

from __future__ import annotations

import numpy as np
import pytest
from builders import noise
from paper_station import PaperStation, as_answered, block, session
from PIL import Image

from hype.protocol.loop import run_session
from hype.protocol.plan import SessionPlan
from hype.protocol.script import hype_session
from hype.protocol.steps import Task
from hype.station.pictures import Want, fitted, upcoming, wants_of

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


def test_a_trial_wants_its_image_and_then_its_masks() -> None:
    trial = next(trial for trial, _ in held(PLAN).rows if trial.task is Task.TIME)

    assert wants_of(trial) == [
        Want(trial.stimulus.path, mask=False),
        Want("0.png", mask=True),
        Want("1.png", mask=True),
    ]


def test_what_is_upcoming_is_what_will_be_wanted_in_order() -> None:
    wanted = [want for trial, _ in held(PLAN).rows for want in wants_of(trial)]

    assert list(upcoming(PLAN)) == wanted
    assert len(wanted) == 2 + 8 * 3 + 2


@pytest.mark.parametrize("answered", [0, 1, 3, 6, 8, 11, 12])
def test_what_was_answered_already_is_not_wanted_again(answered: int) -> None:
    rows = held(PLAN).rows
    rest = [want for trial, _ in rows[answered:] for want in wants_of(trial)]

    assert list(upcoming(PLAN, as_answered(rows[:answered]))) == rest


def test_repetitions_are_not_foreseen_and_do_not_confuse_what_is() -> None:
    """In front of the last repetition, only the blocks after it are foreseen."""
    rows = held(PLAN, 1, 3).rows
    later = [want for trial, _ in rows[8:] for want in wants_of(trial)]

    assert [trial.repeats for trial, _ in rows[6:8]] == [1, 3]
    assert list(upcoming(PLAN, as_answered(rows[:7]))) == later


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
def test_an_image_keeps_its_shape_and_a_mask_covers_the_square(
    size: tuple[int, int], cover: bool, becomes: tuple[int, int]
) -> None:
    assert fitted(Image.new("RGB", size), 100, cover=cover).size == becomes


@pytest.mark.parametrize("cover", [True, False])
def test_pixels_of_an_image_that_fits_are_left_alone(cover: bool) -> None:
    image = noise(1, 96)
    shown = fitted(image, 96, cover=cover)

    assert shown.mode == "RGB"
    assert np.array_equal(np.asarray(shown), np.asarray(image.convert("RGB")))
