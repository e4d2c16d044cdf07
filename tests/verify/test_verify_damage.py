"""Records that somebody or something damaged: the damage is found and named."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from damaged_answers import NO_SUM, Answers, assert_found, edit_evaluator, number_of, who
from known import verify_record
from long import long_but, one_of_each
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    case,
    delete,
    func,
    insert,
    not_,
    select,
    text,
    update,
)
from test_verify_comparisons import DAMAGES as COMPARED
from test_verify_rankings import DAMAGES as RANKED
from test_verify_ratings import DAMAGES as RATED
from verified_records import (
    Statement,
    damage,
    faults_of,
    raw,
    sound_study,
    without_rules,
)

from hype.protocols.hype.rows import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_study
from hype.store.record import RECORD_FILE
from hype.store.schema import evaluators, events, sessions, studies
from hype.verify.findings import FAULTS


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return sound_study(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def study(sound: Study, tmp_path: Path) -> Study:
    return load_study(shutil.copytree(sound.folder, tmp_path / "study"))


Where = ColumnElement[bool]
J, E, S = judgements.c, evaluators.c, sessions.c


JUDGED = Answers(judgements)
of = JUDGED.of


def trial(number: int, *, task: str = "time", block: int = 1) -> Where:
    return and_(of("p04"), J.task == task, J.block == block, J.trial == number)


def session(code: str, which: Any) -> Where:
    """Select the first (``func.min``) or last (``func.max``) session of an evaluator."""
    query = select(which(S.id)).where(S.evaluator_id == number_of(code))
    return S.id == query.scalar_subquery()


FOURTH, SPOILED, LAST = trial(4), trial(2), trial(4, task="infinity")
FIRST_SESSION, LAST_SESSION = session("p04", func.min), session("p04", func.max)
TWO = [JUDGED.nth(n, and_(of("p01"), J.task == "time")) for n in (0, 1)]
TURNED = case((J.answer == "real", "fake"), else_="real")


def edit(where: Where = FOURTH, **cells: Any) -> Statement:
    """Change cells of one judgement."""
    return update(judgements).where(where).values(cells)


def edit_session(where: Where, **cells: Any) -> Statement:
    return update(sessions).where(where).values(cells)


def enter_twice(connection: Connection) -> None:
    without_rules(connection, evaluators)
    row = connection.execute(select(evaluators).where(who("p01"))).mappings().one()
    connection.execute(insert(evaluators).values({**row, "id": 99}))


def mark_interrupted(connection: Connection) -> None:
    row = connection.execute(select(judgements).where(FOURTH)).one()
    cells = {"session_id": row.session_id, "event": "interrupted", "answer": "", "rt_ms": 0}
    cells |= {"task": row.task, "block": row.block, "trial": row.trial}
    connection.execute(
        insert(events).values({**cells, "unix_s": 0, "monotonic_s": row.onset_monotonic_s + 1})
    )


def resolved(was: str, becomes: str) -> Statement:
    """Change the record's copy of the study."""
    return update(studies).values(resolved=func.replace(studies.c.resolved, was, becomes))


