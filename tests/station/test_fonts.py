"""Fonts as fontconfig knows them, with fonts made here of characters that no other has."""

from pathlib import Path

import pytest
from crafted_fonts import font_of, install

from hype.station.typesetting import face_of, face_with, families_of, is_there, lacking

USUAL = "DejaVu Sans"
NOWHERE = "\U0010fff0"
"""A character for private use that no font has."""
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


def test_a_character_is_drawn_in_the_studys_font_if_that_has_it():
    found = face_with("ä", USUAL, "de")

    assert found
    assert USUAL in found.names
    assert found.file == face_of(USUAL).file


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
    """Fonts for Chinese and Japanese come in one file; pyglet would take the first of them."""
    from hype.station.glyphs import opened

    second = face_with(OTHER, USUAL, "zh")

    assert second
    assert (second.names, second.index) == (("Hype Second",), 1)
    assert Path(second.file.decode()).name == "two.ttc"
    assert opened(second).family_name == "Hype Second"
    assert opened(face_of("Hype First")).family_name == "Hype First"


def test_a_text_is_as_wide_as_its_characters_wherever_they_come_from(display):
    """Measured as it is drawn: PsychoPy's font gives the other font's squares their width."""
    from hype.station.glyphs import CoveringFont, draw_every_character

    draw_every_character("en")
    from pyglet import font

    face = font.load(USUAL, 30)
    assert isinstance(face, CoveringFont)
    slot = face.get_glyph_slot(SQUARE)
    assert slot.bitmap.width == slot.bitmap.rows == 40  # 30 points at 96 dpi, filled whole
    assert face.get_glyph_slot("A").bitmap.width < 40
