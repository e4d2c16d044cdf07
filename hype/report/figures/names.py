"""Names of conditions, made to fit; values with their unit."""

from __future__ import annotations

import unicodedata

from hype.report import wording

_WIDE = ("W", "F")


def letters_in(name: str) -> int:
    """Count the letters in the width of a name; those of Chinese, Japanese and Korean are two."""
    return sum(2 if unicodedata.east_asian_width(sign) in _WIDE else 1 for sign in name)


def fitted(name: str, most: int) -> str:
    """Give a name of at most so many letters: names of models differ at either end.

    Parameters
    ----------
    name
        The whole name.
    most
        As `letters_in` counts, 2 or more.
    """
    if letters_in(name) <= most:
        return name
    head, tail = list(name[: most // 2]), list(name[-(most // 2) :])
    while letters_in("".join(head + tail)) >= most:
        (head if len(head) > len(tail) else tail).pop(-1 if len(head) > len(tail) else 0)
    return f"{''.join(head).rstrip()}…{''.join(tail).lstrip()}"


def measured(value: float, unit: str) -> str:
    """Write a value with its unit, "%" or another."""
    return f"{wording.number(value)}{'' if unit == '%' else ' '}{unit}"
