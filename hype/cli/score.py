"""`hype score`: the results in the terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from rich.console import Group
from rich.table import Table
from rich.text import Text

from hype.answers.choices import HYPE_PANEL, Choices, shell_option, take_options
from hype.cli.options import Json, Sources
from hype.console import err, out, print_json
from hype.errors import InputError
from hype.protocols.opening import guess_in, open_source, refuse_option, score_sources
from hype.protocols.registry import HYPE
from hype.report.groups import lay_out


def choose_columns(source: str, choices: Choices) -> Choices:
    """Guess the meaning of a table's columns; if the guess is certain, show it and use it."""
    guessed = guess_in(open_source(source, choices), choices)
    if guessed is None or not guessed.is_certain:
        return choices
    table = Table("In the table", "Read as", title="Guessed meaning of the table")
    for name, theirs in guessed.columns.items():
        table.add_row(Text(theirs), name)
    for name, given in guessed.options.items():
        said = given if isinstance(given, str) else ", ".join(given)
        table.add_row(Text(said), name.replace("_", " "))
    err.print(table)
    err.print(f"As a command: {guessed.command(source)}", markup=False, soft_wrap=True)
    return replace(choices, columns=guessed.columns, **guessed.options)


@take_options
def score(
    sources: Sources,
    notes: Annotated[bool, shell_option("--notes", "show all notes and further tables")] = False,
    as_json: Json = False,
    *,
    choices: Choices,
    image_table: Annotated[
        Path | None,
        shell_option(
            "--image-table CSV",
            "write how often each image was shown and called fake",
            HYPE_PANEL,
        ),
    ] = None,
) -> None:
    """Show which condition is more convincing, and how certain that is."""
    from hype.protocols.hype.score import write_images

    if out.is_terminal and not as_json and len(sources) == 1:
        choices = choose_columns(sources[0], choices)
    if image_table and len(sources) > 1:
        raise InputError("--image-table", "is only for one study or table", "leave it out")
    made = score_sources(sources, choices)
    if image_table:
        if made.protocol is not HYPE:
            raise refuse_option("--image-table", [HYPE], made.protocol, sources[0])
        write_images(made.answers, image_table)
    if as_json:
        print_json(made.to_object())
        return
    if version := made.version:
        out.print(f"Version {version} of the study", markup=False)
    parts = (
        made.protocol.scoring.laid_out(made.answers, made.scored, whole=notes),
        *(part for group in made.answers.grouped for part in lay_out(group)),
    )
    # Lines are wrapped at a terminal; a program gets one line per sentence.
    out.print(Group(*parts), soft_wrap=not out.is_terminal, crop=False)
