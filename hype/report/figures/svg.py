"""Panels as SVG that can stand inside an HTML page and is the same bytes every time.

Colours are CSS variables of the page, so that a figure is dark where the page is: see
`hype.report.figures.palette` for their names. Letters are the page's own.
"""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING, Final

from markupsafe import Markup
from matplotlib.figure import Figure

from hype.report.figures.canvas import add_panel, label_axes, styled
from hype.report.figures.compact import compact_svg, within_tags
from hype.report.figures.palette import PALETTE

if TYPE_CHECKING:
    from hype.report.figures.drawing import Drawing, Panel

_FOR_FILES_ONLY: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"""\s+xmlns(:\w+)?="[^"]*\"""",
        r"""(?<=<svg) width="[^"]*" height="[^"]*\"""",
        r"font-family:[^;\"]*;?",
    )
)
_HEX: Final = re.compile(r"(?<=:)#[0-9a-f]{6}\b")
_INHERITED: Final = '<svg style="stroke-linejoin:round;stroke-linecap:butt"'
_VARIABLES: Final = {colour: f"var(--{name},{colour})" for name, colour in PALETTE.items()}


def panel_svg(drawing: Drawing, panel: Panel) -> Markup:
    """Draw one panel of a figure and return its SVG element.

    Parameters
    ----------
    drawing
        The figure. Identifiers inside the SVG follow from its name and the panel's place, so
        that panels do not get into each other's way on one page.
    panel
        One of its panels.
    """
    place = next(place for place, other in enumerate(drawing.panels) if other is panel)
    with styled(drawing, f"{drawing.name} {place}"):
        figure = Figure(figsize=(drawing.width_in, drawing.height_in))
        axes = add_panel(figure, drawing, 0, 0)
        panel.draw(axes)
        label_axes(axes, drawing)
        svg = compact_svg(svg_element(figure))
    svg = within_tags(svg, _for_the_page)
    return Markup(svg.replace("<svg", _INHERITED, 1))  # noqa: S704 - matplotlib escapes all text


def _for_the_page(tag: str) -> str:
    """Take from a tag what only a file needs, and name its colours."""
    tag = tag.replace("xlink:href", "href")
    for superfluous in _FOR_FILES_ONLY:
        tag = superfluous.sub("", tag)
    return _HEX.sub(lambda found: _VARIABLES.get(found[0], found[0]), tag)


def svg_element(figure: Figure) -> str:
    """Give a figure's SVG without its prologue; the date is left out."""
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # Only who looks at it draws letters, so it does not matter which ones matplotlib lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    return svg[svg.index("<svg") :]
