"""Names that file names can be made of: of a study, of evaluators, of images.

Data standards, and the file systems that data sets travel to, take few characters. What must be
changed for them stays unique, also where capitals do not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from pathlib import PurePosixPath


def label(text: str) -> str:
    """Keep the letters A to Z and a to z and the digits of a text, or give "x" if it has none."""
    return re.sub(r"[^A-Za-z0-9]", "", text) or "x"


def labels(texts: Iterable[str]) -> dict[str, str]:
    """Give each text a label of its own.

    A text that is its own label keeps it. Where two would have the same one, the later is numbered.
    """
    return unique(texts, label, lambda made, number: f"{made}x{number}")


def paths(names: Iterable[str]) -> dict[str, str]:
    """Give each path of an image one that every file system and every standard takes.

    Each character but letters, digits, ``.``, ``_`` and ``-`` becomes a ``-``, and none is the
    first of a path that a spreadsheet could take for a formula's.
    """
    return unique(names, plain_path, numbered_path)


def plain_path(path: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._/-]", "-", path)
    return plain if plain[0].isalnum() and not plain.startswith("stimuli/") else f"image{plain}"


def numbered_path(path: str, number: int) -> str:
    pure = PurePosixPath(path)
    return pure.with_name(f"{pure.stem}-{number}{pure.suffix}").as_posix()


def unique(
    texts: Iterable[str], made: Callable[[str], str], numbered: Callable[[str, int], str]
) -> dict[str, str]:
    """Make a name of each text, and number those that are taken already."""
    wanted = list(dict.fromkeys(texts))
    names: dict[str, str] = {}
    taken: set[str] = set()
    for text in sorted(wanted, key=lambda one: made(one) != one):
        name, number = made(text), 1
        while name.lower() in taken:
            number += 1
            name = numbered(made(text), number)
        taken.add(name.lower())
        names[text] = name
    return {text: names[text] for text in wanted}


def utc(unix_s: float | None) -> str:
    """Write a moment in UTC, to the millisecond; nothing if there is none, or no calendar has it.

    >>> utc(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    try:
        moment = datetime.fromtimestamp(unix_s or 0.0, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return ""
    written = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return "" if unix_s is None else written


def day(unix_s: float) -> str:
    return utc(unix_s)[:10]
