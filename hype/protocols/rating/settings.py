"""The study file of ratings as frozen values.

The defaults follow Parthasarathy, Collins and Stephenson (2025), sections 3 and 5. For pairs: seven
axes with five levels and "not relevant", and one rater per pair. For single images: yes or no, or a
scale from 1 to 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, field_validator, model_validator

from hype.protocols.prompted.settings import (
    AnswerPaySettings,
    AskedTasteSettings,
    AskingSettings,
    PromptedFile,
    PromptedPeopleSettings,
    PromptedStudy,
    ReferencedSettings,
    StrengthAnalysis,
)
from hype.protocols.rating.trial import MOST_STEPS, NOT_RELEVANT, YES_NO
from hype.session.steps import MOVES
from hype.study.studies import AnyStudy, TextsIf
from hype.study.table import (
    MOST_BLOCKS,
    Affects,
    KeySettings,
    NotNegative,
    Positive,
    Rate,
    Settings,
    Topic,
    is_digit,
    is_key,
)
from hype.study.texts import ENGLISH, Pack, SessionWords, asking, english_words, pack_of, table_of

KEYS: Final = frozenset(
    ("left_key", "right_key", "not_relevant_key", "continue_key", "pause_key", "axes")
)


class RatingTexts(SessionWords):
    """The words on the screens. Studies of pairs and of single images have different words."""

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = {
        **SessionWords.in_text,
        "instructions": {"minutes"},
    }
    groups: ClassVar[tuple[str, ...]] = (*SessionWords.groups, "rating", "pairs")

    answer_yes: str = Field(description="Answer “yes” to a question")
    answer_no: str = Field(description="Answer “no” to a question")
    left_much: str = Field(description="Answer that the left one is much better")
    left: str = Field(description="Answer that the left one is better")
    equal: str = Field(description="Answer without a preference")
    right: str = Field(description="Answer that the right one is better")
    right_much: str = Field(description="Answer that the right one is much better")
    lowest: str = Field(description="Name of the lowest step")
    highest: str = Field(description="Name of the highest step")
    not_relevant: str = Field(description="Answer that a question is not relevant")
    reference: str = Field(description="Mark of the original image")
    instructions: str = Field(description="Instructions")
    instructions_not_relevant: str = Field(description="Instructions for irrelevant questions")
    instructions_slider: str = Field(description="Instructions for sliders")
    instructions_reference: str = Field(description="Instructions for the original image")
    instructions_mouse: str = Field(description="Instructions for the mouse")


def kind_of_items(tables: Mapping[str, Any]) -> str:
    """Return what a study file rates: "pairs" or single "images"."""
    match tables:
        case {"rating": {"of": "images"}}:
            return "images"
    return "pairs"


PAIR_AXES: Final = pack_of(ENGLISH).questions["pairs"]
"""The axes of Parthasarathy et al. for pairs, with their questions. Others need a question."""

IMAGE_AXES: Final = pack_of(ENGLISH).questions["images"]
"""Their axes for single images, all with yes or no, except the last, which is a scale."""

SCALES: Final = ("aesthetics",)
"""The axes for single images that are scales."""

FEWEST_LEVELS: Final = 3

MOST_LEVELS: Final = 9
"""The maximum number of levels for pairs: each level has a number key."""

MOST_MARKS: Final = 1001
"""The maximum number of answers of a slider; people distinguish fewer on a screen."""


class RatingStudySettings(AskingSettings):
    """``[study]``: study."""

    methods: tuple[Literal["rating"]] = ("rating",)
    """Method. A study of ratings has only this method."""


class RatingSettings(ReferencedSettings):
    """``[rating]``: rate images.

    ``levels``: only for pairs. ``items``: items per block. ``ratings``: evaluators per item.
    """

    of: Literal["pairs", "images"] = "pairs"
    """What is rated. Pairs of images, or single images."""
    axes: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """Axes to rate. People rate the axes in this order. If empty, they rate all known axes."""
    levels: Annotated[int, Field(ge=FEWEST_LEVELS, le=MOST_LEVELS)] = 5
    """Levels of an answer. The levels go from the left to the right image; for pairs only."""
    not_relevant: bool = True
    """Allow "not relevant". People may answer that an axis does not apply."""
    axis_order: Literal["fixed", "random"] = "fixed"
    """Order of axes. As listed in `axes`, or at random."""
    prompt: Literal["shown", "hidden"] = "shown"
    """How the prompt is shown."""
    ratings: Annotated[int, Field(ge=1), Affects.NOBODY] = 1
    """Evaluators per item."""
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 2
    """Number of blocks."""
    items: Annotated[int, Field(ge=1)] = 15
    """Items of a block."""
    practice: Annotated[int, Field(ge=0)] = 1
    """Practice items."""
    mouse: bool = True
    """Allow the mouse. People can click on answers or use the keys."""

    @field_validator("levels")
    @classmethod
    def has_a_middle(cls, levels: int) -> int:
        """Refuse an even number of levels, which has no middle for "both are equal"."""
        if levels % 2 == 0:
            raise ValueError("must be odd, so that the middle level means that both are equal")
        return levels

    @field_validator("axes")
    @classmethod
    def axes_differ(cls, axes: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Refuse a repeated axis, or a name that a table cannot contain."""
        for name in axes or ():
            if not name or len(name) > 64 or not name.isprintable() or name != name.strip():
                raise ValueError(f"{name!r} is not a valid name of an axis")
        if axes and len(set(axes)) < len(axes):
            raise ValueError("names an axis twice")
        return axes


