"""A new study is fitted to the number of its images, so that it can measure something."""

from math import ceil
from pathlib import Path

import pytest
from builders import pools_of
from hypothesis import given
from hypothesis import strategies as st
from long import a_third, long_but

from hype.errors import InputError
from hype.protocols.hype.design import (
    TrialNumbers,
    fit_design,
    fit_qualification,
    fit_trials,
    study_text,
)
from hype.protocols.hype.sampling import plan_session
from hype.protocols.hype.settings import StudyFile, TimeSettings
from hype.protocols.hype.settling import find_unsettled
from hype.protocols.load import load_study
from hype.study.assignment import Assignment, Cell


def written(folder: Path, images: int) -> tuple[str, TimeSettings]:
    design = fit_design({"": images, "m": images}, None)
    text = study_text("new", design, alone=True)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return text, load_study(folder).settings.time


@pytest.mark.parametrize("images", long_but([40, 267], [40, 60, 100, 200, 267, 400]))
def test_the_staircase_of_a_new_study_settles(images, tmp_path):
    text, time = written(tmp_path, images)
    settings = load_study(tmp_path).settings

    assert settings.study.methods == ("time",)
    assert find_unsettled(time) is None
    wanted = time.blocks * time.trials + settings.practice.trials
    assert ceil(wanted / 2) <= images
    if images >= 267:
        assert (time.blocks, time.trials, time.staircase.rule.down_ms) == (3, 150, 30)
        assert "are too few for the staircase" not in text


def test_why_stands_in_the_file(tmp_path):
    text, time = written(tmp_path, 34)

    assert (time.blocks, time.trials) == (1, 60)
    assert (time.staircase.rule.down_ms, time.staircase.rule.up_ms) == (90, 30)
    said = " ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    for words in (
        "There are enough images for 60 trials. In 3 blocks, 20 trials per block are too few for "
        "the staircase",
        "So the study has 1 block of 60 trials and steps 3 times the paper's, which settle at the "
        "same 63%; such a block measures thresholds of 100 to ",
    ):
        assert words in said
    assert max(map(len, text.splitlines())) <= 110


def test_far_too_few_images_leave_the_time_limit_out(tmp_path):
    text, _ = written(tmp_path, 30)
    settings = load_study(tmp_path).settings

    assert settings.study.methods == ("infinity",)
    assert settings.infinity.trials >= 30
    assert '# As made: "time" is left out: with 30 images of one kind no staircase settles' in text


@pytest.mark.parametrize(
    "methods", long_but([("time", "infinity")], [("time",), ("time", "infinity")])
)
def test_who_asks_for_a_staircase_is_told_how_many_images_it_takes(methods):
    with pytest.raises(InputError, match=r"--method time: with 30 .*; \d+ images are") as refused:
        fit_design({"": 30, "m": 50}, methods)

    enough = int(refused.value.problem.split("; ")[-1].split()[0])
    assert fit_design({"": enough, "m": 50}, methods).methods == methods
    with pytest.raises(InputError, match="no staircase settles"):
        fit_design({"": enough - 1, "m": 50}, methods)


def test_enough_images_give_the_papers_numbers():
    assert (
        fit_trials({"": 5000, "a": 5000})
        == TrialNumbers()
        == TrialNumbers(time=150, infinity=100, qualification=100, practice=6)
    )


@a_third()
@given(real=st.integers(1, 400), fakes=st.lists(st.integers(1, 400), min_size=1, max_size=4))
def test_what_fits_can_be_planned_for_everyone(real, fakes):
    counts = {"": real} | {f"m{n}": number for n, number in enumerate(fakes)}
    try:
        trials = fit_trials(counts)
    except InputError:
        assert min(counts.values()) < (24 if len(fakes) == 1 else 32)  # what the message promises
        return
    study = StudyFile.model_validate(
        {
            "study": {"name": "x"},
            "stimuli": {"folder": "s"},
            "masks": {"folder": "m"},
            "time": {"trials": trials.time},
            "infinity": {"trials": trials.infinity},
            "qualification": {"trials": trials.qualification, "enabled": len(fakes) > 1},
            "practice": {"trials": trials.practice},
        }
    )
    for condition in counts:
        for method in ("time", "infinity"):
            if condition:
                cell = Cell(condition=condition, methods=(method,))
                assignment = Assignment(evaluator="p", cell=cell, left_means="real")
                assert plan_session(study, pools_of(counts), assignment).blocks


@given(real=st.integers(1, 90), fakes=st.lists(st.integers(1, 60), min_size=1, max_size=4))
def test_a_pool_takes_what_there_is(real, fakes):
    counts = {"": real} | {f"m{n}": number for n, number in enumerate(fakes)}
    try:
        trials = fit_qualification(counts)
    except InputError:
        assert min(counts.values()) < 8  # what the message promises
        return
    tables = {
        "study": {"name": "x", "methods": ["qualification"]},
        "stimuli": {"folder": "s"},
        "qualification": {"trials": trials.qualification},
        "practice": {"trials": trials.practice},
    }
    cell = Cell(condition="", methods=("qualification",))
    given = Assignment(evaluator="p", cell=cell, left_means="real")
    practice, test = plan_session(StudyFile.model_validate(tables), pools_of(counts), given).blocks
    assert len(test.stimuli) == trials.qualification >= 10
    assert (practice.timed, test.timed) == (False, False)


@pytest.mark.parametrize(
    "counts", [{"": 5, "a": 500}, {"": 500, "a": 5}, {"": 500, "a": 500, "b": 2}]
)
def test_too_few_for_any_study(counts):
    fewest = min(counts.values())
    with pytest.raises(InputError, match=rf"{fewest} images; .*at least (24|32) of each kind"):
        fit_trials(counts)
