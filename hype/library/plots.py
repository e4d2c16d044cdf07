"""Figures that a notebook shows and a program goes on with."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from matplotlib.figure import Figure

from hype.report.figures.drawing import styled
from hype.report.figures.files import grid_of, spell_out

if TYPE_CHECKING:
    from hype.report.figures.drawing import Drawing

_DPI: Final = 110


class Plot(Figure):
    """A figure without pyplot, which a notebook shows all the same."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=_DPI)
        return buffer.getvalue()


def drawn(drawing: Drawing, *, mark: str = "") -> Figure:
    """Draw a figure of the report; ``mark`` is printed small on it."""
    with styled(drawing, drawing.name):
        figure = grid_of(drawing, mark, kind=Plot)
        spell_out(figure)
    return figure
