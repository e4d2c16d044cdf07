"""How long a station and a central store wait for each other, and saying so.

The client keeps these limits by itself (`hype.store.central.engine`), so that a server that says
nothing holds nobody up; and the server is told them, so that a client that says nothing does not
hold up others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

NEWCOMER_S: Final = 60.0
"""For everything that somebody new waits for; then their station goes by its own share."""
SAID_AFTER_S: Final = 2.0
"""After which somebody who waits is told so."""
FOREVER: Final = math.inf
CHECK_CLOSED: Final = ("client_connection_check_interval", 2_000)
"""A setting in ms by which a server notices, in the middle of a statement, that nobody waits for
it any more. Roles have it: servers before PostgreSQL 14 and those of some systems refuse it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long may be waited for a central store, and in it, in seconds."""

    connect_s: int = 5  # for the server to let somebody in, at each address of its name
    statement_s: float = 30  # for one statement
    lock_s: float = 20  # for what another session keeps locked
    # For a session's next statement in a transaction. A session that was cut off keeps others
    # waiting no longer than this, which is less than they wait.
    idle_s: float = 10

    @property
    def reply_s(self) -> float:
        """How long a client waits for a reply: a little longer than the server lets it take."""
        return self.statement_s + 1

    @property
    def for_libpq(self) -> Mapping[str, object]:
        """Those that libpq keeps, and those that it tells the server when it connects."""
        keepalives = {
            name.replace("tcp_keepalives", "keepalives"): n for name, n in KEEPALIVES.items()
        }
        options = " ".join(f"-c {name}={value}" for name, value in self.settings.items())
        return {"connect_timeout": self.connect_s, **keepalives, "options": options}

    @property
    def settings(self) -> Mapping[str, int]:
        """What PostgreSQL calls them, for a session or a role; all but keepalives in ms."""
        return {
            "statement_timeout": round(1_000 * self.statement_s),
            "lock_timeout": round(1_000 * self.lock_s),
            "idle_in_transaction_session_timeout": round(1_000 * self.idle_s),
            **KEEPALIVES,
        }


KEEPALIVES: Final[Mapping[str, int]] = {
    "tcp_keepalives_idle": 5,
    "tcp_keepalives_interval": 3,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""How either side finds out that the other is gone without a word (seconds, the last in ms)."""

STATION = Limits()
"""Of those who add, and so lock what they add."""

READER = Limits(statement_s=300, idle_s=300)
"""Of those who read, who lock nothing: they may think between two questions."""

Tell = Callable[[str, float], None]
"""Called with what somebody waits for, and for how many seconds at most."""
ANNOUNCE: Final[ContextVar[Tell]] = ContextVar("told", default=lambda _awaited, _seconds: None)


@contextmanager
def waiting_announced(tell: Callable[[str], None]) -> Iterator[None]:
    """Let ``tell`` be called with a sentence, once each, when something is waited for that is slow.

    Threads that are begun meanwhile tell nobody.
    """
    sentences: set[str] = set()

    def once(awaited: str, seconds: float) -> None:
        sentence = f"waiting for {awaited}, up to {seconds:g} seconds"
        if sentence not in sentences:
            sentences.add(sentence)
            tell(sentence)

    token = ANNOUNCE.set(once)
    try:
        yield
    finally:
        ANNOUNCE.reset(token)
