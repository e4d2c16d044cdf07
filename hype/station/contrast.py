"""How far texts stand out from what is behind them: WCAG 2.2, relative luminance and contrast."""

from __future__ import annotations

from typing import Final

Rgb = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
LEAST: Final = 4.5
"""Contrast that every text must have (success criterion 1.4.3, level AA)."""
ENOUGH: Final = 7.0
"""Contrast that is chosen where the grey behind allows it (criterion 1.4.6, level AAA)."""
INKS: Final[tuple[Rgb, ...]] = ((245, 245, 245), (20, 20, 20), (255, 255, 255), (0, 0, 0))
"""Colours that texts may be given, the calmer ones first."""
STEP: Final = 0.05


def luminance(rgb: Rgb) -> float:
    """Give the relative luminance of an sRGB colour, 0 (black) to 1 (white)."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in rgb)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    """Give the contrast of two colours, 1 (the same) to 21 (black and white)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def ink_on(paper: Rgb) -> Rgb:
    """Choose a colour of texts: one that stands out by `ENOUGH`, else the one that does most.

    No grey is so awkward that black or white does not stand out from it by 4.58 (√21).
    """
    enough = (ink for ink in INKS if contrast(ink, paper) >= ENOUGH)
    return next(enough, max(INKS, key=lambda ink: contrast(ink, paper)))


def mixed(one: Rgb, other: Rgb, share: float) -> Rgb:
    """Mix a ``share`` of one colour with another."""
    red, green, blue = (
        round(share * first + (1 - share) * second)
        for first, second in zip(one, other, strict=True)
    )
    return red, green, blue


def veil_under(ink: Rgb, ground: Rgb, thinnest: float) -> float:
    """Give how much of any image a ground must cover for texts on it to stand out by `LEAST`.

    At least ``thinnest``, 0 to 1; all of it where less is not enough.
    """
    share = thinnest
    while share < 1 and min(contrast(ink, seen) for seen in through(ground, share)) < LEAST:
        share = min(1.0, share + STEP)
    return share


def through(ground: Rgb, share: float) -> tuple[Rgb, Rgb]:
    return mixed(ground, (0, 0, 0), share), mixed(ground, (255, 255, 255), share)
