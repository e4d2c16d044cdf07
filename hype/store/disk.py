"""The disk that a record lies on: whether it can be written, has room, and is in this machine."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/self/mountinfo")
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
        ),
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
    """Look at the disk that holds a folder."""
    return Disk(
        free_bytes=shutil.disk_usage(folder).free,
        writable=os.access(folder, os.W_OK | os.X_OK) and not is_read_only(folder),
        kind=kind_of(folder.resolve()),
    )


def is_read_only(folder: Path) -> bool:
    """Whether the file system is mounted for reading only; the superuser is told otherwise."""
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def kind_of(folder: Path) -> str:
    """Name the file system of a folder: that of the last mount on the way to it."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    found = ("", "")
    for line in lines:
        before, _, after = line.partition(" - ")
        # The file escapes spaces in paths as \\040.
        point = before.split()[4].replace("\\040", " ")
        if folder.is_relative_to(point) and len(point) >= len(found[0]):
            found = (point, after.split()[0])
    return found[1]
