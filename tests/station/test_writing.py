"""How texts of all scripts are put on the screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.station.typesetting import (
    as_seen,
    filled,
    joined,
    joined_letters,
    pieces_of,
    runs_from_right,
    units_of,
)

YES = "نعم"
SEEN = "\ufee2\ufecc\ufee7"
"""Its letters as they join: the last, the middle and the first form, from left to right."""


def wide(text: str) -> float:
    """Measure a text whose characters are all as wide as 1."""
    return float(len(text))


def rows(text: str, width: int) -> list[str]:
    return [line.up_to(None) for line in filled(pieces_of(text), width, wide)]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("two words", 5, ["two", "words"]),
        ("画像は本物ですか", 4, ["画像は本", "物ですか"]),
        # No line begins with a full stop or a small kana, and none ends with an opening bracket.
        ("本物です。", 4, ["本物で", "す。"]),
        ("あきゃ", 2, ["あ", "きゃ"]),
        ("答え「はい」", 3, ["答え", "「は", "い」"]),
        # A word of Latin letters and a number stay whole.
        ("左ならEscキー", 5, ["左なら", "Escキー"]),
        ("所要時間は120分", 7, ["所要時間は", "120分"]),
        ("答え。 次", 9, ["答え。次"]),
        ("50\N{NO-BREAK SPACE}% of", 6, ["50\N{NO-BREAK SPACE}%", "of"]),
    ],
)
def test_lines_break_where_the_script_lets_them(text, width, lines):
    assert rows(text, width) == lines


@given(st.text(alphabet="あ漢字、。「」（A 1", max_size=40), st.integers(2, 12))
def test_no_character_is_lost_or_twice(text, width):
    assert "".join("".join(rows(text, width)).split()) == "".join(text.split())
    assert all("".join(units_of(word)) == word for word in text.split())


def test_words_of_a_prompt_are_counted_as_ever():
    """A prompt may appear word by word: a break within a word makes no further word of it."""
    assert [piece.word for piece in pieces_of("赤い 皿")] == [0, 0, 1]
    assert joined(pieces_of("赤い 皿")) == "赤い 皿"


def test_arabic_letters_join_and_run_from_the_right():
    assert joined_letters(YES) == SEEN[::-1]
    assert as_seen(YES, from_right=True) == SEEN


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (f"F {YES}", f"{SEEN} F"),
        (f"{YES} 12.50 {YES}", f"{SEEN} 12.50 {SEEN}"),
        (f"«{YES}» ({YES})", f"({SEEN}) «{SEEN}»"),
        (f"{YES} (F)", f"(F) {SEEN}"),
        (f"{YES} [a (b) c]", f"[a (b) c] {SEEN}"),
        (f"({YES}", f"{SEEN})"),
    ],
)
def test_marks_keys_and_numbers_stand_where_a_reader_expects_them(line, seen):
    assert as_seen(line, from_right=True) == seen


def test_what_runs_from_the_left_is_left_alone():
    for line in ("Press F (real) «a»", "本物です。", "„echt“ 50 %", ""):
        assert as_seen(line, from_right=False) == line
    assert as_seen(f"a {YES} (b)", from_right=False) == f"a {SEEN} (b)"


def test_a_letter_and_its_accent_are_one_character():
    """PsychoPy draws the first of several characters that belong together."""
    assert as_seen("u\u0308ben", from_right=False) == "üben"


@pytest.mark.parametrize(
    ("text", "from_right"), [(YES, True), (f"1. {YES}", True), ("a" + YES, False), ("12", False)]
)
def test_a_text_runs_as_its_first_letter_does(text, from_right):
    assert runs_from_right(text) is from_right
