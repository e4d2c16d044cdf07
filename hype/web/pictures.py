"""Images as they reach a participant: they tell nothing but what they show.

Each is decoded and encoded anew, so that nothing of its file is left, and filled up to a whole
number of blocks, so that its size says next to nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Final

from hype.confine import inside
from hype.protocols.load import GrowingStudy
from hype.session.stage import place_of_picture
from hype.session.steps import PictureRequest
from hype.stimuli.images import decode, png_bytes

BLOCK_BYTES: Final = 16 << 10
MOST_BYTES: Final = 256 << 20
"""Kept in memory for whoever needs a picture next."""


class Pictures:
    """The pictures of a study, encoded once and kept as long as there is room."""

    def __init__(self, growing: GrowingStudy, most_bytes: int = MOST_BYTES) -> None:
        self._growing = growing
        self._most_bytes = most_bytes
        self._kept: OrderedDict[PictureRequest, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def encoded(self, request: PictureRequest) -> bytes:
        """Give a picture as a PNG.

        Raises InputError: it is missing, or no image.
        """
        with self._lock:
            if request in self._kept:
                self._kept.move_to_end(request)
                return self._kept[request]
        content = padded(png_bytes(decode(self._path(request)).convert("RGB")))
        with self._lock:
            if request not in self._kept:
                self._kept[request] = content
                self._bytes += len(content)
            while self._bytes > self._most_bytes and len(self._kept) > 1:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest)
        return content

    def _path(self, request: PictureRequest) -> Path:
        return inside(*place_of_picture(self._growing.now(), request))


def padded(content: bytes) -> bytes:
    """Fill up to whole blocks: what follows a PNG's end is not looked at."""
    return content + bytes(-len(content) % BLOCK_BYTES)
