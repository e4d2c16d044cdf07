"""The limits of a server: how many connections it has, and how often somebody may ask.

Each connection takes a descriptor, and so does each file that is read for somebody. The system
gives the lowest number that is free, so the number of a new connection says how many are taken.

Each server counts for itself, so that with two servers somebody may ask twice as often.
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

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from hype.system import raise_file_limit
from hype.web.arrivals import Participant

MOST_FILES: Final = 2_048
"""Descriptors that a server takes, where the system would give it more."""
KEPT: Final = 64
"""Of these, how many are reserved for participants who have been let in."""
FOR_FILES: Final = 32
"""Of the reserved ones, how many are for files: no connection gets them."""
HEAD_S = 10.0
"""How long a connection may take until the head of a request has come."""
CROWDED_HEAD_S: Final = 1.0
"""The same for a connection with a reserved descriptor."""
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
    """How many descriptors a server may have; it logs when they are taken."""

    most: int
    remark: Callable[[str], None]
    _said_s: float | None = None

    @classmethod
    def here(cls, remark: Callable[[str], None]) -> Descriptors:
        """Return this program's, after asking the system for all that it may have."""
        return cls(min(raise_file_limit() or MOST_FILES, MOST_FILES), remark)

    def is_taken(self, connection: int, *, but: int) -> bool:
        """Whether all descriptors except ``but`` are taken; if so, the log says so."""
        if os.name == "nt" or connection < self.most - but:  # on Windows it is no count
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
    """A listening socket that turns people away once only descriptors kept for files are left."""

    descriptors: Descriptors

    @classmethod
    def at(cls, listening: socket.socket, descriptors: Descriptors) -> Door:
        copy = listening.dup()
        door = cls(copy.family, copy.type, copy.proto, fileno=copy.detach())
        door.descriptors = descriptors
        return door

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection. asyncio, which calls this, tries again after a BlockingIOError."""
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
    """Whether a request came on a connection with a reserved descriptor."""
    return CROWDED in scope.get("state", {})


MOST_NAMES: Final = 10_000
"""Above this number of names, those that sent no request for long enough are forgotten."""

CROWDED_WAIT_S: Final = 5.0


class Rate:
    """Counts requests by name: ``burst`` at once, and ``per_s`` from then on.

    The generic cell rate algorithm (ITU-T I.371): of each name only the time is kept at which its
    next request would be due if it asked steadily.
    """

    def __init__(self, *, burst: int, per_s: float) -> None:
        self._each_s = 1 / per_s
        self._ahead_s = (burst - 1) / per_s
        self._due_s: dict[str, float] = {}

    def wait_s(self, name: str, now_s: float) -> float:
        """Count a request, or return how long it has to wait; 0 if it need not."""
        due_s = max(self._due_s.get(name, now_s), now_s)
        early_s = due_s - self._ahead_s - now_s
        if early_s > 0:
            return early_s
        if len(self._due_s) >= MOST_NAMES:
            self._due_s = {name: due for name, due in self._due_s.items() if due > now_s}
        self._due_s[name] = due_s + self._each_s
        return 0.0


class WithRates:
    """Limits everybody to as many requests as a session needs.

    A page asks some thirty times when it opens, and a few times a trial. A class comes from one
    address, all at once. Simulated evaluators have their link from the server itself, and may ask
    as often as they can.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        whose: Callable[[Request], Participant | None],
        told_to_wait: Callable[[Request, int, float], Response],
    ) -> None:
        self._app = app
        self._whose = whose
        self._told_to_wait = told_to_wait
        self._participants = Rate(burst=200, per_s=20)
        self._strangers = Rate(burst=1_000, per_s=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http":
            request = Request(scope)
            who = self._whose(request)
            if who is None and is_crowded(scope):
                app = self._told_to_wait(request, 503, CROWDED_WAIT_S)
            elif wait_s := self._wait_s(request, who):
                app = self._told_to_wait(request, 429, wait_s)
        await app(scope, receive, send)

    def _wait_s(self, request: Request, who: Participant | None) -> float:
        now_s = time.monotonic()
        if who is None:
            address = request.client.host if request.client else ""
            return self._strangers.wait_s(address, now_s)
        return 0.0 if who.simulated else self._participants.wait_s(who.evaluator, now_s)