DAMAGES: dict[str, tuple[Statement, str | None, str]] = {
    # what the plan decides
    "path": (edit(image="real/999.png"), "p04", "image-unlike-plan"),
    "checksum": (edit(image_sha256=NO_SUM), "p04", "image-unlike-plan"),
    "source": (edit(source="elsewhere"), "p04", "image-unlike-plan"),
    "truth": (edit(truth="neither"), "p04", "image-unlike-plan"),
    "exposure": (edit(exposure_ms=J.exposure_ms + 10), "p04", "exposure-unlike-plan"),
    "no exposure": (edit(exposure_ms=None), "p04", "exposure-unlike-plan"),
    "exposure of an untimed trial": (edit(LAST, exposure_ms=500), "p04", "exposure-unlike-plan"),
    "masks": (edit(masks="00000.png"), "p04", "masks-unlike-plan"),
    "duration of masks": (edit(mask_ms=31), "p04", "masks-unlike-plan"),
    "repeats": (edit(repeats=3), "p04", "repeats-unlike-plan"),
    "no repeats": (edit(trial(7), repeats=None), "p04", "repeats-unlike-plan"),
    "late without a repetition": (
        edit(verdict="late", missed_frames=0),
        *("p04", "repeats-unlike-plan"),
    ),
    "repeated without need": (
        edit(SPOILED, verdict="ok", missed_frames=0),
        *("p04", "trial-unplanned"),
    ),
    # what a judgement says of itself
    "unknown verdict": (edit(verdict="fine"), "p04", "verdict-impossible"),
    "verdict unlike its frames": (edit(SPOILED, verdict="ok"), "p04", "verdict-impossible"),
    "verdict on nothing": (edit(LAST, verdict="ok"), "p04", "verdict-impossible"),
    "answer": (edit(answer=TURNED), "p04", "correct-unlike-answer"),
    "correct": (edit(correct=not_(J.correct)), "p04", "correct-unlike-answer"),
    "answer and correct": (
        edit(answer=TURNED, correct=not_(J.correct)),
        *("p04", "exposure-unlike-plan"),
    ),
    "impossible answer": (edit(answer="yes"), "p04", "answer-impossible"),
    "response before the question": (edit(rt_ms=-1), "p04", "response-time-negative"),
    "word for a number": (edit(rt_ms=raw("soon")), None, "cell-impossible"),
    "endless number": (edit(onset_unix_s=float("inf")), None, "cell-impossible"),
    "bytes for a word": (edit(image=raw(b"\0\xff")), None, "cell-impossible"),
    "neither true nor false": (edit(correct=raw(7)), None, "cell-impossible"),
    # which trials there are
    "task": (edit(task="guess"), "p04", "trial-unplanned"),
    "block": (edit(block=9), "p04", "trial-missing"),
    "number": (edit(trial=99), "p04", "trial-unplanned"),
    "one gone": (delete(judgements).where(FOURTH), "p04", "trial-missing"),
    "the last gone": (delete(judgements).where(LAST), "p04", "status-unlike-trials"),
    "all gone": (delete(judgements).where(of("p04")), "p04", "status-unlike-trials"),
    "copy": (JUDGED.copy(FOURTH), "p04", "judgement-copied"),
    "answered twice": (JUDGED.copy(FOURTH, rt_ms=5.0), "p04", "trial-twice"),
    "after the last": (JUDGED.copy(LAST, trial=5), "p04", "after-the-end"),
    "after being turned away": (
        JUDGED.copy(JUDGED.nth(0, of("p02")), task="time", block=1, trial=1),
        *("p02", "after-the-end"),
    ),
    "after declining": (
        JUDGED.copy(JUDGED.nth(0, of("p02")), evaluator_id=number_of("p03")),
        *("p03", "status-unlike-trials"),
    ),
    "other order": (JUDGED.swap(*TWO), "p01", "out-of-order"),
    # whose they are
    "earlier session": (
        edit(
            trial(4, block=2),
            session_id=select(func.min(S.id))
            .where(S.evaluator_id == number_of("p04"))
            .scalar_subquery(),
        ),
        *("p04", "out-of-order"),
    ),
    "another's session": (edit(session_id=1), "p04", "session-of-another"),
    "another evaluator": (edit(evaluator_id=number_of("p02")), "p02", "after-the-end"),
    "person simulated": (edit(simulated=True), "p04", "simulated-unlike-evaluator"),
    "simulated a person": (
        edit(and_(of("sim-0001"), J.trial == 1), simulated=False),
        *("sim-0001", "simulated-unlike-evaluator"),
    ),
    "person in a simulation": (
        edit_session(LAST_SESSION, mode="simulated"),
        *("p04", "mode-unlike-evaluator"),
    ),
    "simulation of a person": (
        edit_session(session("sim-0001", func.max), mode="person"),
        *("sim-0001", "mode-unlike-evaluator"),
    ),
    # when it was
    "onset too early": (
        edit(onset_monotonic_s=1, onset_unix_s=1.7e9 + 1),
        *("p04", "onsets-descend"),
    ),
    "time of day": (edit(onset_unix_s=J.onset_unix_s + 60), "p04", "clock-jump"),
    "end before the beginning": (
        edit_session(LAST_SESSION, ended_unix_s=S.started_unix_s - 60),
        *("p04", "ended-before-begun"),
    ),
    # how it ended
    "active called complete": (
        edit_evaluator("p05", status="complete"),
        *("p05", "status-unlike-trials"),
    ),
    "active called declined": (
        edit_evaluator("p05", status="declined"),
        *("p05", "status-unlike-trials"),
    ),
    "turned away called complete": (
        edit_evaluator("p02", status="complete"),
        *("p02", "ending-unlike-status"),
    ),
    "complete called active": (
        edit_evaluator("p04", status="active"),
        *("p04", "ending-unlike-status"),
    ),
    "unknown status": (edit_evaluator("p04", status="gone"), "p04", "status-unlike-trials"),
    "another ending": (edit_session(LAST_SESSION, ended="quit"), "p04", "ending-unlike-status"),
    "ending too early": (
        edit_session(FIRST_SESSION, ended="complete"),
        *("p04", "ending-unlike-status"),
    ),
    "unknown ending": (edit_session(FIRST_SESSION, ended="bored"), "p04", "ending-impossible"),
    "shown after the end": (
        edit_session(LAST_SESSION, showing="time 1 1"),
        *("p04", "showing-unlike-trials"),
    ),
    "shown out of place": (
        edit_session(session("p05", func.max), showing="time 1 1", ended=None),
        *("p05", "showing-unlike-trials"),
    ),
    "interrupted out of place": (
        update(events).where(events.c.event == "interrupted").values(trial=99),
        *("p05", "showing-unlike-trials"),
    ),
    "interrupted and counted": (mark_interrupted, "p04", "interrupted-and-answered"),
    "no consent": (
        update(events).where(events.c.event == "consent").values(answer="no"),
        *("p01", "consent-missing"),
    ),
    # what it began with
    "plan": (edit_evaluator("p04", plan=NO_SUM), "p04", "plan-changed"),
    "condition": (
        edit_evaluator("p04", condition=case((E.condition == "good", "crude"), else_="good")),
        *("p04", "plan-changed"),
    ),
    "unknown condition": (edit_evaluator("p04", condition="odd"), "p04", "plan-changed"),
    "a qualification elsewhere": (
        edit_evaluator("p04", qualified_in="../other"),
        *("p04", "plan-changed"),
    ),
    "methods": (edit_evaluator("p04", methods="time"), "p04", "evaluator-unlike-study"),
    "unknown methods": (edit_evaluator("p04", methods="guess"), "p04", "plan-changed"),
    "seed": (edit_evaluator("p04", seed="8"), "p04", "evaluator-unlike-study"),
    "keys": (edit_evaluator("p04", left_means="odd"), "p04", "evaluator-unlike-study"),
    "checksum of masks": (edit_evaluator("p04", mask_files=NO_SUM), "p04", "masks-changed"),
    "study of an evaluator": (edit_evaluator("p04", study=NO_SUM), "p04", "study-not-kept"),
    "study of a session": (edit_session(LAST_SESSION, study=NO_SUM), None, "study-not-kept"),
    "copy of the study": (resolved("tiny", "teeny"), None, "study-copy-changed"),
    "no copy of the study": (update(studies).values(resolved="{}"), None, "study-copy-unreadable"),
    "copy that leads elsewhere": (
        resolved('"folder":"stimuli"', '"folder":"../.."'),
        *(None, "study-copy-unreadable"),
    ),
    # what belongs to what
    "evaluator gone": (delete(evaluators).where(who("p04")), None, "reference-broken"),
    "session gone": (delete(sessions).where(LAST_SESSION), "p04", "session-of-another"),
    "evaluator entered twice": (enter_twice, None, "evaluator-twice"),
    "keys of a table gone": (enter_twice, None, "file-damaged"),
    "row that cannot be": (edit_evaluator("p04", methods=raw(b"\0")), None, "cell-impossible"),
    "study that cannot be": (update(studies).values(resolved=raw(b"\0")), None, "cell-impossible"),
}


