"""Answers as others publish them, scored by one command."""

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from running import Program

from hype import read_table, score

FACES = Path(__file__).resolve().parents[3] / "shared/data/dgm-eval-ffhq256.csv"
PROMPTS = [f"prompt {number}" for number in range(4)]


def written(path: Path, rows) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
    else:
        pd.DataFrame(rows).to_csv(path, index=False)
    return path


def of_faces(folder: Path) -> Path:
    """Two models of two people, who judged 50 fakes and 50 reals each."""
    errors = [("gan", 10, 20), ("gan", 12, 8), ("vae", 0, 1), ("vae", 5, 5)]
    rows = [
        {"id": f"p{number}", "model": model, "num_correct": 100 - fakes - reals}
        | {"err_rt": (fakes + reals) / 100, "f_err_rt": fakes / 50, "r_err_rt": reals / 50}
        for number, (model, fakes, reals) in enumerate(errors)
    ]
    return written(folder / "faces.csv", rows)


def of_rankings(folder: Path) -> Path:
    """HPD v2's test file: ``rank`` is averaged, and each annotator's is in ``raw_annotations``."""
    orders = ([0, 1, 2], [1, 0, 2], [2, 1, 0])
    rows = [
        {
            "prompt": prompt,
            "image_path": [f"{model}/{prompt}.jpg" for model in ("gan", "vae", "flow")],
            "rank": [1, 0, 2],
            "raw_annotations": [
                {"annotation": order, "user_id": number} for number, order in enumerate(orders)
            ],
        }
        for prompt in PROMPTS
    ]
    return written(folder / "test.json", rows)


def of_choices(folder: Path) -> Path:
    rows = [
        {
            "prompt": prompt,
            "file_path": [f"gan/{prompt}.jpg", f"vae/{prompt}.jpg"],
            "human_preference": [number % 2, 1 - number % 2],
            "user_hash": f"user{number}",
        }
        for prompt in PROMPTS
        for number in range(3)
    ]
    return written(folder / "train.json", rows)


def of_picks(folder: Path) -> Path:
    """Pick-a-Pic, with the images inside, and pairs that nobody labelled."""
    answers = (("vae", True, 1.0), ("vae", True, 0.5), ("vae", True, 0.0), ("gan", True, 1.0))
    rows = [
        {
            "caption": prompt,
            "jpg_0": b"\xff\xd8\xff",
            "jpg_1": b"\xff\xd8\x00",
            "image_0_uid": f"a-{prompt}",
            "image_1_uid": f"b-{prompt}",
            "label_0": label,
            "label_1": 1 - label,
            "has_label": has_label,
            "model_0": "gan",
            "model_1": other,
            "user_id": number,
        }
        for prompt in PROMPTS
        for number, (other, has_label, label) in enumerate((*answers, ("vae", False, 1.0)))
    ]
    return written(folder / "picks.parquet", rows)


def of_votes(folder: Path) -> Path:
    """Rapidata's numbers of votes, beside images as structs."""
    image = {"bytes": b"\x89PNG", "path": "x.png"}
    rows = [
        {"prompt": prompt, "image1": image, "model1": "gan", "model2": "vae"}
        | {"votes_image1": 7, "votes_image2": 3, "image1_path": f"gan/{number}.jpg"}
        | {"image2_path": f"vae/{number}.jpg"}
        for number, prompt in enumerate(PROMPTS)
    ]
    return written(folder / "votes.parquet", rows)


def of_trusted_votes(folder: Path) -> Path:
    """Rapidata's votes one by one, weighed by how far each voter is trusted; two criteria."""
    details = {"country": "BY", "language": "ru", "userScores": {"global": 0.4469}}
    rows = []
    for number, prompt in enumerate(PROMPTS):
        votes = [
            {"votedFor": f"{model}_{number}.png" if number else model, "userDetails": details}
            for model in ("flux-1.1", "flux", "flux-1.1")
        ]
        row = {"prompt": prompt, "model1": "flux", "model2": "flux-1.1"}
        row |= {"weighted_results_image1_preference": 0.3}
        row |= {"detailed_results_preference": json.dumps(votes)}
        row |= {"detailed_results_alignment": json.dumps({"votes": votes[1:2], "metadata": {}})}
        rows.append(row)
    return written(folder / "trusted.parquet", rows)


