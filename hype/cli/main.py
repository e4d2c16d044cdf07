"""The program `hype`: its commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence

import typer

from hype.central_url import ELSEWHERE, holds_password
from hype.cli.commands import COMMANDS
from hype.errors import HypeError, InputError
from hype.files import cache_folder
from hype.store.central.limits import told_of_waiting


def program(arguments: Collection[str]) -> typer.Typer:
    """Make the program that can run ``arguments``.

    A command can only be called by its name: what is not among the arguments is not loaded, since
    some commands take longer to load than a person waits for a help text.
    """
    app = typer.Typer(
        help="Measure how real generated images look to people: from study file to score table.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    for command in COMMANDS:
        command.add_to(app, whole=command.name in arguments)
    return app


def main() -> None:
    """Run a command. What a person can mend becomes one message; see design of exit codes."""
    # Matplotlib would make a folder in the user's configuration.
    os.environ.setdefault("MPLCONFIGDIR", str(cache_folder() / "matplotlib"))
    try:
        refuse_passwords(sys.argv[1:])
        with told_of_waiting(say):
            program(sys.argv[1:])()
    except HypeError as error:
        print(f"hype: {printable(str(error))}", file=sys.stderr)
        sys.exit(error.exit_code)


def refuse_passwords(arguments: Sequence[str]) -> None:
    """Refuse a password on the command line before anything can repeat it.

    Raises
    ------
    InputError
        It says where it was, and not what.
    """
    if any(map(holds_password, arguments)):
        raise InputError("the command line", "holds a password", ELSEWHERE)


def say(sentence: str) -> None:
    """Tell whoever waits for what, beside a progress bar if there is one."""
    from hype.cli.options import err

    err.print(sentence)


def printable(text: str) -> str:
    """Escape what a terminal would obey: messages name files, and those may be called anything."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
