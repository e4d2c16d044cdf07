"""How far a study of HYPE's methods is: against its plan, in the qualification, on the screen.

Everything here is made of the evaluators' standings: who has done what, who is qualified, and what
is owed to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any, Final

from rich.table import Table
from rich.text import Text
from sqlalchemy import (
    Connection,
    Row,
    Select,
    func,
    select,
)

from hype.protocols.hype.carelessness import Broken, GivenAnswer, broken_rules, habits_of
from hype.protocols.hype.counterbalancing import people_wanted, served_by
from hype.protocols.hype.pools import Conditions, conditions_known
from hype.protocols.hype.rows import judgements
from hype.protocols.hype.settings import Study, StudyFile
from hype.protocols.hype.trial import SCORED_TASKS, Task
from hype.session.participation import all_evaluators, number_of
from hype.session.steps import Due, Ending, Pay
from hype.session.timing import Verdict
from hype.status.progress import (
    CellProgress,
    Heading,
    Listing,
    Places,
    Remaining,
    Telling,
    View,
    cell_of,
    counts,
    due_object,
    lines_of_money,
    new_table,
    places_of,
    remaining_of,
    stimuli_in_words,
    together,
)
from hype.status.progress import Shown as Written
from hype.store.schema import evaluators
from hype.study.assignment import Cell, design

PAID_TASKS: Final = tuple(task.value for task in Task if task.paid)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeStanding:
    """Where one evaluator stands."""

    evaluator: str
    condition: str
    methods: tuple[str, ...]
    status: str
    # trials, correct: judgements of the blocks that are scored
    trials: int
    correct: int
    qualified: bool | None  # None before the qualification is over
    # pay, base, bonus: what is due as of now: both parts together, and each
    pay: float
    base: float
    bonus: float
    # Trials of HYPE_time by their verdict; None where none was measured
    verdicts: Mapping[str, int] | None
    tested: bool  # whether they answered any trial of the qualification here
    qualified_in: str  # folder of the study where they had qualified before; or empty
    # came_unix_s, last_answered_unix_s: when they were assigned, and when the last image that they
    # answered was shown
    came_unix_s: float
    last_answered_unix_s: float | None
    # In words, what of their answers breaks the study's rules of exclusion; once they are done
    careless: tuple[str, ...] = ()
    # Where they serve several conditions, these in their order, each with its scored judgements
    served: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementCounts:
    """Judgements of one evaluator: all, those that are scored, the correct ones of these.

    ``paid`` are all correct answers that are paid for, ``tested`` counts trials of the
    qualification.
    """

    all: int = 0
    scored: int = 0
    correct: int = 0
    paid: int = 0
    tested: int = 0
    last_unix_s: float | None = None
    verdicts: Mapping[str, int] = field(default_factory=dict)


def standings(connection: Connection, study: Study, *, simulated: bool) -> list[JudgeStanding]:
    """Give the standing of every evaluator, in the order of their arrival."""
    counts = count_judgements(connection, simulated=simulated)
    pay = Pay(**study.settings.pay.model_dump())
    rows = list(all_evaluators(connection, study, simulated=simulated))
    flagged = careless_evaluators(connection, study, simulated=simulated)
    served = conditions_served(connection, study, rows) if study.settings.within else {}
    return [
        replace(
            standing_of(
                row, pay, counts.get(row.id, JudgementCounts()), flagged.get(row.evaluator, ())
            ),
            served=served.get(row.id, {}),
        )
        for row in rows
    ]


def conditions_served(
    connection: Connection, study: Study, who: Iterable[Row[Any]]
) -> dict[int, dict[str, int]]:
    """Give the conditions that each serves, in their order, with the number of scored judgements.

    Where the conditions of the study are not known, they are those that somebody judged so far.
    """
    columns, settings = judgements.c, study.settings
    query = (
        select(
            columns.evaluator_id,
            columns.condition,
            number_of(columns.task.in_(SCORED_TASKS), "scored"),
        )
        .where(columns.condition.is_not(None))
        .group_by(columns.evaluator_id, columns.condition)
        .order_by(func.min(columns.id))
    )
    judged: dict[int, dict[str, int]] = {}
    for number, condition, scored in connection.execute(query):
        judged.setdefault(number, {})[condition] = scored
    known = conditions_known(study, ())
    named = (*settings.stimuli.conditions, *study.added) if settings.stimuli.conditions else ()
    names = named if known.problem else known.names

    def of_one(row: Row[Any]) -> dict[str, int]:
        theirs = judged.get(row.id, {})
        place = Cell(condition="", methods=tuple(row.methods.split()), share=row.share or 0)
        planned = served_by(settings, names, place) if names else ()
        return {condition: theirs.get(condition, 0) for condition in planned or theirs}

    return {row.id: of_one(row) for row in who}


def count_judgements(connection: Connection, *, simulated: bool) -> dict[int, JudgementCounts]:
    return {
        row.evaluator_id: JudgementCounts(
            all=row.answered,
            scored=row.scored,
            correct=row.correct,
            paid=row.paid,
            tested=row.tested,
            last_unix_s=row.last_unix_s,
            verdicts={verdict.value: getattr(row, verdict.value) for verdict in Verdict},
        )
        for row in connection.execute(counting_query(simulated=simulated))
    }


def counting_query(*, simulated: bool) -> Select[tuple[object, ...]]:
    columns = judgements.c
    scored = columns.task.in_(SCORED_TASKS)
    flashed = columns.task == Task.TIME.value
    return (
        select(
            columns.evaluator_id,
            func.count().label("answered"),
            number_of(scored, "scored"),
            number_of(scored & columns.correct, "correct"),
            number_of(columns.task.in_(PAID_TASKS) & columns.correct, "paid"),
            number_of(columns.task == Task.QUALIFICATION.value, "tested"),
            func.max(columns.onset_unix_s).label("last_unix_s"),
            *(number_of(flashed & (columns.verdict == v.value), v.value) for v in Verdict),
        )
        .where(columns.simulated == simulated)
        .group_by(columns.evaluator_id)
    )


def standing_of(
    who: Row[Any], pay: Pay, counts: JudgementCounts, rules_broken: Iterable[Broken]
) -> JudgeStanding:
    """Give the standing of a row of evaluators. The base is due once they have judged anything."""
    due = pay.parts(counts.paid) if counts.all else Due()
    return JudgeStanding(
        evaluator=who.evaluator,
        condition=who.condition,
        methods=tuple(who.methods.split()),
        status=who.status,
        trials=counts.scored,
        correct=counts.correct,
        qualified=is_qualified(who.status, counts),
        pay=due.pay,
        base=due.base,
        bonus=due.bonus,
        verdicts=counts.verdicts if any(counts.verdicts.values()) else None,
        tested=counts.tested > 0,
        qualified_in=who.qualified_in,
        came_unix_s=who.assigned_unix_s,
        last_answered_unix_s=counts.last_unix_s,
        careless=tuple(broken.said for broken in rules_broken),
    )


def is_qualified(status: str, counts: JudgementCounts) -> bool | None:
    """Say whether somebody may do what is scored; None as long as it is open."""
    known = {"unqualified": False, "complete": True}
    return known.get(status, True if counts.scored else None)


def careless_evaluators(
    connection: Connection, study: Study, *, simulated: bool
) -> Mapping[str, tuple[Broken, ...]]:
    """Give the rules that evaluators break who are done, by their codes; not those who break none.

    Whoever is under way is not called careless: the share of a few answers says little.
    """
    rules = study.settings.exclusion.rules
    if not rules.asked:
        return {}
    answers, who = judgements.c, evaluators.c
    columns = (answers.task, answers.trial, answers.answer, answers.correct, answers.rt_ms)
    query = (
        select(who.evaluator, *columns)
        .join(evaluators, answers.evaluator_id == who.id)
        .where(answers.simulated == simulated, who.status == Ending.COMPLETE.value)
        .where(answers.task.in_(PAID_TASKS))
        .order_by(answers.evaluator_id, answers.id)
    )
    rows = (row for row in connection.execute(query) if is_readable(row))
    theirs = groupby(rows, key=lambda row: row[0])
    broken = {
        code: broken_rules(habits_of((GivenAnswer(*row[1:]) for row in own), rules.fast_ms), rules)
        for code, own in theirs
    }
    return {code: rules_broken for code, rules_broken in broken.items() if rules_broken}


def is_readable(row: Any) -> bool:
    """Whether an answer can be counted; a damaged one is for `hype verify`, and for its reader."""
    return isinstance(row.trial, int) and isinstance(row.rt_ms, int | float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualification:
    """Evaluators by what became of the qualification."""

    enabled: bool  # whether the study has one
    # passed, failed, under_way: of those who took it here
    passed: int
    failed: int
    under_way: int
    elsewhere: int  # how many had passed it in another study

    @property
    def taken(self) -> int:
        return self.passed + self.failed

    @property
    def share(self) -> float | None:
        return self.passed / self.taken if self.taken else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a study is. ``verdicts`` is None where no trial was measured."""

    cells: tuple[CellProgress, ...]
    whole: Places
    qualification: Qualification
    verdicts: dict[str, int] | None
    remaining: Remaining


