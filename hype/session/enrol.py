"""Enrolling an evaluator: find or assign their place, and draw their plan.

The module also finds out which groups of evaluators are full, if they have quotas.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Generic

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select

from hype.errors import InputError, NobodyNeeded, SessionProblem, quote_path
from hype.session.course import Course, EarlierEvaluators, PlanT
from hype.session.facts import machine, versions
from hype.session.loop import Answered
from hype.session.steps import TrialName
from hype.session.versions import require_version, same_version, study_of_enrolled
from hype.store import people
from hype.store.columns import CODE
from hype.store.people import (
    BROKE_OFF,
    COMING,
    GIVEN_ON,
    HAVE_PLACE,
    IN_DESIGN,
    Evaluator,
    PlaceRule,
    answers_of,
    count_statements,
    cut_off,
    end_session,
    find_broken_sessions,
    status_now,
    status_of,
    take_place,
)
from hype.store.schema import demographics, evaluators, sessions
from hype.study.assignment import Assignment, Cell
from hype.study.demographics import Quota, count_groups, takes_one_more
from hype.study.studies import AnyStudy

FULL: Final = 1_000_000
"""The count given to full places, which is above any real count so that they come last."""
LOOKED_AT: Final = 3
"""Number of earlier evaluators whose plans are drawn again, to check that they are unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled(Generic[PlanT]):
    """An enrolled evaluator: number in the record, assignment, plan, earlier answers.

    ``mask_files``: the checksum of the plan's masks at the first session; ``cut_off``: the trials
    that were shown but not answered.
    """

    number: int
    assignment: Assignment
    plan: PlanT
    simulated: bool
    answered: Sequence[Answered] = ()
    mask_files: str | None = None
    cut_off: Collection[TrialName] = ()
    has_agreed: bool = False
    is_assigned_now: bool = False

    def owner(self, session_id: int) -> dict[str, object]:
        """Return the values that all rows of one session of this evaluator have in common."""
        return {"evaluator_id": self.number, "session_id": session_id, "simulated": self.simulated}


def check_evaluator_id(evaluator: str) -> None:
    """Refuse an evaluator's code that is not safe as the name of a row, a file or a column."""
    if not CODE.fullmatch(evaluator):
        raise InputError(
            "--evaluator",
            f"{evaluator!r} cannot be an evaluator's code",
            "use 1 to 64 characters: letters A to Z and a to z, digits, '_' and '-'",
        )


def has_room_still(
    connection: Connection,
    course: Course[PlanT],
    enrolled: Enrolled[PlanT],
    *,
    wanted_only: bool = True,
) -> bool:
    """Return whether an earlier evaluator can continue: still has a place, or can take it again.

    To take it again, the place must be free, and quotas on the evaluator's groups not full.
    """
    study, simulated = course.study, enrolled.simulated
    status = status_of(connection, study.place_rule, enrolled.number)
    if status == "active" or (status == COMING and not wanted_only):
        return True
    given = same_version(connection, study, simulated=simulated)
    earlier = count_earlier(connection, study, given, simulated=simulated)
    if not has_room(course, enrolled.assignment.cell, earlier):
        return False
    said = select(demographics.c.question, demographics.c.answer)
    said = said.where(demographics.c.evaluator_id == enrolled.number)
    owner = {"evaluator_id": enrolled.number, "simulated": simulated}
    statements = connection.execute(said).all()
    return all(group_has_room(study, connection, owner, *statement) for statement in statements)


def has_room(course: Course[PlanT], cell: Cell, earlier: EarlierEvaluators) -> bool:
    """Return whether a place needs more people; places outside the design have no limit."""
    is_limited = course.counted and cell in course.cells
    return not is_limited or earlier.taken.get(cell, 0) < course.evaluators_per_cell


def nobody_needed(study: AnyStudy, full: str, *, over: bool) -> NobodyNeeded:
    """Return the error that no place is free: for good (``over``), or now; ``full`` says why."""
    if over:
        return NobodyNeeded(f"{study.path}: no more evaluators are needed: {full}", "enough_people")
    way = "hype status STUDY --free CODE frees the place of an evaluator who left"
    problem = f"no place is free now: {full}, but some of these people have not finished; {way}"
    return NobodyNeeded(f"{study.path}: {problem}", "full")


