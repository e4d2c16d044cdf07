"""The names of a table's columns: the needed ones are there, and none is misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.analysis.tables.columns import COLUMNS
from hype.analysis.tables.shortened import shortened
from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_MOST_SHOWN = 20
_LONGEST_SHOWN = 40


def check_names(frame: pd.DataFrame, where: object) -> None:
    """Refuse a table that lacks a required column, or in which the name of one is doubtful.

    Parameters
    ----------
    frame
        The table.
    where
        What a message calls it.

    Raises
    ------
    InputError
        A required column is missing; a column of `COLUMNS` is there twice; or it is missing, and
        another has its name but for case, spaces and signs (``Exposure (ms)``), so that it would
        be passed over in silence.
    """
    given = [str(name) for name in frame.columns]
    alike = {_core(name): name for name in reversed(given)}
    for column in COLUMNS:
        if given.count(column.name) > 1:
            raise InputError(where, f"the column {column.name!r} appears twice", "each column once")
        if column.name not in given and (other := alike.get(_core(column.name))) is not None:
            problem = f"the column {_shown(other)} is not known"
            raise InputError(where, problem, f"did you mean {column.name!r}?")
    for column in COLUMNS:
        if column.required and column.name not in given:
            raise InputError(where, f"the column {column.name!r} is missing", _found(given))


def _found(given: list[str]) -> str:
    needed = ", ".join(column.name for column in COLUMNS if column.required)
    more = f" and {len(given) - _MOST_SHOWN} more" if len(given) > _MOST_SHOWN else ""
    found = ", ".join(map(_shown, given[:_MOST_SHOWN])) + more
    hint = "; cells are separated by commas, semicolons or tabs" if len(given) == 1 else ""
    return f"needed are {needed}; found are {found}{hint}"


def _shown(name: str) -> str:
    return repr(shortened(name, _LONGEST_SHOWN))


def _core(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