def progress_of(
    standings: Sequence[JudgeStanding], settings: StudyFile, conditions: Sequence[str]
) -> Progress:
    """Compare what was done with the plan.

    Cells are those of the design in its order, then those in which somebody is although they are
    not of the design any more; nobody is wanted there.
    """
    qualification = qualification_of(standings, enabled=settings.qualification.enabled)
    if settings.within:
        people = tuple(cells_of_people(standings, settings, conditions))
        return Progress(
            cells=tuple(cells_served(standings, settings, conditions)),
            whole=together([cell.places for cell in people]),
            qualification=qualification,
            verdicts=verdicts_of(standings),
            remaining=remaining_of(standings, people),
        )
    cells = cells_of(settings, conditions, (cell_of(s) for s in standings))
    planned = {*design(settings.evaluated(conditions), settings.methods_of_one_evaluator())}
    wanted = settings.study.evaluators
    judges = tuple(
        CellProgress(
            cell=cell,
            places=places_of(
                [s for s in standings if cell_of(s) == cell], wanted if cell in planned else 0
            ),
        )
        for cell in cells
    )
    return Progress(
        cells=judges,
        whole=together([judge.places for judge in judges]),
        qualification=qualification,
        verdicts=verdicts_of(standings),
        remaining=remaining_of(standings, judges),
    )


