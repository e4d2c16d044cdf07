"""A checked table, and what is to be said of it beside its scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from hype.tables.pasted import pasted_note
from hype.tables.unanswered import unanswered_note

if TYPE_CHECKING:
    import pandas as pd

    from hype.tables.unanswered import Unanswered

Scored = TypeVar("Scored", bound=Any)


@dataclass(frozen=True, kw_only=True)
class CheckedTable:
    """Answers that were checked.

    Parameters
    ----------
    frame
        The rows that have an answer.
    missing
        Those that have none, by evaluator.
    lacking
        What it is that they lack.
    """

    frame: pd.DataFrame
    missing: tuple[Unanswered, ...] = ()
    lacking: Literal["answer", "rank"] = "answer"

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits whatever is made of the rows."""
        return (*unanswered_note(self.missing, lacking=self.lacking), *pasted_note(self.frame))

    def told(self) -> pd.DataFrame:
        """Give the rows alone; that some have no answer becomes a warning."""
        for note in unanswered_note(self.missing):
            warnings.warn(note, stacklevel=3)
        return self.frame

    def beside(self, score: Scored) -> Scored:
        notes = (*self.notes, *score.notes)
        told: Scored = replace(score, notes=notes, missing_answers=self.missing)
        return told
