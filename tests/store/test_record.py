"""The durable record: saved at once, with a version, and never another program's file."""

import sqlite3
from contextlib import closing

import pytest
from entered import SHOWN, enter, trials
from paper_station import as_answered, timing_of
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from hype.protocols.hype.record import KEPT, judgements, timing_cells
from hype.protocols.hype.trial import Task
from hype.session.loop import Presentation
from hype.session.outgoing import declare_exports, read_answers
from hype.session.steps import GO_ON, Outcome, Page, Response, Screen
from hype.session.timing import Flip, Request, judge_timing
from hype.store.columns import metadata
from hype.store.people import answers_of
from hype.store.recorder import CollectingRecorder, DurableRecorder, insert_rows
from hype.store.schema import VERSION, events, sessions
from hype.store.sqlite_files import APPLICATION_ID
from hype.store.sqlite_record import writing_record


def test_each_trial_is_on_the_disk_when_the_recorder_returns(path):
    """Another program can read it while this one still has the record open."""
    with writing_record(path) as engine:
        recorder = DurableRecorder(engine, enter(engine))
        for number, trial in enumerate(trials(Task.TIME), start=1):
            recorder.record(trial, SHOWN, Response("real", "f", 321.5))
            with sqlite3.connect(path) as other:
                seen = other.execute("select count(*), max(trial) from judgements").fetchone()
            other.close()
            assert seen == (number, number)


def test_the_file_is_kept_as_the_design_says(path):
    with writing_record(path) as engine, engine.connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in (
                *("journal_mode", "synchronous", "foreign_keys", "user_version", "application_id"),
            )
        }

    assert pragmas == {
        "journal_mode": "wal",
        "synchronous": 2,  # FULL
        "foreign_keys": 1,
        "user_version": VERSION,
        "application_id": APPLICATION_ID,
    }


def test_a_judgement_is_kept_with_all_that_was_known_of_it(path):
    trial = trials(Task.TIME)[1]
    with writing_record(path) as engine:
        DurableRecorder(engine, enter(engine)).record(trial, SHOWN, Response("real", "f", 321.5))
        (row,) = (
            dict(zip(tuple(declare_exports(KEPT)), r, strict=True))
            for r in read_answers(KEPT, engine, simulated=False)
        )

    assert row == {
        "evaluator": "p01",
        "session": 1,
        "condition": "model",
        "status": "active",
        "simulated": False,
        "task": "time",
        "block": 1,
        "trial": 2,
        "image": trial.stimulus.path,
        "image_sha256": trial.stimulus.sha256,
        "source": "model",
        "truth": "fake",
        "repeats": None,
        "exposure_ms": 490.0,
        "exposure_frames": 29,
        "exposure_nominal_ms": 483.333,
        "exposure_measured_ms": 488.0,
        "exposure_deviation_ms": -2.0,
        "mask_ms": 30.0,
        "masks": "1.png 2.png",
        "mask_frames": 2,
        "mask_nominal_ms": 33.333,
        "mask_measured_ms": "33.300 33.400",
        "flips_s": "12.500000 12.988000 13.021300 13.054700",
        "flip_uncertainty_ms": 1.5,
        "missed_frames": 0,
        "verdict": "late",  # the image lasted 487.5 to 489 ms, not 483.3 ± 4 ms
        "answer": "real",
        "correct": False,
        "rt_ms": 321.5,
        "key": "f",
        "onset_unix_s": 1_700_000_000.25,
        "onset_monotonic_s": 12.5,
        "confidence": None,
        "why": None,
        "interruptions": 0,
    }


def test_an_image_that_no_mask_covered_has_no_durations_of_masks():
    timing = judge_timing(
        [Request(100.0, 6)], [Flip(s, s, s) for s in (1.0, 1.1 + 1 / 60)], refresh_hz=60.0
    )
    cells = timing_cells(timing)

    assert {name for name, value in cells.items() if value is None} == {
        *("mask_frames", "mask_nominal_ms", "mask_measured_ms")
    }
    assert cells["flips_s"] == "1.000000 1.116667"
    assert (cells["missed_frames"], cells["verdict"]) == (1, "dropped")
    assert (cells["exposure_measured_ms"], cells["exposure_deviation_ms"]) == (116.667, 16.667)


TIMING_COLUMNS = {
    *("exposure_frames", "exposure_nominal_ms", "exposure_measured_ms", "exposure_deviation_ms"),
    *("mask_frames", "mask_nominal_ms", "mask_measured_ms"),
    *("flips_s", "flip_uncertainty_ms", "missed_frames", "verdict"),
}


def test_what_was_not_shown_for_a_time_has_no_times(path):
    with writing_record(path) as engine:
        recorder = DurableRecorder(engine, enter(engine))
        recorder.record(trials(Task.INFINITY)[0], Presentation(0.0, 0.0), Response("real"))
        with engine.connect() as connection:
            row = connection.execute(select(judgements)).one()

    assert row.correct is True
    asked = {"exposure_ms", "mask_ms", "masks"}
    assert {getattr(row, name) for name in TIMING_COLUMNS | asked} == {None}


