"""What evaluators of studies of prompts are given: methods, and a share of the design."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from sqlalchemy import Row

from hype.store.people import Evaluator
from hype.study.studies import AnyStudy
from hype.verify.case import AnswerChecks, Case, Files, RecordedStudy, key_of, name_of
from hype.verify.findings import Irregularity, shown

UNLIKE: Final = "evaluator-unlike-study"
NEVER: Final = ("condition", "left_means", "qualified_in")
"""What belongs to evaluators of HYPE's methods alone."""


def check_given(who: Evaluator, study: AnyStudy, *others: str) -> Iterator[Irregularity]:
    """Find other methods than the study's, and what its evaluators are never given.

    ``others`` are columns that its protocol leaves empty besides.
    """
    if who.methods != study.settings.study.methods:
        message = f"methods {shown(' '.join(who.methods))}, which the study gives nobody"
        yield Irregularity(UNLIKE, message)
    for name in (*NEVER, *others):
        if value := getattr(who, name):
            value = " ".join(value) if isinstance(value, tuple) else value
            message = f"{name} {shown(value)}, which a study of {study.answers} gives nobody"
            yield Irregularity(UNLIKE, message)


def wrong_share(who: Evaluator, shares: int) -> str:
    """Say what is wrong with the share of an evaluator, of so many; nothing if it is one."""
    if 1 <= who.share <= shares:
        return ""
    return f"share {shown(who.share)}, and the study has shares 1 to {shares}"


class PromptedChecks(AnswerChecks):
    """Answers about images of prompts; ``every`` is all that is an answer in some study."""

    every: ClassVar[frozenset[str]]

    def check_row(self, row: Row[Any]) -> Iterator[Irregularity]:
        if row.answer not in self.every:
            yield Irregularity("answer-impossible", f"{name_of(key_of(row))}: {shown(row.answer)}")

    def check_rules(self, _plan: Any, trial: Any, row: Row[Any], /) -> Iterator[Irregularity]:
        """Check that an answer could be given."""
        if row.answer in self.every and not self.possible(trial, row.answer):
            message = self.why_impossible(trial, row.answer)
            yield Irregularity("answer-impossible", f"{name_of(key_of(row))}: {message}")

    def why_impossible(self, _trial: Any, answer: str, /) -> str:
        """Say what could have been answered."""
        return shown(answer)

    def strange(self, _case: Case, _recorded: RecordedStudy, /) -> tuple[()]:
        return ()

    def files_of_plan(self, plan: Any) -> Files:
        return Files(images={(image.path, image.sha256) for image in plan.images()})
