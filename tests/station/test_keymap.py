"""Keys by name, and names of keys."""

import subprocess
import time

import pytest
from programs import program
from Xlib import XK

from hype.errors import SessionProblem
from hype.station.config import Speech, cap_label, name_in_sentence
from hype.station.input_devices import Keyboard, Keymap, character_of
from hype.station.respondent import SimulatedInput
from hype.station.window import x_window_id
from hype.study.table import KEY_NAMES, is_digit, is_key

for group in ("latin2", "cyrillic", "greek", "hebrew"):
    XK.load_keysym_group(group)


@pytest.mark.parametrize(
    ("name", "character"),
    [
        ("a", "a"),
        ("adiaeresis", "ä"),
        ("eacute", "é"),
        ("ntilde", "ñ"),
        ("ssharp", "ß"),
        ("lstroke", "ł"),
        ("Cyrillic_ya", "я"),
        ("Ukrainian_ie", "є"),
        ("Greek_omega", "ω"),
        ("hebrew_aleph", "א"),
        ("minus", "-"),
        ("Escape", ""),
        ("KP_4", ""),
        ("dead_acute", ""),
    ],
)
def test_a_keysym_is_the_character_that_its_name_says(name, character):
    assert character_of(XK.string_to_keysym(name)) == character


def test_newer_keysyms_are_unicode():
    assert character_of(0x0100_0259) == "ə"


PLACES = {30: "y", 53: "z", 49: "apostrophe", 84: "num_4", 62: "slash", 21: "minus", 11: "1"}
"""Keys by psychtoolbox's numbers, which are one higher than the X server's."""
GERMAN = {
    29: (ord("z"), ord("Z")),
    52: (ord("y"), ord("Y")),
    48: (XK.string_to_keysym("adiaeresis"), 0),
    61: (ord("-"), ord("_")),
    10: (ord("1"), ord("!")),
}
FRENCH = {10: (ord("&"), ord("1"))}
RUSSIAN = {52: (ord("z"), ord("Z"), XK.string_to_keysym("Cyrillic_ya"), 0)}


@pytest.mark.parametrize(
    ("layout", "key", "number"),
    [
        (GERMAN, "z", 30),
        (GERMAN, "y", 53),
        (GERMAN, "ä", 49),
        (GERMAN, "minus", 62),
        (GERMAN, "num_4", 84),
        (FRENCH, "1", 11),
        (RUSSIAN, "я", 53),
        (RUSSIAN, "z", 53),
        ({}, "z", 53),
        ({}, "minus", 21),
        (GERMAN, "я", None),
    ],
)
def test_a_name_means_the_key_that_has_it_printed_on_it(layout, key, number):
    assert Keymap(PLACES, layout).number_of(key) == number


def test_keys_are_letters_of_any_alphabet_digits_and_the_number_pad():
    assert all(map(is_key, (*KEY_NAMES, *"äéñßяω", "num_0", "num_9", "minus")))
    assert not any(map(is_key, ("", "Ä", "ab", "num_10", "num_", "-", " ", "½", "f1")))
    assert [key for key in ("4", "num_4", "f", "minus") if is_digit(key)] == ["4", "num_4"]


@pytest.fixture
def german(opened):
    """Give the X server a German keyboard."""
    del opened
    subprocess.run([program("setxkbmap"), "de"], check=True)
    yield
    subprocess.run([program("setxkbmap"), "us"], check=True)


@pytest.mark.usefixtures("display", "german")
def test_the_keys_of_a_german_keyboard_are_pressed_and_seen(opened):
    opened.window.winHandle.activate()
    keyboard, hands = Keyboard(), SimulatedInput(x_window_id(opened.window))
    keys = ("ä", "z", "minus", "num_4", "4", "left")
    seen = []
    for key in keys:
        keyboard.listen()
        hands.press(key)
        end = time.monotonic() + 2
        while (found := keyboard.take_press(keys)) is None and time.monotonic() < end:
            keyboard.rest()
        seen.append(found[0] if found else None)
    hands.leave()

    assert tuple(seen) == keys
    keyboard.require(keys)
    with pytest.raises(SessionProblem, match="this keyboard has no key 'я'"):
        keyboard.require(("f", "я"))


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
