"""Numbers of trials for the images that there are."""

import pytest
from builders import pools_of
from hypothesis import given
from hypothesis import strategies as st
from long import a_third

from hype.errors import InputError
from hype.protocols.hype.design import TrialNumbers, fit_qualification, fit_trials
from hype.protocols.hype.sampling import plan_session
from hype.protocols.hype.settings import StudyFile
from hype.study.assignment import Assignment, Cell


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
        assert min(counts.values()) < 32  # what the message promises
        return
    study = StudyFile.model_validate(
        {
            "study": {"name": "x"},
            "stimuli": {"folder": "s"},
            "masks": {"folder": "m"},
            "time": {"trials": trials.time},
            "infinity": {"trials": trials.infinity},
            "qualification": {"trials": trials.qualification},
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
    with pytest.raises(InputError, match=rf"{fewest} images; .*at least 32 of each kind"):
        fit_trials(counts)
