"""What the command line says that a table from elsewhere calls things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hype.cli.scoring import Choices
    from hype.tables.codebook import Codebook


def codebook_of(choices: Choices) -> Codebook:
    """Read what stands behind --columns, --real, --fake and --version.

    Raises
    ------
    InputError
        It says nothing, or two things.
    """
    from hype.tables.codebook import Codebook

    columns: dict[str, str] = {}
    for name, theirs in map(name_of_column, pieces(choices.columns or ())):
        if name in columns:
            raise InputError("--columns", f"{name!r} is given twice", "each column once")
        columns[name] = theirs
    return Codebook(
        columns=columns,
        real=tuple(choices.real or ()),
        fake=tuple(choices.fake or ()),
        version=choices.version,
    )


def pieces(given: Iterable[str]) -> Iterable[str]:
    return (piece for text in given for piece in text.split(","))


def name_of_column(text: str) -> tuple[str, str]:
    """Read one name of a column, here and in the table."""
    name, _, theirs = (part.strip() for part in text.partition("="))
    if not name or not theirs:
        allowed = "the name here and the name in the table, such as evaluator=participant"
        raise InputError("--columns", f"{text!r} is not understood", allowed)
    return name, theirs


def refuse_codebook(choices: Choices, source: object) -> None:
    """Refuse to be told what a table calls things where there is none.

    Raises
    ------
    InputError
        Names the option.
    """
    for name in ("columns", "real", "fake"):
        if getattr(choices, name):
            raise InputError(f"--{name}", f"is for a table, and {source} is a study")