def require_newcomers(
    connection: Connection, course: Course[PlanT], *, simulated: bool, new_version: bool
) -> frozenset[str]:
    """Refuse new evaluators if the study has changed since earlier evaluators began.

    Returns the checksums of all studies that belong to this version, including this study.
    Raises InputError: the study is not the version that earlier evaluators were given, and no
    ``new_version`` was requested; or images or masks in its folders were replaced.
    """
    study = course.study
    given = require_version(connection, study, simulated=simulated, new_version=new_version)
    for known in people.latest_evaluators(connection, given, simulated=simulated, most=LOOKED_AT):
        if known.plan in course.plans_drawn and known.mask_files is None:
            continue
        # The study that this evaluator was given, without models that joined later.
        given_to_them = study_of_enrolled(connection, study, known)
        theirs = course
        if given_to_them.added.keys() != study.added.keys():
            if not given_to_them.added.keys() <= study.added.keys():
                continue  # models joined this evaluator's study after ``course`` was read
            theirs = course.of(given_to_them)
        try:
            plan = same_plan(theirs, known, assignment_of(known))
            masks = known.mask_files and theirs.check_files(plan, simulated=simulated)
            are_same = masks == known.mask_files
        except InputError:
            are_same = False
        if not are_same:
            raise InputError(
                study.path,
                f"the images or masks differ from those that {known.evaluator!r} was given in "
                "this study",
                "put the old files back, or keep the new ones in a separate folder and name it "
                "in the study file, which makes a new version of the study",
            )
        course.plans_drawn.add(known.plan)
    return given | {study.checksum()}


@lru_cache
def counts_of(rule: PlaceRule) -> Select[Any]:
    """Count evaluators by place, meaning of the left key, and current status."""
    who = evaluators.c
    by = (who.condition, who.methods, who.share, who.left_means, status_now(rule))
    given = who.study.in_(bindparam("given", expanding=True))
    query = select(*by, func.count()).where(who.simulated == bindparam("simulated"), given)
    return query.group_by(*by)


def count_earlier(
    connection: Connection, study: AnyStudy, given: Collection[str], *, simulated: bool
) -> EarlierEvaluators:
    query, which = counts_of(study.place_rule), {"given": [*given]}
    done, taken, filled = Counter[Cell](), Counter[Cell](), Counter[Cell]()
    arrived: Counter[tuple[Cell, str]] = Counter()
    for condition, methods, share, means, now, number in connection.execute(
        query, which | {"simulated": simulated}
    ):
        cell = Cell(condition=condition, methods=tuple(methods.split()), share=share or 0)
        done[cell] += number * (now == "complete")
        taken[cell] += number * (now in HAVE_PLACE)
        filled[cell] += number * (now in IN_DESIGN)
        arrived[cell, means] += number * (now not in GIVEN_ON)
    return EarlierEvaluators(
        connection=connection,
        simulated=simulated,
        given=given,
        done=done,
        taken=taken,
        filled=filled,
        arrived=arrived,
    )


def assign_place(
    course: Course[PlanT], evaluator: str, earlier: EarlierEvaluators, *, wanted_only: bool
) -> Assignment:
    """Assign a new evaluator to a place, given the earlier evaluators; nothing is written.

    Raises NobodyNeeded: the study needs no more evaluators.
    """
    if reason := course.enough(earlier):
        raise nobody_needed(course.study, reason, over=True)
    if not wanted_only:
        return course.assign(evaluator, earlier)
    full = {cell: FULL for cell in course.cells if not has_room(course, cell, earlier)}
    assignment = course.assign(evaluator, replace(earlier, filled={**earlier.filled, **full}))
    if assignment.cell in full:  # chosen only if all places are full
        wanted = course.evaluators_per_cell
        is_over = all(earlier.done.get(cell, 0) >= wanted for cell in course.cells)
        what = f"each place of the design has {wanted} evaluators"
        raise nobody_needed(course.study, what, over=is_over)
    return assignment


def draw_plan(
    course: Course[PlanT], assignment: Assignment, *, simulated: bool, number: int = 0
) -> Enrolled[PlanT]:
    """Draw the plan for a new assignment; ``number`` is 0 for a new evaluator."""
    plan = course.plan(assignment)
    return Enrolled(
        number=number, assignment=assignment, plan=plan, simulated=simulated, is_assigned_now=True
    )


