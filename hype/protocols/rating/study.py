"""A study of ratings: its settings, and where its file lies."""

from __future__ import annotations

from dataclasses import dataclass

from hype.protocols.rating.settings import RatingFile
from hype.protocols.studies import PromptedStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingStudy(PromptedStudy):
    """A study of ratings."""

    settings: RatingFile

    @property
    def answers(self) -> str:
        return "ratings"

    @property
    def fewest_conditions(self) -> int:
        return 2 if self.settings.rating.of == "pairs" else 1
