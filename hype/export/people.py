"""Tables beside the answers: who came, and each time the program was started for somebody."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from hype.export.kind import ExportedColumn, ExportKind, PeopleTable, Tally, documented, unique, utc
from hype.store.columns import object_in
from hype.store.schema import demographics, evaluators, sessions
from hype.study.studies import AnyStudy, SharedSettings
from hype.tables.columns import CellType

PREFIX: Final = "about_"
"""Of the columns: a question may be called like any other column."""

Said = Mapping[int, Mapping[str, str]]
"""What each evaluator, by number, answered to each question; empty where it was withheld."""


def read_statements(connection: Connection, *, simulated: bool) -> Said:
    statements: dict[int, dict[str, str]] = {}
    query = (
        select(demographics.c.evaluator_id, demographics.c.question, demographics.c.answer)
        .join(evaluators, demographics.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(demographics.c.id)
    )
    for evaluator_id, question, answer in connection.execute(query):
        statements.setdefault(evaluator_id, {})[question] = answer
    return statements


def questions_in(settings: SharedSettings, statements: Said) -> tuple[str, ...]:
    """Give the study's questions, and after them those that were asked and are in it no more."""
    asked = (question for answers in statements.values() for question in answers)
    return tuple(dict.fromkeys((*settings.demographics, *asked)))


def columns_of(
    settings: SharedSettings, questions: Sequence[str], statements: Said
) -> tuple[ExportedColumn, ...]:
    names = unique(questions, column_name, lambda made, number: f"{made}_{number}")
    return tuple(
        column_of(settings, question, names[question], statements) for question in questions
    )


def column_of(
    settings: SharedSettings, question: str, name: str, statements: Said
) -> ExportedColumn:
    """Declare the column of a question's answers: of numbers where all that was said are some."""
    asked = settings.demographics.get(question)
    kind = asked.kind if asked else "choice"
    meaning = f"{meaning_of(settings, question)}; empty where that was withheld or not asked"
    column = ExportedColumn(name=name, meaning=meaning, kind=CellType.TEXT, gaps=True)
    if asked and kind == "number" and all(map(asked.taken, given_to(question, statements))):
        return replace(column, kind=CellType.WHOLE if asked.whole else CellType.NUMBER)
    if kind == "choice":
        return replace(
            column, levels=dict.fromkeys(options(settings, question, statements), "chosen answer")
        )
    return column


def given_to(question: str, statements: Said) -> Iterator[str]:
    yield from filter(None, (answers.get(question, "") for answers in statements.values()))


def column_name(question: str) -> str:
    """Give the name of a question's column: plain letters and digits."""
    return PREFIX + (re.sub(r"[^A-Za-z0-9]+", "_", question).strip("_") or "you")


def meaning_of(settings: SharedSettings, question: str) -> str:
    asked = settings.demographics.get(question)
    words = asked.question if asked else question
    return f"answer to the question “{words}”"


def options(settings: SharedSettings, question: str, statements: Said) -> tuple[str, ...]:
    """Give the answers that could be chosen, also those that only were so before."""
    asked = settings.demographics.get(question)
    given = given_to(question, statements)
    return tuple(dict.fromkeys((*(asked.options if asked else ()), *given)))


Saying = Callable[[Row[Any]], object]
"""From an evaluator, as `arrivals` gives them, to a cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A column of the table, and what makes its cells."""

    column: ExportedColumn
    of: Saying


def recorded(name: str) -> Fact:
    return Fact(column=documented(name, evaluators.c[name]), of=attrgetter(name))


def whole(name: str, meaning: str, of: Saying) -> Fact:
    return Fact(column=ExportedColumn(name=name, meaning=meaning, kind=CellType.WHOLE), of=of)


def flag(name: str, meaning: str, of: Saying, *, gaps: bool = False) -> Fact:
    column = ExportedColumn(name=name, meaning=meaning, kind=CellType.FLAG, gaps=gaps)
    return Fact(column=column, of=of)


CAME: Final = (
    Fact(
        column=ExportedColumn(
            name="assigned_utc", meaning="when they were assigned, in UTC", kind=CellType.TEXT
        ),
        of=lambda who: utc(who.assigned_unix_s),
    ),
    whole("sessions", "how often the program was started for them", attrgetter("sessions")),
)


def answered(tally: Tally, name: str, meaning: str) -> Fact:
    return whole(name, meaning, lambda who: tally.by_evaluator[who.evaluator])


def scored(tally: Tally, name: str, levels: Mapping[str, str], why_not: Saying) -> Iterator[Fact]:
    """Count the answers of an evaluator that are scored, and say why none is."""
    meaning = f"how many of their {name} are scored"
    yield whole("scored", meaning, lambda who: tally.scored[who.evaluator])
    column = ExportedColumn(
        name="not_scored",
        meaning=f"why none of their {name} is scored; empty where there is no reason",
        kind=CellType.TEXT,
        levels=levels,
        gaps=True,
    )
    yield Fact(column=column, of=why_not)


def about_themselves(connection: Connection, study: AnyStudy, *, simulated: bool) -> Iterator[Fact]:
    statements = read_statements(connection, simulated=simulated)
    questions = questions_in(study.settings, statements)
    columns = columns_of(study.settings, questions, statements)
    for question, column in zip(questions, columns, strict=True):
        yield Fact(column=column, of=partial(answer_to, question, statements, column.kind))
    if reasons := study.settings.study.left_out:
        why = maybe("left_out", "why the study file leaves them out")
        yield Fact(column=why, of=lambda who: reasons.get(who.evaluator, ""))


