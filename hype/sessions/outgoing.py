"""Answers as they leave a study: the record's columns, and what only the study file knows.

Judgements and comparisons leave alike; `hype.sessions.exported` and
`hype.sessions.exported_comparisons` say what is the case of each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, Engine

from hype.errors import InputError
from hype.sessions.records import where_of
from hype.store.reading import Answers, exported_columns, exported_declarations, read_answers
from hype.study.studies import AnyStudy

Row = tuple[object, ...]
StudyT = TypeVar("StudyT", bound=AnyStudy)
Adding = Callable[..., Row]
"""From a row's cells of the columns that are needed to the cells that are added to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Answers of people, or of simulated evaluators: columns, and rows that are read once."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing(Generic[StudyT]):
    """How answers of one kind leave a study.

    Attributes
    ----------
    answers
        What the record has of them.
    added
        The columns that the study file makes.
    needed
        The columns of the record that those are made of; two or more.
    adding
        Gives what makes the added cells of each row, from the record, the study, and whether
        simulated evaluators are meant.
    """

    answers: Answers
    added: tuple[Column[Any], ...]
    needed: tuple[str, ...]
    adding: Callable[[Engine, StudyT, bool], Adding]

    @property
    def name(self) -> str:
        """What the answers are called."""
        return self.answers.name

    def declared(self) -> dict[str, Column[Any]]:
        """Give how each column of an exported row is declared, in their order."""
        return exported_declarations(self.answers) | {added.name: added for added in self.added}

    def read(
        self, engine: Engine, study: StudyT, *, simulated: bool, columns: Collection[str] = ()
    ) -> Exported:
        """Read answers; of the record's columns those that are wanted, or without any all."""
        wanted = {*columns, *self.needed}
        known = exported_columns(self.answers)
        names = tuple(name for name in known if not columns or name in wanted)
        rows = read_answers(self.answers, engine, simulated=simulated, columns=names)
        add = self.adding(engine, study, simulated)
        needed = itemgetter(*map(names.index, self.needed))
        return Exported(
            columns=(*names, *(added.name for added in self.added)),
            rows=((*row, *add(*needed(row))) for row in rows),
        )

    def require(self, engine: Engine, study: StudyT, *, simulated: bool) -> None:
        """Refuse to go on with nothing.

        Raises
        ------
        InputError
            As `none_of` says.
        """
        rows = read_answers(self.answers, engine, simulated=simulated, columns=("evaluator",))
        if next(rows, None) is None:
            raise self.none_of(study, simulated=simulated)

    def none_of(self, study: StudyT, *, simulated: bool) -> InputError:
        """Say that a record has none of the kind that was asked for, and how it would have."""
        who, other = ("simulated evaluators", "") if simulated else ("people", "--simulated")
        hint = f"{other} takes the simulated evaluators" if other else "hype simulate makes some"
        return InputError(where_of(study), f"holds no {self.name} by {who}", hint)
