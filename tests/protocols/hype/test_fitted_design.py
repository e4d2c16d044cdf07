"""A new study can measure something with the images that it was given."""

from math import ceil
from pathlib import Path

import pytest
from long import long_but

from hype.errors import InputError
from hype.protocols.hype.design import fit_design, study_text
from hype.protocols.hype.settings import TimeSettings
from hype.protocols.hype.settling import find_unsettled
from hype.protocols.load import load_study


def written(folder: Path, images: int) -> tuple[str, TimeSettings]:
    design = fit_design({"": images, "m": images}, None)
    text = study_text("new", design)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return text, load_study(folder).settings.time


@pytest.mark.parametrize("images", long_but([60, 281], [44, 60, 100, 200, 281, 400]))
def test_the_staircase_of_a_new_study_settles(images, tmp_path):
    text, time = written(tmp_path, images)
    settings = load_study(tmp_path).settings

    assert settings.study.methods == ("time",)
    assert find_unsettled(time) is None
    wanted = (
        time.blocks * time.trials + settings.qualification.trials + 2 * settings.practice.trials
    )
    assert ceil(wanted / 2) <= images
    if images >= 281:
        assert (time.blocks, time.trials, time.staircase.rule.down_ms) == (3, 150, 30)
        assert "do not bring the staircase" not in text


def test_why_stands_in_the_file(tmp_path):
    text, time = written(tmp_path, 44)

    assert (time.blocks, time.trials) == (1, 60)
    assert (time.staircase.rule.down_ms, time.staircase.rule.up_ms) == (90, 30)
    said = " ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    for words in (
        "There are images for 60 trials. In 3 blocks, 20 trials a block do not bring the staircase",
        "So the study has 1 block of 60 trials and steps 3 times the paper's, which settle at the "
        "same 63%; it measures 100 to ",
    ):
        assert words in said
    assert max(map(len, text.splitlines())) <= 110


def test_far_too_few_images_leave_the_time_limit_out(tmp_path):
    text, _ = written(tmp_path, 36)
    settings = load_study(tmp_path).settings

    assert settings.study.methods == ("infinity",)
    assert settings.infinity.trials >= 30
    assert '# "time" is left out: with 36 images of a kind no staircase settles' in text


@pytest.mark.parametrize(
    "methods", long_but([("time", "infinity")], [("time",), ("time", "infinity")])
)
def test_who_asks_for_a_staircase_is_told_how_many_images_it_takes(methods):
    with pytest.raises(
        InputError, match=r"--method time: with 36 .* with (\d+) one would"
    ) as refused:
        fit_design({"": 36, "m": 50}, methods)

    enough = int(refused.value.problem.split("with ")[-1].split()[0])
    assert fit_design({"": enough, "m": 50}, methods).methods == methods
    with pytest.raises(InputError, match="no staircase settles"):
        fit_design({"": enough - 1, "m": 50}, methods)