def enter(connection: Connection, study: AnyStudy, enrolled: Enrolled[PlanT]) -> Enrolled[PlanT]:
    """Record a new evaluator, or that an earlier evaluator takes their place again."""
    if not enrolled.is_assigned_now:
        people.change_evaluator(connection, enrolled.number, mask_files=enrolled.mask_files)
        if enrolled.has_agreed:
            take_place(connection, enrolled.number)
        return enrolled
    people.keep_study(connection, study.checksum(), study.settings_json())
    assignment = enrolled.assignment
    row = {
        "evaluator": assignment.evaluator,
        "simulated": enrolled.simulated,
        "condition": assignment.cell.condition,
        "methods": " ".join(assignment.cell.methods),
        "left_means": assignment.left_means,
        "share": assignment.cell.share or None,
        "pairs": json.dumps(assignment.pairs) if assignment.pairs else None,
        "groups": " ".join(assignment.groups) or None,
        "qualified_in": assignment.qualified_in,
        "seed": str(study.settings.study.seed),
        "study": study.checksum(),
        "plan": enrolled.plan.checksum(),
        "mask_files": enrolled.mask_files,
        "status": "active",
        "assigned_unix_s": time.time(),
        "place_unix_s": None,
        "freed_unix_s": None,
    }
    if not enrolled.number:
        return replace(enrolled, number=people.insert_one(connection, evaluators, row))
    people.change_evaluator(connection, enrolled.number, **row)
    return enrolled


def welcome_back(
    connection: Connection, course: Course[PlanT], evaluator: Evaluator
) -> Enrolled[PlanT]:
    """Build the plan of an earlier evaluator, and read their answers."""
    if evaluator.status != "active":
        way = "each evaluator takes part once"
        if evaluator.status == "declined":
            way = "if they want to take part after all, let them in again: hype run … --again"
        if evaluator.status == "waiting":
            where = quote_path(course.study.path)
            way = f"hype status {where} --admit {evaluator.evaluator} lets them continue"
        raise SessionProblem(
            f"evaluator {evaluator.evaluator!r} cannot continue here ({evaluator.status}); {way}"
        )
    return resume_any(connection, course, evaluator)


def resume_any(
    connection: Connection, course: Course[PlanT], evaluator: Evaluator
) -> Enrolled[PlanT]:
    """Do the same as `welcome_back`, but for any evaluator, even one whose part is over."""
    assignment = assignment_of(evaluator)
    return Enrolled(
        number=evaluator.id,
        assignment=assignment,
        plan=same_plan(course, evaluator, assignment),
        simulated=evaluator.simulated,
        answered=answers_of(connection, evaluator.id),
        mask_files=evaluator.mask_files,
        cut_off=cut_off(connection, evaluator.id),
        has_agreed=evaluator.place_unix_s is not None,
    )


def same_plan(course: Course[PlanT], evaluator: Evaluator, assignment: Assignment) -> PlanT:
    """Rebuild the plan that an evaluator got when they were assigned.

    Raises InputError: the plan would be different now.
    """
    course.require_place(assignment.cell)
    plan = course.plan(assignment)
    if plan.checksum() == evaluator.plan:
        return plan
    raise InputError(
        course.study.path,
        f"the study, its stimuli or its masks have changed since {evaluator.evaluator!r} began; "
        "this session cannot continue with other images or rules",
        "put back what was changed, or enrol a new evaluator",
    )


def check_masks(course: Course[PlanT], enrolled: Enrolled[PlanT]) -> Enrolled[PlanT]:
    """Check the files of an evaluator's plan, and keep the checksum of their masks.

    Raises InputError: an image is missing or changed, or a mask changed since the evaluator began.
    """
    checksum = course.check_files(enrolled.plan, simulated=enrolled.simulated)
    if checksum and enrolled.mask_files and checksum != enrolled.mask_files:
        raise InputError(
            course.study.masks_folder or course.study.path,
            f"the masks changed since {enrolled.assignment.evaluator!r} began, and their session "
            "cannot continue with other masks",
            "put back the masks that were there, or enrol a new evaluator",
        )
    return replace(enrolled, mask_files=checksum or enrolled.mask_files)


def assignment_of(evaluator: Evaluator) -> Assignment:
    return Assignment(
        evaluator=evaluator.drawn_for or evaluator.evaluator,
        cell=Cell(condition=evaluator.condition, methods=evaluator.methods, share=evaluator.share),
        left_means=evaluator.left_means,
        pairs=pairs_of(evaluator),
        groups=evaluator.groups,
        qualified_in=evaluator.qualified_in,
    )


