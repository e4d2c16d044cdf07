"""Figures as files, for papers, slides and the page; equal figures give equal bytes."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, cast
from xml.sax.saxutils import escape

from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.text import Text

from hype.errors import InputError
from hype.files import make_folder, write_bytes
from hype.report.figures.drawing import (
    INK,
    PALETTE,
    PAPER,
    SOFT,
    VERMILLION,
    Axes,
    Drawing,
    Margins,
    Panel,
    add_panel,
    fit_name,
    fit_names,
    label_axes,
    use_style,
)

_SUPERFLUOUS: Final = tuple(
    re.compile(pattern, flags=re.DOTALL)
    for pattern in (
        r"<metadata>.*?</metadata>\s*",
        r"<style.*?</style>\s*",
        r"""(?<=<g) id="[^"]*\"""",  # figures on one page must not share ids such as axes_1
        r"<defs>\s*</defs>\s*",
    )
)

_TAG: Final = re.compile(r"<[^>]*>")
_LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{2,}")
_NUMBERS_OF: Final = re.compile(r' (?:d|x|y|transform|viewBox)="[^"]*"')
_STYLE: Final = re.compile(r' style="[^"]*"')
_PATH: Final = re.compile(r' d="([^"]*)"')
_MARKS: Final = re.compile(r"<g>\s*((?:<use [^>]*/>\s*){2,})</g>")
_PLAIN_GROUP: Final = re.compile(r"<g>\s*(<(?:text|path|use)\b[^>]*(?:/>|>[^<]*</\w+>))\s*</g>")
_BETWEEN: Final = re.compile(r">\s+<")


def compact_svg(svg: str) -> str:
    """Shorten an SVG element; coordinates change by less than a tenth of a point.

    ``svg``: the element, without prologue.
    """

    def shorten(tag: str) -> str:
        tag = _NUMBERS_OF.sub(lambda found: _LONG_NUMBER.sub(round_number, found[0]), tag)
        tag = _PATH.sub(lambda found: f' d="{path_of_steps(found[1])}"', tag)
        return _STYLE.sub(lambda found: found[0].replace("; ", ";").replace(": ", ":"), tag)

    def round_number(number: re.Match[str]) -> str:
        return f"{round(float(number[0]), 1) + 0.0:g}"

    def share_style(group: re.Match[str]) -> str:
        styles = set(_STYLE.findall(group[1]))
        return f"<g{styles.pop()}>{_STYLE.sub('', group[1])}</g>" if len(styles) == 1 else group[0]

    for superfluous in _SUPERFLUOUS:
        svg = superfluous.sub("", svg)
    svg = _MARKS.sub(share_style, edit_tags(svg, shorten))
    for _ in range(2):  # drop two levels of groups around a single element
        svg = _PLAIN_GROUP.sub(r"\1", svg)
    return _BETWEEN.sub(">\n<", svg)


def path_of_steps(path: str) -> str:
    """Write a path in relative coordinates, which need fewer digits."""
    parts, at = [], (0.0, 0.0)
    for letter, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        values = [float(value) for value in numbers.split()]
        steps = [values[0] - at[0], values[1] - at[1]] if letter == "L" else values
        name = "l" if letter == "L" else letter
        parts.append(name + " ".join(f"{round(step, 1) + 0.0:g}" for step in steps))
        at = (values[-2], values[-1]) if values else at
    return "".join(parts).replace(" -", "-")


def edit_tags(svg: str, edit: Callable[[str], str]) -> str:
    """Edit only the tags of an SVG, since names in its text may contain anything."""
    return _TAG.sub(lambda tag: edit(tag[0]), svg)


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

    ``drawing``: the figure. Identifiers inside the SVG depend on the figure's name and the panel's
    number, so that those of two panels on a page differ. ``panel``: one of the figure's panels.
    """
    place = next(place for place, other in enumerate(drawing.panels) if other is panel)
    with use_style(drawing, f"{drawing.name} {place}"):
        figure = Figure(figsize=(drawing.width_in, drawing.height_in))
        axes = add_panel(figure, drawing, 0, 0)
        panel.draw(axes)
        label_axes(axes, drawing)
        svg = compact_svg(svg_element(figure))

    def fit_page(tag: str) -> str:
        """Remove from a tag what only a file needs, and use CSS variables for its colours."""
        tag = tag.replace("xlink:href", "href")
        for superfluous in _FOR_FILES_ONLY:
            tag = superfluous.sub("", tag)
        return _HEX.sub(lambda colour: _VARIABLES.get(colour[0], colour[0]), tag)

    svg = edit_tags(svg, fit_page)
    return Markup(svg.replace("<svg", _INHERITED, 1))  # noqa: S704 - matplotlib escapes all text


def svg_element(figure: Figure) -> str:
    """Return the SVG of a figure, without prologue and date."""
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # The viewer draws the letters, so letters that matplotlib lacks do not matter.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    return svg[svg.index("<svg") :]


_PRINTED_FAMILY: Final = "DejaVu Sans"
_LONGEST: Final = 34


