import pandas as pd
import pytest

from hype.analysis import check_judgements, read_judgements
from hype.errors import InputError

HEADER = "evaluator,condition,truth,answer"


def csv(*rows: str, more: str = "") -> str:
    return "\n".join([HEADER + more, *rows]) + "\n"


def test_identifiers_stay_text(write_csv):
    table = read_judgements(write_csv(csv("007,3.10,real,fake")))
    assert table.loc[0, ["evaluator", "condition"]].tolist() == ["007", "3.10"]


def test_missing_optional_columns_are_filled_in(write_csv):
    table = read_judgements(write_csv(csv("e,c,real,fake")))
    assert table.loc[0, ["task", "block", "simulated"]].tolist() == ["infinity", "1", False]


def test_any_exposure_means_the_time_task(write_csv):
    table = read_judgements(write_csv(csv("e,c,real,fake,500", more=",exposure_ms")))
    assert table.loc[0, "task"] == "time"
    assert table.loc[0, "exposure_ms"] == 500.0


def test_a_column_empty_from_top_to_bottom_counts_as_absent(write_csv):
    table = read_judgements(write_csv(csv("e,c,real,fake,,", more=",exposure_ms,trial")))
    assert table.loc[0, "task"] == "infinity"
    assert "trial" not in table


def test_unknown_columns_pass_through(write_csv):
    table = read_judgements(write_csv(csv("e,c,real,fake,blue", more=",mood")))
    assert table["mood"].tolist() == ["blue"]


def test_checking_again_changes_nothing(write_csv):
    rows = ["e,c,real,fake,time,1,1,500,", "e,c,real,fake,infinity,,,,12.5"]
    table = read_judgements(write_csv(csv(*rows, more=",task,block,trial,exposure_ms,rt_ms")))
    pd.testing.assert_frame_equal(check_judgements(table), table)


def test_a_frame_of_numbers_is_as_good_as_a_file():
    frame = pd.DataFrame(
        {
            "evaluator": [7, 8],
            "condition": "c",
            "truth": "real",
            "answer": "real",
            "task": ["time", "infinity"],
            "block": [2.0, None],
            "exposure_ms": [500, None],
        }
    )
    table = check_judgements(frame)
    assert table["evaluator"].tolist() == ["7", "8"]
    assert table["block"].tolist() == ["2", "1"]


def test_glued_tables_name_their_rows_apart():
    frame = pd.DataFrame([{"evaluator": "e", "condition": "c", "truth": "real", "answer": "real"}])
    broken = frame.assign(answer="maybe")
    with pytest.raises(InputError, match="judgements, row 1, column answer: 'maybe'"):
        check_judgements(pd.concat([frame, broken]))


@pytest.mark.parametrize("name", HEADER.split(","))
def test_required_column_is_missing(write_csv, name):
    header = HEADER.replace(name, "other")
    with pytest.raises(InputError, match=rf"judgements\.csv: the column '{name}' is missing"):
        read_judgements(write_csv(f"{header}\ne,c,real,real\n"))


def test_header_without_rows(write_csv):
    with pytest.raises(InputError, match="holds no judgements"):
        read_judgements(write_csv(csv()))


@pytest.mark.parametrize(
    ("cells", "more", "message"),
    [
        (",c,real,real", "", "column evaluator: is empty; allowed is a printable name"),
        ("e, ,real,real", "", "column condition: is empty; .*rows of real images too"),
        ("e,c\x1b[31m,real,real", "", "column condition: .* allowed is a printable name"),
        ("e,c,reel,real", "", "column truth: 'reel' is not allowed; allowed is real or fake"),
        ("e,c,real,Fake", "", "column answer: 'Fake' is not allowed; allowed is real or fake"),
        ("e,c,real,", "", "column answer: is empty; allowed is real or fake"),
        ("e,c,real,real,2afc", ",task", "column task: '2afc' .* practice, qualification, time or"),
        ("e,c,real,real,maybe", ",simulated", "column simulated: 'maybe' .* true or false"),
        ("e,c,real,real,", ",simulated", "column simulated: is empty"),
        ("e,c,real,real,fast", ",exposure_ms", "column exposure_ms: 'fast' .* number above 0"),
        ("e,c,real,real,0", ",exposure_ms", "column exposure_ms: '0' .* number above 0"),
        ("e,c,real,real,inf", ",exposure_ms", "column exposure_ms: 'inf' .* number above 0"),
        ("e,c,real,real,-1", ",rt_ms", "column rt_ms: '-1' .* a number, 0 or more"),
        ("e,c,real,real,1.5", ",trial", "column trial: '1.5' .* a whole number, 0 or more"),
        ("e,c,real,real,", ",trial", "column trial: is empty; .* infinity needs it, or none"),
        ("e,c,real,real,", ",block", "column block: is empty; .* infinity needs it, or none"),
        ("e,c,real,real,", ",exposure_ms", "column exposure_ms: is empty; .* time needs it"),
    ],
)
def test_wrong_value_is_named_with_its_place(write_csv, cells, more, message):
    good = {"": "", ",task": ",infinity", ",simulated": ",false"}.get(more, ",7")
    path = write_csv(csv("e,c,real,real" + good, "", cells, more=more))
    with pytest.raises(InputError, match=rf"judgements\.csv, row 4, {message}"):
        read_judgements(path)


def test_time_task_without_any_exposure(write_csv):
    with pytest.raises(InputError, match="the column 'exposure_ms' is missing"):
        read_judgements(write_csv(csv("e,c,real,real,time", more=",task")))


def test_practice_needs_no_exposure(write_csv):
    rows = ["e,c,real,real,practice,", "e,c,real,real,time,500"]
    assert len(read_judgements(write_csv(csv(*rows, more=",task,exposure_ms")))) == 2


def test_nothing_but_practice(write_csv):
    with pytest.raises(InputError, match="only practice and qualification"):
        read_judgements(write_csv(csv("e,c,real,real,practice", more=",task")))


def test_repeated_trial(write_csv):
    rows = ["e,c,real,real,1,1", "e,c,real,real,1,2", "e,c,real,fake,1,1"]
    with pytest.raises(InputError, match=r"row 4: repeats row 2 \(evaluator e, condition c"):
        read_judgements(write_csv(csv(*rows, more=",block,trial")))


def test_same_trial_number_elsewhere_is_no_repetition(write_csv):
    rows = ["e,c,real,real,1,1", "e,c,real,real,2,1", "f,c,real,real,1,1", "e,d,real,real,1,1"]
    assert len(read_judgements(write_csv(csv(*rows, more=",block,trial")))) == 4


@pytest.fixture
def mixed(write_csv):
    rows = ["person,c,real,real,False", "robot,c,real,real,True"]
    return write_csv(csv(*rows, more=",simulated"))


def test_people_and_simulated_evaluators_are_never_mixed(mixed):
    with pytest.raises(InputError, match="never mixed; choose with --simulated or --people"):
        read_judgements(mixed)


@pytest.mark.parametrize(("simulated", "who"), [(True, "robot"), (False, "person")])
def test_choosing_whom_to_score(mixed, simulated, who):
    assert read_judgements(mixed, simulated=simulated)["evaluator"].tolist() == [who]


@pytest.mark.parametrize(
    ("simulated", "flag", "who"), [(True, "false", "simulated"), (False, "true", "people")]
)
def test_nobody_of_the_wanted_kind(write_csv, simulated, flag, who):
    path = write_csv(csv(f"e,c,real,real,{flag}", more=",simulated"))
    with pytest.raises(InputError, match=f"holds no judgements by {who}"):
        read_judgements(path, simulated=simulated)
