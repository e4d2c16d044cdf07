"""The names of a table's columns: the needed ones are there, and none is misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.errors import InputError
from hype.tables.shortened import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

_MOST_SHOWN = 20

_LONGEST_SHOWN = 40


def refuse_doubtful(given: Sequence[str], known: Iterable[str], where: object) -> None:
    """Refuse columns that are there twice, or whose names are almost those of others.

    Parameters
    ----------
    given
        The names of a table's columns.
    known
        The names that are looked at.
    where
        What a message calls the table.
    """
    alike = {_core(name): name for name in reversed(given)}
    for name in known:
        if given.count(name) > 1:
            raise InputError(where, f"the column {name!r} appears twice", "each column once")
        if name not in given and (other := alike.get(_core(name))) is not None:
            problem = f"the column {_shown(other)} is not known"
            raise InputError(where, problem, f"did you mean {name!r}?")


def refuse_names(
    frame: pd.DataFrame, known: Iterable[str], needed: Iterable[str], where: object, *, said: str
) -> None:
    """Refuse a table that lacks a needed column, or in which the name of a known one is doubtful.

    Parameters
    ----------
    frame
        The table.
    known, needed
        The names that are looked at, and those of them that must be there.
    where, said
        What a message calls the table, and how it says which columns are needed.
    """
    given = [str(name) for name in frame.columns]
    refuse_doubtful(given, known, where)
    missing = next((name for name in needed if name not in given), None)
    if missing is not None:
        allowed = f"needed are {said}; found are {listed(given)}{renaming(missing)}"
        raise InputError(where, f"the column {missing!r} is missing", allowed)


def listed(given: Sequence[str]) -> str:
    """List the names of columns, not too many of them."""
    more = f" and {len(given) - _MOST_SHOWN} more" if len(given) > _MOST_SHOWN else ""
    return ", ".join(map(_shown, given[:_MOST_SHOWN])) + more


def renaming(name: str) -> str:
    return f"; --columns {name}=THEIRS says what the table calls it"


def _shown(name: str) -> str:
    return repr(shortened(name, _LONGEST_SHOWN))


def _core(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
