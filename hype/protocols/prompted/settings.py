"""The common settings of studies with prompts, and how their study files are made."""

from __future__ import annotations

import json
import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

from pydantic import Field, field_validator, model_validator

from hype.protocols.prompted.trial import Prompt
from hype.session.steps import Pay, ReferencePlace
from hype.study.draws import Draws
from hype.study.studies import (
    ABOUT,
    AnyFile,
    AnyStudy,
    GateSettings,
    PromptSettings,
    SharedPaySettings,
    SharedStudySettings,
    fill_template,
    further_groups,
)
from hype.study.table import NotNegative, Positive, Settings, Topic

TEST: Final = "test"
"""The name of the test before a study, in the column `task` and in the paths of its images."""
READING_S: Final = 60.0
"""Expected time, in seconds, that an evaluator spends on reading."""
Thing = TypeVar("Thing")


class AskingSettings(SharedStudySettings):
    """``[study]``: study."""

    @field_validator("methods", mode="before")
    @classmethod
    def stands_alone(cls, methods: object) -> object:
        """Refuse a second method, since a study with prompts has only one."""
        if isinstance(methods, tuple | list) and len(methods) > 1:
            (alone,) = cls.model_fields["methods"].default
            raise ValueError(f'"{alone}" must be the only method of a study')
        return methods


class TasteSettings(Settings):
    """``[observers.<condition>]``: how much simulated evaluators like a condition.

    ``strength``: a log-strength in the model of Bradley and Terry, or of Plackett and Luce.
    """

    topic = Topic.SIMULATED
    strength: float = 0.0
    """Strength. How much people like the condition's images, as a log-strength."""

    def strength_on(self, _axis: str) -> float:
        return self.strength


class AskedTasteSettings(TasteSettings):
    """``[observers.<condition>]``: how much simulated evaluators like a condition."""

    on: dict[str, float] = Field(default_factory=dict)
    """Strength on single axes or criteria. Needed only where it differs from `strength`."""

    def strength_on(self, axis: str) -> float:
        return self.on.get(axis, self.strength)


class ReferencedSettings(PromptSettings):
    """The images of the study, and whether a reference is shown with them."""

    show_reference: ReferencePlace | None = None
    """Place of the reference. The manifest's column `reference` names the image. If empty: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedStudy(AnyStudy):
    """A study that asks about images of prompts."""

    settings: PromptedFile

    @property
    def of_prompts(self) -> PromptSettings:
        return self.settings.prompted

    @property
    def table(self) -> str:
        return self.settings.study.methods[0]

    @property
    def fewest_conditions(self) -> int:
        return 2

    @property
    def other_sets(self) -> Mapping[str, Path]:
        rule = self.settings.screening
        return {TEST: self.folder / rule.stimuli} if rule.test and rule.stimuli else {}

    def list_folders(self) -> Iterator[tuple[str, str]]:
        yield from AnyStudy.list_folders(self)
        rule = self.settings.screening
        yield from (("screening.stimuli", name) for name in (rule.stimuli,) if name)
        yield from (("screening.valid_from", name) for name in rule.valid_from)


class ScreeningSettings(GateSettings):
    """``[screening]``: test before the study. The test's manifest has the study's prompt column."""

    test: Annotated[int, Field(ge=0)] = 0
    """Length of the test. Number of pairs, items or groups; 0 means no test."""

    @model_validator(mode="after")
    def has_images(self) -> ScreeningSettings:
        if self.test and self.decide == "pass" and not self.stimuli:
            raise ValueError('decide = "pass" needs images with known answers: screening.stimuli')
        return self


class StrengthAnalysis(Settings):
    """``[analysis]``: which differences are too small to matter.

    A win rate that differs from ½ by less than ``margin`` counts as ½. For ratings of single
    images, means that differ by less than this share of the scale count as equal.
    """

    topic = Topic.ANALYSIS
    margin: Annotated[float, Field(gt=0, lt=0.5)] | None = None
    """Margin of equivalence. Scores that differ by less count as equivalent."""
    judge_margin: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Largest difference in agreement. A judge is as good as a second person if its agreement with
    people is at most this much lower."""
    strengths: Literal["elo", "log", "share"] = "elo"
    """Scale of strengths. Elo points, log-strengths, or shares of 100."""


class AnswerPaySettings(SharedPaySettings):
    """``[pay]``: pay."""

    per_answer: Annotated[float, Field(ge=0)] = 0.03
    """Pay for each answer."""

    def pay(self) -> Pay:
        return Pay(base=self.base, per_correct=self.per_answer, currency=self.currency)


