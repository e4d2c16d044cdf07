"""The program `hype`: its commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys

import typer

from hype.cli import check, demo, export, masks, new, run, score, simulate, status, stimuli, timing
from hype.errors import HypeError
from hype.files import cache_folder

app = typer.Typer(
    help="Measure how real generated images look to people: from study file to score table.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (
    demo.demo,
    new.new,
    check.check,
    timing.timing,
    run.run,
    simulate.simulate,
    status.status,
    score.score,
    score.report,
    export.export,
):
    app.command()(command)
app.add_typer(stimuli.app, name="stimuli")
app.add_typer(masks.app, name="masks")


def main() -> None:
    """Run a command. What a person can mend becomes one message; see design of exit codes."""
    # Matplotlib would make a folder in the user's configuration.
    os.environ.setdefault("MPLCONFIGDIR", str(cache_folder() / "matplotlib"))
    try:
        app()
    except HypeError as error:
        print(f"hype: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
