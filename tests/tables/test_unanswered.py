"""Rows without an answer are excluded, counted and named; rows without a truth are refused."""

from __future__ import annotations

import pandas as pd
import pytest
from made_comparisons import score_votes

from hype.errors import InputError
from hype.protocols.comparison.table import TABLE as COMPARISONS
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import TABLE as JUDGEMENTS
from hype.protocols.hype.table import check_judgements, count_left_out
from hype.protocols.ranking.table import TABLE as RANKINGS
from hype.protocols.rating.table import TABLE as RATINGS
from hype.tables.answers import note_unanswered

HEADER = "evaluator,condition,truth,answer"
GAPS = ("", " ", "NA", "NaN", "nan", "N/A", "n/a", "null", "<NA>")


def missing(**rows: int) -> tuple[dict[str, object], ...]:
    return tuple({"evaluator": who, "row": row} for who, row in rows.items())


@pytest.mark.parametrize("gap", GAPS)
def test_a_judgement_without_an_answer_is_named(write_csv, gap):
    path = write_csv(f"{HEADER}\np,c,real,real\nq,d,fake,{gap}\np,c,fake,{gap}\np,c,fake,real\n")
    table = JUDGEMENTS.load(path)
    assert table.frame["answer"].tolist() == ["real", "real"]
    assert table.frame["evaluator"].cat.categories.tolist() == ["p"]
    assert table.missing == missing(q=3, p=4)
    assert table.notes == ("2 rows have no answer, and they are left out: rows 3, 4.",)


def test_python_is_warned_and_told_with_the_score():
    rows = [["p", "c", "real", "real"], ["p", "c", "fake", None], ["q", "c", "fake", "real"]]
    frame = pd.DataFrame(rows, columns=HEADER.split(","))
    with pytest.warns(UserWarning, match="1 row has no answer, and it is left out: row 1."):
        table = check_judgements(frame)
    pd.testing.assert_frame_equal(check_judgements(table), table)

    (told,) = score(frame, draws=100)
    assert told.to_object()["missing_answers"] == [{"evaluator": "p", "row": 1}]
    assert any(note.startswith("1 row has no answer") for note in told.notes)
    assert (told.rows("conditions")[0]["judgements"], told.rows("conditions")[0]["score"]) == (
        2,
        50.0,
    )
    whole = score(frame.dropna(), draws=100)[0]
    assert told.rows("conditions") == whole.rows("conditions")


def test_a_row_without_an_answer_needs_no_exposure_or_trial(write_csv):
    rows = "p,c,real,real,500,1\np,c,real,,,\n"
    table = JUDGEMENTS.load(write_csv(f"{HEADER},exposure_ms,trial\n{rows}"))
    assert (len(table.frame), table.missing) == (1, missing(p=3))


def test_only_those_of_the_wanted_evaluators_are_named(write_csv):
    rows = "p,c,real,,false\np,c,real,real,false\ns,c,fake,,true\ns,c,fake,fake,true\n"
    path = write_csv(f"{HEADER},simulated\n{rows}")
    assert JUDGEMENTS.load(path, simulated=False).missing == missing(p=2)
    assert JUDGEMENTS.load(path, simulated=True).missing == missing(s=4)


def test_a_judgement_that_ran_out_of_time_is_not_scored(write_csv):
    path = write_csv(f"{HEADER}\np,c,real,real\np,c,fake,None\np,c,fake,NA\np,c,fake,real\n")
    table = JUDGEMENTS.load(path)
    assert table.frame["answer"].tolist() == ["real", "none", "real"]
    (told,) = score(table.frame, draws=100)
    (row,) = told.rows("conditions")
    assert (row["judgements"], row["fakes_error"], row["reals_error"]) == (2, 100, 0)
    assert "1 trial was not answered before the time limit and is not scored." in told.notes
    assert [(one.reason, one.answers) for one in count_left_out(table.frame, "keep")] == [
        ("no-answer", 1)
    ]


def test_a_comparison_without_an_answer_is_none_that_ran_out_of_time(write_csv):
    path = write_csv("evaluator,left,right,answer\np,a,b,left\np,b,a,None\np,b,a,NA\np,b,a,left\n")
    table = COMPARISONS.load(path)
    assert table.frame["answer"].tolist() == ["left", "none", "left"]
    assert table.missing == missing(p=4)
    told = table.add_notes(score_votes(table.frame)).to_object()
    assert told["missing_answers"] == [{"evaluator": "p", "row": 4}]
    assert [one["reason"] for one in told["exclusions"]] == ["no-answer"]


def test_nothing_chosen_is_no_answer_but_a_condition_may_be_called_null(write_csv):
    path = write_csv("left,right,chosen\na,null,NA\na,null,null\na,null,\na,null,a\n")
    table = COMPARISONS.load(path)
    assert table.frame["answer"].tolist() == ["right", "left"]
    assert table.missing == ({"evaluator": None, "row": 2}, {"evaluator": None, "row": 4})
    assert table.notes[0].endswith("left out: rows 2, 4.")
    with pytest.raises(InputError, match="column chosen: is empty"):
        check_comparisons(
            pd.DataFrame({"left": ["a", "a"], "right": ["b", "b"]}).assign(
                answer=["left", "left"], chosen=["a", None]
            )
        )


def test_a_rating_without_an_answer_is_not_one_that_is_not_relevant(write_csv):
    path = write_csv(
        "evaluator,item,axis,answer,first\np,i,x,3,a\np,j,x,not relevant,a\np,k,x,NA,a\n"
    )
    table = RATINGS.load(path)
    assert table.frame["answer"].tolist() == ["3", "not-relevant"]
    assert table.missing == missing(p=4)


@pytest.mark.parametrize("gap", ["", "NA"])
def test_an_image_without_a_rank_leaves_its_ranking_out_by_name(write_csv, gap):
    rows = f"p,g,a,1\np,g,b,2\nq,g,a,1\nq,g,b,{gap}\n"
    table = RANKINGS.load(write_csv(f"evaluator,group,condition,rank\n{rows}"))
    assert table.frame["finished"].tolist() == [True, True, False, False]
    assert table.notes == ("1 row has no rank, and its ranking is left out: row 5.",)


def test_a_sentence_names_some_and_counts_the_others():
    some = [{"evaluator": "p", "row": row} for row in range(2, 9)]
    assert note_unanswered(some) == (
        "7 rows have no answer, and they are left out: rows 2, 3, 4, 5, 6 and 2 more.",
    )
    assert note_unanswered([]) == ()
