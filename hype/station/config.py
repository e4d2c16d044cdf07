"""What a station needs to know about a study, as plain data.

The contrast of texts is at least what WCAG 2.2 requires, and is computed by its formulas.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from hype.errors import SessionProblem
from hype.session.loop import Presentation
from hype.session.steps import (
    ChoiceScreen,
    ConfidenceSlider,
    PictureRequest,
    ReferencePlace,
    Response,
    Scene,
    Step,
    TypedQuestion,
)
from hype.station.boxes import TIGHT, Box, grid_of
from hype.station.pictures import PictureSource
from hype.station.triggers import Triggers
from hype.study.phrases import gap_after
from hype.study.table import PatchSettings

if TYPE_CHECKING:
    from hype.station.frame_clock import Draw
    from hype.station.layout import Layout
    from hype.station.presenting import StationWindow

Rgb = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
AMOUNTS: Final = ("pay", "base", "per_answer", "hourly")
"""Placeholders in texts that stand for amounts of money."""
YES_OR_NO: Final = ("yes", "no")
"""The answers that the left and the right key give on a page with a choice."""
RESUME: Final = "resume"
"""The name of the text for buttons that continue the session."""
ARROWS: Final = ("left", "right")
"""Keys that choose the left or the right answer on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """The names of keys by their function; ``left_means``: the judgement that the left key gives.

    ``tie``: in a comparison, neither image is better; in a ranking, the next image gets the same
    place. ``both_bad``: in a comparison, both images are bad. ``undo``: in a ranking, take the last
    image back. ``not_relevant``: in a rating, the axis does not apply.
    """

    left: str
    right: str
    go_on: str
    pause: str
    left_means: str = ""
    tie: str = ""
    both_bad: str = ""
    undo: str = ""
    not_relevant: str = ""

    @property
    def right_means(self) -> str:
        return "fake" if self.left_means == "real" else "real"

    @property
    def names(self) -> tuple[str, ...]:
        keys = (self.left, self.right, self.go_on, self.pause)
        return (*keys, *filter(None, (self.tie, self.both_bad, self.undo, self.not_relevant)))

    @property
    def choices(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The keys for the left and for the right answer on a page, such as consent.

        The arrow keys always work, in addition to the study's own keys.
        """
        left, right = ((key,) if key not in ARROWS else () for key in (self.left, self.right))
        return (ARROWS[0], *left), (ARROWS[1], *right)


@dataclass(frozen=True, slots=True, kw_only=True)
class Appearance:
    """How the window looks and where it opens.

    ``monitor_cm``: the screen's visible width, and its distance from the eyes. ``images_shown``:
    the number of images on the screen; more than two are in a grid. ``captioned``: whether words or
    keys surround a single image, as they always surround several. ``reference``: the
    place of a reference image, which is as large as the others. ``largest_px``: the size of the
    largest image, beyond which images are not enlarged; None: no limit. ``progress``: whether a bar
    between trials shows the finished share of the block.
    """

    size_px: float | None
    size_deg: float | None
    monitor_cm: tuple[float, float] | None
    screen: int
    fullscreen: bool
    window_px: tuple[int, int]
    refresh_hz: float
    background_rgb: Rgb
    text_rgb: Rgb
    font: str
    images_shown: int = 1
    captioned: bool = False
    reference: ReferencePlace | None = None
    largest_px: int | None = None
    progress: bool = False
    pilot: bool = False
    pictures: Mapping[str, PageLook] = field(default_factory=dict)  # by page


class PageLook(NamedTuple):
    """A picture on a page, and the text that describes it."""

    request: PictureRequest
    alt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """How a station writes keys and numbers in its texts."""

    language: str = "en"
    caps: Mapping[str, str] = field(default_factory=dict)  # names on the caps of keys
    said: Mapping[str, str] = field(default_factory=dict)  # names in sentences, if different
    own: Mapping[str, str] = field(default_factory=dict)  # the study's own names, for both
    number_pad: str = "{digit}"  # how a sentence names a key of the number pad
    decimal_mark: str = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class StationConfig:
    """Everything that a station needs in addition to the plan.

    ``texts``: the study's texts by name. ``trials``: how the protocol's trials look.
    """

    keys: Keys
    appearance: Appearance
    texts: Mapping[str, str]
    speech: Speech = Speech()
    patch: PatchSettings | None = None
    trials: TrialLook


Shares = tuple[float, float]
"""Shares of a window's width and height."""
DEFAULT_SHARES: Final[Mapping[int, Shares]] = {1: (1.0, 0.5), 2: (0.44, 0.54)}
"""How much of a window an image may fill if the study gives no size, by number of images. The
images of a pair are as large with a prompt as without, so that studies can be compared."""
MOST_SHARES: Final[Mapping[int, Shares]] = {1: (1.0, 1.0), 2: (0.46, 0.68)}
"""How much of a window an image may fill if the study gives a size; words and keys still fit."""
CAPTIONED: Final[Shares] = (0.88, 0.56)
MOST_CAPTIONED: Final[Shares] = (0.94, 0.68)
"""The same for a single image with a caption: without and with a size from the study."""
LABEL: Final = 0.035
ROW_GAP: Final = 0.02
"""Height of a reference's label, and of the gap between rows; shares of the window's height."""
STACKED: Final = 0.66
"""The share of the height that two rows of images fill if the study gives no size."""


def image_side_px(
    appearance: Appearance, *, window_px: tuple[int, int], screen_px: tuple[int, int]
) -> int:
    """Return the side of the square that an image fills, in pixels.

    A visual angle θ at distance d spans 2·d·tan(θ/2) on the screen. The size of a pixel is computed
    from the width of the whole screen, not of the window. Images are not enlarged beyond their own
    pixels unless the study asks for it.

    Raises SessionProblem: the images do not fit into the window.
    """
    side_px = study_side_px(appearance, window_px, screen_px)
    if appearance.largest_px is not None:
        side_px = min(side_px, appearance.largest_px)
    most_px, images_shown = most_side_px(appearance, window_px), appearance.images_shown
    if side_px <= most_px:
        return side_px
    where = f" for {images_shown} of {most_px} px" + (" side by side" if images_shown == 2 else "")
    where += " and a reference" if appearance.reference else ""
    room = f", room{where}" if appearance.captioned or images_shown > 1 else ""
    raise SessionProblem(
        f"images should be {side_px} px high and wide, but the window has "
        f"{window_px[0]} x {window_px[1]} px{room}; make display.size_px or size_deg smaller"
    )


def most_side_px(appearance: Appearance, window_px: tuple[int, int]) -> int:
    """Return the side of the largest images that fit into a window."""
    images_shown = appearance.images_shown
    if images_shown > 2:
        return grid_of(window_px, images_shown, TIGHT).side_px
    is_captioned = appearance.captioned and images_shown == 1
    return filling(
        appearance, MOST_CAPTIONED if is_captioned else MOST_SHARES[images_shown], window_px
    )


def filling(appearance: Appearance, shares: Shares, window_px: tuple[int, int]) -> int:
    """Return the side of images that fill ``shares`` of a window, together with any reference."""
    width, height = shares
    if appearance.reference == "beside":
        width, height = (
            width * appearance.images_shown / (appearance.images_shown + 1),
            height - LABEL,
        )
    elif appearance.reference:
        height = (height - LABEL - ROW_GAP) / 2
    return round(min(width * window_px[0], height * window_px[1]))


def study_side_px(
    appearance: Appearance, window_px: tuple[int, int], screen_px: tuple[int, int]
) -> int:
    """Return the side that the study asks for, even if it does not fit."""
    if appearance.size_px is not None:
        return round(appearance.size_px)
    if appearance.size_deg is not None and appearance.monitor_cm is not None:
        width_cm, distance_cm = appearance.monitor_cm
        span_cm = 2 * distance_cm * math.tan(math.radians(appearance.size_deg) / 2)
        return round(span_cm / width_cm * screen_px[0])
    images_shown = appearance.images_shown
    if images_shown > 2:
        return grid_of(window_px, images_shown).side_px
    shares = (
        CAPTIONED if appearance.captioned and images_shown == 1 else DEFAULT_SHARES[images_shown]
    )
    if appearance.reference == "above":
        shares = (shares[0], STACKED)
    return filling(appearance, shares, window_px)


SIGNS: Final = {
    "left": "\N{LEFTWARDS ARROW}",
    "right": "\N{RIGHTWARDS ARROW}",
    "up": "\N{UPWARDS ARROW}",
    "down": "\N{DOWNWARDS ARROW}",
    "comma": ",",
    "period": ".",
    "slash": "/",
    "semicolon": ";",
    "minus": "\N{MINUS SIGN}",
}
"""Keys with a sign that is the same in every language."""
NUMBER_PAD: Final = "num_"
"""Prefix of the names of number pad keys."""


def cap_label(key: str, speech: Speech) -> str:
    """Return the name on the cap of a key."""
    if own := speech.own.get(key) or speech.caps.get(key) or SIGNS.get(key):
        return own
    if key.startswith(NUMBER_PAD):
        return f"Num {cap_label(key.removeprefix(NUMBER_PAD), speech)}"
    capital = key.upper() if len(key) == 1 else key.capitalize()
    return capital if len(capital) == len(key) else key  # ß would become SS


def name_in_sentence(key: str, speech: Speech) -> str:
    """Return a key's name in a sentence, which may differ from the name on its cap."""
    if own := speech.own.get(key) or speech.said.get(key):
        return own
    if key.startswith(NUMBER_PAD):
        digit = cap_label(key.removeprefix(NUMBER_PAD), speech)
        return speech.number_pad.format(digit=digit)
    return cap_label(key, speech)


def hint_beneath(config: StationConfig, question: ChoiceScreen) -> str:
    """Return the hint on how to answer a question."""
    if not isinstance(question, TypedQuestion):
        slides = isinstance(question, ConfidenceSlider)
        return fill_text(config, "slider_hint" if slides else "about_you_hint", {})
    asked = question.asked
    if asked.kind == "text":
        return fill_text(config, "text_hint", {"longest": asked.longest})
    bounds = {"lowest": f"{asked.lowest:g}", "highest": f"{asked.highest:g}"}
    return fill_text(config, "number_hint", bounds)


def fill_text(config: StationConfig, name: str, values: Mapping[str, Any]) -> str:
    """Fill the placeholders of one of a study's texts.

    If no pay is due, the text ``no_pay`` replaces each paragraph that mentions pay.
    """
    keys, texts = config.keys, config.texts
    paragraphs = texts[name].split("\n\n")
    if values.get("pay") == "0.00":
        paragraphs = [texts["no_pay"] if "{pay}" in each else each for each in paragraphs]
    named = partial(name_in_sentence, speech=config.speech)
    amounts = {name: values[name] for name in AMOUNTS if name in values}
    mark = config.speech.decimal_mark
    values = {**values, **{name: amount.replace(".", mark) for name, amount in amounts.items()}}
    amount = f"{{currency}}{gap_after(values.get('currency', ''))}{{"
    return (
        "\n\n".join(filter(None, paragraphs))
        .replace("{currency}{", amount)
        .format(
            left_key=named(keys.left),
            right_key=named(keys.right),
            left_answer=texts.get(keys.left_means, ""),
            right_answer=texts.get(keys.right_means, ""),
            tie_key=named(keys.tie),
            both_bad_key=named(keys.both_bad),
            undo_key=named(keys.undo),
            not_relevant_key=named(keys.not_relevant),
            axes=texts.get("axes", ""),
            before_flash=texts.get("before_flash", ""),
            time_to_answer=texts.get("time_to_answer", ""),
            continue_key=named(keys.go_on),
            pause_key=named(keys.pause),
            **{"question": config.trials.question, **values},
        )
    )


class StepPresenter(Protocol):
    """Shows one kind of step, and waits for the answer."""

    def present(self, step: Any, /) -> Presentation:
        """Show the step, and return as soon as it can be answered."""
        ...

    def respond(self, step: Any, /) -> Response:
        """Wait for the answer. After a pause with the pause key, the step is presented again."""
        ...


class StandingTrial(NamedTuple):
    """The parts of a trial that stay on the screen while a question about its answer is asked.

    ``draw`` draws the trial's images and their words.
    """

    draw: Draw
    question: Box
    answers: Box


class TrialPresenter(StepPresenter, Protocol):
    """Shows one kind of trial."""

    def standing(self, trial: Any, /) -> StandingTrial | None:
        """Return what stays on the screen during a question; None if the question does not fit."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The tools that presenters of trials need."""

    window: StationWindow
    layout: Layout
    pictures: PictureSource
    triggers: Triggers
    refresh_hz: float


class TrialLook(Protocol):
    """What a station needs to know about a protocol's trials."""

    @property
    def question(self) -> str:
        """The question, if it is the same in every trial; else empty."""

    @property
    def mouse(self) -> bool:
        """Whether a click can answer trials; pages always accept clicks."""

    def presenters(self, stage: Stage, /) -> Mapping[type[Step], TrialPresenter]:
        """Load and return the presenter of each kind of trial."""

    def scene(self, trial: Any, config: StationConfig, /) -> Scene:
        """Return how a browser shows a trial."""


LEAST: Final = 4.5
"""The contrast that every text must have (success criterion 1.4.3, level AA)."""
ENOUGH: Final = 7.0
"""The contrast that is preferred if the background allows it (criterion 1.4.6, level AAA)."""
INKS: Final[tuple[Rgb, ...]] = ((245, 245, 245), (20, 20, 20), (255, 255, 255), (0, 0, 0))
"""Colours for texts; the first two have less contrast than the last two."""


def luminance(rgb: Rgb) -> float:
    """Return the relative luminance of an sRGB colour, 0 (black) to 1 (white)."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in rgb)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast of two colours, 1 (the same) to 21 (black and white)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def ink_on(paper: Rgb) -> Rgb:
    """Choose the first of `INKS` with a contrast of at least `ENOUGH`, or the one with the highest.

    On any grey, either black or white has a contrast of at least 4.58 (√21).
    """
    enough = (ink for ink in INKS if contrast(ink, paper) >= ENOUGH)
    return next(enough, max(INKS, key=lambda ink: contrast(ink, paper)))


def mix(one: Rgb, other: Rgb, share: float) -> Rgb:
    red, green, blue = (
        round(share * first + (1 - share) * second)
        for first, second in zip(one, other, strict=True)
    )
    return red, green, blue
