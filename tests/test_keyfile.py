"""The key file: one pseudonym for each person, kept where it is not handed on."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hype import keyfile
from hype.errors import InputError
from hype.keyfile import COLUMNS, check_key, pseudonym_of, strike
from hype.session.enrol import check_evaluator_id


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "key.csv"


def rows(key: Path) -> list[dict[str, str]]:
    with key.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_everybody_gets_a_pseudonym_and_keeps_it(key: Path) -> None:
    ann, bo = pseudonym_of(key, "Ann Lee"), pseudonym_of(key, "Bo Šmíd")

    assert (ann.new, bo.new) == (True, True)
    assert ann.pseudonym != bo.pseudonym
    assert [(row["pseudonym"], row["person"]) for row in rows(key)] == [
        (ann.pseudonym, "Ann Lee"),
        (bo.pseudonym, "Bo Šmíd"),
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", rows(key)[0]["made_utc"])
    before = key.read_bytes()
    again = pseudonym_of(key, "Ann Lee")
    assert (again.pseudonym, again.made_utc, again.new) == (ann.pseudonym, ann.made_utc, False)
    assert key.read_bytes() == before


@pytest.mark.parametrize("again", ["Zoë Brontë", "  zoë   BRONTË ", "Zoe\u0308 Bronte\u0308"])
def test_the_same_name_is_the_same_person_however_it_is_typed(again: str, key: Path) -> None:
    assert pseudonym_of(key, "Zoë Brontë").pseudonym == pseudonym_of(key, again).pseudonym


def test_another_name_is_another_person(key: Path) -> None:
    names = ["Ann Lee", "Anne Lee", "Annlee", "Ann Lee 1990", "李雷", 'O\'Neil, "Pat"; jr.']

    assert len({pseudonym_of(key, name).pseudonym for name in names}) == len(names)
    assert [row["person"] for row in rows(key)] == names


def test_pseudonyms_are_codes_that_nobody_misreads_and_no_words(key: Path) -> None:
    codes = [keyfile.draw(()) for _ in range(300)]

    assert all(re.fullmatch(r"[bcdfghjkmnpqrstvwxz][bcdfghjkmnpqrstvwxz2-9]{5}", c) for c in codes)
    assert all(check_evaluator_id(code) is None for code in codes)
    assert len(set(codes)) > 290


def test_a_pseudonym_does_not_follow_from_the_name(tmp_path: Path) -> None:
    drawn = {pseudonym_of(tmp_path / f"{n}.csv", "Ann Lee").pseudonym for n in range(5)}

    assert len(drawn) == 5


def test_no_pseudonym_is_given_twice(key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an alphabet of two codes, the second person gets the one that is left."""
    monkeypatch.setattr(keyfile, "LETTERS", "bc")
    monkeypatch.setattr(keyfile, "LENGTH", 1)

    assert {pseudonym_of(key, name).pseudonym for name in ("Ann", "Bo")} == {"b", "c"}


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_only_its_owner_can_read_it(key: Path) -> None:
    pseudonym_of(key, "Ann")
    assert mode(key) == 0o600
    key.chmod(0o644)
    pseudonym_of(key, "Ann")
    assert mode(key) == 0o600
    assert [path.name for path in key.parent.iterdir()] == ["key.csv"]


def test_what_a_lab_adds_to_it_stays(key: Path) -> None:
    key.write_text(
        "person,pseudonym,e-mail,made_utc\r\nAnn Lee,p01,ann@lab,\r\nBo,,bo@lab,\r\n",
        encoding="utf-8",
        newline="",
    )

    assert pseudonym_of(key, "ann lee").pseudonym == "p01"
    drawn = pseudonym_of(key, "Bo")
    assert drawn.new
    assert strike(key, "p01")
    (row,) = rows(key)
    assert row.pop("made_utc") == drawn.made_utc
    assert row == {"person": "Bo", "pseudonym": drawn.pseudonym, "e-mail": "bo@lab"}


def test_a_struck_line_is_gone_and_the_others_stay(key: Path) -> None:
    ann, bo = (pseudonym_of(key, name).pseudonym for name in ("Ann", "Bo"))

    assert strike(key, ann)
    assert not strike(key, ann)
    assert [row["pseudonym"] for row in rows(key)] == [bo]
    assert b"Ann" not in key.read_bytes()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "has 0 characters"),
        (" \u00a0", "has 0 characters"),
        ("x" * 201, "has 201 characters"),
        ("Ann\nLee", "holds a control character"),
        ("Ann\x1b[2J", "holds a control character"),
        ("Ann\0", "holds a control character"),
        ("Ann\u2028Lee", "holds a control character"),
        ("Ann\udcff", "holds a control character"),
        ("=1+1", "begins as a formula"),
        (" @SUM(A1)", "begins as a formula"),
        ("+49 30", "begins as a formula"),
        ("-Ann", "begins as a formula"),
    ],
)
def test_names_that_cannot_be_kept(name: str, said: str, key: Path) -> None:
    with pytest.raises(InputError, match=rf"--person: .*{said}.*; a name"):
        pseudonym_of(key, name)
    assert not key.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name,code\n", "columns are 'name, code'"),
        (b"pseudonym;person;made_utc\n", "is no key file"),
        (b"pseudonym,person,made_utc,person\n", "is no key file"),
        (b"pseudonym,person,made_utc\na,b,c,d\n", "line 2: has more than 3 cells"),
        (b"pseudonym,person,made_utc\n\x1b[2J,b,c\n", "line 2: pseudonym .* cannot be printed"),
        (b'pseudonym,person,made_utc\n"a"b,b,c\n', "cannot be read as a key file"),
        (b"\xff\xfe", "cannot be read as a key file"),
        (b"\0", "(is no key file|cannot be read)"),
        (b"\n\n", "is no key file"),
    ],
    ids=["others", "semicolons", "twice", "cells", "control", "quotes", "bytes", "nul", "lines"],
)
def test_what_is_no_key_file_is_left_alone(content: bytes, said: str, key: Path) -> None:
    key.write_bytes(content)
    for use in (lambda: pseudonym_of(key, "Ann"), lambda: strike(key, "a"), lambda: check_key(key)):
        with pytest.raises(InputError, match=rf"key\.csv.*{said}"):
            use()
    assert key.read_bytes() == content


