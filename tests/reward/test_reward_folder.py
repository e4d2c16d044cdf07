"""A model is read back unchanged or refused, and its files are text."""

import json
import re

import numpy as np
import pytest
from made_tastes import tasted

from hype.errors import InputError
from hype.reward.card import card_of
from hype.reward.model import (
    DataFacts,
    FeatureFacts,
    ModelSettings,
    PromptParts,
    read_model,
    write_model,
)
from hype.reward.train import train_model


@pytest.fixture(scope="module")
def made():
    one = tasted(prompts=20, votes=400, features=5)
    return one, train_model(one.votes, one.features, {})


def settings_of(model, *, simulated=False):
    return ModelSettings(
        hype_version="0",
        seed=0,
        penalty=0.1,
        temperature=model.temperature,
        offset=model.head.offset,
        weight=tuple(model.head.weight.tolist()),
        features=FeatureFacts(source="numbers", sha256="0"),
        data=DataFacts(
            study="s",
            study_checksum="c",
            question="Which?",
            simulated=simulated,
            evaluators=30,
            images=80,
            votes=400,
            votes_left_out=0,
            votes_sha256="0",
            prompts=PromptParts(train=("p1",), validation=("p2",), test=("p3",)),
        ),
        scores=model.evaluation.to_json(),
    )


@pytest.fixture
def folder(made, tmp_path):
    write_model(tmp_path / "m", settings_of(made[1]), "# card\n")
    return tmp_path / "m"


def test_what_was_written_is_read_back(made, folder):
    one, model = made
    read = read_model(folder)

    assert read.settings == settings_of(model)
    assert read.scores(one.features, "here").tolist() == model.head.scores(one.features).tolist()
    assert read.part_of_prompt == {"p1": "train", "p2": "validation", "p3": "test"}
    assert sorted(path.name for path in folder.iterdir()) == ["card.md", "model.json"]


def test_zero_is_the_mean_image_that_it_was_trained_on(made):
    one, model = made
    prompts = model.prompts["train"]
    trained = np.unique(
        np.append(
            *(
                side[np.isin(one.votes.prompt, prompts)]
                for side in (one.votes.first, one.votes.second)
            )
        )
    )

    assert model.head.scores(one.features[trained]).mean() == pytest.approx(0, abs=1e-9)


def test_other_features_are_refused(made, folder):
    with pytest.raises(InputError, match=r"f.csv: 4 features per image; 5, as in the training"):
        read_model(folder).scores(made[0].features[:, :4], "f.csv")


def changed(folder, change):
    path = folder / "model.json"
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v.update(code="x"), r"model\.json: code: unknown key; known here are format"),
        (lambda v: v.update(format=2), r"model\.json: format = 2: must be 1"),
        (lambda v: v["data"].pop("simulated"), r"model\.json: data\.simulated: is missing"),
        (lambda v: v["data"].update(simulated=1), r"data\.simulated = 1: must be true or false"),
        (lambda v: v.pop("offset"), r"model\.json: offset: is missing"),
        (lambda v: v.update(weight=[]), r"model\.json: weight = \[\]"),
        (lambda v: v["weight"].append("x"), r"model\.json: weight\.6 = 'x'"),
        (lambda v: v["weight"].append(float("nan")), r"model\.json: weight\.6 = nan"),
    ],
)
def test_settings_that_cannot_be_are_refused(folder, change, message):
    changed(folder, change)
    with pytest.raises(InputError, match=message):
        read_model(folder)


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(InputError, match=r"model\.json: cannot be read: No such file"):
        read_model(tmp_path)


def test_a_folder_that_holds_something_is_left_alone(made, folder):
    _, model = made
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError, match="cannot be made: Directory not empty"):
        write_model(folder, settings_of(model), "")

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in folder.parent.iterdir()] == ["m"]


@pytest.mark.parametrize("simulated", [False, True])
def test_the_card_gives_the_accuracy_and_the_limits(made, simulated):
    _, model = made
    card = card_of("m", settings_of(model, simulated=simulated), model.evaluation)
    right = 100 * model.evaluation.agreement.accuracy.value

    assert f"the model predicts a person's choice: {right:.1f} %" in card
    assert "there are 1 test prompts, and " in card
    assert ("TRAINED ON SIMULATED EVALUATORS" in card) == simulated
    assert "## Limits" in card
    for row in ("which model made it", "the image on the left, or shown first", "a, b"):
        assert re.search(rf"^\| {row} \|", card, re.MULTILINE)
    assert len(re.findall(r"^\| [abcd] \|", card, re.MULTILINE)) == 8  # unseen, and benchmark
