"""The pictures of a trial, on their way from a file to a texture."""

from __future__ import annotations

from typing import Protocol

from PIL import Image

from hype.session.steps import PictureRequest


class Pictures(Protocol):
    """Where a station gets pictures from, scaled and ready to be uploaded."""

    def take(self, key: PictureRequest, /) -> Image.Image:
        """Give a picture."""
        ...

    def pause(self) -> None:
        """See that nothing is decoded until `resume`; return when that is so."""
        ...

    def resume(self) -> None:
        """Let pictures be decoded ahead again."""
        ...


def fitted(image: Image.Image, side_px: int, *, cover: bool, enlarge: bool = True) -> Image.Image:
    """Scale an image to fill a square without being distorted; a mask is made to ``cover`` it.

    Done here, once and well, so that texture and screen pixels are the same. Without ``enlarge``
    an image that is smaller than the square keeps its own pixels.
    """
    scale = side_px / max(image.size)
    if not enlarge:
        scale = min(scale, 1.0)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.convert("RGB").resize(
        (side_px, side_px) if cover else size, Image.Resampling.LANCZOS
    )
