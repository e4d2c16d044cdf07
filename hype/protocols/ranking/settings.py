"""The study file of rankings as frozen values.

Where Wu et al. (2023), section 3, give numbers, these are the defaults: 10 people rank each group,
and a checker ranks a tenth of each annotator's work again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, field_validator, model_validator

from hype.protocols.prompted.settings import (
    AnswerPaySettings,
    AskingSettings,
    PromptedFile,
    PromptedPeopleSettings,
    PromptedStudy,
    ScreeningSettings,
    StrengthAnalysis,
    TasteSettings,
)
from hype.protocols.ranking.trial import LETTERS, MOST_RANKED
from hype.session.steps import Pay
from hype.study.studies import AnyStudy, PromptSettings, TextsIf
from hype.study.table import MOST_BLOCKS, Affects, AnyKey, KeySettings, Rate
from hype.study.texts import ENGLISH, Pack, SessionWords, english_words, override, pack_of

KEYS: Final = frozenset(
    ("undo_key", "tie_key", "continue_key", "pause_key", "left_key", "right_key", "question")
)


class RankingTexts(SessionWords):
    """The words that participants see; ``{question}`` stands for the criterion of the order."""

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = {
        **SessionWords.in_text,
        "instructions": {"minutes"},
        "test": {"trials"},
    }
    groups: ClassVar[tuple[str, ...]] = (*SessionWords.groups, "ranking")

    undo: str = Field(description="Button that takes the last image back")
    tie: str = Field(description="Button for images that share a place")
    tying: str = Field(description="Label of the pressed button for equal images")
    accept: str = Field(description="Button that ends a ranking")
    instructions: str = Field(description="Instructions")
    instructions_ties: str = Field(description="Instructions for shared places")
    instructions_mouse: str = Field(description="Instructions for the mouse")
    test: str = Field(description="Page before an easy task")


CHECKER_PATTERN: Final = re.compile(r"(?=.*[^*])[A-Za-z0-9_*-]{1,64}")

QUESTION: Final = pack_of(ENGLISH).questions["ranking"]["order"]
"""The default criterion of the order: the two aspects of Wu et al. (2023)."""


class RankingStudySettings(AskingSettings):
    """``[study]``: study."""

    methods: tuple[Literal["ranking"]] = ("ranking",)
    """Method. A study of rankings has only this method."""


class RankingSettings(PromptSettings):
    """``[ranking]``: put images in order.

    The share ``held_out`` of the prompts is kept for testing preference models.
    """

    question: Annotated[str, Field(min_length=1)] = QUESTION
    """Question above the images."""
    group: Annotated[int, Field(ge=2, le=MOST_RANKED)] | None = None
    """Images in a group. If empty, one of each condition."""
    ties: bool = False
    """Allow shared places."""
    prompt: Literal["shown", "hidden"] = "shown"
    """How the prompt is shown."""
    rankings: Annotated[int, Field(ge=1), Affects.NOBODY] = 10
    """Evaluators who rank each group."""
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 2
    """Number of blocks."""
    groups: Annotated[int, Field(ge=1)] = 20
    """Groups in a block."""
    practice: Annotated[int, Field(ge=0)] = 1
    """Practice groups."""
    held_out: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share of prompts kept for testing.

    Preference models can train on the other prompts and be tested on the kept ones.
    """
    mouse: bool = True
    """Allow the mouse. People can click on images and keys."""


