"""The pre-flight of the record: whether answers can be kept."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hype.check.findings import Preflight
from hype.errors import SessionProblem
from hype.session.admitting import people_elsewhere
from hype.session.course import Course
from hype.session.enrol import require_newcomers
from hype.store.record import RECORD_FILE, record_of
from hype.store.sqlite_files import require_harmless
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
                f"{study.path}: study.quotas.{question} takes {sum(quota.values())} people, and "
                f"the design has places for {wanted}: it could never be filled",
                "raise the quotas, or want fewer evaluators",
            )


REMOTE: Final = frozenset(
    (
        *(
            "nfs",
            "nfs4",
            "cifs",
            "smb3",
            "smbfs",
            "9p",
            "afs",
            "ceph",
            "davfs",
            "vboxsf",
            "virtiofs",
            "remote",
        ),
        *("afpfs", "webdav"),
        *("fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "fuse.s3fs", "fuse.gvfsd-fuse"),
    )
)
"""File systems of other machines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """What is known of a disk. ``kind`` is its file system, empty if the system does not say."""

    free_bytes: int
    writable: bool
    kind: str

    @property
    def remote(self) -> bool:
        """Whether it is in another machine, where neither locks nor the record's log are sure."""
        return self.kind in REMOTE


def disk_of(folder: Path) -> Disk:
    return Disk(
        free_bytes=shutil.disk_usage(folder).free,
        # For the superuser, os.access calls even a read-only file system writable.
        writable=os.access(folder, os.W_OK | os.X_OK) and not is_read_only(folder),
        kind=file_system_of(folder.resolve()),
    )


KEPT_HERE: Final = "keep the study on a disk of the station, and copy it when the sessions are over"
MEGABYTE: Final = 1_000_000
LEAST_MB: Final = 50
"""More than ten sessions need, with the log that SQLite writes next to the record."""


def check_record(flight: Preflight, study: AnyStudy, course: Course[Any] | None) -> None:
    """See that the record can be opened and written, that it has room, and who may read it."""
    flight.attempt("not-from-missing", lambda: dict(people_elsewhere(study)))
    if study.store:
        if flight.allows("record-wrong", lambda: open_and_close(study)) and course:
            flight.attempt("study-changed", lambda: require_as_begun(course))
        return
    record = study.folder / RECORD_FILE
    disk = disk_of(study.folder)
    flight.facts["disk"] = {
        "free_mb": disk.free_bytes // MEGABYTE,
        "kind": disk.kind,
        "writable": disk.writable,
    }
    flight.attempt("record-unwritable", lambda: require_room(study, disk))
    if disk.remote:
        flight.warn(
            "disk-remote",
            f"{study.folder}: lies on another machine's disk ({disk.kind}), where a record is not "
            "safe from a lost connection, nor from two stations at once",
            KEPT_HERE,
        )
    if flight.allows("record-wrong", lambda: open_and_close(study)) and course:
        flight.attempt("study-changed", lambda: require_as_begun(course))
    if record.exists() and record.stat().st_size and is_others_too(record):
        flight.warn(
            "record-public",
            f"{record}: others on this machine may read or write it",
            f"let only its owner read it: chmod 600 {record}",
        )


def require_as_begun(course: Course[Any]) -> None:
    """Refuse a study that could admit no new evaluator, given the record."""
    record = record_of(course.study)
    if not record.is_there():
        return
    with record.reading() as engine, engine.connect() as connection:
        require_newcomers(connection, course, simulated=False, new_version=False)


def require_room(study: AnyStudy, disk: Disk) -> None:
    """Refuse a disk on which a session could not be kept."""
    free_mb = disk.free_bytes // MEGABYTE
    if not disk.writable:
        raise SessionProblem(
            f"{study.folder}: nothing can be written here; change its permissions, or copy the "
            "study to a disk of your own"
        )
    if free_mb < LEAST_MB:
        raise SessionProblem(
            f"{study.folder}: the disk has {free_mb} MB left, and {LEAST_MB} are needed; make room"
        )


def open_and_close(study: AnyStudy) -> None:
    """Open a record, if there is one, and check that this program can read and write it."""
    if not study.store:
        require_harmless(study.folder / RECORD_FILE, writing=True)
    record = record_of(study)
    if study.store or record.is_there():
        with record.reading():
            pass
