"""Prompts of images, from their names."""

from pathlib import Path

import pytest

from hype.errors import InputError
from hype.stimuli.collection import count_images, prompt_of, prompts_of


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("a sneaker_01.png", "a sneaker"),
        ("a sneaker-2.png", "a sneaker"),
        ("a_red_sneaker_-_3.png", "a red sneaker"),
        ("a sneaker.png", "a sneaker"),
        ("a sneaker/0001.png", "a sneaker"),
        ("a_sneaker/deeper/x_1.png", "a sneaker"),
        ("windows 95_2.png", "windows 95"),
        ("windows 95.png", "windows 95"),
        ("route 66/1.png", "route 66"),
        ("éléphant bleu_10.png", "éléphant bleu"),
    ],
)
def test_names_say_what_is_shown(name, prompt):
    assert prompt_of(Path("samples"), Path("samples") / name) == prompt


@pytest.mark.parametrize("name", ["0001.png", "_01.png", "___.png", "12/1.png"])
def test_a_number_is_no_prompt(name):
    with pytest.raises(InputError, match=r"has no prompt in its name; name its sub-folder after"):
        prompt_of(Path("samples"), Path("samples") / name)


def test_what_a_terminal_would_obey_is_no_prompt():
    with pytest.raises(InputError, match="cannot be shown"):
        prompt_of(Path("samples"), Path("samples/\x1b[31mred_1.png"))


def test_images_are_counted_by_prompt_and_condition():
    folders = {"a": Path("a"), "b": Path("b")}
    files = {
        "a": [Path("a/bag_1.png"), Path("a/bag_2.png"), Path("a/hat_1.png")],
        "b": [Path("b/bag/x.png"), Path("b/hat/x.png")],
    }
    prompts = prompts_of(folders, files)

    assert count_images(files, prompts) == {"bag": {"a": 2, "b": 1}, "hat": {"a": 1, "b": 1}}
    with pytest.raises(InputError, match=r"b: has the only images of the prompt 'hat'"):
        prompts_of(folders, files | {"a": files["a"][:2]})
