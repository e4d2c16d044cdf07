"""A CLIP model of a few thousand weights, made on the spot, learns to like what people like.

It needs the extra `lora`, which the tests' environment does not have; that of `make bench` has it.
"""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from made_tastes import tasted
from PIL import Image

from hype.errors import InputError
from hype.reward.clip import (
    Clip,
    ClipOptions,
    prompt_of_images,
    scores_of_clip,
    tuned_clip,
    weights_checksum,
)
from hype.reward.train import TrainingOptions, parted

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a folder as `transformers` saves one; letters are its tokens."""
    made = tmp_path_factory.mktemp("clip")
    letters = [chr(code) for code in range(33, 127)]
    tokens = [
        *letters,
        *(f"{letter}</w>" for letter in letters),
        "<|startoftext|>",
        "<|endoftext|>",
    ]
    (made / "vocab.json").write_text(json.dumps({token: n for n, token in enumerate(tokens)}))
    (made / "merges.txt").write_text("#version: 0.2\n")
    words = transformers.CLIPTokenizer(str(made / "vocab.json"), str(made / "merges.txt"))
    words.model_max_length = 16
    words.save_pretrained(made)
    layers = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    layers |= {"num_attention_heads": 2}
    last = len(tokens) - 1
    text = {"vocab_size": len(tokens), "max_position_embeddings": 16, "bos_token_id": last - 1}
    text |= {"eos_token_id": last, "pad_token_id": last}
    torch.manual_seed(0)
    config = transformers.CLIPConfig(
        text_config=layers | text,
        vision_config=layers | {"image_size": 16, "patch_size": 8},
        projection_dim=16,
    )
    transformers.CLIPModel(config).save_pretrained(made)
    sizes = {"size": {"shortest_edge": 16}, "crop_size": {"height": 16, "width": 16}}
    transformers.CLIPImageProcessor(**sizes).save_pretrained(made)
    return made


@pytest.fixture(scope="module")
def liked(tmp_path_factory):
    """Votes for the brighter of two plain images."""
    rng = np.random.default_rng(0)
    made = tasted(prompts=14, votes=400)
    grey = rng.integers(20, 236, len(made.votes.images))
    places = [tmp_path_factory.mktemp("images") / "all"]
    places[0].mkdir()
    images = [places[0] / name for name in made.votes.images]
    for value, path in zip(grey.tolist(), images, strict=True):
        Image.new("RGB", (16, 16), (value, value, value)).save(path)
    ahead = (grey[made.votes.first] - grey[made.votes.second]) / 30
    verdict = np.where(rng.random(len(ahead)) < 1 / (1 + np.exp(-ahead)), 1, -1)
    return replace(made.votes, verdict=verdict), images, grey


def tuned(folder, liked, repeat=False):
    votes, images, _ = liked
    training = TrainingOptions(members=2)
    parts = parted(votes, training, np.random.SeedSequence(0))
    options = ClipOptions(folder=folder, rank=4, epochs=4, learning_rate=5e-3, repeat=repeat)
    return tuned_clip(votes, images, parts, options, training, lambda: None)


@pytest.fixture(scope="module")
def made(folder, liked):
    return tuned(folder, liked, repeat=True)


def test_it_learns_what_people_like_and_the_same_seed_gives_the_same_bytes(folder, liked, made):
    again = tuned(folder, liked)

    assert np.corrcoef(again.scores[0], liked[2])[0, 1] > 0.8
    assert again.scores.shape == (1, len(liked[1]))
    assert all(
        made.tensors[name].tobytes() == values.tobytes()
        for name, values in again.tensors.items()
        if name != "offset"
    )


def test_members_and_models_never_seen_are_tuned_where_asked_for_and_read_back(folder, liked, made):
    votes, images, grey = liked
    facts = SimpleNamespace(rank=4, seed=0, members=2, temperature=made.temperature)
    facts.features = SimpleNamespace(sha256=weights_checksum(folder), source="it")
    model = SimpleNamespace(settings=facts, tensors=made.tensors, folder=folder)
    prompts = [votes.prompts[n] for n in prompt_of_images(votes)]
    read = scores_of_clip(model, folder, prompts, images, lambda _done, _of: None)

    assert read == pytest.approx(made.scores, abs=1e-3)
    assert [one.condition for one in made.unseen] == ["a", "b", "c", "d"]
    assert min(one.unseen.value for one in made.unseen) > 0.6
    assert all(np.corrcoef(each, grey)[0, 1] > 0.7 for each in made.scores)
    assert not np.allclose(made.scores[1], made.scores[2])
    assert Clip(folder, rank=2, seed=0).restore({}) != []


def test_a_folder_without_safetensors_is_refused(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"a pickle")
    with pytest.raises(InputError, match=r"has no model\.safetensors"):
        weights_checksum(tmp_path)
