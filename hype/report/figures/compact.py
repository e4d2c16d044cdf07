"""An SVG as matplotlib writes it, made small: fewer digits, no names, styles said once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

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
_LINE: Final = re.compile(r"L (\S+) (\S+) ?")
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
