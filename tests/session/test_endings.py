"""Interrupted sessions: the interrupted trial is marked, shown again, and counts once."""

import json
import time
from dataclasses import replace

import pytest
from admitted import enrol
from builders import named_study
from known import verify_record
from paper_station import PaperStation, evaluators_of, record_of, rows_of, sit
from sqlalchemy import Engine
from verified_records import faults_of

from hype.errors import SessionProblem
from hype.protocols.hype.export import JUDGED
from hype.protocols.hype.record import judgements
from hype.protocols.hype.trial import JudgementTrial
from hype.protocols.registry import course_of
from hype.session.enrol import begin_session
from hype.session.live import close_session, other_size
from hype.session.loop import Presentation
from hype.session.steps import Response, Step
from hype.store.schema import Event, events, sessions

TRIALS = 2 + 6 + 2 + 6 + 6
"""Trials in a whole session of the tiny study: two practices, qualification, two blocks."""


class Killed(BaseException):
    """Ends the program without a chance to write anything more."""


class Mortal(PaperStation):
    """A station that is killed while it shows a trial of the session, numbered from 0."""

    def __init__(self, dies_at: int) -> None:
        super().__init__()
        self.dies_at = dies_at

    def present(self, step: Step) -> Presentation:
        if isinstance(step, JudgementTrial) and self.number == self.dies_at:
            raise Killed
        return super().present(step)


class TimelyStation(PaperStation):
    """A station that uses the same clocks as the recorder."""

    def present(self, step: Step) -> Presentation:
        shown = super().present(step)
        return replace(shown, onset_unix_s=time.time(), onset_monotonic_s=time.monotonic())


@pytest.fixture
def study(tmp_path):
    return named_study(tmp_path)


def interruptions(engine: Engine) -> list[tuple[int, str, int, int]]:
    return [
        (row.session_id, row.task, row.block, row.trial)
        for row in rows_of(engine, events)
        if row.event == Event.INTERRUPTED.value
    ]


def test_the_record_names_the_trial_that_is_being_shown(study):
    seen = []

    class Watched(PaperStation):
        def respond(self, step: Step) -> Response:
            (session,) = rows_of(engine, sessions)
            trial = isinstance(step, JudgementTrial)
            name = f"{step.task.value} {step.block} {step.number}" if trial else None
            seen.append(session.showing == name)
            return super().respond(step)

    with record_of(study) as engine:
        sit(engine, study, "p01", Watched())
        (session,) = rows_of(engine, sessions)

    assert len(seen) > TRIALS
    assert all(seen)
    assert session.showing is None


@pytest.mark.parametrize("number", [0, 5, 9, 21])
def test_a_trial_that_was_cut_off_is_marked_shown_again_and_counted_once(number, study):
    with record_of(study) as engine:
        with pytest.raises(Killed):
            sit(engine, study, "p01", Mortal(number))
        (broken,) = rows_of(engine, sessions)
        assert (broken.ended, broken.showing is None) == (None, False)
        assert interruptions(engine) == []  # not recorded yet

        again = PaperStation()
        assert sit(engine, study, "p01", again) == "complete"
        broken, whole = rows_of(engine, sessions)
        assert (broken.ended, broken.showing, broken.ended_unix_s) == ("broke-off", None, None)
        assert json.loads(broken.timing)["verdicts"] is not None
        assert whole.ended == "complete"
        found = rows_of(engine, judgements)
        assert len(found) == len({(r.task, r.block, r.trial) for r in found}) == TRIALS
        first = again.rows[0][0]
        assert interruptions(engine) == [(broken.id, first.task.value, first.block, first.number)]
        assert [found[number].task, found[number].trial] == [first.task.value, first.number]


def test_a_session_that_is_quit_marks_the_trial_it_left(study):
    with record_of(study) as engine:
        assert sit(engine, study, "p01", PaperStation(stops_at=7)) == "quit"
        (session,) = rows_of(engine, sessions)

        assert session.ended_unix_s >= session.started_unix_s
        assert interruptions(engine) == [(session.id, "qualification", 1, 6)]


def timed(engine: Engine) -> list[tuple[str, int, int, str]]:
    return [
        (row.task, row.block, row.trial, row.verdict)
        for row in rows_of(engine, judgements)
        if row.verdict not in (None, "ok")
    ]


