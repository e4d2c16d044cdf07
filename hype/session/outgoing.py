"""Answers as they leave a study: the record's columns, and what only the study file knows.

Judgements and comparisons leave alike; `hype.protocols.hype.exclusion` and
`hype.protocols.comparison.exclusion` say what is the case of each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import Column, Engine, Integer, String

from hype.errors import InputError
from hype.protocols.studies import AnyStudy
from hype.session.records import where_of
from hype.session.versions import Version, evaluators_by_version, versions_of
from hype.store.answers import exported_columns, exported_declarations, read_answers
from hype.store.columns import RecordedAnswers, column

EVALUATOR: Final = "evaluator"
Cells = tuple[object, ...]
StudyT = TypeVar("StudyT", bound=AnyStudy)
Adding = Callable[..., Cells]
"""From a row's cells of the columns that are needed to the cells that are added to it."""
STUDY: Final = column("study_name", String, "the name of the study, by its study file")
STUDY_VERSION: Final = column(
    "study_version",
    Integer,
    "which version of the study the evaluator was given, from 1 in the order in which they began; "
    "versions differ in what is measured, and are not scored together",
)
"""The last column of every answer that leaves a study; the one before is its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Answers of people, or of simulated evaluators: columns, and rows that are read once."""

    columns: tuple[str, ...]
    rows: Iterator[Cells]


def study_as_given(version: Version, today: StudyT, simulated: bool) -> StudyT:
    """Give the study as a version's evaluators were given it; as it is, where that is not known.

    What is of today does not differ from it in anything that is measured.
    """
    study = version.study
    if version.is_that_of(today, simulated=simulated) or type(study) is not type(today):
        return today
    return study


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing(Generic[StudyT]):
    """How answers of one kind leave a study."""

    answers: RecordedAnswers  # what the record has of them
    added: tuple[Column[Any], ...]  # the columns that the study file makes
    needed: tuple[str, ...]  # the columns of the record that those are made of; two or more
    # Gives what makes the added cells of each row, from the record, the study, and whether
    # simulated evaluators are meant
    adding: Callable[[Engine, StudyT, bool], Adding]

    @property
    def name(self) -> str:
        return self.answers.name

    def declared(self) -> dict[str, Column[Any]]:
        added = {one.name: one for one in (*self.added, STUDY, STUDY_VERSION)}
        return exported_declarations(self.answers) | added

    def read(
        self, engine: Engine, study: StudyT, *, simulated: bool, columns: Collection[str] = ()
    ) -> Exported:
        """Read answers; of the record's columns those that are wanted, or without any all.

        What the study file says of an answer is said by the version that its evaluator was given.
        """
        wanted = {*columns, *self.needed, EVALUATOR}
        exported = exported_columns(self.answers)
        names = tuple(name for name in exported if not columns or name in wanted)
        rows = read_answers(self.answers, engine, simulated=simulated, columns=names)
        add = self._adding(engine, study, simulated)
        who, needed = names.index(EVALUATOR), itemgetter(*map(names.index, self.needed))
        return Exported(
            columns=(*names, *(a.name for a in (*self.added, STUDY, STUDY_VERSION))),
            rows=((*row, *add(row[who], needed(row))) for row in rows),
        )

    def _adding(
        self, engine: Engine, study: StudyT, simulated: bool
    ) -> Callable[[object, Cells], Cells]:
        """Give what makes the added cells of a row, given whose it is and what is needed of it."""
        with engine.connect() as connection:
            versions = versions_of(connection, study, simulated=simulated)
            version_of_evaluator = evaluators_by_version(connection, versions, simulated=simulated)
        adding = {
            one.number: self.adding(engine, study_as_given(one, study, simulated), simulated)
            for one in versions
        }
        chosen, name = study.version, study.settings.study.name

        def added(evaluator: object, cells: Cells) -> Cells:
            number = version_of_evaluator[evaluator]
            return (*adding[number](*cells), name, chosen.number if chosen else number)

        return added

    def require(self, engine: Engine, study: StudyT, *, simulated: bool) -> None:
        """Refuse to go on with nothing.

        Raises InputError: as `none_of` says.
        """
        rows = read_answers(self.answers, engine, simulated=simulated, columns=("evaluator",))
        if next(rows, None) is None:
            raise self.none_of(study, simulated=simulated)

    def none_of(self, study: StudyT, *, simulated: bool) -> InputError:
        """Say that a record has none of the kind that was asked for, and how it would have."""
        who, other = ("simulated evaluators", "") if simulated else ("people", "--simulated")
        hint = f"{other} takes the simulated evaluators" if other else "hype simulate makes some"
        return InputError(where_of(study), f"holds no {self.name} by {who}", hint)


def shared_text(rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    """Keep each text once in memory, however many cells it stands in."""
    known: dict[object, object] = {}
    for row in rows:
        yield tuple(known.setdefault(c, c) if isinstance(c, str) else c for c in row)
