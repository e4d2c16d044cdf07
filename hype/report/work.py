"""One entry of a list of references."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Work:
    """One work.

    Parameters
    ----------
    authors
        As they stand in a list of references.
    short
        As the text names them, without the year.
    year, title
        Of the article or the book.
    venue, place
        The journal or the publisher; volume and pages, which may be empty.
    doi
        May be empty.
    """

    authors: str
    short: str
    year: int
    title: str
    venue: str
    place: str = ""
    doi: str = ""
