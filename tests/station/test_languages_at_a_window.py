"""Studies in several languages at a real window."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from crafted_fonts import font_of, install
from long import long_but
from real_window import Opened

from hype.protocols.load import parse_study
from hype.protocols.prompted.screen import cap_beside
from hype.session.stage import speech_of
from hype.station.boxes import Box
from hype.station.layout import BODY, BODY_HEIGHT, BODY_LEADING, Layout
from hype.study.studies import AnyFile
from hype.study.texts import LANGUAGES

SQUARE = "\U0010fff4"
VALUES = {
    "minutes": 45,
    "trials": 150,
    "percent": 65,
    "block": 3,
    "blocks": 12,
    "done": 2,
    "correct": 230,
    "shown": 450,
    "accuracy": 51,
    "answers": 120,
    "pay": "12.50",
    "currency": "€",
    "base": "1.00",
    "per_answer": "0.02",
    "hourly": "12.00",
    "lowest": -1000,
    "highest": 1000,
    "longest": 500,
}


@pytest.fixture(scope="module")
def opened(opened_once):
    return opened_once


def settings_in(language: str, method: str = "time") -> AnyFile:
    text = (
        f'[study]\nname = "s"\nlanguage = "{language}"\nmethods = ["{method}"]\n'
        '[stimuli]\nfolder = "s"\n'
    )
    return parse_study(Path("s"), text + ('[masks]\nfolder = "m"\n' if method == "time" else ""))


def layout_in(opened: Opened, settings: AnyFile) -> Layout:
    texts = {"axes": "7", **settings.texts.model_dump()}
    config = replace(opened.config(), texts=texts, speech=speech_of(settings))
    return Layout(opened.window, config, 96)


def ink(opened: Opened) -> np.ndarray:
    """Return which pixels were drawn since the last flip."""
    opened.window.getMovieFrame(buffer="back")
    shown = np.asarray(opened.window.movieFrames.pop().convert("L")).astype(int)
    opened.window.flip()
    return abs(shown - shown[0, 0]) > 40


def test_keys_and_amounts_are_named_as_the_language_does(opened):
    german = layout_in(opened, settings_in("de"))

    assert german.fill("continue_hint", {}) == "Weiter mit der Leertaste"
    assert german.label("space") == "Leertaste"
    assert "12,50\N{NO-BREAK SPACE}€" in german.fill("debrief", VALUES)
    english = layout_in(opened, settings_in("en"))
    assert english.fill("continue_hint", {}) == "Press the space bar to continue"
    assert "€12.50" in english.fill("debrief", VALUES)


def test_a_character_that_the_studys_font_lacks_is_drawn_in_another(opened, tmp_path):
    install(tmp_path / "font.ttf", font_of("Hype Window", SQUARE))
    layout = layout_in(opened, settings_in("en"))
    layout.put(replace(BODY, anchor="center"), SQUARE * 3, 0.0)
    rows, columns = np.nonzero(ink(opened))

    high, wide = np.ptp(rows) + 1, np.ptp(columns) + 1
    assert len(rows) == high * wide  # filled: no empty box of a missing character
    assert wide == pytest.approx(3 * high, abs=2)


METHODS = ("time", "comparison", "rating", "ranking")


@pytest.mark.parametrize("method", long_but(["time"], METHODS))
def test_every_text_of_every_language_has_room(opened, method):
    for language in LANGUAGES:
        layout = layout_in(opened, settings_in(language, method))
        for name in layout.texts:
            _, _, body = layout.fill(name, VALUES).partition("\n\n")
            size_px = layout._fitting(body, BODY_HEIGHT).height * layout.height
            room_px = layout._rows(body, int(size_px)) * size_px * BODY_LEADING
            assert room_px <= BODY_HEIGHT * layout.height + 1, (language, name)


def test_arabic_is_read_from_the_right(opened):
    """Keys are before their meanings in reading order; left and right answers do not move."""
    arabic, english = (layout_in(opened, settings_in(name)) for name in ("ar", "en"))
    slot = Box(x=0, y=0, width=400, height=40)
    here, there = (cap_beside(one, "f", one.fill("real", {}), slot) for one in (arabic, english))

    assert arabic.is_mirrored
    assert not english.is_mirrored
    assert here.outline.x > here.place.meaning.x
    assert there.outline.x < there.place.meaning.x
    left, right = arabic.legend_boxes("a", "b")
    assert left.x < right.x

    arabic.put(BODY, "نعم نعم نعم F", 0.0)
    in_arabic = ink(opened)
    english.put(BODY, "F", 0.0)
    letter = ink(opened)
    columns = np.nonzero(in_arabic)[1]
    wide = np.ptp(np.nonzero(letter)[1]) + 1
    first = in_arabic[:, columns.min() : columns.min() + wide]
    assert np.count_nonzero(first) == np.count_nonzero(letter)  # the F comes last, on the left
