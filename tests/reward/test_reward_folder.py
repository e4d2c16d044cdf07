"""A model is read back as it was written, or refused; what was written is arrays and text."""

import json
import re

import numpy as np
import pytest
from made_tastes import tasted
from safetensors.numpy import save_file

from hype.errors import InputError
from hype.report.figures.files import svg_file
from hype.reward.card import card_of
from hype.reward.figure import figure_of
from hype.reward.model import (
    DataFacts,
    FeatureFacts,
    ModelSettings,
    PromptParts,
    read_model,
    stacked,
    write_model,
)
from hype.reward.train import TrainingOptions, train_model


@pytest.fixture(scope="module", params=[0, 3], ids=["linear", "hidden"])
def made(request):
    one = tasted(prompts=20, votes=400, features=5)
    options = TrainingOptions(hidden=request.param, members=2)
    return one, train_model(one.votes, one.features, {}, options), options


def settings_of(model, options, *, simulated=False):
    return ModelSettings(
        kind="head",
        hype_version="0",
        seed=0,
        hidden=options.hidden,
        members=options.members,
        penalty=0.1,
        temperature=model.temperature,
        features=FeatureFacts(source="numbers", number=5, sha256="0"),
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
    _, model, options = made
    write_model(tmp_path / "m", settings_of(model, options), stacked(model.heads), "# card\n")
    return tmp_path / "m"


def test_what_was_written_is_read_back(made, folder):
    one, model, options = made
    read = read_model(folder)
    own, spread = read.scores(one.features, "here")
    heads = [head.scores(one.features) for head in model.heads]

    assert read.settings == settings_of(model, options)
    assert own == pytest.approx(heads[0], abs=1e-4)
    assert spread == pytest.approx(np.std(heads[1:], axis=0, ddof=1), abs=1e-4)
    assert read.part_of_prompt == {"p1": "train", "p2": "validation", "p3": "test"}
    assert sorted(path.name for path in folder.iterdir()) == [
        *("card.md", "model.json", "weights.safetensors")
    ]


def test_zero_is_the_mean_image_that_it_was_trained_on(made):
    one, model, _ = made
    prompts = model.parts.prompts["train"]
    trained = np.unique(
        np.append(
            *(
                side[np.isin(one.votes.prompt, prompts)]
                for side in (one.votes.first, one.votes.second)
            )
        )
    )

    assert model.heads[0].scores(one.features[trained]).mean() == pytest.approx(0, abs=1e-9)


def test_other_features_are_refused(made, folder):
    with pytest.raises(InputError, match=r"f.csv: 4 features an image; 5, as .*m was trained on"):
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
        (lambda v: v.update(members=3), r"'\w+' has the shape \[3.*by model.json \[4"),
        (
            lambda v: v["features"].update(number=6),
            r"'weight' has the shape .*by model.json \[3, 6",
        ),
    ],
)
def test_settings_that_cannot_be_are_refused(folder, change, message):
    changed(folder, change)
    with pytest.raises(InputError, match=message):
        read_model(folder)


def tensors_of(folder):
    return dict(read_model(folder).tensors)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.update(more=np.zeros(1, np.float32)), "'more' is unknown; by model.json it"),
        (lambda t: t.pop("offset"), "'offset' is missing; by model.json it holds weight"),
        (lambda t: t.update(offset=np.array([0, 0, np.nan], np.float32)), "'offset' holds what is"),
        (lambda t: t.update(offset=np.zeros(3, np.int64)), "'offset' holds what is no finite"),
    ],
)
def test_weights_that_cannot_be_are_refused(folder, change, message):
    tensors = tensors_of(folder)
    change(tensors)
    save_file(tensors, folder / "weights.safetensors")
    with pytest.raises(InputError, match=message):
        read_model(folder)


def test_a_pickle_is_no_model(folder):
    (folder / "weights.safetensors").write_bytes(b"cposix\nsystem\n(S'echo'\ntR.")
    with pytest.raises(InputError, match=r"weights\.safetensors: is no safetensors file"):
        read_model(folder)


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(InputError, match=r"model\.json: cannot be read: No such file"):
        read_model(tmp_path)


def test_a_folder_that_holds_something_is_left_alone(made, folder):
    _, model, options = made
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError, match="cannot be made: Directory not empty"):
        write_model(folder, settings_of(model, options), stacked(model.heads), "")

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in folder.parent.iterdir()] == ["m"]


def test_the_figure_shows_what_the_card_says(made, tmp_path):
    _, model, _ = made
    svg = svg_file(figure_of("m", model.evaluation), mark="SIMULATED").decode()
    evaluation = model.evaluation
    agreement = evaluation.agreement
    shares = [agreement.accuracy, agreement.single, evaluation.single_averaged]
    shares += [one.accuracy for one in evaluation.shortcuts]
    shares += [one.unseen for one in evaluation.unseen]
    words = re.findall(r">([^<>]+)</text>", svg)

    assert {f"{100 * share.value:.1f}" for share in shares} <= set(words)
    assert {"SIMULATED", "the model", "another person", "which model made it", *"abcd"} <= {*words}
    assert any(f"off by {100 * evaluation.calibration.error:.1f} points" in word for word in words)
    assert svg.encode() == svg_file(figure_of("m", evaluation), mark="SIMULATED")


@pytest.mark.parametrize("simulated", [False, True])
def test_the_card_says_what_it_gets_right_and_what_it_may_not_claim(made, simulated):
    _, model, options = made
    card = card_of("m", settings_of(model, options, simulated=simulated), model.evaluation)
    right = 100 * model.evaluation.agreement.accuracy.value

    assert f"right in people's choices: {right:.1f} %" in card
    assert "](" not in card
    assert "1 for the test are too few" in card
    assert "](it.svg)" in card_of(
        "m", settings_of(model, options, simulated=simulated), model.evaluation, "it.svg"
    )
    assert ("TRAINED ON SIMULATED EVALUATORS" in card) == simulated
    assert "## What it may not claim" in card
    for row in ("which model made it", "the image on the left, or shown first", "a, b"):
        assert re.search(rf"^\| {row} \|", card, re.MULTILINE)
    assert len(re.findall(r"^\| [abcd] \|", card, re.MULTILINE)) == 8  # unseen, and benchmark
