"""The recorder that the session loop writes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Connection, Engine, insert
from sqlalchemy.sql.compiler import SQLCompiler

from hype.protocol.loop import Presentation
from hype.protocol.steps import JudgementTrial, Response, Screen, Step
from hype.protocol.timing import Timing
from hype.store.schema import events, judgements


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


class DurableRecorder:
    """Commits each answered trial, and each screen that was left by a key, before it returns."""

    def __init__(self, engine: Engine, owner: Mapping[str, object]) -> None:
        self._engine = engine
        self._owner = dict(owner)

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        """Write one step."""
        if isinstance(step, Screen):
            if step.duration_ms is None:  # feedback follows from the answer
                self.note(step.page.value, shown, response)
            return
        row = self._owner | judgement_row(step, shown, response)
        with self._engine.begin() as connection:
            connection.execute(insert(judgements), row)

    def note(self, event: str, shown: Presentation, response: Response) -> None:
        """Write that a screen, or a pause, was there."""
        with self._engine.begin() as connection:
            connection.execute(
                insert(events),
                {
                    "session_id": self._owner["session_id"],
                    "event": event,
                    "answer": response.answer,
                    "unix_s": shown.onset_unix_s,
                    "monotonic_s": shown.onset_monotonic_s,
                    "rt_ms": response.rt_ms,
                },
            )


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

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        """Keep one trial; screens of a session that nobody saw are not worth a row."""
        if not isinstance(step, Screen):
            self.rows.append(self._owner | judgement_row(step, shown, response))
