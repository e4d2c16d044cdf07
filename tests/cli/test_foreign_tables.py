"""`hype score` and `hype report` of tables that other programs made."""

from __future__ import annotations

import csv
import io
import shlex
from pathlib import Path

import pandas as pd
import pytest

from hype.answers.choices import Choices
from hype.cli.score import choose_columns
from hype.library.scores import read_table
from hype.protocols.opening import score_sources

PLAIN = """evaluator,condition,truth,answer
p1,gan,real,real
p1,gan,fake,real
p2,gan,real,fake
p2,gan,fake,fake
p3,vae,real,real
p3,vae,fake,fake
p4,vae,real,fake
p4,vae,fake,real
"""
FOREIGN = """participant,condition,kind,response
p1,gan,1,1.0
p1,gan,0,1.0
p2,gan,1,0.0
p2,gan,0,0.0
p2,gan,0,
p3,vae,1,1.0
p3,vae,0,0.0
p4,vae,1,0.0
p4,vae,0,1.0
"""
NAMED = ("--columns", "evaluator=participant, truth=kind", "--columns", "answer=response")
VALUES = ("--real", "1", "--fake", "0")
JSON = ("--json", "--draws", "100")


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "foreign.csv"
    path.write_text(FOREIGN)
    return path


def test_told_what_stands_for_what_it_scores_as_the_plain_table(foreign, hype):
    (foreign.parent / "plain.csv").write_text(PLAIN)
    plain = hype("score", foreign.parent / "plain.csv", *JSON).json
    told = hype("score", foreign, *NAMED, *VALUES, *JSON).json

    assert told.pop("missing_answers") == [{"evaluator": "p2", "row": 6}]
    assert plain.pop("missing_answers") == []
    note = "1 row has no answer, and it is left out: row 6."
    assert {*told.pop("notes")} == {note, *plain.pop("notes")}
    assert told == plain
    assert f"Note: {note}" in hype("score", foreign, *NAMED, *VALUES, "--draws", 100).out


def test_the_report_says_what_stood_for_what_and_what_is_missing(foreign, hype):
    assert hype("report", foreign, *NAMED, *VALUES, "--draws", 100).code == 0
    page = (foreign.parent / "report.html").read_text(encoding="utf-8")
    assert "1 row has no answer, and it is left out: row 6." in page
    assert "evaluator=participant, truth=kind, answer=response" in page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            (),
            "{table}: the columns 'evaluator', 'truth', 'answer' are missing; found: "
            "'participant', 'condition', 'kind', 'response'; if the guess is right: hype score "
            "{table} --columns evaluator=participant,truth=kind,answer=response --real VALUE "
            "--fake VALUE (instead of VALUE write the word for real or fake in your table)",
        ),
        (
            ("--columns", "evaluator"),
            "--columns: 'evaluator' is not understood; hype's name of a column = the table's name: "
            "evaluator=participant",
        ),
        (
            ("--columns", "truth=kind,truth=response"),
            "--columns: 'truth' is given twice; each column once",
        ),
        (
            ("--columns", "truth=kind,answer=kind"),
            "--columns answer: 'kind' is also used for another column; a separate column",
        ),
        (
            ("--columns", "truth=sort"),
            "--columns truth=sort: {table} has no column 'sort'; one of 'participant', "
            "'condition', 'kind', 'response'",
        ),
        (
            ("--from", "lmarena", "--wide", "Q*"),
            "--from --wide: both given; one of them",
        ),
        (
            (*NAMED, "--real", "1", "--fake", "1.0"),
            "--real --fake: '1.0' would mean both real and fake; different values",
        ),
    ],
)
def test_what_is_told_wrongly(foreign, options, said, hype):
    assert hype("score", foreign, *options).refused() == f"hype: {said.format(table=foreign)}"


def test_a_table_of_which_little_is_known_is_told_what_answers_need(tmp_path, hype):
    (tmp_path / "t.csv").write_text("who,picture_a,picture_b,seen\np,1,2,3\n")
    (tmp_path / "votes.csv").write_text("worker_id,model_0,model_1,said\np,gan,vae,left\n")
    assert hype("score", tmp_path / "t.csv").refused() == (
        f"hype: {tmp_path}/t.csv: has no columns that hype recognises as answers; found: 'who', "
        "'picture_a', 'picture_b', 'seen'; judgements need evaluator, condition, truth, answer; "
        "comparisons need left, right, answer; ratings need item, axis, answer, first; rankings "
        "need group, condition, rank; --columns OURS=THEIRS names your columns, --key CSV "
        "describes the columns of a survey, --from NAME reads tables of other programs"
    )
    command = "right=model_1,answer=THEIRS (instead of THEIRS write the name of your column)"
    assert command in hype("score", tmp_path / "votes.csv").refused()
    (tmp_path / "t.csv").write_text("user,model,label,choice\n1,gan,1,real\n2,gan,0,fake\n")
    values = "--real real --real VALUE --fake fake --fake VALUE"  # 1 may mean real or fake
    assert values in hype("score", tmp_path / "t.csv").refused()


