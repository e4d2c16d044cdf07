"""The station: presenter and responder of a session at a window, and its screens of text."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Final

from hype.session.loop import Presentation
from hype.session.steps import (
    GO_ON,
    WAITS,
    ChoiceScreen,
    Comprehension,
    ConfidenceQuestion,
    ConfidenceSlider,
    Question,
    Response,
    Screen,
    Step,
    Trial,
    TypedQuestion,
)
from hype.station.boxes import Box
from hype.station.config import (
    RESUME,
    YES_OR_NO,
    Stage,
    StandingTrial,
    StationConfig,
    StepPresenter,
    TrialPresenter,
    hint_beneath,
)
from hype.station.drawing import Style
from hype.station.frame_clock import frame_clock
from hype.station.input_devices import Keyboard
from hype.station.interrupts import Interrupts
from hype.station.layout import HINT, TITLE, Layout
from hype.station.pictures import PictureSource
from hype.station.presenting import StationWindow
from hype.station.respondent import Offer, Respondent
from hype.station.slider import PlacedSlider, place_slider
from hype.station.triggers import Triggers
from hype.station.window import DisplayFacts

ASKED: Final = Style(0.034)
OPTION: Final = Style(0.028)
SMALL_OPTION: Final = Style(0.022)
NUMBER: Final = Style(0.026, bold=True)
COLUMN: Final = 0.88
LEAST_WIDTH: Final = 0.25
"""Minimum width of the column of answers, as a share of the window's width."""
TOP: Final = 0.19
BOTTOM: Final = -0.37
"""The answers' upper and lower limit: shares of the window's height, from its middle."""
ROW: Final = 0.075
"""Maximum height of an answer, as a share of the window's height."""
ENTRY_WIDTH: Final = 0.5
"""Width of the box for typing, as a share of the window's width."""
WITHHOLDING: Final = "tab"
"""The key that skips a typed answer, since most other keys write text."""
WIDE: Final = (0.62, 0.38)
HINT_SHARE: Final = 0.45
AIR: Final = 0.12
KEY: Final = 2.0
"""Sizes for questions about a trial. ``WIDE``: shares of the row for the text box (or slider), and
for the key that skips (or sends). ``HINT_SHARE``: the hint's share of the question's height.
``AIR`` (gap between boxes), ``KEY`` (a key and its gaps): multiples of a row's height."""
LINE_SHARE: Final = 0.75
"""Width of the slider's line, as a share of the row's width."""
APART: Final = 0.5
"""Gap, in rows, between the option that skips the question and the options above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlaces:
    """The places of a question's parts; a row contains an option, a text box, a slider or a key."""

    asked: Box
    rows: tuple[Box, ...]
    title: Box | None = None
    hint: Box | None = None


def question_places(
    window_px: tuple[int, int], options: int, widest_px: float, *, apart: float = APART
) -> QuestionPlaces:
    """Place a question and ``options`` answers, with a gap of ``apart`` rows above the last.

    ``widest_px``: the width of the longest answer if it is written in one line.
    """
    width, height = window_px
    row = int(min(ROW, (TOP - BOTTOM) / (options + apart)) * height)
    column = min(COLUMN * width, max(LEAST_WIDTH * width, widest_px + 1.5 * row))
    tops = [round(TOP * height) - n * row for n in range(options)]
    tops[-1] -= round(apart * row)
    return QuestionPlaces(
        title=Box(x=0, y=0.40 * height, width=COLUMN * width, height=0.07 * height),
        asked=Box(x=0, y=0.28 * height, width=COLUMN * width, height=0.13 * height),
        rows=tuple(Box.between(-column / 2, column / 2, top - row, top) for top in tops),
        hint=Box(x=0, y=-0.435 * height, width=COLUMN * width, height=0.06 * height),
    )


