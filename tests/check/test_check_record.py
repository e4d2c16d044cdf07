"""The pre-flight of the record: space, permissions, and the kind of disk."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from builders import named_study
from known import check_record
from paper_station import record_of

from hype.check import record
from hype.check.findings import Preflight
from hype.protocols.hype.settings import Study
from hype.system import file_system_of


@pytest.fixture
def study(tmp_path):
    return named_study(tmp_path / "study")


@pytest.fixture
def small_disk(tmp_path):
    """A real file system with a quarter of a megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("file systems cannot be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def codes(study: Study) -> list[str]:
    flight = Preflight()
    check_record(flight, study)
    return [finding.code for finding in flight.findings]


def test_a_study_on_an_ordinary_disk_is_fit(study):
    assert codes(study) == []
    with record_of(study) as engine, engine.begin():
        pass
    (study.folder / "data.sqlite").chmod(0o600)
    assert codes(study) == []


@pytest.mark.posix("has no file permissions")
def test_a_record_that_others_may_read(study):
    with record_of(study) as engine, engine.begin():
        pass
    (study.folder / "data.sqlite").chmod(0o640)

    assert codes(study) == ["record-public"]


def test_a_file_that_is_no_record(study):
    (study.folder / "data.sqlite").write_bytes(b"no record" * 100)
    (study.folder / "data.sqlite").chmod(0o600)

    assert codes(study) == ["record-wrong"]


def test_a_disk_that_is_nearly_full(small_disk):
    flight = Preflight()
    check_record(flight, named_study(small_disk / "study"))

    (found,) = flight.findings
    assert (found.code, found.severity) == ("record-unwritable", "problem")
    assert "the disk has 0 MB left" in found.message
    assert flight.facts["disk"]["kind"] == "tmpfs"


def test_a_disk_that_became_read_only(small_disk):
    study = named_study(small_disk / "study")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)

    assert codes(study) == ["record-unwritable"]


@pytest.mark.parametrize(
    ("kind", "found"),
    [("nfs4", ["disk-remote"]), ("fuse.sshfs", ["disk-remote"]), ("ext4", []), ("", [])],
)
def test_disks_of_other_machines(kind, found, study, monkeypatch):
    monkeypatch.setattr(record, "file_system_of", lambda _: kind)

    assert codes(study) == found


def test_the_last_mount_on_the_way_is_the_folders(monkeypatch):
    mounts = [
        ("/", "ext3", "rw"),
        ("/", "ext4", "rw,relatime"),
        ("/home", "btrfs", "rw"),
        ("/home/lab share", "nfs4", "rw"),
        ("/mnt/drive", "NTFS", "rw,remote"),
    ]
    disks = [SimpleNamespace(mountpoint=m, fstype=kind, opts=opts) for m, kind, opts in mounts]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: disks)

    assert file_system_of(Path("/home/lab share/study")) == "nfs4"
    assert file_system_of(Path("/home/labs")) == "btrfs"
    assert file_system_of(Path("/srv")) == "ext4"
    assert file_system_of(Path("/mnt/drive/study")) == "remote"
    disks.clear()
    assert file_system_of(Path("/srv")) == ""
