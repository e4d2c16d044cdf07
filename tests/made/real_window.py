"""A real window for tests, and its content according to the X server."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageGrab

from hype.protocols.hype.course import JudgementLook
from hype.protocols.hype.settings import Study, TimeSettings
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.stage import Seating, appearance_of, load_picture
from hype.session.steps import PictureRequest, Step
from hype.station import station
from hype.station.config import Keys, StationConfig
from hype.station.frame_clock import FrameClock, SoftwareClock, Surface, SwappedSurface
from hype.station.input_devices import Keyboard
from hype.station.layout import Layout
from hype.station.respondent import Offer, Respondent
from hype.station.station import WindowStation
from hype.station.window import DisplayFacts, x_window_id
from hype.stimuli.manifest import Stimulus, Truth
from hype.study.table import PatchSettings

LONGEST_S = 60.0
"""Even a busy machine reacts to a press within this time."""

FLASHED = JudgementTrial(
    task=Task.TIME,
    block=1,
    number=1,
    stimulus=Stimulus(path="real/0.png", truth=Truth.REAL, condition="", sha256=""),
    exposure_ms=100.0,
    masks=("00001.png", "00002.png"),
    mask_ms=30.0,
)


@dataclass(frozen=True)
class Opened:
    """An open window for a study."""

    window: Any
    facts: DisplayFacts
    study: Study

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return self.facts.window_px

    def config(self, patch: PatchSettings | None = None) -> StationConfig:
        """Return what a station needs to know about the study."""
        return StationConfig(
            keys=Keys(left="f", right="j", go_on="space", pause="escape", left_means="real"),
            appearance=appearance_of(self.study, Seating(simulated=True)),
            texts=self.study.settings.texts.model_dump(),
            patch=patch,
            trials=JudgementLook(cues=TimeSettings(countdown_ms=60.0).cues),
        )

    def layout(self, side_px: int) -> Layout:
        """Make a layout that shows images at ``side_px``."""
        return Layout(self.window, self.config(), side_px)

    def seen(self) -> np.ndarray:
        """Return the window's pixels: height x width x 3."""
        from Xlib import display

        server = display.Display()
        found = server.create_resource_object("window", x_window_id(self.window))
        at = found.translate_coords(found.query_tree().root, 0, 0)
        server.close()
        width, height = self.size_px
        x, y = -at.x, -at.y
        return np.asarray(ImageGrab.grab(bbox=(x, y, x + width, y + height)).convert("RGB"))


@dataclass
class Watched:
    """A surface that keeps an image of the screen after each flip, and logs its calls."""

    surface: Surface
    look: Callable[[], np.ndarray]
    screens: list[np.ndarray] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def render(self) -> None:
        self.surface.render()

    def flip(self) -> None:
        self.surface.flip()
        self.screens.append(self.look())
        self.log.append("flip")

    def clear(self) -> None:
        self.surface.clear()


@dataclass
class Shelf:
    """Gives pictures to the station, and logs its calls."""

    study: Study
    side_px: int
    log: list[str]

    def take(self, request: PictureRequest, /) -> Image.Image:
        self.log.append("take")
        return load_picture(self.study, self.side_px, request)

    def pause(self) -> None:
        self.log.append("pause")

    def resume(self) -> None:
        self.log.append("resume")


@dataclass
class Outlets:
    """Trigger outputs that log their calls."""

    log: list[str]

    def image_on(self) -> None:
        self.log.append("image on")

    def image_off(self) -> None:
        self.log.append("image off")


class InVain(partial[object]):
    """An action without effect: the next one follows although the screen did not change."""


@dataclass
class Onlooker:
    """A person who does one action after the other while a step awaits an answer.

    The next action follows when the station has reacted to the last one: it shows another screen or
    awaits another answer. After the last action the person waits for `LONGEST_S`.
    """

    deeds: list[Callable[[], object]] = field(default_factory=list)
    apart_s: float = 0.06
    offers: Sequence[Offer] = ()
    patience_s: float = 0.05
    watched: Watched | None = None
    _next_s: float = field(default_factory=time.monotonic)
    _before: int | None = None

    def see(self, step: Step, offers: Sequence[Offer]) -> None:
        self.offers = offers
        self._before, self._next_s = None, time.monotonic() + self.apart_s

    def act(self) -> None:
        now_s = time.monotonic()
        if self.deeds and self._is_taken() and now_s >= self._next_s:
            deed = self.deeds.pop(0)
            self._before = None if isinstance(deed, InVain) else self._screens()
            deed()
            self._next_s = time.monotonic() + self.apart_s
        assert now_s < self._next_s + LONGEST_S, f"nothing happens; left: {self.deeds}"

    def _is_taken(self) -> bool:
        return self._before is None or self._before != self._screens()

    def _screens(self) -> int | None:
        return len(self.watched.screens) if self.watched else None


def watch(
    window: Any,
    look: Callable[[], np.ndarray],
    respondent: Respondent | None,
    monkeypatch: pytest.MonkeyPatch,
) -> Watched:
    """Let the next station at a window keep an image of the screen after each flip."""
    watched = Watched(SwappedSurface(window), look)

    def watching_clock(_: object, facts: DisplayFacts) -> FrameClock:
        return SoftwareClock(watched, facts.refresh_hz)

    monkeypatch.setattr(station, "frame_clock", watching_clock)
    if isinstance(respondent, Onlooker):
        respondent.watched = watched
    return watched


def watched_station(
    opened: Opened,
    monkeypatch: pytest.MonkeyPatch,
    patch: PatchSettings | None = None,
    respondent: Respondent | None = None,
) -> tuple[WindowStation, Watched]:
    """Make a station at a real window that keeps an image of the screen after each flip."""
    watched = watch(opened.window, opened.seen, respondent, monkeypatch)
    return station_at(opened, watched.log, patch=patch, respondent=respondent), watched


def station_at(
    opened: Opened,
    log: list[str],
    *,
    patch: PatchSettings | None = None,
    respondent: Respondent | None = None,
) -> WindowStation:
    """Make a station at a real window that logs its calls of other objects in ``log``."""
    return WindowStation(
        opened.window,
        opened.facts,
        opened.config(patch),
        Keyboard(),
        respondent or Onlooker(),
        Shelf(opened.study, opened.facts.image_side_px, log),
        Outlets(log),
        on_pause=lambda shown, response: None,
    )
