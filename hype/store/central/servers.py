"""Which servers this user trusts with what is recorded here.

A study file may come from a stranger, and so may the central store that it names: nothing is sent
to a server, not even a question for its address, before this user has named it outside of every
study. A file of the user's own keeps the names, one a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hype.central_url import Server, parsed_url, server_named
from hype.errors import InputError
from hype.files import make_folder, read_bytes, write_bytes
from hype.store.central.problems import CentralRefused, CentralUntrusted
from hype.system import folder_for

LARGEST_BYTES: Final = 1 << 20
CLEAR_TEXT: Final = "clear-text"
"""Stands behind a server to which records may be sent unencrypted."""
HEAD: Final = f"""\
# Servers to which hype may send what is recorded, and which it may read: HOST:PORT, one a line.
# '{CLEAR_TEXT}' behind one: unencrypted too. hype trust writes this file.
"""
ALLOWED: Final = f"HOST:PORT or HOST:PORT {CLEAR_TEXT}, one a line; hype trust writes it"


def servers_file() -> Path:
    """Give where the servers are kept that this user trusts; never in the folder one is in."""
    return folder_for("config") / "servers"


def trusted_servers() -> dict[Server, bool]:
    """Give the servers that this user trusts, and whether in clear text too.

    Raises CentralRefused: the file that keeps them cannot be read, or holds something else.
    """
    path = servers_file()
    try:
        lines = read_bytes(path, most_bytes=LARGEST_BYTES).decode().splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise CentralRefused(path, f"cannot be read: {error}", ALLOWED) from None
    except InputError as error:
        raise CentralRefused(error.where, error.problem, error.allowed) from None
    return dict(
        trusted_in(f"{path} line {number}", line)
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.startswith("#")
    )


def trusted_in(where: str, line: str) -> tuple[Server, bool]:
    """Read one line.

    Raises CentralRefused: it is none of a server.
    """
    name, *more = line.split()
    try:
        if more not in ([], [CLEAR_TEXT]):
            raise ValueError("has something behind the server")
        return server_named(name), bool(more)
    except ValueError as error:
        raise CentralRefused(where, str(error), ALLOWED) from None


def keep_servers(servers: Mapping[Server, bool]) -> None:
    """Keep the servers that this user trusts.

    Raises InputError: their file cannot be written.
    """
    path = servers_file()
    make_folder(path.parent)
    lines = (f"{line_of(server, clear)}\n" for server, clear in servers.items())
    write_bytes(path, (HEAD + "".join(lines)).encode())


def line_of(server: Server, clear_text: bool) -> str:
    return f"{server} {CLEAR_TEXT}" if clear_text else str(server)


def require_trusted(study: object, url: str, key: str = "store.central") -> None:
    """Refuse the server that a study file names, unless this user trusts it.

    Raises CentralUntrusted: they do not.
    Raises CentralRefused: as `trusted_servers`.
    """
    server = parsed_url(url).server
    if server not in trusted_servers():
        raise CentralUntrusted(
            study,
            f"{key}: {server} is not trusted, so it was not asked",
            f"whoever has that server gets the records; if it is your lab's: hype trust {server}",
        )
