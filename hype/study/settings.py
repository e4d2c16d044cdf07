"""The study file as frozen values. Every default is the paper's number where it gives one.

Zhou et al. 2019: section 2.1 for `TimeSettings`, 2.2 for `InfinitySettings`, 2.3 for the
qualification and the pay.
"""

from __future__ import annotations

import string
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hype.protocol.staircase import CHANCE, PRESETS, Staircase
from hype.study.texts import Texts

MOST_BLOCKS: Final = 1000
LONGEST_MS: Final = 3_600_000
LARGEST_SIDE_PX: Final = 32_767
"""Of what is drawn or opened: X has no larger windows."""
Positive = Annotated[float, Field(gt=0)]
Milliseconds = Annotated[float, Field(gt=0, le=LONGEST_MS)]
NotNegative = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(ge=0, le=1)]
Ceiling = Annotated[float, Field(gt=0, le=1)]
Rgb = tuple[
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
]
Method = Literal["time", "infinity"]


def as_tuples(value: Any) -> Any:
    """Make tuples of lists, and of the lists in them."""
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


class Settings(BaseModel):
    """Base of all tables of the file: unknown keys are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def lists_are_tuples(cls, data: Any) -> Any:
        """Take TOML's arrays for the tuples that frozen values are made of."""
        if not isinstance(data, dict):
            return data
        return {key: as_tuples(value) for key, value in data.items()}


class StudySettings(Settings):
    """``[study]``: what is asked, of how many, and who sees what."""

    name: Annotated[str, Field(min_length=1)]
    seed: Annotated[int, Field(ge=0)] = 2019
    methods: Annotated[tuple[Method, ...], Field(min_length=1)] = ("time",)
    evaluator_does: Literal["one-method", "all-methods"] = "one-method"
    evaluators: Annotated[int, Field(ge=1)] = 30
    consent: bool = True
    breaks: bool = True

    @field_validator("methods")
    @classmethod
    def methods_differ(cls, methods: tuple[Method, ...]) -> tuple[Method, ...]:
        """Refuse a method listed twice."""
        if len(set(methods)) < len(methods):
            raise ValueError("a method is listed twice")
        return methods


class StimuliSettings(Settings):
    """``[stimuli]``: the stimulus set, and the conditions of it that are evaluated (all)."""

    folder: Annotated[str, Field(min_length=1)]
    conditions: tuple[str, ...] = ()


class MaskSettings(Settings):
    """``[masks]``: the mask set, needed by the timed method."""

    folder: str = ""


def even(trials: int) -> int:
    """Refuse an odd number of trials: half are real."""
    if trials % 2:
        raise ValueError("must be even, since exactly half of the images are real")
    return trials


class StaircaseSettings(Settings):
    """``[time.staircase]``: a preset, any number of it replaced."""

    preset: Literal["hype", "weighted-75"] = "hype"
    start_ms: Milliseconds = 500.0
    min_ms: Milliseconds = 100.0
    max_ms: Milliseconds = 1000.0
    down_ms: Milliseconds | None = None
    up_ms: Milliseconds | None = None
    correct_to_descend: Annotated[int, Field(ge=1)] | None = None
    allow_at_or_below_chance: bool = False

    @model_validator(mode="after")
    def settles_above_chance(self) -> StaircaseSettings:
        """Refuse bounds out of order, and a rule whose threshold is no threshold."""
        if not self.min_ms <= self.start_ms <= self.max_ms:
            raise ValueError(
                f"start_ms {self.start_ms:g} must lie between min_ms {self.min_ms:g} "
                f"and max_ms {self.max_ms:g}"
            )
        rule = self.rule
        if not (rule.settles_above_chance or self.allow_at_or_below_chance):
            raise ValueError(
                f"{rule.down_ms:g} ms down after {rule.correct_to_descend} correct and "
                f"{rule.up_ms:g} ms up settles at {rule.settles_at:.1%} correct, and guessing "
                f"gives {CHANCE:.0%}: the exposure would always fall to the floor; take a larger "
                "up_ms, a smaller down_ms or a larger correct_to_descend, or set "
                "allow_at_or_below_chance = true"
            )
        return self

    @property
    def rule(self) -> Staircase:
        """The rule itself."""
        preset = PRESETS[self.preset]
        return Staircase(
            start_ms=self.start_ms,
            min_ms=self.min_ms,
            max_ms=self.max_ms,
            down_ms=preset.down_ms if self.down_ms is None else self.down_ms,
            up_ms=preset.up_ms if self.up_ms is None else self.up_ms,
            correct_to_descend=(
                preset.correct_to_descend
                if self.correct_to_descend is None
                else self.correct_to_descend
            ),
        )