def pairs_of(evaluator: Evaluator) -> tuple[tuple[str, str], ...]:
    """Read the pairs that an arena chose for an evaluator; empty if it chose none.

    Raises InputError: the recorded pairs cannot be read.
    """
    try:
        pairs = json.loads(evaluator.pairs) if evaluator.pairs else []
        return tuple((str(one), str(other)) for one, other in pairs)
    except (TypeError, ValueError, RecursionError):
        problem = "has pairs that cannot be read"
        where = f"the record's row of {evaluator.evaluator!r}"
        raise InputError(where, problem, "restore the record from a copy in backups/") from None


def begin_session(
    connection: Connection,
    enrolled: Enrolled[PlanT],
    study: AnyStudy,
    *,
    mode: str,
    display: Mapping[str, object],
    observer_seed: int | None = None,
) -> int:
    """Add a new session to the record, and return its number.

    The evaluator's earlier sessions that have no end are marked as broken off, since no other
    program can run them now.
    """
    for broken in find_broken_sessions(connection, enrolled.number):
        end_session(connection, broken, BROKE_OFF)
    people.keep_study(connection, study.checksum(), study.settings_json())
    now = time.time()
    row = {
        "evaluator_id": enrolled.number,
        "study": study.checksum(),
        "mode": mode,
        "observer_seed": None if observer_seed is None else str(observer_seed),
        "versions": json.dumps(versions()),
        "machine": json.dumps(machine()),
        "display": json.dumps(display),
        "started_unix_s": now,
        "heard_unix_s": now,
        "utc_offset_s": time.localtime(now).tm_gmtoff,
    }
    return people.insert_one(connection, sessions, row)


def group_has_room(
    study: AnyStudy, connection: Connection, owner: Mapping[str, object], question: str, answer: str
) -> bool:
    """Return whether the quota on a question still has room for the ``owner`` of this answer.

    With ``study`` bound by `functools.partial`, this function is a `hype.store.recorder.HasRoom`.
    """
    simulated = bool(owner["simulated"])
    quota, who = study.settings.study.quotas.get(question), evaluators.c
    code = select(who.evaluator).where(who.id == owner["evaluator_id"])
    if quota is None or study.settings.is_checker(connection.execute(code).scalar_one()):
        return True
    given = same_version(connection, study, simulated=simulated)
    which = select_places(study, given) & (who.id != owner["evaluator_id"])
    statements = count_statements(connection, question, which, simulated=simulated)
    others = {answer: of_status.total() for answer, of_status in statements.items()}
    return takes_one_more(answer, others, quota, study.demographics[question])


def select_places(study: AnyStudy, given: Collection[str] | None) -> ColumnElement[bool]:
    """Select evaluators who have a place, may still take one, or have finished.

    ``given``: checksums of the evaluators' studies; None for any study. Checkers are left out,
    since they have no place in the design.
    """
    counts: ColumnElement[bool] = status_now(study.place_rule).in_(IN_DESIGN)
    if study.settings.checkers:
        counts &= evaluators.c.share.is_not(None)
    return counts if given is None else counts & evaluators.c.study.in_(given)


def groups_of(
    connection: Connection,
    study: AnyStudy,
    quotas: Mapping[str, Quota],
    given: Collection[str] | None,
    *,
    simulated: bool,
) -> Iterator[dict[str, Any]]:
    """Yield each group's numbers of people: ``wanted``, ``complete``, still ``active``.

    ``given``: as in `select_places`.
    """
    which = select_places(study, given)
    for question, quota in quotas.items():
        statements = count_statements(connection, question, which, simulated=simulated)
        numbers = {
            status: count_groups(
                {answer: of_status[status] for answer, of_status in statements.items()},
                quota,
                study.demographics[question],
            )
            for status in ("complete", "active")
        }
        for group, wanted in quota.items():
            complete, active = (numbers[status][group] for status in ("complete", "active"))
            numbered = {"wanted": wanted, "complete": complete, "active": active}
            yield {"question": question, "group": group, **numbered}


def groups_that_are_full(
    connection: Connection, study: AnyStudy, given: Collection[str], *, simulated: bool
) -> list[dict[str, Any]]:
    """Return the groups of the first question whose groups are all full; empty if there is none."""
    quotas = study.settings.study.quotas
    groups = list(groups_of(connection, study, quotas, given, simulated=simulated))
    for question in quotas:
        theirs = [group for group in groups if group["question"] == question]
        if all(group["complete"] + group["active"] >= group["wanted"] for group in theirs):
            return theirs
    return []
