"""What verifying finds, by code, and a collection of findings that stays small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hype.errors import few
from hype.files import shortened

FAULTS: Final = frozenset(
    (
        *("file-damaged", "reference-broken", "cell-impossible", "evaluator-twice"),
        *("study-not-kept", "study-copy-changed", "study-copy-unreadable", "manifest-unreadable"),
        *("plan-changed", "evaluator-unlike-study"),
        *("trial-missing", "trial-unplanned", "trial-twice", "out-of-order"),
        *("unlike-replay", "answer-impossible", "verdict-impossible", "response-time-negative"),
        *("session-of-another", "mode-unlike-evaluator", "status-unlike-trials"),
        *("ending-unlike-status", "showing-unlike-trials", "interrupted-and-answered"),
        *("consent-missing", "demographics-unlike-study"),
        *("onsets-descend", "clock-jump", "ended-before-begun"),
        *("image-missing", "image-changed", "image-unreadable"),
        *("mask-missing", "mask-unreadable", "masks-changed"),
    )
)
"""Codes of what is wrong with the data; docs/record.md says what each means."""
NOTES: Final = frozenset(
    (
        *("session-running", "session-broke-off", "trial-interrupted", "long-pause"),
        *("machine-suspended", "program-stopped", "clock-set", "let-in-again"),
        *("data-removed", "left-out", "study-edited", "model-joined", "files-by-name-only"),
    )
)
"""Codes of what is good to know."""

Severity = Literal["fault", "note"]
Problem = tuple[str, str]
"""A code of `FAULTS` or `NOTES`, and what it is here."""
MOST_LISTED: Final = 10_000
"""Faults and notes are listed one by one up to this number each; further ones are counted."""


@dataclass(frozen=True, slots=True)
class Irregularity:
    """A problem, and the evaluator that it concerns.

    ``evaluator`` is None if it concerns several or nobody in particular, ``simulated`` if it
    concerns the file and not evaluators.
    """

    code: str
    message: str
    evaluator: str | None = None
    simulated: bool | None = None

    @property
    def severity(self) -> Severity:
        return "note" if self.code in NOTES else "fault"


Group = tuple[Irregularity, int, int]
"""Irregularities of one code: the first, how many there are, and with how many evaluators."""


class Irregularities:
    """Collects findings in the order in which they are met."""

    def __init__(self) -> None:
        self.listed: dict[Severity, list[Irregularity]] = {"fault": [], "note": []}
        self._counts: Counter[tuple[str, str | None, bool | None]] = Counter()
        self._first: dict[tuple[str, str | None, bool | None], Irregularity] = {}

    def add(
        self,
        problems: Iterable[Problem],
        evaluator: str | None = None,
        simulated: bool | None = None,
    ) -> None:
        for code, message in problems:
            kind = code, evaluator, simulated
            finding = Irregularity(code, message, evaluator, simulated)
            self._counts[kind] += 1
            self._first.setdefault(kind, finding)
            listed = self.listed[finding.severity]
            if len(listed) < MOST_LISTED:
                listed.append(finding)

    def number(self, severity: Severity) -> int:
        return sum(number for _, number, _ in self.groups(severity))

    def groups(self, severity: Severity, most: int | None = None) -> list[Group]:
        """Group by code and evaluator; by code alone where that makes more than ``most`` groups."""
        groups = [
            (finding, self._counts[kind], 1)
            for kind, finding in self._first.items()
            if finding.severity == severity
        ]
        if most is None or len(groups) <= most:
            return groups
        by_code: dict[str, Group] = {}
        for finding, number, _ in groups:
            first, before, people = by_code.get(finding.code, (finding, 0, 0))
            by_code[finding.code] = first, before + number, people + 1
        return list(by_code.values())


def name_first(names: Sequence[str]) -> str:
    """Name the first of some things, and count the others."""
    return few([*map(shown, names)], 1)


def shown(value: object) -> str:
    """Write a cell of the record for a message: a file may hold what a terminal would obey."""
    text = "nothing" if value is None else str(value)
    return text if text.isprintable() and 0 < len(text) <= 100 else shortened(text)