def test_screens_that_were_read_are_events_and_feedback_is_none(path):
    with writing_record(path) as engine:
        recorder = DurableRecorder(engine, enter(engine))
        recorder.record(Screen(page=Page.CONSENT, choice=True), SHOWN, Response("yes", "f", 900.0))
        recorder.record(Screen(page=Page.CORRECT, duration_ms=600.0), SHOWN, GO_ON)
        recorder.note("paused", SHOWN, GO_ON)
        with engine.connect() as connection:
            found = connection.execute(select(events.c.event, events.c.answer)).all()

    assert [tuple(row) for row in found] == [("consent", "yes"), ("paused", "")]


def test_who_begins_to_write_keeps_others_from_it_until_the_end(path):
    """Otherwise two programs that read before they write would start from the same state."""
    with writing_record(path) as engine:
        enter(engine)
        with closing(sqlite3.connect(path, timeout=0)) as other:
            with engine.begin() as connection:
                connection.execute(select(sessions)).all()
                with pytest.raises(sqlite3.OperationalError, match="locked"):
                    other.execute("BEGIN IMMEDIATE")
            other.execute("BEGIN IMMEDIATE")


def test_a_trial_is_recorded_once(path):
    trial = trials(Task.TIME)[0]
    with writing_record(path) as engine:
        recorder = DurableRecorder(engine, enter(engine))
        recorder.record(trial, SHOWN, Response("real"))
        with pytest.raises(IntegrityError, match="UNIQUE"):
            recorder.record(trial, SHOWN, Response("fake"))
        DurableRecorder(engine, enter(engine, "p02")).record(trial, SHOWN, Response("fake"))
        found = [
            row[tuple(declare_exports(KEPT)).index("answer")]
            for row in read_answers(KEPT, engine, simulated=False)
        ]

    assert found == ["real", "fake"]


def test_a_judgement_without_an_evaluator_is_refused(path):
    owner = {"evaluator_id": 99, "session_id": 99, "simulated": False}
    with writing_record(path) as engine, pytest.raises(IntegrityError, match="FOREIGN KEY"):
        DurableRecorder(engine, owner).record(trials(Task.TIME)[0], SHOWN, Response("real"))


def test_both_recorders_write_the_same_rows(path):
    with writing_record(path) as engine:
        one, other = enter(engine), enter(engine, "p02")
        durable, collecting = DurableRecorder(engine, one), CollectingRecorder(other)
        for trial in (*trials(Task.TIME), *trials(Task.INFINITY)):
            shown = SHOWN if trial.exposure_ms else Presentation(0.0, 0.0)
            for recorder in (durable, collecting):
                recorder.record(trial, shown, Response("fake", "j", 1.5))
        collecting.record(Screen(page=Page.WELCOME), SHOWN, GO_ON)
        with engine.begin() as connection:
            insert_rows(connection, collecting.rows)
        rows = [row[4:] for row in read_answers(KEPT, engine, simulated=False)]

    assert rows[:8] == rows[8:]
    assert len(rows) == 16


def test_answers_are_read_back_as_they_were_given(path):
    """The screen's verdicts are read back too: unknown, ok, late, dropped."""
    with writing_record(path) as engine:
        owner = enter(engine)
        recorder = DurableRecorder(engine, owner)
        given = []
        for trial, late_frames in zip(trials(Task.TIME), (None, 0.0, 0.6, 1.0), strict=True):
            known = None if late_frames is None else timing_of(trial, late_frames=late_frames)
            shown = Presentation(0.0, 0.0, known)
            response = Response("fake", "j", 100.0 + trial.number)
            recorder.record(trial, shown, response)
            given.append((trial, Outcome(response, shown.spoiled)))
        with engine.connect() as connection:
            read = answers_of(connection, int(str(owner["evaluator_id"])))

    assert read == as_answered(given)
    assert [answered.spoiled for answered in read] == [False, False, True, True]


def test_people_and_simulated_evaluators_are_never_read_together(path):
    with writing_record(path) as engine:
        for code, simulated in (("p01", False), ("sim", True)):
            owner = enter(engine, code, simulated=simulated)
            DurableRecorder(engine, owner).record(trials(Task.TIME)[0], SHOWN, Response("real"))
        read = {
            flag: [row[0] for row in read_answers(KEPT, engine, simulated=flag)]
            for flag in (True, False)
        }

    assert read == {False: ["p01"], True: ["sim"]}


def test_every_column_says_what_it_holds():
    for table in metadata.tables.values():
        for column in table.c:
            if not column.foreign_keys:
                assert column.comment, f"{table.name}.{column.name}"


def test_every_exported_column_says_what_it_holds_and_has_its_own_name():
    assert len(set(declare_exports(KEPT))) == len(tuple(declare_exports(KEPT)))
    declared = declare_exports(KEPT)
    meanings = {name: str(column.comment) for name, column in declared.items()}
    assert tuple(meanings) == tuple(declare_exports(KEPT))
    assert all(meaning not in ("", "None") for meaning in meanings.values()), meanings