class RankerSettings(ScreeningSettings):
    """``[screening]``: test before the study.

    A test without ``stimuli`` uses the study's own groups, and checkers take it too. In a test with
    ``stimuli``, a ranking is right if its first choice is one of the two best images.
    """

    decide: Literal["pass", "ask"] | None = None
    """Who passes. If empty, everyone continues after the test."""
    checkers: tuple[str, ...] = ()
    """Codes of checkers. Patterns such as "check*" are allowed."""
    check_share: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Share that a checker ranks again. Checkers rank this share of each person's groups."""
    min_recall: Rate | None = None
    """Lowest recall@2 in the test. Evaluators below it are not scored. If empty, all are scored."""

    @field_validator("checkers")
    @classmethod
    def could_be_codes(cls, checkers: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse a pattern that no code can match, and a pattern that all codes match."""
        for pattern in checkers:
            if not CHECKER_PATTERN.fullmatch(pattern):
                raise ValueError(
                    f"{pattern!r} is not a pattern of codes: use letters, digits, '_' and '-', and "
                    "'*' for any characters, but not '*' alone"
                )
        return checkers

    @model_validator(mode="after")
    def has_what_it_needs(self) -> RankerSettings:
        if self.min_recall is not None and not (self.test and self.checkers):
            raise ValueError("min_recall needs a test and checkers")
        if self.valid_from and self.decide is None:
            raise ValueError('valid_from needs decide = "pass" or "ask"')
        return self


class RankingKeySettings(KeySettings):
    """``[keys]``: keys."""

    left_means: Literal["counterbalanced"] = Field("counterbalanced", exclude=True)
    """Answer of the left key. The left key always means left."""
    left: AnyKey = "left"
    """Left key. This key is for consent and questions about the evaluator."""
    right: AnyKey = "right"
    """Right key. This key is for consent and questions about the evaluator."""
    undo: AnyKey = "backspace"
    """Key that takes back the last image."""
    tie: AnyKey = "t"
    """Key for a shared place. After it is pressed, the next image shares the last place."""

    @model_validator(mode="after")
    def no_letter_of_an_image(self) -> RankingKeySettings:
        named = (self.left, self.right, self.go_on, self.pause, self.undo, self.tie)
        if len(set(named)) < len(named):
            raise ValueError("left, right, go_on, pause, undo and tie must be different keys")
        if taken := [key for key in named if key in LETTERS.lower()]:
            raise ValueError(f"{taken[0]!r} is the letter of an image (A to {LETTERS[-1]})")
        return self


class RankingPaySettings(AnswerPaySettings):
    """``[pay]``: pay."""

    per_answer: Annotated[float, Field(ge=0)] = 0.10
    """Pay for each ranking."""
    per_check: Annotated[float, Field(ge=0)] | None = None
    """Pay for each ranking that a checker makes. If empty, checkers get the pay of other people."""


class RankingPeopleSettings(PromptedPeopleSettings):
    """``[people]``: differences between simulated people."""

    undo_share: Annotated[float, Field(ge=0, lt=0.5)] = 0.02
    """Share of steps that undo the last step."""
    tie_share: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Share of ties. How often an image shares the place of the previous image, if allowed."""


class RankingFile(PromptedFile):
    """A whole study file whose method is "ranking"."""

    protocol = "ranking"

    study: RankingStudySettings
    ranking: RankingSettings = RankingSettings()
    screening: RankerSettings = RankerSettings()
    analysis: Annotated[StrengthAnalysis, Affects.NOBODY] = StrengthAnalysis()
    keys: RankingKeySettings = RankingKeySettings()
    pay: RankingPaySettings = RankingPaySettings()
    texts: RankingTexts = english_words(RankingTexts)
    people: Annotated[RankingPeopleSettings, Affects.SIMULATED] = RankingPeopleSettings()
    observers: Annotated[dict[str, TasteSettings], Affects.SIMULATED] = Field(default_factory=dict)

    @classmethod
    def add_words(cls, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        question = {"question": pack.questions[cls.protocol]["order"]}
        asked = override(question, tables.get("ranking", {}))
        return {**super().add_words(tables, pack), "ranking": asked}

    @property
    def checkers(self) -> tuple[str, ...]:
        return self.screening.checkers

    def pay_of(self, evaluator: str) -> Pay:
        rate = self.pay.per_check if self.is_checker(evaluator) else None
        return self.pay.pay() if rate is None else replace(self.pay.pay(), per_correct=rate)

    @property
    def prompted(self) -> RankingSettings:
        return self.ranking

    @property
    def evaluators_per_cell(self) -> int:
        return self.ranking.rankings


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingStudy(PromptedStudy):
    """A study of rankings."""

    settings: RankingFile

    def texts_if(self) -> Iterator[TextsIf]:
        yield from AnyStudy.texts_if(self)
        asked = self.settings.ranking
        yield asked.ties, ("tie", "tying", "instructions_ties")
        yield asked.mouse, ("instructions_mouse",)
        yield asked.practice > 0, ("practice",)
        yield self.settings.screening.test > 0 and self.settings.gate is None, ("test",)

    def words_asked(self) -> Iterator[tuple[str, str]]:
        yield "ranking.question", self.settings.ranking.question
        yield from AnyStudy.words_asked(self)

    @property
    def answers(self) -> str:
        return "rankings"

    @property
    def trials(self) -> str:
        """The name of trials in the record; a ranking consists of several acts."""
        return "acts"


FILE: Final = RankingFile
STUDY: Final = RankingStudy
