"""`hype reward`: train a model on votes, compare it with people, and ask people again."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from builders import csv_rows
from long import long_but
from PIL import Image
from running import Ran, run_here

from hype.stimuli.manifest import read_manifest

PROMPTS = [f"a thing {chr(97 + n)}" for n in range(8)]
FEATURES = 6


def pictures(folder: Path, rng: np.random.Generator) -> None:
    for prompt in PROMPTS:
        (folder / prompt).mkdir(parents=True)
        for n in range(6):
            pixels = rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / prompt / f"{n}.png")


def begun(folder: Path, template: str) -> Path:
    """Make a small study with simulated answers, and features that differ between conditions."""
    rng = np.random.default_rng(0)
    fakes = []
    for name in ("good", "poor"):
        pictures(folder / name, rng)
        fakes += ["--fake", f"{name}={folder / name}"]
    study = folder / template
    assert run_here("new", study, "--template", template, *fakes).code == 0
    file = study / "study.toml"
    observers = "\n[observers.good]\nstrength = 1.5\n[observers.poor]\nstrength = -1.5\n"
    file.write_text(file.read_text() + observers)
    assert run_here("simulate", study, "--evaluators", 24).code == 0
    with (folder / "features.csv").open("w", newline="") as table:
        writer = csv.writer(table)
        writer.writerow(["image", *(f"f{n}" for n in range(FEATURES))])
        for one in read_manifest(study / "stimuli").stimuli:
            values = rng.normal(size=FEATURES) + (one.condition == "good")
            writer.writerow([one.path, *values.round(4)])
    return study


@pytest.fixture(
    scope="module", params=long_but(["comparison"], ["comparison", "ranking", "rating"])
)
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begun(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a study of rankings for which a model was trained."""
    study = begun(tmp_path_factory.mktemp("ranked"), "ranking")
    assert trained(study).code == 0
    return study


def trained(study: Path, name: str = "model", *more: object) -> Ran:
    file = study.parent / "features.csv"
    shutil.rmtree(study.parent / name, ignore_errors=True)
    out = study.parent / name
    return run_here("reward", "train", study, "--simulated", "--features", file, "-o", out, *more)


def test_from_votes_to_scores_beside_people(study):
    ran = trained(study)
    model, features = study.parent / "model", study.parent / "features.csv"
    scores = study.parent / "scores.csv"

    assert ran.code == 0, ran.err
    assert "TRAINED ON SIMULATED EVALUATORS" in ran.err
    assert "the model predicts a person's choice" in ran.out
    scored = run_here("reward", "score", model, study, "--features", features, "-o", scores)
    assert scored.code == 0, scored.err
    assert "SIMULATED" in scored.err
    assert "--part test leaves these images out" in scored.out
    rows = csv_rows(scores)
    assert len(rows) == 2 * len(PROMPTS) * 6
    assert {row["trained_on"] for row in rows} == {"simulated evaluators"}
    assert {row["judge"] for row in rows} == {"model"}
    means = [
        np.mean([float(row["score"]) for row in rows if f"/{name}/" in row["image"]])
        for name in ("good", "poor")
    ]
    assert means[0] > means[1]


def test_the_table_is_one_that_judges_takes(ranked):
    model, features = ranked.parent / "model", ranked.parent / "features.csv"
    scores = ranked.parent / "test.csv"
    options = ["--features", features, "-o", scores, "--part", "test"]
    tested = run_here("reward", "score", model, ranked, *options)
    assert tested.code == 0
    assert "flatters" not in tested.out
    scored = run_here("score", ranked, "--simulated", "--judges", scores, "--json")
    (judge,) = scored.json["judges"]

    assert judge["judge"] == "model"
    assert (judge["images"], len(csv_rows(scores))) == (8, 12)  # 4 of 6 images per condition


def test_people_are_asked_again(study, tmp_path, no_window):
    trained(study)
    picked = ["reward", "pick", study, study.parent / "model", "--condition", "good", "--n", 2]
    options = ["--features", study.parent / "features.csv", "-o", tmp_path / "again"]
    ran = run_here(*picked, *options)
    rows = csv_rows(tmp_path / "again" / "picks.csv")
    checked = run_here("check", tmp_path / "again", "--json").json

    assert ran.code == 0, ran.err
    assert "The model expects the picked image to get" in ran.out
    assert not [finding for finding in checked["findings"] if finding["severity"] == "error"]
    assert len(rows) == 2 * len(PROMPTS)  # 6 images: two groups of 2 + 1
    assert len({row[side] for row in rows for side in ("picked", "random")}) == 2 * len(rows)
    simulated = run_here("simulate", tmp_path / "again", "--evaluators", 4)
    assert simulated.code == 0, simulated.err


def test_picked_images_have_the_higher_scores(ranked, tmp_path):
    picked = ["reward", "pick", ranked, ranked.parent / "model", "--condition", "good", "--n", 4]
    options = ["--features", ranked.parent / "features.csv", "-o", tmp_path / "p", "--json"]
    facts = run_here(*picked, *options).json
    rows = csv_rows(tmp_path / "p" / "picks.csv")
    lead = np.mean([float(row["picked_score"]) - float(row["random_score"]) for row in rows])

    assert facts["expected_win_rate"] > 0.5
    assert lead > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "{study}", "-o", "{study}"], "exists already; a new or an empty folder"),
        (["train", "{study}", "-o", "{new}"], "has no"),
        (["train", "{study}", "-o", "{new}", "--seed", "-1"], "--seed: -1 is negative; 0 or more"),
        (["score", "{study}", "{study}", "-o", "{new}"], "a folder that hype reward train made"),
        (["score", "{model}", "{study}", "-o", "{new}", "--part", "x"], "'x' is not known; one of"),
        (["pick", "{study}", "{model}", "-o", "{new}", "--n", "3"], "one of good, poor"),
        (
            ["pick", "{study}", "{model}", "-o", "{new}", "--n", "3", "--condition", "x"],
            "'x' is not known; one of good, poor",
        ),
        (
            ["pick", "{study}", "{model}", "-o", "{new}", "--n", "6", "--condition", "good"],
            "no prompt has more than 6 images of the condition",
        ),
    ],
)
def test_what_cannot_be_is_refused(ranked, tmp_path, hype, arguments, message):
    places = {
        "study": ranked,
        "model": ranked.parent / "model",
        "new": tmp_path / "new",
    }
    given = [text.format(**places) for text in arguments]
    refused = hype("reward", *given, "--features", ranked.parent / "features.csv").refused()

    assert message in refused
    assert not (tmp_path / "new").exists()


def test_a_study_of_single_images_has_no_pairs(tmp_path, hype):
    assert run_here("new", tmp_path / "s").code == 0
    given = ["reward", "train", tmp_path / "s", "-o", tmp_path / "m"]
    assert "Missing option '--features'" in hype(*given).err
    refused = hype(*given, "--features", tmp_path / "f.csv").refused()

    assert "record" in refused or "does not ask which of two images is better" in refused
