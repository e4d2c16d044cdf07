"""The study file of HYPE's methods as frozen values.

Every default is the paper's number, if the paper gives one.

Zhou et al. 2019: section 2.1 for `TimeSettings`, 2.2 for `InfinitySettings`, 2.3 for the
qualification and the pay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from hype.protocols.hype.staircase import CHANCE, PRESETS, QUEST_PLUS, QuestPlus, Staircase
from hype.protocols.hype.trial import Task
from hype.session.steps import CROSS, Cue, Pay
from hype.study.exclusion import ExclusionSettings
from hype.study.studies import (
    AnyFile,
    AnyStudy,
    GateSettings,
    SharedPaySettings,
    SharedStudySettings,
    TextsIf,
)
from hype.study.table import (
    GROUNDS,
    LONGEST_MS,
    MOST_BLOCKS,
    Affects,
    Ceiling,
    Milliseconds,
    NotNegative,
    Positive,
    Rate,
    Settings,
    TimingSettings,
    Topic,
)
from hype.study.texts import PAY, SessionWords, english_words, table_of

Method = Literal["time", "infinity", "qualification"]

QUALIFICATION: Final = "qualification"
"""The method of a study that only tests people, so that they may take part in other studies."""

MOST_CATCH: Final = 1000

Shortest = Annotated[float, Field(ge=0, le=LONGEST_MS)]


def refuse_odd(trials: int) -> int:
    if trials % 2:
        raise ValueError("must be even, since exactly half of the images are real")
    return trials


Even = Annotated[int, AfterValidator(refuse_odd)]
"""A number of trials, half of them with real images."""


class Texts(SessionWords):
    """The words that participants see."""

    everywhere: ClassVar[Set[str]] = frozenset(
        (
            *("left_key", "right_key", "left_answer", "right_answer", "continue_key", "pause_key"),
            *("before_flash", "time_to_answer"),
        )
    )
    in_text: ClassVar[Mapping[str, Set[str]]] = {
        **SessionWords.in_text,
        "instructions_untimed": {"minutes", "trials"},
        "instructions_timed": {"minutes", "trials"},
        "debrief": PAY | {"correct", "shown", "accuracy"},
    }
    groups: ClassVar[tuple[str, ...]] = (*SessionWords.groups, "hype")

    real: str = Field(description="Name of the answer “real”")
    fake: str = Field(description="Name of the answer “fake”")
    question: str = Field(description="Question after a flashed image")
    question_untimed: str = Field(description="Question about an image without a time limit")
    instructions_untimed: str = Field(description="Instructions without a time limit")
    instructions_timed: str = Field(description="Instructions for flashed images")
    correct: str = Field(description="Word after a correct answer")
    wrong: str = Field(description="Word after a wrong answer")
    again: str = Field(description="Announcement of an image that is shown again")
    hasty: str = Field(description="Words after a hasty answer")
    late: str = Field(description="Words after the time limit")
    before_flash: str = Field(description="What comes before a flash, in the instructions")
    time_to_answer: str = Field(description="Time to answer, in the instructions")
    instructions_confidence: str = Field(description="Instructions for the confidence keys")


class StudySettings(SharedStudySettings):
    """``[study]``: study."""

    methods: Annotated[tuple[Method, ...], Field(min_length=1)] = ("time",)
    """Methods. "time": flashed images; "infinity": no time limit; "qualification": only a test."""
    evaluator_does: Annotated[Literal["one-method", "all-methods"], Topic.PEOPLE] = "one-method"
    """Methods of one evaluator. If the study has two: one of them, or both in one session."""
    conditions_each: Annotated[int, Field(ge=1), Topic.PEOPLE] = 1
    """Conditions that one evaluator judges. They follow one another in counterbalanced order."""
    evaluators: Annotated[int, Field(ge=1), Affects.NOBODY, Topic.PEOPLE] = 30
    """Number of evaluators for each condition and method."""

    @field_validator("methods")
    @classmethod
    def methods_differ(cls, methods: tuple[Method, ...]) -> tuple[Method, ...]:
        if len(set(methods)) < len(methods):
            raise ValueError("a method is listed twice")
        if QUALIFICATION in methods and len(methods) > 1:
            raise ValueError(
                f'"{QUALIFICATION}" must be the only method; to test people before '
                "other methods, set [qualification] enabled = true"
            )
        return methods


class MaskSettings(Settings):
    """``[masks]``: masks."""

    topic = Topic.IMAGES
    folder: str = ""
    """Folder of the masks. `hype masks make` writes this folder."""


class StaircaseSettings(Settings):
    """``[time.staircase]``: staircase.

    "quest+" is not a staircase and has no steps (see `hype.protocols.hype.staircase`). Under
    "quest+", exposures are whole frames at ``display.refresh_hz``; ``start_ms`` is for practice.

    ``allow_unsettled`` allows blocks that are too short to settle, as in a rehearsal. The resolved
    study and its checksum omit ``allow_unsettled``, since it changes nothing that people see.
    """

    preset: Literal["hype", "weighted-75", "quest+"] = "hype"
    """Rule of the staircase. "hype" settles at 63 % correct and "weighted-75" at 75 %; "quest+" has
    no steps."""
    start_ms: Milliseconds = 500.0
    """First exposure in ms. Each block starts with this exposure."""
    min_ms: Milliseconds = 100.0
    """Shortest exposure in ms."""
    max_ms: Milliseconds = 1000.0
    """Longest exposure in ms."""
    down_ms: Milliseconds | None = None
    """Step down in ms. If empty, the preset decides."""
    up_ms: Milliseconds | None = None
    """Step up after a wrong answer in ms. If empty, the preset decides."""
    correct_to_descend: Annotated[int, Field(ge=1)] | None = None
    """Correct answers before a step down. If empty, the preset decides."""
    allow_at_or_below_chance: Annotated[bool, Affects.NOBODY] = False
    """Accept a rule that settles at chance. People then guess: the score means nothing."""
    allow_unsettled: Annotated[bool, Field(exclude=True)] = False
    """Accept blocks that are too short to settle. This is useful for rehearsals."""

    @model_validator(mode="after")
    def settles_above_chance(self) -> StaircaseSettings:
        """Refuse a start outside the bounds, and a rule that does not settle above chance."""
        if not self.min_ms <= self.start_ms <= self.max_ms:
            raise ValueError(
                f"start_ms {self.start_ms:g} must be between min_ms {self.min_ms:g} and max_ms "
                f"{self.max_ms:g}"
            )
        if self.is_quest_plus:
            names = ("down_ms", "up_ms", "correct_to_descend")
            if given := [name for name in names if getattr(self, name) is not None]:
                raise ValueError(
                    f'preset = "{QUEST_PLUS}" has no steps; remove {" and ".join(given)}, which '
                    "staircases use"
                )
            return self
        rule = self.rule
        if not (rule.settles_above_chance or self.allow_at_or_below_chance):
            raise ValueError(
                f"{rule.down_ms:g} ms down after {rule.correct_to_descend} correct and "
                f"{rule.up_ms:g} ms up after a wrong answer settle at {rule.settles_at:.1%} "
                f"correct, but guessing gives {CHANCE:.0%}: the exposure would always fall to "
                "min_ms; remove the three settings, so that the preset decides; use a larger "
                "up_ms, a smaller down_ms or a larger correct_to_descend; or set "
                "allow_at_or_below_chance = true"
            )
        return self

    @property
    def is_quest_plus(self) -> bool:
        return self.preset == QUEST_PLUS

    @property
    def rule(self) -> Staircase:
        names = ("down_ms", "up_ms", "correct_to_descend")
        given: dict[str, Any] = {
            name: getattr(self, name) for name in names if getattr(self, name) is not None
        }
        return replace(
            PRESETS[self.preset],
            start_ms=self.start_ms,
            min_ms=self.min_ms,
            max_ms=self.max_ms,
            **given,
        )


class TimeSettings(Settings):
    """``[time]``: flashed images (HYPE_time).

    An answer faster than ``min_ms`` is followed by a wait of ``wait_ms``; the paper has no such
    wait. People need at least 100 ms to react to the question (Luce, 1986), even if they have
    judged the image before the question appears.
    """

    topic = Topic.TIMING
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 3
    """Number of blocks. Each block has its own staircase."""
    trials: Annotated[Even, Field(ge=2)] = 150
    """Trials of a block. Half of the images are real."""
    before_flash: Literal["countdown", "cross", "both"] = "countdown"
    """What is shown before an image. A countdown, a fixation cross, or both."""
    countdown_from: Annotated[int, Field(ge=0, le=9)] = 3
    """First number of the countdown. 0: there is no countdown."""
    countdown_ms: Milliseconds = 500.0
    """Duration of each number in ms."""
    cross_ms: Milliseconds = 500.0
    """Duration of the fixation cross in ms."""
    masks: Annotated[int, Field(ge=0)] = 4
    """Number of masks after an image."""
    mask_ms: Milliseconds = 30.0
    """Duration of each mask in ms."""
    feedback: bool = True
    """Say whether an answer is right."""
    min_ms: Shortest = 100.0
    """An answer faster than this (in ms) is hasty. It counts, but the evaluator then has to wait;
    0: no wait."""
    wait_ms: Milliseconds = 5000.0
    """Wait after a hasty answer in ms."""
    limit_ms: Milliseconds | None = None
    """Time limit for an answer in ms. A trial without an answer is not scored, and is repeated once
    at the end of the block. If empty, there is no limit."""
    staircase: StaircaseSettings = StaircaseSettings()

    @model_validator(mode="after")
    def limit_leaves_time(self) -> TimeSettings:
        """Refuse a limit so short that every answer would be hasty."""
        if self.limit_ms is not None and self.limit_ms <= self.min_ms:
            raise ValueError(
                f"limit_ms {self.limit_ms:g} must be longer than min_ms {self.min_ms:g}"
            )
        return self

    @property
    def cues(self) -> tuple[Cue, ...]:
        numerals = range(self.countdown_from, 0, -1) if self.before_flash != "cross" else ()
        cross = (Cue(text=CROSS, ms=self.cross_ms),) if self.before_flash != "countdown" else ()
        return (*(Cue(text=str(number), ms=self.countdown_ms) for number in numerals), *cross)


class InfinitySettings(Settings):
    """``[infinity]``: images without a time limit (HYPE_∞).

    ``min_ms`` and ``wait_ms`` work as in ``[time]``, and also apply to the qualification.
    People need at least about 250 ms to report what an image shows (VanRullen & Thorpe, 2001).
    """

    topic = Topic.TIMING
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 1
    """Number of blocks."""
    trials: Annotated[Even, Field(ge=2)] = 100
    """Trials of a block. Half of the images are real."""
    feedback: bool = False
    """Say whether an answer is right."""
    min_ms: Shortest = 250.0
    """An answer faster than this (in ms) is hasty. It counts, but the evaluator then has to wait;
    0: no wait."""
    wait_ms: Milliseconds = 5000.0
    """Wait after a hasty answer in ms."""


class QualificationSettings(GateSettings):
    """``[qualification]``: test before the study.

    ``stimuli`` is a separate stimulus set; each of its conditions gives equally many fakes. Without
    it, the fakes come from conditions that the evaluator does not judge later: the test then does
    not favour people who can detect the judged fakes. With ``on_own_condition``, fakes come from
    all conditions. The ``pass_rate`` applies to real images and to fakes separately.
    """

    enabled: bool = True
    """Test people first. Only people who pass the test take part."""
    on_own_condition: bool = False
    """Test on the same condition. The test may show fakes of the condition that the evaluator
    judges later."""
    trials: Annotated[Even, Field(ge=2)] = 100
    """Trials of the test. Half of the images are real."""
    feedback: bool = False
    """Say whether an answer is right."""


class CatchSettings(Settings):
    """``[catch]``: catch trials. They show obvious images among scored ones, and are not scored.

    Half of the ``trials`` show real images of the set ``stimuli``, half show its fakes.
    """

    topic = Topic.QUALITY
    trials: Annotated[Even, Field(ge=0, le=MOST_CATCH)] = 0
    """Catch trials in each block. Half of the obvious images are real; no catch trial is scored."""
    stimuli: str = ""
    """Folder of obvious images."""
    exposure_ms: Milliseconds = 1000.0
    """Exposure in ms. How long an obvious image is shown in blocks with flashed images."""

    @model_validator(mode="after")
    def has_images(self) -> CatchSettings:
        if self.trials and not self.stimuli:
            raise ValueError("stimuli is missing: the folder of a set of obvious images")
        return self


class CatchExclusion(ExclusionSettings):
    """``[exclusion]``: careless evaluators."""

    catch_error: Rate | None = None
    """Largest share of wrong catch trials. People above it are careless. If empty: no rule."""

    @property
    def shares(self) -> dict[str, tuple[float | None, str]]:
        return {**super().shares, "catch": (self.catch_error, "catch trials were wrong")}


class AnalysisSettings(Settings):
    """``[analysis]``: which differences are too small to matter.

    Scores count as equivalent if their difference is clearly smaller than ``margin``. ``margin`` is
    in ms for HYPE_time and in percentage points for HYPE_∞, as in ``{time = 50, infinity = 5}``.
    """

    topic = Topic.ANALYSIS
    margin: Positive | dict[Literal["time", "infinity"], Positive] | None = None
    """Largest difference that does not matter. It is in ms for flashed images (time) and in
    percentage points without a time limit (infinity). For both: {time = 50, infinity = 5}."""
    judge_margin: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Largest difference in agreement. A judge is as good as a second person if its agreement with
    people is at most this much lower."""

    def margins(self, methods: Sequence[str]) -> Mapping[str, float]:
        if self.margin is None or isinstance(self.margin, dict):
            return dict(self.margin or {})  # type: ignore[arg-type]
        return dict.fromkeys(methods, self.margin)


