"""The progress of a study of any protocol: its record compared with its design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from sqlalchemy import case, func, select

from hype.errors import InputError
from hype.session.enrol import groups_of
from hype.session.outgoing import keep_version, reading_all
from hype.session.participation import all_evaluators
from hype.session.steps import LEFT_OUT, Due, Ending
from hype.session.versions import change_in_words, choose_seen, current, object_of, version_lines
from hype.status.design import Facts, OpenStudy, StatusDesign
from hype.store.columns import object_in
from hype.store.people import COMING, IN_BROWSER, LEFT, TURNED_AWAY
from hype.store.schema import Event, evaluators, events, sessions
from hype.study.assignment import Cell
from hype.study.studies import AnyStudy

NO_REACTION_MS: Final = 100.0
"""The shortest possible reaction time (Luce, 1986)."""
PAY: Final = ("base", "bonus", "pay")


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The progress of a study; ``facts``: all numbers and texts that are shown."""

    study: AnyStudy
    design: StatusDesign
    facts: Facts
    warnings: Sequence[str]


def look(
    study: AnyStudy,
    design: StatusDesign,
    *,
    simulated: bool,
    version: int | None = None,
    agreement: bool = False,
) -> Status:
    """Read the progress of one version of a study, by default of the latest evaluators' version.

    ``agreement``: whether to compute how well rankers agree with checkers, which takes longer.

    Raises InputError or SessionProblem: there is no such version; or as in
    `hype.session.outgoing.reading_all`.
    """
    with reading_all(study) as engine:
        versions, seen = choose_seen(engine, study, version, simulated=simulated)
        course, problem = None, ""
        try:
            course = design.course(seen)
        except InputError as error:
            problem = str(error)
        with keep_version(engine, seen) as answers, answers.connect() as connection:
            here = OpenStudy(connection, seen, course, simulated, agreement)
            people = standings(here, design)
            own = {**design.facts_of_study(here, people)}
            invented = connection.scalar(select(func.count()).where(evaluators.c.simulated))
            quotas = seen.settings.study.quotas
            groups = list(groups_of(connection, seen, quotas, None, simulated=simulated))
    placed = [who for who in people if cell_of(who) not in design.course.other_cells]
    each = seen.settings.evaluators_per_cell
    cells = count_cells(placed, course.cells if course else None, each)
    if own.get("enough"):
        cells = [{**cell, "needed": 0} for cell in cells]
    tests = [who["passed"] for who in people if who.get("passed") is not None]
    facts = {
        "study": str(seen.path),
        "simulated": simulated,
        "version": seen.version.number if seen.version else len(versions) or None,
        "versions": [object_of(versions, each, simulated=simulated) for each in versions],
        "stimuli_problem": problem or None,
        "cells": cells,
        "whole": {name: sum(cell[name] for cell in cells) for name in count_people((), 0)},
        "answers_wanted": design.wanted(course) if course else None,
        "remaining": remaining_of(placed, cells),
        "quotas": groups,
        "left_out": seen.settings.study.left_out,
        "tested": len(tests),
        "passed": sum(tests),
        **own,
        "evaluators": people,
        "simulated_evaluators": invented,
        **{f"{part}_due": round(sum(who[part] for who in people), 2) for part in PAY},
        "currency": seen.settings.pay.currency,
    }
    warnings = [f"{problem}; only places with evaluators are listed"] if problem else []
    if seen.version:
        warnings.append(f"this is version {seen.version} of the study:")
        warnings += version_lines(versions, simulated=simulated)
    if (last := current(versions)) and not last.is_that_of(study, simulated=simulated):
        changed = change_in_words(last, study, simulated)
        warnings.append(f"{study.path}: {changed}; no new evaluators are admitted")
    return Status(study=seen, design=design, facts=facts, warnings=warnings)


