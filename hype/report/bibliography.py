"""The works that reports cite, as ``works.toml`` here and in the folders of protocols has them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, kw_only=True)
class Work:
    """One work."""

    key: str  # what sentences cite it by
    authors: str  # as they stand in a list of references
    short: str  # as the text names them, without the year
    year: int
    title: str
    venue: str  # the journal or the publisher
    place: str = ""  # volume and pages
    doi: str = ""

    @property
    def cited(self) -> str:
        """Its name in the text: "Efron, 1979"."""
        return f"{self.short}, {self.year}"


@cache
def works_in(folder: Path) -> Mapping[str, Work]:
    """Read the works of a folder by their keys; none where it has no ``works.toml``.

    Raises
    ------
    TypeError
        A work lacks one of its entries, or has one that there is not.
    """
    file = folder / "works.toml"
    if not file.exists():
        return {}
    entries = tomllib.loads(file.read_text(encoding="utf-8"))
    return {key: Work(key=key, **entry) for key, entry in entries.items()}


def works_of_every_report() -> Mapping[str, Work]:
    return works_in(Path(__file__).parent)


def listed(works: Iterable[Work]) -> tuple[Work, ...]:
    """Give works in the order of a list of references, each once."""
    once = dict.fromkeys(works)
    return tuple(sorted(once, key=lambda work: (work.authors.casefold(), work.year)))


def reference(work: Work) -> Markup:
    """Write the entry of a list of references, its venue in italics."""
    stop = "" if work.title.endswith((".", "?", "!")) else "."
    place = f" {work.place}" if work.place else ""
    doi = f" doi:{work.doi}" if work.doi else ""
    return Markup("{} ({}). {}{} <i>{}</i>{}.{}").format(
        work.authors, work.year, work.title, stop, work.venue, place, doi
    )
