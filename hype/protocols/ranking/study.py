"""A study of rankings: its settings, and where its file lies."""

from __future__ import annotations

from dataclasses import dataclass

from hype.protocols.ranking.settings import RankingFile
from hype.protocols.studies import PromptedStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingStudy(PromptedStudy):
    """A study of rankings."""

    settings: RankingFile

    @property
    def answers(self) -> str:
        return "rankings"

    @property
    def trials(self) -> str:
        """What the trials of the record are called: a ranking is made of several."""
        return "acts"