def of_battles(folder: Path) -> Path:
    rows = [
        {"model_a": "gan", "model_b": "vae", "winner": winner, "judge": f"arena_user_{number}"}
        | {"conversation_a": [{"role": "user", "content": "draw a cat"}], "anony": True}
        for number in range(5)
        for winner in ("model_a", "model_b", "tie", "tie (bothbad)")
    ]
    return written(folder / "battles.json", rows)


def of_sessions(folder: Path) -> Path:
    """LMArena's later files, whose sessions are evaluators and whose conversations are nested."""
    rows = [
        {"model_a": "gan", "model_b": "vae", "winner": winner, "evaluation_session_id": f"s{who}"}
        | {"conversation_a": [{"role": "user", "content": [{"type": "text", "text": "a cat"}]}]}
        for who in range(5)
        for winner in ("model_a", "model_b", "both_bad")
    ]
    return written(folder / "sessions.parquet", rows)


def of_flags(folder: Path) -> Path:
    rows = [
        {"id": f"{number}{flag}", "model_a": "gan", "model_b": "vae"}
        | {f"winner_{name}": int(name == flag) for name in ("model_a", "model_b", "tie")}
        for number in range(5)
        for flag in ("model_a", "model_b", "tie")
    ]
    return written(folder / "flags.csv", rows)


def of_jspsych(folder: Path, response=lambda answer: answer, ending: str = "csv") -> Path:
    """Pages before trials, a question on the evaluator, images in HTML and one unanswered trial."""
    asked = {"trial_type": "survey", "response": json.dumps({"age": "30", "sex": "f"}), "rt": 9}
    pages = [{"trial_type": "instructions", "response": "null", "rt": 4000, "subject": "s1"}]
    trials = [
        {
            "trial_type": "html-button-response",
            "stimulus": f"<p>Real?</p><img class='x' src='{truth}/{number}.png'>",
            "response": None if (who, number, truth) == ("s2", 3, "fake") else response(answer),
            "rt": None if (who, number, truth) == ("s2", 3, "fake") else 700,
            "subject": who,
            "condition": "gan",
            "truth": truth,
        }
        for who in ("s1", "s2")
        for number in range(4)
        for truth, answer in (("real", 0), ("fake", int(number > 0)))
    ]
    return written(folder / f"jspsych.{ending}", [*pages, {**asked, "subject": "s1"}, *trials])


def of_surveys(folder: Path) -> Path:
    """The same as JSON, whose answers are objects of one question."""
    return of_jspsych(folder, lambda answer: {"Q0": str(answer)}, "json")


def of_nested_text(folder: Path) -> Path:
    """The same as CSV, in which objects are JSON in a cell."""
    return of_jspsych(folder, lambda answer: json.dumps({"Q0": str(answer)}))


def of_psychopy(folder: Path, key=lambda name: name) -> Path:
    """A row of instructions with keys of its own, an empty row, and a comma at the end of each."""
    head = "image,truth,model,start.keys,start.rt,judging.keys,judging.rt,participant,frameRate,"
    rows = [head, ",,,space,1.2,,,s1,60.0,", ",,,,,,,s1,60.0,"]
    for who in ("s1", "s2"):
        for number in range(4):
            for truth, answer in (("real", "j"), ("fake", "j" if number else "f")):
                given = ("None", "") if number == 3 else (key(answer), key("0.612"))
                rows.append(f"{truth}/{number}.png,{truth},gan,,,{','.join(given)},{who},60.0,")
    (folder / "psychopy.csv").write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    return folder / "psychopy.csv"


def of_all_keys(folder: Path) -> Path:
    """As PsychoPy has it where all keys of a trial are stored."""
    return of_psychopy(folder, lambda name: f"\"['{name}']\"" if name.isalpha() else f"[{name}]")


