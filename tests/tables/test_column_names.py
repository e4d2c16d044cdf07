import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.hype.table import by_known_names

NEEDED = ["evaluator", "condition", "truth", "answer"]


def names(*given):
    return pd.DataFrame([range(len(given))], columns=list(given))


def test_any_other_names_may_be_there():
    by_known_names(names(*NEEDED, "class", 7, "exposures", "masks"), "t")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("Answer", "answer"),
        (" answer ", "answer"),
        ("Exposure (ms)", "exposure_ms"),
        ("TASK", "task"),
        ("rtMs", "rt_ms"),
    ],
)
def test_a_name_that_differs_in_case_and_signs_is_that_name(given, meant):
    rest = [name for name in NEEDED if name != meant]
    assert [*by_known_names(names(*rest, given), "t")] == [*rest, meant]


def test_two_names_that_could_be_one_are_refused():
    with pytest.raises(InputError, match="the columns 'Rt ms', 'RT_MS' could all be 'rt_ms'"):
        by_known_names(names(*NEEDED, "Rt ms", "RT_MS"), "t")


def test_a_name_that_is_almost_one_which_is_there_as_well():
    by_known_names(names(*NEEDED, "Answer"), "t")


def test_a_needed_name_is_missing():
    message = (
        "t: the columns 'truth', 'answer' are missing; needed are .*; found are 'evaluator', "
        "'condition'; --columns truth=THEIRS,answer=THEIRS says what the table calls them"
    )
    with pytest.raises(InputError, match=message):
        by_known_names(names("evaluator", "condition"), "t")


def test_found_names_are_shown_on_one_short_line():
    with pytest.raises(InputError) as refused:
        by_known_names(names("a\nb\x1b[31m", "x" * 10_000, *range(1000)), "t")
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 500
    assert "and 982 more" in str(refused.value)


def test_one_column_hints_at_the_separator():
    with pytest.raises(InputError, match=r"'evaluator\|condition'; cells are separated by commas"):
        by_known_names(names("evaluator|condition"), "t")


def test_a_column_twice():
    with pytest.raises(InputError, match="the column 'truth' appears twice"):
        by_known_names(names(*NEEDED, "truth"), "t")
