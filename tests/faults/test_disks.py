"""Disks fill up, break, disappear or refuse writes during a session."""

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from faults import system_calls
from faults.ordeal import Ordeal, trials_told
from faults.sitters import Sitters
from long import long_but

ENTER = ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-rm")
"""The command that enters a namespace where we may mount; its mounts vanish with it."""
HYPE = Path(sys.executable).parent / "hype"
SIZE_KB = 1024
PACE_MS = 20


@dataclass
class Disk:
    """A small file system that only the sitters (processes with sessions) can see."""

    sitters: Sitters
    place: Path

    def run(self, *command: object) -> None:
        self.sitters.run(*command)

    def fill(self) -> None:
        """Fill the disk to the last byte."""
        for size in ("4k", "1"):
            self.run("sh", "-c", f"dd if=/dev/zero bs={size} >> {self.place}/ballast || true")

    def empty(self) -> None:
        self.run("rm", self.place / "ballast")

    def mount(self, *options: str) -> None:
        self.run("mount", "-o", ",".join(("remount", *options)), self.place)


@pytest.fixture(scope="module")
def island():
    """Yield sitters (processes with sessions) in a mount namespace of their own."""
    with Sitters(*ENTER) as several:
        try:
            several.run("mount", "--make-rprivate", "/")
        except (RuntimeError, OSError, ValueError) as error:
            pytest.skip(f"nothing can be mounted here: {error}")
        yield several


