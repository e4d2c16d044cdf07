"""The tables of the study file that all protocols share, and number types for all tables.

The tables are stimuli, added models, and what a station reads: keys, display, timing, triggers.
"""

from __future__ import annotations

import ast
import inspect
import string
import sys
from collections.abc import Mapping
from enum import Enum
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

LONGEST_MS: Final = 3_600_000
Positive = Annotated[float, Field(gt=0)]
Milliseconds = Annotated[float, Field(gt=0, le=LONGEST_MS)]
NotNegative = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(ge=0, le=1)]
Ceiling = Annotated[float, Field(gt=0, le=1)]


class Affects(Enum):
    """Which answers a setting affects, if it does not affect all of them.

    It is written in the setting's type (``Annotated[int, Affects.NOBODY]``). A setting without it
    affects what or who is measured. Changing it makes a new version of the study. Answers to
    different versions are never scored together (`hype.study.differences`).
    """

    NOBODY = "this setting changes neither the questions nor the people"
    SIMULATED = "this setting only affects simulated evaluators"
    NEWCOMERS = (
        "this setting is about a model that joined: earlier evaluators continue without the "
        "model, in the same version"
    )


class Topic(Enum):
    """The topics of settings, in the order in which an experimenter decides them.

    A table names its topic. A setting with a different topic names its own (``Annotated[bool,
    Topic.TIMING]``). A table inside another table has the outer table's topic.
    """

    STUDY = "The study"
    PEOPLE = "People"
    IMAGES = "Images"
    ANSWERS = "Questions and answers"
    TIMING = "Timing"
    QUALITY = "Quality of answers"
    PAY = "Pay"
    WORDS = "Words"
    SCREEN = "Screen"
    BROWSERS = "Browsers"
    ANALYSIS = "Analysis"
    SIMULATED = "Simulated people"


def make_tuples(value: Any) -> Any:
    """Convert a list, and all lists inside it, to tuples."""
    return tuple(map(make_tuples, value)) if isinstance(value, list) else value


class Settings(BaseModel):
    """Base class of all tables: unknown keys are refused, and values are not converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
    topic: ClassVar[Topic | None] = None

    @model_validator(mode="before")
    @classmethod
    def lists_are_tuples(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {key: make_tuples(value) for key, value in data.items()}


def describe_key(model: type[BaseModel], name: str) -> str:
    """Return a key's description or docstring, which forms and the reference show, or ""."""
    if said := model.model_fields[name].description:
        return said
    owner = next(each for each in model.__mro__ if name in inspect.get_annotations(each))
    return docstrings_of(owner.__module__).get((owner.__name__, name), "")


