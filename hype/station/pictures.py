"""Load the pictures of trials in advance, in a thread that can be paused."""

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
    """Loads values in advance, in the order in which they will be used.

    The order only affects the speed: `take` returns the right value for any key at any time. If one
    key of the order is never taken, the keys after it are loaded only when they are taken.

    There are two queues: ``_held`` with the keys whose load has started, and ``_todo`` with the
    keys after them. Only a holder of the lock removes keys from ``_todo``, so the thread and a
    caller never remove the same key. The lock is released during a load.

    ``load``: returns the value of a key. The thread and the caller may call ``load`` at the same
    time. ``order``: the keys in the order of their use. A key may occur several times. ``ahead``:
    the maximum number of values that are loaded in advance or being loaded.
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
        """Start no further load, wait for the one in progress, and drop loaded values."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()
        self._held.clear()

    def take(self, key: Key) -> Value:
        """Return the value of ``key``; load it now if it is not the next key in the order.

        Raises the exception that ``load`` raised for this key, here or in the thread.
        """
        coming = None
        with self._changed:  # the key leaves its queue if it is next
            if self._held:
                if self._held[0][0] == key:
                    coming = self._held.popleft()[1]
            elif self._todo and self._todo[0] == key:
                self._todo.popleft()
            self._changed.notify_all()
        return self._load(key) if coming is None else coming.result()

    def pause(self) -> None:
        """Keep the thread from starting a load, and return when it is idle."""
        with self._changed:
            self._paused = True
            self._changed.wait_for(lambda: not self._loading)

    def resume(self) -> None:
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def _work(self) -> None:
        while self._load_next():
            pass

    def _load_next(self) -> bool:
        """Wait until the next key may be loaded, and load it; return False once loading is over.

        Each load is a separate call, so that no local variable keeps its value in memory.
        """

        def may_move() -> bool:
            has_room = len(self._held) < self._ahead
            return self._stopped or not self._todo or (has_room and not self._paused)

        with self._changed:
            self._changed.wait_for(may_move)
            if self._stopped or not self._todo:
                return False
            key, future = self._todo.popleft(), Future[Value]()
            self._held.append((key, future))
            self._loading = True
        try:
            future.set_result(self._load(key))
        except BaseException as error:  # `take` raises it again
            future.set_exception(error)
        with self._changed:
            self._loading = False
            self._changed.notify_all()
        return True


PictureSource = Prefetcher[PictureRequest, Image.Image]
"""Gives a station its pictures, scaled and ready for the graphics card."""


def fit_picture(
    image: Image.Image, side_px: int, *, cover: bool, enlarge: bool = True
) -> Image.Image:
    """Scale an image to fit into a square; a mask is stretched to ``cover`` the square.

    The image is scaled here, so that each pixel of the texture covers one pixel of the screen.
    Without ``enlarge``, an image that is smaller than the square keeps its size.
    """
    scale = side_px / max(image.size)
    if not enlarge:
        scale = min(scale, 1.0)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.convert("RGB").resize(
        (side_px, side_px) if cover else size, Image.Resampling.LANCZOS
    )
