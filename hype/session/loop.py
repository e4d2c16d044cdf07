"""The session loop, and the three small interfaces that it uses.

A script (`hype.protocols.hype.course`) is a generator: it yields steps and is sent their outcomes.
The loop passes each step to the presenter and the responder, and each answered trial to the record,
before the script continues. The loop does not know the meaning of the steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from hype.errors import SessionProblem
from hype.session.steps import (
    GO_ON,
    TASKS,
    Ending,
    Outcome,
    Page,
    PictureRequest,
    Question,
    Response,
    Screen,
    Step,
    Trial,
    TrialName,
)
from hype.session.timing import Timing, Verdict

Script = Generator[Step, Outcome, Ending]
Seen = tuple[Page, str]
"""A finished page, and its answer."""


class SessionStopped(Exception):
    """Raised by a responder or presenter when the evaluator chooses to stop for now."""


class TrialLeft(Exception):
    """Raised by a responder: a trial was interrupted by a pause and must be shown again."""


class PartOver(Exception):
    """Raised by a recorder when it has stored an answer that ends the evaluator's part."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """What the display showed for one step, and when."""

    # When the image came on, by the wall clock and by the monotonic clock, which cannot be set back
    onset_unix_s: float
    onset_monotonic_s: float
    # How long image and masks lasted; None if nothing was flashed on a real window
    timing: Timing | None = None

    @property
    def spoiled(self) -> bool:
        """Whether the screen did not show the trial as requested."""
        return self.timing is not None and self.timing.verdict is not Verdict.OK

    def seen_before(self) -> Presentation:
        """Mark the trial as shown before, which spoils a flashed trial."""
        if self.timing is None or self.spoiled:
            return self
        return replace(self, timing=replace(self.timing, verdict=Verdict.SEEN))


class Presenter(Protocol):
    """Shows a step; returns when it can be answered."""

    def present(self, step: Step) -> Presentation: ...


class Responder(Protocol):
    """Answers the step that is being shown."""

    def respond(self, step: Step) -> Response:
        """Wait for the answer to ``step``; return `GO_ON` if the step asks nothing.

        Raises TrialLeft: the trial was interrupted and must be shown again.
        """
        ...


class SimulatedEvaluator(Protocol):
    """A simulated evaluator."""

    def respond_to(self, step: Step) -> Response: ...

    def skip(self, trials: int) -> None:
        """Skip trials that were answered before the session was resumed."""
        ...


class Recorder(Protocol):
    """Records what was shown and answered. When a method returns, its data are safely stored."""

    def begin(self, step: Step) -> None:
        """Record that a step is about to be shown."""
        ...

    def interrupt(self, trial: Trial) -> None:
        """Record that a trial was shown without an answer, and will be repeated."""
        ...

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        """Record a step and its answer.

        Raises PartOver: the answer is recorded, and ends the evaluator's part.
        """
        ...


@dataclass(frozen=True, slots=True)
class Answered:
    """What a replay needs of a recorded trial."""

    name: TrialName
    fingerprint: str
    response: Response
    spoiled: bool = False
    follow_ups: Collection[str] = ()  # names of the answered questions about this trial


@dataclass(frozen=True, slots=True)
class Performed:
    """A step that was shown and answered."""

    shown: Presentation
    response: Response


PILOTED: Final = 5
"""The number of images, pairs or groups of each kind in a pilot."""

Steps = Generator[Step, Performed | None, Ending]
"""Yields each step of a session and receives its outcome, or None if a trial was interrupted."""


def run_session(
    script: Script,
    presenter: Presenter,
    responder: Responder,
    recorder: Recorder,
    *,
    answered: Sequence[Answered] = (),
    cut_off: Collection[TrialName] = (),
) -> Ending:
    """Run ``script`` to its end and return how it ended.

    ``answered``: the trials already in the record, in order. These trials are sent through the
    script again without being shown, and the session continues at the first step after them.
    ``cut_off``: the trials that were shown in earlier sessions without an answer.

    Raises SessionProblem: a recorded trial differs from the script's trial, since the plan has
    changed.
    """
    steps = session_steps(script, recorder, answered=answered, cut_off=cut_off)
    performed: Performed | None = None
    while True:
        try:
            step = steps.send(performed)
        except StopIteration as end:
            return Ending(end.value)
        shown = presenter.present(step)
        try:
            performed = Performed(shown, responder.respond(step))
        except TrialLeft:
            if isinstance(step, Screen):
                raise
            performed = None


