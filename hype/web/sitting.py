"""One participant at one page: a step is sent, and its answer is received and committed.

A sitting runs the same session loop as a station, but requests drive it: `session_steps` records
the start of each step before it is shown, and its result before the next step. The record contains
the whole state, so any server with the key can continue a sitting. Each transaction of a sitting
first checks that no other server has continued the sitting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Engine

from hype.session.course import Course
from hype.session.enrol import Enrolled, group_has_room, has_room_still
from hype.session.facts import Clocks
from hype.session.loop import (
    Performed,
    Presentation,
    Script,
    Seen,
    advance,
    replay,
    session_steps,
    shorten,
)
from hype.session.plans import terms_of
from hype.session.stage import Seating
from hype.session.steps import (
    GO_ON,
    NO_ANSWER,
    ChoiceScreen,
    Comprehension,
    Ending,
    Outcome,
    Page,
    PictureRequest,
    Question,
    Response,
    Scene,
    Screen,
    Step,
    Trial,
    TypedQuestion,
)
from hype.session.timing import Request, Timing, judge_timing
from hype.station.config import YES_OR_NO
from hype.store import people
from hype.store.record import (
    failures_explained,
    lock_person,
    rehearsing,
    require_durable,
    transaction,
)
from hype.store.recorder import DurableRecorder
from hype.store.schema import Event
from hype.web.tokens import ServerKey
from hype.web.wire import (
    AnswerReport,
    Callback,
    DisplayRate,
    ImageSize,
    Json,
    PauseReport,
    Refused,
    flips_of,
    frames_in,
    scene_json,
    scene_of_step,
    screen_json,
    words_of,
)

LAST_PAGES: Final = (
    *(Page.DEBRIEF, Page.UNQUALIFIED, Page.WAITING),
    *(Page.DECLINED, Page.GROUP_FULL, Page.MISUNDERSTOOD),
)
"""Last pages of a session. Before one of them is shown, the end of the session is committed."""
AHEAD: Final = 12
"""The number of pictures that a client may fetch in advance."""
SLACK_S: Final = 0.1
"""An answer may seem this much too early, since the clocks of client and server differ."""


class Overtaken(Exception):
    """Another server has continued the session, so this one writes nothing."""


def wrong_report(what: str) -> Refused:
    """Return the refusal of an impossible report: the client is broken, or the report is forged."""
    return Refused(400, "bad", what)


@dataclass(frozen=True, slots=True)
class Browser:
    """Facts about a participant's browser.

    ``facts`` are kept in the session's record, under the same names as for stations.
    """

    facts: Json

    @property
    def rate(self) -> DisplayRate | None:
        """The measured rate of the display; None if nothing is flashed."""
        if "refresh_hz" not in self.facts:
            return None
        return DisplayRate(refresh_hz=self.facts["refresh_hz"], regular=self.facts["regular_share"])


@dataclass(slots=True, kw_only=True)
class StepShown:
    """The current step of a sitting: its name, its start, and what it shows."""

    name: str
    step: Step
    since_s: float
    scene: Scene | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """The progress of a session when this server takes it over.

    ``mark``: a value in the record that changes with each step of the session.
    ``clocks``: the clocks at the session's last step.
    """

    mark: object
    clocks: Clocks
    pages: Sequence[Seen] = ()  # pages seen after the session's last answer to a trial
    steps: int = 0  # the number of steps so far
    answers: int = 0  # the number of answers so far
    ended: str | None = None  # how the session ended, if it did


class Sitting:
    """One participant at one page of their browser.

    ``seat`` names the page; once the participant opens another page, only its seat is valid.
    ``ending`` is how the session ended.
    """

    def __init__(
        self,
        engine: Engine,
        course: Course[Any],
        enrolled: Enrolled[Any],
        *,
        session: int,
        browser: Browser,
        key: ServerKey,
        read_clocks: Callable[[], Clocks],
        before: Before,
        pilot: bool = False,
    ) -> None:
        self.evaluator = enrolled.assignment.evaluator
        self.seat = key.name("seat", session)
        self.session = session
        self.ending: str | None = before.ended
        self._read_clocks = read_clocks
        self._mark = before.mark
        now_s = self._now_s()
        self.last_seen_s = min(now_s, before.clocks.monotonic_s)
        self._simulated = enrolled.simulated
        self._ahead_s = max(0.0, before.clocks.monotonic_s - now_s)
        self._engine, self._course, self._enrolled = engine, course, enrolled
        self._browser, self._key = browser, key
        seating = Seating(simulated=enrolled.simulated, in_browser=True)
        self._config = course.station_config(seating, enrolled.assignment)
        self._size = ImageSize.of(course.study.settings.display, flashes=course.study.flashes)
        self._hz = browser.rate.refresh_hz if browser.rate else math.nan
        self._asks_for_fullscreen = course.study.settings.web.fullscreen == "asked"
        self._recorder = DurableRecorder(
            *(engine, enrolled.owner(session), self._clocks),
            last=before.clocks,
            has_room=partial(group_has_room, course.study),
            has_place=partial(has_room_still, course=course, enrolled=enrolled),
            writing=self._alone,
        )
        self._upcoming = list(enrolled.plan.upcoming(enrolled.answered))
        self._names: dict[str, PictureRequest] = {}
        self._progress: float | None = None
        self._noted_px: int | None = None
        self._last_page: Screen | None = None
        self._number, self._answers_before = before.steps, before.answers
        self._pilot = pilot
        script = course.script(enrolled.plan)
        script = shorten(script) if pilot else script
        self._steps = session_steps(
            *(script, self._recorder),
            answered=enrolled.answered,
            cut_off=enrolled.cut_off,
            # If no step was completed, the session starts again with its welcome page.
            seen=before.pages if before.steps else None,
        )
        self._standing: StepShown | None = None
        if self.ending is not None:
            self._last_page = last_page(script, enrolled, self.ending)
        elif standing := self._go_to(lambda: next(self._steps)):
            standing.since_s = self.last_seen_s
            self._standing = standing

    def is_present(self) -> bool:
        """Return whether the record has no later step, which another server would have written."""
        with failures_explained(self._engine), rehearsing(self._engine) as connection:
            return self._mark == people.mark_of_session(connection, self.session)

    def is_idle_for(self, seconds: float) -> bool:
        return self._now_s() - self.last_seen_s > seconds

    # --- what the client receives

    def view(self) -> Json:
        """Return the current step as the client shows it."""
        self.last_seen_s = self._now_s()
        return self._view()

    def consent(self) -> Json | None:
        """Return the text of the consent page, so that participants can read it again."""
        plan = self._enrolled.plan
        screen = Screen(page=Page.CONSENT, values=terms_of(plan))
        return words_of(self._config, screen) if plan.consent else None

    def picture(self, name: str) -> PictureRequest | None:
        """Return the picture with a name; None if this sitting has not sent the name recently."""
        return self._names.get(name)

    def simulated(self, name: str) -> Json:
        """Draw a simulated participant's answer to the current step; each call draws the same one.

        Raises Refused: ``name`` is not the current step.
        """
        standing = self._standing_at(name)
        if standing is None or standing.name != name:
            raise wrong_report("the report is not about the current step")
        observer = self._course.observer(self._enrolled.plan, seed=0)
        observer.skip(len(self._enrolled.answered) + self._recorder.answers)
        response = observer.respond_to(standing.step)
        return {"answer": response.answer, "rt_ms": response.rt_ms}

    # --- what the client reports

    def take(self, report: AnswerReport) -> Json:
        """Take an answer and return the next step; for a repeated answer, return the current step.

        Raises Refused: the step cannot have been answered yet, or not in this way.
        Raises SessionProblem: the record cannot be written.
        Raises Overtaken: another server has continued the session.
        """
        self.last_seen_s = now_s = self._now_s()
        standing = self._standing_at(report.step)
        if standing is None or report.step != standing.name:
            return self._view()
        elapsed_s = now_s - standing.since_s
        if elapsed_s + SLACK_S < (least_s := self._least_s(standing)):
            raise Refused(425, "early", wait_s=least_s - elapsed_s)
        performed = self._read_report(standing, report, elapsed_s)
        if report.side:
            self._note_side(report.side)
        step = standing.step
        if isinstance(step, Trial) and not (report.trusted or self._simulated):
            self._recorder.note(Event.UNTRUSTED.value, performed.shown)
        if isinstance(step, Trial) and self._config.appearance.progress:
            self._progress = step.done_after(report.answer) or None
        elif isinstance(step, Screen) and step.duration_ms is None and not step.about:
            self._progress = None
        self._standing = self._go_to(lambda: self._steps.send(performed))
        return self._view()

    def _standing_at(self, name: str) -> StepShown | None:
        """Return the current step; if it is feedback and ``name`` is the next page, that page.

        Feedback is not in the record, so another server may have shown it and the next page. Only a
        client that received the next page can know its name.
        """
        step = self._standing.step if self._standing else None
        if isinstance(step, Screen) and step.duration_ms is not None:
            later = ("step", self.session, self._number + 1)
            if any(name == self._key.name(*later, page.value) for page in Page):
                over = Performed(self._presentation(0.0), GO_ON)
                self._standing = self._go_to(lambda: self._steps.send(over))
        return self._standing

    def _note_side(self, side_px: int) -> None:
        """Record the size of flashed images if it has changed, since the window may grow."""
        if self._noted_px is None:
            with rehearsing(self._engine) as connection:
                before = people.latest_answer_to(connection, self.session, Event.RESIZED)
            self._noted_px = int(before or self._browser.facts["image_side_px"])
        if side_px != self._noted_px:
            self._noted_px = side_px
            self._recorder.note(
                Event.RESIZED.value, self._presentation(0.0), Response(str(side_px), "", 0)
            )

    def pause(self, report: PauseReport) -> Json:
        """Record a pause of the session; a trial that cannot continue is shown again."""
        self.last_seen_s = now_s = self._now_s()
        standing = self._standing_at(report.step)
        if standing is None or report.step != standing.name:
            return self._view()
        for_s = min(report.for_ms / 1000, now_s - standing.since_s)
        shown = self._presentation(for_s)
        why, _, _ = report.why.partition("-")
        self._recorder.note(Event.PAUSED.value, shown, Response(why, "", 1000 * for_s))
        if isinstance(standing.step, Trial) and standing.step.is_time_critical:
            self._standing = self._go_to(lambda: self._steps.send(None))
        return self._view()

    def stop(self) -> Json:
        """Stop this session before its end; it can be continued."""
        if self._standing is not None:
            self._end("quit")
        return self._view()

    # --- within

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """Begin a transaction during which no other server can continue this session.

        Raises Overtaken: another server has continued the session.
        """
        with transaction(self._engine) as connection:
            lock_person(connection, self.evaluator, simulated=self._simulated)
            if people.mark_of_session(connection, self.session) != self._mark:
                raise Overtaken
            yield connection
            mark = people.mark_of_session(connection, self.session)
        self._mark = mark

    def _go_to(self, advance: Callable[[], Step]) -> StepShown | None:
        """Go to the next step that the client shows; return None if the session ends."""
        with self._recorder.together():
            step = self._step_after(advance)
        if isinstance(step, Ending):
            self._end(step.value)
            return None
        self._number += not (isinstance(step, Screen) and step.duration_ms is not None)
        what = step.page.value if isinstance(step, Screen) else " ".join(map(str, step.name))
        scene = scene_of_step(step, self._enrolled.plan.follow_ups, self._config)
        name = self._key.name("step", self.session, self._number, what)
        return StepShown(name=name, step=step, since_s=self._now_s(), scene=scene)

    def _step_after(self, advance: Callable[[], Step]) -> Step | Ending:
        try:
            step = advance()
            while isinstance(step, Screen) and step.page in LAST_PAGES:
                self._last_page = step
                step = self._steps.send(Performed(self._presentation(0.0), GO_ON))
        except StopIteration as end:
            return Ending(end.value)
        return step

    def _now_s(self) -> float:
        return self._read_clocks().monotonic_s

    def _clocks(self) -> Clocks:
        """Read the clocks, plus simulated waits; no time is earlier than those already recorded."""
        return self._read_clocks().later(self._ahead_s)

    def _presentation(self, ago_s: float, timing: Timing | None = None) -> Presentation:
        """Return the presentation of a step that was shown ``ago_s`` ago."""
        now = self._clocks()
        return Presentation(now.wall_s - ago_s, now.monotonic_s - ago_s, timing)

    def _end(self, ended: str) -> None:
        """Write the session's end, then read the record again to check that it is there."""
        now, answers = self._clocks(), self._answers_before + self._recorder.answers
        with self._alone() as connection:
            at = {"unix_s": now.wall_s, "monotonic_s": now.monotonic_s}
            people.mark_interrupted(connection, self.session, **at)
            people.end_session(connection, self.session, ended)
        found = partial(people.read_session, session=self.session)
        require_durable(self._engine, lambda opened: found(opened) == (ended, answers))
        self.ending, self._standing = ended, None

    def _view(self) -> Json:
        standing = self._standing
        if standing is None:
            words = words_of(self._config, self._last_page) if self._last_page else {}
            if self._pilot:
                texts = self._config.texts
                words = {"title": texts["pilot"], "body": [texts["pilot_over"]], "close": ""}
            return {"kind": "end", "id": "", "ended": self.ending, **words}
        common: Json = {"id": standing.name, "progress": None, "ahead": []}
        if standing.scene is None:
            if not isinstance(standing.step, Screen):
                raise TypeError(f"{standing.step!r} has no scene")
            ahead, asks = {"ahead": self._ahead()}, self._asks_for_fullscreen
            return (
                common
                | ahead
                | screen_json(*(self._config, standing.step), fullscreen=asks, name_of=self._name)
            )
        sized = {"size": self._size._asdict(), "enlarge": self._browser.facts["enlarge"]}
        is_trial = isinstance(standing.step, Trial)
        progress = {"progress": self._progress if is_trial else None}
        scene = scene_json(standing.scene, refresh_hz=self._hz, name_of=self._name)
        return common | progress | sized | scene | {"ahead": self._ahead(standing.scene.pictures)}

    def _ahead(self, now: Sequence[PictureRequest] = ()) -> list[str]:
        """Return the names of the next pictures of the plan, after those needed ``now``."""
        if now and now[0] in self._upcoming:
            done = self._upcoming.index(now[0]) + len(now)
            self._upcoming = self._upcoming[done - len(now) :]
            return [self._name(request) for request in self._upcoming[len(now) :][:AHEAD]]
        return [self._name(request) for request in self._upcoming[:AHEAD]]

    def _name(self, request: PictureRequest) -> str:
        name = self._key.name("picture", self.session, request.mask, request.path)
        self._names.pop(name, None)
        self._names[name] = request
        while len(self._names) > 4 * AHEAD:
            del self._names[next(iter(self._names))]
        return name

    def _least_s(self, standing: StepShown) -> float:
        """Return the shortest possible time from a step's start to its answer."""
        step, scene = standing.step, standing.scene
        if self._simulated:
            return 0.0
        if isinstance(step, Screen):
            return (step.duration_ms or 0.0) / 1000
        shown_ms = step.shown_ms
        if scene and scene.flash:
            shown_ms += sum(cue.ms for cue in scene.flash.cues)
        return shown_ms / 1000

    def _read_report(
        self, standing: StepShown, report: AnswerReport, elapsed_s: float
    ) -> Performed:
        """Convert a report to the result of the current step.

        Raises Refused: the report does not fit the step.
        """
        step, scene = standing.step, standing.scene
        rt_ms = report.rt_ms if self._simulated else min(report.rt_ms, 1000 * elapsed_s)
        if isinstance(step, Screen):
            answer = self._answer_of_screen(step, report.answer)
            shown = self._presentation(elapsed_s)
            return Performed(shown, Response(answer, report.key, rt_ms))
        if scene is None or report.answer not in scene.answers:
            raise wrong_report(f"{report.answer[:32]!r} is not an answer to this step")
        answer = report.answer
        if scene.limit and (rt_ms > scene.limit.limit_ms or answer == scene.limit.otherwise):
            answer, rt_ms = scene.limit.otherwise, scene.limit.limit_ms
        timing = None
        if flash := scene.flash:
            frames, judged_by = frames_in(flash, self._hz), self._browser.facts["sync"]
            try:
                callbacks = [Callback(*callback) for callback in report.callbacks or ()]
                flips = flips_of(callbacks, frames, self._hz, judged_by, presented=report.presented)
            except ValueError as error:
                raise wrong_report(str(error)) from None
            requests = list(map(Request, flash.exposures_ms, frames))
            tolerance_ms = flash.tolerance_ms
            timing = judge_timing(requests, flips, refresh_hz=self._hz, tolerance_ms=tolerance_ms)
        response = Response(answer, "" if answer == NO_ANSWER else report.key, rt_ms)
        since_onset_s = rt_ms / 1000 + step.shown_ms / 1000
        if self._simulated:  # no real time passed, so the clock is moved forward instead
            self._ahead_s += max(0.0, since_onset_s - elapsed_s)
        else:
            since_onset_s = min(since_onset_s, elapsed_s)
        return Performed(self._presentation(since_onset_s, timing), response)

    def _answer_of_screen(self, screen: Screen, answer: str) -> str:
        if isinstance(screen, TypedQuestion) and (kept := screen.asked.accept(answer)):
            return kept
        if isinstance(screen, ChoiceScreen):
            allowed: tuple[str, ...] = screen.answers
        else:
            allowed = YES_OR_NO if screen.choice else ("",)
        if answer not in allowed:
            raise wrong_report(f"{answer[:32]!r} is not an answer to this screen")
        return answer


def last_page(script: Script, enrolled: Enrolled[Any], ended: str) -> Screen | None:
    """Return the last page of a session that is over; None if it was left before the end."""
    if ended not in people.PARTS_END:
        return None
    step, _ = replay(script, enrolled.answered)
    while isinstance(step, Screen) and step.page not in LAST_PAGES:
        answer = YES_OR_NO[ended == Ending.DECLINED.value] if step.choice else ""
        ends = {Ending.FULL.value: Question, Ending.MISUNDERSTOOD.value: Comprehension}
        is_over = isinstance(step, ends.get(ended, ()))
        step = advance(script, Outcome(Response(answer), is_over=is_over))
    return step if isinstance(step, Screen) else None