BUTTONS, KEYS = {"real": "0", "fake": "1"}, {"real": "j", "fake": "f"}
ALL = {
    "faces": ("dgm-eval", of_faces, {}, "infinity", 400),
    "rankings": ("hpdv2", of_rankings, {}, "ranking", 36),
    "choices": ("hpdv2", of_choices, {}, "comparison", 12),
    "picks": ("pick-a-pic", of_picks, {}, "comparison", 12),
    "votes": ("rapidata", of_votes, {}, "comparison", 40),
    "trusted votes": ("rapidata", of_trusted_votes, {}, "comparison", 12),
    "alignment": ("rapidata-alignment", of_trusted_votes, {}, "comparison", 4),
    "battles": ("lmarena", of_battles, {}, "comparison", 20),
    "sessions": ("lmarena", of_sessions, {}, "comparison", 15),
    "flags": ("lmarena", of_flags, {}, "comparison", 15),
    "buttons": ("jspsych", of_jspsych, BUTTONS, "infinity", 15),
    "surveys": ("jspsych", of_surveys, BUTTONS, "infinity", 15),
    "nested text": ("jspsych", of_nested_text, BUTTONS, "infinity", 15),
    "keys": ("psychopy", of_psychopy, KEYS, "infinity", 12),
    "all keys": ("psychopy", of_all_keys, KEYS, "infinity", 12),
}


@pytest.mark.parametrize("name", ALL)
def test_a_published_shape_is_scored_by_one_command(
    name: str, tmp_path: Path, hype: Program
) -> None:
    shape, make, given, protocol, rows = ALL[name]
    path = make(tmp_path)
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    done = hype("score", path, "--from", shape, *options, "--json")

    assert done.code == 0, done.err
    assert done.json["protocol"] == protocol
    assert len(read_table(path, shape=shape, **given)) == rows


def test_error_rates_become_the_judgements_that_they_are_made_of(tmp_path: Path) -> None:
    table = score(of_faces(tmp_path), shape="dgm-eval").to_frame()

    errors = dict(zip(table["condition"], table["score"], strict=True))
    assert errors == {"gan": 25.0, "vae": 5.5}


@pytest.mark.skipif(not FACES.exists(), reason="the table of people's judgements is not at hand")
def test_real_people_are_scored_as_published() -> None:
    published = 100 * pd.read_csv(FACES).groupby("model")["err_rt"].mean()
    table = score(FACES, shape="dgm-eval", draws=100).to_frame()

    assert len(table) == len(published)
    for row in table.itertuples():
        assert row.score == pytest.approx(published[row.condition])


def test_choices_of_a_training_file_are_comparisons(tmp_path: Path) -> None:
    table = read_table(of_choices(tmp_path), shape="hpdv2")

    assert table["left"].eq("gan").all()
    assert table["answer"].value_counts()["left"] == 4
    assert table["evaluator"].nunique() == 3


def test_what_was_left_out_is_said(tmp_path: Path, hype: Program) -> None:
    done = hype("score", of_picks(tmp_path), "--from", "pick-a-pic")

    assert "4 rows were left out: both images are by one model." in " ".join(done.out.split())


def test_ranks_choices_and_votes_are_read_as_they_were_given(tmp_path: Path) -> None:
    ranks = read_table(of_rankings(tmp_path), shape="hpdv2").groupby("evaluator", observed=True)[
        "rank"
    ]
    votes, bad, picks = (
        Counter(read_table(make(tmp_path), shape=shape)["answer"])
        for make, shape in (
            (of_trusted_votes, "rapidata"),
            (of_sessions, "lmarena"),
            (of_picks, "pick-a-pic"),
        )
    )

    assert {who: list(own)[:3] for who, own in ranks} == {
        "0": [1, 2, 3],
        "1": [2, 1, 3],
        "2": [3, 2, 1],
    }
    assert votes == {"right": 8, "left": 4}
    assert bad == {"left": 5, "right": 5, "tie": 5}
    assert picks == {"left": 4, "right": 4, "tie": 4}


@pytest.mark.parametrize("name", ["buttons", "surveys", "nested text", "keys", "all keys"])
def test_answers_of_experiments_are_those_of_trials_alone(name: str, tmp_path: Path) -> None:
    shape, make, given, *_ = ALL[name]
    table = read_table(make(tmp_path), shape=shape, **given)

    assert set(table["image"]) <= {
        f"{truth}/{n}.png" for truth in ("real", "fake") for n in range(4)
    }
    assert set(table["rt_ms"]) == {700.0 if shape == "jspsych" else 612.0}
    wrong = table[table["truth"].ne(table["answer"])]
    first_fake = (
        wrong["image"].eq("fake/0.png") if shape == "jspsych" else wrong["truth"].eq("fake")
    )
    assert first_fake.all()
    assert len(wrong) == (2 if shape == "jspsych" else 4)


