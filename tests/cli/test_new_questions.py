"""`hype new` at a terminal asks; what is answered makes the study that options make."""

import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import contents, image_folder, pseudo_terminal
from running import Program, Ran

import hype.cli.new as command
from hype.protocols.load import load_any

Asked = Callable[..., "Ran"]


@pytest.fixture
def asked(hype: Program, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Run the program at a terminal at which somebody types these lines."""

    def run(*lines: str, words: tuple[str, ...] = ("new",)) -> Ran:
        far, near = pseudo_terminal()
        os.write(far, "".join(f"{line}\n" for line in lines).encode())
        with monkeypatch.context() as patch, os.fdopen(near, encoding="utf-8") as terminal:
            patch.setattr(sys, "stdin", terminal)
            ran = hype(*words)
        os.close(far)
        return ran

    return run


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Images of people who sort them by folders: of two models, and photographs beside them."""
    for number, name in enumerate(("photos", "models/new one", "models/old", "models/.trash")):
        image_folder(tmp_path / name, 40, first=1000 * number)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "number_of_masks", lambda *_: 1)
    return tmp_path


OPTIONS = (
    *("--real", "photos", "--fake", "new one=models/new one", "--fake", "old=models/old"),
    *("--method", "infinity", "--evaluators", "12", "--language", "de", "--web"),
)


def test_answers_make_the_study_that_options_make(images, asked, hype):
    ran = asked("2", "", "photos", "models", "", "12", "2", "de", "y")
    (images / "asked").mkdir()
    (images / "my-study").rename(images / "asked/my-study")
    again = hype("new", "my-study", *OPTIONS)
    made = load_any(images / "my-study").settings

    assert ran.code == again.code == 0, ran.err
    assert "new one: 40 images" in ran.err
    assert "hype serve my-study" in ran.out
    said = ran.out.splitlines()[-1].partition(": ")[2]
    assert shlex.split(said) == ["hype", "new", "my-study", *OPTIONS]
    assert contents(images / "asked/my-study") == contents(images / "my-study")
    assert not (images / "my-study/masks").exists()  # nothing is covered where nothing is flashed
    assert (made.study.evaluators, made.study.language, made.web.is_open) == (12, "de", True)


def test_whoever_only_presses_enter_has_a_file_to_start_from(tmp_path, asked, hype, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = asked(*[""] * 7)
    (tmp_path / "my-study").rename(tmp_path / "asked")

    assert ran.code == 0, ran.err
    assert hype("new", "my-study").code == 0
    assert contents(tmp_path / "asked") == contents(tmp_path / "my-study")


def test_what_cannot_be_is_asked_again(images, asked):
    (images / "taken").mkdir()
    (images / "taken/file").touch()
    ran = asked(
        *("9", "1", "taken", "fresh", "nowhere", "photos", "models", "n", "models/old", ""),
        *("0", "5", "", "xx", "", "n"),
    )

    for problem in ("from 1 to 7", "is there already", "no such folder", "1 or more", "one of en"):
        assert problem in ran.err
    assert "old: 40 images" in ran.err.partition("Are these 2 models meant?")[2]
    assert ran.code == 1
    assert not (images / "fresh").exists()


@pytest.mark.parametrize("kind", range(3, 8))
def test_every_kind_can_be_begun(kind, tmp_path, asked, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = asked(str(kind), *[""] * 8, words=("new", "study"))

    assert ran.code == 0, ran.err
    assert load_any(tmp_path / "study").settings.study.name == "study"


def test_an_interrupt_leaves_nothing(images, asked, monkeypatch):
    def interrupted(_: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("it went on")

    before = contents(images)
    monkeypatch.setattr(command, "scan", interrupted)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # who started us may ignore
    ran = asked("2", "", "photos", "models", "", "", "", "", "")
    signal.signal(signal.SIGINT, handler)

    assert ran.code == 130
    assert contents(images) == before
    assert {path.name for path in images.iterdir()} == {"photos", "models"}


def test_nobody_is_asked_who_gives_an_option_or_is_not_there(tmp_path, asked, hype, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert asked(words=("new", "one", "--template", "rating")).code == 0
    assert hype("new", "two").code == 0
    assert "Missing argument 'DIR'" in " ".join(hype("new").err.split())
    assert "is not planned" in hype("new", "x", "--template", "arena", "--evaluators", 3).refused()
    assert (
        "in English"
        in hype("new", "x", "--template", "qualification", "--language", "de").refused()
    )
    assert "'xx' is not known" in hype("new", "x", "--language", "xx").refused()
