"""The pictures of a session, and how they are scaled."""

import numpy as np
import pytest
from builders import noise
from paper_station import PaperStation, as_answered, block, session
from PIL import Image

from hype.protocols.hype.trial import SessionPlan, Task, hype_session
from hype.session.loop import run_session
from hype.session.steps import PictureRequest
from hype.station.pictures import fit_picture

PLAN = session(
    block(Task.QUALIFICATION, 2),
    block(Task.TIME, 4, repeat_spoiled=True),
    block(Task.TIME, 4, number=2),
    block(Task.INFINITY, 2),
)


def held(plan: SessionPlan, *spoiled: int) -> PaperStation:
    """Run a session in which the screen spoils these trials of the first timed block."""
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
    """Before the last repetition, only the pictures of later blocks are listed in advance."""
    rows = held(PLAN, 1, 3).rows
    later = [request for trial, _ in rows[8:] for request in trial.pictures]

    assert [trial.repeats for trial, _ in rows[6:8]] == [1, 3]
    assert list(PLAN.upcoming(as_answered(rows[:7]))) == later


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
    assert fit_picture(Image.new("RGB", size), 100, cover=cover).size == becomes


@pytest.mark.parametrize("cover", [True, False])
def test_pixels_of_an_image_that_fits_are_left_alone(cover):
    image = noise(1, 96)
    shown = fit_picture(image, 96, cover=cover)

    assert shown.mode == "RGB"
    assert np.array_equal(np.asarray(shown), np.asarray(image.convert("RGB")))
