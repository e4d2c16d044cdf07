"""Panels as SVG that can stand inside an HTML page and is the same bytes every time.

Colours are CSS variables of the page, so that a figure is dark where the page is: see
`hype.report.figures.axes` for their names. Letters are the page's own.
"""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING, Final

from markupsafe import Markup
from matplotlib.figure import Figure

from hype.report.figures.axes import PALETTE, add_panel, label_axes, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from hype.report.figures.drawing import Drawing, Panel

_SUPERFLUOUS: Final = tuple(
    re.compile(pattern, flags=re.DOTALL)
    for pattern in (
        r"<metadata>.*?</metadata>\s*",
        r"<style.*?</style>\s*",
        r"""(?<=<g) id="[^"]*\"""",  # figure_1, axes_1: the same in every figure of the page
        r"<defs>\s*</defs>\s*",
    )
)

_TAG: Final = re.compile(r"<[^>]*>")
_NO_TURN: Final = re.compile(r' transform="rotate\(-0 [^)]*\)"')
_LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{2,}")
_NUMBERS_OF: Final = re.compile(r' (?:d|x|y|transform|viewBox)="[^"]*"')
_STYLE: Final = re.compile(r' style="([^"]*)"')
_PATH: Final = re.compile(r' d="([^"]*)"')
_MARKERS: Final = re.compile(r"<g([^>]*)>\s*((?:<use [^>]*/>\s*){2,})</g>")
_PLAIN_GROUP: Final = re.compile(r"<g>\s*(<(?:text|path|use)\b[^>]*(?:/>|>[^<]*</\w+>))\s*</g>")
_BETWEEN: Final = re.compile(r">\s+<")


def compact_svg(svg: str) -> str:
    """Shorten an SVG element whose drawing stays the same to a tenth of a point.

    Parameters
    ----------
    svg
        The element, without prologue.
    """
    for superfluous in _SUPERFLUOUS:
        svg = superfluous.sub("", svg)
    svg = _MARKERS.sub(_styled_once, within_tags(svg, _short_tag))
    for _ in range(2):  # what is left around what was left
        svg = _PLAIN_GROUP.sub(r"\1", svg)
    return _BETWEEN.sub(">\n<", svg)


def within_tags(svg: str, edit: Callable[[str], str]) -> str:
    """Edit each tag of an SVG, and no text: a name may look like anything."""
    return _TAG.sub(lambda tag: edit(tag[0]), svg)


def _short_tag(tag: str) -> str:
    tag = _NO_TURN.sub("", tag)
    tag = _NUMBERS_OF.sub(lambda found: _LONG_NUMBER.sub(_rounded, found[0]), tag)
    tag = _PATH.sub(lambda found: f' d="{_short_path(found[1])}"', tag)
    return _STYLE.sub(lambda found: found[0].replace("; ", ";").replace(": ", ":"), tag)


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1) + 0.0:g}"


def _short_path(path: str) -> str:
    """Write the corners of a path as steps from one to the next, which have fewer digits."""
    tokens = " ".join(path.split())
    parts, at = [], (0.0, 0.0)
    for command in re.findall(r"[A-Za-z][^A-Za-z]*", tokens):
        letter, numbers = command[0], [float(value) for value in command[1:].split()]
        if letter == "L":
            parts.append(f"l{_step(numbers[0] - at[0])} {_step(numbers[1] - at[1])}")
        else:
            parts.append(letter + " ".join(f"{value:g}" for value in numbers))
        at = (numbers[-2], numbers[-1]) if numbers else at
    return "".join(parts).replace(" -", "-")


def _step(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}"


def _styled_once(group: re.Match[str]) -> str:
    """Say the style of many equal marks once, where it is the same for all."""
    styles = set(_STYLE.findall(group[2]))
    if len(styles) != 1 or "style=" in group[1]:
        return group[0]
    return f'<g{group[1]} style="{styles.pop()}">{_STYLE.sub("", group[2])}</g>'


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
