"""A sound record with all kinds of evaluators, for damage in tests of `hype verify`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from admitted import admit
from builders import whole_study
from known import verify_record
from made_once import made_once
from paper_station import PaperStation, record_of, sit
from sqlalchemy import (
    BindParameter,
    Connection,
    Engine,
    Executable,
    Table,
    bindparam,
    create_engine,
    select,
    text,
)
from sqlalchemy.types import UserDefinedType

from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.protocols.registry import course_of
from hype.session.loop import Presentation
from hype.session.simulate import Simulation
from hype.session.steps import Step
from hype.store.record import RECORD_FILE
from hype.study.studies import AnyStudy
from hype.verify.record import Verified


@dataclass
class TickingStation(PaperStation):
    """A paper station whose clock advances."""

    now_s: float = 5_000.0

    def present(self, step: Step) -> Presentation:
        self.now_s += 2.0
        timing = super().present(step).timing
        return Presentation(1.7e9 + self.now_s, self.now_s, timing)


def errs(trial: JudgementTrial, n: int) -> bool:
    """Answer every third scored trial wrongly."""
    return trial.task is Task.QUALIFICATION or n % 3 != 0


def spoils(trial: JudgementTrial, n: int) -> bool:
    """Spoil the second and the fifth trial of each block that is scored."""
    return trial.task is Task.TIME and trial.number in (2, 5)


def attend(
    engine: Engine,
    study: AnyStudy,
    evaluator: str,
    *stations: TickingStation,
    new_version: bool = False,
) -> list[str]:
    """Let an evaluator attend sessions, one at each station, with the checks of `hype run`."""
    ended = []
    for number, station in enumerate(stations):
        station.now_s += 1000 * number
        admit(engine, course_of(study), evaluator, simulated=False, new_version=new_version)
        ended.append(sit(engine, study, evaluator, station))
    return ended


@made_once
def sound_study(folder: Path) -> Study:
    """Make a study whose record contains every kind of evaluator, and no fault.

    ``p01`` left and returned; ``p02`` did not qualify; ``p03`` declined; ``p04`` makes errors,
    repeats spoiled trials and came three times; ``p05`` has not returned yet.
    """
    study = whole_study(
        folder,
        study={"methods": ["time", "infinity"], "evaluator_does": "all-methods"},
        timing={"spoiled_trials": "repeat"},
        stimuli={"folder": "stimuli"},
        infinity={"trials": 4},
        time={"trials": 6, "blocks": 2},
    )
    with record_of(study) as engine:
        attend(engine, study, "p01", TickingStation(stops_at=9), TickingStation())
        attend(engine, study, "p02", TickingStation(lambda trial, n: False))
        attend(engine, study, "p03", TickingStation(consents=False))
        stations = [TickingStation(errs, spoils, stops_at=stop) for stop in (12, 17, None)]
        attend(engine, study, "p04", *stations)
        attend(engine, study, "p05", TickingStation(errs, stops_at=20))
        list(Simulation(engine, course_of(study), seed=1).simulate_some(3))
    return study


Statement = Executable | Callable[[Connection], object]


class Raw(UserDefinedType[object]):
    """A type that accepts every value that SQLite accepts."""

    cache_ok = True


def raw(value: object) -> BindParameter[object]:
    """Return a value that any column stores unchanged."""
    return bindparam(None, value, type_=Raw())


def editor_of(study: AnyStudy) -> Engine:
    """Open a record as an editor does that knows nothing about hype."""
    return create_engine(f"sqlite:///{study.folder / RECORD_FILE}")


def damage(study: AnyStudy, *statements: Statement) -> None:
    """Change a record as a person with an editor would."""
    engine = editor_of(study)
    with engine.begin() as connection:
        for statement in statements:
            if isinstance(statement, Executable):
                connection.execute(statement)
            else:
                statement(connection)
    engine.dispose()


def without_rules(connection: Connection, *tables: Table) -> None:
    """Copy tables without their keys and constraints, as some editors do."""
    for table in tables:
        connection.execute(text(f"CREATE TABLE copied AS {select(table)}"))
        connection.execute(text(f"DROP TABLE {table.name}"))
        connection.execute(text(f"ALTER TABLE copied RENAME TO {table.name}"))


def faults_of(verified: Verified) -> set[tuple[str | None, str]]:
    """Return the evaluator and the code of each fault."""
    return {(found.evaluator, found.code) for found in verified.faults}


def notes_of(study: AnyStudy) -> dict[tuple[str, str | None], str]:
    """Return the first note of each kind and evaluator."""
    first: dict[tuple[str, str | None], str] = {}
    for note in verify_record(study).notes:
        first.setdefault((note.code, note.evaluator), note.message)
    return first
