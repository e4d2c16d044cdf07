"""What is found of each judge, in words: a word, and the sentences behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from hype.analysis.judges.verdicts import Verdict
from hype.report.page.parts import Block
from hype.report.tables.judge_tables import FOUND

if TYPE_CHECKING:
    from collections.abc import Sequence

OPEN: Final = 12
"""Judges of whom all is said; what is said of further ones is folded."""


class Judged(Protocol):
    """A judge of any kind."""

    @property
    def judge(self) -> str:
        """Its name."""

    @property
    def verdict(self) -> Verdict:
        """What is found."""

    @property
    def said(self) -> tuple[str, ...]:
        """In sentences."""


@dataclass(frozen=True, kw_only=True)
class FoundOfJudge:
    """What is found of one judge: its name, a word, sentences, and whether nothing is wrong."""

    judge: str
    found: str
    sentences: tuple[str, ...]
    well: bool


@dataclass(frozen=True, kw_only=True)
class JudgesFound(Block):
    """What is found of all judges; those of `more` are folded."""

    template: ClassVar[str] = "judges_found.html"

    judges: tuple[FoundOfJudge, ...]
    more: tuple[FoundOfJudge, ...] = ()


def judges_found(judges: Sequence[Judged]) -> JudgesFound:
    """Say of each judge what is found."""
    found = tuple(
        FoundOfJudge(
            judge=one.judge,
            found=FOUND[one.verdict],
            sentences=one.said,
            well=one.verdict is Verdict.AGREES,
        )
        for one in judges
    )
    return JudgesFound(judges=found[:OPEN], more=found[OPEN:])
