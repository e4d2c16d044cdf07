"""Limits: how long a connection may be silent, and how many requests a sender may send.

Each server counts separately, so two servers allow twice as many requests.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from hype.web.arrivals import Participant

HEAD_S = 10.0
"""How long a browser may take to send the head of a request."""


class Connection(H11Protocol):
    """A connection that ends if no request comes in time."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._late = self.loop.call_later(HEAD_S, self.transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering and self._late:
            self._late.cancel()
            self._late = None
        elif not answering and self._late is None:
            self._late = self.loop.call_later(HEAD_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._late:
            self._late.cancel()


MOST_NAMES: Final = 10_000
"""Above this number of senders, those without a recent request are forgotten."""


class Rate:
    """Allows each sender ``burst`` requests at once, and ``per_s`` requests a second after that.

    It is the generic cell rate algorithm (ITU-T I.371). For each sender it stores only one time:
    when the next request would be due at the steady rate.
    """

    def __init__(self, *, burst: int, per_s: float) -> None:
        self._each_s = 1 / per_s
        self._ahead_s = (burst - 1) / per_s
        self._due_s: dict[str, float] = {}

    def wait_s(self, name: str, now_s: float) -> float:
        """Return how long a request must wait; if it need not wait, count it and return 0."""
        due_s = max(self._due_s.get(name, now_s), now_s)
        early_s = due_s - self._ahead_s - now_s
        if early_s > 0:
            return early_s
        if len(self._due_s) >= MOST_NAMES:
            self._due_s = {name: due for name, due in self._due_s.items() if due > now_s}
        self._due_s[name] = due_s + self._each_s
        return 0.0


class WithRates:
    """Limits how many requests each sender may send; the limit is enough for a session.

    A page sends about thirty requests when it opens, and a few in each trial. Newcomers from one
    network address, such as a class, share a limit. Simulated evaluators have no limit: they get
    their link from the server itself.
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
        self._ask_to_wait = told_to_wait
        self._participants = Rate(burst=200, per_s=20)
        self._strangers = Rate(burst=1_000, per_s=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http":
            request = Request(scope)
            if wait_s := self._wait_s(request, self._whose(request)):
                app = self._ask_to_wait(request, 429, wait_s)
        await app(scope, receive, send)

    def _wait_s(self, request: Request, who: Participant | None) -> float:
        now_s = time.monotonic()
        if who is None:
            address = request.client.host if request.client else ""
            return self._strangers.wait_s(address, now_s)
        return 0.0 if who.simulated else self._participants.wait_s(who.evaluator, now_s)
