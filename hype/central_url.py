"""Where a central store is: the URL of a PostgreSQL database, in which no password may stand.

What authenticates a station is found by PostgreSQL's own library: ``PGPASSWORD``, ``PGPASSFILE``,
``~/.pgpass``, or a certificate.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEME: Final = "postgresql+psycopg"
OTHER_SCHEMES: Final = ("postgresql", "postgres")
"""Which other programs take for the same, and so do we."""
STATION: Final = "hype_station"
ANALYST: Final = "hype_analyst"
"""The roles of those who add, all stations together, and of those who read."""
EXAMPLE: Final = f"{SCHEME}://{STATION}@server.example.org/study"
SECRETS: Final = ("password", "sslpassword")
ALLOWED: Final = (
    *("host", "port", "dbname", "user"),
    *("sslmode", "sslrootcert", "channel_binding", "gssencmode"),
)
"""What may stand behind its question mark: a study file may come from a stranger, and libpq can be
told to read files and to run what a server is asked at the start."""
ELSEWHERE: Final = "a password comes from PGPASSWORD or from a password file (~/.pgpass)"


SECRET_IN_URL: Final = re.compile(r"^[A-Za-z][\w+.-]*:/+[^?]*:[^?]*@|[?&](ssl)?password=")


def holds_password(text: str) -> bool:
    """Tell whether a word of a command line is, or was meant as, a URL with a password in it."""
    return SECRET_IN_URL.search(unquote(text)) is not None


def is_url(text: str) -> bool:
    """Tell a URL of any kind from a path."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None


def checked_url(text: str) -> str:
    """Give the URL of a central store as it is used from here on.

    Raises
    ------
    ValueError
        It is no URL of a PostgreSQL database, or holds a password; the message does not repeat it.
    """
    try:
        parts = urlsplit(text)
        port, given = parts.port, dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    except ValueError:
        raise ValueError(f"is no URL; one is {EXAMPLE}") from None
    if holds_password(text) or parts.password is not None or any(n in given for n in SECRETS):
        raise ValueError(f"holds a password; {ELSEWHERE}")
    if unknown := [name for name in given if name not in ALLOWED]:
        shown = unknown[0] if unknown[0].isidentifier() else "something"
        raise ValueError(f"sets {shown}, and may set only {', '.join(ALLOWED)}")
    if parts.scheme not in (SCHEME, *OTHER_SCHEMES):
        raise ValueError(f"is no URL of a PostgreSQL database; one is {EXAMPLE}")
    if not (parts.path.strip("/") or given.get("dbname")):
        raise ValueError(f"names no database; one that does is {EXAMPLE}")
    if port == 0 or not text.isprintable() or " " in text:
        raise ValueError(f"is no URL; one is {EXAMPLE}")
    return f"{SCHEME}:{text.split(':', 1)[1]}"


def role_of(station: str) -> str:
    """Name the role of a station. PostgreSQL allows names of 63 letters; a station's has 32."""
    return f"{STATION}_{station}"


def as_station(url: str, station: str) -> str:
    """Give the URL by which a station adds to a store: as itself, where all stations are named.

    So one study file serves every station.
    """
    return url.replace(f"://{STATION}@", f"://{role_of(station)}@", 1)


def as_analyst(url: str) -> str:
    """Give the URL by which a store is read, of that by which a station adds to it."""
    return re.sub(f"://{STATION}(_[^@/]*)?@", f"://{ANALYST}@", url, count=1)
