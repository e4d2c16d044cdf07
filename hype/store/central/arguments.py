"""What PostgreSQL's library is told of a central store, so that no password leaves in clear text.

All of it is told outright: of what is left open, the library asks the environment (``PGHOSTADDR``,
``PGSSLMODE``, a service file), and a study file could have counted on that.
"""

from __future__ import annotations

import os
from typing import Final

from psycopg import pq

from hype.central_url import ENCRYPTED, ENCRYPTION, Server, parsed_url
from hype.store.central.problems import CentralRefused
from hype.store.central.servers import trusted_servers

OLDEST_LIBRARY: Final = 16
"""Of PostgreSQL's, which can insist on how a server asks for a password."""
PROVEN: Final = "scram-sha-256"
"""How a server may ask: it learns no password, and has to show that it knows it already."""


def arguments_of(url: str) -> dict[str, str | None]:
    """Give the parameters of a connection; None where the environment may say.

    Raises
    ------
    CentralRefused
        The library is too old for it, or the user's file of trusted servers is no such file.
    """
    if pq.version() < OLDEST_LIBRARY * 10_000:
        problem = f"cannot be asked safely by libpq {pq.version() // 10_000}"
        raise CentralRefused(url, problem, f"psycopg[binary] brings {OLDEST_LIBRARY} or newer")
    asked = parsed_url(url)
    server, sslmode = asked.server, encryption(asked.sslmode, asked.server)
    encrypted = is_encrypted(sslmode) and not server.is_socket
    return {
        "host": server.host,
        "hostaddr": "",
        "port": str(server.port),
        "dbname": asked.dbname,
        "user": asked.user or None,
        "require_auth": f"{PROVEN},none" if server.is_socket else PROVEN,
        "sslmode": sslmode,
        # Whoever stands between could show a certificate of theirs, but has not the password.
        "channel_binding": "require" if encrypted else None,
        "gssencmode": "disable",
    }


def encryption(sslmode: str, server: Server) -> str:
    """Give the ``sslmode``: the strongest of a URL's, the environment's, and what must be."""
    clear = server.is_here or trusted_servers().get(server, False)
    said = [mode for mode in (sslmode, os.environ.get("PGSSLMODE")) if mode]
    return max(said or ["prefer"], key=strength) if clear else max([ENCRYPTED, *said], key=strength)


def strength(sslmode: str) -> int:
    """Rank an ``sslmode``; one that nobody knows is for the library to refuse."""
    return ENCRYPTION.index(sslmode) if sslmode in ENCRYPTION else len(ENCRYPTION)


def is_encrypted(sslmode: str) -> bool:
    """Whether nothing goes in clear text."""
    return strength(sslmode) >= strength(ENCRYPTED)
