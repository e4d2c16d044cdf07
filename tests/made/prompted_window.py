"""A real window for comparisons, ratings and rankings, and people who press keys and click."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import window_places
from builders import noise
from PIL import Image, ImageGrab
from programs import program
from real_window import Outlets, Watched, watch

from hype.protocols.comparison.course import ComparisonLook
from hype.protocols.comparison.settings import ComparisonTexts
from hype.protocols.comparison.trial import (
    ComparisonBlock,
    ComparisonPlan,
    ComparisonTask,
    ComparisonTrial,
    Planned,
)
from hype.protocols.prompted.screen import PairPlaces, pair_places
from hype.protocols.prompted.trial import Candidate, Choice
from hype.session.loop import Answered, Presentation, Script, run_session
from hype.session.steps import Ending, Pay, PictureRequest, Question, Response, Step, Trial
from hype.station.boxes import Box
from hype.station.config import Keys, StationConfig
from hype.station.input_devices import Keyboard
from hype.station.respondent import Respondent, SimulatedRespondent
from hype.station.station import WindowStation
from hype.station.window import DisplayFacts, open_window, window_place, x_window_id

LOOK = replace(
    window_places.LOOK,
    size_px=180,
    monitor_cm=None,
    fullscreen=False,
    window_px=(800, 600),
    text_rgb=(245, 245, 245),
)
KEYS = Keys(left="f", right="j", go_on="space", pause="escape", tie="t", undo="backspace")
KEYS = replace(KEYS, not_relevant="n", both_bad="b")
PAY = Pay(base=0.0, per_correct=0.01, currency="$")
ASKED = ComparisonLook(
    questions={"preference": "Which image do you prefer?"},
    prompt="hidden",
    word_ms=40.0,
    mouse=True,
    neither=(Choice.TIE,),
)
TRIAL = ComparisonTrial(
    task=ComparisonTask.COMPARISON,
    block=1,
    number=1,
    prompt="a bag",
    left=Candidate(path="flow/0.png", condition="flow", sha256="l"),
    right=Candidate(path="pca/0.png", condition="pca", sha256="r"),
    criterion="preference",
)
READING_MS = 20.0


@dataclass(frozen=True)
class PairWindow:
    """An open window for comparisons."""

    window: Any
    facts: DisplayFacts

    def seen(self) -> np.ndarray:
        """Return the window's pixels: height x width x 3."""
        at = window_place(self.window)
        corners = (at.x_px, at.y_px, at.x_px + at.width_px, at.y_px + at.height_px)
        return np.asarray(ImageGrab.grab(bbox=corners).convert("RGB"))

    def places(self, asked: ComparisonLook = ASKED) -> PairPlaces:
        """Return the places of images and texts in the window."""
        side_px, prompt = self.facts.image_side_px, asked.prompt != "hidden"
        return pair_places(
            self.facts.window_px,
            side_px,
            prompt=prompt,
            neither=len(asked.neither),
            reference=asked.reference,
        )

    def cut(self, screen: np.ndarray, box: Box) -> np.ndarray:
        """Return the part of a screen that a box covers."""
        width, height = self.facts.window_px
        top, left = round(height / 2 - box.top), round(width / 2 + box.left)
        return screen[top : top + round(box.height), left : left + round(box.width)]

    def click(self, box: Box, button: int = 1) -> None:
        """Click on the middle of a box with the real mouse pointer."""
        self._use_mouse(*self._move_to(box), "click", str(button))

    def drag(self, start: Box, end: Box) -> None:
        """Drag from the middle of one box to the middle of another."""
        self._use_mouse(*self._move_to(start), "mousedown", "1", "sleep", "0.05")
        self._use_mouse(*self._move_to(end), "sleep", "0.05", "mouseup", "1")

    def _move_to(self, box: Box) -> tuple[str, str, str]:
        at, (width, height) = window_place(self.window), self.facts.window_px
        x, y = at.x_px + round(width / 2 + box.x), at.y_px + round(height / 2 - box.y)
        return "mousemove", str(x), str(y)

    def _use_mouse(self, *commands: str) -> None:
        subprocess.run([program("xdotool"), *commands], check=True)


def opened_window(*, virtual: bool) -> Iterator[PairWindow]:
    """Open the window, yield it, and close it."""
    window, facts = open_window(LOOK, virtual=virtual)
    yield PairWindow(window, facts)
    window.close()


def press(key: str) -> None:
    """Press a key through the X server, as a person does."""
    subprocess.run([program("xdotool"), "key", key], check=True)


def picture_of(path: str, side_px: int) -> Image.Image:
    """Return the picture for a path."""
    return noise(sum(path.encode()), side_px).convert("RGB")


def candidate(name: str) -> Candidate:
    """Return an image that no other name has."""
    return Candidate(path=f"{name}.png", condition=name, sha256=f"sum of {name}")