class PracticeSettings(Settings):
    """``[practice]``: practice."""

    topic = Topic.TIMING
    trials: Annotated[Even, Field(ge=0)] = 6
    """Practice trials. Practice comes before the first timed and the first untimed block."""


class PaySettings(SharedPaySettings):
    """``[pay]``: pay."""

    per_correct: Annotated[float, Field(ge=0)] = 0.02
    """Pay for each correct answer. Answers in practice and in the test are not paid."""

    def pay(self) -> Pay:
        return Pay(base=self.base, per_correct=self.per_correct, currency=self.currency)


class ObserverSettings(Settings):
    """``[observers.<condition>]``: simulated evaluators of a condition."""

    topic = Topic.SIMULATED
    threshold_ms: Milliseconds = 250.0
    """Threshold in ms. At this exposure, accuracy is halfway from chance to the maximum."""
    slope: Positive = 1.5
    """Steepness. How fast accuracy rises with the exposure."""
    ceiling: Ceiling = 0.95
    """Highest accuracy. Longer exposures do not make answers more accurate than this."""
    timed_ceiling: Ceiling | None = None
    """Highest accuracy for flashed images. If empty, the same as without a time limit."""
    lapse: Rate = 0.02
    """Share of random answers. Random answers are lapses of attention."""
    bias: float = 0.0
    """Tendency to answer real or fake. Above 0, people tend to answer *real*; below 0, *fake*."""
    threshold_spread: NotNegative | None = None
    """Spread of thresholds. If empty, the spread in `[people]`."""
    ceiling_spread: NotNegative | None = None
    """Spread of the highest accuracy. If empty, the spread in `[people]`."""
    bias_spread: NotNegative | None = None
    """Spread of the tendency. If empty, the spread in `[people]`."""


