"""A whole record, checked against the plans of everybody in it and the files that they saw.

The images and masks must be on the disk as they were when they were shown. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DatabaseError

from hype.errors import InputError
from hype.files import inside
from hype.session.course import Course
from hype.session.materials import combined
from hype.session.steps import AnyPlan
from hype.stimuli.manifest import sha256_of
from hype.store.columns import RecordedAnswers
from hype.store.kept import answer_tables
from hype.store.people import Evaluator
from hype.store.record import Record, record_of
from hype.store.schema import evaluators, removals, studies
from hype.store.sqlite_files import WRONG_STUDY, has_impossible, impossible_cells, numbered_tables
from hype.study.phrases import numbered
from hype.study.studies import AnyStudy
from hype.verify.case import (
    Case,
    RecordedStudy,
    compare_with_today,
    images_of,
    read_cases,
    read_recorded_studies,
)
from hype.verify.findings import Irregularities, Problem, shown
from hype.verify.replay import check_rows, plan_again, replay_session
from hype.verify.sessions import (
    check_endings,
    check_owners,
    check_people,
    check_sessions,
    check_status,
    check_times,
    notes_of,
    when,
)

Kind = Literal["image", "mask"]
MISSING: Final = "is missing"


class ShownFiles:
    """Gathers what evaluators were shown, and then looks at the files, at each once."""

    def __init__(self) -> None:
        # By folder and name: the checksums that a file should have, and who was to see it
        self._sets: dict[tuple[Kind, Path], dict[str, tuple[set[str], list[Evaluator]]]] = {}
        self._sum_of = cache(sum_of)

    def expect(self, case: Case, recorded: RecordedStudy, plan: AnyPlan | None) -> list[Problem]:
        """Note the files of an evaluator's plan, or else of their answers, and check the masks."""
        study = recorded.study
        if plan is None:
            rows = (images_of(case.answers, row) for row in case.readable)
            self._note("image", case, ((study.place_of(p), sum_) for r in rows for p, sum_ in r))
            return []
        pictures = list(plan.upcoming())
        images = {picture.path for picture in pictures if not picture.mask}
        masks = sorted({picture.path for picture in pictures if picture.mask})
        listed = recorded.listed
        self._note("image", case, ((study.place_of(p), listed[p].sha256) for p in images))
        if not study.masks_folder:
            return []
        places = [study.place_of_mask(name) for name in masks]
        self._note("mask", case, ((place, None) for place in places))
        sums = [self._sum_of(*place) for place in places]
        if case.who.mask_files is None or any(problem for _, problem in sums):
            return []
        if combined(sha256 for sha256, _ in sums) == case.who.mask_files:
            return []
        return [("masks-changed", "the masks of their plan are not those they began with")]

    def _note(
        self, kind: Kind, case: Case, files: Iterable[tuple[tuple[Path, str], str | None]]
    ) -> None:
        for (folder, name), sha256 in files:
            theirs = self._sets.setdefault((kind, folder), {})
            sums, people = theirs.setdefault(name, (set(), []))
            sums.update([sha256] if sha256 else [])
            people.append(case.who)

    def check(self, findings: Irregularities) -> None:
        """Add what is wrong with the files, and note sets that exist by name only."""
        for (kind, folder), files in self._sets.items():
            absent = all(self._sum_of(folder, name)[1] == MISSING for name in files)
            unseen = 0
            for name, (sums, people) in files.items():
                is_simulated = all(who.simulated for who in people)
                if absent and is_simulated:
                    unseen += 1
                    continue
                sha256, problem = self._sum_of(folder, name)
                if not problem and sums <= {sha256}:
                    continue
                code = "missing" if problem == MISSING else "unreadable" if problem else "changed"
                message = f"{folder / shown(name)} {problem or 'changed since it was listed'}"
                first, more = shown(people[0].evaluator), len(people) - 1
                whose = f"plans of {first} and {more} more" if more else f"plan of {first}"
                findings.add(
                    [(f"{kind}-{code}", f"{message}; in the {whose}")], simulated=is_simulated
                )
            if unseen:
                message = f"none of {unseen} {kind}s of simulated evaluators is in {folder}"
                findings.add([("files-by-name-only", message)], simulated=True)


def sum_of(folder: Path, name: str) -> tuple[str, str]:
    """Return the checksum of a file, and what keeps it from having one."""
    try:
        if not (folder / name).exists():  # sooner known than where it would lead to
            return "", MISSING
        return sha256_of(inside(folder, name)), ""
    except InputError as error:
        return "", error.problem
    except (OSError, ValueError) as error:
        return "", f"cannot be read: {error}"


@dataclass(slots=True)
class Verified:
    """What was looked at, and what was found.

    ``answers`` are numbers of answers by the table that they are in; ``asked`` is the table of
    those that the study of today asks for.
    """

    study: Path
    record: Record
    findings: Irregularities
    asked: str
    people: int = 0
    simulated: int = 0
    answers: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        return not self.findings.number("fault")


