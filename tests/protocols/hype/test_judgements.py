import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import a_third

from hype.errors import InputError
from hype.protocols.hype.rows import COLUMNS
from hype.protocols.hype.table import check_judgements, read_judgements

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


def test_text_columns_are_categories_sorted_and_in_use(write_csv):
    header = ",task,block,verdict,status,image"
    rows = [
        "z,m,real,real,time,2,ok,complete,b.png,500",
        "é,m,fake,real,time,1,late,complete,a.png,500",
        "a,m,fake,real,time,1,,active,,500",
    ]
    table = read_judgements(write_csv(csv(*rows, more=header + ",exposure_ms")))
    texts = ["evaluator", "condition", *header.split(",")[1:]]
    for name in texts:
        categories = table[name].cat.categories.tolist()
        assert categories == sorted(set(table[name])), name
    for name in ("truth", "answer"):
        assert table[name].cat.categories.tolist() == ["fake", "real"]
    assert table["truth"].ne(table["answer"]).tolist() == [False, True, True]
    assert table["image"].tolist() == ["b.png", "a.png", ""]


def test_categories_that_were_not_chosen_are_gone(mixed):
    table = read_judgements(mixed, simulated=False)
    assert table["evaluator"].cat.categories.tolist() == ["person"]


@a_third()
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["p", "q", 7, 7.0, 2.5, True]),
            st.sampled_from(["m", "n", "=1"]),
            st.sampled_from(["real", "fake"]),
            st.sampled_from(["real", "fake"]),
            st.sampled_from([None, "a.png", " ", np.nan]),
            st.sampled_from([None, 0, 12.5, "3"]),
        ),
        min_size=1,
    )
)
def test_any_kind_of_frame_becomes_the_same_table(rows):
    """Of objects, of text, or of categories; and checking it again changes nothing."""
    names = [*HEADER.split(","), "image", "rt_ms"]
    frame = pd.DataFrame(rows, columns=names).astype(object)
    frame["trial"] = range(1, len(frame) + 1)  # so that no row repeats another
    table = check_judgements(frame)
    text = frame.where(frame.notna(), "").map(lambda v: f"{v:g}" if type(v) is float else str(v))
    for same in (table, text, text.astype("category"), frame.astype({"truth": "category"})):
        pd.testing.assert_frame_equal(check_judgements(same), table)


def test_categories_that_no_row_has_are_not_looked_at():
    frame = pd.DataFrame([["e", "c", "real", "real"]], columns=HEADER.split(","))
    frame["answer"] = pd.Categorical(["real"], categories=["maybe", "real"])
    assert check_judgements(frame)["answer"].tolist() == ["real"]


def test_the_given_frame_stays_as_it_was():
    frame = pd.DataFrame([["e", "c", "real", "real", 3]], columns=[*HEADER.split(","), "mood"])
    before = frame.copy(deep=True)
    table = check_judgements(frame)
    table.loc[0, "mood"] = 4
    pd.testing.assert_frame_equal(frame, before)


def test_text_kept_from_being_a_formula_is_read_as_it_was(write_csv):
    rows = ["'=cmd(),'-2,real,real,'+1.png,'@x", "=cmd(),-2,real,fake,''=y.png,it's"]
    table = read_judgements(write_csv(csv(*rows, more=",image,mood")))
    assert table["evaluator"].tolist() == ["=cmd()"] * 2
    assert table["evaluator"].cat.categories.tolist() == ["=cmd()"]
    assert table["condition"].tolist() == ["-2"] * 2
    assert table["image"].tolist() == ["+1.png", "'=y.png"]
    assert table["mood"].tolist() == ["@x", "it's"]


def test_a_missing_name_is_no_name(write_csv):
    with pytest.raises(InputError, match=r"row 3, column evaluator: 'NA' is not allowed"):
        read_judgements(write_csv(csv("e,c,real,real", "NA,c,real,real")))
    table = read_judgements(write_csv(csv("'NA,c,real,real")))
    assert table["evaluator"].tolist() == ["NA"]


