"""What keys are called, on caps and in sentences."""

import pytest

from hype.station.config import Speech, cap_label, name_in_sentence

SPEECH = Speech(
    caps={"space": "Leertaste"},
    said={"space": "der Leertaste", "comma": "der Kommataste"},
    own={"tab": "Tabulator"},
    number_pad="der {digit} auf dem Ziffernblock",
)


@pytest.mark.parametrize(
    ("key", "cap", "sentence"),
    [
        ("f", "F", "F"),
        ("7", "7", "7"),
        ("space", "Leertaste", "der Leertaste"),
        ("comma", ",", "der Kommataste"),
        ("left", "←", "←"),
        ("minus", "−", "−"),
        ("tab", "Tabulator", "Tabulator"),
        ("num_7", "Num 7", "der 7 auf dem Ziffernblock"),
        ("f5", "F5", "F5"),
    ],
)
def test_a_key_has_a_name_on_its_cap_and_one_in_sentences(key, cap, sentence):
    assert cap_label(key, SPEECH) == cap
    assert name_in_sentence(key, SPEECH) == sentence


def test_a_key_without_a_name_in_the_language_has_its_own():
    assert (
        cap_label("backspace", Speech()) == name_in_sentence("backspace", Speech()) == "Backspace"
    )
