"""The recorder that the session loop writes to."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Connection, Engine, insert, update
from sqlalchemy.sql.compiler import SQLCompiler

from hype.protocol.clocks import Clocks, gap_between
from hype.protocol.loop import Presentation
from hype.protocol.steps import GO_ON, JudgementTrial, Response, Screen, Step, Trial
from hype.protocol.timing import Timing
from hype.store import people
from hype.store.record import committed
from hype.store.schema import Event, judgements, sessions


def judgement_row(
    trial: JudgementTrial, shown: Presentation, response: Response
) -> dict[str, object]:
    """Give the row of one judgement, without whose it is; without a timing, without its cells."""
    stimulus = trial.stimulus
    timed = trial.exposure_ms is not None
    return {
        "task": trial.task.value,
        "block": trial.block,
        "trial": trial.number,
        "image": stimulus.path,
        "image_sha256": stimulus.sha256,
        "source": stimulus.condition,
        "truth": stimulus.truth.value,
        "repeats": trial.repeats,
        "exposure_ms": trial.exposure_ms,
        "mask_ms": trial.mask_ms if timed else None,
        "masks": " ".join(trial.masks) if timed else None,
        **(timing_cells(shown.timing) if shown.timing else {}),
        "answer": response.answer,
        "correct": trial.correct(response.answer),
        "rt_ms": response.rt_ms,
        "key": response.key,
        "onset_unix_s": shown.onset_unix_s,
        "onset_monotonic_s": shown.onset_monotonic_s,
    }


def timing_cells(timing: Timing) -> dict[str, object]:
    """Give the cells of a row that say how long image and masks lasted."""
    image, masks = timing.image, timing.masks
    return {
        "exposure_frames": image.frames,
        "exposure_nominal_ms": round(image.nominal_ms, 3),
        "exposure_measured_ms": round(image.measured_ms, 3),
        "exposure_deviation_ms": round(image.deviation_ms, 3),
        "mask_frames": masks[0].frames if masks else None,
        "mask_nominal_ms": round(masks[0].nominal_ms, 3) if masks else None,
        "mask_measured_ms": " ".join(f"{m.measured_ms:.3f}" for m in masks) if masks else None,
        "flips_s": " ".join(f"{flip.at_s:.6f}" for flip in timing.flips),
        "flip_uncertainty_ms": round(timing.uncertainty_ms, 3),
        "missed_frames": timing.missed_frames,
        "verdict": timing.verdict.value,
    }


def read_clocks() -> Clocks:
    """Read this machine's clocks."""
    return Clocks(
        wall_s=time.time(),
        monotonic_s=time.monotonic(),
        boot_s=time.clock_gettime(time.CLOCK_BOOTTIME),
    )


class DurableRecorder:
    """Commits each step before it returns: trials when they begin and once they are answered.

    Screens are kept once they were left by a key. A trial that was begun and is neither answered
    nor interrupted is named by its session's ``showing``; see `hype.store.interruptions`.

    Parameters
    ----------
    owner
        What every row of the session carries.
    clocks
        Gives the present; what happened to the clocks between two steps is kept as an event.
    """

    def __init__(
        self,
        engine: Engine,
        owner: Mapping[str, object],
        clocks: Callable[[], Clocks] = read_clocks,
    ) -> None:
        self._engine = engine
        self._owner = dict(owner)
        self._clocks = clocks
        self._last = clocks()

    def begin(self, step: Step) -> None:
        """Write which trial is about to be shown."""
        if isinstance(step, Screen):
            return
        with committed(self._engine) as connection:
            self._write_gap(connection, None)
            self._set_showing(connection, trial_name(step))

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        """Write one step."""
        if isinstance(step, Screen):
            if step.duration_ms is None:  # feedback follows from the answer
                self.note(step.page.value, shown, response)
            return
        row = self._owner | judgement_row(step, shown, response)
        with committed(self._engine) as connection:
            connection.execute(insert(judgements), row)
            self._write_gap(connection, step)
            self._set_showing(connection, None)

    def note(self, event: str, shown: Presentation, response: Response = GO_ON) -> None:
        """Write that a screen was there, or what befell the session."""
        with committed(self._engine) as connection:
            self._write_gap(connection, None)
            people.add_event(
                connection,
                self._session,
                event,
                answer=response.answer,
                unix_s=shown.onset_unix_s,
                monotonic_s=shown.onset_monotonic_s,
                rt_ms=response.rt_ms,
            )

    @property
    def _session(self) -> object:
        return self._owner["session_id"]

    def _set_showing(self, connection: Connection, trial: str | None) -> None:
        """Note which trial is being shown."""
        this = sessions.c.id == self._session
        connection.execute(update(sessions).where(this).values(showing=trial))

    def _write_gap(self, connection: Connection, trial: Trial | None) -> None:
        """Write what happened to the clocks since the last step, which may be ``trial``."""
        before, self._last = self._last, self._clocks()
        gap = gap_between(before, self._last)
        for event, seconds in ((Event.SUSPENDED, gap.slept_s), (Event.CLOCK_SET, gap.set_s)):
            if seconds:
                cells = trial_cells(trial) if trial else {}
                cells |= {"seconds": round(seconds, 3), "unix_s": self._last.wall_s}
                cells |= {"monotonic_s": self._last.monotonic_s}
                people.add_event(connection, self._session, event.value, **cells)


def trial_cells(trial: Trial) -> dict[str, object]:
    """Give the cells that say which trial of a session it is."""
    return {"task": trial.task.value, "block": trial.block, "trial": trial.number}


def trial_name(trial: Trial) -> str:
    """Name a trial within its session, as ``sessions.showing`` does."""
    return " ".join(map(str, trial_cells(trial).values()))


def insert_rows(connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert many judgements, past SQLAlchemy's work on each row (half the time)."""
    for columns, alike in groupby(rows, key=tuple):
        insert_alike(connection, columns, list(alike))


def insert_alike(
    connection: Connection, columns: Sequence[str], rows: Sequence[Mapping[str, object]]
) -> None:
    """Insert judgements that have the same columns."""
    statement = insert(judgements).compile(dialect=connection.dialect, column_keys=columns)
    if not isinstance(statement, SQLCompiler) or statement.positiontup is None:
        connection.execute(insert(judgements), rows)
        return
    values = map(itemgetter(*statement.positiontup), rows)
    connection.exec_driver_sql(str(statement), list(values))


class CollectingRecorder:
    """Collects a session's rows, to be committed together: for sessions that can be redone."""

    def __init__(self, owner: Mapping[str, object]) -> None:
        self._owner = dict(owner)
        self.rows: list[dict[str, object]] = []

    def begin(self, step: Step) -> None:
        """Keep nothing: a session that breaks off is begun anew."""

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        """Keep one trial; screens of a session that nobody saw are not worth a row."""
        if not isinstance(step, Screen):
            self.rows.append(self._owner | judgement_row(step, shown, response))