def verify_record(
    study: AnyStudy,
    answers: RecordedAnswers,
    course_of: Callable[[AnyStudy], Course[Any]],
    record: Record | None = None,
) -> Verified:
    """Check the record of a study, or another one of its, whose evaluators give ``answers``.

    Raises InputError: there is no record, or it is none that this program reads.
    """
    record = record or record_of(study)
    verified = Verified(study.path, record, Irregularities(), answers.table.name)
    with record.reading() as engine:
        try:
            with engine.connect() as connection:
                # One view of the record, whatever stations write meanwhile.
                connection.exec_driver_sql("BEGIN")
                verify(connection, study, answers, course_of, verified)
        except DatabaseError as error:
            message = f"a part of the record cannot be read ({shown(error.orig)}); what comes after"
            verified.findings.add([("file-damaged", f"{message} was not checked")])
    return verified


def verify(
    connection: Connection,
    study: AnyStudy,
    answers: RecordedAnswers,
    course_of: Callable[[AnyStudy], Course[Any]],
    verified: Verified,
) -> None:
    """Check the file, then its evaluators one after the other, then the images and masks."""
    findings = verified.findings
    findings.add(check_database(connection))
    bad: dict[str, set[int]] = {}
    findings.add(check_cells(connection, bad))
    for table in answer_tables():
        query = select(func.count()).select_from(table)
        verified.answers[table.name] = connection.execute(query).scalar_one()
    problems: list[Problem] = []
    recorded = read_recorded_studies(connection, study, course_of, problems)
    findings.add(problems)
    files = ShownFiles()
    for case in read_cases(connection, bad, answers):
        who = case.who.evaluator, bool(case.who.simulated)
        verified.people += not who[1]
        verified.simulated += who[1]
        if reason := study.settings.study.left_out.get(case.who.evaluator):
            findings.add([("left-out", f"is left out: {reason}")], *who)
        findings.add(check_owners(case), *who)
        findings.add(check_answers(case, recorded.get(case.who.study), files), *who)
        findings.add(check_sessions(case), *who)
        findings.add(check_endings(case), *who)
        findings.add(check_people(case, recorded), *who)
        findings.add(check_times(case), *who)
        findings.add(notes_of(case, verified.record), *who)
    files.check(findings)
    findings.add(compare_with_today(connection, study, recorded))
    for simulated, noun, nouns in (
        (False, "person", "people"),
        (True, "simulated evaluator", "simulated evaluators"),
    ):
        query = select(removals).where(removals.c.simulated == simulated).order_by(removals.c.id)
        rows = [row for row in connection.execute(query) if row.id not in bad["removals"]]
        if rows:
            removed = numbered(sum(row.judgements for row in rows), "answer")
            latest = when(max(row.removed_unix_s for row in rows), 0.0).split()[0]
            message = (
                f"data of {numbered(len(rows), noun, nouns)} were removed on request ({removed}), "
                f"the last on {latest}"
            )
            findings.add([("data-removed", message)], simulated=simulated)


def check_answers(case: Case, given: RecordedStudy | None, files: ShownFiles) -> Iterator[Problem]:
    """Replay an evaluator's answers; check each by itself where there is no plan to replay."""
    plan: AnyPlan | None = None
    if given is None:
        message = "the record has no copy that can be read of the study they began with"
        yield "study-not-kept", message
    else:
        plan, problems = plan_again(case, given)
        yield from problems
        yield from files.expect(case, given, plan)
    if given and given.course and plan:
        problems, ahead = replay_session(case, given.course, plan)
        yield from problems
        yield from check_status(case, ahead) if ahead else ()
    else:
        yield from check_rows(case.answers, case.readable)


def check_database(connection: Connection) -> Iterator[Problem]:
    """Let the database check itself, and look for evaluators with two entries."""
    if connection.dialect.name == "sqlite":
        yield from check_file(connection)
    who = (evaluators.c.evaluator, evaluators.c.simulated)
    query = select(who[0], func.count()).group_by(*who).having(func.count() > 1)
    for evaluator, number in connection.execute(query):
        yield "evaluator-twice", f"{shown(evaluator)} is entered {number} times"


def check_file(connection: Connection) -> Iterator[Problem]:
    """Let SQLite check its file, in which an editor may have broken what a server keeps whole."""
    statements = connection.execute(text("PRAGMA integrity_check")).scalars().all()
    if statements != ["ok"]:
        yield "file-damaged", f"the database's check fails: {shown(statements[0])}"
    try:
        broken = connection.execute(text("PRAGMA foreign_key_check")).all()
    except DatabaseError as error:  # a table lost its keys
        yield "file-damaged", f"what belongs to what cannot be checked: {error.orig}"
        broken = []
    for table, row, parent, _ in broken:
        yield "reference-broken", f"{table} {row} belongs to none of the {parent}"


def check_cells(connection: Connection, bad: dict[str, set[int]]) -> Iterator[Problem]:
    """Find cells that their columns cannot hold, and keep the numbers of such rows in ``bad``."""
    for table in numbered_tables():
        bad[table.name] = set()
        for number, column in impossible_cells(connection, table):
            bad[table.name].add(number)
            yield "cell-impossible", f"{table.name} {shown(number)}: {column}"
    if has_impossible(connection, studies):
        yield "cell-impossible", WRONG_STUDY
