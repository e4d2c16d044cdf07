"""What verifying has to know of one kind of answers, whatever it checks of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import Row

from hype.protocols.registry import of_methods
from hype.protocols.studies import AnyStudy
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.recorded import Cells, RecordedAnswers
from hype.verify.findings import Irregularity, shown

if TYPE_CHECKING:
    from hype.verify.case import Case, RecordedStudy

Key = tuple[object, object, object]
"""What identifies a trial of an evaluator: task, block and number, as the record has them."""
Place = tuple[int, int]
"""Where in a plan a trial stands: later ones are greater."""
Places = Callable[[Key], Place | None]
"""Tells the place of a trial; None of one that the plan cannot ask for."""
NOWHERE = Presentation(0.0, 0.0)


def key_of(row: Row[Any]) -> Key:
    return (row.task, row.block, row.trial)


def listed(keys: Iterable[Key]) -> Places:
    places = {key: (at, 0) for at, key in enumerate(keys)}
    return places.get


def name_of(key: Key) -> str:
    task, block, trial = key
    return f"{shown(task)} block {shown(block)} trial {shown(trial)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Files that an evaluator was to see: images with their checksums, and names of masks."""

    images: Iterable[tuple[str, str]]
    masks: Iterable[str] = ()


class AnswerChecks(ABC):
    """One kind of answers."""

    noun: ClassVar[str]  # what one of them is called
    storage: ClassVar[RecordedAnswers]  # how the record keeps them
    # The cells that the plan decides, and the fault where one is another
    planned: ClassVar[Mapping[str, str]]
    # Those of them that follow from earlier answers, so that they are not known without these
    led: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def places(self, plan: Any) -> Places:
        """Give the places of the trials that a plan may ask for."""

    @abstractmethod
    def usual(self, trial: Any) -> Response:
        """Give what an answer is taken for that lacks or is none."""

    @abstractmethod
    def possible(self, trial: Any, answer: object) -> bool:
        """Whether something is an answer to a trial."""

    def followed(self, _trial: Any, _later: Row[Any], /) -> Response | None:
        """Give the answer that lacks, where the row of the next trial tells which it was."""
        return None

    @abstractmethod
    def check_row(self, row: Row[Any]) -> Iterator[Irregularity]:
        """Check what an answer says of itself, whatever was planned."""

    @abstractmethod
    def files_of_plan(self, plan: Any) -> Files:
        """Give what a plan shows."""

    @abstractmethod
    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        """Give what was shown, by the record."""

    @abstractmethod
    def check_assignment(self, case: Case, recorded: RecordedStudy) -> Iterator[Irregularity]:
        """Compare what an evaluator was given with what their study gives."""

    @abstractmethod
    def check_rules(self, plan: Any, trial: Any, row: Row[Any], /) -> Iterable[Irregularity]:
        """Check what only follows from an answer and the plan's rules."""

    @abstractmethod
    def strange(self, case: Case, recorded: RecordedStudy, /) -> Iterable[str]:
        """Say what else of that which the record shows is no longer to be had."""

    def response(self, row: Row[Any]) -> Response:
        """Give the answer as its script was told it; a time that is none is taken for 0."""
        rt_ms = row.rt_ms if isinstance(row.rt_ms, int | float) else 0.0
        return Response(row.answer, row.key, rt_ms)

    def spoiled(self, _row: Row[Any], /) -> bool:
        """Whether the screen spoiled a trial; only what is flashed can be."""
        return False

    def differences(self, row: Row[Any], wanted: Cells) -> Iterator[tuple[str, str]]:
        """Yield the cells that are not as planned, each after its fault."""
        for column, code in self.planned.items():
            if getattr(row, column) != wanted[column]:
                yield code, column


def kind_of(study: AnyStudy | None, methods: Iterable[str]) -> AnswerChecks:
    """Tell by their study, or else by their methods, what an evaluator answers."""
    return of_methods(study.settings.study.methods if study else methods).verified