def answer_to(question: str, statements: Said, kind: CellType, who: Row[Any]) -> str | float | None:
    """Give what somebody answered; nothing where that was withheld or not asked."""
    answer = statements.get(who.id, {}).get(question, "")
    if kind is CellType.TEXT:
        return answer
    number = int if kind is CellType.WHOLE else float
    return number(answer) if answer else None


def table_of(connection: Connection, facts: Iterable[Fact], *, simulated: bool) -> PeopleTable:
    columns = tuple(facts)
    rows = tuple(
        tuple(fact.of(who) for fact in columns) for who in arrivals(connection, simulated=simulated)
    )
    return PeopleTable(columns=tuple(fact.column for fact in columns), rows=rows)


def prompted_table(
    connection: Connection, study: AnyStudy, did: Iterable[Fact], *, simulated: bool
) -> PeopleTable:
    """Give the table of people who answered about images of prompts, and what they ``did``."""
    facts = (
        *map(recorded, ("evaluator", "simulated", "share", "status")),
        *about_themselves(connection, study, simulated=simulated),
        *CAME,
        *did,
    )
    return table_of(connection, facts, simulated=simulated)


def arrivals(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Read all evaluators in the order of their arrival, and how many sessions each had."""
    held = select(func.count()).where(sessions.c.evaluator_id == evaluators.c.id)
    query = (
        select(evaluators, held.scalar_subquery().label("sessions"))
        .where(evaluators.c.simulated == simulated)
        .order_by(evaluators.c.id)
    )
    return connection.execute(query).all()


MODES: Final = {
    "person": "a person at the station",
    "web": "a person with a browser",
    "simulated-window": "a simulated evaluator at a real window",
    "simulated-web": "a simulated evaluator over HTTP",
    "simulated": "a simulated evaluator without a window; nothing was shown",
}

ENDINGS: Final = {
    "complete": "every trial was answered",
    "unqualified": "the qualification was not passed",
    "declined": "the evaluator did not consent",
    "full": "the study had enough people of the evaluator's group",
    "quit": "left before the end, to be resumed",
    "broke-off": "broke off, to be resumed",
}

SYNCS: Final = {
    "vsync": "flips wait for the screen",
    "software": "flips do not wait, and the program times the frames",
    "presentations": "a browser tells when what it drew was on the screen",
    "callbacks": "a browser's callbacks alone, which do not see what became of what they drew",
}


def maybe(
    name: str,
    meaning: str,
    kind: CellType = CellType.TEXT,
    *,
    unit: str = "",
    levels: Mapping[str, str] | None = None,
) -> ExportedColumn:
    return ExportedColumn(
        name=name, meaning=meaning, kind=kind, unit=unit, levels=levels or {}, gaps=True
    )


WHEN: Final = (
    documented("evaluator", evaluators.c.evaluator),
    documented("session", sessions.c.id),
    documented("simulated", evaluators.c.simulated),
    replace(documented("mode", sessions.c.mode), levels=MODES),
    maybe("started_utc", "when the session began, in UTC"),
    documented("utc_offset_s", sessions.c.utc_offset_s),
    maybe("ended_utc", "when it ended, in UTC; empty while it runs, or if it broke off"),
    maybe("ended", "how it ended; empty until that is known", levels=ENDINGS),
)

HOW: Final = (
    maybe("hype", "version of hype"),
    maybe("psychopy", "version of PsychoPy; empty where nothing was shown"),
    maybe("python", "version of Python"),
    maybe("system", "operating system"),
    maybe("refresh_hz", "refresh rate of the display", CellType.NUMBER, unit="Hz"),
    maybe("screen_px", "width and height of the screen in pixels"),
    maybe("sync", "what timed the frames", levels=SYNCS),
    maybe("virtual", "whether the display was a virtual one", CellType.FLAG),
    documented("study", sessions.c.study),
)


def session_columns(kind: ExportKind) -> tuple[ExportedColumn, ...]:
    return (*WHEN, kind.answered, *HOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSession:
    """A session as the record has it; of the machine's facts all but its name."""

    evaluator: str
    session: int
    simulated: bool
    mode: str
    started_unix_s: float
    utc_offset_s: float
    ended_unix_s: float | None
    ended: str | None
    study: str
    versions: Mapping[str, Any]
    system: object
    display: Mapping[str, Any]

    @property
    def shown(self) -> bool:
        return self.mode != "simulated"


def sittings(connection: Connection, *, simulated: bool) -> list[RecordedSession]:
    """Read the sessions of people, or of simulated evaluators, in the order of their beginning."""
    query = (
        select(sessions, evaluators.c.evaluator, evaluators.c.simulated)
        .join(evaluators, sessions.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(sessions.c.id)
    )
    return [
        RecordedSession(
            evaluator=row.evaluator,
            session=row.id,
            simulated=row.simulated,
            mode=row.mode,
            started_unix_s=row.started_unix_s,
            utc_offset_s=row.utc_offset_s,
            ended_unix_s=row.ended_unix_s,
            ended=row.ended,
            study=row.study,
            versions=object_in(row.versions),
            system=object_in(row.machine).get("system"),
            display=object_in(row.display),
        )
        for row in connection.execute(query)
    ]


def session_row(session: RecordedSession, tally: Tally) -> tuple[object, ...]:
    screen_px = session.display.get("screen_px")
    return (
        *(session.evaluator, session.session, session.simulated, session.mode),
        *(
            utc(session.started_unix_s),
            session.utc_offset_s,
            utc(session.ended_unix_s),
            session.ended,
        ),
        tally.by_session[session.session],
        session.versions.get("hype"),
        session.versions.get("psychopy") if session.shown else None,
        session.versions.get("python"),
        session.system,
        session.display.get("refresh_hz"),
        " x ".join(map(str, screen_px)) if isinstance(screen_px, list) else None,
        *(session.display.get("sync"), session.display.get("virtual"), session.study),
    )