class TimeSettings(Settings):
    """``[time]``: HYPE_time."""

    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 3
    trials: Annotated[int, Field(ge=2)] = 150
    countdown_from: Annotated[int, Field(ge=0, le=9)] = 3
    countdown_ms: Milliseconds = 500.0
    masks: Annotated[int, Field(ge=0)] = 4
    mask_ms: Milliseconds = 30.0
    feedback: bool = True
    staircase: StaircaseSettings = StaircaseSettings()

    _even = field_validator("trials")(even)


class InfinitySettings(Settings):
    """``[infinity]``: HYPE_∞."""

    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 1
    trials: Annotated[int, Field(ge=2)] = 100
    feedback: bool = False

    _even = field_validator("trials")(even)


class QualificationSettings(Settings):
    """``[qualification]``: who may take part.

    ``valid_from`` names folders of other studies: who passed the qualification there is not asked
    to pass it again.
    """

    enabled: bool = True
    trials: Annotated[int, Field(ge=2)] = 100
    pass_rate: Rate = 0.65
    feedback: bool = False
    valid_from: tuple[str, ...] = ()

    _even = field_validator("trials")(even)


class PracticeSettings(Settings):
    """``[practice]``: trials before the first untimed and before the first timed block."""

    trials: Annotated[int, Field(ge=0)] = 6

    _even = field_validator("trials")(even)


OTHER_KEYS: Final = (
    *("left", "right", "up", "down", "space", "return", "escape", "tab", "backspace"),
    *("comma", "period", "slash", "semicolon"),
)
KEY_NAMES: Final = frozenset((*string.ascii_lowercase, *string.digits, *OTHER_KEYS))
"""The keys a study may use, by the names that PsychoPy gives them."""


class KeySettings(Settings):
    """``[keys]``: four of `KEY_NAMES`, and what the left one answers."""

    left: str = "f"
    right: str = "j"
    go_on: str = "space"
    pause: str = "escape"
    left_means: Literal["real", "fake", "counterbalanced"] = "counterbalanced"

    @field_validator("left", "right", "go_on", "pause")
    @classmethod
    def key_is_known(cls, key: str) -> str:
        """Refuse a key that no keyboard would report."""
        if key not in KEY_NAMES:
            raise ValueError(f"is no key; allowed are a to z, 0 to 9, {', '.join(OTHER_KEYS)}")
        return key

    @model_validator(mode="after")
    def keys_differ(self) -> KeySettings:
        """Refuse one key with two meanings."""
        keys = (self.left, self.right, self.go_on, self.pause)
        if len(set(keys)) < len(keys):
            raise ValueError("left, right, go_on and pause must be four different keys")
        return self


class MonitorSettings(Settings):
    """``[monitor]``: the visible width of the screen, and the distance of the eyes from it."""

    width_cm: Positive
    distance_cm: Positive


class DisplaySettings(Settings):
    """``[display]``: what the window looks like, and where it opens.

    An image fills, without being distorted, a square of ``size_deg`` of visual angle (which needs
    ``[monitor]``) or of ``size_px`` pixels.
    """

    size_deg: Positive | None = None
    size_px: Positive | None = None
    screen: Annotated[int, Field(ge=0)] = 0
    fullscreen: bool = True
    window_px: tuple[
        Annotated[int, Field(ge=320, le=LARGEST_SIDE_PX)],
        Annotated[int, Field(ge=240, le=LARGEST_SIDE_PX)],
    ] = (1024, 768)
    refresh_hz: Annotated[float, Field(ge=20, le=1000)] = 60.0
    background_rgb: Rgb = (128, 128, 128)
    text_rgb: Rgb = (245, 245, 245)
    font: str = "DejaVu Sans"
    feedback_ms: Milliseconds = 600.0

    @model_validator(mode="after")
    def one_size(self) -> DisplaySettings:
        """Refuse two sizes."""
        if self.size_deg is not None and self.size_px is not None:
            raise ValueError("give size_deg or size_px, not both")
        return self


class PatchSettings(Settings):
    """``[timing.patch]``: a square in a corner of the window for a photodiode to watch.

    It is ``on_rgb`` exactly while an image is on the screen, ``masks_rgb`` (in turn, so that masks
    can be told from one another) while masks are, and ``off_rgb`` at all other times.
    """

    corner: Literal["top-left", "top-right", "bottom-left", "bottom-right"] = "top-left"
    size_px: Annotated[int, Field(ge=1, le=LARGEST_SIDE_PX)] = 48
    on_rgb: Rgb = (255, 255, 255)
    masks_rgb: Annotated[tuple[Rgb, ...], Field(min_length=1)] = ((160, 160, 160), (80, 80, 80))
    off_rgb: Rgb = (0, 0, 0)

    @model_validator(mode="after")
    def levels_differ(self) -> PatchSettings:
        """Refuse two states of one colour, which nobody could tell apart."""
        levels = (self.on_rgb, self.off_rgb, *self.masks_rgb)
        if len(set(levels)) < len(levels):
            raise ValueError("on_rgb, off_rgb and the colours of masks_rgb must all be different")
        return self


