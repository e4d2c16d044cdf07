"""Draw each character in a font that has it; PsychoPy uses one font for a whole text."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from pyglet import font
from pyglet.font.freetype import FreeTypeFace, FreeTypeFont
from pyglet.font.freetype_lib import FT_Face, FT_New_Face, ft_get_library

from hype.station.typesetting import Face, face_of, face_with


def draw_every_character(language: str) -> None:
    CoveringFont.language = language
    font._font_class = CoveringFont


class CoveringFont(FreeTypeFont):  # type: ignore[misc]
    """A pyglet font that takes the characters it lacks from other fonts.

    If a file contains several fonts, this class opens the right one; pyglet opens the first.
    """

    language = ""

    def get_glyph_slot(self, character: str) -> Any:
        """Return a character's glyph, which is an empty box only if no font has the character."""
        other_face = face_with(character, self._name or "", self.language, bold=self.bold)
        face = open_face(other_face) if other_face else self.face
        face.set_char_size(self.size, self.dpi)
        return face.get_glyph_slot(face.get_character_index(character))

    def _load_font_face_from_system(self) -> None:
        self.face = open_face(face_of(self._name or "", bold=self.bold))


@cache
def open_face(face: Face) -> Any:
    """Open a font, which then stays open."""
    ft_face = FT_Face()
    FT_New_Face(ft_get_library(), face.file, face.index, ctypes.byref(ft_face))
    return FreeTypeFace(ft_face)