def cells_of_people(
    standings: Sequence[JudgeStanding], settings: StudyFile, conditions: Sequence[str]
) -> Iterator[CellProgress]:
    """Yield the people who do the same, where each serves several conditions, and once counts."""
    wanted = people_wanted(settings, len(conditions))
    for cell in design(settings.evaluated(conditions), settings.methods_of_one_evaluator()):
        some = [s for s in standings if s.methods == cell.methods]
        yield CellProgress(cell=cell, places=places_of(some, wanted))


def cells_served(
    standings: Sequence[JudgeStanding], settings: StudyFile, conditions: Sequence[str]
) -> Iterator[CellProgress]:
    """Yield each condition, where evaluators serve several and count in each of them."""
    names = dict.fromkeys((*conditions, *(name for s in standings for name in s.served)))
    for cell in design(tuple(names), settings.methods_of_one_evaluator()):
        name = cell.condition
        some = [s for s in standings if name in s.served and s.methods == cell.methods]
        places = places_of(some, settings.study.evaluators if name in conditions else 0)
        judged = sum(s.served[name] for s in some)
        yield CellProgress(cell=cell, places=replace(places, judgements=judged))


def cells_of(
    settings: StudyFile, conditions: Sequence[str], met: Iterable[Cell]
) -> tuple[Cell, ...]:
    planned = design(settings.evaluated(conditions), settings.methods_of_one_evaluator())
    others = sorted({*met} - {*planned}, key=lambda cell: (cell.methods, cell.condition))
    return (*planned, *others)


