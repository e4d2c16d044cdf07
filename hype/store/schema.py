"""The record's tables. Each column and its meaning are declared once, also for exports and docs.

An evaluator is assigned a cell only once. Each start of the program for an evaluator is a session;
all sessions of an evaluator use the same plan.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from hype.session.steps import LEFT_OUT, Ending
from hype.store.columns import column, metadata, numbering
from hype.store.kept import answer_tables

VERSION: Final = 2
"""Version of this schema. A record of another version is refused."""


class Event(str, Enum):
    """Events of a session other than its screens.

    ``interrupted``: a trial was shown but not answered, and will be repeated. ``suspended``: the
    machine slept. ``stopped``: the program was stopped, but not the machine. ``clock-set``: the
    wall clock was set (``seconds`` is negative if it was set back). ``window-closed``,
    ``told-to-end``: why a session ended without a pause. ``images-resized``: from this event on,
    flashed images have a new side length, which is the event's answer (in CSS pixels).
    ``let-in-again``: an evaluator who declined or waited may continue. ``untrusted``: in a browser,
    a script gave the next answer instead of a key or a click.
    """

    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    SUSPENDED = "suspended"
    STOPPED = "stopped"
    CLOCK_SET = "clock-set"
    WINDOW_CLOSED = "window-closed"
    TERMINATED = "told-to-end"
    RESIZED = "images-resized"
    LET_IN_AGAIN = "let-in-again"
    UNTRUSTED = "untrusted"


STATUSES: Final = {
    "active": "has started, and has not finished",
    Ending.COMPLETE.value: "has answered every trial",
    Ending.UNQUALIFIED.value: "did not pass the qualification",
    Ending.WAITING.value: "was tested, and waits for the experimenter to decide",
    Ending.DECLINED.value: "did not consent",
    Ending.FULL.value: "belongs to a group that has enough people",
    Ending.MISUNDERSTOOD.value: "answered the question about the instructions wrongly twice",
    LEFT_OUT: "is left out by the study file; a status of exports and scores, never of the record",
}

MODES: Final = {
    "person": "a person at the station",
    "web": "a person with a browser",
    "simulated-window": "a simulated evaluator at a real window",
    "simulated-web": "a simulated evaluator over HTTP",
    "simulated": "a simulated evaluator without a window; nothing was shown",
}
ENDINGS: Final = {
    Ending.COMPLETE.value: "every trial was answered",
    Ending.UNQUALIFIED.value: "the qualification was not passed",
    Ending.WAITING.value: "the session waited for the experimenter's decision after the test",
    Ending.DECLINED.value: "the evaluator did not consent",
    Ending.FULL.value: "the study had enough people of the evaluator's group",
    Ending.MISUNDERSTOOD.value: "the question about the instructions was answered wrongly twice",
    "quit": "the evaluator left before the end, and can resume",
    "broke-off": "the session was interrupted, and can be resumed",
}

studies = Table(
    "studies",
    metadata,
    Column("checksum", String(64), primary_key=True, comment="SHA-256 of the resolved study"),
    column("resolved", Text, "the study file with every default filled in, as JSON"),
)

evaluators = Table(
    "evaluators",
    metadata,
    numbering("evaluator"),
    column("evaluator", String(64), "the evaluator's code"),
    column(
        "drawn_for",
        String(64),
        "the code that the plan was drawn for, if hype merge --prefix changed it; else empty",
        null=True,
    ),
    column("simulated", Boolean, "whether evaluators were simulated"),
    column(
        "condition",
        String(64),
        "the condition that this evaluator judges; empty if the evaluator judges all",
        blank=True,
    ),
    column("methods", String(64), "the evaluator's methods in order, separated by spaces"),
    column(
        "left_means",
        String(4),
        "the answer of the left key: real or fake; empty if the key means the left image",
        blank=True,
    ),
    column(
        "share",
        Integer,
        "number of the evaluator's share of the design, from 1; empty if it is not divided",
        null=True,
    ),
    column(
        "pairs",
        Text,
        "the pairs of conditions that the arena chose for the evaluator, as JSON",
        null=True,
    ),
    column(
        "groups",
        Text,
        "names of the groups that a checker was given to rank, separated by spaces",
        null=True,
    ),
    column(
        "qualified_in",
        Text,
        "study whose test was passed; a dot if admitted after this study's test; else empty",
    ),
    column("seed", String(40), "the study's seed, which determines all random choices"),
    column("study", String(64), "checksum of the study at the time of assignment"),
    column("plan", String(64), "SHA-256 of the session plan"),
    column(
        "mask_files",
        String(64),
        "SHA-256 over the plan's mask files; empty without masks",
        null=True,
    ),
    column("status", String(16), "status of the evaluator", levels=STATUSES),
    column("assigned_unix_s", Float, "when the evaluator was assigned, by the wall clock"),
    column(
        "place_unix_s",
        Float,
        "when the evaluator got the place by consenting, or last came back to it; empty before",
        null=True,
    ),
    column(
        "freed_unix_s",
        Float,
        "when the place was freed; empty if it was not, or if the evaluator has a place again",
        null=True,
    ),
    UniqueConstraint("evaluator", "simulated"),
)

sessions = Table(
    "sessions",
    metadata,
    numbering("session"),
    Column("evaluator_id", ForeignKey("evaluators.id"), nullable=False, index=True),
    column("study", String(64), "checksum of the study that the session used"),
    column("mode", String(16), "person or simulated evaluator, and their station", levels=MODES),
    column("observer_seed", String(40), "seed of the simulated evaluator's answers", null=True),
    column("versions", Text, "program and library versions, as JSON"),
    column("machine", Text, "host, operating system, processor, as JSON"),
    column("display", Text, "facts about the display, as JSON"),
    column("started_unix_s", Float, "when the session started, by the wall clock"),
    column("heard_unix_s", Float, "when the last step was recorded, by the wall clock"),
    column("utc_offset_s", Float, "offset of local time from UTC at the start"),
    column(
        "ended_unix_s", Float, "when the session ended; empty if it runs or broke off", null=True
    ),
    column(
        "ended",
        String(16),
        "how the session ended; empty while it runs, or until an interruption is noticed",
        null=True,
        levels=ENDINGS,
    ),
    column(
        "showing",
        String(64),
        "the trial that is being shown: task, block and trial; empty between trials",
        null=True,
    ),
    column("timing", Text, "the session's timing table, as JSON; empty while it runs", null=True),
)

demographics = Table(
    "demographics",
    metadata,
    numbering("answer"),
    Column("evaluator_id", ForeignKey("evaluators.id"), nullable=False),
    column("question", String(64), "name of the question in the study file"),
    column("answer", Text, "the answer; empty if it was withheld", blank=True),
    UniqueConstraint("evaluator_id", "question"),
)

events = Table(
    "events",
    metadata,
    numbering("event"),
    Column("session_id", ForeignKey("sessions.id"), nullable=False),
    column("event", String(32), "name of the screen that was shown, or of another event"),
    column("answer", String(8), "the answer on this screen, if any"),
    column("task", String(16), "task of the trial that was shown during the event", null=True),
    column("block", Integer, "block of that trial", null=True),
    column("trial", Integer, "number of that trial", null=True),
    column(
        "seconds",
        Float,
        "how long the machine or program was stopped, or how far the clock was set",
        null=True,
    ),
    column("unix_s", Float, "when the screen appeared or the event was noticed, by the wall clock"),
    column("monotonic_s", Float, "the same moment as unix_s, by the monotonic clock"),
    column("rt_ms", Float, "how long the screen was shown"),
)

Index("events_of_session", events.c.session_id)

removals = Table(
    "removals",
    metadata,
    numbering("removal"),
    column("simulated", Boolean, "whether the evaluator was simulated"),
    column("condition", String(64), "the condition that the evaluator had judged"),
    column("methods", String(64), "the evaluator's methods in order, separated by spaces"),
    column("sessions", Integer, "how many sessions were removed"),
    column("judgements", Integer, "how many answers were removed"),
    column("removed_unix_s", Float, "when the data were removed, by the wall clock"),
)
"""Evaluators whose data were removed on request, without the evaluators' codes."""


def tables() -> tuple[Table, ...]:
    """Return all tables, each after the tables that it depends on."""
    return (studies, evaluators, sessions, *answer_tables(), demographics, events, removals)
