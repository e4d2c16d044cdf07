"""`hype new` for comparisons: a file to start from, and whole studies from folders of images."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from builders import contents, noise
from long import long_but

from hype.protocols.comparison.sampling import read_comparison_pools
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.load import load_any

if TYPE_CHECKING:
    from running import Program


def samples(folder: Path, *names: str, first: int = 0, side_px: int = 64) -> Path:
    """Write a picture of each of these names, all different."""
    for number, name in enumerate(names, start=first):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        noise(number, side_px).save(path)
    return folder


def both(folder: Path) -> tuple[str, ...]:
    """Give options that name two models' images of two prompts, each named in its own way."""
    one = samples(
        folder / "one", *(f"{p}_{n:02d}.png" for p in ("a bag", "a coat") for n in (1, 2))
    )
    names = [f"{p}/{n}.png" for p in ("a_bag", "a coat") for n in (7, 8, 9)]
    other = samples(folder / "other", *names, first=50, side_px=80)
    return ("--fake", f"one={one}", "--fake", f"other={other}")


def made(folder: Path) -> ComparisonStudy:
    study = load_any(folder)
    assert isinstance(study, ComparisonStudy)
    return study


@pytest.mark.parametrize("template", long_but(["comparison"], ["comparison", "arena"]))
def test_with_folders_ready_to_run(template, tmp_path, hype):
    mine = tmp_path / "mine"
    done = hype("new", mine, "--template", template, *both(tmp_path))

    assert done.code == 0
    assert "4 one, 6 other images of 64 x 64 px, 2 prompts ('a bag', 'a coat'), of" in done.out
    pools = read_comparison_pools(made(mine))
    assert pools.conditions == ("one", "other")
    assert {p.text: {n: len(i) for n, i in p.images.items()} for p in pools.prompts} == {
        "a bag": {"one": 2, "other": 2},
        "a coat": {"one": 2, "other": 2},
    }
    settings = made(mine).settings
    assert settings.comparison.images == 2
    assert (settings.comparison.arena is not None) == (template == "arena")
    assert settings.validation.kind == ("mismatch" if template == "comparison" else "off")
    assert hype("check", mine, "--no-display", "--json").json["ok"]
    assert hype("simulate", mine, "--evaluators", 3).code == 0
    assert hype("score", mine, "--simulated", "--json").json["evaluators"] == 3
    assert hype("register", mine).code == 0


def test_the_manifest_says_what_images_show_and_what_they_were_called(tmp_path, hype):
    hype("new", tmp_path / "mine", "--template", "comparison", *both(tmp_path))
    with (tmp_path / "mine/stimuli/manifest.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert {(row["condition"], row["prompt"], row["original"]) for row in rows} == {
        *(("one", p, f"{p}_{n:02d}.png") for p in ("a bag", "a coat") for n in (1, 2)),
        *(("other", p, f"{n}.png") for p in ("a bag", "a coat") for n in (7, 8, 9)),
    }
    assert {(row["width"], row["height"]) for row in rows} == {("64", "64")}


def test_one_prompt_has_no_other_to_mismatch_it(tmp_path, hype):
    one = samples(tmp_path / "one", "a bag_1.png")
    other = samples(tmp_path / "other", "a bag_1.png", first=5)
    folders = ("--fake", f"one={one}", "--fake", f"other={other}")
    done = hype("new", tmp_path / "mine", "--template", "comparison", *folders)

    assert "comparisons with an obvious answer are off" in done.out
    assert made(tmp_path / "mine").settings.validation.kind == "off"
    assert hype("simulate", tmp_path / "mine", "--evaluators", 1).code == 0


def refused(hype: Program, folder: Path, *options: object, template: str = "comparison") -> str:
    """Give what is said of options that are refused; nothing is left behind."""
    before = set(contents(folder))
    said = hype("new", folder / "mine", "--template", template, *options).refused()
    assert set(contents(folder)) == before
    assert not (folder / "mine").exists()
    return said


def test_wrong_options_get_one_message(tmp_path, hype):
    folders = both(tmp_path)
    bag = samples(tmp_path / "bag", "a bag_1.png", first=70)

    for options, message in (
        (folders[:2], "--fake: names one condition (one); two at the least, or one and --real"),
        (("--real", bag), "--fake: is missing; NAME=FOLDER"),
        (("--fake", "one"), "--fake: 'one' does not name a folder"),
        ((*folders, "--masks", 5), "--masks: is for --template hype, not for comparison"),
        ((*folders, "--method", "time"), "--method: is for --template hype, not for comp"),
        ((*folders, "--fake", f"real={bag}"), "'real' cannot name a condition"),
    ):
        assert message in refused(hype, tmp_path, *options)
    said = refused(hype, tmp_path, template="votes")
    templates = "hype, qualification, comparison, arena, rating, ranking"
    assert said.endswith(f"'votes' is not known; one of {templates}")
    said = refused(hype, tmp_path, *folders, "--fake", f"bag={bag}", template="arena")
    assert "--fake bag: has no image of the prompt 'a coat'; an arena needs" in said


def test_images_that_do_not_fit_get_one_message(tmp_path, hype):
    folders = both(tmp_path)
    numbered = samples(tmp_path / "numbered", "0001.png", first=80)
    hat = samples(tmp_path / "hat", "a bag_1.png", "a hat_1.png", first=90)

    said = refused(hype, tmp_path, *folders, "--fake", f"x={numbered}")
    assert said.startswith(f"hype: {numbered / '0001.png'}: has no prompt in its name; a sub-folde")
    said = refused(hype, tmp_path, *folders, "--fake", f"x={hat}")
    assert said.startswith(f"hype: {hat}: has the only images of the prompt 'a hat'; images of two")