def qualification_of(standings: Sequence[JudgeStanding], *, enabled: bool) -> Qualification:
    results = Counter(standing.qualified for standing in standings if standing.tested)
    return Qualification(
        enabled=enabled,
        passed=results[True],
        failed=results[False],
        under_way=results[None],
        elsewhere=sum(bool(standing.qualified_in) for standing in standings),
    )


def verdicts_of(standings: Sequence[JudgeStanding]) -> dict[str, int] | None:
    measured = [standing.verdicts for standing in standings if standing.verdicts]
    if not measured:
        return None
    return {v.value: sum(verdicts[v.value] for verdicts in measured) for v in Verdict}


QUALIFIED: Final = {True: "yes", False: "no", None: "–"}

PLACES: Final = (
    *("Wanted", "Done", "Begun", "Not\nqual.", "De-\nclined", "Still\nneeded", "Judge-\nments"),
)


def judging_object(
    study: Study,
    judges: Sequence[JudgeStanding],
    progress: Progress,
    conditions: Conditions,
    *,
    simulated: bool,
) -> dict[str, object]:
    qualification = progress.qualification
    return {
        "study": str(study.path),
        "simulated": simulated,
        "stimuli_problem": conditions.problem or None,
        "cells": [cell_object(cell) for cell in progress.cells],
        "whole": asdict(progress.whole),
        "qualification": asdict(qualification)
        | {"taken": qualification.taken, "share": qualification.share},
        "timing": progress.verdicts,
        "remaining": asdict(progress.remaining),
        "evaluators": [asdict(standing) for standing in judges],
        **due_object(study, judges),
    }


def cell_object(progress: CellProgress) -> dict[str, object]:
    named = {"condition": progress.cell.condition, "methods": progress.cell.methods}
    return named | asdict(progress.places)


def judging_view(
    study: Study,
    judges: Sequence[JudgeStanding],
    progress: Progress,
    conditions: Conditions,
    *,
    simulated: bool,
) -> View:
    whole, missing = progress.whole, "conditions that nobody has come to may be missing below"
    money = lines_of_money(study, judges, progress.remaining, whole, simulated=simulated)
    lines = (*lines_of(progress), *careless_lines(study, judges), *money)
    return View(
        name=study.settings.study.name,
        simulated=simulated,
        warnings=stimuli_in_words(conditions.problem, missing),
        whole=whole,
        places=table_of_cells(progress),
        lines=(*served_lines(study.settings), *lines) if judges else (),
        people=list_of_evaluators(judges) if judges else None,
    )


def lines_of(progress: Progress) -> Iterator[str]:
    tested = progress.qualification
    if tested.enabled or tested.taken or tested.under_way:
        parts = [f"{tested.taken} taken"]
        if tested.share is not None:
            parts = [f"{tested.passed} of {tested.taken} passed ({tested.share:.0%})"]
        if tested.under_way:
            parts.append(f"{tested.under_way} under way")
        if tested.elsewhere:
            parts.append(f"{tested.elsewhere} passed in another study")
        yield f"Qualification: {', '.join(parts)}"
    if progress.verdicts:
        counts = ", ".join(f"{number:,} {verdict}" for verdict, number in progress.verdicts.items())
        yield f"Timing of {sum(progress.verdicts.values()):,} measured trials: {counts}"


def careless_lines(study: Study, judges: Sequence[JudgeStanding]) -> Iterator[str]:
    careless = [judge for judge in judges if judge.careless]
    if careless:
        left_out = study.settings.exclusion.leave_out
        fate = "left out of the scores" if left_out else "scored like everybody"
        yield f"Careless by the study's rules: {len(careless)}, {fate}"
    yield from (f"  {judge.evaluator}: {'; '.join(judge.careless)}" for judge in careless)


