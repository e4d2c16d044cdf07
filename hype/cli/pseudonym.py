"""`hype pseudonym`: a code for a person, from a key file that only the lab has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hype.cli.options import ask
from hype.console import err
from hype.keyfile import check_place, pseudonym_of


def pseudonym(
    key: Annotated[
        Path,
        typer.Option("--key", metavar="FILE", help="the key file, outside of any study"),
    ],
    person: Annotated[
        str | None,
        typer.Option(
            "--person",
            metavar="NAME",
            help="whose; without it you are asked, and no name stays in the shell's history",
        ),
    ] = None,
) -> None:
    """Print a person's pseudonym, as a key file outside of the study has it; draw one if need be.

    The file is made where it is not there yet, for its owner alone. The pseudonym tells nothing of
    the person, and is all that studies get to know:
    hype run STUDY --evaluator $(hype pseudonym --key FILE)
    """
    check_place(key)
    name = ask("Person:") if person is None else person
    entry = pseudonym_of(key, name)
    remark = "drawn now" if entry.new else f"has been in {key} since {entry.made_utc or 'before'}"
    err.print(f"{entry.pseudonym}: {remark}", markup=False, soft_wrap=True)
    print(entry.pseudonym)
