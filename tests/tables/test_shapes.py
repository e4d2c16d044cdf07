"""Published formats of answers, scored by one command."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from hype import read_table
from hype.errors import InputError
from hype.tables.shapes import read_published, shape_names

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SAMPLES = tomllib.loads(Path(__file__).with_name("published_shapes.toml").read_text("utf-8"))
CASES, REFUSED = SAMPLES["case"], SAMPLES["refused"]
FACES = "id,model,num_correct,err_rt,f_err_rt,r_err_rt\np,gan,4,0.25,0.5,0\n"
"""With 4 correct answers and an error rate of 25%, the numbers of answers are not whole."""


def written(path: Path, rows) -> Path:
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore:.* left out")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["shape"])
def test_a_published_shape_is_read_as_it_was_answered(case, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(case["text"], encoding="utf-8")
    table = read_table(path, shape=case["shape"], **case.get("options", {}))

    columns = case["columns"]
    assert {name: table[name].astype(object).tolist() for name in columns} == columns


def test_every_shape_is_read_in_some_test():
    assert {case["shape"] for case in CASES} == {*shape_names()}


@pytest.mark.filterwarnings("ignore:.* left out")
def test_images_inside_a_parquet_file_are_passed_over(tmp_path):
    row = {"model_a": "gan", "model_b": "vae", "winner": "both_bad", "evaluation_session_id": "s"}
    row |= {"jpg_0": b"\xff\xd8\xff", "conversation_a": [{"content": [{"text": "a cat"}]}]}
    pd.DataFrame([row]).to_parquet(tmp_path / "votes.parquet")
    table = read_table(tmp_path / "votes.parquet", shape="lmarena")

    assert table[["evaluator", "answer"]].astype(str).to_numpy().tolist() == [["s", "tie"]]


def test_what_was_left_out_is_said(tmp_path, hype):
    picks = next(case for case in CASES if case["shape"] == "pick-a-pic")
    (tmp_path / "picks.csv").write_text(picks["text"])
    done = hype("score", tmp_path / "picks.csv", "--from", "pick-a-pic")

    said = "left out: nobody labelled the pair (1); both images are by the same model (1)."
    assert said in " ".join(done.out.split())


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["shape"])
def test_what_is_not_of_the_shape_is_refused(case, tmp_path, hype):
    (tmp_path / case["file"]).write_text(case["text"], encoding="utf-8")
    refused = hype("score", tmp_path / case["file"], "--from", case["shape"])

    assert refused.code == 2
    assert case["message"] in refused.err


def test_a_file_that_is_gone_and_rates_that_cannot_be_are_refused(tmp_path, hype):
    gone = hype("score", tmp_path / "gone.csv", "--from", "rapidata")
    folder = hype("score", tmp_path, "--from", "rapidata")
    (tmp_path / "faces.csv").write_text(FACES)
    odd = hype("score", tmp_path / "faces.csv", "--from", "dgm-eval")

    assert (gone.code, odd.code) == (2, 2)
    assert "cannot be read" in gone.err
    assert "is not a file" in folder.refused()
    assert "row 2" in odd.err


PICK = {
    "caption": "a cat",
    "user_id": "7",
    "model_0": "sdxl",
    "model_1": "sd21",
    "image_0_uid": "a",
    "image_1_uid": "b",
    "label_0": "1",
    "label_1": "0",
}
BATTLE = {
    "model_a": "gan",
    "model_b": "vae",
    "winner": "model_a",
    "judge": "j",
    "anony": "True",
    "dedup_tag": "{'high_freq': False, 'sampled': True}",
}


@pytest.mark.parametrize(
    ("shape", "again", "change", "why"),
    [
        ("pick-a-pic", "ranking_id", {"image_1_uid": "a"}, "the same image is on both sides"),
        ("pick-a-pic", "ranking_id", {"label_1": "1"}, "the labels contradict each other"),
        ("pick-a-pic", "ranking_id", {"ranking_id": "0"}, "the ranking_id is repeated"),
        ("lmarena", "question_id", {"anony": "False"}, "the vote was not blind (anony)"),
        (
            *("lmarena", "question_id", {"dedup_tag": "{'high_freq': True, 'sampled': False}"}),
            "the battle was not sampled",
        ),
        ("lmarena", "question_id", {"question_id": "0"}, "the question_id is repeated"),
    ],
)
def test_rows_that_are_no_answers_are_left_out(shape, again, change, why, tmp_path):
    row = PICK if shape == "pick-a-pic" else BATTLE
    rows = [row | {again: str(n), "user_id": str(n)} for n in range(3)]
    last = rows[1] | {again: "9"} | change
    read = read_published(written(tmp_path / "votes.csv", [*rows, last]), shape, {})

    assert len(read.frame) == 3
    (said,) = (each for each, rows in read.left_out.items() if rows)
    assert said.startswith(why)
    assert read.left_out[said] == 1


def test_a_model_that_is_not_named_is_refused_by_its_own_column(tmp_path):
    with pytest.raises(InputError, match="row 3: model_0 names no model"):
        read_published(
            written(tmp_path / "votes.csv", [PICK, PICK | {"model_0": ""}]), "pick-a-pic", {}
        )


@pytest.mark.parametrize("scale", [1, 0.001])
def test_levels_of_a_staircase_are_exposures(scale, tmp_path):
    rows = [
        {
            "participant": "p",
            "condition": "gan",
            "corrAns": truth,
            "block": block,
            "trials.intensity": level * scale,
        }
        | {"key_resp.keys": "f", "key_resp.rt": "0.5"}
        for block in (1, 2)
        for truth in ("f", "j")
        for level in (500, 470)
    ]
    table = read_table(written(tmp_path / "e.csv", rows), shape="psychopy", real="f", fake="j")

    assert set(table["exposure_ms"]) == {500, 470}
    assert set(table["task"]) == {"time"}


@pytest.mark.filterwarnings("ignore:.* left out")
def test_task_builder_2_has_its_columns_under_a_prefix(tmp_path):
    (tmp_path / "g.csv").write_text(
        "Participant Private ID,Response Type,Response,Reaction Time,Correct,Spreadsheet: truth,"
        "Spreadsheet: model,Spreadsheet: image\n7,action,,,,,,\n"
        "7,response,real,812.5,0,fake,gan,a.png\n"
    )

    table = read_table(tmp_path / "g.csv", shape="gorilla")

    assert table[["truth", "answer", "image"]].astype(str).to_numpy().tolist() == [
        ["fake", "real", "a.png"]
    ]


@pytest.mark.parametrize("theirs", ["mine", "all~says (.+)|(none)"])
def test_a_column_that_is_named_wins_over_the_shape(theirs, tmp_path):
    (tmp_path / "b.csv").write_text(
        "model_a,model_b,winner,mine,all\na,b,tie,model_b,says model_b\n"
    )

    table = read_table(tmp_path / "b.csv", shape="lmarena", columns={"answer": theirs})

    assert table["answer"].tolist() == ["right"]
