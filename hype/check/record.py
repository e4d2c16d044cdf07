"""The pre-flight of the record: whether it can store the answers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from hype.check.findings import Preflight
from hype.session.admitting import people_elsewhere
from hype.session.course import Course
from hype.session.enrol import require_newcomers
from hype.session.participation import find_passed
from hype.store.record import RECORD_FILE, record_of
from hype.store.sqlite_files import require_harmless
from hype.study.phrases import write_count
from hype.study.studies import AnyStudy
from hype.system import file_system_of, is_others_too, is_read_only


def check_quotas(flight: Preflight, study: AnyStudy, course: Course[Any] | None) -> None:
    """Check that quotas leave room for all evaluators that the design needs."""
    quotas = study.settings.study.quotas
    if not quotas or course is None:
        return
    wanted = course.evaluators_per_cell * len(course.cells)
    for question, quota in quotas.items():
        if course.counted and sum(quota.values()) < wanted:
            flight.warn(
                "quotas-too-small",
                f"{study.path}: study.quotas.{question} allows {sum(quota.values())} people, but "
                f"the design needs {wanted}",
                "raise the quotas, or plan fewer evaluators",
            )


REMOTE: Final = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "davfs", "vboxsf"),
        *("virtiofs", "remote", "afpfs", "webdav"),
        *("fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "fuse.s3fs", "fuse.gvfsd-fuse"),
    )
)
"""Network file systems, on which locks and the record's log are not reliable."""
MEGABYTE: Final = 1_000_000
LEAST_MB: Final = 50
"""More space than ten sessions need, including the log that SQLite writes next to the record."""


def check_record(flight: Preflight, study: AnyStudy, course: Course[Any] | None) -> None:
    """Check that the record can be opened and written, has disk space, and is private."""
    flight.attempt("not-from-missing", lambda: dict(people_elsewhere(study)))
    check_passed(flight, study)
    if not study.store:
        check_disk(flight, study.folder)
    if flight.allows("record-wrong", lambda: open_and_close(study)) and course:
        flight.attempt("study-changed", lambda: require_unchanged(course))
    record = study.folder / RECORD_FILE
    if not study.store and record.exists() and record.stat().st_size and is_others_too(record):
        flight.warn(
            "record-public",
            f"{record}: other users of this machine can read or write it",
            f"allow only its owner: chmod 600 {record}",
        )


def check_passed(flight: Preflight, study: AnyStudy) -> None:
    """Report how many people passed the test in other studies."""
    find = partial(find_passed, study, simulated=False)
    if passed := flight.attempt("qualified-elsewhere-missing", find):
        flight.facts["qualified_elsewhere"] = {at: len(codes) for at, codes in passed.items()}


def lines_of_gate(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield titled lines: who continues after the test, and how many passed it in other studies."""
    if gate := facts.get("gate"):
        passed = f"people with {gate['pass_rate']:.0%} right answers or more continue"
        yield "after test", "you decide who continues" if gate["decide"] == "ask" else passed
    for source, number in facts.get("qualified_elsewhere", {}).items():
        yield "passed", f"{write_count(number, 'person', 'people')} in the study {source}"


def check_disk(flight: Preflight, folder: Path) -> None:
    """Check that a folder can hold the record of a session."""
    free_mb = shutil.disk_usage(folder).free // MEGABYTE
    kind = file_system_of(folder.resolve())
    # For the superuser, os.access reports even a read-only file system as writable.
    writable = os.access(folder, os.W_OK | os.X_OK) and not is_read_only(folder)
    flight.facts["disk"] = {"free_mb": free_mb, "kind": kind, "writable": writable}
    if not writable:
        flight.refuse(
            "record-unwritable",
            f"{folder}: is not writable",
            "change its permissions, or copy the study to a disk of your own",
        )
    elif free_mb < LEAST_MB:
        message = f"{folder}: the disk has {free_mb} MB left, but {LEAST_MB} MB are needed"
        flight.refuse("record-unwritable", message, "free some space")
    if kind in REMOTE:
        flight.warn(
            "disk-remote",
            f"{folder}: is on another machine's disk ({kind}), where a lost connection or a second "
            "station can damage the record",
            "keep the study on a disk of the station, and copy it after the sessions",
        )


def require_unchanged(course: Course[Any]) -> None:
    """Refuse a study that changed after its first sessions: no new evaluator could take part."""
    record = record_of(course.study)
    if record.is_there():
        with record.reading() as engine, engine.connect() as connection:
            require_newcomers(connection, course, simulated=False, new_version=False)


def open_and_close(study: AnyStudy) -> None:
    """Open the record, if there is one, and check that this program can read and write it."""
    if not study.store:
        require_harmless(study.folder / RECORD_FILE, writing=True)
    record = record_of(study)
    if study.store or record.is_there():
        with record.reading():
            pass