class AxisSettings(Settings):
    """``[axes.<name>]``: axis in your own words.

    For single images ``kind`` is the kind of answer, ``lowest`` and ``highest`` are the ends of a
    scale or slider, and ``truth_column`` is the column of the manifest with the right answer.
    """

    topic = Topic.ANSWERS
    question: str = ""
    """Question. An axis of your own needs a question."""
    not_relevant: bool | None = None
    """Allow "not relevant". If empty, the setting for all axes applies."""
    kind: Literal["yes-no", "scale", "slider"] | None = None
    """Kind of answer. For single images: yes or no, a key for each step, or a slider."""
    lowest: Annotated[float, Field(ge=-10_000, le=10_000)] = 1
    """Lowest step."""
    highest: Annotated[float, Field(ge=-10_000, le=10_000)] = 10
    """Highest step."""
    step: Annotated[float, Field(ge=0.001)] = 1
    """Distance between the steps of a slider."""
    words: tuple[str, ...] = ()
    """Words for the steps, from the lowest step. A slider has two words, for its ends."""
    truth_column: str = ""
    """Column with the true answer. It is a column of the manifest."""

    @model_validator(mode="after")
    def has_steps(self) -> AxisSettings:
        """Refuse scales with more steps than digits, and sliders with a wrong number of steps."""
        steps, (lowest, highest) = self.steps, (self.lowest, self.highest)
        ends = f"from {lowest:g} to {highest:g}"
        if self.kind == "slider":
            if not MOST_STEPS < steps <= MOST_MARKS:
                raise ValueError(
                    f"a slider {ends} in steps of {self.step:g} has {steps} answers; it must have "
                    f"{MOST_STEPS + 1} to {MOST_MARKS}"
                )
            if float(self.answers[-1]) != round(highest, 6):
                raise ValueError(f"steps of {self.step:g} {ends} do not end at {highest:g}")
            if len(self.words) not in (0, 2):
                raise ValueError(f"words has {len(self.words)} entries for 2 ends of the slider")
            return self
        if self.step != 1:
            raise ValueError('step needs kind = "slider"')
        if not 2 <= steps <= MOST_STEPS or not set(self.answers) <= set(map(str, range(11))):
            raise ValueError(
                f"a scale {ends} has {steps} steps; it must have 2 to {MOST_STEPS} whole numbers "
                'from 0 to 10, each with its digit key; kind = "slider" allows others'
            )
        if self.words and len(self.words) != steps:
            raise ValueError(f"words has {len(self.words)} entries for {steps} steps of the scale")
        return self

    @property
    def steps(self) -> int:
        return round((self.highest - self.lowest) / self.step) + 1

    @property
    def answers(self) -> tuple[str, ...]:
        """The steps of a scale or slider, from the lowest."""
        return tuple(f"{round(self.lowest + n * self.step, 6) + 0:.9g}" for n in range(self.steps))

    @property
    def words_by_level(self) -> dict[str, str]:
        is_slider = self.kind == "slider"
        levels = (self.answers[0], self.answers[-1]) if is_slider else self.answers
        return dict(zip(levels, self.words, strict=False))


