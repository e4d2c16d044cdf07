"""The steps of a session: screens, trials, questions, and pay.

A step is plain data. The session loop is given one object that shows steps and one that answers
them, so the same code serves people and simulated evaluators, with or without a window.

Consent and questions about the evaluator are here too, since they are the same in every study.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from hype.study.demographics import DemographicSettings

if TYPE_CHECKING:
    from hype.session.loop import Answered


class Page(str, Enum):
    """The screens of a session. The study supplies the words on these screens."""

    WELCOME = "welcome"
    RESUMED = "resumed"
    CONSENT = "consent"
    CONSENT_AGAIN = "consent_again"
    INSTRUCTIONS_UNTIMED = "instructions_untimed"
    INSTRUCTIONS_TIMED = "instructions_timed"
    COMPREHENSION = "comprehension"
    COMPREHENSION_AGAIN = "comprehension_again"
    MISUNDERSTOOD = "misunderstood"
    PRACTICE = "practice"
    QUALIFICATION = "qualification"
    QUALIFIED = "qualified"
    UNQUALIFIED = "unqualified"
    BLOCK = "block"
    REST = "rest"
    DEBRIEF = "debrief"
    DECLINED = "declined"
    GROUP_FULL = "group_full"
    CORRECT = "correct"
    WRONG = "wrong"
    AGAIN = "again"
    INSTRUCTIONS = "instructions"
    ABOUT_YOU = "about_you"
    HASTY = "hasty"
    LATE = "late"
    MISSED = "missed"
    TEST = "test"
    WAITING = "waiting"
    CONFIDENCE = "confidence"
    WHY = "why"


TASKS: Final = (Page.INSTRUCTIONS, Page.INSTRUCTIONS_UNTIMED, Page.INSTRUCTIONS_TIMED)
"""Pages that explain the task and its keys."""
WAITS: Final = (Page.HASTY, Page.MISSED)
"""Pages that stay for a fixed time, and show how much of it is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A text to show until a key is pressed, or for ``duration_ms`` if given.

    ``values`` fill the placeholders of the study's text for ``page``. A screen whose ``choice`` is
    true asks for yes or no; other screens only wait for a key. ``about``: the trial whose answer
    the screen asks about, if any.
    """

    page: Page
    values: Mapping[str, Any] = field(default_factory=dict)
    duration_ms: float | None = None
    choice: bool = False
    about: Trial | None = None

    @property
    def passing(self) -> Response:
        """A response after which the session continues with the next step."""
        return YES if self.choice else GO_ON


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceScreen(Screen, ABC):
    """A question with options to choose from."""

    text: str
    options: tuple[str, ...]

    @property
    @abstractmethod
    def answers(self) -> tuple[str, ...]:
        """The answer for each option, in the order of the options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comprehension(ChoiceScreen):
    """A question about the instructions; the answer is the number of the chosen option."""

    page: Page = Page.COMPREHENSION
    right: str
    paid: bool  # whether evaluators whose answers are all wrong get the base pay

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(str(number) for number, _ in enumerate(self.options, start=1))

    @property
    def passing(self) -> Response:
        return Response(self.right)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(ChoiceScreen):
    """A question about the evaluator or about an answer; the last option skips the question.

    The response contains the text of the chosen option, or "" if the question was skipped. A
    question about an answer is asked after a random ``share`` of the answers; the reply is stored
    in the row of that answer, in the column ``name``.
    """

    name: str
    share: float = 1.0
    seed: str = ""

    @property
    def rule(self) -> tuple[object, ...]:
        """The values for a plan's checksum: the question's column, number of answers, and share."""
        return self.name, len(self.answers), self.share

    @property
    def answers(self) -> tuple[str, ...]:
        """The answer for each option: its text; "" for the last, which skips the question."""
        return (*self.options[:-1], "")

    def cell(self, answer: str) -> str | int:
        """Return an answer as the record stores it."""
        return answer

    def allows(self, cell: object) -> bool:
        """Whether a cell of the record contains a possible answer to this question."""
        return cell in [self.cell(answer) for answer in self.answers]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedQuestion(Question):
    """A question with a typed answer; its only option skips the question."""

    asked: DemographicSettings

    def allows(self, cell: object) -> bool:
        return cell == "" or (isinstance(cell, str) and self.asked.accept(cell) == cell)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceQuestion(Question):
    """A question on how sure the evaluator is, on a scale from 1; it cannot be skipped."""

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(str(step) for step in range(1, len(self.options) + 1))

    def cell(self, answer: str) -> int:
        return int(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSlider(ConfidenceQuestion):
    """The same question on a line from 0 to 100; the options are the words at its ends."""

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(map(str, range(101)))

    @property
    def slider(self) -> Slider:
        return Slider(answers=self.answers, ends=self.options)


class TrialName(NamedTuple):
    """What identifies a trial in its session. Blocks and trials are numbered from 1."""

    task: str
    block: int
    number: int


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """An image or a mask that a trial needs; ``path``: its path in the set of images or masks."""

    path: str
    mask: bool


def images_at(*paths: str) -> tuple[PictureRequest, ...]:
    return tuple(PictureRequest(path, mask=False) for path in paths)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(ABC):
    """A step with a recorded answer, as the session loop sees it.

    Each protocol has its own class, and its own table in the record. ``task``: the trial's purpose,
    such as practice. ``block`` and ``number``: see `TrialName`. ``done`` is the share of the block
    that is done after this trial.
    """

    task: Enum
    block: int
    number: int
    done: float = 0.0

    @property
    def name(self) -> TrialName:
        return TrialName(self.task.value, self.block, self.number)

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A text that identifies the trial's content, such as the checksums of its images."""

    @property
    @abstractmethod
    def answers(self) -> tuple[str, ...]:
        """The possible answers; trials that a pilot skips are given the first of them."""

    @property
    def shown_ms(self) -> float:
        """The time from the trial's onset until it can be answered."""
        return 0.0

    @property
    @abstractmethod
    def pictures(self) -> tuple[PictureRequest, ...]:
        """The pictures that a station needs to show the trial, in order."""

    @property
    def is_time_critical(self) -> bool:
        """Whether an interruption spoils the trial, since it is flashed or has a time limit."""
        return False

    def done_after(self, _answer: str, /) -> float:
        """Return the share of the block that is done after this answer; 0 if it adds nothing."""
        return self.done

    def read(self, response: Response) -> Response:
        """Return a response in which answer and confidence are separate, if one key gave both."""
        return response


Step = Screen | Trial

NO_ANSWER: Final = "none"
"""The answer to a trial whose time limit has passed."""


@dataclass(frozen=True, slots=True)
class Response:
    """The evaluator's response to a step.

    ``answer``: "yes" or "no" on a screen with a choice, "" if the step asks nothing; in trials it
    depends on the protocol, such as "real". ``rt_ms``: the response time, from when the step could
    first be answered. ``confidence``: how sure the evaluator is, if the key of the answer shows it.
    """

    answer: str = ""
    key: str = ""
    rt_ms: float = 0.0
    confidence: int | None = None


GO_ON = Response()

YES = Response("yes")
LEFT_OUT: Final = "left-out"
"""The status of evaluators whom the study file excludes, whatever their status was before."""
CARELESS: Final = "careless"
"""The reason for excluding answers of people who break one of the study's exclusion rules."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a script receives after each step.

    ``spoiled``: whether the trial was not shown as requested. ``is_over``: whether the evaluator's
    part ends with this answer.
    """

    response: Response
    spoiled: bool = False
    is_over: bool = False

    @property
    def answer(self) -> str:
        return self.response.answer


TESTS: Final = frozenset(("qualification", "test"))
"""The tasks of tests that decide who takes part."""


class Ending(str, Enum):
    """How a session's script ended."""

    COMPLETE = "complete"
    UNQUALIFIED = "unqualified"
    WAITING = "waiting"
    DECLINED = "declined"
    FULL = "full"
    MISUNDERSTOOD = "misunderstood"


def checksum_of(*planned: object) -> str:
    """Return the SHA-256 (hex) of planned values, written as JSON without class or field names."""
    text = json.dumps(
        planned, default=lambda one: [getattr(one, each.name) for each in fields(one)]
    )
    return hashlib.sha256(text.encode()).hexdigest()


def skip_answered(
    planned: Iterable[tuple[TrialName, Iterable[PictureRequest]]], answered: Sequence[Answered]
) -> Iterator[PictureRequest]:
    done = {past.name for past in answered}
    for name, pictures in planned:
        if name not in done:
            yield from pictures


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """The pay of one evaluator; each part is in whole cents, so that printed parts add up."""

    base: float = 0.0
    bonus: float = 0.0

    @property
    def pay(self) -> float:
        return round(self.base + self.bonus, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pay:
    """The pay for a session: ``base``, and ``per_correct`` for each correct scored answer."""

    base: float
    per_correct: float
    currency: str

    def due(self, correct: float) -> float:
        """Return the pay for a session with ``correct`` correct scored answers."""
        return round(self.base + self.per_correct * correct, 2)

    def values(self, correct: int) -> dict[str, object]:
        return {"pay": f"{self.due(correct):.2f}", "currency": self.currency}

    def an_hour(self, correct: float, minutes: float) -> float:
        """Return the hourly pay for sessions of ``minutes`` with ``correct`` correct answers."""
        return round(60 * self.due(correct) / minutes, 2)

    def parts(self, correct: int) -> Due:
        """Split the pay: the base is rounded first, and the bonus is the rest."""
        base = round(self.base, 2)
        return Due(base=base, bonus=round(self.due(correct) - base, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A possible answer, and how it is given.

    ``cap``: the names of the keys, as shown. ``picture``: the number (from 0) of the image that can
    be clicked instead. ``aside``: whether the button is outside the row of the other buttons.
    """

    answer: str
    label: str
    keys: tuple[str, ...] = ()
    cap: str = ""
    picture: int | None = None
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A cue before a flash (a numeral, or `CROSS`), and its duration."""

    text: str
    ms: float


CROSS: Final = "+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flash:
    """One image, then its masks, all at the same place, each for its time in ``exposures_ms``.

    The ``cues`` come before, one after the other; the question comes last.
    ``tolerance_ms``: the maximum accepted deviation from a nominal duration; None: half a frame.
    """

    exposures_ms: tuple[float, ...]
    cues: tuple[Cue, ...]
    tolerance_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimit:
    """The time limit of an answer, and the answer that is recorded when it has passed."""

    limit_ms: float
    otherwise: str


MOVES: Final = ("left", "right", "up", "down")
"""Keys that move the mark on a slider."""
ReferencePlace = Literal["above", "beside"]
"""The place of a reference image: above the other images, or beside one image, or between two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """A line on which the evaluator marks one of many answers; ``ends``: the words at its ends.

    Until something is marked, no answer can be sent.
    """

    answers: tuple[str, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One trial: its question, its images, and its possible answers.

    Without a `Flash` all images are shown together until the answer. The words of the prompt appear
    one after the other, one every ``word_ms``; the trial accepts no answer before the last word.
    ``captions``: the letters under the images. ``ranks``: the place of each image in the ranking so
    far, or None. ``moves``: answers that move an image; B2 moves B to place 2. ``axis``: the number
    of this question (from 1), and how many questions the same images have. ``pressed``: an answer
    that cannot be given; its button is shown as pressed. A button whose answer is empty sends what
    is marked on the ``slider``, or typed into the ``entry``. ``reference``: if the last picture is
    a reference image, its title and place. ``others``: the other questions about the same images;
    the screen has room for each of them, so the images do not move between questions.
    """

    question: str
    buttons: tuple[Button, ...]
    pictures: tuple[PictureRequest, ...] = ()
    prompt: str = ""
    flash: Flash | None = None
    word_ms: float = 0.0
    limit: TimeLimit | None = None
    layout: Literal["row", "scale", "steps"] = "row"
    captions: tuple[str, ...] = ()
    ranks: tuple[int | None, ...] = ()
    moves: tuple[str, ...] = ()
    axis: tuple[int, int] | None = None
    pressed: str = ""
    reference: tuple[str, ReferencePlace] | None = None
    slider: Slider | None = None
    entry: DemographicSettings | None = None
    others: tuple[Scene, ...] = ()

    @property
    def answers(self) -> frozenset[str]:
        """All possible answers."""
        late = {self.limit.otherwise} if self.limit else set()
        marked = self.slider.answers if self.slider else ()
        return frozenset(button.answer for button in self.buttons) - {self.pressed} | {
            *late,
            *marked,
            *self.moves,
        }
