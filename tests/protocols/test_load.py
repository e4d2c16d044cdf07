"""Finding and reading a study file."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import settings_of, write_study

from hype.errors import InputError
from hype.protocols.hype.settings import Study
from hype.protocols.load import MOST_DOTS, load_study
from hype.study.mistakes import MOST_MISTAKES
from hype.study.studies import LARGEST_STUDY_BYTES


def test_a_study_is_named_by_its_file_or_its_folder(tmp_path):
    study = write_study(tmp_path)

    assert load_study(tmp_path) == load_study(tmp_path / "study.toml") == study
    assert study.stimuli_folder == tmp_path / "stimuli"
    assert study.masks_folder == tmp_path / "masks"


@pytest.mark.parametrize("place", ["", "no/such/place", "study.toml"])
def test_no_study(place, tmp_path):
    with pytest.raises(InputError, match=r"there is no such study; make one with: hype new DIR"):
        load_study(tmp_path / place)


def test_a_path_through_a_file(tmp_path):
    write_study(tmp_path)
    with pytest.raises(InputError, match=r"study\.toml: "):
        load_study(tmp_path / "study.toml" / "study.toml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[study\n", r"study\.toml: is not TOML: .*line 1"),
        (b"[study]\nname = a\n", r"is not TOML: a value must be text.*line 2, col"),
        (b'[study]\nname = "C:\\images"\n', r"is not TOML: a \\ in a path .* \(at line 2"),
        (b"\xff\xfe[study]", r"study\.toml: cannot be read: "),
        (b"", r"study: is missing"),
    ],
    ids=["syntax", "no value", "backslash", "not text", "empty"],
)
def test_files_that_are_no_study(content, message, tmp_path):
    (tmp_path / "study.toml").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_study(tmp_path)


def test_checksum_follows_the_meaning_and_not_the_writing(tmp_path):
    study = write_study(tmp_path / "a")
    spelt_out = write_study(tmp_path / "b", time={"mask_ms": 30.0})
    other = write_study(tmp_path / "c", time={"mask_ms": 40.0})

    assert spelt_out.checksum() == study.checksum() != other.checksum()
    assert '"mask_ms":30.0' in study.settings_json()


def test_every_key_that_names_a_folder_is_confined():
    """If a new key's name contains "folder", the list of folders must contain this key."""
    settings = settings_of(qualification={"valid_from": ["a", "b"]})
    tables = settings.model_dump()
    keys = {f"{table}.{key}" for table in tables for key in tables[table] or () if "folder" in key}

    named = list(Study(path=Path("study.toml"), settings=settings).list_folders())
    assert {key for key, _ in named} == {*keys, "qualification.valid_from"}
    assert [name for _, name in named] == ["stimuli", "masks", "a", "b"]
    untimed = settings_of(masks=None, study={"methods": ["infinity"]})
    assert len(list(Study(path=Path("study.toml"), settings=untimed).list_folders())) == 1


KEYS: dict[str, Callable[[str], dict[str, Any]]] = {
    "stimuli.folder": lambda name: {"stimuli": {"folder": name}},
    "masks.folder": lambda name: {"masks": {"folder": name}},
    "qualification.valid_from": lambda name: {"qualification": {"valid_from": ["pilot", name]}},
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ["..", "../x", "stimuli/../../x", "/etc", "link", "link/x"])
def test_folders_outside_the_study(key, name, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study/link").symlink_to("..")
    with pytest.raises(
        InputError, match=rf"study\.toml: line \d+: {key} = '{name}' .*; it must be a folder"
    ):
        write_study(tmp_path / "study", **KEYS[key](name))


def test_a_study_file_that_is_a_link_is_confined_to_where_its_record_will_lie(tmp_path):
    write_study(tmp_path / "experiments/mine", stimuli={"folder": "../../stimuli"})
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "a/b/c/study.toml").symlink_to(tmp_path / "experiments/mine/study.toml")
    with pytest.raises(
        InputError, match=r"'\.\./\.\./stimuli' leads out of the study, to .*a/stim"
    ):
        load_study(tmp_path / "a/b/c")


