"""A fifth protocol is one folder (`tests/made/picking`): only the registry knows it.

Its programs run in separate processes with this registry.
"""

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from known import STATUS_KEYS
from picking.course import PickingLook, PickingTrial
from PIL import Image
from prompted_window import KEYS, LOOK, candidate

from hype.station.config import StationConfig

HERE = Path(__file__).parent
MODELS = ("alpha", "beta", "gamma")
EVALUATORS = 6
ROWS = 4
"""Each of two prompts has two images from every model."""
AS_SIMULATED = """
[observers.beta]
strength = 1.5
[people]
rt_median_ms = 60
"""


def picking(*commands: Sequence[object], made: Path = HERE / "made") -> list[str]:
    """Run commands one after the other in a separate process; return the output of each.

    ``made`` is the folder that contains the protocol.
    """
    path = os.pathsep.join(map(str, (HERE.parent, made)))
    ran = subprocess.run(
        [sys.executable, "-m", "picking"],
        env=os.environ | {"PYTHONPATH": path},
        input=json.dumps([list(map(str, command)) for command in commands]),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, display: bool) -> Path:
    """Make a study from folders of images, simulate it, and run a session at a window."""
    folder = tmp_path_factory.mktemp("picking")
    rng = np.random.default_rng(1)
    for model in MODELS:
        for prompt in ("a bag", "a sneaker"):
            (folder / model / prompt).mkdir(parents=True)
            for number in range(2):
                pixels = rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(folder / model / prompt / f"{number}.png")
    made = folder / "study"
    fakes = (part for model in MODELS for part in ("--fake", f"{model}={folder / model}"))
    picking(("new", made, "--template", "picking", *fakes))
    with (made / "study.toml").open("a", encoding="utf-8") as file:
        file.write(AS_SIMULATED)
    *_, said = picking(
        ("simulate", made, "--evaluators", EVALUATORS),
        ("run", made, "--evaluator", "w1", "--simulate", "--windowed"),
    )
    assert "The session is complete." in said
    return made


def test_what_was_picked_at_a_window_is_in_the_record(study):
    with closing(sqlite3.connect(study / "data.sqlite")) as record, record:
        query = (
            "SELECT p.answer, p.key, p.images FROM picks p "
            "JOIN evaluators e ON e.id = p.evaluator_id WHERE e.evaluator = 'w1'"
        )
        rows = record.execute(query).fetchall()

    assert len(rows) == ROWS
    assert {key for _, key, _ in rows} <= {"1", "2", "3", "mouse"}
    assert all(answer == key for answer, key, _ in rows if key != "mouse")
    assert all(len(json.loads(images)) == len(MODELS) for _, _, images in rows)


def test_its_rows_are_shown_in_a_browser_as_well():
    trial = PickingTrial(number=1, prompt="a bag", images=tuple(map(candidate, MODELS)), done=0.5)
    look = PickingLook(question="Which image is the best?", images_shown=3)
    config = StationConfig(keys=KEYS, appearance=LOOK, texts={}, trials=look)
    scene = look.scene(trial, config)

    assert scene.answers == {"1", "2", "3"}
    assert [button.picture for button in scene.buttons] == [0, 1, 2]
    assert scene.pictures == trial.pictures


def test_it_is_checked_verified_registered_and_followed(study):
    checked, verified, registered, saved, status = picking(
        ("check", study, "--no-display"),
        ("verify", study),
        ("register", study),
        ("backup", study),
        ("status", study, "--simulated", "--json"),
    )
    told = json.loads(status)
    whole = told["whole"]

    assert "rows        4 each" in checked
    assert "7 simulated evaluators, 28 picks: all as planned." in verified
    assert "declined; left-out; unqualified; unfinished" in registered
    assert "simulated: 7 evaluators, 28 picks" in " ".join(saved.split())
    assert set(told) == STATUS_KEYS["study"]
    assert (whole["complete"], whole["answers"]) == (EVALUATORS + 1, 28)


def test_it_is_scored_reported_and_exported(study, tmp_path):
    page, table, data = (tmp_path / name for name in ("page.html", "csv", "data"))
    of = (study, "--simulated")
    scored, shown, *_, again = picking(
        ("score", *of, "--json"),
        ("score", *of),
        ("report", *of, "-o", page, "--tables", tmp_path),
        ("export", *of, "-o", table),
        ("export", *of, "-o", data, "--format", "psych-ds"),
        ("score", table / "picks.csv", "--json"),
    )
    score = json.loads(scored)
    best, *_ = score["conditions"]

    assert (score["protocol"], score["picks"], best["condition"]) == ("picking", 28, "beta")
    assert best["share"] == pytest.approx(100 * best["picked"] / best["shown"])
    assert best["share_low"] < best["share"] < best["share_high"]
    assert "How often each was picked" in shown
    assert json.loads(again)["conditions"] == score["conditions"]
    written = page.read_text(encoding="utf-8")
    assert "How often each was picked" in written
    assert "Individual choice behavior" in written, "the protocol's own work is cited and listed"
    assert (tmp_path / "picking-conditions.csv").read_text(encoding="utf-8").count("\n") == 1 + len(
        MODELS
    )
    with (table / "picks.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 28
    assert (data / "dataset_description.json").is_file()


def test_a_column_of_scores_is_named_in_one_line(study, tmp_path):
    """The column appears in terminal, page, CSV, LaTeX, JSON and data dictionary."""
    ours = shutil.copytree(HERE / "made" / "picking", tmp_path / "made" / "picking")
    line = '            tabular.whole("Shown", "shown"),\n'
    twice = line.replace("Shown", "Twice").replace('"shown"', '"twice", of=lambda r: 2 * r.shown')
    source = (ours / "score.py").read_text(encoding="utf-8")
    (ours / "score.py").write_text(source.replace(line, line + twice), encoding="utf-8")
    page, of = tmp_path / "page.html", (study, "--simulated")
    commands = (
        ("score", *of, "--json"),
        ("score", *of),
        ("report", *of, "-o", page, "--tables", tmp_path),
    )
    scored, shown, _ = picking(*commands, made=ours.parent)
    files = [tmp_path / f"picking-conditions.{ending}" for ending in ("csv", "tex")]
    csv_text, tex = (path.read_text(encoding="utf-8") for path in files)

    assert all(row["twice"] == 2 * row["shown"] for row in json.loads(scored)["conditions"])
    assert "Twice" in shown
    assert "Twice" in page.read_text(encoding="utf-8")
    assert "twice" in csv_text.split("\n")[0].split(",")
    assert "Twice" in tex
    dictionary = (tmp_path / "columns.csv").read_text(encoding="utf-8")
    assert "picking-conditions,twice,Twice," in dictionary
