"""What was run and on whom, in words: the part that the read-me files of all data sets share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, func, select

from hype.export.about import ABOUT_FILE, About
from hype.export.kind import ExportKind
from hype.export.naming import day
from hype.export.pieces import Tally
from hype.export.session_table import Sitting, sittings
from hype.protocols.studies import AnyStudy
from hype.session.facts import versions
from hype.store.people import Evaluator, list_evaluators
from hype.store.schema import removals

MARK: Final = "SIMULATED EVALUATORS: nobody real was asked."
PLAIN: Final = re.compile(r"[\w .,:()-]+")
STATUS: Final = {
    "complete": "complete",
    "active": "unfinished",
    "unqualified": "not qualified",
    "declined": "declined to take part",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a data set is of."""

    study: AnyStudy
    kind: ExportKind
    about: About
    simulated: bool
    evaluators: list[Evaluator]
    sittings: list[Sitting]
    removed: int

    @property
    def title(self) -> str:
        name = one_line(self.study.settings.study.name)
        return f"SIMULATED: {name}" if self.simulated else name

    @property
    def days(self) -> tuple[str, str] | None:
        days = sorted(day(one.started_unix_s) for one in self.sittings)
        return (days[0], days[-1]) if days else None


def read_told(
    connection: Connection, study: AnyStudy, kind: ExportKind, about: About, *, simulated: bool
) -> Told:
    """Read what there is to tell of people's data, or of that of simulated evaluators."""
    gone = select(func.count()).where(removals.c.simulated == simulated)
    return Told(
        study=study,
        kind=kind,
        about=about,
        simulated=simulated,
        evaluators=list_evaluators(connection, simulated=simulated),
        sittings=sittings(connection, simulated=simulated),
        removed=connection.execute(gone).scalar_one(),
    )


def one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def quoted(name: str) -> str:
    line = one_line(name)
    return line if PLAIN.fullmatch(line) else "`" + line.replace("`", "'") + "`"


def summary(told: Told) -> str:
    who = f"{'simulated ' if told.simulated else ''}evaluators"
    return f"{told.kind.summary} {len(told.evaluators)} {who}."


def introduction(told: Told, tally: Tally) -> Iterator[str]:
    """Give the paragraphs on what was run, and on whom."""
    yield f"# {'SIMULATED: ' if told.simulated else ''}{quoted(told.study.settings.study.name)}"
    if told.simulated:
        yield f"**{MARK}**"
    yield summary(told)
    yield "## What was asked"
    asked = told.kind.tasks(told.study.settings)
    yield from (one.description for task, one in asked.items() if tally.tasks[task])
    yield "## Who was asked"
    yield "\n".join(f"- {line}" for line in on_whom(told, tally))


def on_whom(told: Told, tally: Tally) -> Iterator[str]:
    """Say who came, in short lines."""
    statuses = Counter(who.status for who in told.evaluators)
    yield f"{len(told.evaluators)} evaluators: " + ", ".join(
        f"{statuses[status]} {words}" for status, words in STATUS.items() if statuses[status]
    )
    conditions = Counter(who.condition for who in told.evaluators if who.condition)
    for condition, number in sorted(conditions.items()):
        yield f"condition {quoted(condition)}: {number}"
    yield f"{len(told.sittings)} sessions, {tally.answers} {told.kind.name}"
    if told.days:
        yield f"sessions began between {told.days[0]} and {told.days[1]} (UTC)"
    if told.removed:
        yield f"data of {told.removed} more were removed on request, and are not here"


def to_be_known(told: Told) -> Iterator[str]:
    """Give the paragraphs on what readers must know, whatever the standard."""
    yield "## To be known"
    yield (
        "Evaluators go by codes, and no names are kept. The name of the machine is left out. A "
        "session is one start of the program: who was interrupted has several, which go on with "
        "the same plan."
    )
    yield (
        f"{told.kind.name.capitalize()} that the study does not score are here as well, and the "
        "column `excluded` says why. `hype score` computes scores, from the study or from what "
        "`hype export --format csv` writes."
    )
    if not (told.about.authors and told.about.license):
        yield (
            "Who made these data, and under which licence they may be used, was not said when they "
            f"were exported (it can be, in `{ABOUT_FILE}` beside the study file)."
        )
    yield f"Written by hype {versions().get('hype', '')}."


def changes(told: Told) -> Iterator[str]:
    """Give what happened to the data: as far as they go, and what was taken out."""
    if told.days:
        yield f"Sessions up to {told.days[1]} (UTC)."
    yield f"{len(told.evaluators)} evaluators, {len(told.sittings)} sessions."
    if told.removed:
        yield f"The data of {told.removed} evaluators were removed on request."
