"""Reading only plain files, and writing files with the right permissions."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hype.errors import InputError
from hype.files import read_bytes, read_table, write_bytes, write_table


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture(params=[0o022, 0o000, 0o077], ids=["usual", "open", "closed"])
def umask(request: pytest.FixtureRequest) -> object:
    earlier = os.umask(request.param)
    yield request.param
    os.umask(earlier)


WRITERS: dict[str, Callable[..., None]] = {
    "bytes": lambda path, **how: write_bytes(path, b"x", **how),
    "table": lambda path, **how: write_table(path, ["a"], [{"a": 1}], **how),
}


@pytest.mark.parametrize("what", WRITERS)
@pytest.mark.usefixtures("umask")
def test_what_is_written_is_its_owners_unless_it_is_said_to_be_for_all(what, tmp_path):
    WRITERS[what](tmp_path / "judgements")
    WRITERS[what](tmp_path / "stimulus", private=False)

    assert mode(tmp_path / "judgements") == 0o600
    assert mode(tmp_path / "stimulus") == 0o644


def test_what_was_open_to_all_is_closed_when_it_is_written_again(tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(b"by an earlier version")
    path.chmod(0o666)
    write_bytes(path, b"new")

    assert (path.read_bytes(), mode(path)) == (b"new", 0o600)


@pytest.mark.usefixtures("umask")
def test_a_private_file_is_private_while_it_is_written(tmp_path, monkeypatch):
    """The mode is read when all bytes are on the disk and the file does not have its name yet."""
    seen: list[int] = []
    sync = os.fsync

    def look(descriptor: int) -> None:
        seen.extend(mode(path) for path in tmp_path.iterdir())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    write_bytes(tmp_path / "judgements.csv", b"private")

    assert seen == [0o600]


def test_writing_over_a_link_leaves_alone_what_it_leads_to(tmp_path):
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / "mine").symlink_to("theirs")
    write_bytes(tmp_path / "mine", b"mine")

    assert (tmp_path / "theirs").read_bytes() == b"theirs"
    assert not (tmp_path / "mine").is_symlink()


SPECIAL: dict[str, Callable[[Path], object]] = {
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
}


@pytest.mark.parametrize("what", SPECIAL)
def test_only_plain_files_are_read(what, tmp_path):
    SPECIAL[what](tmp_path / "x")

    with pytest.raises(InputError, match=r"x: is not a file; a plain file: no folder, no pipe"):
        read_bytes(tmp_path / "x", most_bytes=100)
    with pytest.raises(InputError, match=r"x: is not a file"):
        list(read_table(tmp_path / "x", ["a"], made_by="nobody"))


def test_files_up_to_a_size_are_read(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"x" * 100)

    assert read_bytes(path, most_bytes=100) == b"x" * 100
    with pytest.raises(InputError, match=r"x: has 100 bytes; at most 99"):
        read_bytes(path, most_bytes=99)


def test_a_file_that_says_it_is_empty_and_is_not():
    """Files with the system's facts about a process have no size until they are read."""
    path = Path("/proc/self/maps")
    assert path.stat().st_size == 0

    with pytest.raises(InputError, match="grows while it is read; at most 10 bytes"):
        read_bytes(path, most_bytes=10)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b"a,b\r\n1,2\r\n", [{"a": "1", "b": "2"}]),
        (b'a,b\n"x\ny",2\n', [{"a": "x\ny", "b": "2"}]),
        (b"a,b\n1\n", [{"a": "1", "b": ""}]),
        ("a\näß–中\n".encode(), [{"a": "äß–中"}]),
    ],
    ids=["of another system", "line break in a cell", "cell missing", "any language"],
)
def test_tables(content, rows, tmp_path):
    (tmp_path / "x").write_bytes(content)

    assert [row for _, row in read_table(tmp_path / "x", ["a"], made_by="")] == rows


def test_a_table_of_more_cells_than_are_read(tmp_path, monkeypatch):
    """The rows are short, but each is counted with as many cells as the header has names."""
    monkeypatch.setattr("hype.files.MOST_CELLS", 1000)
    path = tmp_path / "x"
    path.write_text(",".join(f"c{n}" for n in range(100)) + "\n" + "1\n" * 11)

    with pytest.raises(InputError, match=r"x: has more than 1,000 cells; a smaller table"):
        list(read_table(path, ["c0"], made_by=""))
