"""Figures as SVG that can stand inside an HTML page and is the same bytes every time."""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Callable

INK = "#1f2933"
FAINT = "#9aa5b1"

_STYLE = Path(__file__).with_name("templates") / "figures.mplstyle"

_WIDTH_IN = 5.6
"""Narrow, so that the lettering is still legible when a phone shrinks the figure to its width."""


_SUPERFLUOUS = tuple(
    re.compile(pattern, flags=re.DOTALL)
    for pattern in (
        r"<metadata>.*?</metadata>\s*",
        r"<style.*?</style>\s*",
        r"""\s+xmlns(:\w+)?="[^"]*\"""",
        r"""(?<=<g) id="[^"]*\"""",  # figure_1, axes_1: the same in every figure of the page
        r"""(?<=<svg) width="[^"]*" height="[^"]*\"""",
        r"font-family: [^;\"]*;\s*",
    )
)


def inline_svg(name: str, height_in: float, draw: Callable[[Figure], None]) -> Markup:
    """Draw a figure and return its SVG element.

    Parameters
    ----------
    name
        Distinguishes the figure from the others of the page: identifiers inside it follow
        from this name.
    height_in
        Height in inches; the width is always the same.
    draw
        Puts the content into the empty figure.
    """
    with mpl.rc_context(fname=_STYLE):
        mpl.rcParams["svg.hashsalt"] = name
        figure = Figure(figsize=(_WIDTH_IN, height_in), layout="constrained")
        draw(figure)
        return _embeddable(figure)


def _embeddable(figure: Figure) -> Markup:
    """Strip what only a file of its own needs: prologue, namespaces, metadata, names, fonts."""
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # Only the browser draws letters, so it does not matter which ones matplotlib lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].replace("xlink:href", "href")
    for superfluous in _SUPERFLUOUS:
        svg = superfluous.sub("", svg)
    return Markup(svg)  # noqa: S704 - matplotlib has escaped every text in it