def test_a_frame_may_have_a_name_that_looks_missing():
    frame = pd.DataFrame([["NA", "nan", "real", "real"]], columns=HEADER.split(","))
    assert check_judgements(frame)["evaluator"].tolist() == ["NA"]


def test_every_declared_column_is_checked():
    """A cell that no column may hold is refused in each."""
    fit = {"evaluator": "e", "condition": "c", "truth": "real", "answer": "real"}
    for column in COLUMNS:
        with pytest.raises(InputError, match=rf"row 0, column {column.name}: "):
            check_judgements(pd.DataFrame([fit | {column.name: "\x1b"}]))


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


def test_a_table_as_pandas_reads_it(write_csv):
    """It takes the task infinity for a number, and true for a flag."""
    rows = ["7,c,real,real,infinity,False", "7,c,fake,real,infinity,False"]
    path = write_csv(csv(*rows, more=",task,simulated"))
    pd.testing.assert_frame_equal(check_judgements(pd.read_csv(path)), read_judgements(path))


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
        ("e,c,,real", "", "column truth: is empty; allowed is real or fake$"),
        ("e,c,NA,real", "", "column truth: 'NA' is not allowed"),
        ("e,c,real,real,2afc", ",task", "column task: '2afc' .* time, infinity or catch"),
        ("e,c,real,real,quest", ",exposure_rule", "column exposure_rule: 'quest' .* nothing"),
        ("e,c,real,real,maybe", ",simulated", "column simulated: 'maybe' .* true or false"),
        ("e,c,real,real,", ",simulated", "column simulated: is empty"),
        ("e,c,real,real,fast", ",exposure_ms", "column exposure_ms: 'fast' .* number above 0"),
        ("e,c,real,real,NaN", ",exposure_ms", "column exposure_ms: is empty; .* time needs it"),
        ("e,c,real,real,0", ",exposure_ms", "column exposure_ms: '0' .* number above 0"),
        ("e,c,real,real,inf", ",exposure_ms", "column exposure_ms: 'inf' .* number above 0"),
        ('e,c,real,real,"1,500"', ",rt_ms", "column rt_ms: '1,500' .* a decimal point instead"),
        ("e,c,real,real," + "x" * 99, ",rt_ms", "column rt_ms: 'x{60}…' is not allowed"),
        ("e,c,real,real,-1", ",rt_ms", "column rt_ms: '-1' .* a number, 0 or more"),
        ("e,c,real,real,30 x", ",mask_measured_ms", "column mask_measured_ms: '30 x' .* by spaces"),
        ("e,c,real,real,1.5", ",trial", "column trial: '1.5' .* a whole number, 0 or more"),
        ("e,c,real,real,", ",trial", "column trial: is empty; .* infinity needs it, or none"),
        ("e,c,real,real,", ",block", "column block: is empty; .* infinity needs it, or none"),
        ("e,c,real,real,", ",exposure_ms", "column exposure_ms: is empty; .* time needs it"),
    ],
)
def test_wrong_value_is_named_with_its_place(write_csv, cells, more, message):
    good = {
        "": "",
        ",exposure_rule": ",quest+",
        ",mask_measured_ms": ",1 2",
        ",task": ",infinity",
        ",simulated": ",false",
    }.get(more, ",7")
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
    message = r"row 4: repeats row 2 \(evaluator e, condition c, task infinity, block 1, trial 1\)"
    with pytest.raises(InputError, match=message):
        read_judgements(write_csv(csv(*rows, more=",block,trial")))


def test_real_images_are_no_model(write_csv):
    rows = [f"e,m,fake,fake,{n}.png" for n in range(30)] + [
        f"e,Reals,real,real,r{n}.png" for n in range(30)
    ]
    with pytest.raises(InputError, match="'Reals' holds only real images, so it is no model"):
        read_judgements(write_csv(csv(*rows, more=",image")))


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
