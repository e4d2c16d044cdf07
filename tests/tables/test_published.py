"""Answers as others publish them, scored by one command."""

import json
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
    orders = ([0, 1, 2], [1, 0, 2], [2, 1, 0])
    rows = [
        {
            "prompt": prompt,
            "image_path": [f"{model}/{prompt}.jpg" for model in ("gan", "vae", "flow")],
            "rank": [0, 1, 2],
            "raw_annotations": [
                {"rank": order, "user_hash": f"user{number}"} for number, order in enumerate(orders)
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
    rows = [
        {
            "caption": prompt,
            "image_0_uid": f"a-{prompt}",
            "image_1_uid": f"b-{prompt}",
            "label_0": label,
            "label_1": 1 - label,
            "model_0": "gan",
            "model_1": "gan" if number == 3 else "vae",
            "user_id": number,
        }
        for prompt in PROMPTS
        for number, label in enumerate((1.0, 0.5, 0.0, 1.0))
    ]
    return written(folder / "picks.parquet", rows)


def of_votes(folder: Path) -> Path:
    rows = [
        {"prompt": prompt, "model1": "gan", "model2": "vae", "votes_image1": 7, "votes_image2": 3}
        for prompt in PROMPTS
    ]
    return written(folder / "votes.csv", rows)


def of_battles(folder: Path) -> Path:
    rows = [
        {"model_a": "gan", "model_b": "vae", "winner": winner, "judge": f"arena_user_{number}"}
        for number in range(5)
        for winner in ("model_a", "model_b", "tie", "tie (bothbad)")
    ]
    return written(folder / "battles.json", rows)


def of_jspsych(folder: Path) -> Path:
    pages = [{"trial_type": "instructions", "response": "null", "rt": "4000", "subject": "s1"}]
    trials = [
        {
            "trial_type": "image-button-response",
            "stimulus": f"{truth}/{number}.png",
            "response": answer,
            "rt": "700",
            "subject": who,
            "condition": "gan",
            "truth": truth,
        }
        for who in ("s1", "s2")
        for number in range(4)
        for truth, answer in (("real", "0"), ("fake", "1" if number else "0"))
    ]
    return written(folder / "jspsych.csv", pages + trials)


def of_psychopy(folder: Path) -> Path:
    rows = [
        {
            "image": f"{truth}/{number}.png",
            "truth": truth,
            "model": "gan",
            "judging.keys": "None" if number == 3 else key,
            "judging.rt": "" if number == 3 else "0.612",
            "participant": who,
        }
        for who in ("s1", "s2")
        for number in range(4)
        for truth, key in (("real", "j"), ("fake", "j" if number else "f"))
    ]
    return written(folder / "psychopy.csv", rows)


ALL = {
    "dgm-eval": (of_faces, {}, "infinity", 400),
    "hpdv2": (of_rankings, {}, "ranking", 36),
    "pick-a-pic": (of_picks, {}, "comparison", 12),
    "rapidata": (of_votes, {}, "comparison", 40),
    "lmarena": (of_battles, {}, "comparison", 20),
    "jspsych": (of_jspsych, {"real": "0", "fake": "1"}, "infinity", 16),
    "psychopy": (of_psychopy, {"real": "j", "fake": "f"}, "infinity", 12),
}


@pytest.mark.parametrize("shape", ALL)
def test_a_published_shape_is_scored_by_one_command(
    shape: str, tmp_path: Path, hype: Program
) -> None:
    make, given, protocol, rows = ALL[shape]
    path = make(tmp_path)
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    done = hype("score", path, "--from", shape, *options, "--json")

    assert done.code == 0, done.err
    assert done.json["protocol"] == protocol
    assert len(read_table(path, shape=shape, **given)) == rows


def test_error_rates_become_the_judgements_that_they_are_made_of(tmp_path: Path) -> None:
    table = score(of_faces(tmp_path), shape="dgm-eval").to_frame()

    errors = dict(zip(table["condition"], table["score_percent"], strict=True))
    assert errors == {"gan": 25.0, "vae": 5.5}


@pytest.mark.skipif(not FACES.exists(), reason="the table of people's judgements is not at hand")
def test_real_people_are_scored_as_published() -> None:
    published = 100 * pd.read_csv(FACES).groupby("model")["err_rt"].mean()
    table = score(FACES, shape="dgm-eval", draws=100).to_frame()

    assert len(table) == len(published)
    for row in table.itertuples():
        assert row.score_percent == pytest.approx(published[row.condition])


def test_choices_of_a_training_file_are_comparisons(tmp_path: Path) -> None:
    table = read_table(of_choices(tmp_path), shape="hpdv2")

    assert table["left"].eq("gan").all()
    assert table["answer"].value_counts()["left"] == 4
    assert table["evaluator"].nunique() == 3


def test_what_was_left_out_is_said(tmp_path: Path, hype: Program) -> None:
    done = hype("score", of_picks(tmp_path), "--from", "pick-a-pic")

    assert "4 rows were left out: both images are by one model." in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("name", "text", "shape", "message"),
    [
        ("a.csv", "x,y\n1,2\n", "nix", "'nix' is no shape that is known"),
        ("a.csv", "x,y\n1,2\n", "lmarena", "lacks 'model_a'"),
        ("b.csv", "model_a,model_b,winner\na,b,me\n", "lmarena", "row 2: winner: 'me'"),
        ("c.json", "{", "hpdv2", "is no JSON"),
        ("c.json", "[1]", "hpdv2", "is no list of objects"),
        ("d.json", '[{"image_path": ["1.jpg"]}]', "hpdv2", "item 1: does not say which model"),
        ("e.csv", "response,rt\n1,2\n", "jspsych", "no column that says what an image is"),
        ("f.csv", "a.keys,b.keys\n1,2\n", "psychopy", "has not one column of keys"),
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
    path = of_faces(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("0.2,", "0.213,"), encoding="utf-8")
    odd = hype("score", path, "--from", "dgm-eval")

    assert (gone.code, odd.code) == (2, 2)
    assert "is not there" in gone.err
    assert "row 2" in odd.err
