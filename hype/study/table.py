"""Tables of the study file that all protocols share, and the kinds of numbers in them.

Stimuli, added models, and what a station reads: keys, display, timing, triggers.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Final, Literal

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


class Bearing(Enum):
    """Whose answers a setting affects, if not everybody's.

    It is put next to a setting (``Annotated[int, Bearing.NOBODY]``). A setting without one affects
    what is measured, or on whom: another value of it makes another version of the study, and the
    answers to the two are never scored together (`hype.study.differences`).
    """

    NOBODY = "the same is asked of the same people, whatever it is"
    SIMULATED = "it says how simulated evaluators answer"
    NEWCOMERS = "it says what joined: who came before goes on without it, in the same version"


def make_tuples(value: Any) -> Any:
    """Make tuples of lists, and of the lists in them."""
    return tuple(map(make_tuples, value)) if isinstance(value, list) else value


class Settings(BaseModel):
    """Base of all tables of the file: unknown keys are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def lists_are_tuples(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {key: make_tuples(value) for key, value in data.items()}


MOST_BLOCKS: Final = 1000


class AddedSettings(Settings):
    """``[added.<condition>]``: a model that joined while the study ran, as `hype add` writes it.

    Its images lie in ``added/<condition>`` next to the study file. Earlier evaluators go on without
    it, under the plan that they began with; ``finished`` and ``votes`` are for arenas only.
    """

    day: Annotated[str, Field(pattern=r"\d{4}-\d\d-\d\d")]
    """When it joined, in UTC."""
    finished: Annotated[int, Field(ge=0)] | None = None
    """How many evaluators of the arena had finished by then."""
    votes: Annotated[int, Field(ge=1)] | None = None
    """Votes at which the arena ends since then in any case, those before it among them."""


Added = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=64)], AddedSettings], Bearing.NEWCOMERS
]


class StimuliSettings(Settings):
    """``[stimuli]``: the stimulus set, and the conditions of it that are evaluated."""

    folder: Annotated[str, Field(min_length=1)]
    """Folder of the stimulus set, as `hype stimuli scan` lists it."""
    conditions: tuple[str, ...] = ()
    """Which conditions of the set take part; without it, all."""
    images_per_condition: Annotated[int, Field(ge=1)] | None = None
    """How many images of each condition, and real ones, are drawn for all; without it, all."""


LARGEST_SIDE_PX: Final = 32_767
"""The largest side of a window or an image: X has no larger windows."""

Rgb = tuple[
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
]

LIGHT_RGB: Final = (245, 245, 245)
"""The colour of texts, if it stands out from the background."""
GROUNDS: Final[Mapping[str, Rgb]] = {"grey": (128, 128, 128), "light": LIGHT_RGB}
"""Backgrounds that have a name."""


def colour_of(given: object) -> object:
    """Return the colour of a background that is given by its name."""
    if isinstance(given, str) and given not in GROUNDS:
        raise ValueError('is "grey", "light" or a colour such as [128, 128, 128]')
    return GROUNDS[given] if isinstance(given, str) else given


OTHER_KEYS: Final = (
    *("left", "right", "up", "down", "space", "return", "escape", "tab", "backspace"),
    *("comma", "period", "slash", "semicolon", "minus"),
    *(f"num_{digit}" for digit in string.digits),
)

KEY_NAMES: Final = frozenset((*string.ascii_lowercase, *string.digits, *OTHER_KEYS))
"""Keys that a study may use besides letters of other alphabets; ``num_`` is the number pad."""


def is_key(name: str) -> bool:
    """Whether a study may use a key: one of `KEY_NAMES`, or a small letter of any alphabet.

    `hype check` finds out which letters a keyboard has.
    """
    letter = len(name) == 1 and name.isalpha() and name == name.lower()
    return letter or name in KEY_NAMES


def check_key(name: str) -> str:
    """Refuse a key that no keyboard would report."""
    if not is_key(name):
        raise ValueError(
            "is not a key; allowed are small letters of any alphabet, 0 to 9, "
            + ", ".join(key for key in OTHER_KEYS if not key.startswith("num_"))
            + ", num_0 to num_9"
        )
    return name


AnyKey = Annotated[str, AfterValidator(check_key)]


def is_digit(key: str) -> bool:
    return key.removeprefix("num_").isdigit()


class KeySettings(Settings):
    """``[keys]``: four different ones (`is_key`), and what the left one answers."""

    left: AnyKey = "f"
    """The left key."""
    right: AnyKey = "j"
    """The right key."""
    go_on: AnyKey = "space"
    """The key that goes on."""
    pause: AnyKey = "escape"
    """The key that pauses."""
    left_means: Literal["real", "fake", "counterbalanced"] = "counterbalanced"
    """What the left key answers; counterbalanced over evaluators unless it is fixed."""
    names: dict[str, str] = Field(default_factory=dict)
    """What keys are called on the screen, where that is not the language's name."""

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
    """``[pictures.<page>]``: a picture on a page of instructions."""

    file: Annotated[str, Field(min_length=1)]
    """The image file, from the study's folder."""
    alt: Annotated[str, Field(min_length=1)]
    """What it shows, for people who cannot see it."""


