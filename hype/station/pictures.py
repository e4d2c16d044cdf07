"""The pictures of trials, on their way from a file to a texture.

They are loaded ahead of their turn, in a thread that can be paused.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from types import TracebackType
from typing import Generic, TypeVar

from PIL import Image

from hype.session.steps import PictureRequest

Key = TypeVar("Key")

Value = TypeVar("Value")


class Prefetcher(Generic[Key, Value]):
    """Loads values in the order in which they will be wanted, a few ahead of their turn.

    The order only makes it fast: `take` gives the right value for any key at any time. A position
    of the order that is never taken holds up those after it, which are then loaded when taken.

    What is to come lies in two queues: ``_held`` are the positions whose load has begun, ``_todo``
    those after them. A position leaves ``_todo`` once, under the lock, so it is loaded once; nobody
    holds the lock while loading.

    ``load``: gives the value of a key. The thread and the caller may be in it at the same time.
    ``order``: the keys as they will be taken. A key may come several times.
    ``ahead``: how many values are held at most, the one being loaded included.
    """

    def __init__(self, load: Callable[[Key], Value], order: Iterable[Key], *, ahead: int) -> None:
        self._load = load
        self._ahead = ahead
        self._todo = deque(order)
        self._held: deque[tuple[Key, Future[Value]]] = deque()
        self._loading = self._paused = self._stopped = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="prefetch", daemon=True)

    def __enter__(self) -> Prefetcher[Key, Value]:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Begin no further load, wait for the one in progress, drop what is held."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()
        self._held.clear()

    def take(self, key: Key) -> Value:
        """Return the value of ``key``: loaded ahead if it is next in the order, else loaded now.

        Raises Exception: what ``load`` raised for this key, here or in the thread.
        """
        coming = self._next_if(key)
        return self._load(key) if coming is None else coming.result()

    def pause(self) -> None:
        """Keep the thread from beginning a load, and return when it is idle."""
        with self._changed:
            self._paused = True
            self._changed.wait_for(lambda: not self._loading)

    def resume(self) -> None:
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def _next_if(self, key: Key) -> Future[Value] | None:
        """Remove the next position if it is ``key``; return its load if that has begun."""
        with self._changed:
            coming = None
            if self._held:
                if self._held[0][0] == key:
                    coming = self._held.popleft()[1]
            elif self._todo and self._todo[0] == key:
                self._todo.popleft()
            self._changed.notify_all()
            return coming

    def _work(self) -> None:
        while self._load_next():
            pass

    def _load_next(self) -> bool:
        """Wait for permission to load the next position, and load it; return whether there was one.

        Each has a call of its own, so that no variable keeps its value while the thread waits.
        """
        with self._changed:
            self._changed.wait_for(self._may_move)
            if self._stopped or not self._todo:
                return False
            key, future = self._todo.popleft(), Future[Value]()
            self._held.append((key, future))
            self._loading = True
        try:
            future.set_result(self._load(key))
        except BaseException as error:  # raised for the caller that takes this key
            future.set_exception(error)
        with self._changed:
            self._loading = False
            self._changed.notify_all()
        return True

    def _may_move(self) -> bool:
        """Whether the thread has something to do: load, or end."""
        has_room = len(self._held) < self._ahead
        return self._stopped or not self._todo or (has_room and not self._paused)


PictureSource = Prefetcher[PictureRequest, Image.Image]
"""Where a station gets pictures from, scaled and ready to be uploaded."""


def fit_picture(
    image: Image.Image, side_px: int, *, cover: bool, enlarge: bool = True
) -> Image.Image:
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
