"""Make a record with the program of an earlier commit; see README.txt.

Called with that commit's tree and its tests on PYTHONPATH, and the folder to make.
"""

import dataclasses
import shutil
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path

from builders import named_study
from paper_station import PaperStation, sit

from hype.protocols.registry import conduct_of
from hype.session import enrol
from hype.session.loop import Presentation
from hype.session.simulate import Simulation
from hype.store.record import RECORD_FILE, writing_record

START_UNIX_S, START_MONOTONIC_S = 1_760_000_000.0, 5_000.0
SIMULATED_EVALUATORS = 8
MACHINE = {"host": "station", "system": "Linux", "processor": "x86_64", "byte_order": "little"}
CHANGES = {
    "study": {"name": "kept", "methods": ["time", "infinity"]},
    "qualification": {"pass_rate": 0.5},
}


class BrokeOffError(Exception):
    """As if the program had been killed."""


class TimedStation(PaperStation):
    """Shows images for a time, as a window does; may break off before one of its answers."""

    breaks_at: int | None = None

    def present(self, step):
        shown, nth = super().present(step), len(self.log)
        here = {"onset_unix_s": START_UNIX_S + nth, "onset_monotonic_s": START_MONOTONIC_S + nth}
        if getattr(step, "exposure_ms", None) is None:
            return dataclasses.replace(shown, **here)
        return dataclasses.replace(shown, **here, **self.measured(step))

    def measured(self, step):
        names = {field.name for field in dataclasses.fields(Presentation)}
        if "timing" in names:  # from schema 2 on
            from paper_station import timing_of

            return {"timing": timing_of(step, late_frames=len(self.rows) % 5 == 3)}
        frames = round(step.exposure_ms * 60 / 1000)
        masks = tuple(33.3 + 0.01 * nth for nth, _ in enumerate(step.masks))
        measured = {"exposure_frames": frames, "exposure_measured_ms": frames * 1000 / 60}
        return measured | {"mask_measured_ms": masks}

    def respond(self, step):
        if not hasattr(step, "page") and len(self.rows) == self.breaks_at:
            raise BrokeOffError
        return super().respond(step)


def main(folder: Path) -> None:
    enrol.machine = lambda: MACHINE
    study = named_study(folder, {"": 32, "crude": 32, "good": 32}, **CHANGES)
    record = folder / RECORD_FILE
    with writing_record(record) as engine:
        simulation = Simulation(engine, conduct_of(study), seed=3)
        came = list(simulation.come(SIMULATED_EVALUATORS))
        wrong_now_and_then = {"answers_correctly": lambda trial, nth: nth % 7 != 6}
        ended = sit(engine, study, "p01", TimedStation(**wrong_now_and_then))
        stopped = sit(engine, study, "p02", TimedStation(stops_at=10, **wrong_now_and_then))
        broken = TimedStation(**wrong_now_and_then)
        broken.breaks_at = 18
        with suppress(BrokeOffError):
            sit(engine, study, "p03", broken)
    with sqlite3.connect(record) as connection:
        print("version", *connection.execute("pragma user_version").fetchone())
        print("judgements", *connection.execute("select count(*) from judgements").fetchone())
    connection.close()
    record.rename(folder / "record.sqlite")
    print(ended, stopped, [(one.cell.condition, one.ending.value) for one in came])


if __name__ == "__main__":
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    main(Path(sys.argv[1]))
