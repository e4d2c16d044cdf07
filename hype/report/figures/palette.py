"""The colours of all figures, by name.

Hues are those of Okabe and Ito (2008), which people with any colour vision tell apart. No colour is
the only carrier of anything: position, shape or a label says the same.

On the page each colour is the CSS variable of its name, with the hex value as what holds without
one, as in ``var(--ink, #1f2933)``:

``--ink`` text, estimates, intervals · ``--soft`` labels, thin lines · ``--faint`` lines that mark a
bound · ``--grid`` · ``--paper`` the ground, and the rim of points · ``--blue`` the first series ·
``--sky`` its pale companion · ``--vermillion`` the second series · ``--amber`` a third.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

INK: Final = "#1f2933"
SOFT: Final = "#52606d"
FAINT: Final = "#9aa5b1"
GRID: Final = "#e4e9ee"
PAPER: Final = "#ffffff"
BLUE: Final = "#0072b2"
SKY: Final = "#56b4e9"
VERMILLION: Final = "#d55e00"
AMBER: Final = "#e69f00"

STRONGEST: Final = 0.55
"""Opacity of a coloured ground on which ink is read, in light and in dark."""

PALETTE: Final = MappingProxyType(
    {
        "ink": INK,
        "soft": SOFT,
        "faint": FAINT,
        "grid": GRID,
        "paper": PAPER,
        "blue": BLUE,
        "sky": SKY,
        "vermillion": VERMILLION,
        "amber": AMBER,
    }
)
"""Name of a CSS variable, without its dashes, to the colour on white; each colour once."""