class TriggerSettings(Settings):
    """``[timing.triggers]``: whom to tell of the flips at which an image comes and goes.

    ``lsl`` is the name of a LabStreamingLayer stream to open, ``serial`` a port; empty: none.
    """

    lsl: str = ""
    serial: str = ""
    baud: Annotated[int, Field(ge=1)] = 115_200
    image_on: Annotated[int, Field(ge=1, le=255)] = 1
    image_off: Annotated[int, Field(ge=1, le=255)] = 2

    @model_validator(mode="after")
    def codes_differ(self) -> TriggerSettings:
        """Refuse one code for two things."""
        if self.image_on == self.image_off:
            raise ValueError(f"image_on and image_off are both {self.image_on}")
        return self


class TimingSettings(Settings):
    """``[timing]``: how exact exposures must be, and what becomes of those that were not.

    ``rounding_ms`` is the most by which exposures and masks may differ from what the frames of the
    display can show (any, if it is missing). ``tolerance_ms`` is the most by which what was
    measured may differ from those frames (half a frame, if it is missing).
    """

    rounding_ms: Annotated[float, Field(ge=0)] | None = None
    tolerance_ms: Positive | None = None
    spoiled_trials: Literal["keep", "leave-out", "repeat"] = "keep"
    patch: PatchSettings | None = None
    triggers: TriggerSettings = TriggerSettings()


class PaySettings(Settings):
    """``[pay]``: base for the qualification, then for each correctly judged image."""

    base: Annotated[float, Field(ge=0)] = 1.00
    per_correct: Annotated[float, Field(ge=0)] = 0.02
    currency: str = "$"


class ObserverSettings(Settings):
    """``[observers.<condition>]``: the typical simulated evaluator of one condition.

    The spreads are those of ``[people]`` where they are not given. ``timed_ceiling`` is what
    accuracy tends to as flashed exposures grow, where that is not ``ceiling``.
    """

    threshold_ms: Milliseconds = 250.0
    slope: Positive = 1.5
    ceiling: Ceiling = 0.95
    timed_ceiling: Ceiling | None = None
    lapse: Rate = 0.02
    bias: float = 0.0
    threshold_spread: NotNegative | None = None
    ceiling_spread: NotNegative | None = None
    bias_spread: NotNegative | None = None


class PeopleSettings(Settings):
    """``[people]``: how simulated evaluators differ from one another, and how fast they answer.

    ``image_spread`` is by how much images of one kind differ in how fake they look.
    """

    threshold_spread: NotNegative = 0.25
    ceiling_spread: NotNegative = 0.15
    bias_spread: NotNegative = 0.15
    image_spread: NotNegative = 0.0
    rt_median_ms: Milliseconds = 700.0
    rt_spread: NotNegative = 0.35


class StudyFile(Settings):
    """A whole study file."""

    study: StudySettings
    stimuli: StimuliSettings
    masks: MaskSettings = MaskSettings()
    time: TimeSettings = TimeSettings()
    infinity: InfinitySettings = InfinitySettings()
    qualification: QualificationSettings = QualificationSettings()
    practice: PracticeSettings = PracticeSettings()
    keys: KeySettings = KeySettings()
    display: DisplaySettings = DisplaySettings()
    monitor: MonitorSettings | None = None
    timing: TimingSettings = TimingSettings()
    pay: PaySettings = PaySettings()
    texts: Texts = Texts()
    people: PeopleSettings = PeopleSettings()
    observers: dict[str, ObserverSettings] = {}

    @model_validator(mode="after")
    def parts_fit(self) -> StudyFile:
        """Refuse what only shows when the tables are read together."""
        if self.display.size_deg is not None and self.monitor is None:
            raise ValueError("display.size_deg needs [monitor] with width_cm and distance_cm")
        if "time" in self.study.methods and self.time.masks and not self.masks.folder:
            raise ValueError(
                'masks.folder is missing; the method "time" covers every image with masks '
                "(hype masks make), unless time.masks = 0"
            )
        return self

    def methods_of_one_evaluator(self) -> tuple[tuple[Method, ...], ...]:
        """The methods that one evaluator may be given: each alone, or all together."""
        if self.study.evaluator_does == "all-methods":
            return (self.study.methods,)
        return tuple((method,) for method in self.study.methods)
