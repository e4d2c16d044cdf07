"""A whole record, checked against the plans of everybody in it. Nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from hype.protocol.plan import SessionPlan
from hype.sessions.verify.case import Case, read_cases
from hype.sessions.verify.clocks import check_times
from hype.sessions.verify.database import (
    check_cells,
    check_database,
    check_evaluators,
    count_rows,
)
from hype.sessions.verify.files import ShownFiles
from hype.sessions.verify.found import Findings, Found, shown
from hype.sessions.verify.gaps import check_removals, notes_of
from hype.sessions.verify.judged import check_judgements
from hype.sessions.verify.kept import (
    KeptStudy,
    check_kept,
    compare_with_today,
    read_kept,
)
from hype.sessions.verify.plans import remake_plan
from hype.sessions.verify.replayed import replay_rows
from hype.sessions.verify.standing import (
    check_consent,
    check_endings,
    check_sessions,
    check_status,
)
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import judgements
from hype.study.load import Study


@dataclass(slots=True)
class Verified:
    """What was looked at, and what was found."""

    study: Path
    record: Path
    findings: Findings
    people: int = 0
    simulated: int = 0
    judgements: int = 0

    @property
    def sound(self) -> bool:
        """Whether there is no fault."""
        return not self.findings.number("fault")


def verify_record(study: Study) -> Verified:
    """Check the record of a study.

    Raises
    ------
    InputError
        There is no record, or it is none that this program reads.
    """
    record = study.folder / RECORD_FILE
    verified = Verified(study.path, record, Findings())
    with reading_record(record) as engine:
        try:
            with engine.connect() as connection:
                # One view of the record, whatever stations write meanwhile.
                connection.exec_driver_sql("BEGIN")
                verify(connection, study, verified)
        except DatabaseError as error:
            message = f"a part of the record cannot be read ({shown(error.orig)}); what comes after"
            verified.findings.add([Found("file-damaged", f"{message} was not checked")])
    return verified


def verify(connection: Connection, study: Study, verified: Verified) -> None:
    """Check the file, then its evaluators one after the other, then the images and masks."""
    findings = verified.findings
    findings.add(check_database(connection))
    bad: dict[str, set[int]] = {}
    findings.add(check_cells(connection, bad))
    findings.add(check_evaluators(connection))
    verified.judgements = count_rows(connection, judgements)
    wrong: list[Found] = []
    kept = read_kept(connection, study, wrong)
    findings.add(wrong)
    findings.add(check_kept(connection))
    files = ShownFiles()
    for case in read_cases(connection, bad):
        verified.people += not case.who.simulated
        verified.simulated += bool(case.who.simulated)
        verify_case(case, kept, files, verified)
    for whose, found in files.check_files():
        findings.add([found], whose)
    findings.add(compare_with_today(connection, study, kept))
    for whose, found in check_removals(connection, bad["removals"]):
        findings.add([found], whose)


def verify_case(
    case: Case, kept: Mapping[str, KeptStudy], files: ShownFiles, verified: Verified
) -> None:
    """Check all that there is of one evaluator; without a plan, what needs none."""
    findings, whose = verified.findings, case.whose
    study = kept.get(case.who.study)
    remade = remake_plan(case, study)
    findings.add(remade.faults, whose)
    findings.add(check_judgements(case), whose)
    if remade.plan:
        replayed = replay_rows(remade.plan, case.rows)
        findings.add(replayed.faults, whose)
        findings.add(check_status(case, replayed), whose)
    findings.add(check_sessions(case), whose)
    findings.add(check_endings(case), whose)
    findings.add(check_consent(case, kept), whose)
    findings.add(check_times(case), whose)
    if study:
        findings.add(want_files(case, study.study, remade.plan, files), whose)
    findings.add(notes_of(case, verified.record), whose)


def want_files(
    case: Case, study: Study, plan: SessionPlan | None, files: ShownFiles
) -> Iterable[Found]:
    """Note the files of an evaluator's plan, or else of what they judged, and check its masks."""
    if plan is None:
        images: Collection[tuple[str, str]] = {(r.image, r.image_sha256) for r in case.readable}
        masks = {name for row in case.readable for name in str(row.masks or "").split()}
    else:
        images = {(s.path, s.sha256) for block in plan.blocks for s in block.stimuli}
        masks = {name for block in plan.blocks for row in block.masks for name in row}
    files.want(case, "image", study.stimuli_folder, images)
    if not study.masks_folder:
        return ()
    files.want(case, "mask", study.masks_folder, ((name, None) for name in masks))
    return files.check_masks(case, study.masks_folder, masks) if plan else ()