class PeopleSettings(Settings):
    """``[people]``: differences between simulated people."""

    topic = Topic.SIMULATED
    threshold_spread: NotNegative = 0.25
    """Spread of thresholds between people."""
    ceiling_spread: NotNegative = 0.15
    """Spread of the highest accuracy between people."""
    bias_spread: NotNegative = 0.15
    """Spread of the answer tendency between people."""
    image_spread: NotNegative = 0.0
    """Spread between images. How much images of one condition differ in how fake they look."""
    careless: Rate = 0.0
    """Share of careless people. After the test, careless people press random keys every 0.4 s."""
    rt_median_ms: Milliseconds = 700.0
    """Median response time in ms."""
    rt_spread: NotNegative = 0.35
    """Spread of response times. Standard deviation of the logarithm of response times."""


class StudyFile(AnyFile):
    """A whole study file. The table of a method has no effect in a study without this method."""

    protocol = "hype"
    asks_after = frozenset(("why", "confidence", "with_answer"))

    study: StudySettings
    masks: MaskSettings = MaskSettings()
    time: Annotated[TimeSettings, Task.TIME] = TimeSettings()
    infinity: Annotated[InfinitySettings, Task.INFINITY] = InfinitySettings()
    qualification: QualificationSettings = QualificationSettings()
    catch: CatchSettings = CatchSettings()
    exclusion: CatchExclusion = CatchExclusion()
    analysis: Annotated[AnalysisSettings, Affects.NOBODY] = AnalysisSettings()
    practice: PracticeSettings = PracticeSettings()
    timing: TimingSettings = TimingSettings()
    pay: PaySettings = PaySettings()
    texts: Texts = english_words(Texts)
    people: Annotated[PeopleSettings, Affects.SIMULATED] = PeopleSettings()
    observers: Annotated[dict[str, ObserverSettings], Affects.SIMULATED] = Field(
        default_factory=dict
    )

    @model_validator(mode="after")
    def parts_fit(self) -> StudyFile:
        """Refuse a study file whose settings contradict each other."""
        if "time" in self.study.methods and self.time.masks and not self.masks.folder:
            raise ValueError(
                'masks.folder is missing; the method "time" shows masks after every image '
                "(hype masks make STIMULI -o MASKS -n N), unless time.masks = 0"
            )
        if "time" in self.study.methods and self.display.background == GROUNDS["light"]:
            raise ValueError(
                'display.background = "light" is for studies that flash no images; with the '
                'method "time", use "grey"'
            )
        if self.time.staircase.is_quest_plus and len(self.rule.levels()) <= 1:
            raise ValueError(
                f'time.staircase.preset = "{QUEST_PLUS}" chooses among exposures of whole frames, '
                f"but at display.refresh_hz = {self.display.refresh_hz:g} fewer than two of these "
                "are between min_ms and max_ms"
            )
        if self.exclusion.catch_error is not None and not self.catch.trials:
            raise ValueError("exclusion.catch_error needs catch.trials and catch.stimuli")
        if isinstance(self.analysis.margin, float | int) and len(self.study.methods) > 1:
            raise ValueError(
                "analysis.margin is one number, but one method is scored in ms and the other in "
                "percentage points; write margin = {time = 50, infinity = 5}"
            )
        test = self.qualification
        if self.only_qualifies and self.within:
            raise ValueError("study.conditions_each is only for studies that evaluate conditions")
        if self.only_qualifies and not test.enabled:
            raise ValueError(
                "qualification.enabled = false, but the study only contains the qualification"
            )
        if self.only_qualifies and (test.stimuli or test.valid_from):
            raise ValueError(
                "qualification.stimuli and valid_from only apply to studies that also evaluate "
                "conditions; this one uses the images of stimuli.folder"
            )
        return self

    @classmethod
    def text_groups(cls, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        time = table_of(tables, "time")
        limited = ("limited",) if time.get("limit_ms") else ()
        test = ("test",) if table_of(tables, "qualification").get("decide") == "ask" else ()
        return (*super().text_groups(tables), str(time.get("before_flash")), *limited, *test)

    @property
    def rule(self) -> Staircase | QuestPlus:
        asked = self.time.staircase
        if not asked.is_quest_plus:
            return asked.rule
        return QuestPlus(
            start_ms=asked.start_ms,
            min_ms=asked.min_ms,
            max_ms=asked.max_ms,
            refresh_hz=self.display.refresh_hz,
        )

    @property
    def gate(self) -> GateSettings | None:
        return self.qualification if self.qualification.enabled else None

    @property
    def only_qualifies(self) -> bool:
        """Whether the study only tests people who may then take part in other studies."""
        return self.study.methods == (QUALIFICATION,)

    def conditions_evaluated(self, conditions: Sequence[str]) -> tuple[str, ...]:
        """Return the conditions that evaluators are divided among; ("",) if undivided."""
        return ("",) if self.only_qualifies or self.within else tuple(conditions)

    @property
    def within(self) -> bool:
        """Whether one evaluator judges several conditions."""
        return self.study.conditions_each > 1

    @property
    def evaluators_per_cell(self) -> int:
        return 1 if self.within else self.study.evaluators

    def methods_of_one_evaluator(self) -> tuple[tuple[Method, ...], ...]:
        """The methods that one evaluator may get: each alone, or all together."""
        if self.study.evaluator_does == "all-methods":
            return (self.study.methods,)
        return tuple((method,) for method in self.study.methods)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(AnyStudy):
    """A study of HYPE's methods, "time" and "infinity"."""

    settings: StudyFile

    @property
    def flashes(self) -> bool:
        return "time" in self.settings.study.methods

    @property
    def scores_nobody(self) -> bool:
        return self.settings.only_qualifies

    def list_folders(self) -> Iterator[tuple[str, str]]:
        yield from AnyStudy.list_folders(self)
        test = self.settings.qualification
        named = {
            "masks.folder": self.settings.masks.folder,
            "qualification.stimuli": test.stimuli,
            "catch.stimuli": self.settings.catch.stimuli,
        }
        yield from ((key, folder) for key, folder in named.items() if folder)
        yield from (("qualification.valid_from", name) for name in test.valid_from)

    def texts_if(self) -> Iterator[TextsIf]:
        settings = self.settings
        timed, untimed = (name in settings.study.methods for name in ("time", "infinity"))
        test, practice = settings.qualification, settings.practice.trials > 0
        feedback = (
            practice
            or (timed and settings.time.feedback)
            or (untimed and settings.infinity.feedback)
            or (test.enabled and test.feedback)
        )
        yield from AnyStudy.texts_if(self)
        yield settings.follow_up.steps_with > 0, ("instructions_confidence",)
        yield timed, ("question", "instructions_timed", "before_flash", "time_to_answer")
        yield untimed or test.enabled, ("question_untimed", "instructions_untimed")
        yield practice, ("practice",)
        yield feedback, ("correct", "wrong")
        yield settings.timing.spoiled_trials == "repeat", ("again",)
        yield timed and settings.time.limit_ms is not None, ("late",)

    @property
    def masks_folder(self) -> Path | None:
        """The mask set, if there is one and a method shows masks."""
        needed = "time" in self.settings.study.methods and self.settings.masks.folder
        return self.folder / self.settings.masks.folder if needed else None

    @property
    def other_sets(self) -> Mapping[str, Path]:
        """The qualification's own set, and the set of obvious images, if there are any."""
        test, catch = self.settings.qualification, self.settings.catch
        named = {
            Task.QUALIFICATION.value: test.stimuli if test.enabled else "",
            Task.CATCH.value: catch.stimuli if catch.trials else "",
        }
        return {name: self.folder / folder for name, folder in named.items() if folder}


FILE: Final = StudyFile
STUDY: Final = Study
