"""What a report says of a study beside its scores, in words that others found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Background:
    """A study in words.

    Parameters
    ----------
    design
        Paragraphs on what was run, for the page and for the methods section of a paper.
    people
        Sentences on who took part.
    flow
        Rows on what became of those who came, one for each place of the design.
    flow_columns
        What these rows hold.
    works
        Keys of the works that are cited in the words.
    facts
        Short facts for the head of the page, each with its name.
    settles_at
        The share of correct answers at which the study's staircase settles, 0 to 1.
    """

    design: tuple[str, ...]
    people: tuple[str, ...]
    flow: tuple[tuple[str | int, ...], ...]
    flow_columns: tuple[str, ...]
    works: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    settles_at: float | None = None
