"""The study file as frozen values, and every word that its participants read.

Every default is the paper's number where it gives one.

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
    Bearing,
    Ceiling,
    Milliseconds,
    NotNegative,
    Positive,
    Rate,
    Settings,
    TimingSettings,
)
from hype.study.texts import PAY, SessionWords, english_words, table_of

Method = Literal["time", "infinity", "qualification"]

QUALIFICATION: Final = "qualification"
"""The method of a study that does nothing else: who passes may take part in others."""

MOST_CATCH: Final = 1000

Shortest = Annotated[float, Field(ge=0, le=LONGEST_MS)]


def refuse_odd(trials: int) -> int:
    if trials % 2:
        raise ValueError("must be even, since exactly half of the images are real")
    return trials


Even = Annotated[int, AfterValidator(refuse_odd)]
"""A number of trials; half of them show real images."""


class Texts(SessionWords):
    """The words on the screens."""

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

    real: str
    fake: str
    question: str
    question_untimed: str
    instructions_untimed: str
    instructions_timed: str
    correct: str
    wrong: str
    again: str
    hasty: str
    late: str
    before_flash: str
    time_to_answer: str
    instructions_confidence: str


class StudySettings(SharedStudySettings):
    """``[study]``: what is asked, of how many, and who sees what."""

    methods: Annotated[tuple[Method, ...], Field(min_length=1)] = ("time",)
    """Flashed images ("time"), no time limit ("infinity"), both, or "qualification" alone."""
    evaluator_does: Literal["one-method", "all-methods"] = "one-method"
    """Whether one evaluator gets one of the methods, or all of them in one session."""
    conditions_each: Annotated[int, Field(ge=1)] = 1
    """How many conditions one evaluator serves, one after another; in the paper it is one."""
    evaluators: Annotated[int, Field(ge=1), Bearing.NOBODY] = 30
    """How many evaluators are wanted for each condition and method."""

    @field_validator("methods")
    @classmethod
    def methods_differ(cls, methods: tuple[Method, ...]) -> tuple[Method, ...]:
        """Refuse a method listed twice."""
        if len(set(methods)) < len(methods):
            raise ValueError("a method is listed twice")
        if QUALIFICATION in methods and len(methods) > 1:
            raise ValueError(
                f'"{QUALIFICATION}" stands alone; beside other methods the qualification is '
                "asked for with [qualification] enabled = true"
            )
        return methods


class MaskSettings(Settings):
    """``[masks]``: the mask set, needed by the timed method."""

    folder: str = ""
    """Folder of the mask set, as `hype masks make` writes it."""


class StaircaseSettings(Settings):
    """``[time.staircase]``: a preset, any number of it replaced.

    "quest+" is not a staircase and has no steps: `hype.protocols.hype.staircase`. Its exposures are
    whole frames at ``display.refresh_hz``, and ``start_ms`` is that of practice alone.

    ``allow_unsettled`` says that blocks may be too short to settle, as in a rehearsal. It changes
    nothing that anybody sees, so it is not part of the resolved study nor of its checksum.
    """

    preset: Literal["hype", "weighted-75", "quest+"] = "hype"
    """The rule: "hype" settles at 63 % correct, "weighted-75" at 75 %; "quest+" has no steps."""
    start_ms: Milliseconds = 500.0
    """Exposure of the first trial of a block."""
    min_ms: Milliseconds = 100.0
    """Shortest exposure: the floor."""
    max_ms: Milliseconds = 1000.0
    """Longest exposure: the ceiling."""
    down_ms: Milliseconds | None = None
    """By how much the exposure falls; without it, as the preset says."""
    up_ms: Milliseconds | None = None
    """By how much it rises after a wrong answer; without it, as the preset says."""
    correct_to_descend: Annotated[int, Field(ge=1)] | None = None
    """Correct answers in a row before it falls; without it, as the preset says."""
    allow_at_or_below_chance: Annotated[bool, Bearing.NOBODY] = False
    """Accept a rule that settles where people only guess."""
    allow_unsettled: Annotated[bool, Field(exclude=True)] = False
    """Accept blocks that are too short to settle, as in a rehearsal."""

    @model_validator(mode="after")
    def settles_above_chance(self) -> StaircaseSettings:
        """Refuse bounds out of order, and a rule without a real threshold."""
        if not self.min_ms <= self.start_ms <= self.max_ms:
            raise ValueError(
                f"start_ms {self.start_ms:g} must lie between min_ms {self.min_ms:g} "
                f"and max_ms {self.max_ms:g}"
            )
        if self.is_quest_plus:
            for name in ("down_ms", "up_ms", "correct_to_descend"):
                if getattr(self, name) is not None:
                    raise ValueError(
                        f'{name} is of staircases; preset = "{QUEST_PLUS}" has no steps'
                    )
            return self
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
    def is_quest_plus(self) -> bool:
        return self.preset == QUEST_PLUS

    @property
    def rule(self) -> Staircase:
        """The rule itself, of a staircase."""
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
    """``[time]``: HYPE_time.

    An answer faster than ``min_ms`` costs a wait of ``wait_ms``. The paper has no such rule. No
    reaction to the question takes less than 100 ms (Luce, 1986), however early the image itself
    was decided upon.
    """

    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 3
    """Blocks of one evaluator; each is a staircase of its own."""
    trials: Annotated[Even, Field(ge=2)] = 150
    """Trials of a block, half of them real."""
    before_flash: Literal["countdown", "cross", "both"] = "countdown"
    """What comes before an image: a countdown, a fixation cross, or the cross after the other."""
    countdown_from: Annotated[int, Field(ge=0, le=9)] = 3
    """First numeral of the countdown before an image; 0 for none."""
    countdown_ms: Milliseconds = 500.0
    """How long each numeral stays."""
    cross_ms: Milliseconds = 500.0
    """How long the fixation cross stays."""
    masks: Annotated[int, Field(ge=0)] = 4
    """How many masks follow each image."""
    mask_ms: Milliseconds = 30.0
    """How long each mask stays."""
    feedback: bool = True
    """Whether each answer is said to be right or wrong."""
    min_ms: Shortest = 100.0
    """An answer faster than this is hasty: it counts, and costs a wait; 0 for no such rule."""
    wait_ms: Milliseconds = 5000.0
    """How long that wait is."""
    limit_ms: Milliseconds | None = None
    """How long there is for an answer, from the question on; without it, no limit. A trial that is
    not answered is not scored and does not move the staircase; it comes again once, at the end of
    the block."""
    staircase: StaircaseSettings = StaircaseSettings()

    @model_validator(mode="after")
    def limit_leaves_time(self) -> TimeSettings:
        """Refuse a limit within which every answer is hasty."""
        if self.limit_ms is not None and self.limit_ms <= self.min_ms:
            raise ValueError(
                f"limit_ms {self.limit_ms:g} must be longer than min_ms {self.min_ms:g}"
            )
        return self

    @property
    def cues(self) -> tuple[Cue, ...]:
        """What comes before each image, in order."""
        numerals = range(self.countdown_from, 0, -1) if self.before_flash != "cross" else ()
        cross = (Cue(text=CROSS, ms=self.cross_ms),) if self.before_flash != "countdown" else ()
        return (*(Cue(text=str(number), ms=self.countdown_ms) for number in numerals), *cross)


class InfinitySettings(Settings):
    """``[infinity]``: HYPE_∞.

    ``min_ms`` and ``wait_ms`` as in `TimeSettings`, for the qualification too. What an image shows
    takes people at least about 250 ms to tell (VanRullen & Thorpe, 2001).
    """

    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 1
    """Blocks of one evaluator."""
    trials: Annotated[Even, Field(ge=2)] = 100
    """Trials of a block, half of them real."""
    feedback: bool = False
    """Whether each answer is said to be right or wrong."""
    min_ms: Shortest = 250.0
    """An answer faster than this is hasty: it counts, and costs a wait; 0 for no such rule."""
    wait_ms: Milliseconds = 5000.0
    """How long that wait is."""


class QualificationSettings(GateSettings):
    """``[qualification]``: who may take part.

    The fakes come equally from the conditions of ``stimuli``, a stimulus set of the test's own.
    Without one they come from the study's other conditions, so that nobody is chosen for telling
    what they then evaluate; or from all of them, ``on_own_condition``. The ``pass_rate`` is that of
    the real images, and of the fake ones.
    """

    enabled: bool = True
    """Whether there is a test of who may take part."""
    on_own_condition: bool = False
    """Whether its fakes may be of the condition that the evaluator goes on to judge."""
    trials: Annotated[Even, Field(ge=2)] = 100
    """Trials of the test, half of them real."""
    feedback: bool = False
    """Whether each answer is said to be right or wrong."""


class CatchSettings(Settings):
    """``[catch]``: obvious images among those of each scored block; not scored, paid like others.

    Half of the ``trials`` show real images of the set ``stimuli``, half fakes of any condition.
    """

    trials: Annotated[Even, Field(ge=0, le=MOST_CATCH)] = 0
    """Obvious images in each scored block, half of them real."""
    stimuli: str = ""
    """Folder of the set of obvious images."""
    exposure_ms: Milliseconds = 1000.0
    """How long one is shown, where images are flashed."""

    @model_validator(mode="after")
    def has_images(self) -> CatchSettings:
        """Refuse trials without images."""
        if self.trials and not self.stimuli:
            raise ValueError("stimuli is missing: the folder of a set of obvious images")
        return self


class CatchExclusion(ExclusionSettings):
    """``[exclusion]`` of a study that may have catch trials."""

    catch_error: Rate | None = None
    """An evaluator who judges more than this share of the catch trials wrongly is careless."""

    @property
    def shares(self) -> dict[str, tuple[float | None, str]]:
        return {**super().shares, "catch": (self.catch_error, "catch trials were wrong")}


class AnalysisSettings(Settings):
    """``[analysis]``: what the analysis may claim, fixed before the first evaluator starts.

    Scores that are shown to differ by less than ``margin`` count as equivalent: in ms for
    HYPE_time, in percentage points for HYPE_∞; for both, ``{time = 50, infinity = 5}``.
    """

    margin: Positive | dict[Literal["time", "infinity"], Positive] | None = None
    """Scores shown to differ by less are equivalent: ms, or percentage points, or a table."""
    judge_margin: Annotated[float, Field(gt=0, lt=1)] | None = None
    """A judge that agrees with people less than a second person by no more than this is as good."""

    def margins(self, methods: Sequence[str]) -> Mapping[str, float]:
        if self.margin is None or isinstance(self.margin, dict):
            return dict(self.margin or {})  # type: ignore[arg-type]
        return dict.fromkeys(methods, self.margin)


class PracticeSettings(Settings):
    """``[practice]``: trials before the first untimed and before the first timed block."""

    trials: Annotated[Even, Field(ge=0)] = 6
    """Trials before the first untimed and before the first timed block."""


class PaySettings(SharedPaySettings):
    """``[pay]``: base for the qualification, then for each correctly judged image."""

    per_correct: Annotated[float, Field(ge=0)] = 0.02
    """For each correct judgement after it."""

    def pay(self) -> Pay:
        return Pay(base=self.base, per_correct=self.per_correct, currency=self.currency)


class ObserverSettings(Settings):
    """``[observers.<condition>]``: the typical simulated evaluator of one condition."""

    threshold_ms: Milliseconds = 250.0
    """Exposure at which accuracy is halfway between chance and the ceiling."""
    slope: Positive = 1.5
    """How steeply accuracy rises with the exposure."""
    ceiling: Ceiling = 0.95
    """Accuracy that no longer exposure improves."""
    timed_ceiling: Ceiling | None = None
    """What accuracy tends to as flashed exposures grow; without it, `ceiling`."""
    lapse: Rate = 0.02
    """Share of trials answered by a coin."""
    bias: float = 0.0
    """Leaning towards the answer *real*; below 0, towards *fake*."""
    threshold_spread: NotNegative | None = None
    """How much thresholds differ between people; without it, as in `[people]`."""
    ceiling_spread: NotNegative | None = None
    """How much ceilings differ between people; without it, as in `[people]`."""
    bias_spread: NotNegative | None = None
    """How much leanings differ between people; without it, as in `[people]`."""


class PeopleSettings(Settings):
    """``[people]``: how simulated evaluators differ from one another, and how fast they answer."""

    threshold_spread: NotNegative = 0.25
    """How much thresholds differ between simulated people."""
    ceiling_spread: NotNegative = 0.15
    """How much ceilings differ between them."""
    bias_spread: NotNegative = 0.15
    """How much their leanings differ."""
    image_spread: NotNegative = 0.0
    """How much images of one kind differ in how fake they look."""
    careless: Rate = 0.0
    """Share of people who press keys at random, every 0.4 s, once they have qualified."""
    rt_median_ms: Milliseconds = 700.0
    """Median response time."""
    rt_spread: NotNegative = 0.35
    """Standard deviation of its logarithm."""


class StudyFile(AnyFile):
    """A whole study file."""

    protocol = "hype"
    asks_after = frozenset(("why", "confidence", "with_answer"))

    study: StudySettings
    masks: MaskSettings = MaskSettings()
    time: TimeSettings = TimeSettings()
    infinity: InfinitySettings = InfinitySettings()
    qualification: QualificationSettings = QualificationSettings()
    catch: CatchSettings = CatchSettings()
    exclusion: CatchExclusion = CatchExclusion()
    analysis: Annotated[AnalysisSettings, Bearing.NOBODY] = AnalysisSettings()
    practice: PracticeSettings = PracticeSettings()
    timing: TimingSettings = TimingSettings()
    pay: PaySettings = PaySettings()
    texts: Texts = english_words(Texts)
    people: Annotated[PeopleSettings, Bearing.SIMULATED] = PeopleSettings()
    observers: Annotated[dict[str, ObserverSettings], Bearing.SIMULATED] = Field(
        default_factory=dict
    )

    @model_validator(mode="after")
    def parts_fit(self) -> StudyFile:
        """Refuse what only shows when the tables are read together."""
        if "time" in self.study.methods and self.time.masks and not self.masks.folder:
            raise ValueError(
                'masks.folder is missing; the method "time" covers every image with masks '
                "(hype masks make), unless time.masks = 0"
            )
        if "time" in self.study.methods and self.display.background == GROUNDS["light"]:
            raise ValueError(
                'display.background = "light" is for studies that flash no images; the method '
                '"time" needs "grey"'
            )
        if self.time.staircase.is_quest_plus and len(self.rule.levels()) <= 1:
            raise ValueError(
                f'time.staircase.preset = "{QUEST_PLUS}" chooses among whole frames, and at '
                f"display.refresh_hz = {self.display.refresh_hz:g} no two lie between min_ms "
                "and max_ms"
            )
        if self.exclusion.catch_error is not None and not self.catch.trials:
            raise ValueError("exclusion.catch_error needs catch.trials and catch.stimuli")
        if isinstance(self.analysis.margin, float | int) and len(self.study.methods) > 1:
            raise ValueError(
                "analysis.margin is one number for two methods, of ms and of percentage points; "
                "allowed is margin = {time = 50, infinity = 5}"
            )
        test = self.qualification
        if self.only_qualifies and self.within:
            raise ValueError("study.conditions_each is for studies that evaluate conditions")
        if self.only_qualifies and not test.enabled:
            raise ValueError("qualification.enabled = false, and the study does nothing else")
        if self.only_qualifies and (test.stimuli or test.valid_from):
            raise ValueError(
                "qualification.stimuli and valid_from are for studies that do more than qualify "
                "people; this one's images are those of stimuli.folder"
            )
        return self

    @classmethod
    def text_groups(cls, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        time = table_of(tables, "time")
        limited = ("limited",) if time.get("limit_ms") else ()
        return (*super().text_groups(tables), str(time.get("before_flash")), *limited)

    @property
    def rule(self) -> Staircase | QuestPlus:
        """What chooses the exposures of HYPE_time."""
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
    def only_qualifies(self) -> bool:
        """Whether the study evaluates nothing: it finds out who may take part in others."""
        return self.study.methods == (QUALIFICATION,)

    def conditions_evaluated(self, conditions: Sequence[str]) -> tuple[str, ...]:
        """Give the conditions between which evaluators differ; where they do not, one for all."""
        return ("",) if self.only_qualifies or self.within else tuple(conditions)

    @property
    def within(self) -> bool:
        """Whether one evaluator serves several conditions."""
        return self.study.conditions_each > 1

    @property
    def evaluators_per_cell(self) -> int:
        return 1 if self.within else self.study.evaluators

    def methods_of_one_evaluator(self) -> tuple[tuple[Method, ...], ...]:
        """The methods that one evaluator may be given: each alone, or all together."""
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
    def gate(self) -> GateSettings | None:
        test = self.settings.qualification
        return test if test.enabled else None

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
        yield timed and feedback and settings.time.limit_ms is not None, ("late",)

    @property
    def masks_folder(self) -> Path | None:
        """The mask set, where there is one and a method that shows masks."""
        needed = "time" in self.settings.study.methods and self.settings.masks.folder
        return self.folder / self.settings.masks.folder if needed else None

    @property
    def other_sets(self) -> Mapping[str, Path]:
        """The set of the qualification, where it has one of its own, and that of obvious images."""
        test, catch = self.settings.qualification, self.settings.catch
        named = {
            Task.QUALIFICATION.value: test.stimuli if test.enabled else "",
            Task.CATCH.value: catch.stimuli if catch.trials else "",
        }
        return {name: self.folder / folder for name, folder in named.items() if folder}


FILE: Final = StudyFile
STUDY: Final = Study
