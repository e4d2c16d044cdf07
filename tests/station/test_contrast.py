"""Legible texts: contrast by WCAG 2.2, and the colours that it selects."""

import pytest
from builders import named_study
from hypothesis import given
from hypothesis import strategies as st

from hype.check.findings import Preflight
from hype.check.station import check_texts
from hype.protocols.load import load_study
from hype.station.config import (
    ENOUGH,
    LEAST,
    contrast,
    ink_on,
)

colours = st.tuples(*[st.integers(0, 255)] * 3)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ((0, 0, 0), (255, 255, 255), 21.0),
        ((128, 128, 128), (128, 128, 128), 1.0),
        ((245, 245, 245), (128, 128, 128), 3.62),  # the earlier colours of texts
        ((0, 0, 0), (128, 128, 128), 5.32),
        ((119, 119, 119), (255, 255, 255), 4.48),  # the usual example of a grey that fails
        ((255, 0, 0), (255, 255, 255), 4.00),
        ((0, 0, 255), (255, 255, 255), 8.59),
    ],
)
def test_contrasts_are_those_that_are_published(one, other, ratio):
    assert contrast(one, other) == contrast(other, one) == pytest.approx(ratio, abs=0.005)


@given(colours)
def test_the_colour_of_texts_can_always_be_read_and_stands_out_where_it_can(paper):
    found = contrast(ink_on(paper), paper)
    best = max(contrast(ink, paper) for ink in ((0, 0, 0), (255, 255, 255)))

    assert found >= LEAST
    assert found >= min(best, ENOUGH)


@pytest.mark.parametrize(
    ("display", "ratio", "codes"),
    [
        ("", 5.32, []),
        ("background = [0, 0, 0]", 19.26, []),
        ("text_rgb = [255, 255, 255]", 3.95, ["text-contrast"]),
        ("text_rgb = [0, 0, 0]\nbackground = [90, 90, 90]", 3.05, ["text-contrast"]),
        ("background = [90, 90, 90]", 6.90, []),
    ],
)
def test_check_says_whether_texts_can_be_read(tmp_path, display, ratio, codes):
    study = named_study(tmp_path)
    text = study.path.read_text()
    assert "[display]" not in text
    study.path.write_text(f"{text}\n[display]\n{display}\n")
    flight = Preflight()
    check_texts(flight, load_study(tmp_path))

    assert flight.facts["text_contrast"] == pytest.approx(ratio, abs=0.01)
    assert [(one.code, one.severity) for one in flight.findings] == [(c, "error") for c in codes]
    if codes:
        assert "leave display.text_rgb out" in flight.findings[0].remedy
