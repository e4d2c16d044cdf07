"""What verifying has to know of comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from sqlalchemy import Row

from hype.errors import InputError
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.rows import COMPARISONS
from hype.protocols.comparison.settings import ComparisonSettings, ComparisonStudy
from hype.protocols.comparison.trial import ComparisonPlan, ComparisonTrial
from hype.protocols.prompted.checks import PromptedChecks
from hype.protocols.prompted.trial import Choice
from hype.session.enrol import pairs_of
from hype.session.steps import Response
from hype.store.columns import Cells
from hype.verify.case import Case, Files, key_of, name_of
from hype.verify.findings import Irregularity, shown

ANSWERS: Final = frozenset(choice.value for choice in Choice)
SIDED: Final = ("{}_image", "{}_sha256", "{}")
LEFT: Final = tuple(name.format("left") for name in SIDED)
RIGHT: Final = tuple(name.format("right") for name in SIDED)
SIDES_UNLIKE: Final = "sides-unlike-plan"


class Comparisons(PromptedChecks):
    """Pairs of images of which one was chosen."""

    noun = "comparison"
    storage = COMPARISONS
    every = ANSWERS
    study = ComparisonStudy
    given = ("share", "pairs")
    planned: ClassVar = MappingProxyType(
        dict.fromkeys((*LEFT, *RIGHT), "image-unlike-plan")
        | {"prompt": "prompt-unlike-plan", "obvious": "obvious-unlike-plan"}
    )

    def usual(self, trial: ComparisonTrial) -> Response:
        """Take an answer that lacks for the obvious one, or else for the left image."""
        return Response((trial.obvious or Choice.LEFT).value, rt_ms=trial.hasty_ms)

    def possible(self, _trial: ComparisonTrial, answer: object) -> bool:
        return answer in ANSWERS

    def differences(self, row: Row[Any], wanted: Cells) -> Iterator[tuple[str, str]]:
        """Name images that changed places once, and not cell by cell."""
        recorded = [tuple(getattr(row, name) for name in side) for side in (LEFT, RIGHT)]
        planned = [tuple(wanted[name] for name in side) for side in (LEFT, RIGHT)]
        swapped = recorded != planned and recorded == planned[::-1]
        if swapped:
            yield SIDES_UNLIKE, LEFT[0]
        for code, column in super().differences(row, wanted):
            if not (swapped and column in (*LEFT, *RIGHT)):
                yield code, column

    def check_row(self, row: Row[Any]) -> Iterator[Irregularity]:
        """Check an answer, and whether it is called correct."""
        where = name_of(key_of(row))
        yield from super().check_row(row)
        follows = None if row.obvious is None else row.answer == row.obvious
        if row.correct != follows:
            verdict = {None: "neither", True: "correct", False: "wrong"}.get(row.correct, "odd")
            best = f"with {shown(row.obvious)} obvious" if row.obvious else "with nothing obvious"
            message = f"{where}: {shown(row.answer)}, {best}, is called {verdict}"
            yield Irregularity("correct-unlike-answer", message)

    def check_rules(
        self, plan: ComparisonPlan, trial: ComparisonTrial, row: Row[Any], /
    ) -> Iterator[Irregularity]:
        """Check ties, time limits and what is called hasty."""
        where = name_of(key_of(row))
        if row.answer == Choice.TIE.value and not plan.ties:
            yield Irregularity("answer-impossible", f"{where}: a tie, and the study has none")
        if row.answer == Choice.NONE.value and plan.limit_ms is None:
            yield Irregularity(
                "answer-impossible", f"{where}: no answer, and the study has no time limit"
            )
        hasty = isinstance(row.rt_ms, int | float) and trial.hasty(row.answer, row.rt_ms)
        if bool(row.hasty) != hasty:
            verdict = "hasty" if row.hasty else "not hasty"
            message = f"{where}: an answer after {shown(row.rt_ms)} ms is called {verdict}"
            yield Irregularity("hasty-unlike-answer", message)

    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        sides = (LEFT, RIGHT)
        return Files(images={tuple(getattr(r, n) for n in s[:2]) for r in rows for s in sides})

    def wrong_part(self, case: Case, course: ComparisonCourse, /) -> str:
        """Compare pairs in an arena, and else the share."""
        asked = course.study.settings.comparison
        if asked.arena:
            return wrong_pairs(case, course.pools.conditions, asked)
        if case.who.pairs:
            return "pairs, and the study has no arena that would choose them"
        return super().wrong_part(case, course)


def wrong_pairs(case: Case, conditions: Sequence[str], asked: ComparisonSettings) -> str:
    if case.who.share:
        return f"share {shown(case.who.share)}, and an arena shares nothing out"
    try:
        pairs = pairs_of(case.who)
    except InputError as error:
        return error.problem
    number = asked.blocks * asked.trials
    if len(pairs) != number:
        return f"{len(pairs)} pairs, and an arena chooses {number} for everybody"
    for pair in pairs:
        if len(set(pair)) < 2 or not set(pair) <= set(conditions):
            return f"the pair {shown(' and '.join(pair))}, which the study does not have"
    return ""


ANSWER_CHECKS: Final = Comparisons()