def test_an_empty_file_becomes_one(key: Path) -> None:
    """Such as one whose making was cut short."""
    key.touch()
    pseudonym_of(key, "Ann")

    assert tuple(rows(key)[0]) == COLUMNS


def test_a_file_that_is_not_there_is_only_made_for_somebody(key: Path) -> None:
    for use in (lambda: strike(key, "p01"), lambda: check_key(key)):
        with pytest.raises(InputError, match=r"key\.csv: cannot be opened: No such file"):
            use()
    with pytest.raises(InputError, match="cannot be opened: No such file"):
        pseudonym_of(key.parent / "missing" / "key.csv", "Ann")
    assert list(key.parent.iterdir()) == []


@pytest.mark.parametrize("place", ["", "results", "results/deep"])
@pytest.mark.parametrize(
    ("marker", "said"), [("study.toml", "in a study"), (".git/HEAD", "in a git work tree")]
)
def test_it_is_refused_where_it_would_be_handed_on(
    marker: str, said: str, place: str, tmp_path: Path
) -> None:
    folder = tmp_path / "shared" / place
    folder.mkdir(parents=True)
    mark = tmp_path / "shared" / marker
    mark.parent.mkdir(exist_ok=True)
    mark.touch()
    (tmp_path / "elsewhere").symlink_to(folder)
    for key in (folder / "key.csv", tmp_path / "elsewhere" / "key.csv"):
        for use in (pseudonym_of, strike):
            with pytest.raises(InputError, match=rf"key\.csv: would lie {said} \(.*; keep the"):
                use(key, "p01")
        assert not key.exists()
    (tmp_path / "worktree").mkdir()
    assert pseudonym_of(tmp_path / "worktree" / "key.csv", "Ann").new


def test_a_work_tree_whose_git_folder_is_elsewhere_counts_too(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /elsewhere")
    with pytest.raises(InputError, match="git work tree"):
        pseudonym_of(tmp_path / "key.csv", "Ann")


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "safe").mkdir()
    link = tmp_path / "key.csv"
    link.symlink_to(tmp_path / "safe" / "key.csv")
    pseudonym_of(link, "Ann")

    assert link.is_symlink()
    assert [row["person"] for row in rows(tmp_path / "safe" / "key.csv")] == ["Ann"]


def test_devices_folders_and_pipes_are_no_key_files_and_keep_their_mode(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o644)
    before = mode(tmp_path), mode(tmp_path / "pipe"), mode(Path("/dev/null"))
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(InputError, match="is not a file"):
            pseudonym_of(path, "Ann")

    assert (mode(tmp_path), mode(tmp_path / "pipe"), mode(Path("/dev/null"))) == before


ASK_FOR_MANY = """
import sys
from pathlib import Path
from hype.keyfile import pseudonym_of
for number in range(20):
    pseudonym_of(Path(sys.argv[1]), f"person {number}")
    pseudonym_of(Path(sys.argv[1]), f"person {number} of {sys.argv[2]}")
"""


def test_stations_that_share_a_file_lose_nobody(key: Path) -> None:
    """Three programs ask at once, for people of their own and for the same ones."""
    command = [sys.executable, "-c", ASK_FOR_MANY, str(key)]
    stations = [subprocess.Popen([*command, name]) for name in "abc"]

    assert [station.wait(60) for station in stations] == [0, 0, 0]
    found = rows(key)
    assert len(found) == len({row["person"] for row in found}) == 20 + 3 * 20
    assert len({row["pseudonym"] for row in found}) == len(found)


def test_whoever_waits_for_the_lock_sees_what_was_written_meanwhile(key: Path) -> None:
    begun = threading.Event()

    def ask() -> str:
        begun.set()
        return pseudonym_of(key, "Ann").pseudonym

    with ThreadPoolExecutor(1) as other, keyfile.locked(key, make=True) as file:
        waiting = other.submit(ask)
        assert begun.wait(10)
        row = {"pseudonym": "first", "person": "Ann", "made_utc": ""}
        keyfile.write_key(file, keyfile.KeyTable(rows=[row]))
        assert not waiting.done()
    assert waiting.result(10) == "first"