class Questioning:
    """Shows questions and waits for an answer: an option, a mark on a slider, or a typed text.

    ``trials``: presenters of trials; parts of a trial may stay on screen during a question.
    """

    def __init__(
        self, window: StationWindow, layout: Layout, trials: Mapping[type[Step], TrialPresenter]
    ) -> None:
        self._window = window
        self._layout = layout
        self._trials = trials

    def present(self, question: ChoiceScreen) -> Presentation:
        return self._window.show(partial(self.draw, question))

    def respond(self, question: ChoiceScreen) -> Response:
        """Wait until an option is chosen, or a mark or a typed text is sent.

        A question with a typed answer can be skipped, by a click or a key.
        """
        window, rows = self._window, self._places(question).rows
        if isinstance(question, TypedQuestion):
            withhold = Offer(answer="", keys=(WITHHOLDING,), areas=(rows[-1],))
            return window.ask_to_type(
                question, withhold, lambda *typed: partial(self.draw, question, None, *typed)
            )
        if isinstance(question, ConfidenceSlider):
            send = Offer(answer="", keys=(window.keys.go_on,), areas=(rows[-1],))
            slider = self._slider(question, rows[0])
            return window.ask_to_mark(question, slider, (send,), partial(self.draw, question))
        offers = [
            Offer(answer=answer, keys=(f"{number}", f"num_{number}"), areas=(row,))
            for number, (answer, row) in enumerate(zip(question.answers, rows, strict=True), 1)
        ]
        return window.ask(question, offers)

    def draw(
        self, question: ChoiceScreen, mark: int | None = None, text: str = "", refused: bool = False
    ) -> None:
        """Draw a question with its mark or typed text; ``refused``: the text was not accepted."""
        layout, places = self._layout, self._places(question)
        if standing := self._standing(question):
            standing.draw()
        if places.title:
            self._draw_centred("title", TITLE, layout.fill(question.page.value, {}), places.title)
        self._draw_centred("asked", ASKED, question.text, places.asked, lines=3)
        if places.hint:
            self._draw_centred("hint", HINT, hint_beneath(layout.config, question), places.hint)
        if isinstance(question, TypedQuestion):
            line, withhold = places.rows
            for grown in (0, 6) if refused else (0,):
                layout.outline_box(line.grow(grown))
            words = line.grow(-round(0.2 * line.height))
            self._draw_centred("typed", OPTION, f"{text}|", words, lines=3)
            self._option(layout.label(WITHHOLDING), question.options[-1], withhold)
        elif isinstance(question, ConfidenceSlider):
            line, send = places.rows
            self._slider(question, line).draw(layout, mark)
            self._option(layout.label(layout.keys.go_on), layout.fill(RESUME, {}), send)
        else:
            for number, (option, row) in enumerate(zip(question.options, places.rows, strict=True)):
                style = OPTION if places.title else SMALL_OPTION  # small if all are in one row
                self._option(f"{number + 1}", option, row, style)

    def _slider(self, question: ConfidenceSlider, row: Box) -> PlacedSlider:
        """Place a slider in a row, with room on both sides for the words at its ends."""
        return place_slider(
            self._layout, question.slider, replace(row, width=LINE_SHARE * row.width)
        )

    def _standing(self, question: ChoiceScreen) -> StandingTrial | None:
        """Return what stays on the screen of the question's trial; None if nothing stays."""
        trial = question.about
        if trial is None or trial.is_time_critical:
            return None
        return self._trials[type(trial)].standing(trial)

    def _places(self, question: ChoiceScreen) -> QuestionPlaces:
        layout, number = self._layout, len(question.options)
        is_wide = isinstance(question, (TypedQuestion, ConfidenceSlider))
        if standing := self._standing(question):
            asked, row = standing.question, standing.answers
            widths = [share * row.width for share in WIDE]
            if not is_wide:
                key = KEY * min(row.height, ROW * layout.height)
                widths = [key + layout.width_of(SMALL_OPTION, text) for text in question.options]
                widths = [min(1, row.width / sum(widths)) * width for width in widths]
            edges = [*accumulate(widths, initial=row.x - sum(widths) / 2)]
            middle = asked.bottom + HINT_SHARE * asked.height * is_wide
            return QuestionPlaces(
                asked=Box.between(asked.left, asked.right, middle, asked.top),
                rows=tuple(
                    Box.between(left, right - AIR * row.height, row.bottom, row.top)
                    for left, right in pairwise(edges)
                ),
                hint=Box.between(asked.left, asked.right, asked.bottom, middle)
                if is_wide
                else None,
            )
        window_px = layout.width, layout.height
        if not is_wide:
            widest_px = max(layout.width_of(OPTION, text) for text in question.options)
            apart = APART if question.answers[-1] == "" else 0.0
            return question_places(window_px, number, widest_px, apart=apart)
        places = question_places(window_px, 2, ENTRY_WIDTH * layout.width)
        line, below = places.rows
        wide = Box.between(line.left, line.right, line.bottom - line.height, line.top)
        return replace(places, rows=(wide, replace(below, y=below.y - line.height)))

    def _option(self, label: str, text: str, row: Box, style: Style = OPTION) -> None:
        layout = self._layout
        side = round(0.8 * min(row.height, ROW * layout.height))
        wide = max(side, round(layout.width_of(NUMBER, label) + 0.5 * side))
        cap = Box(x=round(row.left + wide / 2), y=round(row.y), width=wide, height=side)
        words = Box.between(cap.right + 0.4 * side, row.right, row.bottom, row.top)
        if layout.is_mirrored:
            cap, words = cap.mirror(row), words.mirror(row)
        layout.outline_box(cap)
        self._draw_centred(f"number {label}", NUMBER, label, cap.grow(-2))
        typeset = layout.set_into(style, text, words, 2)
        layout.lines(f"option {label}", typeset, words, at_edge=True)

    def _draw_centred(self, place: str, style: Style, text: str, box: Box, lines: int = 1) -> None:
        typeset = self._layout.set_into(style, text, box, lines)
        self._layout.lines(place, typeset, box, bold=style.bold)


