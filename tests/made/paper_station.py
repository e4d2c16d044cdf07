"""Plans, and a station without a window that runs them, for tests of the protocol."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from admitted import enrol
from builders import stimulus
from sqlalchemy import Engine, Row, Table, select

from hype.protocols.hype.staircase import Staircase
from hype.protocols.hype.trial import BlockPlan, JudgementTrial, SessionPlan, Task
from hype.protocols.registry import course_of
from hype.session.admitting import study_for
from hype.session.enrol import begin_session, group_has_room
from hype.session.loop import Answered, Presentation, SessionStopped, TrialLeft, run_session
from hype.session.steps import (
    GO_ON,
    NO_ANSWER,
    Outcome,
    Page,
    Pay,
    Question,
    Response,
    Screen,
    Step,
    Trial,
    TypedQuestion,
)
from hype.session.timing import Flip, Request, Timing, frames_of, judge_timing
from hype.stimuli.manifest import Truth
from hype.store.people import Evaluator, end_session, list_evaluators
from hype.store.record import RECORD_FILE
from hype.store.recorder import DurableRecorder
from hype.store.sqlite_record import writing_record
from hype.study.studies import AnyStudy

PLACES = {Task.PRACTICE: 0, Task.QUALIFICATION: 100, Task.TIME: 300, Task.INFINITY: 800}


def block(
    task: Task,
    trials: int,
    number: int = 1,
    *,
    timed: bool | None = None,
    feedback: bool = False,
    rule: Staircase | None = None,
    repeat_spoiled: bool = False,
) -> BlockPlan:
    """Return a block with images that no other block has, real and fake in turn."""
    timed = task is Task.TIME if timed is None else timed
    first = PLACES[task] + 100 * (number - 1)
    stimuli = [stimulus(first + n // 2, "model" if n % 2 else "") for n in range(trials)]
    return BlockPlan(
        task=task,
        number=number,
        stimuli=tuple(stimuli),
        feedback=feedback,
        staircase=(rule or Staircase()) if task is Task.TIME else None,
        exposure_ms=500.0 if timed and task is not Task.TIME else None,
        masks=tuple((f"{n}.png", f"{n + 1}.png") for n in range(trials)) if timed else (),
        mask_ms=30.0 if timed else 0.0,
        repeat_spoiled=repeat_spoiled,
    )


def session(
    *blocks: BlockPlan, pass_rate: float = 0.65, consent: bool = True, breaks: bool = True
) -> SessionPlan:
    """Return a plan with these blocks."""
    return SessionPlan(
        evaluator="p01",
        condition="model",
        blocks=blocks,
        pass_rate=pass_rate,
        pay=Pay(base=1.0, per_correct=0.02, currency="$"),
        minutes=20,
        feedback_ms=600.0,
        consent=consent,
        breaks=breaks,
    )


REASON = '=1+1 "<b>odd</b>" hands'
"""The reason that people write for an answer; a spreadsheet or a page could misread it."""
ByTrial = Callable[[JudgementTrial, int], bool]
"""Tells whether something is true of the n-th trial (from 0), such as a correct answer."""

REFRESH_HZ = 60.0


def other(truth: Truth) -> str:
    """Return the wrong answer."""
    return "fake" if truth is Truth.REAL else "real"


def timing_of(trial: JudgementTrial, *, late_frames: float = 0.0) -> Timing:
    """Return the timing of a trial on a display whose image stays some frames too long."""
    durations_ms = [trial.exposure_ms or 0.0, *(trial.mask_ms for _ in trial.masks)]
    requests = [Request(ms, frames_of(ms, REFRESH_HZ)) for ms in durations_ms]
    onsets_s = [10.0]
    for place, request in enumerate(requests):
        frames = request.frames + (0 if place else late_frames)
        onsets_s.append(onsets_s[-1] + frames / REFRESH_HZ)
    return judge_timing(requests, [Flip(s, s, s) for s in onsets_s], refresh_hz=REFRESH_HZ)


@dataclass
class PaperStation:
    """Presenter, responder and recorder in one object, which logs all calls.

    In trials for which ``spoils`` is true, the screen drops a frame; with ``times`` all other
    trials have a timing. Trials for which ``run_out`` is true get no answer. Trials in ``leaves``,
    numbered as by `number`, are paused once at their question.
    """

    answers_correctly: ByTrial = lambda trial, n: True
    spoils: ByTrial = lambda trial, n: False
    run_out: ByTrial = lambda trial, n: False
    times: bool = False
    consents: bool = True
    stops_at: int | None = None
    stops_asked: int | None = None  # the evaluator stops at this question about an answer
    asked: int = 0
    leaves: set[int] = field(default_factory=set)
    before: int = 0
    log: list[tuple[str, Step]] = field(default_factory=list)
    rows: list[tuple[Any, Outcome]] = field(default_factory=list)

    def begin(self, step: Step) -> None:
        self.log.append(("begin", step))

    def present(self, step: Step) -> Presentation:
        self.log.append(("present", step))
        late = isinstance(step, Trial) and self.spoils(step, self.number)
        if not late and not (self.times and isinstance(step, Trial) and step.is_time_critical):
            return Presentation(0.0, 0.0)
        return Presentation(0.0, 0.0, timing_of(step, late_frames=float(late)))

    def interrupt(self, trial: Trial) -> None:
        self.log.append(("interrupt", trial))

    def respond(self, step: Step) -> Response:
        self.log.append(("respond", step))
        if isinstance(step, Question) and step.about:
            self.asked += 1
            if self.asked == self.stops_asked:
                raise SessionStopped
            return Response(REASON if isinstance(step, TypedQuestion) else step.answers[-1])
        if isinstance(step, Screen):
            if not step.choice:
                return GO_ON
            return Response("yes" if self.consents else "no")
        if self.number == self.stops_at:
            raise SessionStopped
        if self.number in self.leaves:
            self.leaves.discard(self.number)
            raise TrialLeft
        if self.run_out(step, self.number):
            return Response(NO_ANSWER, "", 2000.0)
        truth = step.stimulus.truth
        right = self.answers_correctly(step, self.number)
        return Response(truth.value if right else other(truth), "f", 100.0 + self.number)

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        self.log.append(("record", step))
        if isinstance(step, Trial):
            self.rows.append((step, Outcome(response, shown.spoiled)))

    @property
    def number(self) -> int:
        """The number of trials answered so far in the session, here or at earlier stations."""
        return self.before + len(self.rows)

    @property
    def steps(self) -> list[Step]:
        """The steps that were shown, in order."""
        return [step for what, step in self.log if what == "present"]

    @property
    def pages(self) -> list[str]:
        """The pages and tasks that were shown; consecutive trials of a task count once."""
        names = [s.page.value if isinstance(s, Screen) else f"<{s.task.value}>" for s in self.steps]
        return [n for i, n in enumerate(names) if i == 0 or n != names[i - 1] or n[0] != "<"]

    def page(self, page: Page) -> Screen:
        """Return the screen of this page, which was shown once."""
        (found,) = (s for s in self.steps if isinstance(s, Screen) and s.page is page)
        return found


def as_answered(rows: Sequence[tuple[Trial, Outcome]]) -> list[Answered]:
    """Return recorded rows in the form that a resumed session reads."""
    return [
        Answered(t.name, t.fingerprint, outcome.response, outcome.spoiled) for t, outcome in rows
    ]


class Keeping:
    """A recorder that writes to the record and to the memory of the paper station."""

    def __init__(self, station: PaperStation, recorder: DurableRecorder) -> None:
        self._both = (recorder, station)

    def begin(self, step: Step) -> None:
        for recorder in self._both:
            recorder.begin(step)

    def interrupt(self, trial: Trial) -> None:
        for recorder in self._both:
            recorder.interrupt(trial)

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        durable, station = self._both
        station.record(step, shown, response)
        durable.record(step, shown, response)


def sit(
    engine: Engine,
    study: AnyStudy,
    evaluator: str,
    station: PaperStation | None = None,
    *,
    simulated: bool = False,
    new_version: bool = False,
) -> str:
    """Run a session at a paper station as `hype run` does at a window."""
    station = station or PaperStation()
    study = study_for(engine, study, evaluator, simulated=simulated)
    protocol = course_of(study)
    with engine.begin() as connection:
        enrolled = enrol(
            connection, protocol, evaluator, simulated=simulated, new_version=new_version
        )
        session_id = begin_session(
            *(connection, enrolled, study),
            mode="simulated-window" if simulated else "person",
            display={},
        )
    station.before = len(enrolled.answered)
    durable = DurableRecorder(
        engine, enrolled.owner(session_id), has_room=partial(group_has_room, study)
    )
    recorder = Keeping(station, durable)
    try:
        ended = run_session(
            *(protocol.script(enrolled.plan), station, station, recorder),
            answered=enrolled.answered,
            cut_off=enrolled.cut_off,
        ).value
    except SessionStopped:
        ended = "quit"
    with engine.begin() as connection:
        end_session(connection, session_id, ended)
    return ended


def record_of(study: AnyStudy) -> AbstractContextManager[Engine]:
    """Open a study's record for writing."""
    return writing_record(study.folder / RECORD_FILE)


def rows_of(engine: Engine, table: Table) -> list[Row[Any]]:
    """Read a whole table of the record."""
    with engine.connect() as connection:
        return list(connection.execute(select(table).order_by(table.c.id)))


def evaluators_of(engine: Engine, *, simulated: bool = False) -> list[Evaluator]:
    """Read all evaluators."""
    with engine.connect() as connection:
        return list_evaluators(connection, simulated=simulated)
