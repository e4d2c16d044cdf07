"""The sittings of this server, one for each participant; the record can restore them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, extract, func, select

from hype.errors import InputError, NobodyNeeded
from hype.session.admitting import admit, expect, study_for
from hype.session.course import Course
from hype.session.enrol import Enrolled, begin_session, resume_any
from hype.session.facts import Clocks
from hype.session.steps import PictureRequest
from hype.session.versions import study_of_enrolled
from hype.store import people
from hype.store.people import IN_BROWSER
from hype.store.postgres import is_postgres
from hype.store.record import failures_explained, rehearsing
from hype.store.recorder import read_clocks
from hype.study.studies import AnyStudy, GrowingStudy
from hype.web.arrivals import Participant, TurnedAway, Why
from hype.web.sitting import Before, Browser, Overtaken, Sitting
from hype.web.tokens import ServerKey
from hype.web.wire import Json, Refused

BegunT = TypeVar("BegunT")
KEPT_S: Final = 3600.0
"""How long a sitting without requests stays in memory; the record can restore it."""

AGAIN_S: Final = 0.5
"""The time after which a page asks again if another server is continuing its session."""
NOT_TAKEN: Final[Mapping[str, Why]] = {
    "full": "group_full",
    "declined": "declined",
    "waiting": "waiting",
}
"""The text for people who come back, by their status; everybody else gets "came_before"."""


class DisplayUnfit(Exception):
    """A display cannot flash the study's images."""