@pytest.mark.parametrize(
    ("rows", "command"),
    [
        (
            "user,model,gt,choice,stimulus\n1,gan,AI,human,a\n1,camera,human,AI,b\n"
            "2,gan,AI,AI,a\n2,camera,human,Not sure,b\n",
            "--columns evaluator=user,condition=model,truth=gt,answer=choice,image=stimulus "
            "--real human --fake AI --missing 'Not sure' --real-condition camera",
        ),
        (
            "subj_id,model,stim_type,keypress\n1,gan,photo,P\n1,gan,synthetic,S\n2,gan,photo,\n",
            "--columns evaluator=subj_id,condition=model,truth=stim_type,answer=keypress "
            "--real photo --real P --fake synthetic --fake S",
        ),
        (
            "image_id,rater,model,question,score\na,1,gan,fine?,4\na,1,vae,sharp?,2\n",
            "--columns evaluator=rater,item=image_id+model,axis=question,answer=score,first=model "
            "--scale 2-4",
        ),
        (
            "rater,ai_model,kind,is_real,said_real\n1,x,cat,1,real\n1,x,dog,0,fake\n2,x,cat,0,\n",
            "--columns evaluator=rater,condition=ai_model,truth=is_real,answer=said_real --real 1 "
            "--real real --fake 0 --fake fake",
        ),
        (
            "rater,model,is_ai,correct\n1,gan,1,1\n1,gan,0,0\n2,gan,1,0\n2,gan,0,1\n",
            "--columns evaluator=rater,condition=model,truth=is_ai --real 0 --fake 1",
        ),
        (
            "pid,model,is_fake,accuracy,img\n1,gan,1,1,a\n1,gan,0,0,b\n2,gan,1,0,a\n2,gan,0,1,b\n",
            "--columns evaluator=pid,condition=model,truth=is_fake,image=img,correct=accuracy "
            "--real 0 --fake 1",
        ),
        (
            "subject,model,press,category,img\n1,gan,real,photo,a\n2,gan,fake,photo,a\n1,gan,fake,ai,b\n",
            "--columns evaluator=subject,condition=model,truth=category,answer=press,image=img "
            "--real photo --real real --fake ai --fake fake",
        ),
        (
            "user,model,fake,guess_fake\n1,gan,1,1\n1,gan,0,1\n2,gan,True,No\n2,gan,0,Yes\n",
            "--columns evaluator=user,condition=model,truth=fake,answer=guess_fake --real 0 "
            "--real No --fake 1 --fake True --fake Yes",
        ),
        (
            "user,image_A,image_B,winner,scene\n1,x,y,image_A,p\n1,y,x,same,q\n2,y,x,B,p\n",
            "--columns evaluator=user,left=image_A,right=image_B,answer=winner,prompt=scene "
            "--values answer=B:right,image_A:left,same:tie",
        ),
        (
            "user,model,truth,answer,duration\n1,m,real,real,.2\n2,m,fake,fake,.1\n",
            "--columns 'evaluator=user,condition=model,exposure_ms=duration*1000' --real "
            "real --fake fake",
        ),
    ],
)
def test_the_command_that_a_message_proposes_scores_the_table(rows, command, tmp_path, hype):
    (tmp_path / "t.csv").write_text(rows)
    assert hype("score", tmp_path / "t.csv").refused().endswith(f"/t.csv {command}")
    assert hype("score", tmp_path / "t.csv", *shlex.split(command)).code == 0


def test_a_column_that_seems_to_say_who_answered_is_named(tmp_path, hype):
    (tmp_path / "t.csv").write_text("Participant,left,right,answer\n1,a,b,left\n2,a,b,right\n")
    note = "The column Participant seems to name the evaluator: --columns evaluator=Participant"
    assert note in hype("score", tmp_path / "t.csv", "--notes").out
    named = hype("score", tmp_path / "t.csv", "--columns", "evaluator=Participant", "--notes")
    assert note not in named.out