class PromptedFile(AnyFile):
    """The tables that every study file of a protocol with prompts has.

    Each protocol adds its own tables, and more keys to ``study``, ``texts``, ``people`` and others.
    """

    study: AskingSettings
    screening: ScreeningSettings = ScreeningSettings()
    pay: AnswerPaySettings = AnswerPaySettings()
    if TYPE_CHECKING:  # each protocol has its own types for these
        observers: Mapping[str, TasteSettings]

    @property
    @abstractmethod
    def prompted(self) -> PromptSettings:
        """The settings of the images."""

    @property
    def gate(self) -> ScreeningSettings | None:
        rule = self.screening
        return rule if rule.decide and (rule.test or rule.valid_from) else None

    @classmethod
    def text_groups(cls, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        return ("all", "test", ABOUT, *further_groups(tables), cls.protocol)


def split_evenly(things: Sequence[Thing], parts: int) -> list[Sequence[Thing]]:
    """Split things into parts of about equal length, none of them empty."""
    ends = [round(len(things) * part / parts) for part in range(parts + 1)]
    runs = [things[start:end] for start, end in pairwise(ends)]
    return [part for part in runs if part]


def take_turns(kinds: Iterable[Sequence[Thing]], draws: Draws) -> list[Thing]:
    shuffled = [[some[at] for at in draws.permutation(len(some))] for some in kinds]
    longest = max(map(len, shuffled), default=0)
    return [some[turn] for turn in range(longest) for some in shuffled if turn < len(some)]


def shares_of(things: Sequence[Thing], at_most: int) -> tuple[tuple[Thing, ...], ...]:
    """Divide things into as few sessions as possible, with at most ``at_most`` things each."""
    return tuple(map(tuple, split_evenly(things, max(1, math.ceil(len(things) / at_most)))))


def practice_in(
    shares: Sequence[Sequence[Thing]], own: int, number: int, draws: Draws
) -> list[Thing]:
    """Draw practice trials from other evaluators' shares, if any, so that later trials are new."""
    others = [share for at, share in enumerate(shares, start=1) if at != own]
    things = [thing for share in others or shares for thing in share]
    return [things[at] for at in draws.sample(len(things), min(number, len(things)))]


class PromptedPeopleSettings(Settings):
    """``[people]``: differences between simulated people."""

    topic = Topic.SIMULATED
    taste_spread: NotNegative = 0.3
    """Spread of taste. Standard deviation of a condition's strength between people."""
    image_spread: NotNegative = 0.3
    """Spread between images. Standard deviation of the strengths of a condition's images."""
    rt_median_ms: Positive = 2000.0
    """Median response time in ms."""
    rt_spread: NotNegative = 0.5
    """Spread of response times. Standard deviation of the logarithm of response times."""


def session_minutes(seconds: float) -> int:
    """Estimate the duration of a session in whole minutes, for the welcome screen."""
    return max(1, round((READING_S + seconds) / 60))


def images_by_condition(prompts: Sequence[Prompt]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for prompt in prompts:
        for condition, images in prompt.images.items():
            counts[condition] = counts.get(condition, 0) + len(images)
    return counts


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedShape:
    """Numbers of images, prompts and conditions of a new study with prompts."""

    images: int = 4  # number of images of each condition and prompt
    real_too: bool = False  # whether real images take part as a condition
    prompts: int = 2  # number of prompts
    conditions: int = 2  # number of conditions


def write_study(folder: Path, name: str, shape: PromptedShape, **more: object) -> str:
    values = {"images": shape.images, "real_too": json.dumps(shape.real_too)}
    return fill_template(folder / "template.toml", name, **values, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedTemplate:
    """How a study file of one protocol with prompts is made."""

    # The shape if there are no images yet; if there are, only its ``images`` is used, as a maximum
    usual: PromptedShape
    shape: Callable[..., PromptedShape]  # makes a shape from its fields
    text: Callable[[str, Any], str]  # writes the study file from its name and shape
    # Returns remarks about unusual properties of the study
    remarks: Callable[[Any], Iterable[str]] = lambda _shape: ()
    trial: str = "simulate"  # the command that shows what the design can detect
    complete: bool = False  # whether each prompt must have images of all conditions
    wanted: str = ""  # key of the planned number of evaluators; empty if there is none
