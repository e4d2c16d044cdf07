"""The station: presenter and responder of a session at a window, and its screens of text."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
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
)
from hype.station.drawing import Style
from hype.station.frame_clock import Draw, frame_clock
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
NUMBER: Final = Style(0.026, bold=True)
SMALLEST: Final = 0.018
COLUMN: Final = 0.88
LEAST_WIDTH: Final = 0.25
"""Least width of the column of answers; a share of the window's width."""
TOP: Final = 0.19
BOTTOM: Final = -0.37
"""The answers are between these heights."""
ROW: Final = 0.075
"""Height of an answer, if there are few."""
ENTRY_WIDTH: Final = 0.5
"""Width of the box for typing; a share of the window's width."""
ENTRY_SHARE: Final = 0.62
HINT_SHARE: Final = 0.45
"""Shares of the box for typing, and of the hint, in the places of a trial's keys and question."""
LINE_SHARE: Final = 0.75
"""Share of its row that a slider's line has: the words of its ends stand around the ends."""
APART: Final = 0.5
"""Distance, in rows, of the answer that withholds from the others above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlaces:
    """Where the parts of the screen are; each row has a number and an answer.

    A question about images that stay has no title, and no hint if it has options.
    """

    title: Box | None = None
    asked: Box
    rows: tuple[Box, ...]
    hint: Box | None = None


def question_places(
    window_px: tuple[int, int], options: int, widest_px: float, *, apart: float = APART
) -> QuestionPlaces:
    """Place a question and its ``options`` answers; the last is ``apart`` from the others, in rows.

    ``widest_px``: the width of the longest answer in one line.
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
    """Shows questions with their options and waits for one."""

    def __init__(
        self,
        window: StationWindow,
        layout: Layout,
        presenters: Mapping[type[Step], TrialPresenter],
    ) -> None:
        self._window = window
        self._layout = layout
        self._trials = presenters

    def present(self, question: ChoiceScreen) -> Presentation:
        return self._window.show(partial(self.draw, question))

    def respond(self, question: ChoiceScreen) -> Response:
        """Wait for a digit (also of the number pad), or a click on an answer."""
        offers = [
            Offer(answer=answer, keys=(f"{number}", f"num_{number}"), areas=(row,))
            for number, (answer, row) in enumerate(
                zip(question.answers, self._places(question).rows, strict=True), start=1
            )
        ]
        return self._window.ask(question, offers)

    def draw(self, question: ChoiceScreen) -> None:
        places = self._places(question)
        self._ask(question, places)
        for number, (text, row) in enumerate(zip(question.options, places.rows, strict=True), 1):
            self._option(str(number), text, row)

    def _standing(self, question: ChoiceScreen) -> StandingTrial | None:
        """Return what stays of the trial that a question is about."""
        trial = question.about
        if trial is None or trial.fleeting:
            return None
        return self._trials[type(trial)].standing(trial)

    def _places(self, question: ChoiceScreen) -> QuestionPlaces:
        layout = self._layout
        if standing := self._standing(question):
            row, number = standing.answers, len(question.options)
            step = row.width / number
            edges = [row.left + place * step for place in range(number)]
            boxes = (Box.between(x, x + 0.95 * step, row.bottom, row.top) for x in edges)
            return QuestionPlaces(asked=standing.question, rows=tuple(boxes))
        widest_px = max(layout.width_of(OPTION, text) for text in question.options)
        places = (layout.width, layout.height), len(question.options), widest_px
        return question_places(*places, apart=APART if question.answers[-1] == "" else 0.0)

    def _ask(self, question: ChoiceScreen, places: QuestionPlaces) -> None:
        """Draw a question, what it is about, and the hint on how to answer it."""
        layout = self._layout
        if standing := self._standing(question):
            standing.draw()
        if places.title:
            self._draw_centred("title", TITLE, layout.fill(question.page.value, {}), places.title)
        self._draw_centred("asked", ASKED, question.text, places.asked, lines=3)
        if places.hint:
            self._draw_centred("hint", HINT, layout.hint_beneath(question), places.hint)

    def _option(self, label: str, text: str, row: Box) -> None:
        """Draw one answer, with its key."""
        layout = self._layout
        side = round(0.8 * min(row.height, ROW * layout.height))
        wide = max(side, round(layout.width_of(NUMBER, label) + 0.5 * side))
        cap = Box(x=round(row.left + wide / 2), y=round(row.y), width=wide, height=side)
        words = Box.between(cap.right + 0.4 * side, row.right, row.bottom, row.top)
        if layout.is_mirrored:
            cap, words = cap.mirror(row), words.mirror(row)
        layout.outline_box(cap)
        self._draw_centred(f"number {label}", NUMBER, label, cap.grow(-2))
        typeset = layout.set_into(OPTION, text, words, SMALLEST, 2)
        layout.lines(f"option {label}", typeset, words, at_edge=True)

    def _draw_centred(self, place: str, style: Style, text: str, box: Box, lines: int = 1) -> None:
        typeset = self._layout.set_into(style, text, box, SMALLEST, lines)
        self._layout.lines(place, typeset, box, bold=style.bold)


WITHHOLDING: Final = "tab"
"""The key that withholds a typed answer; the others write it."""


