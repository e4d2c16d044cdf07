"""An evaluator in a record, and trials for this evaluator."""

import shutil
from pathlib import Path

from paper_station import block, session
from sqlalchemy import Connection, Engine

from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.loop import Presentation
from hype.session.timing import Flip, Request, judge_timing
from hype.store import people
from hype.store.schema import evaluators, sessions
from hype.store.sqlite_record import writing_record

TIMING = judge_timing(
    [Request(490.0, 29), Request(30.0, 2), Request(30.0, 2)],
    [
        Flip(12.5, 12.499, 12.5005),
        Flip(12.988, 12.988, 12.988),
        Flip(13.0213, 13.0213, 13.0213),
        Flip(13.0547, 13.0547, 13.0547),
    ],
    refresh_hz=60.0,
    tolerance_ms=4.0,
)
SHOWN = Presentation(1_700_000_000.25, 12.5, TIMING)
PLAN = session(block(Task.TIME, 4), block(Task.INFINITY, 4))


def trials(task: Task) -> list[JudgementTrial]:
    (planned,) = (b for b in PLAN.blocks if b.task is task)
    return [
        JudgementTrial(
            task=task,
            block=1,
            number=n,
            stimulus=stimulus,
            exposure_ms=490.0 if task is Task.TIME else None,
            masks=planned.masks[n - 1] if planned.masks else (),
            mask_ms=planned.mask_ms,
        )
        for n, stimulus in enumerate(planned.stimuli, start=1)
    ]


def enter_evaluator(
    connection: Connection, code: str, *, simulated: bool = False, status: str = "active"
) -> int:
    """Enter an evaluator without a session."""
    return people.insert_one(
        connection,
        evaluators,
        {
            "evaluator": code,
            "simulated": simulated,
            "condition": "model",
            "methods": "time infinity",
            "left_means": "real",
            "qualified_in": "",
            "seed": "7",
            "study": "0" * 64,
            "plan": PLAN.checksum(),
            "status": status,
            "assigned_unix_s": 0.0,
        },
    )


def enter(engine: Engine, code: str = "p01", *, simulated: bool = False) -> dict[str, object]:
    """Enter an evaluator with a session; return the columns that their rows share."""
    with engine.begin() as connection:
        who = enter_evaluator(connection, code, simulated=simulated)
        held = people.insert_one(
            connection,
            sessions,
            {
                "evaluator_id": who,
                "study": "0" * 64,
                "mode": "person",
                "versions": "{}",
                "machine": "{}",
                "display": "{}",
                "started_unix_s": 0.0,
                "heard_unix_s": 0.0,
                "utc_offset_s": 0.0,
            },
        )
    return {"evaluator_id": who, "session_id": held, "simulated": simulated}


def crashed(path: Path) -> None:
    """Leave a record as after a power failure, with its last transaction in the log."""
    with writing_record(path) as engine:
        enter(engine)
        for file in (path, path.with_name(f"{path.name}-wal")):
            shutil.copy(file, path.with_name(file.name.replace("data", "crashed")))
    for suffix in ("", "-wal"):
        path.with_name(f"crashed.sqlite{suffix}").replace(f"{path}{suffix}")
    assert path.with_name("data.sqlite-wal").stat().st_size


def ended(path: Path) -> None:
    with writing_record(path) as engine:
        enter(engine)
