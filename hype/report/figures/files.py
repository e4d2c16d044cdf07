"""Figures as files for papers and slides: SVG and PDF, all panels side by side, on white."""

from __future__ import annotations

import io
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.text import Text

from hype.files import make_folder, write_bytes
from hype.report.figures.axes import INK, PAPER, SOFT, VERMILLION, add_panel, label_axes, styled
from hype.report.figures.drawing import fitted
from hype.report.figures.svg import compact_svg, svg_element, within_tags

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hype.report.figures.drawing import Drawing

_PRINTED_FAMILY: Final = "DejaVu Sans"
_LONGEST: Final = 34


def spell_out(figure: Figure) -> None:
    """Write letters that the font lacks as their code points, so that names stay apart.

    A box for each letter would make all such names of one length the same.
    """
    for text in figure.findobj(Text):
        written = text.get_text()
        if not all(map(_is_known, written)):
            text.set_text(fitted(spelled(written), _LONGEST))


def spelled(text: str) -> str:
    """Give a text with code points, such as U+6A21, for letters that the font lacks."""
    parts = [letter if _is_known(letter) else f" U+{ord(letter):04X} " for letter in text]
    return " ".join("".join(parts).split())


@cache
def _is_known(letter: str) -> bool:
    return letter.isspace() or get_font(findfont(_PRINTED_FAMILY)).get_char_index(ord(letter)) != 0


_PROLOGUE: Final = '<?xml version="1.0" encoding="utf-8"?>\n'
_FAMILY: Final = "font-family:'DejaVu Sans',Verdana,Arial,Helvetica,sans-serif"
_ANY_FAMILY: Final = re.compile(r"font-family:[^;\"]*")
_INHERITED: Final = '<svg style="stroke-linejoin:round;stroke-linecap:butt"'
_TITLE_IN: Final = 0.24
_LABEL_IN: Final = 0.24
_MARK_IN: Final = 0.24
_EDGE_IN: Final = 0.06
_LONGEST_TITLE: Final = 34


def write_figures(drawings: Iterable[Drawing], folder: Path, *, mark: str = "") -> tuple[Path, ...]:
    """Write each figure as NAME.svg and NAME.pdf.

    Parameters
    ----------
    drawings
        The figures. The same ones give the same bytes.
    folder
        Is made if it is not there; other files in it stay.
    mark
        What is printed small on every figure, such as that nobody real was asked.

    Returns
    -------
    tuple of Path
        The files, in the order of the figures. Each appears whole or not at all.

    Raises
    ------
    InputError
        The folder cannot be made or written to.
    """
    make_folder(folder)
    written: list[Path] = []
    for drawing in drawings:
        for ending, content in _contents(drawing, mark).items():
            path = folder / f"{drawing.name}.{ending}"
            write_bytes(path, content)
            written.append(path)
    return tuple(written)


def _contents(drawing: Drawing, mark: str) -> dict[str, bytes]:
    """Give a figure's two files by the ending of their names."""
    with styled(drawing, drawing.name):
        figure = grid_of(drawing, mark)
        svg = _standalone(svg_element(figure), drawing)
        spell_out(figure)  # only in the PDF: whoever looks at the SVG has the letters
        return {"svg": svg.encode(), "pdf": _pdf(figure, drawing)}


def grid_of(drawing: Drawing, mark: str = "") -> Figure:
    """Lay out all panels; several have titles, and the labels of their axes in common."""
    panels = len(drawing.panels)
    several = panels > 1
    columns = panels if panels < 4 else 2 if panels == 4 else 3
    rows = -(-panels // columns)
    cell_in = drawing.height_in + several * (_TITLE_IN - _LABEL_IN)
    below_in = _EDGE_IN + several * _LABEL_IN
    left_in = _EDGE_IN + several * bool(drawing.y_label) * _LABEL_IN
    width_in = left_in + columns * drawing.width_in + _EDGE_IN
    height_in = below_in + rows * cell_in + _EDGE_IN + bool(mark) * _MARK_IN
    figure = Figure(figsize=(width_in, height_in), facecolor=PAPER)
    for place, panel in enumerate(drawing.panels):
        row, column = divmod(place, columns)
        bottom_in = below_in + (rows - 1 - row) * cell_in - several * _LABEL_IN
        axes = add_panel(figure, drawing, left_in + column * drawing.width_in, bottom_in)
        panel.draw(axes)
        if several:
            axes.set_title(
                fitted(panel.title, _LONGEST_TITLE), loc="left", weight="bold", color=INK, pad=18
            )
        else:
            label_axes(axes, drawing)
    if several:
        _label_all(figure, drawing)
    if mark:
        figure.text(_EDGE_IN / width_in, 1 - _EDGE_IN / height_in, mark, va="top", color=VERMILLION)
    return figure


def _label_all(figure: Figure, drawing: Drawing) -> None:
    """Write once what the axes of all panels are."""
    width_in, height_in = figure.get_size_inches()
    figure.text(0.5, _EDGE_IN / height_in, drawing.x_label, ha="center", va="bottom", color=SOFT)
    edge = _EDGE_IN / width_in
    figure.text(edge, 0.5, drawing.y_label, rotation=90, ha="left", va="center", color=SOFT)


def _standalone(svg: str, drawing: Drawing) -> str:
    """Make a small SVG that is a document of its own."""
    described = f"<title>{_escaped(drawing.title)}</title><desc>{_escaped(drawing.alt)}</desc>"
    svg = compact_svg(svg)
    head, rest = svg.split(">", 1)
    head = head.replace("<svg", _INHERITED, 1)
    return (
        _PROLOGUE
        + head
        + ">\n"
        + described
        + within_tags(rest, lambda tag: _ANY_FAMILY.sub(_FAMILY, tag))
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _pdf(figure: Figure, drawing: Drawing) -> bytes:
    buffer = io.BytesIO()
    metadata = {"CreationDate": None, "Title": drawing.title, "Subject": drawing.alt}
    figure.savefig(buffer, format="pdf", metadata=metadata)
    return buffer.getvalue()