def test_at_a_terminal_a_table_whose_words_are_clear_is_read_at_once(tmp_path, capsys):
    rows = [
        f"p{n % 3},gan,{('AI', 'human')[n % 2]},{('AI', 'human')[n % 5 > 2]}" for n in range(30)
    ]
    table = tmp_path / "votes.csv"
    table.write_text("\n".join(["subject,Model,label,response", *rows]) + "\n")
    choices = choose_columns(str(table), Choices())

    assert (choices.real, choices.fake) == (("human",), ("AI",))
    assert score_sources([str(table)], choices).every[0].rows("conditions")[0]["judgements"] == 30
    assert "--real human --fake AI" in capsys.readouterr().err


def test_values_and_what_is_missing_are_said_by_options(tmp_path, hype):
    rows = "p,a,b,A\np,a,b,same\nq,a,b,B\nq,b,a,Not sure\n"
    (tmp_path / "votes.csv").write_text(f"evaluator,left,right,answer\n{rows}")
    meanings = ("--values", "answer=A:left,B:right,same:tie", "--missing", "not sure")
    told = hype("score", tmp_path / "votes.csv", *meanings, "--json").json

    assert (told["comparisons"], told["missing_answers"]) == (3, [{"evaluator": "q", "row": 5}])


def test_a_survey_with_a_column_for_each_image(tmp_path, hype):
    (tmp_path / "survey.csv").write_text(
        "respondent,Q1,Q2,Q3,age\n1,real,fake,Not sure,30\n2,fake,real,real,40\n"
    )
    (tmp_path / "key.csv").write_text(
        "column,truth,condition,image\nQ1,real,gan,1.png\nQ2,fake,gan,2.png\nQ3,fake,vae,3.png\n"
    )
    wide = ("--wide", "Q*", "--key", tmp_path / "key.csv", "--missing", "Not sure")
    named = ("--columns", "evaluator=respondent")
    told = hype("score", tmp_path / "survey.csv", *wide, *named, *JSON).json

    scores = {row["condition"]: (row["score"], row["judgements"]) for row in told["conditions"]}
    assert scores == {"gan": (50.0, 4), "vae": (100.0, 1)}
    assert told["missing_answers"] == [{"evaluator": "1", "row": "2 (Q3)"}]


def test_a_survey_without_codes_has_a_person_in_each_row(tmp_path, hype):
    """A table as Google Forms writes it: the questions are columns, and no column has a code."""
    (tmp_path / "form.csv").write_text("Timestamp,Crow,Cat\n12/6,Real,AI\n12/6,AI,AI\n")
    (tmp_path / "key.csv").write_text("column,truth,condition\nCrow,real,sdxl\nCat,fake,sdxl\n")
    wide = ("--wide", "*", "--key", tmp_path / "key.csv", "--real", "Real", "--fake", "AI")
    (row,) = hype("score", tmp_path / "form.csv", *wide, *JSON).json["conditions"]
    assert (row["score"], row["judgements"], row["evaluators"]) == (25.0, 4, 2)

    by_time = hype("score", tmp_path / "form.csv", *wide, "--columns", "evaluator=Timestamp", *JSON)
    assert by_time.json["conditions"][0]["evaluators"] == 1


def test_the_label_of_an_image_may_be_its_condition_and_its_truth(tmp_path, hype):
    rows = "p,gan,gan\np,gan,real\np,drawn,drawn\np,real,real\np,real,gan\n"
    (tmp_path / "labels.csv").write_text("who,label,said\n" + rows)
    named = ("--columns", "evaluator=who,condition=label,truth=label,answer=said")
    words = ("--real", "real", "--fake", "gan", "--fake", "drawn", "--real-condition", "real")
    told = hype("score", tmp_path / "labels.csv", *named, *words, *JSON).json
    errors = {row["condition"]: row["fakes_error"] for row in told["conditions"]}
    assert errors == {"gan": 50.0, "drawn": 0.0}
    assert {row["reals_error"] for row in told["conditions"]} == {50.0}


def test_a_table_without_its_columns_may_be_of_a_published_shape(tmp_path, hype):
    (tmp_path / "votes.csv").write_text(
        "model_a_name,model_b_name,chosen_model_name,both_equal,session_hash\na,b,a,False,s\n"
    )
    (tmp_path / "names.csv").write_text("image_name,name,answer\na,b,c\n")
    (tmp_path / "tasks.json").write_text('[{"id": 1, "annotations": [{"result": []}]}]')

    way = f"hype score {tmp_path}/votes.csv --from comparia"
    assert hype("score", tmp_path / "votes.csv").refused().endswith(f"; read it with {way}")
    assert hype("score", tmp_path / "names.csv").refused().endswith("tables of other programs")
    message = hype("score", tmp_path / "tasks.json").refused()
    assert message.endswith(f"{tmp_path}/tasks.json --from label-studio-ratings")


