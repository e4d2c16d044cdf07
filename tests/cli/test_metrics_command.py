"""`hype metrics` of a study: from a file of features, over all images and by class."""

from pathlib import Path

import numpy as np
import pytest
from builders import whole_study
from paper_comparer import small_study

from hype.stimuli.manifest import MANIFEST, read_manifest


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study with 30 real images, 30 images of each condition, and features of all of them."""
    folder = tmp_path / "study"
    whole_study(folder, {"": 30, "crude": 30, "good": 30})
    images = read_manifest(folder / "stimuli").stimuli
    rng = np.random.default_rng(0)
    shift = [3.0 if image.condition == "crude" else 0.0 for image in images]
    values = rng.standard_normal((len(images), 4)) + np.array(shift)[:, None]
    real = next(row for row, image in enumerate(images) if not image.condition)
    copy = next(row for row, image in enumerate(images) if image.condition == "good")
    values[copy] = values[real]
    np.save(folder / "features.npy", values)
    return folder


def test_conditions_are_compared_and_written_for_hype_score(study, hype, tmp_path):
    table = tmp_path / "metrics.csv"
    given = ("metrics", study, "--features", study / "features.npy", "--draws", 10, "-o", table)
    told = hype(*given, "--json").json

    assert told["features"] == "features.npy"
    good, crude = sorted(told["cells"], key=lambda cell: cell["condition"], reverse=True)
    distances = [
        {s["name"]: s["value"] for s in cell["statistics"]}["frechet_distance"]
        for cell in (good, crude)
    ]
    assert distances[0] < 5 < distances[1]
    assert good["closest"][0]["ratio"] == 0
    assert table.read_text().startswith("condition,frechet_distance,frechet_distance_limit,")
    assert hype("metrics", table, "--against", "precision").code == 0
    shown = hype(*given).out
    assert "Fréchet distance" in shown
    assert "FID" not in shown.replace("are FID or KID", "")


def test_classes_of_the_manifest_and_cells_that_are_too_small(study, hype):
    path = study / "stimuli" / MANIFEST
    header, *lines = path.read_text().splitlines()
    rows = [f"{line},{'few' if place % 30 < 5 else 'many'}" for place, line in enumerate(lines)]
    path.write_text("\n".join([f"{header},size", *rows]) + "\n")
    given = ("metrics", study, "--features", study / "features.npy", "--draws", 10)

    cells = hype(*given, "--by", "size", "--json").json["cells"]

    assert {(cell["condition"], cell["group"]): bool(cell["statistics"]) for cell in cells} == {
        ("crude", "few"): False,
        ("crude", "many"): True,
        ("good", "few"): False,
        ("good", "many"): True,
    }
    assert "no column 'colour'; one of: size" in hype(*given, "--by", "colour").refused()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--features: is missing; a file with the features of the images"),
        (("--against", "fid"), "--against: is only for a table"),
        (("--features", "no.npy"), "no.npy: there is no such file"),
        (("--seed", "-1"), "--seed: -1 is negative"),
        (
            ("--features", "features.npy", "--by", "size"),
            "the manifest has no column 'size'",
        ),
    ],
)
def test_what_is_refused(study, hype, options, message):
    ran = hype("metrics", study, *options)

    assert message in ran.refused()
    assert "━" not in ran.err  # nothing was started


def test_a_study_without_real_images_has_none_to_compare_with(hype, tmp_path):
    small_study(tmp_path)
    ran = hype("metrics", tmp_path, "--features", "f.npy")
    assert "stimuli: has fewer than 2 real images for a comparison" in ran.refused()
