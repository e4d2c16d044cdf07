"""Every kind of answers that can be verified, and which of them a study asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hype.sessions.verify.answers import Answers
from hype.sessions.verify.comparisons import Comparisons
from hype.sessions.verify.judgements import Judgements
from hype.study.studies import AnyStudy, ComparisonStudy, Study

JUDGEMENTS: Final = Judgements()
COMPARISONS: Final = Comparisons()
KINDS: Final[tuple[Answers, ...]] = (JUDGEMENTS, COMPARISONS)


def kind_of(study: AnyStudy | None, methods: Iterable[str]) -> Answers:
    """Tell by their study, or else by their methods, what an evaluator answers."""
    match study:
        case Study():
            return JUDGEMENTS
        case ComparisonStudy():
            return COMPARISONS
    return COMPARISONS if "comparison" in methods else JUDGEMENTS
