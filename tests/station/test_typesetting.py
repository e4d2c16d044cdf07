"""Texts of all scripts in boxes, and the fonts that have their characters."""

from pathlib import Path

import pytest
from crafted_fonts import font_of, install
from hypothesis import given
from hypothesis import strategies as st

from hype.station.typesetting import (
    ELLIPSIS,
    LEADING,
    Room,
    Typeset,
    face_of,
    face_with,
    families_of,
    fill_lines,
    is_there,
    join_letters,
    join_pieces,
    lacking,
    pieces_of,
    reorder_line,
    runs_from_right,
    typeset,
    units_of,
)

ROOM = Room(width_px=200, height_px=120, sizes_px=(30, 27, 24, 20, 16, 12), most_lines=3)


def ruler(text: str, size_px: int) -> float:
    """Return a text's width in a font whose letters are half as wide as they are high."""
    return 0.5 * size_px * len(text)


def said(text: Typeset, words: int | None = None) -> str:
    """Return the visible text."""
    return " ".join(filter(None, (line.visible_text(words) for line in text.lines)))


def test_a_short_text_is_one_line_of_the_largest_size():
    text = typeset("a bag", ROOM, ruler)
    assert (len(text.lines), text.size_px, text.cut) == (1, 30, False)
    assert text.lines[0].width_px == ruler("a bag", 30)


def test_a_longer_text_takes_more_lines_before_it_shrinks():
    text = typeset("a pair of long blue trousers", ROOM, ruler)
    assert (len(text.lines), text.size_px) == (3, 30)


def test_only_what_has_no_room_in_the_smallest_size_is_cut():
    text = typeset("word " * 60, ROOM, ruler)
    assert text.cut
    assert len(text.lines) == 3
    assert said(text).endswith(f"word{ELLIPSIS}") or said(text).endswith(f"wor{ELLIPSIS}")


def test_a_word_longer_than_a_line_is_broken_rather_than_lost():
    word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk"
    text = typeset(word, ROOM, ruler)
    assert said(text).replace(" ", "") == word
    assert {piece.word for line in text.lines for piece in line.pieces} == {0}
    assert said(text, 0) == ""


texts = st.lists(
    st.text(st.characters(min_codepoint=33, max_codepoint=500), min_size=1), max_size=40
)
rooms = st.builds(
    Room,
    width_px=st.floats(30, 900),
    height_px=st.floats(15, 300),
    sizes_px=st.just((30, 24, 12)),
    most_lines=st.integers(1, 4),
)


@given(words=texts, room=rooms)
def test_no_line_is_too_wide_or_too_many(words, room):
    text = typeset(" ".join(words), room, ruler)
    assert all(line.width_px <= room.width_px for line in text.lines)
    assert len(text.lines) <= room.most_lines
    assert text.height_px <= max(room.height_px, 12 * LEADING)
    if not text.cut:
        assert "".join(said(text).split()) == "".join(" ".join(words).split())


@given(words=texts, room=rooms)
def test_words_that_stand_never_move_or_change(words, room):
    """Each line only grows at its end."""
    text = typeset(" ".join(words), room, ruler)
    for number in range(len(words)):
        for line in text.lines:
            assert line.visible_text(number + 1).startswith(line.visible_text(number))


YES = "نعم"
SEEN = "\ufee2\ufecc\ufee7"
"""The joined letters of `YES`: final, middle and initial form, from left to right."""


def wide(text: str) -> float:
    """Return a text's width if all characters have the width 1."""
    return float(len(text))


def rows(text: str, width: int) -> list[str]:
    return [line.visible_text(None) for line in fill_lines(pieces_of(text), width, wide)]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("two words", 5, ["two", "words"]),
        ("画像は本物ですか", 4, ["画像は本", "物ですか"]),
        # No line begins with a full stop or a small kana, and none ends with an opening bracket.
        ("本物です。", 4, ["本物で", "す。"]),
        ("あきゃ", 2, ["あ", "きゃ"]),
        ("答え「はい」", 3, ["答え", "「は", "い」"]),
        # A word in Latin letters is not broken, nor is a number.
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
    """A prompt may appear word by word: a line break inside a word does not add a word."""
    assert [piece.word for piece in pieces_of("赤い 皿")] == [0, 0, 1]
    assert join_pieces(pieces_of("赤い 皿")) == "赤い 皿"


def test_arabic_letters_join_and_run_from_the_right():
    assert join_letters(YES) == SEEN[::-1]
    assert reorder_line(YES, from_right=True) == SEEN


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
    assert reorder_line(line, from_right=True) == seen


def test_what_runs_from_the_left_is_left_alone():
    for line in ("Press F (real) «a»", "本物です。", "„echt“ 50 %", ""):
        assert reorder_line(line, from_right=False) == line
    assert reorder_line(f"a {YES} (b)", from_right=False) == f"a {SEEN} (b)"


def test_a_letter_and_its_accent_are_one_character():
    """Of several combined characters, PsychoPy draws only the first one."""
    assert reorder_line("u\u0308ben", from_right=False) == "üben"


@pytest.mark.parametrize(
    ("text", "from_right"), [(YES, True), (f"1. {YES}", True), ("a" + YES, False), ("12", False)]
)
def test_a_text_runs_as_its_first_letter_does(text, from_right):
    assert runs_from_right(text) is from_right


USUAL = "DejaVu Sans"
NOWHERE = "\U0010fff0"
"""A private-use character that no font has."""
SQUARE, OTHER = "\U0010fff1", "\U0010fff2"


@pytest.fixture(scope="module", autouse=True)
def crafted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fonts")
    install(folder / "one.ttf", font_of("Hype Squares", SQUARE))
    install(folder / "two.ttc", font_of("Hype First", "A"), font_of("Hype Second", OTHER))


def test_a_font_is_there_or_is_not():
    assert is_there(USUAL)
    assert is_there("dejavu sans")
    assert is_there("sans-serif")
    assert not is_there("Helvetica Nouveau Imaginaire")


def test_else_it_is_drawn_in_a_font_that_has_it():
    found = face_with(SQUARE, USUAL, "en")

    assert found
    assert found.names == ("Hype Squares",)
    assert families_of(f"abc{SQUARE}\n", USUAL, "en") == {USUAL: 3, "Hype Squares": 1}


def test_what_no_font_has_is_named_once_and_in_order():
    last = "\U0010fff3"

    assert face_with(NOWHERE, USUAL, "en") is None
    assert lacking(f"a{last}b\n{NOWHERE}{SQUARE}{last}", USUAL, "en") == last + NOWHERE


def test_of_several_fonts_in_a_file_the_one_that_is_meant_is_opened(display):
    """One file contains fonts for Chinese and Japanese; pyglet would use the first of them."""
    from hype.station.glyphs import open_face

    second = face_with(OTHER, USUAL, "zh")

    assert second
    assert (second.names, second.index) == (("Hype Second",), 1)
    assert Path(second.file.decode()).name == "two.ttc"
    assert open_face(second).family_name == "Hype Second"
    assert open_face(face_of("Hype First")).family_name == "Hype First"


def test_a_text_is_as_wide_as_its_characters_wherever_they_come_from(display):
    """Widths are measured as drawn: another font's characters have that font's widths."""
    from hype.station.glyphs import CoveringFont, draw_every_character

    draw_every_character("en")
    from pyglet import font

    face = font.load(USUAL, 30)
    assert isinstance(face, CoveringFont)
    slot = face.get_glyph_slot(SQUARE)
    assert slot.bitmap.width == slot.bitmap.rows == 40  # 30 points at 96 dpi, all filled
    assert face.get_glyph_slot("A").bitmap.width < 40
