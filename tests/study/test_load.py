"""Finding and reading a study file."""

from pathlib import Path

import pytest
from builders import write_study

from hype.errors import InputError
from hype.study.load import load_study


def test_a_study_is_named_by_its_file_or_its_folder(tmp_path: Path) -> None:
    study = write_study(tmp_path)

    assert load_study(tmp_path) == load_study(tmp_path / "study.toml") == study
    assert study.stimuli_folder == tmp_path / "stimuli"
    assert study.masks_folder == tmp_path / "masks"


@pytest.mark.parametrize("place", ["", "no/such/place", "study.toml"])
def test_no_study(place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no such study; make one with: hype new DIR"):
        load_study(tmp_path / place)


def test_a_path_through_a_file(tmp_path: Path) -> None:
    write_study(tmp_path)
    with pytest.raises(InputError, match=r"study\.toml: "):
        load_study(tmp_path / "study.toml" / "study.toml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[study\n", r"study\.toml: is not TOML: .*line 1"),
        (b"[study]\nname = 'a'\nname = 'b'\n", r"is not TOML: .*line 3"),
        (b"\xff\xfe[study]", r"study\.toml: cannot be read: "),
        (b"", r"study: is missing"),
    ],
    ids=["syntax", "key twice", "not text", "empty"],
)
def test_files_that_are_no_study(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_study(tmp_path)


def test_checksum_follows_the_meaning_and_not_the_writing(tmp_path: Path) -> None:
    study = write_study(tmp_path / "a")
    spelt_out = write_study(tmp_path / "b", time={"mask_ms": 30.0})
    other = write_study(tmp_path / "c", time={"mask_ms": 40.0})

    assert spelt_out.checksum() == study.checksum() != other.checksum()
    assert '"mask_ms":30.0' in study.resolved()