@pytest.mark.parametrize("ids", [True, False])
def test_rows_that_name_the_columns_again_are_left_out(ids, tmp_path, hype):
    """Qualtrics writes the questions as a second row, and in CSV also its own names as a third."""
    names = [f'"{{""ImportId"":""QID{number}""}}"' for number in range(5)]
    (tmp_path / "survey.csv").write_text(
        "StartDate,Finished,ResponseId,Q1,Q2\n"
        'Start Date,Finished,Response ID,"Is it\nreal, or not?",And this?\n'
        + (",".join(names) + "\n") * ids
        + "1 May,True,R_1,real,real\n1 May,True,R_2,fake,fake\n1 May,False,R_3,real,\n"
    )
    (tmp_path / "key.csv").write_text("column,truth,condition\nQ1,real,gan\nQ2,fake,gan\n")
    wide = ("--wide", "Q*", "--key", tmp_path / "key.csv")
    named = ("--columns", "evaluator=ResponseId,status=Finished")
    finished = ("--values", "status=True:complete")
    done = hype("score", tmp_path / "survey.csv", *wide, *named, *finished, *JSON)

    assert done.json["conditions"][0]["judgements"] == 4
    rows = f"{1 + ids} row{'s were' if ids else ' was'}"
    said = f"{rows} left out: names of columns repeated below the header"
    assert any(note.startswith(said) for note in done.json["notes"])


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_lines_above_the_names_and_sums_below_the_people_are_no_answers(ending, tmp_path, hype):
    """A table in the form in which spreadsheets of MTurk batches are published."""
    cells = [
        ["", "right:", "50%", ""],
        ["WorkerId", "AssignmentStatus", "q1", "q2"],
        ["w1", "Approved", "real", "real"],
        ["w2", "Approved", "fake", "fake"],
        ["w3", "Rejected", "real", "fake"],
        ["", "", "0.5", "real"],
    ]
    table = tmp_path / f"batch.{ending}"
    frame = pd.DataFrame(cells)
    write = frame.to_csv if ending == "csv" else frame.to_excel
    write(table, index=False, header=False)
    (tmp_path / "key.csv").write_text("column,truth,condition\nq1,real,gan\nq2,fake,gan\n")
    wide = ("--wide", "q*", "--key", tmp_path / "key.csv")
    named = ("--columns", "evaluator=WorkerId,status=AssignmentStatus")
    done = ("--values", "status=Approved:complete", "--header-row", "2")
    told = hype("score", table, *wide, *named, *done, *JSON).json

    assert told["conditions"][0]["judgements"] == 4
    assert any("rows were left out: the column 'status' is empty" in note for note in told["notes"])
    way = "; if the names are in another row: hype score --header-row N"
    assert way in hype("score", table, *wide, *named).refused()


SHARED = "evaluator,condition,truth,answer,image\n" + "".join(
    f"p{who},{condition},{truth},{answer},{condition}{number}.png\n"
    for who in range(4)
    for condition, truth in (("gan", "fake"), ("vae", "fake"), ("{reals}", "real"))
    for number in range(6)
    for answer in [("real", "fake")[(who + number + (condition == "vae")) % 3 == 0]]
)


@pytest.mark.parametrize(("reals", "options"), [("", ()), ("Reals", ("--real-condition", "Reals"))])
def test_real_images_without_a_model_count_for_every_model(reals, options, tmp_path, hype):
    (tmp_path / "t.csv").write_text(SHARED.replace("{reals}", reals))
    told = hype("score", tmp_path / "t.csv", *options, *JSON).json

    rows = {row["condition"]: row for row in told["conditions"]}
    assert set(rows) == {"gan", "vae"}
    assert rows["gan"]["reals_error"] == rows["vae"]["reals_error"] == pytest.approx(100 / 3)
    assert rows["gan"]["judgements"] == 48


