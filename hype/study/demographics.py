"""Questions about evaluators, their answers, and quotas for groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Annotated, Final, Literal

from pydantic import Field, field_validator, model_validator

from hype.study.table import Affects, NotNegative, Settings, Topic

MOST_OPTIONS: Final = 8
"""The maximum number of options of a question: each needs a number key, and so does skipping."""
MOST_CHARACTERS: Final = 500
LONGEST_NUMBER: Final = 16
NUMBER: Final = re.compile(r"-?\d{1,9}([.,٫]\d{1,4})?")


class DemographicSettings(Settings):
    """``[demographics.<name>]``: question about the evaluator."""

    topic = Topic.PEOPLE
    question: Annotated[str, Field(min_length=1)]
    """Question. Evaluators may decline to answer the question."""
    kind: Literal["choice", "number", "text"] = "choice"
    """Kind of answer. A choice among options, a number, or a text in the evaluator's own words."""
    options: Annotated[tuple[str, ...], Field(max_length=MOST_OPTIONS)] = ()
    """Options. A choice needs at least two options."""
    lowest: float | None = None
    """Lowest number."""
    highest: float | None = None
    """Highest number."""
    whole: bool = True
    """Whole numbers only."""
    longest: Annotated[int, Field(ge=1, le=MOST_CHARACTERS)] = 100
    """Maximum length of a text, in characters."""
    reference: Annotated[dict[str, NotNegative], Affects.NOBODY] = Field(default_factory=dict)
    """Shares in the population. The population's share of each answer, for comparison."""

    @field_validator("options")
    @classmethod
    def leave_a_choice(cls, options: tuple[str, ...]) -> tuple[str, ...]:
        if len(options) == 1:
            raise ValueError("must be at least two")
        return options

    @model_validator(mode="after")
    def fits(self) -> DemographicSettings:
        """Refuse keys of another kind of question, missing keys, and invalid options."""
        of_kinds = {
            "choice": {"options", "reference"},
            "number": {"lowest", "highest", "whole"},
            "text": {"longest"},
        }
        others = set().union(*of_kinds.values()) - of_kinds[self.kind]
        changed = {  # a resolved study also has the defaults of keys of other kinds
            name
            for name, field in type(self).model_fields.items()
            if getattr(self, name) != field.get_default(call_default_factory=True)
        }
        if wrong := sorted(others & self.model_fields_set & changed):
            raise ValueError(f'{wrong[0]} is not a key of a question with kind = "{self.kind}"')
        if self.kind == "choice" and not self.options:
            raise ValueError('options are missing; only kind = "number" or "text" has none')
        if self.kind == "number":
            if self.lowest is None or self.highest is None:
                raise ValueError("lowest and highest, the range of numbers, are missing")
            if not self.lowest < self.highest:
                raise ValueError("highest must be more than lowest")
        if len(set(self.options)) < len(self.options) or "" in self.options:
            raise ValueError("options must differ, and none may be empty")
        if self.reference and set(self.reference) != set(self.options):
            raise ValueError("reference must give a share for each option, and for nothing else")
        if self.reference and abs(sum(self.reference.values()) - 1) > 0.02:
            raise ValueError(f"reference shares add up to {sum(self.reference.values()):g}, not 1")
        return self

    @property
    def allowed(self) -> str:
        """The allowed answers, as the end of a sentence that starts with "the study"."""
        if self.kind == "choice":
            return f"has the options {', '.join(self.options)}"
        if self.kind == "text":
            return f"accepts at most {self.longest} characters"
        noun = "whole numbers" if self.whole else "numbers"
        return f"accepts {noun} from {self.lowest:g} to {self.highest:g}"

    def type_character(self, text: str, character: str) -> str:
        """Return the text after a character was typed; a backspace removes the last one."""
        if character == "\b":
            return text[:-1]
        longest = self.longest if self.kind == "text" else LONGEST_NUMBER
        fits = character.isprintable() and len(text) < longest
        may = self.kind == "text" or character.isdecimal() or character in "-.,٫"
        return (text + character).lstrip() if fits and may else text

    def accept(self, text: str) -> str | None:
        """Return an answer as the record stores it; None if it is invalid or withheld."""
        text = " ".join(text.split())
        if self.kind == "choice":
            return text if text in self.options else None
        if self.kind == "text":
            fits = text and len(text) <= self.longest and text.isprintable()
            return text if fits else None
        if not NUMBER.fullmatch(text):
            return None
        value = float(re.sub("[,٫]", ".", text))
        in_range = (self.lowest or 0.0) <= value <= (self.highest or 0.0)
        if not in_range or (self.whole and not value.is_integer()):
            return None
        return f"{value:.4f}".rstrip("0").rstrip(".") if value else "0"


class ComprehensionSettings(Settings):
    """``[comprehension]``: question about the instructions."""

    topic = Topic.QUALITY
    question: Annotated[str, Field(min_length=1)]
    """Question. After a wrong answer the instructions are shown again."""
    options: Annotated[tuple[str, ...], Field(min_length=2, max_length=MOST_OPTIONS)]
    """Options."""
    right: str
    """Right option. After two wrong answers the session ends."""
    paid: bool = False
    """Pay people who fail. After two wrong answers people still get the base pay."""

    @model_validator(mode="after")
    def is_answerable(self) -> ComprehensionSettings:
        """Refuse equal options, and a right answer that is not an option."""
        if self.options.count(self.right) != 1 or len(set(self.options)) < len(self.options):
            raise ValueError("right must be one of the options, and all options must differ")
        return self


