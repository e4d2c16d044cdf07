"""A whole record, checked against the plans of everybody in it and the files that they saw.

Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Table,
    false,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.exc import DatabaseError
from sqlalchemy.sql.schema import Column

from hype.confine import inside
from hype.errors import InputError
from hype.session.course import Course
from hype.session.materials import combined
from hype.session.steps import AnyPlan
from hype.stimuli.manifest import sha256_of
from hype.store.columns import LARGEST, LATEST_UNIX_S, MOMENT
from hype.store.kept import answer_tables
from hype.store.people import owned_tables
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import evaluators, events, removals, sessions, studies
from hype.study.studies import AnyStudy
from hype.verify.case import (
    AnswerChecks,
    Case,
    RecordedStudy,
    check_recorded_studies,
    compare_with_today,
    read_cases,
    read_recorded_studies,
)
from hype.verify.findings import Irregularities, Irregularity, Whose, shown
from hype.verify.replay import Replay, remake_plan
from hype.verify.sessions import (
    check_answers,
    check_consent,
    check_endings,
    check_removals,
    check_sessions,
    check_statements,
    check_status,
    check_times,
    notes_of,
)

Kind = Literal["image", "mask"]
NOT_THERE: Final = "is missing"


@dataclass(frozen=True, slots=True)
class FileSum:
    """The checksum of a file, or what keeps it from having one."""

    sha256: str = ""
    problem: str = ""


def sum_of(folder: Path, name: str) -> FileSum:
    try:
        if not (folder / name).exists():  # sooner known than where it would lead to
            return FileSum(problem=NOT_THERE)
        return FileSum(sha256=sha256_of(inside(folder, name)))
    except InputError as error:
        return FileSum(problem=error.problem)
    except (OSError, ValueError) as error:
        return FileSum(problem=f"cannot be read: {error}")


@dataclass(slots=True)
class ExpectedFile:
    """A file of the plans: what it should be, and who was to see it."""

    sums: set[str] = field(default_factory=set)
    people: list[str] = field(default_factory=list)
    simulated: list[str] = field(default_factory=list)


class ShownFiles:
    """Gathers what evaluators were shown, and then looks at the files."""

    def __init__(self) -> None:
        self._sets: dict[tuple[Kind, Path], dict[str, ExpectedFile]] = {}
        self._sums: dict[tuple[Path, str], FileSum] = {}

    def expect(
        self, case: Case, kind: Kind, folder: Path, files: Iterable[tuple[str, str | None]]
    ) -> None:
        """Note files that an evaluator's plan shows, with their checksums where they have any."""
        theirs = self._sets.setdefault((kind, folder), {})
        for name, sha256 in files:
            expected = theirs.setdefault(name, ExpectedFile())
            if sha256 is not None:
                expected.sums.add(sha256)
            who = expected.simulated if case.who.simulated else expected.people
            who.append(case.who.evaluator)

    def check_masks(
        self, case: Case, study: AnyStudy, names: Collection[str]
    ) -> Iterator[Irregularity]:
        if case.who.mask_files is None:
            return
        sums = [self._sum_of(*study.place_of_mask(name)) for name in sorted(names)]
        if any(file.problem for file in sums):
            return
        if combined(file.sha256 for file in sums) != case.who.mask_files:
            yield Irregularity(
                "masks-changed", "the masks of their plan are not those they began with"
            )

    def check_files(self) -> Iterator[tuple[Whose, Irregularity]]:
        for (kind, folder), files in self._sets.items():
            yield from self._check_set(kind, folder, files)

    def _check_set(
        self, kind: Kind, folder: Path, files: Mapping[str, ExpectedFile]
    ) -> Iterator[tuple[Whose, Irregularity]]:
        missing = [n for n in files if self._sum_of(folder, n).problem == NOT_THERE]
        by_name_only = len(missing) == len(files)
        for name, expected in files.items():
            if not (by_name_only and not expected.people):
                yield from self._check_file(kind, folder, name, expected)
        if by_name_only and (unseen := sum(not expected.people for expected in files.values())):
            message = f"none of {unseen} {kind}s of simulated evaluators is in {folder}"
            yield Whose(simulated=True), Irregularity("files-by-name-only", message)

    def _check_file(
        self, kind: Kind, folder: Path, name: str, expected: ExpectedFile
    ) -> Iterator[tuple[Whose, Irregularity]]:
        file_sum = self._sum_of(folder, name)
        whose = Whose(simulated=not expected.people)
        where = f"{folder / shown(name)}"
        who = f"in the plan{audience(expected)}"
        if file_sum.problem == NOT_THERE:
            yield whose, Irregularity(f"{kind}-missing", f"{where} is missing; {who}")
        elif file_sum.problem:
            yield whose, Irregularity(f"{kind}-unreadable", f"{where} {file_sum.problem}; {who}")
        elif expected.sums - {file_sum.sha256}:
            yield (
                whose,
                Irregularity(f"{kind}-changed", f"{where} changed since it was listed; {who}"),
            )

    def _sum_of(self, folder: Path, name: str) -> FileSum:
        """Take the checksum of a file, once."""
        if (folder, name) not in self._sums:
            self._sums[folder, name] = sum_of(folder, name)
        return self._sums[folder, name]