@pytest.fixture
def disk(island, tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    island.run("mount", "-t", "tmpfs", "-o", f"size={SIZE_KB}k,mode=700", "none", place)
    yield Disk(island, place)
    island.run("umount", "-l", place)


@pytest.fixture
def on_disk(disk, sat, figures):
    """Start an ordeal whose study is on the small disk."""
    peace = sat("timed")
    folder = disk.place / "study"
    disk.run("cp", "-r", peace.folder, folder)
    count = figures("disks")
    return Ordeal(
        disk.sitters, folder, count, peace.reference, peace.options | {"pace_ms": PACE_MS}
    )


def after_trials(number):
    """Return a function that tells whether a session has recorded that many trials."""
    return lambda lines: len(trials_told(lines, "recorded")) >= number


def refused(one, sitter, *words):
    """Check that a session ended with a message that contains all these words."""
    one.end(sitter)
    assert sitter.code in {1, 2}
    for word in words:
        assert word in sitter.says


def test_a_disk_that_fills_up_in_the_middle(disk, on_disk):
    sitter = on_disk.begin().read_until(after_trials(4))
    disk.fill()
    refused(on_disk, sitter, "data.sqlite", "disk is full", "run the same command again")
    assert "trouble" in sitter.lines
    disk.empty()
    assert on_disk.finish()["sessions"][0]["ended"] == "broke-off"


def test_a_session_begun_on_a_full_disk(disk, on_disk):
    on_disk.end(on_disk.begin().read_until(after_trials(4)).kill())
    disk.fill()
    refused(on_disk, on_disk.begin(), "data.sqlite", "full")
    disk.empty()
    on_disk.finish()


def test_a_first_session_on_a_full_disk(disk, on_disk):
    disk.fill()
    refused(on_disk, on_disk.begin(), "data.sqlite")
    disk.empty()
    on_disk.finish()


@pytest.mark.long
def test_a_simulation_that_fills_the_disk(disk, on_disk):
    """The record keeps every session that was complete before the disk was full."""
    code, said = disk.sitters.ended(HYPE, "simulate", on_disk.folder, "--evaluators", 500)
    assert code in {1, 2}, said
    assert "Traceback" not in said
    assert "data.sqlite" in said
    assert "full" in said
    found = on_disk.read()
    assert found.sound
    assert {row["ended"] for row in found["sessions"]} <= {"complete", "unqualified"}
    whole = len({row["evaluator_id"] for row in found["judgements"]})
    assert whole == len(found["evaluators"]) > 0


def test_a_disk_that_is_read_only(disk, on_disk):
    """A disk with a file open for writing cannot become read-only; see EROFS below for that."""
    sitter = on_disk.begin().read_until(after_trials(4))
    on_disk.end(sitter.kill())
    disk.mount("ro")
    refused(on_disk, on_disk.begin(), str(on_disk.folder))
    disk.mount("rw")
    on_disk.finish()


@pytest.fixture
def plugged(island, tmp_path, sat, figures):
    """Start an ordeal on a disk that can be removed and put back."""
    peace = sat("timed")
    kept, place = tmp_path / "kept", tmp_path / "disk"
    kept.mkdir()
    place.mkdir()
    island.run("cp", "-r", peace.folder, kept / "study")
    island.run("mount", "--bind", kept, place)
    options = peace.options | {"pace_ms": PACE_MS}
    return Ordeal(island, place / "study", figures("disks"), peace.reference, options), kept


def test_a_disk_that_is_removed_in_the_middle(island, plugged):
    one, kept = plugged
    sitter = one.begin().read_until(after_trials(4))
    island.run("umount", "-l", one.folder.parent)
    sitter.wait()
    assert sitter.code == 1
    assert "data.sqlite" in sitter.says
    refused_before = island.sit(one.folder).wait()
    assert refused_before.code == 2
    assert str(one.folder) in refused_before.says
    island.run("mount", "--bind", kept, one.folder.parent)
    one.end(sitter)
    one.finish()


@contextmanager
def forbidden(*paths):
    """Remove the permission to write while the block lasts."""
    modes = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


def test_permissions_taken_away(ordeal, figures):
    one = ordeal("timed", figures("disks"), pace_ms=PACE_MS, ordinary=True)
    one.end(one.begin().read_until(after_trials(4)).kill())
    record = one.folder / "data.sqlite"
    with forbidden(record):
        refused(one, one.begin(), str(record), "readonly")
    with forbidden(one.folder, *one.folder.glob("data.sqlite*")):
        refused(one, one.begin(), str(record))
    one.finish()


def test_permissions_taken_away_in_the_middle(ordeal, figures):
    """A program that opened the record before can continue."""
    one = ordeal("timed", figures("disks"), pace_ms=PACE_MS, ordinary=True)
    sitter = one.begin().read_until(after_trials(4))
    with forbidden(one.folder, *one.folder.glob("data.sqlite*")):
        one.end(sitter)
    one.finish()


def test_a_record_that_is_moved_away_in_the_middle(ordeal, figures):
    """Further answers might be lost with the moved file, so the session ends."""
    one = ordeal("timed", figures("disks"), pace_ms=PACE_MS)
    sitter = one.begin().read_until(after_trials(4))
    files = list(one.folder.glob("data.sqlite*"))
    for path in files:
        path.rename(one.folder.parent / path.name)
    sitter.wait()
    assert sitter.code == 1
    assert "data.sqlite" in sitter.says
    for path in files:
        (one.folder.parent / path.name).rename(path)
    one.end(sitter)
    one.finish()


def test_a_record_that_is_deleted_in_the_middle(ordeal, figures):
    one = ordeal("timed", figures("disks"), pace_ms=PACE_MS)
    sitter = one.begin().read_until(after_trials(4))
    (one.folder / "data.sqlite").unlink()
    sitter.wait()
    assert sitter.code == 1
    assert "data.sqlite" in sitter.says


ERRORS = ("EIO", "EROFS", "ENOSPC", "EDQUOT", "EFBIG", "EIO gone", "ENODEV gone")


@pytest.mark.skipif(not system_calls.supported(), reason="an unknown processor")
@pytest.mark.parametrize("how", long_but(["ENOSPC", "ENODEV gone"], ERRORS))
def test_a_disk_that_answers_with_an_error(how, ordeal, figures, soak):
    for at in range(1, 21, 2) if soak else (5,):
        one = ordeal("timed", figures("disk errors from the kernel"))
        sitter = one.begin(fault="system calls", at=at, how=how)
        refused(one, sitter, "data.sqlite", "the record cannot be written")
        assert len(trials_told(sitter.lines, "shown")) == at
        assert "trouble" in sitter.lines
        one.finish()
