"""Texts in boxes: as large as fits, nothing lost unless it must be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.station.typesetting import ELLIPSIS, LEADING, Room, Typeset, typeset

ROOM = Room(width_px=200, height_px=120, sizes_px=(30, 27, 24, 20, 16, 12), most_lines=3)


def ruler(text: str, size_px: int) -> float:
    """Measure a font whose letters are all half as wide as they are high."""
    return 0.5 * size_px * len(text)


def said(text: Typeset, words: int | None = None) -> str:
    """Give all that is to be seen."""
    return " ".join(filter(None, (line.up_to(words) for line in text.lines)))


def test_a_short_text_is_one_line_of_the_largest_size():
    text = typeset("a bag", ROOM, ruler)
    assert (len(text.lines), text.size_px, text.cut) == (1, 30, False)
    assert text.lines[0].width_px == ruler("a bag", 30)


def test_a_longer_text_takes_more_lines_before_it_shrinks():
    text = typeset("a pair of long blue trousers", ROOM, ruler)
    assert (len(text.lines), text.size_px) == (3, 30)


def test_a_text_shrinks_until_it_fits():
    text = typeset("one two three four five six seven eight nine", ROOM, ruler)
    assert text.size_px < 30
    assert not text.cut
    assert said(text) == "one two three four five six seven eight nine"


def test_height_is_a_limit_as_well():
    flat = Room(width_px=200, height_px=30, sizes_px=(30, 24, 12), most_lines=3)
    text = typeset("some words of a prompt", flat, ruler)
    assert text.height_px <= 30
    assert (text.size_px, text.cut) == (12, False)


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


def test_words_come_in_the_order_in_which_they_are_read():
    words = ["a", "dress", "with", "short", "sleeves", "seen", "from", "the", "front"]
    text = typeset(" ".join(words), ROOM, ruler)
    assert len(text.lines) > 1
    assert [said(text, n) for n in range(len(words) + 1)] == [
        " ".join(words[:n]) for n in range(len(words) + 1)
    ]


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_nothing_is_no_line(text):
    assert typeset(text, ROOM, ruler).lines == ()


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
            assert line.up_to(number + 1).startswith(line.up_to(number))
