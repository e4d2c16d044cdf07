"""Answers as others publish them, scored by one command."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from hype import read_table
from hype.errors import InputError
from hype.tables.shapes import read_published, shape_names

FACES = "id,model,num_correct,err_rt,f_err_rt,r_err_rt\np,gan,{},0.25,0.5,0\n"
"""A person who judged 2 fakes and 2 reals, and one fake wrongly, if 3 answers are right."""
PICKS = (
    "caption,user_id,model_0,model_1,image_0_uid,image_1_uid,label_0,label_1,has_label\n"
    "a,0,gan,vae,1,2,1,0,True\na,1,gan,vae,3,4,0.5,0.5,True\na,2,gan,vae,5,6,0,1,True\n"
    "a,3,gan,gan,7,8,1,0,True\na,4,gan,vae,9,0,1,0,False\n"
)
JSPSYCH = "trial_type,response,rt,subject,condition,truth,stimulus\n"
TRIAL = "html-button-response,{},{},s1,gan,{},\"<p>Real?</p><img class='x' src='{}.png'>\"\n"
PSYCHOPY = (
    "image,truth,model,start.keys,start.rt,judging.keys,judging.rt,participant,frameRate,\n"
    ",,,space,1.2,,,s1,60.0,\n,,,,,,,s1,60.0,\nreal/0.png,real,gan,,,{j},{rt},s1,60.0,\n"
    "fake/0.png,fake,gan,,,{f},{rt},s1,60.0,\nfake/1.png,fake,gan,,,None,,s1,60.0,\n"
)
JUDGED = {
    "evaluator": ["s1", "s1"],
    "condition": ["gan", "gan"],
    "truth": ["real", "fake"],
    "answer": ["real", "fake"],
    "image": ["real/0.png", "fake/0.png"],
}


def written(path: Path, rows) -> Path:
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def rapidata(*votes: str, criterion: str) -> str:
    """Write the votes on a pair one by one, as its Parquet files have them."""
    details = {"country": "BY", "userScores": {"global": 0.4469}}
    cell = json.dumps([{"votedFor": vote, "userDetails": details} for vote in votes])
    row = {"prompt": "x", "model1": "flux", "model2": "flux-1.1"}
    return json.dumps(row | {f"detailed_results_{criterion}": cell})


def survey(response: str) -> str:
    """Write trials whose answers are objects of one question, beside other pages."""
    answered = [TRIAL.format(response.format(n), 700, *of) for n, of in enumerate(SHOWN)]
    pages = 'instructions,null,4000,s1,,,\nsurvey,"{""age"": ""30"", ""sex"": ""f""}",9,s1,,,\n'
    return JSPSYCH + pages + "".join(answered) + TRIAL.format("", "", "fake", "fake/1")


SHOWN = (("real", "real/0"), ("fake", "fake/0"))


BUTTONS, KEYS = {"real": "0", "fake": "1"}, {"real": "j", "fake": "f"}


@dataclass(frozen=True)
class Case:
    """A small file of a shape, and what its columns become."""

    shape: str
    text: str
    columns: dict[str, list[object]]
    options: dict[str, Any] = field(default_factory=dict)


CASES = {
    "faces": Case(
        "dgm-eval",
        FACES.format(3),
        {"truth": ["fake", "fake", "real", "real"], "answer": ["real", "fake", "real", "real"]},
    ),
    "rankings": Case(  # of which ``rank`` is averaged, and each annotator's is in the raw ones
        "hpdv2",
        json.dumps(
            [
                {"prompt": "p", "image_path": ["gan/p.jpg", "vae/p.jpg"], "rank": [1, 0]}
                | {"raw_annotations": [{"annotation": [0, 1], "user_id": 7}]}
            ]
        ),
        {"evaluator": ["7", "7"], "condition": ["gan", "vae"], "rank": [1, 2]},
    ),
    "picks": Case("pick-a-pic", PICKS, {"answer": ["left", "tie", "right"]}),
    "trusted votes": Case(
        "rapidata",
        rapidata("flux-1.1", "flux", "flux-1.1_0.png", criterion="preference"),
        {"answer": ["right", "left", "right"]},
    ),
    "alignment": Case(
        "rapidata-alignment", rapidata("flux", criterion="alignment"), {"answer": ["left"]}
    ),
    "battles": Case(
        "lmarena",
        json.dumps(
            [
                {"model_a": "gan", "model_b": "vae", "winner": winner, "judge": "u", "anony": True}
                | {"conversation_a": [{"role": "user", "content": "draw a cat"}]}
                for winner in ("model_a", "model_b", "tie", "tie (bothbad)")
            ]
        ),
        {"answer": ["left", "right", "tie", "tie"]},
    ),
    "buttons": Case("jspsych", survey("{}"), JUDGED | {"rt_ms": [700.0] * 2}, BUTTONS),
    "surveys": Case("jspsych", survey('"{{""Q0"": ""{}""}}"'), JUDGED, BUTTONS),
    "keys": Case(
        "psychopy", PSYCHOPY.format(j="j", f="f", rt=0.612), JUDGED | {"rt_ms": [612.0] * 2}, KEYS
    ),
    "all keys": Case(
        "psychopy",
        PSYCHOPY.format(j="\"['j']\"", f="\"['f']\"", rt="[0.612]"),
        JUDGED | {"rt_ms": [612.0] * 2},
        KEYS,
    ),
}


@pytest.mark.filterwarnings("ignore:.* left out")
@pytest.mark.parametrize("name", CASES)
def test_a_published_shape_is_read_as_it_was_answered(name, tmp_path):
    case, path = CASES[name], tmp_path / "answers.csv"
    path.write_text(case.text, encoding="utf-8")
    table = read_table(path, shape=case.shape, **case.options)

    assert {n: table[n].astype(object).tolist() for n in case.columns} == case.columns


@pytest.mark.filterwarnings("ignore:.* left out")
def test_images_inside_a_parquet_file_are_passed_over(tmp_path):
    row = {"model_a": "gan", "model_b": "vae", "winner": "both_bad", "evaluation_session_id": "s"}
    row |= {"jpg_0": b"\xff\xd8\xff", "conversation_a": [{"content": [{"text": "a cat"}]}]}
    pd.DataFrame([row]).to_parquet(tmp_path / "votes.parquet")
    table = read_table(tmp_path / "votes.parquet", shape="lmarena")

    assert table[["evaluator", "answer"]].astype(str).to_numpy().tolist() == [["s", "tie"]]


def test_what_was_left_out_is_said(tmp_path, hype):
    (tmp_path / "picks.csv").write_text(PICKS)
    done = hype("score", tmp_path / "picks.csv", "--from", "pick-a-pic")

    said = "2 rows were left out: nobody labelled the pair (1); both images are by one model (1)."
    assert said in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("name", "text", "shape", "message"),
    [
        ("a.csv", "x,y\n1,2\n", "nix", "'nix' is no shape that is known"),
        ("a.csv", "x,y\n1,2\n", "lmarena", "has no column that says left: 'model_a'"),
        (
            "b.csv",
            "model_a,model_b,winner\na,b,me\n",
            "lmarena",
            "'me' is not known; 'model_a', 'model_b'",
        ),
        ("c.json", "{", "hpdv2", "is no JSON"),
        ("c.json", "[1]", "hpdv2", "is no list of objects"),
        (
            "d.json",
            '[{"image_path": ["a/1.jpg", "b/1.jpg"], "human_preference": [1, 0]}]',
            "hpdv2-train",
            "says evaluator: 'user_hash'",
        ),
        (
            "d.json",
            '[{"image_path": ["test/1.jpg", "test/2.jpg"], '
            '"raw_annotation": [{"user_id": "p", "annotation": [1, 2]}]}]',
            "hpdv2",
            "does not say which model made its images: all are in test/",
        ),
        (
            "p.csv",
            "caption,user_id,model_0,model_1,image_0_uid,image_1_uid,label_0\nx,1,a,b,0,1,0.7\n",
            "pick-a-pic",
            "row 2: 'label_0': '0.7' is not known; '1', '0', '0.5'",
        ),
        (
            "r.csv",
            "prompt,model1,model2,votes_image1,votes_image2\nx,a,b,2.5,1\n",
            "rapidata",
            "row 2: votes_image1 is 2.5, which is no number of answers",
        ),
        (
            "r.csv",
            "prompt,model1,model2,weighted_results_image1_coherence\nx,a,b,0.4\n",
            "rapidata-coherence",
            "lacks 'votedFor'",
        ),
        (
            "r.jsonl",
            '{"prompt": "x", "model1": "a", "model2": "b", '
            '"detailed_results": "[{\\"votedFor\\": \\"c_1.png\\"}]"}',
            "rapidata",
            "item 1: votedFor: a vote for 'c_1.png', which is neither image",
        ),
        (
            "i.csv",
            "id,model,num_correct,err_rt,f_err_rt,r_err_rt\np,a,0,1,1,1\n",
            "dgm-eval",
            "row 2: f_err_rt * num_correct / (1 - err_rt) / 2 is nan, which is no number",
        ),
        ("e.csv", "response,rt\n1,2\n", "jspsych", "no column that says condition"),
        (
            "e.csv",
            'response,rt,truth,model,subject\n"{""a"": 1, ""b"": 2}",2,real,gan,s1\n',
            "jspsych",
            'row 2: \'{"a": 1, "b": 2}\' holds 2 answers',
        ),
        (
            "f.csv",
            "truth,condition,participant,a.keys,b.keys\nreal,m,p,1,2\n",
            "psychopy",
            "row 2: has answers in 'a.keys', 'b.keys'",
        ),
        ("g.csv", "", "psychopy", "the file is empty"),
    ],
)
def test_what_is_not_of_the_shape_is_refused(name, text, shape, message, tmp_path, hype):
    (tmp_path / name).write_text(text, encoding="utf-8")
    refused = hype("score", tmp_path / name, "--from", shape)

    assert refused.code == 2
    assert message in refused.err


def test_a_file_that_is_gone_and_rates_that_cannot_be_are_refused(tmp_path, hype):
    gone = hype("score", tmp_path / "gone.csv", "--from", "rapidata")
    folder = hype("score", tmp_path, "--from", "rapidata")
    (tmp_path / "faces.csv").write_text(FACES.format(4))
    odd = hype("score", tmp_path / "faces.csv", "--from", "dgm-eval")

    assert (gone.code, odd.code) == (2, 2)
    assert "is not there" in gone.err
    assert "is a folder; a file" in folder.refused()
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
        ("pick-a-pic", "ranking_id", {"ranking_id": "0"}, "a ranking_id is there again"),
        ("lmarena", "question_id", {"anony": "False"}, "the vote was not blind (anony)"),
        (
            *("lmarena", "question_id", {"dedup_tag": "{'high_freq': True, 'sampled': False}"}),
            "the battle was not sampled",
        ),
        ("lmarena", "question_id", {"question_id": "0"}, "a question_id is there again"),
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


KEYED = "Participant Private ID,{kind},Response,Reaction Time,Correct,{truth},{model},{image}\n"
MADE = {
    "lmarena": "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    "a,b,1,0,0\na,b,0,1,0\na,b,0,0,1\n",
    "rapidata": "prompt,model1,model2,votes_image1,votes_image2\nx,a,b,2,1\n",
    "rapidata-coherence": json.dumps(
        {"model1": "a", "model2": "b", "prompt": "x"}
        | {"detailed_results_coherence": json.dumps([{"votedFor": "b_1.png"}])}
    ),
    "hpdv2-train": json.dumps(
        [
            {"prompt": "x", "user_hash": "u", "human_preference": choice}
            | {"file_path": ["gan/x.jpg", "old/vae/x.jpg"]}
            for choice in ([0, 1], [1, 0])
        ]
    ),
    "genai-bench": "left_model,right_model,prompt,vote_type\na,b,p,leftvote\nb,a,p,bothbad_vote\n",
    "evalica": "left,right,winner\na,b,left\na,b,tie\na,b,ignore\n",
    "pwcmp": "observer,scene,condition_1,condition_2,selection\n1,s,a,b,1\n1,s,b,a,2\n",
    "kamali": "user_id,video,fake,guess_fake,category\n0,r.jpg,0,1,Reals\n0,f.jpg,1,1,Fire\n"
    "0,m.jpg,1,0,Mid\n",
    "gorilla": KEYED.format(kind="Zone Type", truth="ANSWER", model="model", image="image")
    + "7,content,,,,,,\n7,response_button_text,real,812.5,1,real,gan,a.png\n",
    "imagereward": "prompt,image_path,overall_rating,image_text_alignment_rating,fidelity_rating\n"
    "p,a.webp,5,6,7\np,b.webp,3,4,2\n",
    "rapidata-results": json.dumps(
        {
            "info": {"type": "Compare"},
            "results": [
                {
                    "context": "a cat",
                    "aggregatedResults": {"flux-1_0_3.jpg": 1, "dalle-3_0_0.jpg": 2},
                    "detailedResults": [
                        {"votedFor": name, "userDetails": {"userScores": {"global": 0.5}}}
                        for name in ("dalle-3_0_0.jpg", "flux-1_0_3.jpg", "dalle-3_0_0.jpg")
                    ],
                }
            ],
        }
    ),
    "label-studio": json.dumps(
        [
            {
                "data": {"model_a": "gan", "model_b": "vae", "prompt": "a cat"},
                "annotations": [
                    {
                        "completed_by": person,
                        "was_cancelled": not side,
                        "result": [{"type": "pairwise", "value": {"selected": side}}] * bool(side),
                    }
                    for person, side in ((1, "left"), (2, "right"), (3, ""))
                ],
                "predictions": [],
            }
        ]
    ),
    "label-studio-ratings": json.dumps(
        [
            {
                "data": {"image": "1.png", "model": "gan"},
                "annotations": [
                    {
                        "completed_by": {"id": 1, "email": "a@x.org"},
                        "result": [
                            {"from_name": name, "type": "rating", "value": {"rating": stars}}
                            for name, stars in (("realism", 4), ("beauty", 2))
                        ],
                    }
                ],
            }
        ]
    ),
    "ground-truth": json.dumps(
        {
            "source-ref": "s3://pairs/1.json",
            "model_a": "gan",
            "model_b": "vae",
            "my-job": {
                "annotationsFromAllWorkers": [
                    {
                        "workerId": f"private.{person}",
                        "annotationData": {"content": json.dumps({"vote": {"label": side}})},
                    }
                    for person, side in ((1, "Left"), (2, "Right"))
                ]
            },
            "my-job-metadata": {"type": "groundtruth/custom"},
        }
    ),
    "imagenhub": "uid\tDALLE\tSD\n0.jpg\t[1, 0.5]\t[0,1]\n",
    "matrix": ",gan,vae\ngan,0,2\nvae,1,0\n",
    "agiqa-3k": "name,prompt,mos_quality,std_quality,mos_align,std_align\n"
    "DALLE2_001.jpg,p,3.5,.1,4,.1\nsd1.5_normal_000.jpg,p,2,.1,0.25,.1\n",
    "tifa": json.dumps(
        {
            f"coco_12_{model}": {"image_path": f"{model}.jpg", "text": "p", "human_scores": scores}
            for model, scores in (("mini_dalle", [5, 4]), ("vq_diffusion", [1, 2]))
        }
    ),
    "comparia": "model_a_name,model_b_name,chosen_model_name,both_equal,session_hash\n"
    "a,b,a,False,s1\na,b,b,False,s1\na,b,,True,s2\na,b,,False,s2\n",
    "koniq": "image_name,c1,c2,c3,c4,c5,c_total,MOS,SD,set\n"
    "a.jpg,0.0,0.0,0.333333333333,0.666666666667,0.0,3,70.1,.5,training\n"
    "b.jpg,1,0,0,0,1,2,50,.5,test\n",
    "labjs": "sender,sender_type,correct,correctResponse,duration,ended_on,model,response\n"
    "Welcome,html.Page,,,900,response,,next\n"
    "Cross,canvas.Screen,,real,500,timeout,gan,\n"
    "Image,canvas.Screen,true,real,812.5,response,gan,real\n"
    "Trial,flow.Sequence,,real,1400,completed,gan,\n",
    "potato": "user\tinstance_id\tdisplayed_text\trealism:::1\trealism:::4\tbeauty:::scale_2\n"
    "ann\tgan_0001.png\tp\t\ttrue\t2\nann\tvae_0001.png\tp\ttrue\t\t\n",
}
COLUMNS = {
    "lmarena": {"left": ["a"] * 3, "answer": ["left", "right", "tie"]},
    "rapidata": {"right": ["b"] * 3, "answer": ["left", "left", "right"]},
    "rapidata-coherence": {"answer": ["right"]},
    "hpdv2-train": {
        "evaluator": ["u", "u"],
        "left": ["gan"] * 2,
        "right": ["vae"] * 2,
        "left_image": ["gan/x.jpg"] * 2,
        "answer": ["right", "left"],
    },
    "genai-bench": {"left": ["a", "b"], "answer": ["left", "tie"]},
    "evalica": {"answer": ["left", "tie"]},
    "pwcmp": {"evaluator": ["1", "1"], "left": ["a", "b"], "answer": ["left", "right"]},
    "kamali": {
        "condition": ["Fire", "Mid", "Fire", "Mid"],
        "truth": ["fake", "fake", "real", "real"],
        "answer": ["fake", "real", "fake", "fake"],
    },
    "gorilla": {"evaluator": ["7"], "condition": ["gan"], "rt_ms": [812.5]},
    "imagereward": {
        "axis": ["overall", "alignment", "fidelity"] * 2,
        "answer": ["5", "6", "7", "3", "4", "2"],
    },
    "rapidata-results": {
        "left": ["flux-1"] * 3,
        "right": ["dalle-3"] * 3,
        "answer": ["right", "left", "right"],
    },
    "label-studio": {
        "evaluator": ["1", "2"],
        "left": ["gan", "gan"],
        "prompt": ["a cat", "a cat"],
        "answer": ["left", "right"],
    },
    "label-studio-ratings": {
        "evaluator": ["a@x.org"] * 2,
        "first": ["gan"] * 2,
        "axis": ["realism", "beauty"],
        "answer": ["4", "2"],
    },
    "ground-truth": {"evaluator": ["private.1", "private.2"], "answer": ["left", "right"]},
    "imagenhub": {
        "evaluator": ["answers"] * 4,
        "first": ["DALLE", "SD"] * 2,
        "item": ["0.jpg DALLE", "0.jpg SD"] * 2,
        "axis": ["consistency"] * 2 + ["quality"] * 2,
        "answer": ["1", "0", "0.5", "1"],
    },
    "matrix": {
        "left": ["gan", "gan", "vae"],
        "right": ["vae", "vae", "gan"],
        "answer": ["left"] * 3,
    },
    "agiqa-3k": {
        "first": ["DALLE2", "DALLE2", "sd1.5_normal", "sd1.5_normal"],
        "answer": ["3.5", "4", "2", "0.25"],
    },
    "tifa": {
        "first": ["mini_dalle", "mini_dalle", "vq_diffusion", "vq_diffusion"],
        "answer": ["5", "4", "1", "2"],
    },
    "comparia": {"evaluator": ["s1", "s1", "s2"], "answer": ["left", "right", "tie"]},
    "koniq": {"item": ["a.jpg"] * 3 + ["b.jpg"] * 2, "answer": ["3", "4", "4", "1", "5"]},
    "labjs": {
        "evaluator": ["answers"],
        "condition": ["gan"],
        "truth": ["real"],
        "answer": ["real"],
        "rt_ms": [812.5],
    },
    "potato": {
        "evaluator": ["ann"] * 3,
        "first": ["gan", "gan", "vae"],
        "axis": ["realism", "beauty", "realism"],
        "answer": ["4", "2", "1"],
    },
}
SCALES = {
    "imagereward": "1-7",
    "label-studio-ratings": "1-5",
    "imagenhub": "0:1",
    "agiqa-3k": "0:5",
    "tifa": "1-5",
    "koniq": "1-5",
    "potato": "1-5",
}


@pytest.mark.filterwarnings("ignore:.* left out")
@pytest.mark.parametrize("shape", COLUMNS)
def test_a_small_file_of_a_shape_becomes_these_columns(shape, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(MADE[shape])
    more = {"scale": SCALES[shape]} if shape in SCALES else {}
    table = read_table(path, shape=shape, **more)

    assert {name: table[name].astype(object).tolist() for name in COLUMNS[shape]} == COLUMNS[shape]


def test_every_shape_is_read_in_some_test():
    assert {*COLUMNS} | {case.shape for case in CASES.values()} == {*shape_names()}


@pytest.mark.filterwarnings("ignore:.* left out")
def test_task_builder_2_has_its_columns_under_a_prefix(tmp_path):
    names = ("Spreadsheet: truth", "Spreadsheet: model", "Spreadsheet: image")
    head = KEYED.format(kind="Response Type", truth=names[0], model=names[1], image=names[2])
    (tmp_path / "g.csv").write_text(
        f"{head}7,action,,,,,,\n7,response,real,812.5,0,fake,gan,a.png\n"
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
