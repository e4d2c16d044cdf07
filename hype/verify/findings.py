"""What is found in a record, and the collection of it, which stays small however much there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from hype.confine import shortened
from hype.verify.codes import NOTES

Severity = Literal["fault", "note"]

MOST_LISTED: Final = 10_000
"""As many faults, and as many notes, are kept one by one; the others are counted."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that was found: a code of `hype.verify.codes`, and what it is here."""

    code: str
    message: str

    @property
    def severity(self) -> Severity:
        return "note" if self.code in NOTES else "fault"


@dataclass(frozen=True, slots=True)
class Whose:
    """Whom it concerns: an evaluator, or several or nobody in particular (None).

    ``simulated`` is None where it concerns the file and not evaluators.
    """

    evaluator: str | None = None
    simulated: bool | None = None


NOBODY: Final = Whose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """All that was found of one kind: how many, with how many evaluators, and the first."""

    whose: Whose
    first: Found
    number: int
    evaluators: int = 1


class Findings:
    """Collects what is found, in the order in which it is met."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Whose, str]] = Counter()
        self._first: dict[tuple[Whose, str], Found] = {}
        self._listed: dict[Severity, list[tuple[Whose, Found]]] = {"fault": [], "note": []}

    def add(self, some: Iterable[Found], whose: Whose = NOBODY) -> None:
        """Add what concerns an evaluator, or the whole record."""
        for found in some:
            kind = (whose, found.code)
            self._counts[kind] += 1
            self._first.setdefault(kind, found)
            listed = self._listed[found.severity]
            if len(listed) < MOST_LISTED:
                listed.append((whose, found))

    def listed(self, severity: Severity) -> list[tuple[Whose, Found]]:
        """List what was found one by one, at most `MOST_LISTED`."""
        return list(self._listed[severity])

    def number(self, severity: Severity) -> int:
        return sum(group.number for group in self.groups(severity))

    def groups(self, severity: Severity) -> list[Group]:
        """Give what was found, by evaluator and kind."""
        return [
            Group(whose=kind[0], first=found, number=self._counts[kind])
            for kind, found in self._first.items()
            if found.severity == severity
        ]


def merged(groups: Iterable[Group]) -> list[Group]:
    """Put together what is of one kind, whomever it concerns."""
    kinds: dict[str, Group] = {}
    for group in groups:
        code = group.first.code
        kinds[code] = added(kinds[code], group) if code in kinds else group
    return list(kinds.values())


def added(group: Group, more: Group) -> Group:
    """Add what was found with another evaluator."""
    return replace(
        group,
        number=group.number + more.number,
        evaluators=group.evaluators + more.evaluators,
    )


def some(names: Sequence[str]) -> str:
    """Name the first of some things, and count the others."""
    return shown(names[0]) + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def shown(value: object) -> str:
    """Write a cell of the record for a message: a file may hold what a terminal would obey."""
    text = "nothing" if value is None else str(value)
    return text if text.isprintable() and 0 < len(text) <= 100 else shortened(text)
