"""Whole sessions without a window, as fast as the machine goes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

import numpy as np
from sqlalchemy import Connection, Engine, func, select

from hype.errors import SessionProblem
from hype.observers.observer import Observer, Population
from hype.observers.windowless import WindowlessStation
from hype.protocol.loop import Recorder, run_session
from hype.protocol.plan import SessionPlan
from hype.protocol.script import hype_session
from hype.protocol.steps import Ending
from hype.sessions.enrol import Enrolled, begin_session, count_cells, enter
from hype.sessions.pools import population
from hype.store import people
from hype.store.record import committed
from hype.store.recorder import CollectingRecorder, insert_rows
from hype.store.schema import evaluators
from hype.study.assignment import Cell, assign, design
from hype.study.draws import Purpose, seed_sequence
from hype.study.load import Study
from hype.study.sampling import Pools, plan_session
from hype.study.settings import TimeSettings

BATCH: Final = 16
"""Sessions committed together: a commit waits for the disk as long as a hundred trials take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """One simulated session: whose, in which cell, how it ended, after how many trials."""

    evaluator: str
    cell: Cell
    ending: Ending
    trials: int


class Simulation:
    """Simulated evaluators coming to a study one after the other.

    Sessions are committed whole, some together, so an interrupted simulation leaves whole
    sessions. Cells are counted in memory: nobody else simulates in the same record meanwhile.
    """

    def __init__(self, engine: Engine, study: Study, pools: Pools, *, seed: int) -> None:
        self._engine = engine
        self._study = study
        self._pools = pools
        self._seed = seed
        self._people: Population = population(study, pools)
        self.cells = design(tuple(pools.fake), study.settings.methods_of_one_evaluator())
        with engine.connect() as connection:
            self._arrived: Counter[Cell] = Counter(
                count_cells(connection, simulated=True, turned_away=True)
            )
            self.filled: Counter[Cell] = Counter(
                count_cells(connection, simulated=True, turned_away=False)
            )
            known = people.list_evaluators(connection, simulated=True)
            self._taken = {who.evaluator for who in known}
            require_same_study(connection, study)

    def come(self, evaluators: int) -> Iterator[Simulated]:
        """Let a number of evaluators come, and yield each session once it is committed."""
        while evaluators > 0:
            with committed(self._engine) as connection:
                batch = [self.one(connection) for _ in range(min(evaluators, BATCH))]
            yield from batch
            evaluators -= len(batch)

    def fill(self, per_cell: int) -> Iterator[Simulated]:
        """Let evaluators come until each cell has ``per_cell`` who were not turned away.

        Raises
        ------
        SessionProblem
            Hardly anyone passes the qualification, and the cells would never fill.
        """
        came, most = 0, 20 * per_cell * len(self.cells)
        while missing := sum(max(0, per_cell - self.filled[cell]) for cell in self.cells):
            if came > most:
                raise SessionProblem(
                    "simulated evaluators hardly ever pass the qualification; the study's "
                    "[observers] are too weak for its pass_rate"
                )
            came += missing
            yield from self.come(missing)

    def one(self, connection: Connection) -> Simulated:
        """Let one evaluator come and go through a session, all within one transaction."""
        codes = (f"sim-{number:04d}" for number in count(len(self._taken) + 1))
        name = next(code for code in codes if code not in self._taken)
        settings = self._study.settings
        assignment = assign(
            name,
            cells=self.cells,
            filled=self.filled,
            arrived=self._arrived,
            keys=settings.keys,
            seed=settings.study.seed,
        )
        plan = plan_session(settings, self._pools, assignment)
        number = enter(connection, self._study, assignment, plan, simulated=True)
        enrolled = Enrolled(number=number, assignment=assignment, plan=plan, simulated=True)
        result = self._conduct(connection, enrolled)
        self._taken.add(name)
        self._arrived[assignment.cell] += 1
        self.filled[assignment.cell] += result.ending is Ending.COMPLETE
        return result

    def _conduct(self, connection: Connection, enrolled: Enrolled) -> Simulated:
        """Run the session loop and write what it gave."""
        name, cell = enrolled.assignment.evaluator, enrolled.assignment.cell
        session = begin_session(
            connection,
            self._study,
            enrolled,
            mode="simulated",
            display={},
            observer_seed=self._seed,
        )
        recorder = CollectingRecorder(enrolled.owner(session))
        ending, ended_unix_s = conduct(
            enrolled.plan,
            observer_of(self._people, enrolled.plan, seed=self._seed),
            recorder,
            self._study.settings.time,
            unix_s=time.time(),
            monotonic_s=time.monotonic(),
        )
        insert_rows(connection, recorder.rows)
        people.end_session(connection, session, ended=ending.value, unix_s=ended_unix_s)
        return Simulated(evaluator=name, cell=cell, ending=ending, trials=len(recorder.rows))


def observer_of(people: Population, plan: SessionPlan, *, seed: int) -> Observer:
    """Draw the person who goes through a plan; the same for the same seed and code."""
    rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
    return Observer(people, plan.condition, rng)


def conduct(
    plan: SessionPlan,
    observer: Observer,
    recorder: Recorder,
    timing: TimeSettings,
    *,
    unix_s: float,
    monotonic_s: float,
) -> tuple[Ending, float]:
    """Let an observer go through a session that begins at the given times.

    Returns
    -------
    ending
        How it ended.
    ended_unix_s
        When, by the clock that began at ``unix_s`` and went by what each step would have taken.
    """
    station = WindowlessStation(
        observer,
        unix_s=unix_s,
        monotonic_s=monotonic_s,
        countdown_ms=timing.countdown_from * timing.countdown_ms,
    )
    ending = run_session(hype_session(plan), station, station, recorder)
    return ending, station.now_unix_s


def require_same_study(connection: Connection, study: Study) -> None:
    """Refuse to add to simulated sessions of another version of the study."""
    query = select(func.count()).where(
        evaluators.c.simulated, evaluators.c.study != study.checksum()
    )
    if connection.execute(query).scalar():
        raise SessionProblem(
            f"{study.path}: the record holds simulated sessions of an earlier version of this "
            "study; --fresh discards all simulated sessions first"
        )