@pytest.mark.parametrize("known", ["truth", "answer"])
def test_correct_makes_up_for_a_truth_or_an_answer(known, tmp_path, hype):
    plain = [row.split(",") for row in PLAIN.splitlines()[1:]]
    rows = [
        f"{who},{condition},{ {'truth': truth, 'answer': answer}[known] },{truth == answer}"
        for who, condition, truth, answer in plain
    ]
    (tmp_path / "t.csv").write_text("\n".join([f"evaluator,condition,{known},correct", *rows]))
    (tmp_path / "plain.csv").write_text(PLAIN)
    made, whole = (hype("score", tmp_path / name, *JSON).json for name in ("t.csv", "plain.csv"))

    assert made["conditions"] == whole["conditions"]


@pytest.mark.parametrize("ending", ["csv.gz", "zip", "xlsx", "json", "jsonl", "txt", "quoted"])
def test_a_table_in_another_format_scores_as_the_plain_one(ending, tmp_path, hype):
    frame = pd.read_csv(io.StringIO(PLAIN))
    path = tmp_path / f"table.{ending}"
    if ending == "xlsx":
        frame.to_excel(path, index=False)
    elif ending.startswith("json"):
        frame.to_json(path, orient="records", lines=ending == "jsonl")
    elif ending == "txt":  # as a spreadsheet writes it, with empty rows
        frame.to_csv(path, index=False, sep="\t", encoding="utf-16", lineterminator="\r\n\r\n")
    elif ending == "quoted":
        frame.to_csv(path, index=False, quoting=csv.QUOTE_ALL)
    else:
        frame.to_csv(path, index=False)
    (tmp_path / "plain.csv").write_text(PLAIN)
    made, whole = (hype("score", path, *JSON).json for path in (path, tmp_path / "plain.csv"))

    assert made == whole


def test_times_may_have_a_decimal_comma_and_be_in_seconds(tmp_path, hype):
    rows = [row.replace(",", ";") for row in PLAIN.splitlines()]
    table = tmp_path / "t.csv"
    table.write_text("\n".join([f"{rows[0]};rt", *(f"{row};1,25" for row in rows[1:])]))
    kept = hype("score", table, "--columns", "rt_ms=rt", "--notes").out
    made = read_table(table, columns={"rt_ms": "rt*1000"})

    assert "All response times (rt_ms) are below 30 ms." in " ".join(kept.split())
    assert made["rt_ms"].tolist() == [1250.0] * 8


def test_ratings_may_be_any_numbers(tmp_path, hype):
    rows = [f"p{n % 5},i{n // 5},realism,gan,{(7 * n % 21) / 10 - 1:.2f}" for n in range(30)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["evaluator,item,axis,first,answer", *rows]))
    told = hype("score", table, "--scale", "-1:1", "--json").json

    assert told["conditions"][0]["mean"] == pytest.approx(
        sum((7 * n % 21) / 10 - 1 for n in range(30)) / 30
    )
    assert [answer["answer"] for answer in told["answers"]][:2] == ["-1 to -0.8", "-0.8 to -0.6"]
    assert "Answers are numbers from -1 to 1." in hype("score", table, "--scale", "-1:1").out
    assert (
        hype("score", table, "--scale", "0:1")
        .refused()
        .endswith(
            "'-1.00' is not allowed; it must be a number from 0 to 1, yes, no or not-relevant"
        )
    )


def test_the_kind_of_answers_follows_from_the_names_they_are_given(tmp_path, hype):
    rows = "".join(f"p{n % 4},a,b,{'Left' if n % 3 else 'RIGHT'}\n" for n in range(24))
    table = tmp_path / "votes.csv"
    table.write_text(f"who,one,two,said\n{rows}p0,a,b,\n")
    names = ("--columns", "evaluator=who,left=one,right=two,answer=said")
    told = hype("score", table, *names, "--json").json

    assert (told["protocol"], told["comparisons"]) == ("comparison", 24)
    assert told["missing_answers"] == [{"evaluator": "p0", "row": 26}]
    assert "1 row has no answer, and it is left out: row 26." in told["notes"]
    assert hype("score", table, *names, "--real", "1").refused() == (
        f"hype: --real: is for judgements, but {table} contains comparisons"
    )
    table.write_text("left,right,answer\na,b,leftvote\n")
    way = "--values answer=THEIRS:left,THEIRS:right translates other words"
    assert hype("score", table).refused().endswith(f"left, right, tie, both-bad or none; {way}")


def test_a_study_calls_everything_by_its_name(hype):
    study = Path(__file__).parents[2] / "experiments" / "fashion"
    for option in (("--columns", "truth=kind"), ("--real", "1"), ("--fake", "0")):
        said = hype("score", study, *option).refused()
        assert (
            said == f"hype: {option[0]}: is only for tables, but {study / 'study.toml'} is a study"
        )
