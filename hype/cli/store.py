"""`hype store`: the PostgreSQL database where stations and servers share a record."""

from __future__ import annotations

from typing import Annotated

import typer

import hype.protocols.registry  # noqa: F401 it declares the tables of answers
from hype.console import err, out
from hype.store.postgres import make_record

app = typer.Typer(
    help="A PostgreSQL database where stations and servers share a record.",
    no_args_is_help=True,
)


@app.callback()
def store() -> None:
    """Declare the group of commands."""


@app.command()
def init(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="postgresql://USER@HOST/DATABASE, for one study")
    ],
) -> None:
    """Make the tables of a record, and print SQL for a role that can read, add and change rows."""
    lines = make_record(url)
    err.print("The tables exist. To let stations and servers log in, run this SQL:")
    for line in lines:
        out.print(line, markup=False, soft_wrap=True)