def audience(expected: ExpectedFile) -> str:
    everyone = [*expected.people, *expected.simulated]
    first = shown(everyone[0])
    if len(everyone) == 1:
        return f" of {first}"
    return f"s of {first} and {len(everyone) - 1} more"


@dataclass(slots=True)
class Verified:
    """What was looked at, and what was found.

    ``answers`` are numbers of answers by the table that they are in; ``asked`` is the table of
    those that the study of today asks for.
    """

    study: Path
    record: Path
    findings: Irregularities
    asked: str
    people: int = 0
    simulated: int = 0
    answers: dict[str, int] = field(default_factory=dict)

    @property
    def judgements(self) -> int:
        return self.answers.get("judgements", 0)

    @property
    def comparisons(self) -> int:
        return self.answers.get("comparisons", 0)

    @property
    def sound(self) -> bool:
        return not self.findings.number("fault")


def verify_record(
    study: AnyStudy, checks: AnswerChecks, course_of: Callable[[AnyStudy], Course[Any]]
) -> Verified:
    """Check the record of a study, by what its protocol checks of answers.

    Raises InputError: there is no record, or it is none that this program reads.
    """
    record = study.folder / RECORD_FILE
    verified = Verified(study.path, record, Irregularities(), checks.storage.table.name)
    with reading_record(record) as engine:
        try:
            with engine.connect() as connection:
                # One view of the record, whatever stations write meanwhile.
                connection.exec_driver_sql("BEGIN")
                verify(connection, study, checks, course_of, verified)
        except DatabaseError as error:
            message = f"a part of the record cannot be read ({shown(error.orig)}); what comes after"
            verified.findings.add([Irregularity("file-damaged", f"{message} was not checked")])
    return verified


def verify(
    connection: Connection,
    study: AnyStudy,
    checks: AnswerChecks,
    course_of: Callable[[AnyStudy], Course[Any]],
    verified: Verified,
) -> None:
    """Check the file, then its evaluators one after the other, then the images and masks."""
    findings = verified.findings
    findings.add(check_database(connection))
    bad: dict[str, set[int]] = {}
    findings.add(check_cells(connection, bad))
    findings.add(check_evaluators(connection))
    verified.answers = {table.name: count_rows(connection, table) for table in answer_tables()}
    wrong: list[Irregularity] = []
    recorded = read_recorded_studies(connection, study, course_of, wrong)
    findings.add(wrong)
    findings.add(check_recorded_studies(connection))
    files = ShownFiles()

    for case in read_cases(connection, bad, checks):
        verified.people += not case.who.simulated
        verified.simulated += bool(case.who.simulated)
        if reason := study.settings.study.left_out.get(case.who.evaluator):
            findings.add([Irregularity("left-out", f"is left out: {reason}")], case.whose)
        verify_case(case, recorded, files, verified)
    for whose, irregularity in files.check_files():
        findings.add([irregularity], whose)
    findings.add(compare_with_today(connection, study, recorded))
    for whose, irregularity in check_removals(connection, bad["removals"], checks.noun):
        findings.add([irregularity], whose)


def verify_case(
    case: Case, recorded: Mapping[str, RecordedStudy], files: ShownFiles, verified: Verified
) -> None:
    """Check all that there is of one evaluator; without a plan, what needs none."""
    findings, whose = verified.findings, case.whose
    study = recorded.get(case.who.study)
    plan, faults = remake_plan(case, study)
    findings.add(faults, whose)
    findings.add(check_answers(case), whose)
    if plan and study and study.course:
        replayed = Replay(case.kind, plan, study.course.script(plan), case.rows)
        findings.add(replayed.faults, whose)
        findings.add(check_status(case, replayed), whose)
    findings.add(check_sessions(case), whose)
    findings.add(check_endings(case), whose)
    findings.add(check_consent(case, recorded), whose)
    findings.add(check_statements(case, recorded), whose)
    findings.add(check_times(case), whose)
    if study:
        findings.add(expect_files(case, study.study, plan, files), whose)
    findings.add(notes_of(case, verified.record), whose)


