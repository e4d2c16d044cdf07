"""Fonts for tests, with characters that no other font has."""

from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont

from hype.station.typesetting import face_of, face_with, library

EM = 1000


def font_of(family: str, characters: str) -> TTFont:
    """Make a font in which each of the characters is a black square."""
    pen = TTGlyphPen(None)
    for number, corner in enumerate(((0, 0), (0, EM), (EM, EM), (EM, 0))):
        (pen.lineTo if number else pen.moveTo)(corner)
    pen.closePath()
    empty = TTGlyphPen(None).glyph()
    builder = FontBuilder(EM, isTTF=True)
    builder.setupGlyphOrder([".notdef", "square"])
    builder.setupCharacterMap({ord(character): "square" for character in characters})
    builder.setupGlyf({".notdef": empty, "square": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (EM, 0), "square": (EM, 0)})
    builder.setupHorizontalHeader(ascent=EM, descent=0)
    builder.setupNameTable({"familyName": family, "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    return builder.font


def install(file: Path, *fonts: TTFont) -> None:
    """Write fonts to one file, and let this process use them until it ends."""
    if len(fonts) == 1:
        fonts[0].save(file)
    else:
        together = TTCollection()
        together.fonts = list(fonts)
        together.save(file)
    assert library().FcConfigAppFontAddFile(None, str(file).encode())
    face_of.cache_clear()
    face_with.cache_clear()
