"""A whole record, checked against the plans of everybody in it. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from hype.protocols.registry import PROTOCOLS
from hype.protocols.studies import AnyStudy
from hype.store.contradictions import list_contradicted
from hype.store.people import Evaluator
from hype.store.record import RECORD_FILE, reading_record
from hype.verify.answers import AnswerChecks, kind_of
from hype.verify.case import (
    Case,
    RecordedStudy,
    check_recorded_studies,
    compare_with_today,
    read_cases,
    read_recorded_studies,
)
from hype.verify.database import check_cells, check_database, check_evaluators, count_rows
from hype.verify.files import ShownFiles
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


def verify_record(study: AnyStudy) -> Verified:
    """Check the record of a study.

    Raises InputError: there is no record, or it is none that this program reads.
    """
    record = study.folder / RECORD_FILE
    asked = kind_of(study, ()).storage.table.name
    verified = Verified(study.path, record, Irregularities(), asked)
    with reading_record(record) as engine:
        try:
            with engine.connect() as connection:
                # One view of the record, whatever stations write meanwhile.
                connection.exec_driver_sql("BEGIN")
                verify(connection, study, verified)
        except DatabaseError as error:
            message = f"a part of the record cannot be read ({shown(error.orig)}); what comes after"
            verified.findings.add([Irregularity("file-damaged", f"{message} was not checked")])
    return verified


def verify(connection: Connection, study: AnyStudy, verified: Verified) -> None:
    """Check the file, then its evaluators one after the other, then the images and masks."""
    findings = verified.findings
    findings.add(check_database(connection))
    bad: dict[str, set[int]] = {}
    findings.add(check_cells(connection, bad))
    findings.add(check_evaluators(connection))
    tables = [protocol.verified.storage.table for protocol in PROTOCOLS]
    verified.answers = {table.name: count_rows(connection, table) for table in tables}
    wrong: list[Irregularity] = []
    recorded = read_recorded_studies(connection, study, wrong)
    findings.add(wrong)
    findings.add(check_recorded_studies(connection))
    files = ShownFiles()

    def answers_of(who: Evaluator) -> AnswerChecks:
        return kind_of(recorded[who.study].study if who.study in recorded else None, who.methods)

    for case in read_cases(connection, bad, answers_of):
        verified.people += not case.who.simulated
        verified.simulated += bool(case.who.simulated)
        verify_case(case, recorded, files, verified)
    for whose, irregularity in files.check_files():
        findings.add([irregularity], whose)
    findings.add(compare_with_today(connection, study, recorded))
    for whose, irregularity in check_removals(connection, bad["removals"]):
        findings.add([irregularity], whose)
    for one in () if bad["contradictions"] else list_contradicted(connection):
        message = f"{one.answers:,} answers were not taken by the central store, which has others"
        whose = Whose(evaluator=one.evaluator, simulated=one.simulated)
        findings.add([Irregularity("contradicted", message)], whose)


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
    files.expect(case, "mask", study.masks_folder, ((name, None) for name in masks))
    return files.check_masks(case, study.masks_folder, masks) if plan else ()
