"""Connections to a server: no more than it has descriptors for, and the last are for who is in.

Each connection takes a descriptor, and so does each file that is read for somebody. The system
gives the lowest number that is free, so the number of a new connection says how many are taken.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast

from starlette.types import Scope
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from hype.system import raise_file_limit

MOST_FILES: Final = 2_048
"""Descriptors that one worker takes, where the system would give it more."""
KEPT: Final = 64
"""Of them: for those who have been let in."""
FOR_FILES: Final = 32
"""Of those that are kept: no connection gets them."""
HEAD_S = 10.0
"""How long a connection may take until the head of a request has come."""
CROWDED_HEAD_S: Final = 1.0
"""The same for a connection that has a descriptor which is kept."""
SAID_EACH_S: Final = 60.0
PAUSE_S: Final = 0.05
NONE_LEFT: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
CROWDED: Final = "crowded"
BUSY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
    b"Retry-After: 5\r\nConnection: close\r\n\r\nbusy\n"
)


@dataclass
class Descriptors:
    """How many descriptors a worker may have, and what says in the log that they are taken."""

    most: int
    remark: Callable[[str], None]
    _said_s: float | None = None

    @classmethod
    def here(cls, remark: Callable[[str], None]) -> Descriptors:
        """Give this program's, after asking the system for all that it may have."""
        return cls(min(raise_file_limit() or MOST_FILES, MOST_FILES), remark)

    def is_taken(self, connection: int, *, but: int) -> bool:
        """Whether all descriptors ``but`` so many are taken; it is said in the log, if so."""
        if os.name == "nt" or connection < self.most - but:  # on Windows it is no such number
            return False
        self.say_busy()
        return True

    def say_busy(self) -> None:
        now_s = time.monotonic()
        if self._said_s is None or now_s >= self._said_s + SAID_EACH_S:
            self._said_s = now_s
            self.remark(
                f"busy: {self.most - KEPT} of {self.most} descriptors are taken, and the rest are "
                "for those who have been let in; others are told to wait"
            )


class Door(socket.socket):
    """A listening socket that turns people away once only descriptors kept for files are left.

    It accepts one connection each time the loop asks for all, so that workers share a crowd.
    """

    descriptors: Descriptors
    _has_accepted = False

    @classmethod
    def at(cls, listening: socket.socket, descriptors: Descriptors) -> Door:
        copy = listening.dup()
        door = cls(copy.family, copy.type, copy.proto, fileno=copy.detach())
        door.descriptors = descriptors
        return door

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection. asyncio, which calls this, tries again after a BlockingIOError."""
        if self._has_accepted:
            self._has_accepted = False
            raise BlockingIOError
        try:
            connection, address = super().accept()
        except OSError as error:
            if error.errno in NONE_LEFT:
                self.descriptors.say_busy()
                time.sleep(PAUSE_S)
                raise BlockingIOError from None
            raise
        if self.descriptors.is_taken(connection.fileno(), but=FOR_FILES):
            with connection, suppress(OSError):
                connection.setblocking(False)
                connection.send(BUSY)
                connection.recv(1 << 16)  # what is closed unread cuts off what was sent
            raise BlockingIOError
        self._has_accepted = True
        return connection, address


class Connection(H11Protocol):
    """A connection that ends if no request comes in time."""

    def __init__(
        self,
        descriptors: Descriptors,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._descriptors = descriptors
        self._head_s = HEAD_S
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))
        if self._descriptors.is_taken(transport.get_extra_info("socket").fileno(), but=KEPT):
            self.app_state = {**self.app_state, CROWDED: True}
            self._head_s = CROWDED_HEAD_S
        self._late = self.loop.call_later(self._head_s, self.transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering and self._late:
            self._late.cancel()
            self._late = None
        elif not answering and self._late is None:
            self._late = self.loop.call_later(self._head_s, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._late:
            self._late.cancel()


def is_crowded(scope: Scope) -> bool:
    """Whether a request came on a connection whose descriptor is kept for who has been let in."""
    return CROWDED in scope.get("state", {})
