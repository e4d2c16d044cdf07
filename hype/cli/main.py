"""The program `hype`: its commands, and what becomes of errors."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from hype.confine import shortened
from hype.console import IN_ARGUMENTS, guard_terminal
from hype.errors import HypeError, InputError, extra_missing
from hype.files import cache_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command, or a group of them, that need not be loaded to be known."""

    # What it is called by. A command is the function of this name; a group is the module's `app`.
    name: str
    summary: str  # the first paragraph of its own help
    group: bool = False  # whether it has commands of its own

    def add_to(self, program: typer.Typer, *, whole: bool) -> None:
        """Make it known to a program: the ``whole`` of it, or its name and summary only."""
        if self.group:
            group = self.load() if whole else typer.Typer(help=self.summary)
            program.add_typer(group, name=self.name, cls=PlainlySpoken)
        else:
            add = program.command(self.name, help=None if whole else self.summary)
            add(self.load() if whole else not_loaded)

    def load(self) -> Any:
        module = import_module(f"hype.cli.{self.name}")
        return getattr(module, "app" if self.group else self.name)


def not_loaded() -> None:
    """Stand for a command that is not called."""


SUMMARIES: Final = {
    "demo": "Run a short study at a real window with simulated evaluators, then score a full one.",
    "new": "Begin a study. Given folders of images, it is ready to run: stimuli, masks and file.",
    "add": "Add a model to a study that runs: images made alike, masks, and places for evaluators.",
    "open": "Make, check, try, run and watch a study on a page in this machine's browser.",
    "check": "Find everything that could spoil a session, before anyone sits down.",
    "doctor": "Say what this machine can do, what is missing, and the command that mends it.",
    "timing": "Play exposures without a participant, and say how exact they were.",
    "serve": "Let participants take part with a browser; answers go into the study's record.",
    "run": "Run one session at this station; it resumes where the evaluator left off.",
    "simulate": "Let simulated evaluators go through a study, as fast as the machine goes.",
    "power": "Say how surely two conditions are told apart, and how many people that takes.",
    "register": "Freeze study, stimuli and planned analysis under a hash, before anybody comes.",
    "status": "Say who has done what, who is qualified, and what pay is due.",
    "verify": "Check every answer of a record against its plan, and say what is wrong.",
    "backup": "Copy the record into one sound file, also while sessions run.",
    "score": "Say which condition is more convincing, and how sure that is.",
    "metrics": "Compare each condition's images with the real ones by features; or metrics with "
    "scores.",
    "report": "Write one self-contained page with tables and figures.",
    "judge": "Ask a multimodal model what a study asks people, for a table that --judges takes.",
    "leaderboard": "Write a page of how models stand today, and add the day to its history.",
    "export": "Write the data for other tools: a table as CSV or Parquet, a BIDS or a Psych-DS "
    "dataset.",
    "forget": "Remove one person's data from a study on request; a note stays that somebody's "
    "were.",
    "reward": "Reward models: trained on people's choices, and what they may claim.",
    "stimuli": "Stimulus sets: folders of images with a manifest.",
    "masks": "Mask sets: what is shown after an image.",
}
GROUPS: Final = ("reward", "stimuli", "masks")
COMMANDS: Final = tuple(
    Command(name=name, summary=summary, group=name in GROUPS) for name, summary in SUMMARIES.items()
)


def without_types(parameters: Iterable[Any]) -> None:
    """Let a help text call arguments and flags by their names alone: Typer adds Python's types."""
    for parameter in parameters:
        if parameter.param_type_name == "argument" or parameter.is_flag:
            parameter.display_type_rich = lambda ctx: None  # noqa: ARG005 Typer gives it by name


class PlainlySpoken(TyperGroup):
    """Uses no words of Python's and Pydantic's, where Typer does: in help and of wrong options."""

    def get_params(self, ctx: Any) -> list[Any]:
        parameters = super().get_params(ctx)
        without_types(parameters)
        return parameters

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command:
            without_types(command.get_params(ctx))
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if mistakes := getattr(error.__cause__, "errors", None):
                from hype.study.mistakes import as_written, reason_of

                mistake = mistakes()[0]
                error.message = f"{as_written(mistake['input'])} {reason_of(mistake)}"
            raise


def program(arguments: Collection[str]) -> typer.Typer:
    """Make the program that can run ``arguments``.

    A command can only be called by its name: what is not among the arguments is not loaded, since
    some commands take longer to load than a person waits for a help text.
    """
    app = typer.Typer(
        cls=PlainlySpoken,
        help="Measure how real generated images look to people: from study file to score table.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback(help=app.info.help)(whole_program)
    for command in COMMANDS:
        command.add_to(app, whole=command.name in arguments)
    return app


def print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"hype {version('hype')}")
        raise typer.Exit


def whole_program(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            is_eager=True,
            callback=print_version,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Say what comes before a command."""


COMPLETED: Final = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""In which of these a shell says what has been typed, when it asks how that may go on."""


def words_typed() -> list[str]:
    asked = (os.environ.get(name, "").split() for name in COMPLETED)
    return [*sys.argv[1:], *chain.from_iterable(asked)]


def main() -> None:
    """Run a command. What a person can mend becomes one message; see design of exit codes."""
    # Matplotlib would make a folder in the user's configuration.
    os.environ.setdefault("MPLCONFIGDIR", str(cache_folder() / "matplotlib"))
    guard_terminal()
    try:
        check_arguments(sys.argv[1:])
        program(words_typed())()
    except HypeError as error:
        end_with(error)
    except UnicodeEncodeError as error:  # a file name whose bytes are not UTF-8
        names = (word for word in sys.argv[1:] if re.search("[\ud800-\udfff]", word))
        near = next(names, error.object[max(0, error.start - 20) : error.end + 20])
        end_with(
            InputError(
                shortened(near), "holds a character that cannot be written", "names in UTF-8"
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


def check_arguments(arguments: Sequence[str]) -> None:
    """Refuse control characters before Typer repeats them, past what guards the terminal.

    Raises InputError: an argument holds one.
    """
    for argument in filter(IN_ARGUMENTS.search, arguments):
        raise InputError("the command line", f"{shortened(argument)} holds a control character")
