"""A window without a display, with a virtual clock; it drops frames on request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import floor

from hype.station.frame_clock import CHANGED_BY

LOOK_S = 1e-5
"""Reading the clock takes this long, so a loop that reads it until a given time does end."""


@dataclass
class FakeTime:
    """A clock that advances only when it is read, or when something takes time."""

    now_s: float = 1000.0
    oversleeps_s: float = 0.0005

    def monotonic(self) -> float:
        self.now_s += LOOK_S
        return self.now_s

    def sleep(self, seconds: float, /) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.now_s += seconds + self.oversleeps_s

    def take(self, seconds: float) -> None:
        """Let some time pass."""
        self.now_s += seconds


@dataclass
class Screen:
    """What was drawn and called, in order, and the times at which the screen changed."""

    log: list[str] = field(default_factory=list)
    changes_s: list[float] = field(default_factory=list)

    def drawing(self, name: str, time: FakeTime, takes_s: float = 0.0) -> Callable[[], None]:
        """Return a function that draws a picture, which takes ``takes_s``."""

        def draw() -> None:
            self.log.append(f"draw {name}")
            time.take(takes_s)

        return draw

    def render(self) -> None:
        self.log.append("render")

    def noting(self, name: str) -> Callable[[], None]:
        """Return a function that logs its calls."""
        return lambda: self.log.append(name)


class WaitingWindow(Screen):
    """A window whose flips wait for the next frame.

    ``missed`` is the number of frames that a flip misses, ``late_s`` is how late it returns; both
    by the number of the flip, from 0.
    """

    def __init__(
        self,
        time: FakeTime,
        refresh_hz: float = 60.0,
        *,
        missed: Mapping[int, int] | None = None,
        late_s: Mapping[int, float] | None = None,
    ) -> None:
        super().__init__()
        self._time = time
        self._hz = refresh_hz
        self._missed = missed or {}
        self._late_s = late_s or {}

    def flip(self) -> None:
        number = len(self.changes_s)
        frame = floor(self._time.now_s * self._hz) + 1 + self._missed.get(number, 0)
        self.changes_s.append(frame / self._hz)
        self._time.now_s = frame / self._hz + self._late_s.get(number, 0.0)
        self.log.append("flip")

    def clear(self) -> None:
        self.log.append("clear")


class HastyWindow(Screen):
    """A window whose flips do not wait; the screen changes during the time that a flip takes.

    ``costs_s``, by flip number (from 0): the time of flips that do not take ``flip_s``.
    ``changes_at``, by flip number: the share of this time after which the screen changes.
    """

    def __init__(
        self,
        time: FakeTime,
        *,
        flip_s: float = 0.001,
        costs_s: Mapping[int, float] | None = None,
        changes_at: Mapping[int, float] | None = None,
    ) -> None:
        super().__init__()
        self._time = time
        self._flip_s = flip_s
        self._costs_s = costs_s or {}
        self._changes_at = changes_at or {}

    def flip(self) -> None:
        number = len(self.changes_s)
        takes_s = self._costs_s.get(number, self._flip_s)
        self.changes_s.append(self._time.now_s + takes_s * self._changes_at.get(number, CHANGED_BY))
        self._time.take(takes_s)
        self.log.append("flip")

    def clear(self) -> None:
        self.log.append("clear")
