"""Sentences of a methods section: numbers, lists, paragraphs and the works that they cite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from hype.study.shared import SharedSettings

WORDS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
"""Numbers that are written out."""


def worded(number: int) -> str:
    return WORDS[number] if number < len(WORDS) else f"{number:,}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number of things: "one block", "three blocks", "120 blocks"."""
    return f"{worded(number)} {noun if number == 1 else plural or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """List names: "a", "a and b", "a, b and c"; at least one."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def percent(share: float) -> str:
    """Write a share, 0 to 1, with one decimal where it has one."""
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def money(amount: float, currency: str) -> str:
    """Write an amount with two decimals, or with as many as it has."""
    exact = round(amount, 2) == amount
    return f"{currency}{amount:.2f}" if exact else f"{currency}{amount:g}"


ZHOU: Final = "Zhou2019"
KAERNBACH: Final = "Kaernbach1991"
LEVITT: Final = "Levitt1971"
GARCIA_PEREZ: Final = "GarciaPerez1998"
PORTILLA: Final = "PortillaSimoncelli2000"
CHRISTODOULOU: Final = "Christodoulou2024"
HOULSBY: Final = "Houlsby2011"
PARTHASARATHY: Final = "Parthasarathy2025"
WU: Final = "Wu2023"


class Topic(str, Enum):
    """What a paragraph on any study, or on one of HYPE's methods, is about."""

    DESIGN = "design"
    QUALIFICATION = "qualification"
    PRACTICE = "practice"
    TIME = "time"
    INFINITY = "infinity"
    CATCH = "catch"
    EXCLUSION = "exclusion"
    PAY = "pay"
    DISPLAY = "display"


class ComparisonTopic(str, Enum):
    """What only a study has a paragraph about that asks about images of prompts."""

    TRIAL = "trial"
    VALIDATION = "validation"
    DEMOGRAPHICS = "demographics"


class RankingTopic(str, Enum):
    """What only a study of rankings has a paragraph about."""

    SCREENING = "screening"
    HELD_OUT = "held out"


AnyTopic = Topic | ComparisonTopic | RankingTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Some sentences on one topic, and the keys of the works that they cite."""

    topic: AnyTopic
    text: str
    works: tuple[str, ...] = ()


def paragraph(topic: AnyTopic, sentences: Iterable[str], *works: str) -> Paragraph | None:
    """Make a paragraph of the sentences that there are; nothing if there is none."""
    text = " ".join(filter(None, sentences))
    return Paragraph(topic=topic, text=text, works=works) if text else None


def works_of(paragraphs: Sequence[Paragraph]) -> tuple[str, ...]:
    """Give the keys of all works that are cited, each once, in order of their first mention."""
    return tuple(dict.fromkeys(work for one in paragraphs for work in one.works))


MOST_NAMED: Final = 12
"""Conditions that are named; more are only counted."""
GREYS: Final = {0: "black", 255: "white"}


def evaluated(conditions: Sequence[str]) -> str:
    """Name the conditions that were evaluated, or count them where there are many."""
    if not conditions:
        return "the conditions of its stimulus set"
    names = f" ({listed(conditions)})" if len(conditions) <= MOST_NAMED else ""
    return f"{counted(len(conditions), 'condition')}{names}"


def at_most(settings: SharedSettings) -> str:
    """Say what images were not scaled beyond."""
    return "" if settings.display.enlarge else " and not beyond their own pixels"


def square(settings: SharedSettings) -> str:
    """Say how large an image could be."""
    display, monitor = settings.display, settings.monitor
    away = f" at a viewing distance of {monitor.distance_cm:g} cm" if monitor else ""
    if display.size_deg is not None:
        return f"of {display.size_deg:g}° of visual angle{away}"
    if display.size_px is not None:
        return f"of {display.size_px:g} px{away}"
    return f"half as high as the window{away}"


def background(rgb: tuple[int, int, int]) -> str:
    """Name a background's colour, with its numbers where the name does not say all."""
    red, green, blue = rgb
    numbers = f"RGB {red}, {green}, {blue}"
    if red == green == blue:
        return f"a {GREYS[red]} background" if red in GREYS else f"a grey background ({numbers})"
    return f"a background of {numbers}"