ONE_FAULT = ("one gone", "correct", "exposure", "plan", "condition")


@pytest.mark.parametrize("what", one_of_each({k: code for k, (*_, code) in DAMAGES.items()}))
def test_damage_is_found_and_named(what: str, study: Study) -> None:
    assert_found(study, DAMAGES[what])


@pytest.mark.parametrize("what", long_but(["one gone"], ONE_FAULT))
def test_one_damage_is_one_fault(what: str, study: Study) -> None:
    """A trial that is gone, say, does not make faults of all that follow it."""
    assert_found(study, DAMAGES[what], alone=True)


def test_every_fault_of_rows_is_among_these_damages() -> None:
    of_files = {code for code in FAULTS if code.startswith(("image-", "mask-", "manifest-"))}
    every = (DAMAGES, COMPARED, RATED, RANKED)
    named = {code for damages in every for _, _, code in damages.values()}

    assert set(FAULTS) - of_files == named - {"image-unlike-plan"}


def test_a_file_of_which_a_part_is_overwritten(study: Study) -> None:
    path = study.folder / RECORD_FILE
    content = path.read_bytes()
    third = len(content) // 3  # the last one: the first pages say what tables there are
    path.write_bytes(content[:-third] + b"\xa5" * third)

    assert (None, "file-damaged") in faults_of(verify_record(study))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (text("DROP TABLE events"), "no such table: events"),
        (text("ALTER TABLE judgements DROP COLUMN verdict"), "no such column: judgements.verdict"),
        (text("UPDATE judgements SET image = CAST(x'ff' AS TEXT)"), "Could not decode"),
    ],
    ids=["table", "column", "text"],
)
def test_what_cannot_be_read_is_said_without_a_traceback(
    statement: Statement, said: str, study: Study
) -> None:
    damage(study, statement)
    (found,) = [
        found.message
        for _, found in verify_record(study).findings.listed("fault")
        if found.code == "file-damaged"
    ]

    assert said in found
    assert "was not checked" in found
