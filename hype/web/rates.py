"""How often one participant, or one stranger's address, may ask: a burst, then steadily.

Where connections run out, nobody new is let in at all.

Each worker counts for itself, so that with two workers somebody may ask twice as often.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hype.web.connections import is_crowded
from hype.web.sittings import Participant

MOST_NAMES: Final = 10_000
"""After so many names those are forgotten who have not asked for long enough."""

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
        """Count a request, or give how long it has to wait; 0 if it need not."""
        due_s = max(self._due_s.get(name, now_s), now_s)
        early_s = due_s - self._ahead_s - now_s
        if early_s > 0:
            return early_s
        if len(self._due_s) >= MOST_NAMES:
            self._due_s = {name: due for name, due in self._due_s.items() if due > now_s}
        self._due_s[name] = due_s + self._each_s
        return 0.0


class WithRates:
    """Lets everybody ask as often as a session needs, and no more.

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
