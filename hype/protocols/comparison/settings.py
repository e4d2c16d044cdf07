"""The settings of a comparison study, read from its file and then frozen.

Default values are those of Christodoulou & Kuhlmann-Jørgensen (2024), sections 2.1 to 3, if the
paper gives them: the questions of three criteria, four images of each model and prompt, 26 votes
for each pair of images, and a wait of five seconds after a hasty answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, model_validator

from hype.protocols.comparison.trial import PromptShown
from hype.protocols.prompted.settings import (
    AskedTasteSettings,
    AskingSettings,
    PromptedFile,
    PromptedPeopleSettings,
    PromptedStudy,
    ReferencedSettings,
    StrengthAnalysis,
)
from hype.protocols.prompted.trial import Choice
from hype.statistics.estimate import Images
from hype.statistics.looks import Goal, JoinedCondition, Look, Rule, looks_of
from hype.study.studies import AnyStudy, TextsIf
from hype.study.table import (
    MOST_BLOCKS,
    Affects,
    AnyKey,
    KeySettings,
    Milliseconds,
    NotNegative,
    Positive,
    Rate,
    Settings,
    Topic,
)
from hype.study.texts import ENGLISH, Pack, SessionWords, asking, english_words, override, pack_of

KEYS: Final = frozenset(
    ("left_key", "right_key", "tie_key", "both_bad_key", "continue_key", "pause_key", "question")
)


class ComparisonTexts(SessionWords):
    """The words on the screens; ``{question}`` is the question of the criterion."""

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = {
        **SessionWords.in_text,
        "instructions": {"minutes"},
    }
    groups: ClassVar[tuple[str, ...]] = (*SessionWords.groups, "comparison")

    left: str = Field(description="Name of the image on the left")
    right: str = Field(description="Name of the image on the right")
    tie: str = Field(description="Answer without a preference")
    both_bad: str = Field(description="Answer that both are bad")
    reference: str = Field(description="Label of the original image")
    instructions: str = Field(description="Instructions")
    instructions_ties: str = Field(description="Instructions for no preference")
    instructions_both_bad: str = Field(description="Instructions for two bad images")
    instructions_reference: str = Field(description="Instructions for the original image")
    instructions_mouse: str = Field(description="Instructions for the mouse")
    correct: str = Field(description="Word after a correct answer")
    wrong: str = Field(description="Word after a wrong answer")
    hasty: str = Field(description="Words after a hasty answer")
    late: str = Field(description="Words after a missed time limit")
    missed: str = Field(description="Words if an image was not looked at")


CRITERIA: Final = pack_of(ENGLISH).questions["comparison"]
"""The criteria with a default question. Other criteria need a question in the study file."""
ALIGNMENT: Final = "alignment"
"""The criterion that asks how well an image matches its prompt."""
CriterionName = Annotated[str, Field(min_length=1, max_length=64)]


class ComparisonStudySettings(AskingSettings):
    """``[study]``: study."""

    methods: tuple[Literal["comparison"]] = ("comparison",)
    """Method. A study of comparisons has only this method."""


class ArenaSettings(Settings):
    """``[comparison.arena]``: arena.

    ``alpha``: the probability of any false claim, over all looks at the votes. ``most_votes``: the
    maximum number of votes, at which the arena ends. ``images``: whether claims should
    apply to other images and prompts too.
    """

    pairs: Rule = "adaptive"
    """Choice of pairs. "adaptive": the most informative pairs for the goal; "random": any pair."""
    goal: Goal = "top"
    """Goal. "top": find the best condition; "ranking": find the order of all conditions."""
    images: Images = "sample"
    """Images to which claims apply. "sample": other prompts and images too; "fixed": only these."""
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    """Chance of any false claim. It does not grow if you look at the results often."""
    most_votes: Annotated[int, Field(ge=1), Affects.NOBODY] = 5_000
    """Maximum number of votes. The arena ends at this number, unless a model joins."""
    reserve: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share of the error rate for models that join. Until the next model joins, this share of the
    remaining error rate is not used."""