class MonitorSettings(Settings):
    """``[monitor]``: the visible width of the screen, and the distance of the eyes from it."""

    width_cm: Positive
    """Visible width of the screen."""
    distance_cm: Positive
    """From the eyes to the screen."""


class DisplaySettings(Settings):
    """``[display]``: what the window looks like, and where it opens."""

    size_deg: Positive | None = None
    """Side of the square that an image fills, in degrees of visual angle; needs `[monitor]`."""
    size_px: Positive | None = None
    """The same in pixels."""
    enlarge: bool = False
    """Whether images may be shown larger than their own pixels."""
    screen: Annotated[int, Field(ge=0), Bearing.NOBODY] = 0
    """Number of the screen, from 0."""
    fullscreen: bool = True
    """Whether the window fills the screen."""
    window_px: tuple[
        Annotated[int, Field(ge=320, le=LARGEST_SIDE_PX)],
        Annotated[int, Field(ge=240, le=LARGEST_SIDE_PX)],
    ] = (1024, 768)
    """Width and height of the window, where it does not."""
    refresh_hz: Annotated[float, Field(ge=20, le=1000)] = 60.0
    """Refresh rate of the screen."""
    background: Annotated[Rgb, BeforeValidator(colour_of)] = GROUNDS["grey"]
    """Colour behind everything: "grey", "light" (where no image is flashed) or its RGB."""
    text_rgb: Rgb = LIGHT_RGB
    """Colour of texts; the default gives way where it could not be read."""
    font: str = "DejaVu Sans"
    """Font of texts."""
    feedback_ms: Milliseconds = 600.0
    """How long feedback stays."""
    progress: bool = False
    """Whether a bar between trials tells how much of the block is done."""

    @model_validator(mode="after")
    def one_size(self) -> DisplaySettings:
        if self.size_deg is not None and self.size_px is not None:
            raise ValueError("give size_deg or size_px, not both")
        return self


Corner = Literal["top-left", "top-right", "bottom-left", "bottom-right"]


class PatchSettings(Settings):
    """``[timing.patch]``: a square in a corner of the window for a photodiode to watch."""

    corner: Corner = "top-left"
    """Where the square is."""
    size_px: Annotated[int, Field(ge=1, le=LARGEST_SIDE_PX)] = 48
    """Its side."""
    on_rgb: Rgb = (255, 255, 255)
    """Its colour while an image is shown."""
    masks_rgb: Annotated[tuple[Rgb, ...], Field(min_length=1)] = ((160, 160, 160), (80, 80, 80))
    """Its colours while masks are shown, in turn."""
    off_rgb: Rgb = (0, 0, 0)
    """Its colour otherwise."""

    @model_validator(mode="after")
    def levels_differ(self) -> PatchSettings:
        """Refuse two states with the same colour."""
        levels = (self.on_rgb, self.off_rgb, *self.masks_rgb)
        if len(set(levels)) < len(levels):
            raise ValueError("on_rgb, off_rgb and the colours of masks_rgb must all be different")
        return self

    def centre_px(self, window_px: tuple[int, int]) -> tuple[int, int]:
        """Return the square's middle pixel, from the window's upper left corner."""
        half = self.size_px // 2
        width, height = window_px
        x = half if self.corner.endswith("left") else width - half
        y = half if self.corner.startswith("top") else height - half
        return x, y


class TriggerSettings(Settings):
    """``[timing.triggers]``: whom to tell of the flips at which an image comes and goes."""

    lsl: str = ""
    """Name of a LabStreamingLayer stream to open; empty for none."""
    serial: str = ""
    """Serial port; empty for none."""
    baud: Annotated[int, Field(ge=1)] = 115_200
    """Speed of the serial port."""
    image_on: Annotated[int, Field(ge=1, le=255)] = 1
    """Code sent just after the flip that shows an image."""
    image_off: Annotated[int, Field(ge=1, le=255)] = 2
    """Code sent just after the flip that covers it."""

    @model_validator(mode="after")
    def codes_differ(self) -> TriggerSettings:
        if self.image_on == self.image_off:
            raise ValueError(f"image_on and image_off are both {self.image_on}")
        return self


class TimingSettings(Settings):
    """``[timing]``: how exact exposures must be, and what becomes of those that were not."""

    rounding_ms: Annotated[float, Field(ge=0)] | None = None
    """Most by which frames may miss a requested duration; without it, any."""
    tolerance_ms: Positive | None = None
    """Most by which what was measured may miss its frames; without it, half a frame."""
    spoiled_trials: Literal["keep", "leave-out", "repeat"] = "keep"
    """What becomes of trials that the screen spoiled."""
    patch: PatchSettings | None = None
    triggers: Annotated[TriggerSettings, Bearing.NOBODY] = TriggerSettings()
