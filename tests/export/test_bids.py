"""A study as a BIDS data set: the result of the standard's validator, and the contents."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from builders import contents, noise, stimulus_set, whole_study
from known import write_bids
from paper_station import record_of, sit
from sqlalchemy import select, update
from standard_studies import DISPLAY, HOST, answers_in, exported, read_json, rows_in

from hype.errors import InputError
from hype.export.bids import cell
from hype.protocols.hype.record import judgements
from hype.protocols.load import load_study
from hype.stimuli.collection import scan
from hype.store.columns import metadata
from hype.store.record import RECORD_FILE
from hype.store.schema import sessions
from hype.store.sqlite_record import reading_record

TASKS = ("task-practice", "task-qualification", "task-hypetime", "task-hypeinfinity")
ONLY_OWNERS_KNOW = {
    *("License", "Authors", "CogAtlasID", "CogPOID"),
    *("InstitutionName", "InstitutionAddress", "InstitutionalDepartmentName"),
}


@pytest.fixture(scope="module")
def study(standard_study):
    return standard_study


@pytest.fixture(scope="module")
def dataset(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bids") / "deep" / "er" / "dataset"
    exported(write_bids, study, folder)
    return folder


@pytest.fixture
def own_study(study, tmp_path):
    """Return a copy of the study that a test may change."""
    return load_study(Path(shutil.copytree(study.folder, tmp_path / "study")))


def validated(folder: Path) -> tuple[list[Any], set[str]]:
    """Return the validator's errors, and the codes of its warnings."""
    program = Path(sys.executable).parent / "bids-validator-deno"
    with tempfile.TemporaryDirectory() as place:
        # The validator may not read /dev, which may contain the folders of the tests.
        copy = shutil.copytree(folder, Path(place) / "dataset")
        command = [program, copy, "--format", "json", "--max-rows", "-1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    issues = json.loads(done.stdout)["issues"]["issues"]
    errors = [issue for issue in issues if issue["severity"] == "error"]
    return errors, {i.get("subCode") or i["code"] for i in issues if i["severity"] != "error"}


def test_a_session_that_was_resumed_is_two(dataset):
    (table,) = dataset.glob("sub-p01x3/sub-p01x3_sessions.tsv")
    rows = rows_in(table)
    ends = [(row["session_id"], row["ended"]) for row in rows]

    assert ends == [("ses-01", "quit"), ("ses-02", "complete")]
    assert [r["judged"] for r in rows] == [
        str(sum(len(rows_in(p)) for p in table.parent.glob(f"{r['session_id']}/beh/*.tsv")))
        for r in rows
    ]
    assert len(list(table.parent.glob("ses-*/beh/*_task-hypetime_beh.tsv"))) == 2


def test_what_is_not_scored_is_there_and_says_why(dataset):
    why = {row["excluded"] for row in answers_in(dataset)}

    assert why == {"n/a", "practice", "qualification", "unfinished", "unqualified", "spoiled"}


def test_every_column_is_described_and_no_cell_is_empty(dataset):
    described = {
        "participants.tsv": "participants.json",
        "sub-*/*_sessions.tsv": "sessions.json",
        **{f"sub-*/ses-*/beh/*_{task}_beh.tsv": f"{task}_beh.json" for task in TASKS},
    }
    for pattern, sidecar in described.items():
        about = read_json(dataset / sidecar)
        for table in dataset.glob(pattern):
            header, *rows = (line.split("\t") for line in table.read_text("utf-8").splitlines())
            assert set(header) <= set(about)
            assert all("Description" in about[name] for name in header)
            assert all(len(row) == len(header) and all(row) for row in rows)


def test_the_sidecar_says_what_was_asked_and_what_showed_it(study, dataset):
    sidecar = read_json(dataset / "task-hypetime_beh.json")

    assert sidecar["TaskName"] == "hypetime"
    assert "each evaluator judged" in sidecar["TaskDescription"]
    assert sidecar["TaskDescription"] in (dataset / "README.md").read_text("utf-8")
    assert study.settings.texts.instructions_timed in sidecar["Instructions"]
    assert sidecar["StimulusPresentation"].pop("SoftwareVersion")
    assert sidecar["StimulusPresentation"] == {
        "SoftwareName": "PsychoPy",
        "SoftwareRRID": "SCR_006571",
        "OperatingSystem": "Linux-6.1",
        "ScreenRefreshRate": 60.0,
        "ScreenResolution": [1920, 1080],
        "ScreenOrigin": ["center", "center"],
        "ScreenSize": [0.53, 0.2981],
        "ScreenDistance": 0.57,
    }


def test_what_differed_between_sessions_is_said_beside_their_tables(own_study, tmp_path):
    other = json.dumps(DISPLAY | {"refresh_hz": 120.0})
    with record_of(own_study) as engine, engine.begin() as connection:
        connection.execute(update(sessions).where(sessions.c.id == 2).values(display=other))
    exported(write_bids, own_study, tmp_path / "dataset")
    rates = {
        path.parts[-3]: read_json(path)["StimulusPresentation"]["ScreenRefreshRate"]
        for path in (tmp_path / "dataset").glob("sub-p01x3/ses-*/beh/*_task-hypetime_beh.json")
    }

    assert rates == {"ses-01": 60.0, "ses-02": 120.0}
    assert "StimulusPresentation" not in read_json(tmp_path / "dataset" / "task-hypetime_beh.json")
    assert validated(tmp_path / "dataset")[0] == []


def test_the_manifest_lists_the_images_and_their_licence_goes_along(dataset):
    places = {row["image"]: row["stim_file"] for row in answers_in(dataset)}
    listed = {
        row["path"]: row["stim_file"] for row in rows_in(dataset / "stimuli" / "manifest.csv")
    }

    assert listed == places
    assert (dataset / "stimuli" / "LICENSE").is_file()


@pytest.mark.parametrize("damage", ["another image", "gone"])
def test_an_image_that_is_not_the_one_that_was_judged_is_refused(
    damage, own_study, dataset, tmp_path
):
    image = own_study.stimuli_folder / answers_in(dataset)[0]["image"]
    before = set(tmp_path.iterdir())
    if damage == "gone":
        image.unlink()
    else:
        image.write_bytes(image.read_bytes() + b" ")

    with pytest.raises(InputError, match=rf"{image.name}: .*(SHA-256 differs|cannot be read)"):
        exported(write_bids, own_study, tmp_path / "new" / "dataset")
    assert set(tmp_path.iterdir()) == before


def test_a_record_that_leads_elsewhere_is_not_followed(own_study, tmp_path):
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    with record_of(own_study) as engine, engine.begin() as connection:
        connection.execute(update(judgements).values(image="../../secret"))

    with pytest.raises(InputError, match=r"\.\./\.\./secret"):
        exported(write_bids, own_study, tmp_path / "dataset")
    assert not (tmp_path / "dataset").exists()


def test_the_record_goes_along_without_the_machines_name(study, dataset):
    raw = dataset / "sourcedata" / "record"
    with reading_record(study.folder / RECORD_FILE) as engine, engine.connect() as connection:
        held = {
            str(table): {
                row[0]
                for row in connection.execute(select(table))
                if not row._mapping.get("simulated")
            }
            for table in metadata.sorted_tables
        }
    for table in ("evaluators", "judgements", "removals"):
        rows = [json.loads(line) for line in (raw / f"{table}.jsonl").read_text().splitlines()]
        assert {row["id"] for row in rows} == held[table]
    sat = [json.loads(line) for line in (raw / "sessions.jsonl").read_text().splitlines()]
    assert {row["evaluator_id"] for row in sat} == held["evaluators"]
    assert sat[0]["machine"] == {"system": "Linux-6.1"}
    assert not [name for name, content in contents(dataset).items() if HOST.encode() in content]


def test_the_way_to_folders_of_the_machine_stays_there(own_study, tmp_path):
    with record_of(own_study) as engine, engine.begin() as connection:
        connection.exec_driver_sql(
            "update studies set resolved = json_set(resolved, '$.masks.folder', '/home/anna/m')"
        )
    exported(write_bids, own_study, tmp_path / "dataset")
    (line,) = (tmp_path / "dataset/sourcedata/record/studies.jsonl").read_text().splitlines()

    assert json.loads(line)["resolved"]["masks"]["folder"] == "m"


def test_images_of_a_test_with_a_set_of_its_own_go_along(tmp_path):
    """The two sets have different images with the same paths."""
    study = whole_study(tmp_path, {"": 14, "crude": 14}, qualification={"stimuli": "pool"})
    pool = stimulus_set(tmp_path / "pool", {"": 5, "old": 4})
    for number, path in enumerate(sorted(pool.rglob("*.png"))):
        noise(7000 + number).save(path)
    scan(pool)
    with record_of(study) as engine:
        sit(engine, study, "p01")
    exported(write_bids, study, tmp_path / "bids")

    (table,) = (tmp_path / "bids").rglob("*_task-qualification_beh.tsv")
    rows = rows_in(table)
    assert {row["source"] for row in rows} == {"old", "n/a"}
    for row in rows:
        copied = tmp_path / "bids" / "stimuli" / row["stim_file"]
        assert copied.read_bytes() == (pool / row["image"].partition("/")[2]).read_bytes()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "n/a"),
        ("", "n/a"),
        (True, "true"),
        (-3.5, "-3.5"),
        ("=cmd()", "'=cmd()"),
        ("-5", "'-5"),
        ("n/a", "'n/a"),
        ("'n/a", "''n/a"),
        ("NA", "'NA"),
        ('"a', "'\"a"),
        ("a\tb\nc", "a b c"),
        ("\t=1", " =1"),
        ("<b>Tom's</b>", "<b>Tom's</b>"),
    ],
)
def test_a_cell_is_read_as_what_it_was(value, written):
    assert cell(value) == written
