"""Tables of the evaluators and of their sessions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from hype.export.kind import ExportKind, Fact, Tally, describe_column, unique, utc
from hype.session.outgoing import find_careless
from hype.session.steps import CARELESS
from hype.store.columns import RecordedAnswers, object_in
from hype.store.schema import demographics, evaluators, sessions
from hype.study.demographics import DemographicSettings
from hype.study.studies import AnyStudy
from hype.tables.columns import Column, Kind
from hype.tables.reasons import Reason

CellMaker = Callable[[Row[Any]], object]
"""Makes a cell from an evaluator's or a session's row in the record."""


def evaluator_fact(name: str) -> Fact:
    return Fact(describe_column(name, evaluators.c[name]), attrgetter(name))


def whole(name: str, meaning: str, of: CellMaker) -> Fact:
    return Fact(Column(name, Kind.WHOLE, meaning), of)


def flag(name: str, meaning: str, of: CellMaker, *, null: bool = False) -> Fact:
    return Fact(Column(name, Kind.FLAG, meaning, null=null), of)


CAME: Final = (
    Fact(
        Column("assigned_utc", Kind.TEXT, "when the evaluator got a place in the study, in UTC"),
        lambda who: utc(who.assigned_unix_s),
    ),
    whole("sessions", "number of the evaluator's sessions", attrgetter("sessions")),
)


def answers_fact(tally: Tally, name: str, meaning: str) -> Fact:
    return whole(name, meaning, lambda who: tally.by_evaluator[who.evaluator])


def scoring_facts(
    connection: Connection,
    study: AnyStudy,
    tally: Tally,
    answers: RecordedAnswers,
    reasons: Iterable[Reason],
    why_not: CellMaker,
    *,
    simulated: bool,
) -> Iterator[Fact]:
    """Yield three columns: broken rules, number of scored ``answers``, reason if none is scored.

    ``reasons``: all possible reasons. ``why_not``: returns the reason for an evaluator who is not
    left out as careless.
    """
    name, careless = answers.name, find_careless(connection, study, answers, simulated=simulated)
    levels = {reason.name: reason.meaning for reason in reasons}
    left_out = careless if study.settings.exclusion.leave_out else {}
    broke = "how the evaluator's answers break the study's rules of exclusion, in words"
    yield Fact(
        Column("broke_rules", Kind.TEXT, broke, null=True),
        lambda who: "; ".join(careless.get(who.evaluator, {}).values()),
    )
    meaning = f"how many of the evaluator's {name} are scored"
    yield whole("scored", meaning, lambda who: tally.scored[who.evaluator])
    meaning = f"why none of the evaluator's {name} is scored; empty if there is no reason"
    yield Fact(
        Column("not_scored", Kind.TEXT, meaning, levels=levels, null=True),
        lambda who: CARELESS if who.evaluator in left_out else why_not(who),
    )


def evaluator_facts(
    connection: Connection, study: AnyStudy, did: Iterable[Fact], *, simulated: bool
) -> Iterator[Fact]:
    """Yield the columns about a prompted study's evaluators; ``did``: those about their answers."""
    yield from map(evaluator_fact, ("evaluator", "simulated", "share", "status"))
    yield from demographic_facts(connection, study, simulated=simulated)
    yield from CAME
    yield from did