QUESTIONS: Final = (
    *(Comprehension, Question, TypedQuestion, ConfidenceQuestion, ConfidenceSlider),
)
WAIT_STEP_S: Final = 0.05
"""The time between two updates of the bar that shows the time left."""


class Reading:
    """Shows screens and waits for the key or click that ends them."""

    def __init__(self, window: StationWindow, layout: Layout, pictures: Mapping[str, Any]) -> None:
        self._window = window
        self._layout = layout
        self._pictures = pictures

    def present(self, screen: Screen) -> Presentation:
        """Show a text; if it has a duration, show it for that time and then an empty screen."""
        name = screen.page.value
        if screen.duration_ms is None:
            choice = YES_OR_NO if screen.choice else None
            image = self._pictures.get(name)
            picture = self._layout.page_picture(image) if image else None
            message = partial(self._layout.message, name, screen.values, choice, picture)
            return self._window.show(message)
        if screen.page in WAITS:
            shown = self._window.show(partial(self._layout.waiting, name, 1.0))
            end_s = time.monotonic() + screen.duration_ms / 1000
            while (left_s := end_s - time.monotonic()) > 0:
                self._window.wait_until(time.monotonic() + min(left_s, WAIT_STEP_S))
                left = max(0.0, 1000 * (end_s - time.monotonic()) / screen.duration_ms)
                self._window.show(partial(self._layout.waiting, name, left))
        else:
            verdict = partial(self._layout.verdict, name)
            shown = self._window.show(self._window.add_progress(verdict))
            self._window.wait_until(time.monotonic() + screen.duration_ms / 1000)
        self._window.show(self._layout.blank)
        return shown

    def respond(self, screen: Screen) -> Response:
        """Wait for the key to continue, or for a choice."""
        if screen.duration_ms is not None:
            return GO_ON
        if screen.choice:
            return self._window.ask(screen, self._window.two_keys(YES_OR_NO, YES_OR_NO))
        hint = self._layout.hint_box()
        go_on = Offer(answer="", keys=(self._window.keys.go_on,), areas=(hint,))
        return self._window.ask(screen, (go_on,))


class WindowStation:
    """Shows steps in a PsychoPy window and takes the answers from its keyboard and mouse.

    `StationWindow` is common to all steps; each kind of step has its own presenter. ``on_pause`` is
    called after each pause, with its start and its end. While the station waits, it checks for
    ``interrupts``, and stops the session if there was one.
    """

    def __init__(
        self,
        window: Any,
        facts: DisplayFacts,
        config: StationConfig,
        keyboard: Keyboard,
        respondent: Respondent,
        pictures: PictureSource,
        triggers: Triggers,
        *,
        on_pause: Callable[[Presentation, Response], None],
        interrupts: Interrupts | None = None,
    ) -> None:
        self._layout = Layout(window, config, facts.image_side_px)
        self._window = StationWindow(
            *(window, frame_clock(window, facts), config, self._layout, keyboard, respondent),
            on_pause=on_pause,
            refresh_hz=facts.refresh_hz,
            interrupts=interrupts or Interrupts(),
        )
        self._respondent = respondent
        # Pages' pictures are decoded now, so that a missing one is found before the session begins
        looks = config.appearance.pictures
        on_pages = {page: pictures.take(look.request) for page, look in looks.items()}
        trials = config.trials.presenters(
            Stage(
                window=self._window,
                layout=self._layout,
                pictures=pictures,
                triggers=triggers,
                refresh_hz=facts.refresh_hz,
            )
        )
        questioning = Questioning(self._window, self._layout, trials)
        self._presenters: Mapping[type[Step], StepPresenter] = {
            Screen: Reading(self._window, self._layout, on_pages),
            **dict.fromkeys(QUESTIONS, questioning),
            **trials,
        }

    def present(self, step: Step) -> Presentation:
        """Show ``step``, and return as soon as it can be answered."""
        with self._window.unless_closed():
            self._window.settle(step)
            self._window.point(step)
            return self._presenters[type(step)].present(step)

    def respond(self, step: Step) -> Response:
        """Wait for the answer. After a pause with the pause key, the step starts again."""
        with self._window.unless_closed():
            response = self._presenters[type(step)].respond(step)
            if isinstance(step, Trial):
                self._window.note_progress(step.done_after(response.answer))
            return response

    def wait_for_store(self, seconds: float) -> None:
        """Show for some seconds that the session waits until answers can be stored."""
        with self._window.unless_closed():
            self._window.show(self._layout.away)
            self._window.wait_until(time.monotonic() + seconds)

    def show_trouble(self) -> None:
        """Show that the station has to stop, until a key is pressed or ``patience_s`` have passed.

        The screen needs nothing from the disk, since the disk may be the problem.
        """
        window = self._window
        with window.unless_closed():
            window.show(self._layout.trouble)
            window.keyboard.listen()
            window.wait_for_key(time.monotonic() + self._respondent.patience_s, window.keys.go_on)