def test_a_pause_at_a_flashed_image_is_marked_and_its_answer_spoiled(study):
    """The tiny study flashes its images from trial 10 on."""
    with record_of(study) as engine:
        sit(engine, study, "p01", TimelyStation(times=True, leaves={12, 17}))

        assert interruptions(engine) == [(1, "time", 1, 3), (1, "time", 2, 2)]
        assert timed(engine) == [("time", 1, 3, "seen"), ("time", 2, 2, "seen")]
        exported = JUDGED.read(engine, study, simulated=False)
        rows = [dict(zip(exported.columns, row, strict=True)) for row in exported.rows]
        assert [row["interruptions"] for row in rows if row["verdict"] == "seen"] == [1, 1]
    faults = {code for _, code in faults_of(verify_record(study))}
    assert faults == {"image-changed"}  # the files of this study do not exist


def test_a_flashed_trial_that_a_session_left_is_spoiled_in_the_next(study):
    with record_of(study) as engine:
        sit(engine, study, "p01", TimelyStation(times=True, stops_at=12))
        with pytest.raises(Killed):
            sit(engine, study, "p01", Mortal(14))
        sit(engine, study, "p01", TimelyStation(times=True))

        assert [name[1:] for name in interruptions(engine)] == [("time", 1, 3), ("time", 1, 5)]
        assert [name[2] for name in timed(engine)] == [5]  # the killed station measured nothing


def test_a_trial_cut_off_twice_is_marked_and_exported_as_such(study):
    with record_of(study) as engine:
        for _ in range(2):
            with pytest.raises(Killed):
                sit(engine, study, "p01", Mortal(4))
        sit(engine, study, "p01")

        sit(engine, study, "p02")

        assert interruptions(engine) == [(1, "qualification", 1, 3), (2, "qualification", 1, 3)]
        assert [who.status for who in evaluators_of(engine)] == ["complete"] * 2
        exported = JUDGED.read(engine, study, simulated=False)
        rows = [dict(zip(exported.columns, row, strict=True)) for row in exported.rows]
    found = {(r["evaluator"], r["task"], r["trial"]): r["interruptions"] for r in rows}
    assert {k: n for k, n in found.items() if n} == {("p01", "qualification", 3): 2}
    assert set(found.values()) == {0, 2}


def test_between_trials_nothing_is_interrupted(study):
    class Dies(PaperStation):
        def present(self, step: Step) -> Presentation:
            if not isinstance(step, JudgementTrial) and self.number == 2:
                raise Killed
            return super().present(step)

    with record_of(study) as engine:
        with pytest.raises(Killed):
            sit(engine, study, "p01", Dies())
        sit(engine, study, "p01")

        assert interruptions(engine) == []
        assert [row.ended for row in rows_of(engine, sessions)] == ["broke-off", "complete"]


def test_the_sessions_of_others_are_left_alone(study):
    with record_of(study) as engine:
        with pytest.raises(Killed):
            sit(engine, study, "p01", Mortal(4))
        sit(engine, study, "p02")

        assert [row.ended for row in rows_of(engine, sessions)] == [None, "complete"]


def test_an_end_is_told_once_whoever_opens_the_record_finds_the_session(study):
    with record_of(study) as engine:
        sit(engine, study, "p01")
        assert close_session(engine, 1, "complete", TRIALS).ended == "complete"
        with pytest.raises(SessionProblem, match="would not find the recorded"):
            close_session(engine, 1, "complete", TRIALS + 1)


def test_who_goes_on_with_images_of_another_size_is_told_of(study):
    with record_of(study) as engine:
        protocol = course_of(study)
        said = []
        for side_px in (384, 384, 128):
            with engine.begin() as connection:
                enrolled = enrol(connection, protocol, "p01", simulated=False)
            said.append(other_size(engine, enrolled, side_px))
            with engine.begin() as connection:
                display = {"image_side_px": side_px}
                begin_session(connection, enrolled, study, mode="person", display=display)

    assert said[:2] == ["", ""]
    assert said[2].startswith("images were up to 384 px in the previous session and are up to 128")
