"""The pre-flight of the record: whether answers can be kept where the study lies."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final

from hype.errors import InputError, SessionProblem
from hype.sessions.enrol import require_newcomers
from hype.sessions.findings import Preflight
from hype.sessions.protocols.of_study import protocol_of
from hype.sessions.registers import OWN
from hype.store.disk import Disk, disk_of
from hype.store.logs import require_harmless
from hype.store.record import RECORD_FILE, reading_record
from hype.study.studies import AnyStudy

MEGABYTE: Final = 1_000_000
LEAST_MB: Final = 50
"""More than ten sessions take, with the log that SQLite writes beside the record."""


def check_record(flight: Preflight, study: AnyStudy) -> None:
    """See that the record can be opened and written, that it has room, and who may read it."""
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
            "keep the study on a disk of the station, and copy it when the sessions are over",
        )
    if flight.allows("record-wrong", lambda: open_and_close(record)):
        flight.attempt("study-changed", lambda: require_as_begun(study))
    public = stat.S_IRWXG | stat.S_IRWXO
    if record.exists() and record.stat().st_size and record.stat().st_mode & public:
        flight.warn(
            "record-public",
            f"{record}: others on this machine may read or write it",
            f"let only its owner read it: chmod 600 {record}",
        )


def require_as_begun(study: AnyStudy) -> None:
    """Refuse a study under which nobody new would be admitted, by the record."""
    path = study.folder / RECORD_FILE
    if study.settings.store.central or not path.exists() or not path.stat().st_size:
        return  # a central store has a finding of its own
    try:
        protocol = protocol_of(study)
    except InputError:
        return  # said elsewhere
    with reading_record(path) as engine, engine.connect() as connection:
        require_newcomers(connection, protocol, OWN, simulated=False, new_version=False)


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


def open_and_close(record: Path) -> None:
    """Open a record, if there is one, and see whether this program can read and may write it."""
    require_harmless(record, writing=True)
    if record.exists() and record.stat().st_size:
        with reading_record(record):
            pass
