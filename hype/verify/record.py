"""A whole record, checked against the plans of everybody in it and the files that they saw.

Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from hype.confine import inside
from hype.errors import InputError
from hype.session.course import Course
from hype.session.materials import combined
from hype.stimuli.manifest import sha256_of
from hype.store.kept import answer_tables
from hype.store.record import RECORD_FILE, reading_record
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
from hype.verify.database import check_cells, check_database, check_evaluators, count_rows
from hype.verify.findings import Irregularities, Irregularity, Whose, shown
from hype.verify.replay import RemadePlan, remake_plan, replay_rows
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
    remade = remake_plan(case, study)
    findings.add(remade.faults, whose)
    findings.add(check_answers(case), whose)
    if remade.plan:
        plan = remade.plan
        replayed = replay_rows(case.kind, plan.drawn, plan.script(), case.rows)
        findings.add(replayed.faults, whose)
        findings.add(check_status(case, replayed), whose)
    findings.add(check_sessions(case), whose)
    findings.add(check_endings(case), whose)
    findings.add(check_consent(case, recorded), whose)
    findings.add(check_statements(case, recorded), whose)
    findings.add(check_times(case), whose)
    if study:
        findings.add(expect_files(case, study.study, remade.plan, files), whose)
    findings.add(notes_of(case, verified.record), whose)


def expect_files(
    case: Case, study: AnyStudy, plan: RemadePlan | None, files: ShownFiles
) -> Iterable[Irregularity]:
    """Note the files of an evaluator's plan, or else of what they answered, and check its masks."""
    kind = case.kind
    seen = kind.files_of_plan(plan.drawn) if plan else kind.files_of_rows(case.readable)
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
