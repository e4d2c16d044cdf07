"""The pre-flight of the record and of the central store: whether answers can be kept."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from hype.check.findings import Finding, Preflight
from hype.errors import InputError, SessionProblem
from hype.protocols.registry import conduct_of
from hype.protocols.studies import AnyStudy
from hype.session.enrol import require_newcomers
from hype.session.facts import STATION_VARIABLE, station_name
from hype.session.pushing import names_of_study, own_url
from hype.session.records import central_of
from hype.session.registers import CENTRAL, OWN
from hype.store import people
from hype.store.central.problems import CentralAway, CentralRefused, CentralUntrusted
from hype.store.record import RECORD_FILE, reading_record
from hype.store.sqlite_files import require_harmless
from hype.system import file_system_of, is_others_too, is_read_only


def check_central(flight: Preflight, study: AnyStudy) -> None:
    """See that a study's central store can be reached and asked for places, if it has one."""
    store = study.settings.store
    if not store.central:
        return
    if store.stations and station_name() not in store.stations:
        flight.warn(
            "station-unknown",
            f"this station is called {station_name()!r}, which is not among store.stations "
            f"({', '.join(store.stations)}): without the central store it could admit nobody new",
            f"name it in the study file, or set {STATION_VARIABLE} to one of the names",
        )
    from hype.store.central.enrolment import assigning

    try:
        with assigning(own_url(central_of(study))) as locked:
            locked.require_study(names_of_study(study))
            flight.attempt("study-changed", lambda: require_as_stored(locked.connection, study))
            if not locked.is_of_this_version:
                flight.warn(
                    "central-outdated",
                    "the central store was set up by another version of hype: what stations may "
                    "read there is of that version, and evaluators could be refused",
                    "update hype at all stations; then whoever owns the database runs: "
                    "hype central NAME ... | psql -d DATABASE",
                )
            came = people.count_cells(locked.connection, simulated=False, turned_away=False)
    except CentralAway as error:
        flight.warn(
            "central-away",
            str(error),
            "sessions can be held: this station goes by its own share of the places, and what is "
            "recorded is pushed later",
        )
    except CentralUntrusted as error:
        flight.find(
            Finding(
                code="central-untrusted",
                severity="problem",
                message=f"{error.where}: {error.problem}",
                remedy=error.allowed,
            )
        )
    except CentralRefused as error:
        flight.add("central-refused", error)
    else:
        flight.facts["central"] = {"url": store.central, "evaluators": sum(came.values())}


def check_quotas(flight: Preflight, study: AnyStudy) -> None:
    """See that quotas leave room for all whom the design wants, and where they are counted."""
    quotas, store = study.settings.study.quotas, study.settings.store
    if not quotas:
        return
    if store.central and not store.stations:
        flight.warn(
            "quotas-of-each-station",
            f"{study.path}: study.quotas are counted at each station by itself, and store.stations "
            "does not say among which they are shared out",
            "name all stations in store.stations, or give quotas as each station is to have them",
        )
    try:
        protocol = conduct_of(study)
    except InputError:
        return  # said elsewhere
    wanted = protocol.evaluators_per_cell * len(protocol.cells)
    for question, quota in quotas.items():
        if protocol.counted and sum(quota.values()) < wanted:
            flight.warn(
                "quotas-too-small",
                f"{study.path}: study.quotas.{question} takes {sum(quota.values())} people, and "
                f"the design has places for {wanted}: it could never be filled",
                "raise the quotas, or want fewer evaluators",
            )


def require_as_stored(connection: Connection, study: AnyStudy) -> None:
    """Refuse a study under which nobody new would be admitted, by the central store."""
    try:
        protocol = conduct_of(study)
    except InputError:
        return  # said elsewhere
    require_newcomers(connection, protocol, CENTRAL, simulated=False, new_version=False)


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
    """What is known of a disk. ``kind`` is its file system, empty where the system does not say."""

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
        # The superuser is told that a file system can be written that is for reading only.
        writable=os.access(folder, os.W_OK | os.X_OK) and not is_read_only(folder),
        kind=file_system_of(folder.resolve()),
    )


KEPT_HERE: Final = "keep the study on a disk of the station, and copy it when the sessions are over"
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
            KEPT_HERE,
        )
    if flight.allows("record-wrong", lambda: open_and_close(record)):
        flight.attempt("study-changed", lambda: require_as_begun(study))
    if record.exists() and record.stat().st_size and is_others_too(record):
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
        protocol = conduct_of(study)
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