class RatingKeySettings(KeySettings):
    """``[keys]``: keys."""

    left_means: Literal["counterbalanced"] = Field("counterbalanced", exclude=True)
    """Answer of the left key. The left key always means the left answer."""
    not_relevant: str = "n"
    """Key for not relevant."""

    @field_validator("not_relevant")
    @classmethod
    def key_is_there(cls, key: str) -> str:
        """Refuse an unknown key, or a digit, since digits choose levels."""
        if not is_key(key) or is_digit(key):
            raise ValueError("is not a key, or is a digit; digits choose levels")
        return key

    @model_validator(mode="after")
    def not_relevant_differs(self) -> RatingKeySettings:
        named = (self.left, self.right, self.go_on, self.pause)
        if self.not_relevant in named:
            raise ValueError("not_relevant must differ from the keys left, right, go_on and pause")
        if any(map(is_digit, named)):
            raise ValueError(
                "left, right, go_on and pause cannot be digits, since digits choose levels"
            )
        return self


class RatingPeopleSettings(PromptedPeopleSettings):
    """``[people]``: differences between simulated people.

    The impression of a pair on an axis is the difference between the conditions' strengths, plus
    that between the images' strengths, plus noise with the standard deviation ``noise``. The share
    ``halo`` of the noise's variance is common to all axes of an item. ``step``: a level's width.
    """

    noise: Positive = 1.0
    """Noise in an answer. Standard deviation of the random part of the impression."""
    halo: Rate = 0.4
    """Part of the noise that all axes share. It is a share of the noise's variance."""
    step: Positive = 0.8
    """Width of a level."""
    not_relevant: dict[str, Rate] = Field(default_factory=dict)
    """Share of answers "not relevant". One number for each axis, as in {artifacts = 0.1}."""
    lapse: Rate = 0.02
    """Share of random answers. Random answers are lapses of attention."""
    rt_median_ms: Positive = 2500.0
    """Median response time in ms."""
    rt_spread: NotNegative = 0.4
    """Spread of response times. Standard deviation of the logarithm of response times."""


class RatingPaySettings(AnswerPaySettings):
    """``[pay]``: pay."""

    per_answer: Annotated[float, Field(ge=0)] = 0.01
    """Pay for each answer. An item has one answer for each axis."""


MEANINGS: Final[Mapping[int, tuple[str, ...]]] = {
    3: ("left", "equal", "right"),
    5: ("left_much", "left", "equal", "right", "right_much"),
}
"""The names of the texts for a pair's levels, from left to right.

With more levels, only the ends and the middle have a text.
"""


