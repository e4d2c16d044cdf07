"""`hype export`: exported data can be read back unchanged, and bad input gets one message."""

import csv
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from builders import contents, whole_study
from export_studies import CONDITIONS, strange_study, with_everybody
from long import long_but
from paper_station import PaperStation, record_of, rows_of, sit

from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record

ARGUMENTS = ("--json", "--draws", "100")
SIMULATED = pytest.param(("--simulated",), id="simulated", marks=pytest.mark.long)
WHO = pytest.mark.parametrize("who", [(), SIMULATED])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study with repeats of spoiled trials, and with people and simulated evaluators."""
    study = strange_study(
        tmp_path_factory.mktemp("made") / "study",
        timing={"spoiled_trials": "repeat"},
        time={"staircase": {"min_ms": 100 / 3, "max_ms": 1000}},
    )
    return with_everybody(study, spoiling=True)


@WHO
def test_the_scores_of_an_exported_csv_are_those_of_its_study_to_the_last_digit(
    study, who, hype, tmp_path
):
    exported = hype("export", study.folder, "--format", "csv", "-o", tmp_path, *who)
    table = tmp_path / "judgements.csv"
    of_study = hype("score", study.folder, *who, *ARGUMENTS)

    assert exported.code == of_study.code == 0
    assert {c["condition"] for one in of_study.json for c in one["conditions"]} == set(CONDITIONS)
    assert {one["simulated"] for one in of_study.json} == {bool(who)}
    assert hype("score", table, *ARGUMENTS) == of_study


@WHO
def test_what_is_marked_as_excluded_is_what_is_not_scored(study, who, hype, tmp_path):
    hype("export", study.folder, "-o", tmp_path, *who)
    with (tmp_path / "judgements.csv").open(newline="") as file:
        left = [row for row in csv.DictReader(file) if not row["excluded"]]
    for one in hype("score", study.folder, *who, *ARGUMENTS).json:
        scored = sum(condition["judgements"] for condition in one["conditions"])
        assert scored == sum(row["task"] == one["protocol"] for row in left)


@pytest.mark.long
def test_every_option_of_scoring_finds_in_a_table_what_it_finds_in_the_study(study, hype, tmp_path):
    for name in ("csv", "parquet"):
        hype("export", study.folder, "--format", name, "-o", tmp_path)
    for options in (("--spoiled", "keep"), ("--spoiled", "leave-out"), ("--by", "source")):
        of_study = hype("score", study.folder, *ARGUMENTS, *options)
        assert of_study.code == 0
        for name in ("csv", "parquet"):
            table = tmp_path / f"judgements.{name}"
            assert hype("score", table, *ARGUMENTS, *options) == of_study


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose record contains two simulated evaluators and no people."""
    study = whole_study(tmp_path_factory.mktemp("simulated") / "study")
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=1).simulate_some(2))
    return study.folder


@pytest.mark.parametrize("name", ["csv", "bids"])
def test_nothing_is_written_where_there_is_nothing_of_the_kind(simulated, name, hype, tmp_path):
    said = hype("export", simulated, "--format", name, "-o", tmp_path / "out").refused()

    assert said == hype("score", simulated).refused()
    assert said.endswith(
        "data.sqlite: contains no judgements by people; --simulated reads the simulated evaluators"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_an_export_says_what_it_wrote_and_the_next_takes_its_place(simulated, name, hype, tmp_path):
    with reading_record(simulated / RECORD_FILE) as engine:
        count = len(rows_of(engine, judgements))
    folder = tmp_path / "[red] out"
    runs = []
    for _ in range(2):
        done = hype("export", simulated, "--format", name, "-o", folder, "--simulated")
        assert (done.code, done.err) == (0, "")
        runs.append(contents(folder))
        written = folder / f"judgements.{name}"
        assert done.out == f"{written}: {count} judgements\n"

    assert runs[0] == runs[1]
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("name", ["bids", "psych-ds"])
def test_a_dataset_takes_a_folder_of_its_own(simulated, name, hype, tmp_path):
    folder = tmp_path / "new" / "dataset"
    arguments = ("export", simulated, "--format", name, "-o", folder, "--simulated")
    done = hype(*arguments)
    before = contents(folder)

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{folder}: ")
    assert "dataset_description.json" in before
    assert hype(*arguments).refused().startswith(f"hype: {folder}: is not empty")
    assert contents(tmp_path / "new") == {f"dataset/{path}": old for path, old in before.items()}


def test_a_failed_export_leaves_what_was_there(simulated, hype, tmp_path):
    blocked = tmp_path / "judgements.csv"
    blocked.mkdir()
    said = hype("export", simulated, "-o", tmp_path, "--simulated").refused()

    assert said.startswith(f"hype: {blocked}: cannot be written: ")
    assert list(tmp_path.iterdir()) == [blocked]


def test_an_unknown_format_is_refused_with_those_there_are(simulated, hype, tmp_path):
    said = hype("export", simulated, "--format", "xlsx", "-o", tmp_path).refused()

    assert said.endswith(
        "--format: 'xlsx' is not known; one of csv, parquet, bids, psych-ds, preferences, items"
    )


def test_images_that_are_judged_one_by_one_make_no_pairs(simulated, hype, tmp_path):
    arguments = ("--format", "preferences", "-o", tmp_path / "out", "--simulated")
    said = hype("export", simulated, *arguments).refused()

    assert said == (
        f"hype: --format preferences: {simulated / 'study.toml'} has no pairs of images: its "
        "evaluators see single images; one of csv, parquet, bids, psych-ds"
    )
    assert not (tmp_path / "out").exists()


def killed_half_way(home: Path, *arguments: object) -> list[str]:
    """Start the program, kill it when it creates a file, and return what it left in ``home``.

    On a busy machine the program may finish before it is killed; then it is started again.
    """
    program = Path(sys.executable).parent / "hype"
    for _ in range(20):
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        with subprocess.Popen(
            [program, *map(str, arguments)], stdout=subprocess.DEVNULL
        ) as running:
            while running.poll() is None and not any(home.glob(".hype-*")):
                pass
            running.kill()
        left = [path.name for path in home.iterdir()]
        if running.returncode == -signal.SIGKILL and any(name[0] == "." for name in left):
            return left
    raise AssertionError(left)


@pytest.fixture
def attended(tmp_path: Path) -> Study:
    study = whole_study(tmp_path / "study")
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation())
    return study


@pytest.mark.long
@pytest.mark.parametrize("form", long_but(["bids"], ["bids", "psych-ds"]))
def test_an_export_that_was_killed_leaves_nothing_to_the_next(form, attended, tmp_path, hype):
    home = tmp_path / "exports"
    arguments = ("export", attended.folder, "--format", form, "-o", home / "data")
    (left,) = killed_half_way(home, *arguments)

    assert left.startswith(".hype-export-")
    assert hype(*arguments).code == 0
    assert [path.name for path in home.iterdir()] == ["data"]


@pytest.mark.long
def test_a_backup_that_was_killed_leaves_nothing_to_the_next(attended, hype):
    backups = attended.folder / "backups"
    left = killed_half_way(backups, "backup", attended.folder)

    assert any(name.startswith(".hype-backup-") for name in left)
    assert hype("backup", attended.folder).code == 0
    assert {path.suffix for path in backups.iterdir()} == {".sqlite"}