SPECIAL: dict[str, Callable[[Path], object]] = {
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("what", SPECIAL)
def test_a_study_file_is_a_plain_file(what, tmp_path):
    SPECIAL[what](tmp_path / "study.toml")
    with pytest.raises(InputError, match=r"study\.toml: is not a file; a plain file"):
        load_study(tmp_path)


def test_names_that_no_study_can_have(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for name in ("x" * 300, "loop"):
        with pytest.raises(InputError, match="cannot be read"):
            load_study(tmp_path / name)


UNPRINTABLE = {
    "a study's name": ('name = "x"', r'name = "x\u001b[2J"', r"name: contains '\\x1b'; a name"),
    "a line in a name": ('name = "x"', r'name = "x\ny"', r"study\.name: contains '\\n'; a name"),
    "a direction": ('name = "x"', 'name = "x\u202e"', r"study\.name: contains '\\u202e'; a name"),
    "a condition": (
        "\n[stimuli]",
        '\n[stimuli]\nconditions = ["a", "\x7f"]'.replace("\x7f", r"\u007f"),
        r"stimuli\.conditions: contains '\\x7f'; a name",
    ),
    "a table": (
        "\n[stimuli]",
        '\n[observers."\\u009b5m"]\nslope = 1\n[stimuli]',
        r"observers\.'\\x9b5m': contains '\\x9b'; a name",
    ),
    "a text": (
        "\n[stimuli]",
        '\n[texts]\nwelcome = "a\\u0007"\n[stimuli]',
        r"texts\.welcome: contains '\\x07'; text, which may have line breaks",
    ),
}


@pytest.mark.parametrize("what", UNPRINTABLE)
def test_what_a_terminal_would_obey_is_in_no_study_file(what, tmp_path):
    old, new, message = UNPRINTABLE[what]
    (tmp_path / "study.toml").write_text(WHOLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_study(tmp_path)


def test_texts_have_lines_and_are_written_either_way(tmp_path):
    text = "Welcome\n\n\u2067\u05e9\u05dc\u05d5\u05dd\u2069\t{minutes}"
    study = write_study(tmp_path, texts={"welcome": text})

    assert study.settings.texts.welcome == text


WHOLE = '[study]\nname = "x"\nmethods = ["infinity"]\n[stimuli]\nfolder = "stimuli"\n'
ENDLESS: dict[str, tuple[str, str]] = {
    "file": ("#" * LARGEST_STUDY_BYTES, r"study\.toml: has 262,\d+ bytes; at most 262,144"),
    "array": ("a = " + "[" * 50_000, "contains hundreds of nested arrays or tables; a"),
    "table": ("a = " + "{b = " * 50_000, "contains hundreds of nested arrays or tables; a"),
    "key": ("a" + ".a" * 100_000 + " = 1", rf"line 1: is too long; at most {MOST_DOTS} dots"),
    "quoted key": (
        "''" + ".'\u2028'" * 20_000 + " = 1",
        rf"line 1: is too long; at most {MOST_DOTS} dots",
    ),
    "number": (f"a = {'9' * 5000}", "contains a number with thousands of digits; whole numbers"),
    "hexadecimal number": (f"a = 0x{'f' * 5000}", "a: contains a whole number beyond 64 bits"),
    "number in an array": (f"a.b = [[1, {2**63}]]", r"a\.b: contains a whole number beyond 64"),
    "mistakes": (
        "".join(f"key{n} = 1\n" for n in range(5000)),
        rf"key19: unknown key; .*\n  and {5000 - MOST_MISTAKES} more mistakes",
    ),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_endless_things_end_in_one_message(what, tmp_path):
    text, message = ENDLESS[what]
    (tmp_path / "study.toml").write_text(f"{text}\n{WHOLE}", encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        load_study(tmp_path)
    assert len(str(caught.value)) < 10_000


@pytest.mark.parametrize(
    "text",
    [
        '"\\u001b[2J" = 1\n' + WHOLE,
        WHOLE.replace('"infinity"', '"\\u001b[2J"'),
        WHOLE.replace('"stimuli"', '"\\u001b[2J"'),
        WHOLE.replace('"stimuli"', '"stimuli\\u0000"'),
        WHOLE + '[observers."\\u0007"]\nslope = -1\n',
    ],
    ids=["key", "value", "folder", "folder with an end", "condition"],
)
def test_messages_repeat_nothing_that_a_terminal_would_obey(text, tmp_path):
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_study(tmp_path)
    assert str(caught.value).replace("\n", "").isprintable()
    assert "\\x" in str(caught.value)


def test_long_values_are_shown_in_part(tmp_path):
    with pytest.raises(InputError, match=r"study\.methods\.1 = 'xxx.*\.\.\..*xxx': ") as caught:
        write_study(tmp_path, study={"methods": ["x" * 10_000]})
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"time": {"blocks": 2**62}}, r"time\.blocks = \d+: must be 1000 or less"),
        ({"infinity": {"blocks": 1001}}, r"infinity\.blocks = 1001"),
        ({"time": {"staircase": {"max_ms": 1e300}}}, r"time\.staircase\.max_ms = 1e\+300"),
        ({"display": {"window_px": [2**40, 2**40]}}, r"display\.window_px\.1 = "),
    ],
)
def test_numbers_that_would_fill_the_memory(changes, message, tmp_path):
    with pytest.raises(InputError, match=message):
        write_study(tmp_path, **changes)