def expect_files(
    case: Case, study: AnyStudy, plan: AnyPlan | None, files: ShownFiles
) -> Iterable[Irregularity]:
    """Note the files of an evaluator's plan, or else of what they answered, and check its masks."""
    kind = case.kind
    seen = kind.files_of_plan(plan) if plan else kind.files_of_rows(case.readable)
    for image, sha256 in seen.images:
        folder, name = study.place_of(image)
        files.expect(case, "image", folder, [(name, sha256)])
    if not study.masks_folder:
        return ()
    masks = set(seen.masks)
    for mask in masks:
        folder, name = study.place_of_mask(mask)
        files.expect(case, "mask", folder, [(name, None)])
    return files.check_masks(case, study, masks) if plan else ()


"""Tables whose rows have numbers."""


def check_database(connection: Connection) -> Iterator[Irregularity]:
    statements = connection.execute(text("PRAGMA integrity_check")).scalars().all()
    if statements != ["ok"]:
        yield Irregularity("file-damaged", f"the database's check fails: {shown(statements[0])}")
    try:
        broken = connection.execute(text("PRAGMA foreign_key_check")).all()
    except DatabaseError as error:  # a table lost its keys
        yield Irregularity("file-damaged", f"what belongs to what cannot be checked: {error.orig}")
        return
    for table, row, parent, _ in broken:
        yield Irregularity("reference-broken", f"{table} {row} belongs to none of the {parent}")


def check_cells(connection: Connection, bad: dict[str, set[int]]) -> Iterator[Irregularity]:
    """Find cells that their columns cannot hold, and keep the numbers of such rows in ``bad``."""
    for table in (evaluators, sessions, *owned_tables(), events, removals):
        bad[table.name] = set()
        if not has_impossible(connection, table):
            continue
        for column in table.columns:
            query = select(table.c.id).where(text(impossible(column)))
            for number in connection.execute(query).scalars():
                bad[table.name].add(number)
                yield Irregularity(
                    "cell-impossible", f"{table.name} {shown(number)}: {column.name}"
                )
    if has_impossible(connection, studies):
        yield Irregularity("cell-impossible", "studies: a checksum or a study is no text")


def has_impossible(connection: Connection, table: Table) -> bool:
    """Say whether any cell of a table holds what its column may not."""
    any_of_them = text(" or ".join(map(impossible, table.columns)))
    return bool(
        connection.execute(select(func.count()).select_from(table).where(any_of_them)).scalar()
    )


def impossible(column: Column[object]) -> str:
    """Write the condition, in SQLite's words, that a cell holds what its column may not.

    It is written as text since there is one for each column, and every command that reads a record
    asks all of them: to have them composed took longer than to have them answered.
    """
    cell, kind = f'"{column.name}"', f'typeof("{column.name}")'
    if isinstance(column.type, Boolean):
        fine = f"{kind} = 'integer' and abs({cell}) <= 1"
    elif isinstance(column.type, Integer):
        fine = f"{kind} = 'integer'"
    elif isinstance(column.type, Float):
        fine = f"{kind} in ('integer', 'real') and abs({cell}) < {LARGEST!r}"
        if column.name.endswith(MOMENT):
            fine += f" and {cell} between 0 and {LATEST_UNIX_S!r}"
    else:
        fine = f"{kind} = 'text'"
    return f"not ({fine} or {kind} = 'null')" if column.nullable else f"not ({fine})"


def no_moment(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return ~column.between(0, LATEST_UNIX_S)


def require_moments(connection: Connection, record: Path) -> None:
    """Refuse to read a record in which something was at no time, since times become dates.

    Raises InputError: it names the first such cell.
    """
    for table in (evaluators, sessions, *owned_tables(), events, removals):
        columns = [column for column in table.columns if column.name.endswith(MOMENT)]
        query = select(table.c.id).where(or_(false(), *map(no_moment, columns))).limit(1)
        for number in connection.execute(query).scalars():
            raise wrong_cell(record, f"{table.name} {shown(number)}: a time that no clock shows")


def require_possible(connection: Connection, record: Path) -> None:
    """Refuse a record with a cell that its column cannot hold.

    Raises InputError: it names the first such cell.
    """
    for problem in check_cells(connection, {}):
        raise wrong_cell(record, problem.message)


def wrong_cell(record: Path, which: str) -> InputError:
    return InputError(record, f"holds what cannot be ({which})", "hype verify STUDY says more")


def check_evaluators(connection: Connection) -> Iterator[Irregularity]:
    """Find evaluators who are entered twice."""
    who = (evaluators.c.evaluator, evaluators.c.simulated)
    query = select(who[0], func.count()).group_by(*who).having(func.count() > 1)
    for evaluator, number in connection.execute(query):
        yield Irregularity("evaluator-twice", f"{shown(evaluator)} is entered {number} times")


def count_rows(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
