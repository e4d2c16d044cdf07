"""The program `hype`: its commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence

import typer

from hype.central_url import ELSEWHERE, holds_password
from hype.cli.commands import COMMANDS
from hype.confine import shortened
from hype.console import guard_terminal
from hype.errors import HypeError, InputError
from hype.files import cache_folder
from hype.printable import IN_ARGUMENTS
from hype.store.central.limits import waiting_announced


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
    guard_terminal()
    try:
        check_arguments(sys.argv[1:])
        with waiting_announced(say):
            program(sys.argv[1:])()
    except HypeError as error:
        print(f"hype: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def check_arguments(arguments: Sequence[str]) -> None:
    """Refuse what may not be repeated, before anything can: passwords, and control characters.

    Typer repeats arguments that it does not understand, past what guards the terminal.

    Raises
    ------
    InputError
        Of a password it says where it was, and not what.
    """
    if any(map(holds_password, arguments)):
        raise InputError("the command line", "holds a password", ELSEWHERE)
    for argument in filter(IN_ARGUMENTS.search, arguments):
        raise InputError("the command line", f"{shortened(argument)} holds a control character")


def say(sentence: str) -> None:
    from hype.console import err

    err.print(sentence)
