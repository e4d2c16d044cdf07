"""What a session is made of: screens to read, and trials to answer.

A step is plain data. Who shows it and who answers it is decided elsewhere (`loop`), which is why
a person, a simulated evaluator at a window and one without a window can share every line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Truth(str, Enum):
    """What a stimulus is, and what an evaluator may say it is."""

    REAL = "real"
    FAKE = "fake"


class Task(str, Enum):
    """What a block of judgements is for. Only ``time`` and ``infinity`` are scored and paid."""

    PRACTICE = "practice"
    QUALIFICATION = "qualification"
    TIME = "time"
    INFINITY = "infinity"

    @property
    def scored(self) -> bool:
        """Whether its answers make the score and the pay; its fakes are then of one condition."""
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
class Stimulus:
    """One image of a stimulus set.

    ``condition`` is what made it (empty for a real image), ``path`` is relative to the set.
    """

    path: str
    truth: Truth
    condition: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementTrial:
    """One image to be judged real or fake.

    ``exposure_ms`` is the nominal exposure, or None where the image stays until the answer.
    ``block`` and ``number`` count from 1; with ``task`` they identify the trial in its session.
    ``repeats`` is the number of the trial of the block that is shown again here, if it is.
    """

    task: Task
    block: int
    number: int
    stimulus: Stimulus
    exposure_ms: float | None
    masks: tuple[str, ...] = ()
    mask_ms: float = 0.0
    repeats: int | None = None

    def correct(self, answer: str) -> bool:
        """Whether ``answer`` ("real" or "fake") is the truth."""
        return answer == self.stimulus.truth.value


Trial = JudgementTrial
"""Every kind of trial; a new protocol adds its own here."""

Step = Screen | Trial


@dataclass(frozen=True, slots=True)
class Response:
    """What came back from a step.

    ``answer`` is "real" or "fake" for a judgement, "yes" or "no" for a choice, "" where the step
    asked nothing. ``rt_ms`` counts from the moment from which the step could be answered.
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
        """The response's answer."""
        return self.response.answer


class Ending(str, Enum):
    """How a session's script came to its end."""

    COMPLETE = "complete"
    UNQUALIFIED = "unqualified"
    DECLINED = "declined"
