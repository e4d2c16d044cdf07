"""The figures as the page holds them: one SVG for each panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.report.figures.svg import panel_svg

if TYPE_CHECKING:
    from markupsafe import Markup

    from hype.report.figures.drawing import Drawing


@dataclass(frozen=True, kw_only=True)
class PagePanel:
    """One panel: the condition or axis it shows, empty where it shows all, and its SVG element."""

    title: str
    svg: Markup


@dataclass(frozen=True, kw_only=True)
class PageFigure:
    """A figure with its panels drawn; `Drawing` says what the rest means."""

    name: str
    title: str
    caption: str
    alt: str
    width_in: float
    panels: tuple[PagePanel, ...]
    by_condition: bool = True


def page_figure(drawing: Drawing) -> PageFigure:
    """Draw the panels of a figure."""
    return PageFigure(
        name=drawing.name,
        title=drawing.title,
        caption=drawing.caption,
        alt=drawing.alt,
        width_in=drawing.width_in,
        panels=tuple(
            PagePanel(title=panel.title, svg=panel_svg(drawing, panel)) for panel in drawing.panels
        ),
        by_condition=drawing.by_condition,
    )