class ComparisonSettings(ReferencedSettings):
    """``[comparison]``: which of two."""

    criterion: CriterionName | Annotated[tuple[CriterionName, ...], Field(min_length=1)] = (
        "preference"
    )
    """Criterion of the choice. "preference", "coherence", "alignment", your own, or several."""
    question: str | dict[CriterionName, str] = ""
    """Question. If empty, the criterion's default. For several criteria, a table of questions."""
    criterion_order: Literal["pairs", "blocks"] = "pairs"
    """Order of criteria. "pairs": all criteria for each pair; "blocks": one criterion per block."""
    prompt: PromptShown | None = None
    """How the prompt is shown. If empty: word by word for alignment, hidden for other criteria."""
    word_ms: Milliseconds = 250.0
    """Duration of each word in ms. Only for prompts that appear word by word."""
    ties: bool = False
    """Allow "no difference"."""
    both_bad: bool = False
    """Allow "both are bad". This answer does not count as a tie."""
    images: Annotated[int, Field(ge=1)] = 4
    """Images per condition and prompt."""
    votes: Annotated[int, Field(ge=1), Affects.NOBODY] = 26
    """Evaluators per comparison."""
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 2
    """Number of blocks."""
    trials: Annotated[int, Field(ge=1)] = 48
    """Maximum number of comparisons in a block."""
    practice: Annotated[int, Field(ge=0)] = 3
    """Practice comparisons. Practice needs pairs with an obvious answer."""
    min_ms: Annotated[float, Field(ge=0)] = 500.0
    """An answer faster than this (in ms) is hasty. It counts and is marked, and the evaluator then
    has to wait."""
    wait_ms: Milliseconds = 5000.0
    """Wait after a hasty answer in ms. The wait also follows a wrong answer in validation."""
    limit_ms: Milliseconds | None = None
    """Time limit for an answer in ms. A pair without an answer is missed. If empty, no limit."""
    mouse: bool = True
    """Allow the mouse. People can click on images or use the keys."""
    arena: ArenaSettings | None = None

    @model_validator(mode="after")
    def is_asked(self) -> ComparisonSettings:
        """Refuse a criterion without a question, and a time limit below the minimum time."""
        questions, own = self.questions, self.question
        for name, text in questions.items():
            if not text:
                criteria = ", ".join(CRITERIA)
                raise ValueError(f"criterion {name!r} needs a question; only {criteria} have one")
        if not isinstance(self.criterion, str) and len(questions) < len(self.criterion):
            raise ValueError("criterion contains a name twice")
        if (own and len(questions) > 1) if isinstance(own, str) else own.keys() - questions:
            raise ValueError("question must be a table with questions of these criteria only")
        if self.arena and len(questions) > 1:
            raise ValueError("an arena has one criterion, since its answers choose the pairs")
        if self.limit_ms is not None and self.limit_ms <= self.min_ms:
            raise ValueError(
                f"limit_ms {self.limit_ms:g} must be longer than min_ms {self.min_ms:g}"
            )
        return self

    @property
    def questions(self) -> dict[str, str]:
        """The question of each criterion, in the order of the criteria."""
        own, names = self.question, self.criterion
        names = (names,) if isinstance(names, str) else names
        words = dict.fromkeys(names, own) if isinstance(own, str) else own
        return {name: words.get(name) or CRITERIA.get(name, "") for name in names}

    @property
    def asked(self) -> str:
        return "\n".join(self.questions.values())

    @property
    def checked(self) -> str:
        """The criterion of comparisons with an obvious answer."""
        names = [*self.questions]
        return ALIGNMENT if ALIGNMENT in names else names[0]

    @property
    def neither(self) -> tuple[Choice, ...]:
        asked = {Choice.TIE: self.ties, Choice.BOTH_BAD: self.both_bad}
        return tuple(choice for choice, is_asked in asked.items() if is_asked)

    @property
    def shown_prompt(self) -> PromptShown:
        """How the prompt is shown; by default, word by word for alignment, else hidden."""
        if self.prompt is not None:
            return self.prompt
        return "words" if ALIGNMENT in self.questions else "hidden"


