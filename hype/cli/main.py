"""The program `hype`: its commands, and how it ends with an error."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from itertools import chain
from typing import Annotated, Any, Final, NoReturn, get_type_hints

import typer
from typer.core import TyperGroup

from hype.answers.choices import shell_option
from hype.console import IN_ARGUMENTS, guard_terminal
from hype.errors import HypeError, InputError, extra_missing
from hype.files import cache_folder, shorten

COMMANDS: Final = {
    "demo": "Run a short study in a real window with simulated evaluators, then score a full one.",
    "new": "Make a new study; with folders of images, it is ready to run.",
    "add": "Add a model to a running study: its images and masks, and places for evaluators.",
    "open": "Make, check, try, run and watch a study on a page in this machine's browser.",
    "check": "Find everything that could spoil a session, before people come.",
    "doctor": "Show what works on this machine, what is missing, and how to install it.",
    "timing": "Play exposures without a participant, and report how exact they were.",
    "serve": "Let people take part in a browser; answers go into the study's record.",
    "run": "Run one session at this station; it resumes where the evaluator left off.",
    "simulate": "Let simulated evaluators go through a study, as fast as possible.",
    "power": "Estimate the power to detect a difference, and how many people are needed.",
    "register": "Save a checksum of study, stimuli and planned analysis, before people come.",
    "status": "Show who has done what, who is qualified, and what pay is due.",
    "verify": "Check every answer of a record against its plan, and report faults.",
    "backup": "Copy the record into one complete file, even while sessions run.",
    "score": "Show which condition is more convincing, and how certain that is.",
    "metrics": "Compare generated with real images by features, or compare metrics with scores.",
    "report": "Write one self-contained page with tables and figures.",
    "judge": "Ask a multimodal model a study's questions; hype score --judges reads the answers.",
    "merge": "Join the records of stations without a network into the study's record.",
    "leaderboard": "Write a page with today's ranking of models, and add the day to its history.",
    "export": "Write the data for other tools: a table as CSV or Parquet, a BIDS or a Psych-DS "
    "dataset.",
    "forget": "Remove one person's data from a study on request, and keep a note of the removal.",
    "reward": "Reward models: train them on people's choices, and test them.",
    "stimuli": "Stimulus sets: folders of images with a manifest.",
    "masks": "Mask sets: the pictures shown after an image.",
    "store": "A PostgreSQL database where stations and servers share a record.",
}
"""The commands, each with the first paragraph of its help."""
GROUPS: Final = ("reward", "stimuli", "masks", "store")
"""Commands with subcommands."""
OF_RECORDS: Final = (
    *("run", "serve", "simulate", "status", "verify", "score", "report", "export", "forget"),
    *("backup", "check", "merge"),
)
"""Commands that read or write a record."""


def load(command: str) -> Any:
    """Load a command: the function with its name, or the module's `app` for a group."""
    module = import_module(f"hype.cli.{command}")
    return getattr(module, "app" if command in GROUPS else command)


def add_store_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the option that names the record's database."""
    help_text = (
        "the PostgreSQL database of the record (default: the environment variable HYPE_STORE, or "
        "a file in the study's folder)"
    )
    option = Annotated[str | None, shell_option("--store URL", help_text)]
    hints = get_type_hints(command, include_extras=True)
    own = [
        each.replace(annotation=hints.get(each.name, each.annotation), kind=each.KEYWORD_ONLY)
        for each in signature(command, eval_str=True).parameters.values()
    ]
    store = Parameter("store", Parameter.KEYWORD_ONLY, default=None, annotation=option)

    @wraps(command)
    def run(*, store: str | None, **arguments: Any) -> None:
        if store is not None:
            os.environ["HYPE_STORE"] = store
        command(**arguments)

    vars(run)["__signature__"] = Signature([*own, store])
    return run


def do_nothing() -> None:
    """Stand in for a command that was not called."""


def hide_types(parameters: Iterable[Any]) -> None:
    """Hide Python's types, which Typer adds to arguments and flags in help texts."""
    for parameter in parameters:
        if parameter.param_type_name == "argument" or parameter.is_flag:
            parameter.display_type_rich = lambda ctx: None  # noqa: ARG005 Typer gives it by name


class PlainlySpoken(TyperGroup):
    """Replaces the technical words of Python and Pydantic in Typer's help and errors."""

    def get_params(self, ctx: Any) -> list[Any]:
        parameters = super().get_params(ctx)
        hide_types(parameters)
        return parameters

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command:
            hide_types(command.get_params(ctx))
            paragraphs = (command.help or "").split("\n\n")  # Typer joins lines of the first only
            command.help = "\n\n".join(" ".join(one.split()) for one in paragraphs)
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if mistakes := getattr(error.__cause__, "errors", None):
                from hype.study.mistakes import quote_value, reason_of

                mistake = mistakes()[0]
                error.message = f"{quote_value(mistake['input'])} {reason_of(mistake)}"
            raise


def program(arguments: Collection[str]) -> typer.Typer:
    """Make the program that can run ``arguments``.

    Only commands whose names are among the arguments are loaded, since some load too slowly for a
    help text.
    """
    app = typer.Typer(
        cls=PlainlySpoken,
        help="Measure how real generated images look to people: from study file to score table.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback(help=app.info.help)(whole_program)
    for name, summary in COMMANDS.items():
        if name in GROUPS:
            group = load(name) if name in arguments else typer.Typer(help=summary)
            app.add_typer(group, name=name, cls=PlainlySpoken)
        elif name in arguments:
            command = load(name)
            app.command(name)(add_store_option(command) if name in OF_RECORDS else command)
        else:
            app.command(name, help=summary)(do_nothing)
    return app


def print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"hype {version('hype')}")
        raise typer.Exit


def whole_program(
    _version: Annotated[
        bool,
        shell_option(
            "--version", "Show the version and exit.", is_eager=True, callback=print_version
        ),
    ] = False,
) -> None:
    """Declare the options before a command; after loading, switch garbage collection on again."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


COMPLETED: Final = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""A shell passes the words typed so far in these variables when it asks for completions."""


def main() -> None:
    """Run a command. An error that a person can correct becomes one message."""
    # Without this folder, Matplotlib would make one in the user's configuration.
    os.environ.setdefault("MPLCONFIGDIR", str(cache_folder() / "matplotlib"))
    guard_terminal()
    try:
        # Arguments are checked first, since Typer would print their control characters.
        for argument in filter(IN_ARGUMENTS.search, sys.argv[1:]):
            problem = f"{shorten(argument)} contains a control character"
            raise InputError("the command line", problem)
        completed = (os.environ.get(name, "").split() for name in COMPLETED)
        program([*sys.argv[1:], *chain.from_iterable(completed)])()
    except HypeError as error:
        end_with(error)
    except UnicodeEncodeError as error:  # a file name is not in UTF-8
        names = (word for word in sys.argv[1:] if re.search("[\ud800-\udfff]", word))
        near = next(names, error.object[max(0, error.start - 20) : error.end + 20])
        end_with(
            InputError(
                shorten(near), "contains a character that cannot be written", "names in UTF-8"
            )
        )
    except ModuleNotFoundError as error:
        missing = extra_missing(error)
        if missing is None:
            raise
        end_with(missing)


def end_with(error: HypeError) -> NoReturn:
    print(f"hype: {error}", file=sys.stderr)
    sys.exit(error.exit_code)
