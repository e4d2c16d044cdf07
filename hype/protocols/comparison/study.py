"""A study of comparisons: its settings, and where its file lies."""

from __future__ import annotations

from dataclasses import dataclass

from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.studies import PromptedStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonStudy(PromptedStudy):
    """A study of comparisons."""

    settings: ComparisonFile

    @property
    def answers(self) -> str:
        return "comparisons"
