"""The station's window for every protocol: it shows steps, waits for answers, and pauses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

from hype.session.loop import Presentation, SessionStopped, TrialLeft
from hype.session.steps import MOVES, Response, Screen, Step, Trial, TypedQuestion
from hype.session.timing import Flip, Timing
from hype.station.config import Rgb, StationConfig
from hype.station.frame_clock import Draw, FrameClock, TimedPicture
from hype.station.input_devices import SENT, WRITING, Keyboard, Pointer, Typing
from hype.station.interrupts import Interrupts, window_events
from hype.station.layout import Layout
from hype.station.respondent import Offer, Respondent
from hype.station.slider import PlacedSlider
from hype.study.table import PatchSettings


class Patch:
    """Draws the patch."""

    def __init__(self, window: Any, look: PatchSettings) -> None:
        self._look = look
        colours = {look.on_rgb, look.off_rgb, *look.masks_rgb}
        self._squares = {rgb: square(window, look, rgb) for rgb in colours}
        for rgb in colours:  # the first drawing is slow, and must not delay an exposure
            self._squares[rgb].draw()
        window.clearBuffer()

    def draw_off(self) -> None:
        self._squares[self._look.off_rgb].draw()

    def light(self, place: int) -> Callable[[], None]:
        """Return a function that draws the patch for the image (place 0) or a mask (1, 2, …)."""
        masks = self._look.masks_rgb
        rgb = masks[(place - 1) % len(masks)] if place else self._look.on_rgb
        draw: Callable[[], None] = self._squares[rgb].draw
        return draw


def square(window: Any, look: PatchSettings, rgb: Rgb) -> Any:
    from psychopy import visual

    width, height = (int(side) for side in window.size)
    right = 1 if look.corner.endswith("right") else -1
    up = 1 if look.corner.startswith("top") else -1
    return visual.Rect(
        window,
        size=(look.size_px, look.size_px),
        pos=(right * (width - look.size_px) / 2, up * (height - look.size_px) / 2),
        units="pix",
        fillColor=rgb,
        lineColor=None,
        colorSpace="rgb255",
        autoLog=False,
    )


MOUSE: Final = "mouse"
"""The record contains this as the key if the answer was a click."""
GAP_MS: Final = 400.0
"""How long the progress is shown between two trials, if nothing else is shown there."""
PAUSED: Final = ("resume", "quit")
"""Names of the texts under the left and the right key during a pause."""


class Taken(NamedTuple):
    """The offer (possible answer) that the evaluator took, with the key and the response time."""

    offer: Offer
    key: str
    rt_ms: float

    def response(self) -> Response:
        return Response(self.offer.answer, self.key, self.rt_ms)


class StationWindow:
    """The window with its keyboard, its mouse and its evaluator.

    ``on_pause`` is called after each pause, with its start and its end. While the window waits, it
    checks for ``interrupts`` and stops the session if there was one. It also measures how long the
    program was stopped, for example while the machine slept.
    """

    def __init__(
        self,
        window: Any,
        clock: FrameClock,
        config: StationConfig,
        layout: Layout,
        keyboard: Keyboard,
        respondent: Respondent,
        *,
        refresh_hz: float,
        on_pause: Callable[[Presentation, Response], None],
        interrupts: Interrupts,
    ) -> None:
        self.keys = config.keys
        self.keyboard = keyboard
        self.standing: Draw = layout.blank
        self._clock = clock
        self._layout = layout
        self._patch = Patch(window, config.patch) if config.patch else None
        self._is_pilot = config.appearance.pilot
        self._respondent = respondent
        self._on_pause = on_pause
        self._hz = refresh_hz
        self._interrupts = interrupts
        self._stops = interrupts.stops
        self._take_in_events = window_events(window, interrupts)
        self._pointer = Pointer(window)
        self._typing = Typing(window)
        self._answers_by_mouse = config.trials.mouse
        self._owed: tuple[Draw, float] | None = None
        self._shows_progress = config.appearance.progress
        self._done = 0.0

    def show(self, draw: Draw, place: int | None = None) -> Presentation:
        """Show a drawing that stays, with the patch for the photodiode; see `add_patch`."""
        return self.stand(self.add_patch(draw, place))

    def stand(self, draw: Draw) -> Presentation:
        return presentation(self.play([TimedPicture(draw, 0)])[0].at_s)

    def play(self, pictures: Sequence[TimedPicture]) -> list[Flip]:
        """Show pictures one after the other; the last one stays."""
        self._stops.begin()
        flips = self._clock.show(pictures)
        if len(pictures) > 1:
            self._stops.look(sum(picture.frames for picture in pictures) / self._hz)
        self.standing = pictures[-1].draw
        return flips

    def add_patch(self, draw: Draw, place: int | None = None) -> Draw:
        """Add the patch, if any: lit if ``place`` is 0 (the image) or more (masks), dark if None.

        In a pilot, the words that mark it as a pilot are added too.
        """
        if self._is_pilot:
            draw = together(draw, self._layout.pilot)
        if self._patch is None:
            return draw
        return together(draw, self._patch.draw_off if place is None else self._patch.light(place))

    def owe(self, draw: Draw, for_ms: float) -> None:
        """Keep a drawing, which `settle` shows once the latest answer is stored."""
        self._owed = draw, for_ms

    def settle(self, step: Step) -> None:
        """Show the drawing that `owe` kept, and the progress, before ``step``.

        Progress is shown with feedback; if there is no feedback, it is shown alone before a trial.
        """
        follows = isinstance(step, Trial)
        if self._owed is None and follows and self._done:
            self.owe(self._layout.blank, GAP_MS)
        if self._owed:
            (draw, for_ms), self._owed = self._owed, None
            self.show(self.add_progress(draw))
            for_ms = max(for_ms, GAP_MS) if self._done else for_ms
            self.wait_until(time.monotonic() + for_ms / 1000)
        is_page = isinstance(step, Screen) and step.duration_ms is None and not step.about
        if follows or is_page:
            self._done = 0.0

    def note_progress(self, done: float) -> None:
        """Store the finished share of the block, if the study shows it between trials."""
        self._done = done if self._shows_progress else 0.0

    def add_progress(self, draw: Draw) -> Draw:
        if not self._done:
            return draw
        return together(draw, partial(self._layout.progress, self._done))

    def ask(
        self, step: Step, offers: Sequence[Offer], *, otherwise: Response | None = None
    ) -> Response:
        """Wait until an offer is taken. After a pause with the pause key, wait again.

        ``otherwise``: the response if the time limit, its ``rt_ms``, passes; None: no time limit.

        Raises TrialLeft: a pause interrupted a flashed or timed trial, which must be shown again.
        """
        offers = tuple(self._within_reach(step, offers))
        limit_ms = otherwise.rt_ms if otherwise else None
        pause = Offer(answer="", keys=(self.keys.pause,))
        self._respondent.see(step, offers)
        while True:
            taken = self._await_one((*offers, pause), limit_ms)
            if taken is None:
                return otherwise or Response()
            if taken.offer is not pause:
                return taken.response()
            standing = self.standing
            self.pause()
            if isinstance(step, Trial) and step.is_time_critical:
                raise TrialLeft
            self.stand(standing)

    def ask_to_type(
        self, entry: TypedQuestion, withhold: Offer, draw: Callable[[str, bool], Draw]
    ) -> Response:
        """Wait for an answer that the study accepts, or for ``withhold``, which skips the question.

        ``draw`` draws the text so far; its second argument says whether the text was just refused.
        The pause key pauses, unless it writes a character.
        """
        pause = Offer(answer="", keys=(self.keys.pause,) if self.keys.pause not in WRITING else ())
        self._respondent.see(entry, (withhold,))
        text = ""
        self._typing.listen()
        self._listen()
        self._stops.begin()
        while True:
            self._respondent.act()
            taken = self._first_taken((withhold, pause))
            if taken and taken.offer is withhold:
                return taken.response()
            if taken:
                self.pause()
                self.show(draw(text, False))
            for character, after_ms in self._typing.take_characters():
                if character in MOVES:
                    continue
                if character == SENT and (answer := entry.asked.accept(text)):
                    return Response(answer, "return", after_ms)
                text = entry.asked.type_character(text, character)
                self.show(draw(text, character == SENT))
            self.rest()

    def ask_to_mark(
        self,
        step: Step,
        slider: PlacedSlider,
        offers: Sequence[Offer],
        draw: Callable[[int | None], None],
    ) -> Response:
        """Wait until the mark is sent (by the first of ``offers``), or another offer is taken.

        ``draw`` draws the step with a mark. The pause key pauses; the mark stays.
        """
        send, *others = offers = tuple(self._within_reach(step, offers))
        pause = Offer(answer="", keys=(self.keys.pause,))
        marks = self._within_reach(step, slider.offers(send))
        self._respondent.see(step, chain(marks, others))
        mark, place = None, 0 if isinstance(step, Trial) else None
        self._typing.listen()
        self._listen()
        self._stops.begin()
        while True:
            self._respondent.act()
            taken = self._first_taken((*offers, pause))
            self._take_in_events(all_sent=taken is not None)
            before = mark
            for key, _ in self._typing.take_characters():
                mark = slider.move(mark, key) if key in MOVES else mark
            held = self._pointer.take_held() if self._points_at(step) else None
            at = slider.mark_at(*held) if held else None
            mark = mark if at is None else at
            if taken and taken.offer is pause:
                self.pause()
                self._typing.listen()
                self._listen()
                self.show(partial(draw, mark), place)
            elif taken and taken.offer is not send:
                return taken.response()
            elif taken and mark is not None:
                return Response(slider.answers[mark], taken.key, taken.rt_ms)
            elif mark != before:
                self.show(partial(draw, mark), place)
            self.rest()

    def pause(self) -> None:
        """Ask whether to continue or to stop.

        Raises SessionStopped: the evaluator chose to stop. All answered trials are in the record.
        """
        was_visible, self._pointer.is_visible = self._pointer.is_visible, True
        shown = self.show(partial(self._layout.message, "paused", {}, PAUSED))
        taken = self._await_one(self.two_keys(PAUSED, PAUSED))
        if taken is None:
            return
        self._on_pause(shown, taken.response())
        if taken.offer.answer == "quit":
            raise SessionStopped
        self._pointer.is_visible = was_visible
        self.show(self._layout.blank)

    def two_keys(self, answers: tuple[str, str], texts: tuple[str, str]) -> tuple[Offer, ...]:
        boxes = self._layout.legend_boxes(*(self._layout.fill(name, {}) for name in texts))
        return tuple(
            Offer(answer=answer, keys=keys, areas=(box,))
            for answer, keys, box in zip(answers, self.keys.choices, boxes, strict=True)
        )

    def point(self, step: Step) -> None:
        """Show the pointer if a click can answer the step; otherwise hide it."""
        self._pointer.is_visible = self._points_at(step)

    def wait_for_key(self, end_s: float, key: str) -> bool:
        """Wait until ``end_s``, or until ``key`` is pressed; return whether it was pressed.

        A press before this call counts if it was not read yet, even if ``end_s`` has passed.
        """
        self._stops.begin()
        while True:
            is_over = time.monotonic() >= end_s
            if self.keyboard.take_press((key,)):
                return True
            if is_over:
                return False
            self.rest()

    def wait_until(self, end_s: float) -> None:
        self._stops.begin()
        while time.monotonic() < end_s:
            self.rest()

    def rest(self) -> None:
        """Wait a moment, unless there was an interrupt.

        Raises SessionInterrupted: the window was closed, or a signal asked the program to end.
        """
        self._take_in_events()
        self._interrupts.stop_if_any()
        self.keyboard.rest()
        self._stops.look()

    @contextmanager
    def unless_closed(self) -> Iterator[None]:
        """If the window is gone, report this as the reason, and not the errors that it causes.

        Raises SessionInterrupted: the window was closed, or a signal asked the program to end.
        """
        try:
            yield
        except Exception:
            self._take_in_events(all_sent=True)
            self._interrupts.stop_if_any()
            raise

    def _points_at(self, step: Step) -> bool:
        """Whether a click can answer a step; pages that wait for an answer always accept clicks."""
        if isinstance(step, Screen) and step.duration_ms is None:
            return True
        return self._answers_by_mouse

    def _within_reach(self, step: Step, offers: Iterable[Offer]) -> Iterator[Offer]:
        """Yield the offers; remove their areas if a click cannot answer the step."""
        for offer in offers:
            yield offer if self._points_at(step) else replace(offer, areas=())

    def _await_one(self, offers: Sequence[Offer], limit_ms: float | None = None) -> Taken | None:
        """Wait until an offer is taken; return None if this takes longer than ``limit_ms``.

        A press in time counts even if the program reads it later.
        """
        self._listen()
        self._stops.begin()
        end_s = None if limit_ms is None else time.monotonic() + limit_ms / 1000
        while True:
            self._respondent.act()
            is_over = end_s is not None and time.monotonic() >= end_s
            taken = self._first_taken(offers)
            if taken and (limit_ms is None or taken.rt_ms <= limit_ms):
                return taken
            if is_over:
                return None
            self.rest()

    def _listen(self) -> None:
        """Drop earlier presses and clicks; response times count from now."""
        self._pointer.listen()
        self.keyboard.listen()

    def _first_taken(self, offers: Sequence[Offer]) -> Taken | None:
        """Return the first offer that was taken since the last call."""
        taken_offers = []
        if pressed := self.keyboard.take_press([key for offer in offers for key in offer.keys]):
            key, rt_ms = pressed
            taken_offers.append(Taken(next(o for o in offers if key in o.keys), key, rt_ms))
        for click in self._pointer.take_clicks():
            on = [offer for offer in offers if offer.holds(click.x, click.y)]
            taken_offers += [Taken(offer, MOUSE, click.after_ms) for offer in on[:1]]
        return min(taken_offers, key=lambda taken: taken.rt_ms, default=None)


def together(*draws: Draw) -> Draw:
    """Join drawings into one, which draws them one after the other."""

    def draw() -> None:
        for part in draws:
            part()

    return draw


def presentation(onset_s: float, timing: Timing | None = None) -> Presentation:
    """Make a `Presentation` that started at ``onset_s`` by the monotonic clock."""
    unix_s = time.time() - (time.monotonic() - onset_s)
    return Presentation(onset_unix_s=unix_s, onset_monotonic_s=onset_s, timing=timing)