@dataclass
class Shelf:
    """Gives pictures, a different noise for each path, and logs which were taken."""

    side_px: int
    log: list[str] = field(default_factory=list)
    taken: list[PictureRequest] = field(default_factory=list)

    def take(self, request: PictureRequest, /) -> Image.Image:
        self.log.append("take")
        self.taken.append(request)
        return picture_of(request.path, self.side_px)

    def pause(self) -> None:
        """Do nothing, since nothing is decoded in advance."""

    def resume(self) -> None:
        """Do nothing, as in `pause`."""


@dataclass
class Kept:
    """A recorder that keeps everything in memory."""

    rows: list[tuple[Step, Presentation, Response]] = field(default_factory=list)
    interrupted: list[Trial] = field(default_factory=list)

    def begin(self, step: Step) -> None:
        """Do nothing when a step starts."""

    def interrupt(self, trial: Trial) -> None:
        self.interrupted.append(trial)

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        self.rows.append((step, shown, response))

    def responses(self, kind: type[Step]) -> list[Response]:
        """Return the responses to one kind of step."""
        return [response for step, _, response in self.rows if type(step) is kind]


@dataclass
class Told:
    """A simulated mind that gives the answers in a list, one per trial, and logs the trials."""

    answers: Sequence[str]
    rt_ms: float = 20.0
    questions: Mapping[str, str] = field(default_factory=dict)
    seen: list[Trial] = field(default_factory=list)

    def respond_to(self, step: Step) -> Response:
        if isinstance(step, Trial):
            self.seen.append(step)
            return Response(self.answers[len(self.seen) - 1], "", self.rt_ms)
        if isinstance(step, Question):
            return Response(self.questions[step.name])
        return Response("yes" if step.choice else "")


@dataclass(frozen=True)
class At:
    """A station with a log of its work, its pictures and the recorded pauses."""

    station: WindowStation
    watched: Watched
    pauses: list[str]
    shelf: Shelf

    def answered(self, step: Step) -> tuple[Presentation, Response]:
        """Show a step and wait for its answer."""
        shown = self.station.present(step)
        return shown, self.station.respond(step)


def station_at(
    pair: PairWindow,
    monkeypatch: pytest.MonkeyPatch,
    respondent: Respondent,
    asked: Any = ASKED,
    texts: Mapping[str, str] | None = None,
) -> At:
    """Make a station whose screens are kept at each flip; by default it shows comparisons."""
    watched = watch(pair.window, pair.seen, respondent, monkeypatch)
    config = StationConfig(
        keys=replace(KEYS, tie="space") if isinstance(asked, ComparisonLook) else KEYS,
        appearance=LOOK,
        texts=texts or ComparisonTexts().model_dump(),
        trials=asked,
    )
    pauses: list[str] = []
    shelf = Shelf(pair.facts.image_side_px, watched.log)
    at = WindowStation(
        *(pair.window, pair.facts, config, Keyboard(), respondent, shelf, Outlets(watched.log)),
        on_pause=lambda _shown, response: pauses.append(response.answer),
    )
    return At(at, watched, pauses, shelf)


@contextmanager
def seated(pair: PairWindow, mind: Told) -> Iterator[SimulatedRespondent]:
    """Yield a simulated evaluator at the window, and let it leave at the end."""
    robot = SimulatedRespondent(mind, window_id=x_window_id(pair.window), reading_ms=READING_MS)
    yield robot
    robot.leave()


def hold(at: At, script: Script, answered: Sequence[Answered] = ()) -> Kept:
    """Run a session to its end."""
    kept = Kept()
    assert run_session(script, at.station, at.station, kept, answered=answered) is Ending.COMPLETE
    return kept


def answers_of(kept: Kept) -> list[Answered]:
    """Return the recorded answers to trials."""
    return [
        Answered(step.name, step.fingerprint, response)
        for step, _, response in kept.rows
        if isinstance(step, Trial)
    ]


def planned(number: int, task: ComparisonTask = ComparisonTask.COMPARISON) -> Planned:
    """Plan a comparison with images that no other comparison has."""
    return Planned(
        task=task,
        prompt=f"a bag number {number}",
        left=replace(TRIAL.left, path=f"flow/{number}.png"),
        right=replace(TRIAL.right, path=f"pca/{number}.png"),
        obvious=None if task is ComparisonTask.COMPARISON else Choice.LEFT,
    )


def plan_of(*counted: Planned, practice: Sequence[Planned] = (), **changes: Any) -> ComparisonPlan:
    """Plan a short session."""
    block = partial(ComparisonBlock, number=1, criteria=ASKED.questions)
    learnt = [block(items=tuple(practice), task=ComparisonTask.PRACTICE)] if practice else []
    plan = ComparisonPlan(
        evaluator="p01",
        blocks=(*learnt, block(items=counted, task=ComparisonTask.COMPARISON)),
        questions=(),
        neither=(Choice.TIE,),
        word_ms=0.0,
        hasty_ms=0.0,
        wait_ms=150.0,
        limit_ms=None,
        checked="preference",
        pay=Pay(base=1.0, per_correct=0.03, currency="$"),
        minutes=1,
        consent=True,
        breaks=True,
    )
    return replace(plan, **changes)


def changed(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return which pixels differ."""
    return (before != after).any(axis=2)