def standings(here: OpenStudy, design: StatusDesign) -> list[Facts]:
    """Return the status of every evaluator, in the order of their arrival."""
    answers = design.table.c
    browsers = select(sessions.c.id).where(sessions.c.mode.in_(IN_BROWSER.values()))
    sudden = (answers.rt_ms < NO_REACTION_MS) & answers.session_id.in_(browsers)
    counted = {"answers": design.scored, "paid": design.paid, "sudden": sudden, **design.counted}
    sums = [func.sum(case((which, 1), else_=0)).label(name) for name, which in counted.items()]
    query = (
        select(answers.evaluator_id, func.max(answers.onset_unix_s).label("last"), *sums)
        .where(answers.simulated == here.simulated)
        .group_by(answers.evaluator_id)
    )
    rows = {row.evaluator_id: row._mapping for row in here.connection.execute(query)}
    controlled, scripted = find_programs(here)
    people: list[Facts] = []
    for who in all_evaluators(here.connection, here.study, simulated=here.simulated):
        row = rows.get(who.id, {"last": None, **dict.fromkeys(counted, 0)})
        # The base pay is due after the first answer
        asked = here.study.settings.comprehension
        tried = who.status == Ending.MISUNDERSTOOD.value and asked is not None and asked.paid
        pay = here.study.settings.pay_of(who.evaluator)
        due = pay.parts(row["paid"]) if who.id in rows or tried else Due()
        one = {
            "evaluator": who.evaluator,
            "condition": who.condition or None,
            "methods": tuple(who.methods.split()),
            "share": who.share or None,
            "status": who.status,
            "answers": row["answers"],
            "base": due.base,
            "bonus": due.bonus,
            "pay": due.pay,
            "came_unix_s": who.assigned_unix_s,
            "last_answered_unix_s": row["last"],
            "webdriver": who.id in controlled,
            "untrusted": scripted[who.id],
            "sudden": row["sudden"],
        }
        people.append(one | {name: row[name] for name in design.counted})
    more = design.facts(here, people)
    return [{**one, **facts} for one, facts in zip(people, more, strict=False)]


def find_programs(here: OpenStudy) -> tuple[set[int], Counter[int]]:
    """Find evaluators whose browser was run by a program; count each one's scripted answers."""
    held = select(sessions.c.evaluator_id, sessions.c.display, events.c.id)
    untrusted = (events.c.session_id == sessions.c.id) & (events.c.event == Event.UNTRUSTED.value)
    rows = here.connection.execute(held.outerjoin(events, untrusted)).all()
    controlled = {row.evaluator_id for row in rows if object_in(row.display).get("webdriver")}
    return controlled, Counter(row.evaluator_id for row in rows if row.id is not None)


def cell_of(who: Facts) -> Cell:
    return Cell(condition=who["condition"] or "", methods=who["methods"], share=who["share"] or 0)


def count_cells(people: Iterable[Facts], planned: Sequence[Cell] | None, each: int) -> list[Facts]:
    """Count evaluators in the places of the design, then in other places.

    ``planned``: the places of the design; None if unknown (then only occupied places are counted).
    ``each``: how many evaluators each place needs.
    """
    theirs: dict[Cell, list[Facts]] = {cell: [] for cell in planned or ()}
    for who in people:
        theirs.setdefault(cell_of(who), []).append(who)
    return [
        {
            "condition": cell.condition or None,
            "methods": cell.methods,
            "share": cell.share or None,
            **count_people(some, each if planned is None or cell in planned else 0),
        }
        for cell, some in theirs.items()
    ]


def count_people(people: Collection[Facts], wanted: int) -> Facts:
    """Count evaluators by status.

    ``active``: started but did not finish. ``left``: lost their place. ``full``: turned away since
    their group was full. ``needed``: how many more must finish, including those who have started.
    ``answers``: the number of scored answers.
    """
    count = Counter(who["status"] for who in people)
    return {
        "wanted": wanted,
        "came": len(people),
        "complete": count["complete"],
        "active": count["active"] + count[COMING],
        "left": count[LEFT],
        **{status: count[status] for status in TURNED_AWAY},
        "left_out": count[LEFT_OUT],
        "needed": max(0, wanted - count["complete"]),
        "answers": sum(who["answers"] for who in people),
    }


def remaining_of(people: Sequence[Facts], cells: Sequence[Facts]) -> Facts:
    """Estimate the remaining work.

    ``evaluators``: how many must still finish; ``begun``: how many of them have started. ``cost``:
    their total pay, estimated by the mean pay of evaluators who completed the same methods; None if
    nobody has completed some of the methods yet.
    """
    open_cells = [cell for cell in cells if cell["needed"]]
    costs: list[float | None] = []
    for cell in open_cells:
        alike = (who for who in people if who["methods"] == cell["methods"])
        paid = [who["pay"] for who in alike if who["status"] == "complete"]
        costs.append(cell["needed"] * fmean(paid) if paid else None)
    return {
        "evaluators": sum(cell["needed"] for cell in open_cells),
        "begun": sum(min(cell["active"], cell["needed"]) for cell in open_cells),
        "cost": None if None in costs else round(sum(filter(None, costs)), 2),
    }
