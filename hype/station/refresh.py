"""At what rate a display runs, and whether flips wait for it: measured, and compared.

Nothing is taken on trust. The mode that the system reports and the flips that were measured must
agree with one another and with what the study wants.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hype.errors import SessionProblem

Sync = Literal["vsync", "software"]

LONGEST_S: Final = 2.0
"""No flip is begun later than this after the first; one that is under way cannot be broken off."""
QUEUED_FLIPS: Final = 10
LONGEST_QUEUE_S: Final = 0.5
"""The first flips are not counted, since drivers may put them into a queue at once."""
FIRST_FLIPS: Final = 3
"""Flips from which it is known how long to pause between the next ones."""
PAIRS: Final = 40
FEWEST_PAIRS: Final = 5
PAUSE: Final = 0.4
"""Pause between two flips, as a share of what lies between flips without it."""
GROWTH: Final = 1.2
"""Flips that wait take up the pause; others take this much longer with it, and more."""
OFF_BEAT: Final = 0.25
REGULAR: Final = 0.75
"""So many flips that wait come no more than that share of a frame off the beat."""
NO_SCREEN_HZ: Final = 1_100.0
"""No screen shows so many frames a second."""
SHORTEST_S: Final = 1e-6
"""Flips are not told apart from ones that take no time."""
NEARLY: Final = 0.03
"""Relative difference up to which two refresh rates are the same."""


class UnfitDisplay(SessionProblem):
    """A display on which a session cannot be held. ``code`` says for programs why."""

    def __init__(self, code: str, problem: str, remedy: str) -> None:
        self.code = code
        super().__init__(f"{problem}; {remedy}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What flips told of a display: how many there are in a second, and whether they wait."""

    flip_hz: float
    waits: bool


class Flips:
    """Flips one after the other, each with the time since the one before, until time is up."""

    def __init__(
        self,
        flip: Callable[[], object],
        now: Callable[[], float],
        pause: Callable[[float], None],
    ) -> None:
        self._flip, self._now, self._pause = flip, now, pause
        self._start_s = self._last_s = now()

    @property
    def elapsed_s(self) -> float:
        """Time since the beginning."""
        return self._now() - self._start_s

    def after(self, pause_s: float) -> float:
        """Pause, flip, and give the time since the flip before, in s."""
        if pause_s:
            self._pause(pause_s)
        self._flip()
        before_s, self._last_s = self._last_s, self._now()
        return self._last_s - before_s

    def run(self, number: int, until_s: float) -> list[float]:
        """Flip so many times without a pause, or fewer if ``until_s`` comes first."""
        return [self.after(0.0) for _ in range(number) if self.elapsed_s < until_s]


def measure(
    flip: Callable[[], object],
    *,
    now: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Measured:
    """Measure flips for at most `LONGEST_S`, and find out whether they wait for the screen.

    Every other flip comes after a pause that is shorter than a frame. A flip that waits for the
    screen ends when the next frame begins, pause or not. One that does not wait ends later by as
    long as the pause was. With and without the pause take turns, so that a load that comes and
    goes meets both alike.

    Raises
    ------
    UnfitDisplay
        Flips take so long that there were too few to tell.
    """
    flips = Flips(flip, now, pause)
    flips.run(QUEUED_FLIPS, LONGEST_QUEUE_S)
    bare_s = flips.run(FIRST_FLIPS, LONGEST_S)
    paused_s: list[float] = []
    while len(paused_s) < PAIRS and flips.elapsed_s < LONGEST_S:
        bare_s.append(flips.after(0.0))
        if flips.elapsed_s < LONGEST_S:
            paused_s.append(flips.after(PAUSE * statistics.median(bare_s)))
    if len(paused_s) < FEWEST_PAIRS:
        raise UnfitDisplay(
            "flips-too-slow",
            f"in {flips.elapsed_s:.1f} s the display showed too few pictures to measure its "
            "refresh rate",
            "wake the screen, end what keeps the machine or the graphics card busy, and try again",
        )
    return judged(bare_s, paused_s)


def judged(bare_s: Sequence[float], paused_s: Sequence[float]) -> Measured:
    """Tell from the times between flips, without and with a pause, whether they wait.

    Those that wait come whole frames apart. On a busy machine others come at any time, and then
    the pauses alone would not tell.
    """
    typical_s = max(statistics.median(bare_s), SHORTEST_S)
    grows = statistics.median(paused_s) >= GROWTH * typical_s
    frames = [max(1, round(interval_s / typical_s)) for interval_s in (*bare_s, *paused_s)]
    off = [
        abs(interval_s / typical_s - number)
        for interval_s, number in zip((*bare_s, *paused_s), frames, strict=True)
    ]
    regular = sum(share <= OFF_BEAT for share in off) >= REGULAR * len(off)
    if grows or not regular or 1 / typical_s > NO_SCREEN_HZ:
        return Measured(flip_hz=1 / typical_s, waits=False)
    return Measured(flip_hz=sum(frames) / (sum(bare_s) + sum(paused_s)), waits=True)


def settle(mode_hz: float | None, measured: Measured, wanted_hz: float) -> tuple[Sync, float]:
    """Compare what is known of a display's refresh rate.

    Parameters
    ----------
    mode_hz
        What the system says; None where it does not.
    measured
        What flips told.
    wanted_hz
        The study's ``display.refresh_hz``.

    Returns
    -------
    What times exposures, and the rate that makes frames into durations: the mode's, which is
    exact; else the measured one if flips wait, else the study's.

    Raises
    ------
    UnfitDisplay
        Two of them are not the same; names both.
    """
    if measured.waits:
        if mode_hz is not None and not same_rate(mode_hz, measured.flip_hz):
            raise disagreement(mode_hz, measured.flip_hz)
        known_hz: float | None = mode_hz or round(measured.flip_hz, 2)
    else:
        known_hz = mode_hz
    if known_hz is not None and not same_rate(known_hz, wanted_hz):
        how = "flips were measured at" if mode_hz is None else "the display's mode is"
        raise UnfitDisplay(
            "refresh-not-wanted",
            f"display.refresh_hz = {wanted_hz:g}, but {how} {known_hz:.2f} Hz",
            f"set the display to {wanted_hz:g} Hz, or display.refresh_hz to {known_hz:.4g}",
        )
    return "vsync" if measured.waits else "software", known_hz or wanted_hz


def disagreement(mode_hz: float, flip_hz: float) -> UnfitDisplay:
    """Say that the mode is not what was measured."""
    return UnfitDisplay(
        "refresh-disagrees",
        f"the system says that the display runs at {mode_hz:.2f} Hz, but flips waited for a "
        f"screen of {flip_hz:.2f} Hz",
        "run all screens at one rate or switch the others off, switch off compositing and "
        "variable refresh, end what keeps the machine busy, and try again",
    )


def same_rate(one_hz: float, other_hz: float) -> bool:
    """Whether two rates differ by no more than `NEARLY` of the larger."""
    return abs(one_hz - other_hz) <= NEARLY * max(one_hz, other_hz)
