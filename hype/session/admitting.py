"""Admit evaluators: check all reasons to refuse them, then enrol them in the record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, select

from hype.errors import InputError, NobodyNeeded
from hype.files import read_table
from hype.session.course import Course, PlanT
from hype.session.enrol import (
    Enrolled,
    assign_place,
    check_evaluator_id,
    check_masks,
    count_earlier,
    draw_plan,
    enter,
    groups_that_are_full,
    has_room_still,
    nobody_needed,
    require_newcomers,
    welcome_back,
)
from hype.session.participation import find_passed
from hype.session.steps import TESTS, Ending
from hype.session.versions import same_version, study_of_enrolled
from hype.store import people
from hype.store.backup import no_record
from hype.store.people import status_of
from hype.store.record import (
    RECORD_FILE,
    failures_explained,
    ignore,
    is_begun,
    lock_person,
    lock_places,
    record_of,
    rehearsing,
    transaction,
)
from hype.store.schema import Event, evaluators
from hype.store.seats import evaluator_seat
from hype.store.sqlite_files import is_record_at, states
from hype.store.sqlite_record import reading_record
from hype.study.assignment import HERE
from hype.study.differences import describe_changes, differences
from hype.study.phrases import join_names
from hype.study.studies import AnyStudy

BegunT = TypeVar("BegunT")


def admit(
    engine: Engine,
    course: Course[PlanT],
    evaluator: str,
    begin: Callable[[Connection, Enrolled[PlanT]], BegunT],
    *,
    simulated: bool,
    wanted_only: bool = False,
    new_version: bool = False,
) -> tuple[Enrolled[PlanT], BegunT]:
    """Enrol an evaluator, and call ``begin`` in the same transaction.

    Returns the evaluator, and the result of ``begin``. If `find_place` or ``begin`` raises an
    error, nothing is written.
    """
    with transaction(engine) as connection:
        lock_person(connection, evaluator, simulated=simulated)
        lock_places(connection)
        enrolled = find_place(
            *(connection, course, evaluator),
            simulated=simulated,
            wanted_only=wanted_only,
            new_version=new_version,
        )
        enrolled = enter(connection, course.study, enrolled)
        return enrolled, begin(connection, enrolled)


def expect(
    engine: Engine,
    course: Course[PlanT],
    evaluator: str,
    *,
    simulated: bool,
    new_version: bool = False,
) -> Enrolled[PlanT]:
    """Return the evaluator that `admit` would enrol; write nothing, and lock no place.

    Raises the errors of `find_place`.
    """
    with failures_explained(engine), rehearsing(engine) as connection:
        how = {"simulated": simulated, "new_version": new_version}
        return find_place(connection, course, evaluator, **how)


def find_place(
    connection: Connection,
    course: Course[PlanT],
    evaluator: str,
    *,
    simulated: bool,
    wanted_only: bool = False,
    new_version: bool = False,
) -> Enrolled[PlanT]:
    """Find or assign the place of an evaluator, and check the files of the plan.

    ``wanted_only``: whether to refuse evaluators that the design does not need. ``new_version``:
    whether this evaluator may start a new version of the study. Raises SessionProblem: the
    evaluator has finished, is not needed any more, or is excluded by the study file. Raises
    InputError: the code is not valid; an image or a mask is missing or changed; the plan has
    changed since the evaluator began; or the study has changed since earlier evaluators began.
    """
    study = course.study
    check_evaluator_id(evaluator)
    if why := study.settings.study.left_out.get(evaluator):
        problem = f"study.left_out excludes {evaluator!r} ({why})"
        raise NobodyNeeded(f"{study.path}: {problem}", "left_out")
    before = people.find_evaluator(connection, evaluator, simulated=simulated)
    if not simulated and (before is None or before.place_unix_s is None):
        for name, codes in people_elsewhere(study):
            if evaluator in codes:
                problem = f"{evaluator!r} took part in {name}, and {NOT_FROM} excludes these people"
                raise NobodyNeeded(f"{study.path}: {problem}", "came_before")
    if before is None:
        if study.settings.study.quotas and not study.settings.is_checker(evaluator):
            given = same_version(connection, study, simulated=simulated)
            full = groups_that_are_full(connection, study, given, simulated=simulated)
            if full:
                what = f"each group of study.quotas.{full[0]['question']} is full"
                raise nobody_needed(study, what, over=not any(group["active"] for group in full))
        given = require_newcomers(connection, course, simulated=simulated, new_version=new_version)
    else:
        enrolled = welcome_back(connection, course, before)
        if has_room_still(connection, course, enrolled, wanted_only=wanted_only):
            return check_masks(course, enrolled)
        if enrolled.answered:
            raise NobodyNeeded(
                f"{study.path}: the place of {evaluator!r} was given to others, and no place of "
                "the same kind is free; the answers so far are kept but count as unfinished",
                "place_taken",
            )
        given = same_version(connection, study, simulated=simulated)
    earlier = count_earlier(connection, study, given, simulated=simulated)
    earlier = replace(earlier, passed=find_passed(study, simulated=simulated))
    assignment = assign_place(course, evaluator, earlier, wanted_only=wanted_only)
    drawn = draw_plan(course, assignment, simulated=simulated, number=before.id if before else 0)
    gate, tasks = drawn.plan.gate, {block.task.value for block in drawn.plan.blocks}
    if gate and gate.valid_from and not (simulated or assignment.qualified_in or tasks & TESTS):
        problem = f"{evaluator!r} is not known to have passed the test of"
        problem = f"{problem} {join_names(gate.valid_from)}, and this study has no test"
        raise NobodyNeeded(f"{study.path}: {problem}", "not_qualified")
    course.plans_drawn.add(drawn.plan.checksum())
    return check_masks(course, drawn)


def study_for(
    engine: Engine,
    study: AnyStudy,
    evaluator: str,
    *,
    simulated: bool,
    remark: Callable[[str], None] = ignore,
) -> AnyStudy:
    """Return the study that an evaluator began; for a new evaluator, the current one.

    Raises InputError: this program cannot read that study.
    """
    if not is_begun(engine):
        return study
    with failures_explained(engine), rehearsing(engine) as connection:
        who = people.find_evaluator(connection, evaluator, simulated=simulated)
        theirs = study_of_enrolled(connection, study, who) if who else study
    if changed := differences(theirs, study, simulated=simulated):
        remark(
            f"{study.path}: changed after {evaluator!r} began ({describe_changes(changed)}); "
            f"{evaluator!r} continues with the earlier version"
        )
    return theirs


NEEDED: Final = {"free": "active", "again": "declined", "admit": "waiting", "refuse": "waiting"}
"""The status that an evaluator must have for each decision of the experimenter."""


def change_place(study: AnyStudy, evaluator: str, what: str, *, simulated: bool) -> None:
    """Free an evaluator's place, let the evaluator return after declining, or admit or refuse them.

    Raises InputError: no evaluator has this code, or the evaluator's status forbids the change.
    Raises SessionProblem: the evaluator is in a session, or the record cannot be written.
    """
    check_evaluator_id(evaluator)
    record = record_of(study)
    if not record.is_there():
        raise no_record(record.where)
    seat = evaluator_seat(evaluator, simulated=simulated)
    with (
        record.writing() as engine,
        record.hold_seat(engine, seat, f"the session of {evaluator!r}"),
        transaction(engine) as connection,
    ):
        who = people.find_evaluator(connection, evaluator, simulated=simulated)
        if who is None:
            raise InputError(
                record.where, f"there is no evaluator {evaluator!r}", "hype status lists them"
            )
        if (what, who.status) == ("again", "active"):  # let in already
            return
        status = status_of(connection, study.place_rule, who.id)
        if status != NEEDED[what]:
            problem = f"the status of {evaluator!r} is {status}, but must be {NEEDED[what]}"
            raise InputError(record.where, problem)
        change = partial(people.change_evaluator, connection, who.id)
        if what == "free":
            change(freed_unix_s=time.time())
        elif what == "refuse":
            change(status=Ending.UNQUALIFIED.value)
        else:
            change(status="active")
            when = {"unix_s": time.time(), "monotonic_s": time.monotonic()}
            held: Any = people.latest_session(connection, who.id)
            people.add_event(connection, held.id, Event.LET_IN_AGAIN.value, **when)
        if what == "admit":
            change(qualified_in=HERE)
            people.take_place(connection, who.id)


NOT_FROM: Final = "study.not_from"


def people_elsewhere(study: AnyStudy) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each name in `study.not_from`, and the codes of the people in that study or table.

    Raises InputError: one of the names is neither a study nor a table of codes.
    """
    for name in study.settings.study.not_from:
        path = study.folder / name
        is_table = path.suffix.lower() == ".csv" and path.is_file()
        source = path if is_table else record_file_of(path)
        if source is None:
            allowed = "a study, or a CSV table with a column 'evaluator'"
            raise InputError(study.path, f"{NOT_FROM}: {name!r} is missing or not a study", allowed)
        yield name, codes_in(source, tuple(states(source).items()))


def record_file_of(path: Path) -> Path | None:
    """Return the path of the record of the study at ``path``; None if there is no study."""
    file = path / "study.toml" if path.is_dir() else path
    return file.parent / RECORD_FILE if file.suffix == ".toml" and file.is_file() else None


@lru_cache(maxsize=64)
def codes_in(source: Path, _states: object) -> frozenset[str]:
    """Read who took part from a record or a table; read it again only if its files have changed.

    For a record, these are all people who ever had a place. People get a place when they consent.
    """
    if source.name != RECORD_FILE:
        rows = read_table(source, ("evaluator",), made_by="hype export")
        return frozenset(row["evaluator"].strip() for _, row in rows)
    if not is_record_at(source):
        return frozenset()
    who = evaluators.c
    query = select(who.evaluator).where(who.simulated.is_(False), who.place_unix_s.is_not(None))
    with reading_record(source) as engine, engine.connect() as connection:
        return frozenset(connection.execute(query).scalars())