class ValidationSettings(Settings):
    """``[validation]``: comparisons with an obvious answer.

    ``mismatch``: an image of the prompt next to an image of another prompt, by the same model; the
    answer is obvious only if the prompt is shown. ``listed``: rows of ``file`` (prompt, better,
    worse). Evaluators with a smaller share of right answers than ``min_correct`` are not scored.
    """

    topic = Topic.QUALITY
    kind: Literal["off", "mismatch", "listed"] = "off"
    """Source of obvious comparisons. "mismatch": an image of another prompt; "listed": your own
    table; "off": there are none."""
    share: Annotated[float, Field(gt=0, lt=0.5)] = 0.1
    """Share of all comparisons."""
    file: str = "validation.csv"
    """Table of obvious comparisons. For "listed"; the columns are prompt, better and worse."""
    min_correct: Rate = 0.75
    """Required share of right answers. People with a smaller share are not scored."""


class PlannedAnalysis(StrengthAnalysis):
    """``[analysis]``: what the analysis should detect.

    The study should distinguish a true ``win_rate`` from ½ with this ``power``, at level ``alpha``.
    """

    win_rate: Annotated[float, Field(gt=0.5, lt=1)] = 0.55
    """Smallest win rate to detect. A rate of one half means no difference."""
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    """Significance level."""
    power: Annotated[float, Field(gt=0.5, lt=1)] = 0.8
    """Power of the test. Power is the chance of detecting the smallest win rate."""
    ties: Literal["davidson", "half"] = "davidson"
    """Ties in the analysis. "davidson": part of the model; "half": half a win for each."""
    over_criteria: bool = False
    """Correct for the number of criteria. Holm's rule then covers the pairs of all criteria
    together, not of each criterion separately."""


class ComparisonKeySettings(KeySettings):
    """``[keys]``: keys."""

    left_means: Literal["counterbalanced"] = Field("counterbalanced", exclude=True)
    """Answer of the left key. The left key always means the left image."""
    tie: AnyKey = "space"
    """Key for no difference. It may be the same key as go_on."""
    both_bad: AnyKey = "b"
    """Key for "both are bad"."""

    @model_validator(mode="after")
    def tie_differs(self) -> ComparisonKeySettings:
        if self.tie in (self.left, self.right, self.pause):
            raise ValueError("tie must differ from the keys left, right and pause")
        return self


class ComparingPeopleSettings(PromptedPeopleSettings):
    """``[people]``: differences between simulated people."""

    left_bias: float = 0.0
    """Bias towards the left image. This number is added to the log-odds of the left image."""
    tie_share: Annotated[float, Field(ge=0, lt=1)] = 0.2
    """Share of ties. How often people answer with a tie if they like both images equally."""
    bad_below: float = -0.5
    """Strength below which an image is bad. People call two such images "both bad"."""
    lapse: Rate = 0.02
    """Share of random answers. These are lapses of attention."""
    careless: Rate = 0.0
    """Share of careless people. Careless people always press the same key immediately."""
    rt_median_ms: Positive = 1800.0
    """Median response time in ms."""
    rt_spread: NotNegative = 0.4
    """Spread of response times. Standard deviation of the logarithm of response times."""