class Entering(Questioning):
    """Shows questions with typed answers, and waits for an answer that the study accepts."""

    def present(self, question: ChoiceScreen) -> Presentation:
        return self._window.show(partial(self._draw_entry, question, "", False))

    def respond(self, question: ChoiceScreen) -> Response:
        """Wait for an answer that Enter sends; a click or a key withholds it."""
        if not isinstance(question, TypedQuestion):
            raise TypeError(f"{question!r} is not typed")
        row = self._places(question).rows[-1]
        withhold = Offer(answer="", keys=(WITHHOLDING,), areas=(row,))

        def drawing(text: str, refused: bool) -> Draw:
            return partial(self._draw_entry, question, text, refused)

        return self._window.ask_to_type(question, withhold, drawing)

    def _places(self, question: ChoiceScreen) -> QuestionPlaces:
        """Place a box for typing, and below or beside it the answer that withholds."""
        if standing := self._standing(question):
            row, asked = standing.answers, standing.question
            middle, x = asked.bottom + HINT_SHARE * asked.height, row.left + ENTRY_SHARE * row.width
            return QuestionPlaces(
                asked=Box.between(asked.left, asked.right, middle, asked.top),
                hint=Box.between(asked.left, asked.right, asked.bottom, middle),
                rows=(
                    Box.between(row.left, x, row.bottom, row.top),
                    Box.between(x + 0.3 * row.height, row.right, row.bottom, row.top),
                ),
            )
        window_px = (self._layout.width, self._layout.height)
        places = question_places(window_px, 2, ENTRY_WIDTH * window_px[0])
        line, withhold = places.rows
        room = Box.between(line.left, line.right, line.bottom - line.height, line.top)
        bottom, top = withhold.bottom - line.height, withhold.top - line.height
        lower = Box.between(withhold.left, withhold.right, bottom, top)
        return replace(places, rows=(room, lower))

    def _draw_entry(self, question: ChoiceScreen, text: str, refused: bool) -> None:
        """Draw a question with its typed text; ``refused``: the study did not accept it."""
        places = self._places(question)
        self._ask(question, places)
        line, withhold = places.rows
        self._layout.outline_box(line)
        if refused:
            self._layout.outline_box(line.grow(6))
        words = line.grow(-round(0.2 * line.height))
        self._draw_centred("typed", OPTION, f"{text}|", words, lines=3)
        self._option(self._layout.label(WITHHOLDING), question.options[-1], withhold)


class Marking(Entering):
    """Shows questions with a slider, and waits until what is marked is sent."""

    def present(self, question: ChoiceScreen) -> Presentation:
        return self._window.show(partial(self._draw_marked, question, None))

    def respond(self, question: ChoiceScreen) -> Response:
        """Wait for a mark, and for the key or the click that sends it."""
        key, send = self._window.keys.go_on, self._places(question).rows[1]
        return self._window.ask_to_mark(
            question,
            self._slider(question),
            (Offer(answer="", keys=(key,), areas=(send,)),),
            partial(self._draw_marked, question),
        )

    def _slider(self, question: ChoiceScreen) -> PlacedSlider:
        if not isinstance(question, ConfidenceSlider):
            raise TypeError(f"{question!r} has no slider")
        row = self._places(question).rows[0]
        line = replace(row, width=LINE_SHARE * row.width)
        return place_slider(self._layout, question.slider, line)

    def _draw_marked(self, question: ChoiceScreen, mark: int | None) -> None:
        layout, places = self._layout, self._places(question)
        self._ask(question, places)
        self._slider(question).draw(layout, mark)
        self._option(layout.label(layout.keys.go_on), layout.fill(RESUME, {}), places.rows[1])


WAIT_STEP_S: Final = 0.05
"""How often the display of the time left is updated."""


class Reading:
    """Shows screens and waits for the key or click that ends them."""

    def __init__(self, window: StationWindow, layout: Layout, pictures: Mapping[str, Any]) -> None:
        self._window = window
        self._layout = layout
        self._pictures = pictures

    def present(self, screen: Screen) -> Presentation:
        """Show a text; a screen with a duration is shown for that time, then an empty one."""
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
    called after each pause, with its beginning and its end. While the station waits, it checks for
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
        # Decoded now: a picture that is not there keeps the session from beginning
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
            Comprehension: questioning,
            Question: questioning,
            ConfidenceQuestion: questioning,
            ConfidenceSlider: Marking(self._window, self._layout, trials),
            TypedQuestion: Entering(self._window, self._layout, trials),
            **trials,
        }

    def present(self, step: Step) -> Presentation:
        """Show ``step`` up to the moment from which it can be answered."""
        with self._window.unless_closed():
            self._window.settle(step)
            self._window.point(step)
            return self._presenters[type(step)].present(step)

    def respond(self, step: Step) -> Response:
        """Wait for the answer. The pause key pauses; then the step is asked or shown again."""
        with self._window.unless_closed():
            response = self._presenters[type(step)].respond(step)
            if isinstance(step, Trial):
                self._window.note_progress(step.done_after(response.answer))
            return response

    def wait_for_store(self, seconds: float) -> None:
        """Show for some seconds that the session waits for the store."""
        with self._window.unless_closed():
            self._window.show(self._layout.away)
            self._window.wait_until(time.monotonic() + seconds)

    def tell_trouble(self) -> None:
        """Show that the station has to stop, until a key is pressed or the time is over.

        This needs nothing from the disk, which may be the cause.
        """
        window = self._window
        with window.unless_closed():
            window.show(self._layout.trouble)
            window.keyboard.listen()
            window.wait_for_key(time.monotonic() + self._respondent.patience_s, window.keys.go_on)