def spell_out(figure: Figure) -> None:
    """Write letters that the font lacks as code points, so that names stay different.

    Otherwise the font would show boxes, and names of the same length would look equal.
    """
    for text in figure.findobj(Text):
        written = text.get_text()
        if not all(map(_is_known, written)):
            text.set_text(fit_name(spell_letters(written), _LONGEST))


def spell_letters(text: str) -> str:
    """Replace letters that the font lacks by code points, such as U+6A21."""
    parts = [letter if _is_known(letter) else f" U+{ord(letter):04X} " for letter in text]
    return " ".join("".join(parts).split())


@cache
def _is_known(letter: str) -> bool:
    return letter.isspace() or get_font(findfont(_PRINTED_FAMILY)).get_char_index(ord(letter)) != 0


_PROLOGUE: Final = '<?xml version="1.0" encoding="utf-8"?>\n'
_FAMILY: Final = "font-family:'DejaVu Sans',Verdana,Arial,Helvetica,sans-serif"
_ANY_FAMILY: Final = re.compile(r"font-family:[^;\"]*")
_TITLE_IN: Final = 0.24
_LABEL_IN: Final = 0.24
_MARK_IN: Final = 0.24
_EDGE_IN: Final = 0.06
_LONGEST_TITLE: Final = 34
_BOLD_EM: Final = 0.7
"""Mean width of a bold letter, as a share of its size."""
_BETWEEN_IN: Final = 0.14
"""Space to the left of a panel without y numbers, for the left half of its first x number."""


def write_figures(
    drawings: Iterable[Drawing],
    folder: Path,
    *,
    mark: str = "",
    width_in: float | None = None,
    font_pt: float | None = None,
) -> tuple[Path, ...]:
    """Write each figure as NAME.svg, NAME.pdf and NAME.png.

    ``drawings``: the figures; the same figures give the same bytes. ``folder``: made if missing;
    other files in it stay. ``mark``: a small text on every figure, such as a note that evaluators
    were simulated. ``width_in``, ``font_pt``: as in `resize`.

    Returns the files, in the order of the figures. Each file is written completely or not at all.

    Raises InputError: the folder cannot be made or written to.
    """
    make_folder(folder)
    written: list[Path] = []
    for drawing in drawings:
        fitting = resize(drawing, width_in, None, font_pt)
        with use_style(fitting, fitting.name):
            figure = grid_of(fitting, mark)
            svg = _standalone(svg_element(figure), fitting).encode()
            # The SVG needs no code points: a browser has the letters that matplotlib lacks
            spell_out(figure)
            about = {"CreationDate": None, "Title": fitting.title, "Subject": fitting.alt}
            contents = {
                "svg": svg,
                "pdf": save(figure, format="pdf", metadata=about),
                "png": save(figure, format="png", dpi=_PRINT_DPI, metadata=_NO_PROGRAM),
            }
        for ending, content in contents.items():
            path = folder / f"{drawing.name}.{ending}"
            write_bytes(path, content)
            written.append(path)
    return tuple(written)


