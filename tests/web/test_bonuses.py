"""Bonus files for platforms, from the record and the file of people."""

import shutil
import stat
from pathlib import Path

import pytest
from attended_studies import judged_in_every_state

from hype.protocols.load import load_any
from hype.web.desk import FileDesk

PEOPLE = (
    "code,person,assignment,submit_to\n"
    "p01,prolific:5f3a1b2c3d4e5f6a7b8c9d0e,,\n"
    "p02,prolific:6f3a1b2c3d4e5f6a7b8c9d0e,,\n"
    "p04,mturk:A3LEFTEARLY,ASSIGNMENT4,https://www.mturk.com\n"
    "p05,mturk:A2XJMS2J2FMVXK,ASSIGNMENT5,https://www.mturk.com\n"
    "p09,prolific:7f3a1b2c3d4e5f6a7b8c9d0e,,\n"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judged_in_every_state(tmp_path_factory.mktemp("made")).folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "study"))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "keys" / "study.csv"
    file.parent.mkdir()
    file.write_text(PEOPLE)
    return file


def test_each_platform_has_a_file_of_those_who_are_done(folder, key, tmp_path, hype, monkeypatch):
    pay = tmp_path / "pay.csv"
    done = hype("status", folder, "--pay", pay, "--key", key)
    prolific, turk = tmp_path / "pay-prolific.csv", tmp_path / "pay-mturk.csv"

    assert done.out.splitlines() == [
        f"{pay}: 4 evaluators are owed $4.48 in all",
        f"{turk}: 1 bonus of $0.16 in all, for Mechanical Turk",
        f"{prolific}: 1 bonus of $0.24 in all, for Prolific",
    ]
    assert prolific.read_text() == "5f3a1b2c3d4e5f6a7b8c9d0e,0.24\n"
    header, row = turk.read_text().splitlines()
    assert header == "WorkerId,AssignmentId,BonusAmount,Reason,UniqueRequestToken"
    assert row.startswith("A2XJMS2J2FMVXK,ASSIGNMENT5,0.16,Thank you for your answers.,")
    assert stat.S_IMODE(turk.stat().st_mode) == stat.S_IMODE(prolific.stat().st_mode) == 0o600
    again = turk.read_bytes()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with (folder / "study.toml").open("a") as study:
        study.write('[web]\nplatform = "mturk"\n')
    command = ("status", folder, "--pay", pay)
    assert len(hype(*command).out.splitlines()) == 1  # on a machine without the file of people
    people = FileDesk.of(load_any(folder)).people_path
    people.parent.mkdir(parents=True)
    key.rename(people)
    hype(*command, "--json")
    assert turk.read_bytes() == again, "sending the file twice pays once"
    assert "5f3a" not in pay.read_text()


def test_nobody_came_from_a_platform(folder, key, tmp_path, hype):
    key.write_text("code,person\np01,Ann Lee\np05,sona:4711\n")
    done = hype("status", folder, "--pay", tmp_path / "pay.csv", "--key", key)

    assert done.out.endswith("nobody from a platform is owed a bonus\n")
    assert {file.name for file in tmp_path.glob("*.csv")} == {"pay.csv"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--key", "{key}"), "--key: is given without --pay"),
        (("--key", "{folder}/k.csv", "--pay", "{out}"), "k.csv: would be in a study"),
        (("--key", "{key}", "--pay", "{folder}/pay.csv"), "pay.csv: would be in a study"),
        (
            ("--key", "{folder}/../nowhere.csv", "--pay", "{out}"),
            "nowhere.csv: there is no",
        ),
    ],
)
def test_names_lie_outside_of_studies(options, message, folder, key, tmp_path, hype):
    places = {"key": key, "folder": folder, "out": tmp_path / "pay.csv"}
    done = hype("status", folder, *(option.format(**places) for option in options))

    assert done.code == 2
    assert message in done.err


def test_mechanical_turk_pays_in_dollars(folder, key, tmp_path, hype):
    with (folder / "study.toml").open("a") as study:
        study.write('[pay]\ncurrency = "€"\n')
    done = hype("status", folder, "--pay", tmp_path / "pay.csv", "--key", key)

    assert done.code == 2
    assert "pay.currency = '€', but Mechanical Turk pays in dollars" in done.err