def session_steps(
    script: Script,
    recorder: Recorder,
    *,
    answered: Sequence[Answered] = (),
    cut_off: Collection[TrialName] = (),
    seen: Sequence[Seen] | None = None,
) -> Steps:
    """Yield the steps of a session to a caller that shows them and sends back each outcome.

    The start of each step is recorded before the step is yielded, and its outcome before the next
    step. An interrupted trial is repeated. ``seen``: the pages after the last answer to a trial,
    with their answers, if the session continues without interruption; None for a new or interrupted
    session. The other parameters are as in `run_session`.
    """
    left = set(cut_off)

    def perform(step: Step) -> Generator[Step, Performed | None, Outcome]:
        while True:
            recorder.begin(step)
            performed = yield step
            if performed is None:
                if isinstance(step, Trial):
                    recorder.interrupt(step)
                    left.add(step.name)
                continue
            shown, response = performed.shown, performed.response
            if isinstance(step, Trial):
                response = step.read(response)
                shown = shown.seen_before() if step.name in left else shown
            try:
                recorder.record(step, shown, response)
            except PartOver:
                return Outcome(response, shown.spoiled, is_over=True)
            return Outcome(response, shown.spoiled)

    step, instructions = replay(script, answered, seen or ())
    if answered and seen is None and not isinstance(step, Ending):
        yield from perform(Screen(page=Page.RESUMED))
        explains = isinstance(step, Screen) and step.page in TASKS
        if instructions and not explains:
            yield from perform(instructions)
    while not isinstance(step, Ending):
        step = advance(script, (yield from perform(step)))
    return step


def advance(script: Script, outcome: Outcome | None) -> Step | Ending:
    """Send ``script`` an outcome (None to start it); return its next step, or how it ended."""
    try:
        return next(script) if outcome is None else script.send(outcome)
    except StopIteration as end:
        return Ending(end.value)


def shorten(script: Script) -> Script:
    """Yield the trials of the first `PILOTED` images of each kind, and the pages that lead to them.

    All other trials get their first possible answer, which is the right one in judgements and
    comparisons (if there is a right one). Pages after the last yielded trial are left out, since
    they would show results.
    """
    seen: dict[object, set[tuple[PictureRequest, ...]]] = {}
    pages: list[Screen] = []
    skips = False
    step = advance(script, None)
    while not isinstance(step, Ending):
        outcome = Outcome(GO_ON)
        if isinstance(step, Trial):
            images = seen.setdefault((step.task, step.is_time_critical), set())
            skips = step.pictures not in images and len(images) == PILOTED
            if skips:
                outcome = Outcome(Response(step.answers[0]))
            else:
                images.add(step.pictures)
                yield from (page for page in pages)  # a list cannot receive outcomes
                outcome = yield step
            pages.clear()
        elif seen and step.duration_ms is None and not isinstance(step, Question):
            pages.append(step)
        elif not skips:
            outcome = yield step
        step = advance(script, outcome)
    return step


def replay(
    script: Script, answered: Sequence[Answered], seen: Sequence[Seen] = ()
) -> tuple[Step | Ending, Screen | None]:
    """Send ``script`` the recorded responses and return the first step that is not answered.

    Also return the last page of instructions before that step; a person who was away sees it again.
    Screens before recorded trials are skipped, since the evaluator has seen them. Also skipped
    after the last trial: feedback, its answered questions, and the pages in ``seen``.
    """
    step, instructions = advance(script, None), None
    for past in answered:
        while isinstance(step, Screen):
            instructions = step if step.page in TASKS else instructions
            step = advance(script, Outcome(step.passing))
        planned = None if isinstance(step, Ending) else (step.name, step.fingerprint)
        if (past.name, past.fingerprint) != planned:
            where = f"{past.name.task} block {past.name.block} trial {past.name.number}"
            raise SessionProblem(
                f"{where}: the record and the plan disagree; the study, its stimuli or the "
                "program changed since this session began"
            )
        step = advance(script, Outcome(past.response, past.spoiled))
    pages = deque(seen)
    if pages and instructions and pages[0][0] is instructions.page:
        pages.popleft()  # the instructions were repeated
    while isinstance(step, Screen):
        answer = ""
        if step.duration_ms is None:
            if pages and pages[0][0] is step.page:
                _, answer = pages.popleft()
            elif not (step.about and step.page.value in answered[-1].follow_ups):
                break
        elif not answered:
            break
        is_over = bool(pages) and pages[0][0] in (Page.GROUP_FULL, Page.MISUNDERSTOOD)
        step = advance(script, Outcome(Response(answer), is_over=is_over))
    return step, instructions
