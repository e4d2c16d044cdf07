"""`hype trust`: which servers may have what is recorded here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import typer

from hype.central_url import Server, server_named
from hype.console import out
from hype.errors import InputError
from hype.store.central.servers import keep_servers, line_of, trusted_servers

EXAMPLES: Final = (
    "one is server.example.org, server.example.org:5433, [2001:db8::1] or /run/postgresql"
)


def trust(
    server: Annotated[
        str | None,
        typer.Argument(
            metavar="HOST[:PORT]",
            help="a name, an address, or a folder of sockets; without it, all are listed",
            show_default=False,
        ),
    ] = None,
    clear_text: Annotated[
        bool,
        typer.Option(
            "--clear-text",
            metavar="",
            help="send records there unencrypted, if it does not encrypt",
        ),
    ] = False,
    remove: Annotated[
        bool, typer.Option("--remove", metavar="", help="trust it no longer")
    ] = False,
) -> None:
    """Say which server may have what is recorded here, whatever study names it.

    A study file may come from a stranger. Its central store
    (`store.central`) is asked nothing, and sent nothing, before you
    have named its server here, once. Whoever has that server gets the
    records of the studies that name it; your password stays here.

    Your list is no part of any study: ~/.config/hype/servers.
    """
    servers = trusted_servers()
    if server is None:
        if remove or clear_text:
            raise InputError("hype trust", "no server is named", EXAMPLES)
        out.print(listed(servers) or "No server is trusted.", markup=False)
        return
    named = server_of(server)
    if remove and named not in servers:
        raise InputError(named, "is not trusted", "hype trust lists those that are")
    others = {name: clear for name, clear in servers.items() if name != named}
    mine = {} if remove else {named: clear_text}
    keep_servers(others | mine)
    out.print(
        f"Trusted: {listed(mine)}" if mine else f"{named} is trusted no longer.", markup=False
    )


def server_of(text: str) -> Server:
    """Give the server that was typed.

    Raises InputError: it is none.
    """
    try:
        return server_named(text)
    except ValueError as error:
        raise InputError("the server", str(error), EXAMPLES) from None


def listed(servers: Mapping[Server, bool]) -> str:
    return "\n".join(line_of(server, clear) for server, clear in servers.items())