@pytest.mark.parametrize(
    ("name", "text", "shape", "message"),
    [
        ("a.csv", "x,y\n1,2\n", "nix", "'nix' is no shape that is known"),
        ("a.csv", "x,y\n1,2\n", "lmarena", "lacks 'model_a'"),
        ("b.csv", "model_a,model_b,winner\na,b,me\n", "lmarena", "row 2: winner: 'me'"),
        ("b.csv", "model_a,model_b\na,b\n", "lmarena", "lacks 'winner'"),
        ("c.json", "{", "hpdv2", "is no JSON"),
        ("c.json", "[1]", "hpdv2", "is no list of objects"),
        ("d.json", '[{"image_path": ["1.jpg"]}]', "hpdv2", "item 1: does not say which model"),
        (
            "d.json",
            '[{"image_path": ["test/1.jpg", "test/2.jpg"], "raw_annotation": []}]',
            "hpdv2",
            "item 1: does not say which model made its images: all are in test/",
        ),
        (
            "d.json",
            '[{"image_path": ["a/1.jpg"], "raw_annotations": [{"annotation": [0]}]}]',
            "hpdv2",
            "item 1: does not say whose answer it is; 'user_hash', 'user_id'",
        ),
        (
            "p.csv",
            "caption,user_id,model_0,model_1,image_0_uid,image_1_uid,label_0\nx,1,a,b,0,1,0.7\n",
            "pick-a-pic",
            "row 2: label_0: 0.7 is no label; 0, 0.5 or 1",
        ),
        (
            "r.csv",
            "prompt,model1,model2,votes_image1,votes_image2\nx,a,b,2.5,1\n",
            "rapidata",
            "row 2: votes_image1: 2.5 is no number of votes",
        ),
        (
            "r.csv",
            "prompt,model1,model2,weighted_results_image1_coherence\nx,a,b,0.4\n",
            "rapidata-coherence",
            "does not say how many votes each image had for coherence",
        ),
        (
            "r.jsonl",
            '{"prompt": "x", "model1": "a", "model2": "b", '
            '"detailed_results": "[{\\"votedFor\\": \\"c_1.png\\"}]"}',
            "rapidata",
            "item 1: detailed_results: a vote for 'c_1.png', which is neither image",
        ),
        (
            "i.csv",
            "id,model,num_correct,err_rt,f_err_rt,r_err_rt\np,a,0,1,1,1\n",
            "dgm-eval",
            "row 2: err_rt: 1 and num_correct do not say how many images",
        ),
        ("e.csv", "response,rt\n1,2\n", "jspsych", "no column that says what an image is"),
        (
            "e.csv",
            'response,rt,truth,model,subject\n"{""a"": 1, ""b"": 2}",2,real,gan,s1\n',
            "jspsych",
            'row 2: response: \'{"a": 1, "b": 2}\' holds 2 answers',
        ),
        ("f.csv", "truth,a.keys,b.keys\nreal,1,2\n", "psychopy", "to images in 'a.keys', 'b.keys'"),
        ("f.csv", "truth,a.keys\nreal,None\n", "psychopy", "has no keys beside images"),
        ("g.csv", "", "psychopy", "the file is empty"),
    ],
)
def test_what_is_not_of_the_shape_is_refused(
    name: str, text: str, shape: str, message: str, tmp_path: Path, hype: Program
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    refused = hype("score", tmp_path / name, "--from", shape)

    assert refused.code == 2
    assert message in refused.err


def test_a_file_that_is_gone_and_rates_that_cannot_be_are_refused(
    tmp_path: Path, hype: Program
) -> None:
    gone = hype("score", tmp_path / "gone.csv", "--from", "rapidata")
    folder = hype("score", tmp_path, "--from", "rapidata")
    path = of_faces(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("0.2,", "0.213,"), encoding="utf-8")
    odd = hype("score", path, "--from", "dgm-eval")

    assert (gone.code, odd.code) == (2, 2)
    assert "is not there" in gone.err
    assert "is a folder; a file" in folder.refused()
    assert "row 2" in odd.err
