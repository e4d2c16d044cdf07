"""Checks that only tables of judgements need."""

import pytest

from hype.errors import InputError
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import TABLE

HEADER = "evaluator,condition,truth,answer"


def csv(*rows: str, more: str = "") -> str:
    return "\n".join([HEADER + more, *rows]) + "\n"


def test_missing_optional_columns_are_filled_in(write_csv):
    table = TABLE.load(write_csv(csv("007,3.10,real,fake"))).frame
    assert table.loc[0, ["evaluator", "condition"]].tolist() == ["007", "3.10"]
    assert table.loc[0, ["task", "block", "simulated"]].tolist() == ["infinity", "1", False]


def test_any_exposure_means_the_time_task(write_csv):
    table = TABLE.load(write_csv(csv("e,c,real,fake,500", more=",exposure_ms"))).frame
    assert table.loc[0, ["task", "exposure_ms"]].tolist() == ["time", 500.0]


@pytest.mark.parametrize(
    ("cells", "more", "message"),
    [
        ("e, ,real,real", "", "column condition: is empty; .*rows of real images also have"),
        ("e,c,NA,real", "", "column truth: 'NA' is not allowed"),
        ('e,c,real,real,"1,500"', ",rt_ms", "column rt_ms: '1,500' .* a decimal point instead"),
        ("e,c,real,real,NaN", ",exposure_ms", "column exposure_ms: is empty; .* task 'time'"),
        ("e,c,real,real,", ",exposure_ms", "column exposure_ms: is empty; .* task 'time'"),
        ("e,c,real,real,", ",trial", "column trial: is empty; .* task 'infinity', or in none"),
        ("e,c,real,real,", ",block", "column block: is empty; .* task 'infinity', or in none"),
    ],
)
def test_wrong_value_is_named_with_its_place(write_csv, cells, more, message):
    path = write_csv(csv("e,c,real,real" + ",7" * bool(more), "", cells, more=more))
    with pytest.raises(InputError, match=rf"judgements\.csv, row 4, {message}"):
        TABLE.load(path)


def test_time_task_without_any_exposure(write_csv):
    with pytest.raises(InputError, match="the column 'exposure_ms' is missing"):
        TABLE.load(write_csv(csv("e,c,real,real,time", more=",task")))


def test_practice_needs_no_exposure_and_is_not_scored(write_csv):
    rows = ["e,c,real,real,practice,", "e,c,real,real,time,500"]
    assert len(TABLE.load(write_csv(csv(*rows, more=",task,exposure_ms"))).frame) == 2
    practice = TABLE.load(write_csv(csv("e,c,real,real,practice", more=",task"))).frame
    with pytest.raises(InputError, match="no judgement can be scored: practice, qualification and"):
        score(practice, draws=10)


def test_repeated_trial(write_csv):
    rows = ["e,c,real,real,1,1", "e,c,real,real,1,2", "e,c,real,fake,1,1"]
    message = r"row 4: repeats row 2 \(evaluator e, condition c, task infinity, block 1, trial 1\)"
    with pytest.raises(InputError, match=message):
        TABLE.load(write_csv(csv(*rows, more=",block,trial")))


def test_real_images_are_no_model(write_csv):
    rows = [f"e,m,fake,fake,{n}.png" for n in range(30)] + [
        f"e,Reals,real,real,r{n}.png" for n in range(30)
    ]
    with pytest.raises(InputError, match="'Reals' contains only real images, so it is not a model"):
        TABLE.load(write_csv(csv(*rows, more=",image")))
