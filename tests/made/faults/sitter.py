"""A sitter: a process that runs a session as `hype.session.live` does, and may be killed.

It needs no window, and reports on a pipe what it starts, shows and has recorded. So the reader of
the pipe knows what an evaluator saw before the process died.
"""

import importlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paper_station import timing_of

from faults import file_calls, privileges, statements
from faults.system_calls import BreakingDisk
from hype.protocols.hype.trial import JudgementTrial
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.admitting import admit
from hype.session.enrol import begin_session
from hype.session.live import close_session, perform, simulate_evaluator
from hype.session.loop import Presentation, Recorder
from hype.session.simulate import WindowlessStation
from hype.session.steps import Question, Response, Screen, Step, Trial
from hype.station.window import DisplayFacts
from hype.store.record import RECORD_FILE
from hype.store.recorder import DurableRecorder, trial_text
from hype.store.seats import evaluator_seat, hold_seat
from hype.store.sqlite_record import writing_record

Tell = Callable[..., None]

PROGRAM: Any = importlib.import_module("hype.cli.main")
"""The module; ``hype.cli.main`` as an attribute of its package is a function."""

FACTS = DisplayFacts(
    window_px=(100, 100),
    screen_px=(100, 100),
    image_side_px=16,
    screen=0,
    fullscreen=False,
    renderer="none",
    refresh_hz=60.0,
    flip_hz=60.0,
    sync="vsync",
    virtual=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """Options of a sitter's session.

    The sitter looks at each step for ``pace_ms``. Every ``spoils``-th trial of a block is spoiled
    (0: none). A fault happens at its ``at``-th occasion (0: never); ``how`` names its kind.
    An ``ordinary`` sitter has no privileges, even if root runs it.
    """

    folder: str
    evaluator: str = "e1"
    seed: int = 0
    pace_ms: float = 0.0
    spoils: int = 0
    fault: str = ""
    at: int = 0
    how: str = ""
    ordinary: bool = False


class QuickStation:
    """Shows nothing, lets a simulated evaluator answer, and reports what a person would see."""

    def __init__(self, station: WindowlessStation, sitting: Sitting, tell: Tell) -> None:
        self._station = station
        self._sitting = sitting
        self._tell = tell
        breaks = sitting.fault == "system calls"
        self._disk = BreakingDisk(sitting.at, sitting.how) if breaks else None

    def present(self, step: Step) -> Presentation:
        self._tell("shown", name_of(step))
        if self._disk and not isinstance(step, Screen):
            self._disk.trial_shown()
        time.sleep(self._sitting.pace_ms / 1000)
        shown = self._station.present(step)
        if not isinstance(step, JudgementTrial) or step.exposure_ms is None:
            return shown
        late = bool(self._sitting.spoils) and step.number % self._sitting.spoils == 0
        timing = timing_of(step, late_frames=float(late))
        return Presentation(shown.onset_unix_s, shown.onset_monotonic_s, timing)

    def respond(self, step: Step) -> Response:
        return self._station.respond(step)

    def show_trouble(self) -> None:
        """Report that the session cannot continue."""
        self._tell("trouble")


class Telling:
    """A recorder that passes calls on to another one, and reports before and after each call."""

    def __init__(self, recorder: Recorder, tell: Tell) -> None:
        self._recorder = recorder
        self._tell = tell

    def begin(self, step: Step) -> None:
        self._tell("begin", name_of(step))
        self._recorder.begin(step)
        self._tell("begun", name_of(step))

    def interrupt(self, trial: Trial) -> None:
        self._recorder.interrupt(trial)

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        self._tell("answered", name_of(step))
        self._recorder.record(step, shown, response)
        self._tell("recorded", name_of(step))


def name_of(step: Step) -> str:
    """Return a step's name for the pipe: a screen's page, or a trial's task, block and number.

    A question about the evaluator has its page and its own name.
    """
    if isinstance(step, Question):
        return f"{step.page.value}:{step.name}"
    return step.page.value if isinstance(step, Screen) else trial_text(step.name)


def hold(sitting: Sitting, tell: Tell) -> None:
    """Run a session in the order of `hype.session.live.hold_session`."""
    study = load_any(Path(sitting.folder))
    record = study.folder / RECORD_FILE
    seat = evaluator_seat(sitting.evaluator, simulated=True)
    with (
        writing_record(record) as engine,
        hold_seat(record, seat, f"the session of {sitting.evaluator!r}"),
    ):
        protocol = course_of(study)
        begin = partial(
            begin_session,
            study=study,
            mode="simulated-window",
            display=asdict(FACTS),
            observer_seed=sitting.seed,
        )
        enrolled, session = admit(engine, protocol, sitting.evaluator, begin, simulated=True)
        mind = simulate_evaluator(protocol, enrolled, sitting.seed)
        windowless = WindowlessStation(
            mind, unix_s=time.time(), monotonic_s=time.monotonic(), countdown_ms=0.0
        )
        station = QuickStation(windowless, sitting, tell)
        tell("session", session)
        durable = DurableRecorder(engine, enrolled.owner(session))
        ended = perform(station, Telling(durable, tell), protocol.script(enrolled.plan), enrolled)
        close_session(engine, session, ended, durable.answers)
    tell("ended", ended)


def install(sitting: Sitting) -> Callable[[], int]:
    """Install the fault of the options; return a function that counts its occasions so far."""
    if sitting.ordinary:
        privileges.drop()
    if sitting.fault == "statements":
        return statements.install(sitting.at)
    if sitting.fault == "file calls":
        return file_calls.install(sitting.at, sitting.how)
    return int


def sit(sitting: Sitting, pipe: int) -> None:
    """Run a session as one run of the program, with the program's own handling of errors."""

    def tell(*words: object) -> None:
        os.write(pipe, (" ".join(map(str, words)) + "\n").encode())

    occasions = install(sitting)

    def command() -> None:
        tell("up")
        hold(sitting, tell)
        tell("occasions", occasions())
        sys.exit(0)

    PROGRAM.program = lambda _: command  # instead of the command line
    PROGRAM.main()