def grid_of(drawing: Drawing, mark: str = "", kind: type[Figure] = Figure) -> Figure:
    """Arrange panels in a grid. If there are several, each has a title; axis labels are shared."""
    panels = len(drawing.panels)
    several = panels > 1
    columns = columns_of(drawing)
    rows = -(-panels // columns)
    cell_in = drawing.height_in + several * (_TITLE_IN - _LABEL_IN)
    below_in = _EDGE_IN + several * _LABEL_IN
    numbers_in = room_of_numbers(drawing)
    left_in = _EDGE_IN + several * bool(drawing.y_label) * _LABEL_IN
    column_in = drawing.width_in - numbers_in
    width_in = left_in + numbers_in + columns * column_in + _EDGE_IN
    height_in = below_in + rows * cell_in + _EDGE_IN + bool(mark) * _MARK_IN
    figure = kind(figsize=(width_in, height_in), facecolor=PAPER)
    most = int(72 * column_in / (_BOLD_EM * drawing.letters_pt)) - 1
    titles = fit_names([panel.title for panel in drawing.panels], max(2, min(most, _LONGEST_TITLE)))
    for place, (panel, title) in enumerate(zip(drawing.panels, titles, strict=True)):
        row, column = divmod(place, columns)
        bottom_in = below_in + (rows - 1 - row) * cell_in - several * _LABEL_IN
        axes = add_panel(figure, drawing, left_in + column * column_in, bottom_in)
        panel.draw(axes)
        if column and numbers_in:
            axes.tick_params(labelleft=False)
        if several:
            axes.set_title(title, loc="left", weight="bold", color=INK, pad=18)
        else:
            label_axes(axes, drawing)
    edge, top = _EDGE_IN / width_in, _EDGE_IN / height_in
    if several:
        figure.text(0.5, top, drawing.x_label, ha="center", va="bottom", color=SOFT)
        figure.text(edge, 0.5, drawing.y_label, rotation=90, ha="left", va="center", color=SOFT)
    if mark:
        figure.text(edge, 1 - top, mark, va="top", color=VERMILLION)
    return figure


def room_of_numbers(drawing: Drawing) -> float:
    """Return how much of the left margin only the first panel of a row needs, in inches."""
    several = drawing.one_scale and len(drawing.panels) > 1
    return max(0.0, drawing.margins.left_in - _BETWEEN_IN) if several else 0.0


def columns_of(drawing: Drawing) -> int:
    """Return how many panels are in a row."""
    panels = len(drawing.panels)
    return drawing.panels_across or (panels if panels < 4 else 2 if panels == 4 else 3)


_SMALL_PT: Final = 8.0
_LOW_IN: Final = 0.6
"""Up to this height, axes may be higher than wide."""
_LEAST_IN: Final = 0.3
"""Minimum width and height of a panel's axes."""


def resize(
    drawing: Drawing, width_in: float | None, height_in: float | None, font_pt: float | None
) -> Drawing:
    """Change the width, height and size of letters of a figure.

    ``width_in``, ``height_in``: the size of the whole figure. Without a width, panels keep their
    width. Without a height, the panels' height changes in proportion to the letters, like margins.

    Raises InputError: a size is not above 0, or leaves no room for the panels.
    """
    for name, value in (("width_in", width_in), ("height_in", height_in), ("font_pt", font_pt)):
        if value is not None and not value > 0:
            raise InputError(name, f"{value:g}", "above 0")
    if width_in is None and height_in is None and font_pt is None:
        return drawing

    own_pt, panels = drawing.letters_pt, len(drawing.panels)
    letters = font_pt or (own_pt if width_in is None else _SMALL_PT)
    larger = letters / own_pt
    margins = Margins(**{name: larger * room for name, room in vars(drawing.margins).items()})
    edges_in = 2 * _EDGE_IN + (panels > 1) * bool(drawing.y_label) * _LABEL_IN
    beside_in = margins.left_in + margins.right_in
    if width_in is None:
        columns, panel_in = columns_of(drawing), drawing.width_in
    else:
        numbers_in = room_of_numbers(replace(drawing, margins=margins))
        free_in, least_in = width_in - edges_in - numbers_in, drawing.narrowest_in + beside_in
        columns = max(1, min(panels, int(free_in / (least_in - numbers_in))))
        panel_in = free_in / columns + numbers_in
    rows = -(-panels // columns)
    if height_in is not None:
        own_in = (height_in - 2 * _EDGE_IN - (panels > 1) * _LABEL_IN) / rows
        own_in -= (panels > 1) * (_TITLE_IN - _LABEL_IN)
    else:
        own_in = drawing.height_in * larger
        if drawing.one_scale and width_in is not None:  # narrow axes are at most as high as wide
            upright_in = max(panel_in - beside_in, _LOW_IN) + margins.top_in + margins.bottom_in
            own_in = min(own_in, upright_in)
    rooms = (panel_in - beside_in, own_in - margins.top_in - margins.bottom_in)
    if min(rooms) < _LEAST_IN:
        side, size = ("width_in", width_in) if rooms[0] < _LEAST_IN else ("height_in", height_in)
        problem = f"leaves no room for the panels of {drawing.name} next to their labels"
        raise InputError(side, f"{size or 0:g} {problem}", "use a larger figure or smaller letters")
    return replace(
        drawing,
        width_in=panel_in,
        height_in=own_in,
        margins=margins,
        font_pt=letters,
        panels_across=columns,
    )


def draw_on(axes: Axes, drawing: Drawing, *, mark: str = "") -> Figure:
    """Draw a figure with one panel on existing axes. Raises InputError: it has several panels."""
    if len(drawing.panels) > 1:
        problem = f"{drawing.name} has {len(drawing.panels)} panels"
        raise InputError("ax", problem, "omit ax to get the whole figure")
    with use_style(drawing, drawing.name):
        drawing.panels[0].draw(axes)
        label_axes(axes, drawing)
        figure = cast("Figure", axes.figure)
        if mark:
            axes.set_title(mark, loc="left", color=VERMILLION, pad=18)
        spell_out(figure)
    return figure


def _standalone(svg: str, drawing: Drawing) -> str:
    """Make a complete SVG document from the element."""
    described = f"<title>{escape(drawing.title)}</title><desc>{escape(drawing.alt)}</desc>"
    head, rest = compact_svg(svg).split(">", 1)
    head = head.replace("<svg", _INHERITED, 1)
    rest = edit_tags(rest, lambda tag: _ANY_FAMILY.sub(_FAMILY, tag))
    return f"{_PROLOGUE}{head}>\n{described}{rest}"


def save(figure: Figure, **options: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, **options)
    return buffer.getvalue()


_SCREEN_DPI: Final = 110
_PRINT_DPI: Final = 300
_NO_PROGRAM: Final = {"Software": None}


class Plot(Figure):
    """A figure that a notebook can show without pyplot."""

    def _repr_png_(self) -> bytes:
        return save(self, format="png", dpi=_SCREEN_DPI, metadata=_NO_PROGRAM)


def draw_figure(drawing: Drawing, *, mark: str = "") -> Figure:
    """Draw a figure of the report; ``mark`` is a small text on it."""
    with use_style(drawing, drawing.name):
        figure = grid_of(drawing, mark, kind=Plot)
        spell_out(figure)
    return figure