@cache
def docstrings_of(module: str) -> Mapping[tuple[str, str], str]:
    """Return the docstrings of the keys in a module's tables, by (class name, key)."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        (table.name, ast.unparse(key.target)): inspect.cleandoc(ast.literal_eval(below.value))
        for table in tree.body
        if isinstance(table, ast.ClassDef)
        for key, below in pairwise(table.body)
        if isinstance(key, ast.AnnAssign) and isinstance(below, ast.Expr)
    }


MOST_BLOCKS: Final = 1000


class AddedSettings(Settings):
    """``[added.<condition>]``: a model that joined while the study ran.

    The model's images are in ``added/<condition>`` next to the study file. Evaluators who started
    earlier keep their plans, without the model. ``finished`` and ``votes`` are for arenas only.
    """

    topic = Topic.IMAGES
    day: Annotated[str, Field(pattern=r"\d{4}-\d\d-\d\d")]
    """Day on which the model joined. The date is in UTC."""
    finished: Annotated[int, Field(ge=0)] | None = None
    """Evaluators who had finished when the model joined. This number is used only for arenas."""
    votes: Annotated[int, Field(ge=1)] | None = None
    """Total votes after which the arena ends. This number replaces any earlier limit."""


Added = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=64)], AddedSettings], Affects.NEWCOMERS
]


class StimuliSettings(Settings):
    """``[stimuli]``: stimuli."""

    topic = Topic.IMAGES
    folder: Annotated[str, Field(min_length=1)]
    """Folder of the images. `hype stimuli scan` lists what is in the folder."""
    conditions: tuple[str, ...] = ()
    """Conditions that take part. If empty, all conditions of the folder take part."""
    images_per_condition: Annotated[int, Field(ge=1)] | None = None
    """Images per condition. This many images of each condition, and as many real images, are drawn
    once; all evaluators see the same ones. If empty, all images are used."""


LARGEST_SIDE_PX: Final = 32_767
"""The maximum width and height of windows and images: X11 allows no larger windows."""

Rgb = tuple[
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
]

LIGHT_RGB: Final = (245, 245, 245)
"""The default text colour; if it is unreadable on the background, the text is dark."""
GROUNDS: Final[Mapping[str, Rgb]] = {"grey": (128, 128, 128), "light": LIGHT_RGB}
"""Backgrounds that have a name."""


def colour_of(given: object) -> object:
    if isinstance(given, str) and given not in GROUNDS:
        raise ValueError('must be "grey", "light" or a colour such as [128, 128, 128]')
    return GROUNDS[given] if isinstance(given, str) else given


OTHER_KEYS: Final = (
    *("left", "right", "up", "down", "space", "return", "escape", "tab", "backspace"),
    *("comma", "period", "slash", "semicolon", "minus"),
    *(f"num_{digit}" for digit in string.digits),
)

KEY_NAMES: Final = frozenset((*string.ascii_lowercase, *string.digits, *OTHER_KEYS))
"""Keys that a study may use, besides letters of other alphabets. ``num_1`` is on the number pad."""


def is_key(name: str) -> bool:
    """Return whether a key is one of `KEY_NAMES` or a lower-case letter of any alphabet.

    `hype check` checks whether this computer's keyboard has the letter.
    """
    letter = len(name) == 1 and name.isalpha() and name == name.lower()
    return letter or name in KEY_NAMES


def check_key(name: str) -> str:
    """Refuse a text that is not the name of a key."""
    if not is_key(name):
        raise ValueError(
            "is not a key; use lower-case letters of any alphabet, 0 to 9, "
            + ", ".join(key for key in OTHER_KEYS if not key.startswith("num_"))
            + ", num_0 to num_9"
        )
    return name


AnyKey = Annotated[str, AfterValidator(check_key)]


def is_digit(key: str) -> bool:
    return key.removeprefix("num_").isdigit()


class KeySettings(Settings):
    """``[keys]``: keys."""

    topic = Topic.ANSWERS
    left: AnyKey = "f"
    """Left key. A lower-case letter, a digit, or a name such as space or left."""
    right: AnyKey = "j"
    """Right key."""
    go_on: AnyKey = "space"
    """Key that continues."""
    pause: AnyKey = "escape"
    """Key that pauses."""
    left_means: Literal["real", "fake", "counterbalanced"] = "counterbalanced"
    """Answer by the left key. "counterbalanced": "real" for half of the people, "fake" for half."""
    names: dict[str, str] = Field(default_factory=dict)
    """Names of keys on the screen. They replace the usual names: {space = "the long key"}."""

    @field_validator("names")
    @classmethod
    def named_keys_are_known(cls, names: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(name for name in names if not is_key(name)):
            raise ValueError(f"{unknown[0]!r} is not a key")
        return names

    @model_validator(mode="after")
    def keys_differ(self) -> KeySettings:
        keys = (self.left, self.right, self.go_on, self.pause)
        if len(set(keys)) < len(keys):
            raise ValueError("left, right, go_on and pause must be four different keys")
        return self


class PagePicture(Settings):
    """``[pictures.<page>]``: picture on a page of instructions."""

    topic = Topic.WORDS
    file: Annotated[str, Field(min_length=1)]
    """Image file. The path is relative to the folder of the study."""
    alt: Annotated[str, Field(min_length=1)]
    """What the picture shows. Screen readers read this text aloud."""


class MonitorSettings(Settings):
    """``[monitor]``: size and distance of the screen."""

    topic = Topic.SCREEN
    width_cm: Positive
    """Visible width of the screen in cm."""
    distance_cm: Positive
    """Distance from the eyes to the screen in cm."""


class DisplaySettings(Settings):
    """``[display]``: the window, and the images in it."""

    topic = Topic.SCREEN
    size_deg: Positive | None = None
    """Size of images in degrees. Images are fitted into a square with this side, in degrees of
    visual angle. The size and distance of the screen must be given."""
    size_px: Positive | None = None
    """Size of images in pixels. Images are fitted into a square with this side."""
    enlarge: bool = False
    """Enlarge small images. Images may be shown larger than their size in pixels."""
    screen: Annotated[int, Field(ge=0), Affects.NOBODY] = 0
    """Number of the screen. The first screen is 0."""
    fullscreen: bool = True
    """Use the whole screen."""
    window_px: tuple[
        Annotated[int, Field(ge=320, le=LARGEST_SIDE_PX)],
        Annotated[int, Field(ge=240, le=LARGEST_SIDE_PX)],
    ] = (1024, 768)
    """Size of the window in pixels. The width and height of a window that is not full-screen."""
    refresh_hz: Annotated[float, Field(ge=20, le=1000)] = 60.0
    """Refresh rate of the screen in Hz."""
    background: Annotated[Rgb, BeforeValidator(colour_of)] = GROUNDS["grey"]
    """Background colour. "grey", "light" (if no image is flashed), or three numbers (RGB)."""
    text_rgb: Rgb = LIGHT_RGB
    """Text colour. If the default is unreadable on the background, the text is dark."""
    font: str = "DejaVu Sans"
    """Font."""
    feedback_ms: Milliseconds = 600.0
    """Duration of feedback in ms."""
    progress: bool = False
    """Show progress between trials. A bar shows how much of the block has been done."""

    @model_validator(mode="after")
    def one_size(self) -> DisplaySettings:
        if self.size_deg is not None and self.size_px is not None:
            raise ValueError("give size_deg or size_px, not both")
        return self


Corner = Literal["top-left", "top-right", "bottom-left", "bottom-right"]


class PatchSettings(Settings):
    """``[timing.patch]``: square for a photodiode."""

    corner: Corner = "top-left"
    """Corner of the square."""
    size_px: Annotated[int, Field(ge=1, le=LARGEST_SIDE_PX)] = 48
    """Side of the square in pixels."""
    on_rgb: Rgb = (255, 255, 255)
    """Colour while an image is shown."""
    masks_rgb: Annotated[tuple[Rgb, ...], Field(min_length=1)] = ((160, 160, 160), (80, 80, 80))
    """Colours while masks are shown. Successive masks take these colours in turn."""
    off_rgb: Rgb = (0, 0, 0)
    """Colour at all other times."""

    @model_validator(mode="after")
    def levels_differ(self) -> PatchSettings:
        """Require different colours for the image, each mask, and all other times."""
        levels = (self.on_rgb, self.off_rgb, *self.masks_rgb)
        if len(set(levels)) < len(levels):
            raise ValueError("on_rgb, off_rgb and the colours of masks_rgb must all be different")
        return self

    def centre_px(self, window_px: tuple[int, int]) -> tuple[int, int]:
        """Return x and y of the square's centre, measured from the window's top left corner."""
        half = self.size_px // 2
        width, height = window_px
        x = half if self.corner.endswith("left") else width - half
        y = half if self.corner.startswith("top") else height - half
        return x, y


class TriggerSettings(Settings):
    """``[timing.triggers]``: triggers for other devices."""

    lsl: str = ""
    """Name of a LabStreamingLayer stream. If empty, no stream is opened."""
    serial: str = ""
    """Serial port. If empty, no port is used."""
    baud: Annotated[int, Field(ge=1)] = 115_200
    """Speed of the serial port."""
    image_on: Annotated[int, Field(ge=1, le=255)] = 1
    """Code sent when an image appears. It is sent right after the flip that shows it."""
    image_off: Annotated[int, Field(ge=1, le=255)] = 2
    """Code sent when an image disappears. It is sent right after the flip that removes it."""

    @model_validator(mode="after")
    def codes_differ(self) -> TriggerSettings:
        if self.image_on == self.image_off:
            raise ValueError(f"image_on and image_off are both {self.image_on}")
        return self


class TimingSettings(Settings):
    """``[timing]``: precision of exposures."""

    topic = Topic.TIMING
    rounding_ms: Annotated[float, Field(ge=0)] | None = None
    """Largest rounding error in ms. Exposures are rounded to whole frames. If this changes an
    exposure by more, the screen is refused. If empty, there is no limit."""
    tolerance_ms: Positive | None = None
    """Largest timing error in ms. A larger error spoils the exposure. If empty: half a frame."""
    spoiled_trials: Literal["keep", "leave-out", "repeat"] = "keep"
    """Trials with a spoiled exposure. They are kept, left out of the scores, or repeated."""
    patch: PatchSettings | None = None
    triggers: Annotated[TriggerSettings, Affects.NOBODY] = TriggerSettings()