def served_lines(settings: StudyFile) -> Iterator[str]:
    if settings.within:
        each = settings.study.conditions_each
        yield f"Each evaluator serves {each} conditions and counts in each; the last row is people"


def table_of_cells(progress: Progress) -> Table:
    differ = len({place.cell.methods for place in progress.cells}) > 1
    table = new_table()
    table.add_column("Condition", overflow="fold", min_width=9)
    if differ:
        table.add_column("Method", overflow="fold", min_width=8)
    for name in PLACES:
        table.add_column(name, justify="right", no_wrap=True)
    for cell in progress.cells:
        table.add_row(*names_of(cell.cell, differ=differ), *numbers_of(cell.places))
    if len(progress.cells) > 1:
        table.add_section()
        table.add_row("all", *([""] if differ else []), *numbers_of(progress.whole))
    return table


def names_of(cell: Cell, *, differ: bool) -> tuple[Text, ...]:
    """Name a place of the design; its methods only where there are different ones."""
    # Text, not str: a condition called [b] must not switch on bold.
    names = Text(cell.condition or "everyone"), Text(" + ".join(cell.methods))
    return names if differ else names[:1]


def numbers_of(places: Places) -> tuple[str, ...]:
    came = (places.complete, places.active, places.unqualified, places.declined)
    return counts((places.wanted, *came, places.needed, places.judgements))


def list_of_evaluators(judges: Sequence[JudgeStanding]) -> Listing:
    """Make the table of evaluators; methods and verdicts only where they tell anything."""
    differ = len({standing.methods for standing in judges}) > 1
    measured = any(standing.verdicts for standing in judges)
    judging = any(standing.condition or standing.served for standing in judges)
    what = "Condition" if judging else "Last answered"
    numbers = ("Correct", *(("Spoi-\nled",) if measured else ()), "Base", "Bonus", "Pay")
    return Listing(
        headings=(
            *(Heading(name="Evaluator", least=9), Heading(name=what, least=9)),
            *((Heading(name="Method", least=8),) if differ else ()),
            *(Heading(name="Status"), Heading(name="Quali-\nfied")),
            *(Heading(name=name, number=True) for name in numbers),
        ),
        rows=tuple(row_of(judge, differ=differ, measured=measured) for judge in judges),
    )


def row_of(standing: JudgeStanding, *, differ: bool, measured: bool) -> tuple[Written, ...]:
    names = names_of(cell_of(standing), differ=differ)
    if standing.served:
        names = (Text(", ".join(standing.served)), *names[1:])
    elif not standing.condition:  # they are to qualify, and judge nothing else
        names = (Text(moment_of(standing)), *names[1:])
    return (
        *(Text(standing.evaluator), *names),
        *(Text(standing.status), QUALIFIED[standing.qualified]),
        f"{standing.correct}/{standing.trials}" if standing.trials else "–",
        *((spoiled_of(standing),) if measured else ()),
        *(f"{amount:.2f}" for amount in (standing.base, standing.bonus, standing.pay)),
    )


def moment_of(standing: JudgeStanding) -> str:
    when = standing.last_answered_unix_s
    return "–" if when is None else f"{datetime.fromtimestamp(when):%Y-%m-%d %H:%M}"


def spoiled_of(standing: JudgeStanding) -> str:
    if standing.verdicts is None:
        return "–"
    return str(sum(standing.verdicts.values()) - standing.verdicts[Verdict.OK.value])


def look_at_judgements(connection: Connection, study: Study, *, simulated: bool) -> Telling:

    judges = standings(connection, study, simulated=simulated)
    met = (name for judge in judges for name in judge.served or (judge.condition,))
    conditions = conditions_known(study, met)
    progress = progress_of(judges, study.settings, conditions.names)
    what = (study, judges, progress, conditions)
    return Telling(
        found=judges,
        as_object=partial(judging_object, *what, simulated=simulated),
        view=partial(judging_view, *what, simulated=simulated),
    )