def demographic_facts(
    connection: Connection, study: AnyStudy, *, simulated: bool
) -> Iterator[Fact]:
    """Yield columns: people's answers about themselves, and why the study leaves some people out.

    Questions that are no longer in the study file come last.
    """
    statements: dict[str, dict[int, str]] = {name: {} for name in study.settings.demographics}
    query = (
        select(demographics.c.evaluator_id, demographics.c.question, demographics.c.answer)
        .join(evaluators, demographics.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(demographics.c.id)
    )
    for evaluator_id, question, answer in connection.execute(query):
        statements.setdefault(question, {})[evaluator_id] = answer
    names = unique(
        statements,
        lambda asked: "about_" + (re.sub(r"[^A-Za-z0-9]+", "_", asked).strip("_") or "you"),
        lambda made, number: f"{made}_{number}",
    )
    for question, given in statements.items():
        asked = study.settings.demographics.get(question)
        words = [answer for answer in given.values() if answer]
        column = column_of(names[question], asked.question if asked else question, asked, words)
        yield Fact(column, partial(answer_to, given, column.kind))
    if reasons := study.settings.study.left_out:
        why = Column("left_out", Kind.TEXT, "why the study file leaves the person out", null=True)
        yield Fact(why, lambda who: reasons.get(who.evaluator, ""))


def column_of(
    name: str, words: str, asked: DemographicSettings | None, given: Sequence[str]
) -> Column:
    """Declare the column of a question's answers: numbers if all answers are numbers."""
    meaning = f"answer to the question “{words}”; empty if it was not answered or not asked"
    column = Column(name, Kind.TEXT, meaning, null=True)
    if asked is None or asked.kind == "choice":
        options = (*(asked.options if asked else ()), *given)
        return replace(column, levels=dict.fromkeys(options, "chosen answer"))
    if asked.kind == "number" and all(map(asked.accept, given)):
        return replace(column, kind=Kind.WHOLE if asked.whole else Kind.SIGNED)
    return column


def answer_to(given: Mapping[int, str], kind: Kind, who: Row[Any]) -> str | float | None:
    """Return an evaluator's answer; empty (for numbers, None) if there is no answer."""
    answer = given.get(who.id, "")
    if kind is Kind.TEXT:
        return answer
    number = int if kind is Kind.WHOLE else float
    return number(answer) if answer else None


def read_evaluators(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Read all evaluators in order of arrival, each with the number of their sessions."""
    held = select(func.count()).where(sessions.c.evaluator_id == evaluators.c.id)
    query = (
        select(evaluators, held.scalar_subquery().label("sessions"))
        .where(evaluators.c.simulated == simulated)
        .order_by(evaluators.c.id)
    )
    return connection.execute(query).all()


def read_sessions(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Read the sessions of people or of simulated evaluators in the order of their start."""
    query = (
        select(sessions, evaluators.c.evaluator, evaluators.c.simulated)
        .join(evaluators, sessions.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(sessions.c.id)
    )
    return connection.execute(query).all()


def had_images(session: Row[Any]) -> bool:
    """Whether a session showed images; sessions with the mode "simulated" have no window."""
    return bool(session.mode != "simulated")


SYNCS: Final = {
    "vsync": "the refresh of the screen: flips wait for it",
    "software": "the program; flips do not wait for the screen",
    "presentations": "a browser's reports of when its picture was on the screen",
    "callbacks": "a browser's callbacks, which do not know when the picture was on the screen",
}


def json_fact(column: str, key: str, meaning: str, kind: Kind = Kind.TEXT, **more: Any) -> Fact:
    """Make a column from the values under one key of a JSON column of sessions."""
    exported = Column(key, kind, meaning, null=True, **more)
    return Fact(exported, lambda session: object_in(getattr(session, column)).get(key))


def session_facts(kind: ExportKind, tally: Tally) -> tuple[Fact, ...]:
    """Return the exported facts about each session; the name of the machine is left out."""
    psychopy = "version of PsychoPy; empty if the session showed no images"
    ended = "when the session ended, in UTC; empty if it still runs or was interrupted"

    def version_of_psychopy(session: Row[Any]) -> object:
        return object_in(session.versions).get("psychopy") if had_images(session) else None

    def size_of_screen(session: Row[Any]) -> str | None:
        size_px = object_in(session.display).get("screen_px")
        return " x ".join(map(str, size_px)) if isinstance(size_px, list) else None

    return (
        evaluator_fact("evaluator"),
        Fact(describe_column("session", sessions.c.id), attrgetter("id")),
        evaluator_fact("simulated"),
        Fact(describe_column("mode", sessions.c.mode), attrgetter("mode")),
        Fact(
            Column("started_utc", Kind.TEXT, "when the session started, in UTC", null=True),
            lambda session: utc(session.started_unix_s),
        ),
        Fact(describe_column("utc_offset_s", sessions.c.utc_offset_s), attrgetter("utc_offset_s")),
        Fact(
            Column("ended_utc", Kind.TEXT, ended, null=True),
            lambda session: utc(session.ended_unix_s),
        ),
        Fact(describe_column("ended", sessions.c.ended), attrgetter("ended")),
        Fact(kind.answered, lambda session: tally.by_session[session.id]),
        json_fact("versions", "hype", "version of hype"),
        Fact(Column("psychopy", Kind.TEXT, psychopy, null=True), version_of_psychopy),
        json_fact("versions", "python", "version of Python"),
        json_fact("machine", "system", "operating system"),
        json_fact("display", "refresh_hz", "refresh rate of the display", Kind.NUMBER),
        Fact(
            Column("screen_px", Kind.TEXT, "width and height of the screen in pixels", null=True),
            size_of_screen,
        ),
        json_fact("display", "sync", "what timed the frames", levels=SYNCS),
        json_fact("display", "virtual", "whether the display was virtual", Kind.FLAG),
        Fact(describe_column("study", sessions.c.study), attrgetter("study")),
    )