class Sittings:
    """All sittings of this server, by participant."""

    def __init__(
        self,
        engine: Engine,
        growing: GrowingStudy,
        course_of: Callable[[AnyStudy], Course[Any]],
        key: ServerKey,
        *,
        pilot: bool = False,
        new_version: bool = False,
    ) -> None:
        self._engine, self._pilot, self._new_version = engine, pilot, new_version
        self._growing, self._course_of = growing, course_of
        self._study = growing.now()
        self._key = key
        self._is_shared = is_postgres(engine)
        self._read_clocks = clocks_of_store(engine) if self._is_shared else read_clocks
        self._seated: dict[Participant, Sitting] = {}
        self._turns: dict[Participant, Lock] = {}
        self._courses: dict[str, Course[Any]] = {}
        self._loading = Lock()

    def load(self) -> None:
        """Load what newcomers need, so that the first one does not have to wait.

        Raises HypeError: newcomers would be refused.
        """
        expect(
            self._engine, self._course_of_checksum(self._growing.now()), "nobody", simulated=False
        )

    def status(self, who: Participant) -> str | None:
        """Return a participant's status in the record; None if they have not started."""
        with rehearsing(self._engine) as connection:
            evaluator = people.find_evaluator(connection, who.evaluator, simulated=who.simulated)
        return evaluator.status if evaluator else None

    def sit(self, who: Participant, browser: Browser) -> Json:
        """Start a session at a participant's new page; an earlier page can no longer continue.

        Raises TurnedAway: their participation has ended, or nobody else can take part now.
        Raises DisplayUnfit: the display cannot flash the study's images.
        Raises InputError: an image of the study is missing or was changed.
        Raises Refused: another server is continuing the session, or it is over.
        Raises SessionProblem: the record cannot be written.
        """
        with self._turn(who):
            course = self._course_for(who)
            if browser.rate:
                try:
                    course.refuse_display(browser.rate.refresh_hz)
                except InputError as error:
                    raise DisplayUnfit(str(error)) from None

            def begin(connection: Connection, enrolled: Enrolled[Any]) -> tuple[int, object] | None:
                """Start a session; None if this page has already started it and asks again."""
                latest = people.latest_session(connection, enrolled.number)
                if latest and not latest.ended:
                    page = json.loads(latest.display).get("page")
                    if page == browser.facts["page"]:
                        return None
                mode, display = IN_BROWSER[who.simulated], browser.facts
                number = begin_session(
                    connection, enrolled, course.study, mode=mode, display=display
                )
                return number, people.mark_of_session(connection, number)

            enrolled, begun = self._admit(who, course, begin)
            for other, idle in list(self._seated.items()):
                if idle.is_idle_for(KEPT_S):
                    self._seated.pop(other, None)
            try:
                if begun is None:
                    sitting = self._take_up(who)
                else:
                    session, mark = begun
                    sitting = self._seated[who] = Sitting(
                        *(self._engine, course, enrolled),
                        session=session,
                        browser=browser,
                        key=self._key,
                        read_clocks=self._read_clocks,
                        pilot=self._pilot,
                        before=Before(mark=mark, clocks=self._read_clocks()),
                    )
            except Overtaken:  # another server is continuing the session
                raise Refused(503, "busy", wait_s=AGAIN_S) from None
            if sitting is None:
                raise Refused(410, "gone")
            return {"seat": sitting.seat, "consent": sitting.consent(), "step": sitting.view()}

    def _admit(
        self,
        who: Participant,
        course: Course[Any],
        begin: Callable[[Connection, Enrolled[Any]], BegunT],
    ) -> tuple[Enrolled[Any], BegunT]:
        """Admit a participant with `admit`.

        Raises TurnedAway: the participant cannot take part, or no place is free.
        """
        try:
            return admit(
                *(self._engine, course, who.evaluator, begin),
                simulated=who.simulated,
                wanted_only=True,
                new_version=self._new_version,
            )
        except NobodyNeeded as nobody:
            ended = "unqualified" if nobody.why == "not_qualified" else ""
            raise TurnedAway(nobody.why, ended) from None

    def do(self, who: Participant, seat: str, what: Callable[[Sitting], Json]) -> Json:
        """Call ``what`` with a participant's sitting, while none of their other requests runs.

        Raises Refused: they opened another page, the session is over, or ``what`` refuses.
        Raises TurnedAway: someone else has the participant's place, and no other place is free.
        Raises SessionProblem: the record cannot be written or read; what was committed is safe.
        """
        with self._turn(who):
            needs_place = False
            while True:
                sitting = self._present(who)
                if sitting is None or sitting.seat != seat:
                    is_elsewhere = sitting is not None and sitting.ending is None
                    raise Refused(409, "moved") if is_elsewhere else Refused(410, "gone")
                idle_s = 60 * self._study.settings.web.release_minutes
                try:
                    if needs_place or sitting.is_idle_for(idle_s):
                        sitting = self._place_again(who)
                    return what(sitting)
                except Refused:
                    raise
                except (Overtaken, NobodyNeeded) as why:
                    self._seated.pop(who, None)
                    needs_place = isinstance(why, NobodyNeeded)
                except Exception:
                    self._seated.pop(who, None)  # the sitting is built again from the record
                    raise

    def _place_again(self, who: Participant) -> Sitting:
        """Give a participant their place back, or another free place, and return their sitting.

        Raises TurnedAway: no place is free; then the session is stopped.
        """
        try:
            self._admit(who, self._course(who), lambda *_: None)
        except TurnedAway:
            if sitting := self._take_up(who):
                sitting.stop()
            raise
        if (sitting := self._take_up(who)) is None:
            raise Refused(410, "gone")
        return sitting

    def picture(self, who: Participant, name: str) -> PictureRequest | None:
        """Return the picture that has this name for a participant; None if unknown or expired."""
        sitting = self._seated.get(who)
        wanted = sitting.picture(name) if sitting else None
        if wanted:
            return wanted
        with self._turn(who):
            sitting = self._present(who)
            if sitting is None:
                return None
            sitting.view()
            return sitting.picture(name)

    def flashes(self, who: Participant) -> bool:
        return self._course(who).study.flashes

    def _course_for(self, who: Participant) -> Course[Any]:
        """Return the course of the study version that a participant takes part in.

        Raises TurnedAway: their participation has ended, or too many people are here now.
        """
        silent_s = 60 * self._study.settings.web.present_minutes
        with failures_explained(self._engine), rehearsing(self._engine) as connection:
            evaluator = people.find_evaluator(connection, who.evaluator, simulated=who.simulated)
            study = self._growing.now()
            if evaluator:
                study = study_of_enrolled(connection, study, evaluator)
            at_once = people.sitting_now(
                connection, IN_BROWSER.values(), since_s=time.time() - silent_s
            )
        if evaluator and evaluator.status in people.PARTS_END:
            raise TurnedAway(NOT_TAKEN.get(evaluator.status, "came_before"), evaluator.status)
        others = at_once - {evaluator.id if evaluator else None}
        if len(others) >= self._study.settings.web.most_at_once and not who.simulated:
            raise TurnedAway("full")
        return self._course_of_checksum(study)

    def _turn(self, who: Participant) -> Lock:
        """Return the lock that lets only one of a participant's requests run at a time."""
        return self._turns.setdefault(who, Lock())

    def _present(self, who: Participant) -> Sitting | None:
        """Return a participant's sitting; rebuild it if another server continued it."""
        sitting = self._seated.get(who)
        while True:
            try:
                return sitting if sitting and sitting.is_present() else self._take_up(who)
            except Overtaken:
                sitting = None

    def _take_up(self, who: Participant) -> Sitting | None:
        """Build a participant's sitting from the record; None if no session is open.

        Raises Overtaken: another server is continuing the session.
        """
        self._seated.pop(who, None)
        course = self._course(who)
        with failures_explained(self._engine), rehearsing(self._engine) as connection:
            evaluator = people.find_evaluator(connection, who.evaluator, simulated=who.simulated)
            latest = people.latest_session(connection, evaluator.id) if evaluator else None
            if evaluator is None or latest is None or latest.ended == people.BROKE_OFF:
                return None
            if evaluator.freed_unix_s is not None or latest.mode not in IN_BROWSER.values():
                return None  # the place was freed, or the participant is at a station now
            mark = people.mark_of_session(connection, latest.id)  # first, to detect any later step
            enrolled = replace(
                resume_any(connection, course, evaluator),
                cut_off=people.cut_off(connection, evaluator.id, current=latest.id),
            )
            last = people.last_sign(connection, latest.id)
            now = self._read_clocks()
            if last and last[1] > now.monotonic_s and not (who.simulated or self._is_shared):
                return None  # the machine, and so its clock, was restarted
            # Before the first step, the record has only the time when the session started.
            begun = replace(now, wall_s=max(now.wall_s, latest.started_unix_s))
            ended, answers = people.read_session(connection, latest.id)
            before = Before(
                mark=mark,
                pages=people.pages_after_answers(connection, latest.id),
                steps=people.steps_performed(connection, latest.id),
                answers=answers,
                clocks=now.earlier(*last) if last else begun,
                ended=ended,
            )
        sitting = self._seated[who] = Sitting(
            *(self._engine, course, enrolled),
            session=latest.id,
            browser=Browser(json.loads(latest.display)),
            key=self._key,
            read_clocks=self._read_clocks,
            pilot=self._pilot,
            before=before,
        )
        return sitting

    def _course(self, who: Participant) -> Course[Any]:
        return self._course_of_checksum(
            study_for(self._engine, self._growing.now(), who.evaluator, simulated=who.simulated)
        )

    def _course_of_checksum(self, study: AnyStudy) -> Course[Any]:
        checksum = study.checksum()
        with self._loading:  # each study is loaded once, even if several people need it now
            if checksum not in self._courses:
                self._courses[checksum] = self._course_of(study)
            course = self._courses[checksum]
            course.study = study  # the people whom the study leaves out may have changed
            return course


def clocks_of_store(engine: Engine) -> Callable[[], Clocks]:
    """Return clocks that agree between machines, because they are set by the database's clock.

    The database is asked for its time five times, and the quickest reply counts. From then on, the
    clocks follow this machine's clock since boot, which nobody can set.
    """
    now_there = select(extract("epoch", func.clock_timestamp()))
    replies: list[tuple[float, float]] = []
    with failures_explained(engine), engine.connect() as connection:
        for _ in range(5):
            asked_s = read_clocks().boot_s
            there_s = float(connection.execute(now_there).scalar_one())
            took_s = read_clocks().boot_s - asked_s
            replies.append((took_s, there_s - asked_s - took_s / 2))
    _, behind_s = min(replies)

    def read() -> Clocks:
        now = read_clocks()
        common_s = now.boot_s + behind_s
        return replace(now, monotonic_s=common_s, boot_s=common_s)

    return read
