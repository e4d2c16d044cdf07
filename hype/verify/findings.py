"""What is found in a record, and the collection of it, which stays small however much there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

from hype.confine import shortened
from hype.errors import few

FAULTS: Final = MappingProxyType(
    {
        # the file
        "file-damaged": "the database's own check fails, or a part of it cannot be read",
        "reference-broken": "rows belong to an evaluator or a session that is not there",
        "cell-impossible": "a cell holds what its column cannot, such as a word for a number",
        "evaluator-twice": "one evaluator is entered more than once",
        # the plan
        "study-not-kept": "the record has no copy of the study that was used",
        "study-copy-changed": "the record's copy of the study is not what its checksum says",
        "study-copy-unreadable": "the record's copy of the study cannot be used by this program",
        "manifest-unreadable": "the manifest of the images or of the masks cannot be read",
        "plan-changed": "the plan made anew is not the one that the evaluator began with",
        "evaluator-unlike-study": "what they were given is not what their study gives",
        # the trials
        "trial-missing": "a trial was passed over: later ones are answered, and it is not",
        "trial-unplanned": "a trial is answered that the plan does not ask for",
        "trial-twice": "a trial is answered more than once",
        "judgement-copied": "two answers are equal in all but their number",
        "after-the-end": "trials are answered after the plan came to its end",
        "out-of-order": "trials or sessions do not follow one another as their numbers do",
        "image-unlike-plan": "path, checksum, source or truth of an image are not the plan's",
        "exposure-unlike-plan": "the exposure is not what the staircase asks for",
        "masks-unlike-plan": "the masks or their duration are not the plan's",
        "sides-unlike-plan": "the two images stand on other sides than the plan's",
        "prompt-unlike-plan": "the prompt is not the plan's",
        "obvious-unlike-plan": "the side that is obviously right is not the plan's",
        "item-unlike-plan": "the item rated, or the group ranked, is not the plan's",
        "axis-unlike-plan": "the axis is not the plan's",
        "standing-unlike-acts": "what has a place is not what the acts before lead to",
        "repeats-unlike-plan": "the trial does not repeat the one that the plan repeats there",
        # what an answer says of itself
        "answer-impossible": "an answer is none that the question has",
        "correct-unlike-answer": "`correct` does not follow from the answer and what is right",
        "hasty-unlike-answer": "`hasty` does not follow from the response time",
        "demographics-unlike-study": "what people said of themselves is no answer to what is asked",
        "verdict-impossible": "the verdict on the timing is none, or none that can be",
        "response-time-negative": "an answer came before its question",
        # whose it is
        "session-of-another": "an answer is in a session of somebody else",
        "simulated-unlike-evaluator": "an answer and its evaluator differ in being simulated",
        "mode-unlike-evaluator": "a person in a simulated session, or the other way round",
        # how it ended
        "status-unlike-trials": "the status is not where the answers lead to",
        "ending-unlike-status": "how the sessions ended does not agree with the status",
        "ending-impossible": "a session ended in no way that there is",
        "showing-unlike-trials": "a trial shown or interrupted is neither next nor answered",
        "interrupted-and-answered": "an answer counts from before its trial was interrupted",
        "consent-missing": "a person answered without a yes on the consent screen",
        # time
        "onsets-descend": "within a session a later answer has an earlier onset",
        "clock-jump": "the wall clock jumped, and no event of the session says so",
        "ended-before-begun": "a session ended before it began, by the wall clock",
        # the files that were shown
        "image-missing": "an image of the plans is not there",
        "image-changed": "an image of the plans is not the one that its checksum names",
        "image-unreadable": "an image of the plans cannot be read, or leads out of its folder",
        "mask-missing": "a mask of the plans is not there",
        "mask-unreadable": "a mask of the plans cannot be read, or leads out of its folder",
        "masks-changed": "the masks are not those that the evaluator began with",
    }
)
"""Something is wrong with the data, by code."""
NOTES: Final = MappingProxyType(
    {
        "session-running": "a session is being held at this moment",
        "session-broke-off": "a session ended without anybody ending it",
        "trial-interrupted": "a trial was shown and not answered; it comes again",
        "machine-suspended": "the machine slept during a session",
        "program-stopped": "the program stood still during a session",
        "clock-set": "the wall clock was set during a session",
        "long-pause": "an hour or more lies between two sessions of an evaluator",
        "data-removed": "data were removed on request",
        "left-out": "the study file leaves an evaluator out, and says why",
        "let-in-again": "who had declined was let in again",
        "study-edited": "the study file differs today from what sessions used",
        "model-joined": "a model joined the study after sessions, which go without it",
        "files-by-name-only": "images or masks of simulated evaluators are not there at all",
    }
)
"""Something to know, by code."""

Severity = Literal["fault", "note"]
MOST_LISTED: Final = 10_000
"""As many faults, and as many notes, are kept one by one; the others are counted."""


@dataclass(frozen=True, slots=True)
class Irregularity:
    """One thing that was found: a code of `hype.verify.findings`, and what it is here."""

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
class IrregularityGroup:
    """All that was found of one kind: how many, with how many evaluators, and the first."""

    whose: Whose
    first: Irregularity
    number: int
    evaluators: int = 1


class Irregularities:
    """Collects what is found, in the order in which it is met."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Whose, str]] = Counter()
        self._first: dict[tuple[Whose, str], Irregularity] = {}
        self._listed: dict[Severity, list[tuple[Whose, Irregularity]]] = {"fault": [], "note": []}

    def add(self, some: Iterable[Irregularity], whose: Whose = NOBODY) -> None:
        """Add what concerns an evaluator, or the whole record."""
        for irregularity in some:
            kind = (whose, irregularity.code)
            self._counts[kind] += 1
            self._first.setdefault(kind, irregularity)
            listed = self._listed[irregularity.severity]
            if len(listed) < MOST_LISTED:
                listed.append((whose, irregularity))

    def listed(self, severity: Severity) -> list[tuple[Whose, Irregularity]]:
        """List what was found one by one, at most `MOST_LISTED`."""
        return list(self._listed[severity])

    def number(self, severity: Severity) -> int:
        return sum(group.number for group in self.groups(severity))

    def groups(self, severity: Severity) -> list[IrregularityGroup]:
        return [
            IrregularityGroup(whose=kind[0], first=irregularity, number=self._counts[kind])
            for kind, irregularity in self._first.items()
            if irregularity.severity == severity
        ]


def merged(groups: Iterable[IrregularityGroup]) -> list[IrregularityGroup]:
    """Put together what is of one kind, whomever it concerns."""
    kinds: dict[str, IrregularityGroup] = {}
    for group in groups:
        code = group.first.code
        kinds[code] = added(kinds[code], group) if code in kinds else group
    return list(kinds.values())


def added(group: IrregularityGroup, more: IrregularityGroup) -> IrregularityGroup:
    """Add what was found with another evaluator."""
    return replace(
        group,
        number=group.number + more.number,
        evaluators=group.evaluators + more.evaluators,
    )


def some(names: Sequence[str]) -> str:
    """Name the first of some things, and count the others."""
    return few([*map(shown, names)], 1)


def shown(value: object) -> str:
    """Write a cell of the record for a message: a file may hold what a terminal would obey."""
    text = "nothing" if value is None else str(value)
    return text if text.isprintable() and 0 < len(text) <= 100 else shortened(text)
