"""Messages about a wrong study file: the line, the key, and plain words."""

from pathlib import Path

import pytest

from hype.errors import InputError
from hype.protocols.load import load_any

SOUND = """\
[study]
name = "s"
seed = 1  # [not.a.table]
methods = [
    "infinity",
]

[stimuli]
folder = "x"

[texts]
welcome = \"\"\"
[infinity]
trials = 0
\"\"\"

[infinity]
trials = 6

[observers."a b"]
threshold_ms = 60
"""


def said_of(folder: Path, old: str, new: str) -> str:
    assert old in SOUND
    (folder / "study.toml").write_text(SOUND.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        load_any(folder)
    return str(caught.value).removeprefix(f"{folder / 'study.toml'}: ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seed = 1", "sed = 1", "line 3: study.sed: unknown key; known here are language, "),
        ('name = "s"\n', "", "line 1: study.name: is missing"),
        ("seed = 1", 'seed = "1"', "line 3: study.seed = '1': must be a whole number"),
        ("seed = 1", "seed = 1.5", "line 3: study.seed = 1.5: must be a whole number"),
        ("seed = 1", "seed = true", "line 3: study.seed = true: must be a whole number"),
        ("seed = 1", "seed = 2019-01-01", "line 3: study.seed = 2019-01-01: must be a whole"),
        ("seed = 1", "seed = -1", "line 3: study.seed = -1: must be 0 or more"),
        ("]\n\n[stim", ', "tim"]\n\n[stim', "is not TOML"),
        ("seed = 1", "seed = 1\nname = 2", "is not TOML: name occurs twice (at line 4, column"),
        ("= 60\n", "= 6\nthreshold_ms = 7", "is not TOML: threshold_ms occurs twice (at end"),
        ("seed = 1", "seed, 1", "is not TOML: a line is neither a [table] nor a key = value"),
        ('"infinity",', '"infinit",', "line 4: study.methods.1 = 'infinit': must be 'time'"),
        ('"infinity",\n', "\n", "line 4: study.methods = []: must be a list with 1 or more"),
        ('folder = "x"', "folder = 3", "line 9: stimuli.folder = 3: must be text in quotation"),
        (
            'folder = "x"',
            'folder = ""',
            "line 9: stimuli.folder = '': must be text with 1 or more char",
        ),
        ("6\n\n[", "6\nmin_ms = nan\n\n[", "line 19: infinity.min_ms = nan: must be a number that"),
        ("6\n\n[", '"6"\n\n[', "line 18: infinity.trials = '6': must be a whole number"),
        ("= 60", "= 0", "line 21: observers.a b.threshold_ms = 0: must be more than 0"),
        ("[infinity]\ntrials = 6", "[[infinity]]", "line 17: infinity = [{}]: must be a table"),
    ],
)
def test_a_mistake_is_said_with_its_line_and_in_plain_words(old, new, said, tmp_path):
    assert said in said_of(tmp_path, old, new)


def test_what_was_meant_is_guessed(tmp_path):
    assert (
        said_of(tmp_path, "seed = 1", "sead = 1")
        .splitlines()[-1]
        .endswith('; did you mean "seed"?')
    )


def test_each_of_several_mistakes_has_its_line(tmp_path):
    said = said_of(tmp_path, "seed = 1  # [not.a.table]", 'seed = "a"\nevaluators = 0')

    assert [line.partition(": ")[0].strip() for line in said.splitlines()] == ["line 3", "line 4"]


def test_what_only_follows_from_a_mistake_is_none(tmp_path):
    assert said_of(tmp_path, '"infinity",', '"x",').count("study.methods") == 1
