"""Citing works: in a sentence, and in the list of references."""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING

from markupsafe import Markup

from hype.report.page.bibliography import WORKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hype.report.page.work import Work


@dataclass(frozen=True, kw_only=True)
class Said:
    """A sentence, or several, and the keys of the works that it cites."""

    text: str
    works: tuple[str, ...] = ()


def said(template: str, **values: object) -> Said:
    """Write a sentence: ``{Efron1979}`` cites that work, other fields are values.

    Raises
    ------
    KeyError
        A field is neither a work nor a value.
    """
    fields = (field for _, field, _, _ in Formatter().parse(template) if field)
    works = tuple(dict.fromkeys(field for field in fields if field not in values))
    return Said(text=template.format(**{key: cite(key) for key in works}, **values), works=works)


def cite(key: str) -> str:
    """Name a work as in the text: "Efron, 1979".

    Raises
    ------
    KeyError
        There is no such work.
    """
    work = WORKS[key]
    return f"{work.short}, {work.year}"


def listed(keys: Iterable[str]) -> tuple[Work, ...]:
    """Give works in the order of a list of references, each once.

    Raises
    ------
    KeyError
        There is no such work.
    """
    works = [WORKS[key] for key in dict.fromkeys(keys)]
    return tuple(sorted(works, key=lambda work: (work.authors.casefold(), work.year)))


def reference(work: Work) -> Markup:
    """Write the entry of a list of references, its venue in italics."""
    stop = "" if work.title.endswith((".", "?", "!")) else "."
    place = f" {work.place}" if work.place else ""
    doi = f" doi:{work.doi}" if work.doi else ""
    return Markup("{} ({}). {}{} <i>{}</i>{}.{}").format(
        work.authors, work.year, work.title, stop, work.venue, place, doi
    )