class ComparisonFile(PromptedFile):
    """A whole study file whose method is "comparison"."""

    protocol = "comparison"
    asks_after = frozenset(("why", "confidence"))

    study: ComparisonStudySettings
    comparison: ComparisonSettings = ComparisonSettings()
    validation: ValidationSettings = ValidationSettings()
    analysis: Annotated[PlannedAnalysis, Affects.NOBODY] = PlannedAnalysis()
    keys: ComparisonKeySettings = ComparisonKeySettings()
    texts: ComparisonTexts = english_words(ComparisonTexts)
    people: Annotated[ComparingPeopleSettings, Affects.SIMULATED] = ComparingPeopleSettings()
    observers: Annotated[dict[str, AskedTasteSettings], Affects.SIMULATED] = Field(
        default_factory=dict
    )

    @classmethod
    def add_words(cls, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        given = tables.get("comparison", {})
        if not isinstance(given, Mapping):
            return super().add_words(tables, pack)
        known, asked = pack.questions[cls.protocol], given.get("criterion", "preference")
        if isinstance(asked, list):
            words = {name: text for name, text in known.items() if name in asked}
            added = {**given, "question": override(words, given.get("question", {}))}
        else:
            added = asking(known.get(str(asked), ""), given)
        return {**super().add_words(tables, pack), "comparison": added}

    @property
    def prompted(self) -> ComparisonSettings:
        return self.comparison

    def evaluators_of(self, votes: int) -> int:
        """Return how many evaluators an arena needs for ``votes``, if all of them finish."""
        return math.ceil(votes / (self.comparison.blocks * self.comparison.trials))

    @property
    def most_votes(self) -> int:
        """The number of votes after which an arena ends; each model that joins raises it."""
        arena = self.comparison.arena
        joined = (each.votes for each in self.added.values() if each.votes)
        return max(joined, default=arena.most_votes if arena else 0)

    @property
    def evaluators_per_cell(self) -> int:
        return self.evaluators_planned if self.comparison.arena else self.comparison.votes

    @property
    def evaluators_planned(self) -> int:
        """The number of evaluators after which an arena ends, if all of them finish."""
        return self.evaluators_of(self.most_votes)

    def looks(self, conditions: Sequence[str]) -> tuple[Look, ...]:
        """Return the looks at which an arena with these conditions may end early."""
        arena = self.comparison.arena
        if arena is None:
            return ()
        newcomers = [
            JoinedCondition(
                condition=conditions.index(name),
                finished=each.finished or 0,
                planned=self.evaluators_of(each.votes or self.most_votes),
            )
            for name, each in self.added.items()
            if name in conditions
        ]
        planned = self.evaluators_of(arena.most_votes)
        return looks_of(planned, arena.alpha, reserve=arena.reserve, newcomers=newcomers)

    @model_validator(mode="after")
    def parts_fit(self) -> ComparisonFile:
        """Refuse a study file whose tables contradict each other."""
        hidden = self.comparison.shown_prompt == "hidden"
        if self.validation.kind == "mismatch" and hidden:
            raise ValueError(
                'validation.kind "mismatch" needs a prompt that is shown: comparison.prompt = '
                '"shown" or "words"'
            )
        if hidden and ALIGNMENT in self.comparison.questions:
            raise ValueError('the criterion "alignment" asks about the prompt, which is hidden')
        keys = self.keys
        others = (keys.left, keys.right, keys.pause, *([keys.tie] if self.comparison.ties else []))
        if self.comparison.both_bad and keys.both_bad in others:
            raise ValueError("keys.both_bad must differ from the keys left, right, tie and pause")
        for name, taste in self.observers.items():
            if unused := [each for each in taste.on if each not in self.comparison.questions]:
                raise ValueError(
                    f"observers.{name}.on.{unused[0]} is not among the criteria: "
                    f"{', '.join(self.comparison.questions)}"
                )
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonStudy(PromptedStudy):
    """A study of comparisons."""

    settings: ComparisonFile

    def texts_if(self) -> Iterator[TextsIf]:
        yield from AnyStudy.texts_if(self)
        asked = self.settings.comparison
        yield asked.ties, ("tie", "instructions_ties")
        yield asked.both_bad, ("both_bad", "instructions_both_bad")
        yield asked.show_reference is not None, ("reference", "instructions_reference")
        yield asked.mouse, ("instructions_mouse",)
        yield asked.practice > 0, ("practice", "correct", "wrong")
        yield asked.min_ms > 0, ("hasty",)
        yield asked.limit_ms is not None, ("late",)
        yield self.settings.validation.kind != "off", ("missed",)

    def words_asked(self) -> Iterator[tuple[str, str]]:
        yield "comparison.question", self.settings.comparison.asked
        yield from AnyStudy.words_asked(self)

    @property
    def answers(self) -> str:
        return "comparisons"


FILE: Final = ComparisonFile
STUDY: Final = ComparisonStudy