LONGEST_WHY: Final = 300
"""The maximum number of characters of a reason for an answer."""
CONFIDENCE_S: Final = 2.0
WHY_S: Final = 20.0
"""The usual times to answer a question about confidence, and to write a reason."""


class FollowUpSettings(Settings):
    """``[follow_up]``: questions after an answer."""

    topic = Topic.ANSWERS
    confidence: Literal[0, 2, 3, 4, 5, 6, "slider"] = 0
    """Ask how sure people are. 2 to 6: a scale with this many steps; "slider": a slider from 0 to
    100; 0: no question."""
    with_answer: bool = False
    """Answer and confidence with one key. Each answer has 2 or 3 keys; the last means most sure."""
    why: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Ask for reasons. After this share of the scored answers, people may write why."""

    @model_validator(mode="after")
    def has_keys(self) -> FollowUpSettings:
        """Refuse confidence keys unless confidence has 2 or 3 steps."""
        if self.with_answer and self.confidence not in (2, 3):
            raise ValueError("with_answer needs confidence = 2 or 3, which makes four or six keys")
        return self

    @property
    def asks_confidence(self) -> bool:
        """Whether a question about confidence follows each answer."""
        return self.confidence != 0 and not self.with_answer

    @property
    def steps_with(self) -> int:
        """The number of keys for each answer, one for each step; 0 if keys give no confidence."""
        return int(self.confidence) if self.with_answer else 0

    @property
    def seconds(self) -> float:
        """The expected time, in s, for the questions that follow an answer."""
        return CONFIDENCE_S * self.asks_confidence + WHY_S * self.why


Quota = dict[str, Annotated[int, Field(ge=0)]]
Quotas = Annotated[dict[str, Quota], Affects.NOBODY]
"""The maximum number of people, by question and group. A group is an option, a range of numbers
with both ends ("18-29"), or "" for withheld answers. A person in no group cannot take part."""
BAND: Final = re.compile(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)")


def band_of(group: str) -> tuple[float, float] | None:
    """Return the ends of a range of numbers; None if the group is not a range."""
    match = BAND.fullmatch(group)
    return (float(match[1]), float(match[2])) if match else None


def group_of(answer: str, groups: Iterable[str], asked: DemographicSettings) -> str | None:
    """Return the group of a stored answer; None if it is in no group."""
    if asked.kind != "number" or not answer:
        return answer if answer in groups else None
    number = float(answer)
    bands = ((group, band_of(group)) for group in groups)
    return next((group for group, ends in bands if ends and ends[0] <= number <= ends[1]), None)


def count_groups(
    answers: Mapping[str, int], quota: Quota, asked: DemographicSettings
) -> Counter[str]:
    """Count the people of each group; ``answers``: how many people gave each answer."""
    numbers: Counter[str] = Counter()
    for answer, number in answers.items():
        group = group_of(answer, quota, asked)
        if group is not None:
            numbers[group] += number
    return numbers


def takes_one_more(
    answer: str, answers: Mapping[str, int], quota: Quota, asked: DemographicSettings
) -> bool:
    """Whether a person with this answer can take part; ``answers``: how many gave each answer."""
    group = group_of(answer, quota, asked)
    return group is not None and count_groups(answers, quota, asked)[group] < quota[group]


def check_quotas(
    quotas: Mapping[str, Quota], demographics: Mapping[str, DemographicSettings]
) -> None:
    """Refuse quotas for questions that are not asked, or for impossible groups.

    Raises ValueError: the message names the question, the group and what is allowed.
    """
    for question, quota in quotas.items():
        where = f"study.quotas.{question}"
        if question not in demographics:
            asked = ", ".join(demographics) or "none"
            raise ValueError(f"{where}: [demographics] has no such question; it has {asked}")
        if not quota:
            raise ValueError(f"{where}: has no group")
        check_groups(where, quota, demographics[question])


def check_groups(where: str, quota: Quota, asked: DemographicSettings) -> None:
    if asked.kind == "text":
        raise ValueError(f'{where}: a question with kind = "text" has no groups')
    if asked.kind == "choice":
        unknown = [group for group in quota if group and group not in asked.options]
        if unknown:
            allowed = ", ".join(map(repr, asked.options))
            raise ValueError(
                f"{where}: {unknown[0]!r} is not an option of the question; use "
                f"{allowed}, and '' for people who withhold the answer"
            )
        return
    lowest, highest = asked.lowest or 0.0, asked.highest or 0.0
    bands: list[tuple[float, float, str]] = []
    for group in filter(None, quota):
        ends = band_of(group)
        if ends is None or not lowest <= ends[0] <= ends[1] <= highest:
            raise ValueError(
                f"{where}: {group!r} is not a range within {lowest:g} to {highest:g}, such as "
                f"'{lowest:g}-{highest:g}', which includes both ends"
            )
        bands.append((*ends, group))
    bands.sort()
    for (_, end, group), (start, _, following) in pairwise(bands):
        if start <= end:
            raise ValueError(f"{where}: {group!r} and {following!r} have numbers in common")
