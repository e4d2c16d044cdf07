"""What a session is made of: screens to read, and trials to answer.

A step is plain data. Who shows it and who answers it is decided elsewhere (`loop`), which is why
a person, a simulated evaluator at a window and one without a window can share every line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple


class Truth(str, Enum):
    """What a stimulus is, and what an evaluator may say it is."""

    REAL = "real"
    FAKE = "fake"


class Task(str, Enum):
    """What a judgement is for. Only ``time`` and ``infinity`` are scored.

    ``catch`` are obvious images among these, which show whether somebody looks; they are paid too.
    """

    PRACTICE = "practice"
    QUALIFICATION = "qualification"
    TIME = "time"
    INFINITY = "infinity"
    CATCH = "catch"

    @property
    def paid(self) -> bool:
        return self.scored or self is Task.CATCH

    @property
    def scored(self) -> bool:
        """Whether its answers make the score; its fakes are then of one condition."""
        return self in (Task.TIME, Task.INFINITY)


class Page(str, Enum):
    """The screens of a session. The words on them belong to the study."""

    WELCOME = "welcome"
    RESUMED = "resumed"
    CONSENT = "consent"
    INSTRUCTIONS_UNTIMED = "instructions_untimed"
    INSTRUCTIONS_TIMED = "instructions_timed"
    PRACTICE = "practice"
    QUALIFICATION = "qualification"
    QUALIFIED = "qualified"
    UNQUALIFIED = "unqualified"
    BLOCK = "block"
    REST = "rest"
    DEBRIEF = "debrief"
    DECLINED = "declined"
    CORRECT = "correct"
    WRONG = "wrong"
    AGAIN = "again"
    INSTRUCTIONS = "instructions"
    ABOUT_YOU = "about_you"
    HASTY = "hasty"
    MISSED = "missed"
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Words to show until a key is pressed, or for ``duration_ms`` where that is given.

    ``values`` fill the placeholders of the study's text for ``page``. A screen whose ``choice``
    is true asks for yes or no; every other one only for going on.
    """

    page: Page
    values: Mapping[str, Any] = field(default_factory=dict)
    duration_ms: float | None = None
    choice: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Screen):
    """A question about the evaluator, with answers to choose from; the last withholds it.

    The outcome's answer is the text of the chosen option, or "" where it was withheld.
    """

    name: str
    text: str
    options: tuple[str, ...]


class TrialName(NamedTuple):
    """What identifies a trial in its session. Blocks and trials count from 1."""

    task: str
    block: int
    number: int


class Trial(ABC):
    """A step whose answer is kept: what the session loop needs to know of it.

    Each protocol has its own kind, and its own table in the record.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> TrialName:
        """What it is called in its session."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """What is shown: trials of one name and fingerprint are the same trial."""

    @property
    @abstractmethod
    def shown_ms(self) -> float:
        """How long it takes from its onset until it can be answered."""

    @property
    def fleeting(self) -> bool:
        """Whether it is over once it was left: its image is gone, or its time was running."""
        return False

    def done_after(self, _answer: str, /) -> float:
        """Give which share of its block an answer brings to an end; 0 if it goes on as before."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """One image of a stimulus set.

    ``condition`` is what made it (empty for a real image), ``path`` is relative to the set.
    """

    path: str
    truth: Truth
    condition: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementTrial(Trial):
    """One image to be judged real or fake.

    ``exposure_ms`` is the nominal exposure, or None where the image stays until the answer.
    ``block`` and ``number`` count from 1; with ``task`` they identify the trial in its session.
    ``repeats`` is the number of the trial of the block that is shown again here, if it is, and
    ``done`` the share of the block that is done with this trial.
    """

    task: Task
    block: int
    number: int
    stimulus: Stimulus
    exposure_ms: float | None
    masks: tuple[str, ...] = ()
    mask_ms: float = 0.0
    repeats: int | None = None
    done: float = 0.0

    def done_after(self, _answer: str, /) -> float:
        return self.done

    def correct(self, answer: str) -> bool:
        """Whether ``answer`` ("real" or "fake") is the truth."""
        return answer == self.stimulus.truth.value

    @property
    def name(self) -> TrialName:
        return TrialName(self.task.value, self.block, self.number)

    @property
    def fingerprint(self) -> str:
        return self.stimulus.sha256

    @property
    def shown_ms(self) -> float:
        """How long image and masks last; none where the image stays until the answer."""
        if self.exposure_ms is None:
            return 0.0
        return self.exposure_ms + len(self.masks) * self.mask_ms

    @property
    def fleeting(self) -> bool:
        """Whether it was flashed: after a pause it could only be answered from memory."""
        return self.exposure_ms is not None


Step = Screen | Trial


@dataclass(frozen=True, slots=True)
class Response:
    """What came back from a step.

    ``answer`` is "real" or "fake" for a judgement, "yes" or "no" for a choice, "" where the step
    asked nothing; other kinds of trials say what theirs are. ``rt_ms`` counts from the moment from
    which the step could be answered.
    """

    answer: str = ""
    key: str = ""
    rt_ms: float = 0.0


GO_ON = Response()
YES = Response("yes")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a script is told of its step: the response, and whether the screen spoiled the trial."""

    response: Response
    spoiled: bool = False

    @property
    def answer(self) -> str:
        return self.response.answer


class Ending(str, Enum):
    """How a session's script came to its end."""

    COMPLETE = "complete"
    UNQUALIFIED = "unqualified"
    DECLINED = "declined"
