"""Where a central store is: the URL of a PostgreSQL database, in which no password may stand.

It is parsed here and nowhere else: the server that is trusted is the one that is connected to,
whatever SQLAlchemy, psycopg and PostgreSQL's own library would each make of a URL.
What authenticates a station is a password, which that library finds: ``PGPASSWORD``, ``PGPASSFILE``
or ``~/.pgpass``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import parse_qsl, unquote

SCHEME: Final = "postgresql+psycopg"
OTHER_SCHEMES: Final = ("postgresql", "postgres")
"""Which other programs take for the same, and so do we."""
STATION: Final = "hype_station"
ANALYST: Final = "hype_analyst"
"""The roles of those who add, all stations together, and of those who read."""
EXAMPLE: Final = f"{SCHEME}://{STATION}@server.example.org/study"
SECRETS: Final = ("password", "sslpassword")
ALLOWED: Final = ("host", "port", "dbname", "user", "sslmode")
"""What may stand behind its question mark: a study file may come from a stranger, and libpq can be
told to read files, to run what a server is asked at the start, and to tell it the password."""
ELSEWHERE: Final = "a password comes from PGPASSWORD or from a password file (~/.pgpass)"
ENCRYPTION: Final = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
"""What ``sslmode`` may be, from the weakest; from `ENCRYPTED` on nothing goes in clear text."""
ENCRYPTED: Final = "require"
PORT: Final = 5432
"""Where PostgreSQL listens unless it is told otherwise."""
SECRET_IN_URL: Final = re.compile(r"^[A-Za-z][\w+.-]*:/+[^?]*:[^?]*@|[?&](ssl)?password=")
PARTS: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://"
    r"(?:(?P<user>[^@:/?#\[\]\\]*)@)?(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<host>[^@:/?#\[\]\\]*))"
    r"(?::(?P<port>[0-9]+))?"
    r"(?:/(?P<dbname>[^/?#]*))?(?:\?(?P<query>[^#]*))?"
)
HOST: Final = re.compile(r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?")
SOCKETS: Final = re.compile(r"(?=.{1,100}$)(?:/[A-Za-z0-9_.+-]+)+")
TYPED: Final = re.compile(r"(?:\[(?P<ipv6>[^\]]*)\]|(?P<host>[^:\[\]]*))(?::(?P<port>[0-9]+))?")


@dataclass(frozen=True, slots=True)
class Server:
    """A server by what a station connects to: a host, an address or a folder of sockets; a port."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def is_socket(self) -> bool:
        return self.host.startswith("/")

    @property
    def is_here(self) -> bool:
        """Whether what it is sent is certain not to leave this machine."""
        if self.is_socket or self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class CentralURL:
    """What a URL says.

    ``user`` and ``sslmode`` are empty where it leaves them to the environment.
    """

    server: Server
    dbname: str
    user: str = ""
    sslmode: str = ""


def holds_password(text: str) -> bool:
    """Tell whether a word of a command line is, or was meant as, a URL with a password in it."""
    return SECRET_IN_URL.search(unquote(text)) is not None


def is_url(text: str) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None


def checked_url(text: str) -> str:
    """Give the URL of a central store as it is used from here on.

    Raises ValueError: as `parsed_url`.
    """
    parsed_url(text)
    return f"{SCHEME}:{text.split(':', 1)[1]}"


def parsed_url(text: str) -> CentralURL:
    """Take the URL of a central store apart.

    Raises ValueError: it is no URL of a PostgreSQL database, names no server or several, or holds a
    password; the message does not repeat it.
    """
    if holds_password(text):
        raise ValueError(f"holds a password; {ELSEWHERE}")
    parts = PARTS.fullmatch(text)
    if parts is None or not text.isprintable() or " " in text:
        raise ValueError(f"is no URL; one is {EXAMPLE}")
    given = settings_of(parts["query"] or "")
    if parts["scheme"] not in (SCHEME, *OTHER_SCHEMES):
        raise ValueError(f"is no URL of a PostgreSQL database; one is {EXAMPLE}")
    before = {name: unquote(parts[name] or "") for name in ("user", "port", "dbname")}
    before["host"] = parts["ipv6"] or parts["host"]
    if twice := [name for name, value in before.items() if value and name in given]:
        raise ValueError(f"names the {twice[0]} twice")
    servers = before | given
    if not all(value.isprintable() for value in servers.values()):
        raise ValueError(f"is no URL; one is {EXAMPLE}")
    # A name that looks like settings could one day be taken for some.
    if not servers["dbname"] or "=" in servers["dbname"] or "://" in servers["dbname"]:
        raise ValueError(f"names no database; one that does is {EXAMPLE}")
    return CentralURL(server=server_of(servers.pop("host"), servers.pop("port")), **servers)


def settings_of(query: str) -> dict[str, str]:
    """Read what stands behind the question mark of a URL.

    Raises ValueError: it is malformed, holds a password, or sets something that it may not.
    """
    try:
        pairs = parse_qsl(query, strict_parsing=bool(query))
    except ValueError:
        raise ValueError(f"is no URL; one is {EXAMPLE}") from None
    given = dict(pairs)
    if any(name in given for name in SECRETS):
        raise ValueError(f"holds a password; {ELSEWHERE}")
    if unknown := [name for name in given if name not in ALLOWED]:
        shown = unknown[0] if unknown[0].isidentifier() else "something"
        raise ValueError(f"sets {shown}, and may set only {', '.join(ALLOWED)}")
    if len(given) < len(pairs):
        raise ValueError("sets something twice")
    if given.get("sslmode", ENCRYPTED) not in ENCRYPTION:
        raise ValueError(f"sets an sslmode that is none of {', '.join(ENCRYPTION)}")
    return given


def server_of(host: str, port: str) -> Server:
    """Give the server that a host and a port name, in the one way in which it is written here.

    Raises ValueError: they name none, or more than one.
    """
    if not host:
        raise ValueError(f"names no server; one that does is {EXAMPLE}")
    if port and not (port.isdecimal() and len(port) <= 5 and 0 < int(port) < 1 << 16):
        raise ValueError("names a port that cannot be")
    return Server(plain_host(host), int(port or PORT))


def plain_host(host: str) -> str:
    """Write a host in the one way in which it is compared, and connected to.

    Raises ValueError: it is neither an address, nor a name, nor a folder.
    """
    if SOCKETS.fullmatch(host):
        return host
    if "%" not in host:  # which would begin the name of a network card, or of anything
        with suppress(ValueError):
            return str(ip_address(host))
    if not HOST.fullmatch(host.lower()):
        raise ValueError("names a server that cannot be")
    return host.lower()


def server_named(text: str) -> Server:
    """Give the server that somebody names: a host, an address or a folder of sockets; ``:PORT``.

    Raises ValueError: there can be no such server.
    """
    parts = TYPED.fullmatch(text)
    if parts is None:
        return server_of(text, "")  # an address with colons in it, or nothing at all
    return server_of(parts["ipv6"] or parts["host"] or "", parts["port"] or "")


def role_of(station: str) -> str:
    """Name the role of a station. PostgreSQL allows names of 63 letters; a station's has 32."""
    return f"{STATION}_{station}"


def as_station(url: str, station: str) -> str:
    """Give the URL by which a station adds to a store: as itself, where all stations are named.

    So one study file serves every station.
    """
    return url.replace(f"://{STATION}@", f"://{role_of(station)}@", 1)


def as_analyst(url: str) -> str:
    return re.sub(f"://{STATION}(_[^@/]*)?@", f"://{ANALYST}@", url, count=1)
