import pandas as pd
import pytest
from known_tables import timed_table, untimed_table

from hype.errors import InputError
from hype.protocols.hype.scoring import score

TWO = {"a": {"x": [200, 260], "y": [330]}, "b": {"z": [150], "w": [160]}}
TRIALS = 25


def with_verdicts(table: pd.DataFrame, bad: dict[tuple[str, int, int], str]) -> pd.DataFrame:
    """Return a table with the verdict ok except ``bad``: (evaluator, block, trial) -> verdict."""
    places = zip(table["evaluator"], table["block"], table["trial"], strict=True)
    return table.assign(verdict=[bad.get(place, "ok") for place in places])


def scored(table, **how):
    (result,) = score(table, draws=20, **how)
    return result


def notes(table, **how):
    return " ".join(scored(table, **how).notes)


SPOILED = with_verdicts(
    timed_table(TWO), {("x", 1, 2): "late", ("x", 1, 3): "dropped", ("z", 1, 5): "late"}
)
"""In x's first block 2 of 3 trials at the mode, 200 ms, are spoiled: then levels are tied."""


def test_kept_trials_count_as_any_other():
    kept, plain = scored(SPOILED), scored(timed_table(TWO))
    for one, other in zip(kept.rows("conditions"), plain.rows("conditions"), strict=True):
        for key in ("score", "judgements", "interval"):
            assert one[key] == other[key]


def test_trials_that_are_left_out_count_nowhere():
    result = scored(SPOILED, spoiled="leave-out")
    a, b = result.rows("conditions")
    by_hand = SPOILED[SPOILED["verdict"].eq("ok")]
    assert a["score"] == ((((1000 + 200 + 100) / 3) + 260) / 2 + 330) / 2
    assert (a["judgements"], b["judgements"]) == (13, 9)
    assert [c["score"] for c in result.rows("conditions")] == [
        c["score"] for c in scored(by_hand).rows("conditions")
    ]
    assert result.rows("staircases")[0]["tied_modes"] == 1


@pytest.mark.parametrize(("how", "becomes"), [("keep", "scored"), ("leave-out", "left out")])
def test_a_note_always_says_how_many(how, becomes):
    said = (
        f"3 of 25 measured exposures were not as requested (2 late, 1 dropped); they are {becomes}."
    )
    assert said in notes(SPOILED, spoiled=how)


def test_trials_that_were_not_measured_are_scored_and_told():
    some = SPOILED.assign(verdict=SPOILED["verdict"].mask(SPOILED["condition"].eq("b"), ""))
    assert "2 of 15 measured exposures" in notes(some)
    assert "10 more exposures were not measured." in notes(some)
    rows = scored(some, spoiled="leave-out").rows("conditions")
    assert sum(row["judgements"] for row in rows) == TRIALS - 2


@pytest.mark.parametrize("table", [timed_table(TWO), timed_table(TWO).assign(verdict=None)])
def test_where_nothing_was_measured_nothing_is_said(table):
    result = scored(table, spoiled="leave-out")
    assert "exposures were" not in " ".join(result.notes)
    assert result.to_object()["spoiled_trials"] is None


def test_only_the_time_protocol_has_verdicts():
    untimed = untimed_table({"a": {"x": (5, 5), "y": (7, 5)}}).assign(task="infinity")
    practice = SPOILED.assign(task="practice", verdict="dropped")
    table = pd.concat([SPOILED.assign(task="time"), untimed, practice], ignore_index=True)
    timed, infinity = score(table, draws=20, spoiled="leave-out")
    assert timed.facts["spoiled_trials"]["measured"] == TRIALS
    assert infinity.facts["spoiled_trials"] is None
    (row,) = infinity.rows("conditions")
    assert (row["judgements"], row["spoiled"]) == (200, 0)


def test_a_block_without_a_trial_left_is_missing_and_named():
    bad = {("x", 2, trial): "late" for trial in range(1, 6)}
    result = scored(with_verdicts(timed_table(TWO), bad), spoiled="leave-out")
    blocks = {row["condition"]: row["blocks"] for row in result.rows("staircases")}
    assert blocks["a"] == 2
    own = [row["score"] for row in result.rows("evaluators") if row["condition"] == "a"]
    assert own == [200.0, 330.0]
    assert "all their trials are left out: block 2 of x (a)." in " ".join(result.notes)


def test_a_condition_without_a_trial_left_is_missing_and_named():
    bad = {(who, 1, trial): "dropped" for who in "zw" for trial in range(1, 6)}
    result = scored(with_verdicts(timed_table(TWO), bad), spoiled="leave-out")
    assert [c["condition"] for c in result.rows("conditions")] == ["a"]
    assert "b has no score, since all its trials are left out." in result.notes


def test_leaving_out_everything_is_refused():
    table = timed_table(TWO).assign(verdict="late")
    with pytest.raises(InputError, match="task time: all 25 verdicts are late, dropped or seen"):
        score(table, spoiled="leave-out")
    assert score(table, draws=20)


def test_an_unknown_treatment_is_refused():
    with pytest.raises(InputError, match="'repeat' is not allowed; it must be keep or leave-out"):
        score(SPOILED, spoiled="repeat")


@pytest.fixture
def repeated():
    """Return a table in which x's two spoiled trials are shown again at the end of the block."""
    again = SPOILED[SPOILED["evaluator"].eq("x") & SPOILED["verdict"].ne("ok")]
    again = again.assign(repeats=again["trial"], trial=[6, 7], verdict="ok")
    return pd.concat([SPOILED, again], ignore_index=True)


def test_a_repetition_takes_the_place_of_what_is_left_out(repeated):
    result = scored(repeated, spoiled="leave-out")
    row = result.rows("conditions")[0]
    assert (row["score"], row["judgements"]) == (((200 + 260) / 2 + 330) / 2, 15)
    text = " ".join(result.notes)
    assert "2 trials were repeated at the end of a block and scored in place of a sp" in text
    assert "counts twice" not in text


def test_counting_an_image_twice_is_said(repeated):
    text = notes(repeated)
    assert "2 trials were shown again" in text
    assert "a repeated image counts twice" in text
    assert "in place of" not in text


def test_how_far_the_staircases_came_does_not_depend_on_the_screen():
    table = timed_table(TWO)
    table = table.assign(verdict=table["exposure_ms"].eq(1000).map({True: "late", False: "ok"}))
    row = scored(table, spoiled="leave-out").rows("staircases")[0]
    assert (row["ceiling_ms"], row["ceiling_share"]) == (1000.0, 0.0)
