import re
from functools import partial
from xml.parsers import expat

import numpy as np
import pytest
from drawn import drawings_of

from hype.report.figures.drawing import PALETTE, Drawing, Panel
from hype.report.figures.files import compact_svg, panel_svg


@pytest.fixture(scope="module")
def panels(both_protocols, scores):
    frame = both_protocols.assign(rt_ms=np.linspace(300, 1900, len(both_protocols)))
    found = [drawing for score in scores for drawing in drawings_of(score, frame)]
    return [(drawing.name, panel_svg(drawing, p)) for drawing in found for p in drawing.panels]


def drawing_of(*draws, name="some"):
    panels = tuple(Panel(draw=draw, title=str(place)) for place, draw in enumerate(draws))
    return Drawing(
        name=name, title="", caption="", alt="", panels=panels, width_in=3.3, height_in=2.3
    )


def parsed(svg):
    """Return the root element's attributes and all texts; fail if it is not XML."""
    elements, texts = [], []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: elements.append((name, attributes))
    parser.EndElementHandler = lambda name: None  # ends a text
    parser.CharacterDataHandler = texts.append
    parser.Parse(str(svg), True)
    assert elements[0][0] == "svg"
    return elements[0][1], texts


def line(axes, *, text="x", colour="#0072b2"):
    axes.plot([0, 1], [0.123456, 0.654321], color=colour)
    axes.plot([0.2, 0.4, 0.6], [0.5] * 3, "o", color="#d55e00")
    axes.text(0.5, 0.5, text)


def test_every_panel_is_one_sound_element(panels):
    for name, svg in panels:
        root, _ = parsed(svg)
        assert root["viewBox"], name
        assert "width" not in root


def test_identifiers_differ_between_panels_and_are_all_there(panels):
    ids = [found for _, svg in panels for found in re.findall(r' id="([^"]+)"', svg)]
    assert len(ids) == len(set(ids))
    for _, svg in panels:
        own = set(re.findall(r' id="([^"]+)"', svg))
        assert set(re.findall(r'href="#([^"]+)"', svg)) <= own
        assert set(re.findall(r"url\(#([^)]+)\)", svg)) <= own


def test_the_same_content_in_two_panels_has_two_sets_of_identifiers():
    drawing = drawing_of(line, partial(line))
    first, second = (panel_svg(drawing, panel) for panel in drawing.panels)
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_every_colour_is_a_variable_of_the_page(panels):
    for name, svg in panels:
        variables = dict(re.findall(r"var\(--(\w+),(#[0-9a-f]{6})\)", svg))
        assert variables.items() <= PALETTE.items(), name
        assert not re.search(r"(fill|stroke):(?!none|var)", svg.replace(" ", "")), name
        assert not re.search(r"(fill|stroke)=", svg), name


def test_letters_are_text_in_the_font_of_the_page(panels):
    for _, svg in panels:
        assert "<text" in svg
        assert "font-family" not in svg
        assert "http" not in svg


def test_letters_are_large_enough_when_a_phone_shrinks_the_panel(panels):
    for name, svg in panels:
        width = float(parsed(svg)[0]["viewBox"].split()[2])
        sizes = [float(size) for size in re.findall(r"font-size:([\d.]+)px", svg)]
        assert min(sizes) * 336 / width >= 8.9, name


def test_panels_are_small(panels):
    assert max(len(svg) for _, svg in panels) < 40_000


def test_texts_are_escaped_and_no_formulas():
    drawing = drawing_of(partial(line, text="<b>$x_1$</b> & 模型"))
    assert ">&lt;b&gt;$x_1$&lt;/b&gt; &amp; 模型</text>" in panel_svg(drawing, drawing.panels[0])


def test_a_compact_path_goes_where_it_went():
    svg = compact_svg('<svg><path d="M -1.2345 6.789 L 300.01 -0.04" style="fill: none"/></svg>')
    assert svg == '<svg><path d="M-1.2 6.8l301.2-6.8" style="fill:none"/></svg>'


@pytest.mark.parametrize(
    "name",
    [' d="M 1.2345 6.789"', "style=fill:#0072b2", ' xmlns="x"', "font-family: serif;", "x  y"],
)
def test_names_that_look_like_markup_stay_as_they_are(name):
    drawing = drawing_of(partial(line, text=name))
    _, texts = parsed(panel_svg(drawing, drawing.panels[0]))
    assert name in texts
