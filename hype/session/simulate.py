"""Simulation of whole sessions, without a window and as fast as possible."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from typing import Any, Final, Generic

from sqlalchemy import Connection, Engine

from hype.errors import SessionProblem
from hype.session.course import Course, EarlierEvaluators, PlanT
from hype.session.enrol import (
    begin_session,
    count_earlier,
    draw_plan,
    enter,
    group_has_room,
    groups_that_are_full,
    require_newcomers,
)
from hype.session.loop import Presentation, Recorder, Script, SimulatedEvaluator, run_session
from hype.session.participation import find_passed
from hype.session.steps import Ending, Response, Screen, Step
from hype.store import people, schema
from hype.store.record import lock_places, record_of, require_durable, transaction
from hype.store.recorder import CollectingRecorder, insert_rows
from hype.study.assignment import Cell
from hype.study.studies import AnyStudy

READING_MS: Final = 3000.0
"""Time for which a simulated evaluator reads a screen."""


class WindowlessStation:
    """Presenter and responder of a simulated session.

    The clock is virtual: it starts at the given times and advances by the duration of each step, so
    the times of simulated sessions look like those of people.
    """

    def __init__(
        self,
        observer: SimulatedEvaluator,
        *,
        unix_s: float,
        monotonic_s: float,
        countdown_ms: float,
    ) -> None:
        self._observer = observer
        self._unix_minus_monotonic_s = unix_s - monotonic_s
        self._now_s = monotonic_s
        self._countdown_s = countdown_ms / 1000

    def present(self, step: Step) -> Presentation:
        onset_s = self._now_s
        if isinstance(step, Screen):
            self._now_s += (step.duration_ms or READING_MS) / 1000
        else:
            onset_s += self._countdown_s if step.shown_ms else 0.0
            self._now_s = onset_s + step.shown_ms / 1000
        return Presentation(onset_s + self._unix_minus_monotonic_s, onset_s)

    def respond(self, step: Step) -> Response:
        response = self._observer.respond_to(step)
        self._now_s += response.rt_ms / 1000
        return response

    @property
    def now_unix_s(self) -> float:
        return self._now_s + self._unix_minus_monotonic_s


BATCH: Final = 16
"""Number of sessions per commit, since one commit takes as long as a hundred simulated trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """One simulated session, and the place of its evaluator in the design (``cell``)."""

    evaluator: str
    cell: Cell
    ending: Ending
    trials: int
    minutes: float  # the expected duration of the session


class Simulation(Generic[PlanT]):
    """Simulated evaluators who take part in a study, one after the other.

    Only whole sessions are committed, several at a time, so an interrupted simulation leaves no
    partial session. Each transaction first counts the evaluators again, since other programs may
    simulate in the same record; within the transaction, new evaluators are counted in memory.
    """

    def __init__(
        self, engine: Engine, course: Course[PlanT], *, seed: int, new_version: bool = False
    ) -> None:
        self._engine = engine
        self._course = course
        self._seed = seed
        self.cells = course.cells
        self._passed = find_passed(course.study, simulated=True)
        with engine.connect() as connection:
            self._given = require_newcomers(
                connection, course, simulated=True, new_version=new_version
            )
            self._count(connection)

    def _count(self, connection: Connection) -> None:
        """Count the evaluators, and keep others from joining until this transaction ends."""
        lock_places(connection)
        came = count_earlier(connection, self._course.study, self._given, simulated=True)
        self._arrived, self.filled = Counter(came.arrived), Counter(came.filled)
        self._taken = people.codes_of(connection, simulated=True)

    def missing(self, per_cell: int) -> int:
        """Count the evaluators still needed, if each place of the design needs ``per_cell``."""
        return sum(max(0, per_cell - self.filled[cell]) for cell in self.cells)

    def simulate_some(self, evaluators: int) -> Iterator[Simulated]:
        """Simulate a number of evaluators, and yield each session once it is committed.

        Stops early if the study needs no more evaluators.
        """
        while evaluators > 0:
            batch = self._some(evaluators)
            yield from batch
            evaluators = evaluators - len(batch) if batch else 0

    def fill(self, per_cell: int) -> Iterator[Simulated]:
        """Simulate until each place has ``per_cell`` evaluators who were not turned away.

        Raises SessionProblem: too few evaluators pass the qualification or fit into the quotas.
        """
        came, most = 0, 20 * per_cell * len(self.cells)
        while batch := self._some(per_cell=per_cell):
            yield from batch
            came += len(batch)
            if came > most:
                raise SessionProblem(
                    "simulated evaluators hardly ever pass the qualification, or hardly ever "
                    "belong to a group with room; the study's [observers] are too weak for its "
                    "pass_rate, or study.quotas are too narrow"
                )

    def require_durable(self, results: Collection[Simulated]) -> None:
        """Read the record again, to check that the answers of these sessions are stored.

        Raises SessionProblem: answers are missing, or the record's files were changed.
        """

        def is_durable(opened: Connection) -> bool:
            answers = people.count_answers(opened, simulated=True)
            return all(answers[result.evaluator] == result.trials for result in results)

        require_durable(self._engine, is_durable)

    def helpers(self) -> Iterator[Simulated]:
        """Simulate additional evaluators that the study needs, such as checkers."""
        while True:
            with transaction(self._engine) as connection:
                self._count(connection)
                earlier = self._earlier(connection)
                code = self._course.helper(earlier, self._taken)
                if not code:
                    return
                came = self._one(earlier, code)
            yield came

    def simulate_alone(self, connection: Connection, name: str) -> Simulated:
        """Simulate an evaluator at the least filled place, as if there were no earlier answers."""
        return self._one(replace(self._earlier(connection), given=()), name)

    def _earlier(self, connection: Connection) -> EarlierEvaluators:
        return EarlierEvaluators(
            connection=connection,
            simulated=True,
            given=self._given,
            done=self.filled,
            taken=self.filled,
            filled=self.filled,
            arrived=self._arrived,
            passed=self._passed,
        )

    def _some(self, wanted: int = BATCH, per_cell: int | None = None) -> list[Simulated]:
        """Simulate sessions in one transaction: at most ``wanted``, and at most `BATCH`.

        With ``per_cell``, stops once each place has that many evaluators who were not turned away.
        """
        batch: list[Simulated] = []
        with transaction(self._engine) as connection:
            self._count(connection)
            missing = BATCH if per_cell is None else self.missing(per_cell)
            for _ in range(min(wanted, missing, BATCH)):
                earlier, study = self._earlier(connection), self._course.study
                full = groups_that_are_full(connection, study, self._given, simulated=True)
                if full or self._course.enough(earlier):
                    break
                codes = (f"sim-{number:04d}" for number in count(len(self._taken) + 1))
                code = next(code for code in codes if code not in self._taken)
                batch.append(self._one(earlier, code))
        return batch

    def _one(self, earlier: EarlierEvaluators, name: str) -> Simulated:
        assignment = self._course.assign(name, earlier)
        drawn = draw_plan(self._course, assignment, simulated=True)
        connection, study = earlier.connection, self._course.study
        enrolled = enter(connection, study, drawn)
        session = begin_session(
            *(connection, enrolled, study),
            mode="simulated",
            display={},
            observer_seed=self._seed,
        )
        recorder = CollectingRecorder(
            enrolled.owner(session), partial(group_has_room, study, connection)
        )
        ending, ended_unix_s = course(
            self._course.script(enrolled.plan),
            self._course.observer(enrolled.plan, seed=self._seed),
            recorder,
            countdown_ms=self._course.countdown_ms,
            unix_s=time.time(),
            monotonic_s=time.monotonic(),
        )
        insert_rows(connection, recorder.rows)
        people.write_end(connection, session, ended=ending.value, unix_s=ended_unix_s)
        self._taken.add(name)
        self._arrived[assignment.cell, assignment.left_means] += 1
        self.filled[assignment.cell] += ending is Ending.COMPLETE
        return Simulated(
            evaluator=name,
            cell=assignment.cell,
            ending=ending,
            trials=recorder.answers,
            minutes=enrolled.plan.minutes,
        )


