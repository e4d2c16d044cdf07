"""Each time the program was started for an evaluator: a table beside the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, select

from hype.export.columns import ExportedColumn, Kind, documented
from hype.export.kind import ExportKind
from hype.export.naming import utc
from hype.export.pieces import Tally
from hype.store.columns import object_in
from hype.store.schema import evaluators, sessions

MODES: Final = {
    "person": "a person at the station",
    "simulated-window": "a simulated evaluator at a real window",
    "simulated": "a simulated evaluator without a window; nothing was shown",
}
ENDINGS: Final = {
    "complete": "every trial was answered",
    "unqualified": "the qualification was not passed",
    "declined": "the evaluator did not consent",
    "quit": "left before the end, to be resumed",
    "broke-off": "broke off, to be resumed",
}
SYNCS: Final = {
    "vsync": "flips wait for the screen",
    "software": "flips do not wait, and the program times the frames",
}


def maybe(
    name: str,
    meaning: str,
    kind: Kind = Kind.TEXT,
    *,
    unit: str = "",
    levels: Mapping[str, str] | None = None,
) -> ExportedColumn:
    """Describe a column that may be empty."""
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
    maybe("refresh_hz", "refresh rate of the display", Kind.NUMBER, unit="Hz"),
    maybe("screen_px", "width and height of the screen in pixels"),
    maybe("sync", "what timed the frames", levels=SYNCS),
    maybe("virtual", "whether the display was a virtual one", Kind.FLAG),
    documented("study", sessions.c.study),
)


def session_columns(kind: ExportKind) -> tuple[ExportedColumn, ...]:
    return (*WHEN, kind.answered, *HOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
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


def sittings(connection: Connection, *, simulated: bool) -> list[Sitting]:
    """Read the sessions of people, or of simulated evaluators, in the order of their beginning."""
    query = (
        select(sessions, evaluators.c.evaluator, evaluators.c.simulated)
        .join(evaluators, sessions.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(sessions.c.id)
    )
    return [
        Sitting(
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


def session_row(one: Sitting, tally: Tally) -> tuple[object, ...]:
    """Give a session's row of the table."""
    screen_px = one.display.get("screen_px")
    return (
        *(one.evaluator, one.session, one.simulated, one.mode),
        *(utc(one.started_unix_s), one.utc_offset_s, utc(one.ended_unix_s), one.ended),
        tally.by_session[one.session],
        one.versions.get("hype"),
        one.versions.get("psychopy") if one.shown else None,
        one.versions.get("python"),
        one.system,
        one.display.get("refresh_hz"),
        " x ".join(map(str, screen_px)) if isinstance(screen_px, list) else None,
        *(one.display.get("sync"), one.display.get("virtual"), one.study),
    )