def meanings(levels: int) -> tuple[str, ...]:
    """Name the texts for a pair's levels, from left to right."""
    if levels in MEANINGS:
        return MEANINGS[levels]
    aside = ("",) * ((levels - 3) // 2)
    return ("left_much", *aside, "equal", *aside, "right_much")


class RatingFile(PromptedFile):
    """A whole study file whose method is "rating"."""

    protocol = "rating"

    study: RatingStudySettings
    rating: RatingSettings = RatingSettings()
    analysis: Annotated[StrengthAnalysis, Affects.NOBODY] = StrengthAnalysis()
    axes: dict[str, AxisSettings] = Field(default_factory=dict)
    keys: RatingKeySettings = RatingKeySettings()
    pay: RatingPaySettings = RatingPaySettings()
    texts: RatingTexts = english_words(RatingTexts)
    people: Annotated[RatingPeopleSettings, Affects.SIMULATED] = RatingPeopleSettings()
    observers: Annotated[dict[str, AskedTasteSettings], Affects.SIMULATED] = Field(
        default_factory=dict
    )

    @classmethod
    def text_groups(cls, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        return (*super().text_groups(tables), kind_of_items(tables))

    @classmethod
    def add_words(cls, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        """Add questions from the language pack for axes without a question in the study file."""
        asked = pack.questions[kind_of_items(tables)]
        names, axes = table_of(tables, "rating").get("axes"), tables.get("axes", {})
        wanted = [name for name in asked if not isinstance(names, list) or name in names]
        if isinstance(axes, Mapping) and all(isinstance(text, Mapping) for text in axes.values()):
            axes = {**axes, **{name: asking(asked[name], axes.get(name, {})) for name in wanted}}
        return {**super().add_words(tables, pack), "axes": axes}

    @property
    def prompted(self) -> RatingSettings:
        return self.rating

    @property
    def evaluators_per_cell(self) -> int:
        return self.rating.ratings

    @model_validator(mode="after")
    def parts_fit(self) -> RatingFile:
        """Refuse a study file whose tables contradict each other."""
        for name in self.axis_names:
            if name not in self.known_axes and not self.axis(name).question:
                usual = ", ".join(self.known_axes)
                raise ValueError(f"axes.{name} needs a question; only {usual} have one by default")
        for table, names in (
            ("axes", [*self.axes]),
            ("people.not_relevant", [*self.people.not_relevant]),
            *((f"observers.{name}.on", [*taste.on]) for name, taste in self.observers.items()),
        ):
            if unused := [name for name in names if name not in self.axis_names]:
                raise ValueError(f"{table}.{unused[0]} is not among rating.axes")
        tested = bool(self.screening.stimuli)
        moved = [key for key in (self.keys.go_on, self.keys.not_relevant) if key in MOVES]
        for name, axis in self.axes.items():
            if self.rating.of == "pairs" and (axis.kind or (axis.truth_column and not tested)):
                raise ValueError(f'axes.{name}: kind and truth_column need rating.of = "images"')
            if axis.words and axis.kind not in ("scale", "slider"):
                raise ValueError(f'axes.{name}: words need kind = "scale" or "slider"')
            if axis.kind == "slider" and moved:
                raise ValueError(f"keys: {moved[0]!r} moves the mark on the slider of axes.{name}")
        return self

    @property
    def known_axes(self) -> Mapping[str, str]:
        return PAIR_AXES if self.rating.of == "pairs" else IMAGE_AXES

    @property
    def axis_names(self) -> tuple[str, ...]:
        return self.rating.axes or tuple(self.known_axes)

    def axis(self, name: str) -> AxisSettings:
        return self.axes.get(name, AxisSettings())

    def levels_of(self, name: str) -> tuple[str, ...]:
        """Return the answers of an axis in order, without "not relevant"."""
        if self.rating.of == "pairs":
            return tuple(map(str, range(1, self.rating.levels + 1)))
        own = self.axis(name)
        kind = own.kind or ("scale" if name in SCALES else "yes-no")
        return YES_NO if kind == "yes-no" else own.answers

    @property
    def scales(self) -> tuple[str, ...]:
        """The axes on which single images get a number."""
        if self.rating.of == "pairs":
            return ()
        return tuple(name for name in self.axis_names if self.levels_of(name) != YES_NO)

    def optional(self, name: str) -> bool:
        """Return whether people may answer that an axis is not relevant."""
        own = self.axis(name).not_relevant
        return self.rating.not_relevant if own is None else own

    def allowed(self, name: str) -> tuple[str, ...]:
        return (*self.levels_of(name), *([NOT_RELEVANT] if self.optional(name) else []))


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingStudy(PromptedStudy):
    """A study of ratings."""

    settings: RatingFile

    def texts_if(self) -> Iterator[TextsIf]:
        yield from AnyStudy.texts_if(self)
        settings, asked = self.settings, self.settings.rating
        pairs, levels = asked.of == "pairs", [*map(settings.levels_of, settings.axis_names)]
        sides = meanings(asked.levels) if pairs else ()
        for name in ("left_much", "left", "equal", "right", "right_much"):
            yield name in sides, (name,)
        yield not pairs and YES_NO in levels, ("answer_yes", "answer_no")
        yield not pairs and any(each != YES_NO for each in levels), ("lowest", "highest")
        is_optional = any(map(settings.optional, settings.axis_names))
        has_slider = any(settings.axis(name).kind == "slider" for name in settings.axis_names)
        yield asked.show_reference is not None, ("reference", "instructions_reference")
        yield has_slider, ("instructions_slider",)
        yield is_optional, ("not_relevant", "instructions_not_relevant")
        yield asked.mouse, ("instructions_mouse",)
        yield asked.practice > 0, ("practice",)

    def words_asked(self) -> Iterator[tuple[str, str]]:
        settings = self.settings
        for name in settings.axis_names:
            yield f"axes.{name}", settings.axis(name).question or settings.known_axes[name]
        yield from AnyStudy.words_asked(self)

    @property
    def answers(self) -> str:
        return "ratings"

    @property
    def fewest_conditions(self) -> int:
        return 2 if self.settings.rating.of == "pairs" else 1


FILE: Final = RatingFile
STUDY: Final = RatingStudy