def course(
    script: Script,
    observer: SimulatedEvaluator,
    recorder: Recorder,
    *,
    countdown_ms: float,
    unix_s: float,
    monotonic_s: float,
) -> tuple[Ending, float]:
    """Simulate a session; it starts at ``unix_s`` and ``monotonic_s``, which are the same moment.

    Returns how the session ended, and when (Unix time, by the station's virtual clock).
    """
    station = WindowlessStation(
        observer, unix_s=unix_s, monotonic_s=monotonic_s, countdown_ms=countdown_ms
    )
    ending = run_session(script, station, station, recorder)
    return ending, station.now_unix_s


def simulate_study(
    course: Course[Any],
    evaluators: int | None,
    *,
    seed: int,
    fresh: bool = False,
    new_version: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> list[Simulated]:
    """Let simulated evaluators take part in a study, and record their answers.

    ``evaluators``: how many take part; None: as many as the design needs. ``fresh``: delete all
    simulated sessions first. ``progress`` receives the number of evaluators so far and the total.

    Raises InputError: the images or masks of the study are wrong. Raises SessionProblem: the record
    cannot be written, or belongs to another study.
    """
    study = course.study
    course.require_enough()  # checked before anything is deleted or simulated
    with record_of(study).writing() as engine:
        if fresh:
            with transaction(engine) as connection:
                people.delete_evaluators(connection, schema.evaluators.c.simulated)
        simulation = Simulation(engine, course, seed=seed, new_version=new_version)
        wanted = course.evaluators_per_cell
        total = simulation.missing(wanted) if evaluators is None else evaluators
        come = (
            simulation.fill(wanted) if evaluators is None else simulation.simulate_some(evaluators)
        )
        results: list[Simulated] = []
        progress(0, total)
        for result in chain(come, simulation.helpers()):
            results.append(result)
            progress(len(results), max(total, len(results)))
        simulation.require_durable(results)
        return results


def summarise(study: AnyStudy, results: list[Simulated], seconds: float) -> dict[str, object]:
    cells = Counter((r.cell.condition, r.cell.methods, r.ending.value) for r in results)
    return {
        "study": str(study.path),
        "simulated": True,
        "evaluators": len(results),
        "judgements": sum(result.trials for result in results),
        "seconds": round(seconds, 3),
        "endings": dict(Counter(result.ending.value for result in results)),
        "cells": [
            {"condition": condition, "methods": list(methods), "ending": ending, "evaluators": n}
            for (condition, methods, ending), n in sorted(cells.items())
        ],
    }
