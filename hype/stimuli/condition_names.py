"""What a condition may be called, and how the folder of its images is called.

Any printable text is a name, so a folder's name escapes what no system takes, as addresses do:
``a/b`` lies in ``a%2Fb``.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from hype.errors import InputError
from hype.files import as_name
from hype.system import NEVER_IN_NAMES, is_name_everywhere

LONGEST: Final = 64
ALLOWED: Final = f"1 to {LONGEST} printable characters, and not the word real"
ESCAPED: Final = re.compile(f"[{re.escape(''.join(sorted(NEVER_IN_NAMES | set('%/'))))}]")


def check_condition_name(where: object, name: str) -> None:
    """Refuse a name that no condition can have.

    Raises InputError.
    """
    is_plain = name.isprintable() and name == as_name(name) and 1 <= len(name) <= LONGEST
    if not is_plain or name.casefold() == "real":
        raise InputError(where, f"{name[: 2 * LONGEST]!r} cannot name a condition", ALLOWED)


def folder_name(condition: str) -> str:
    """Give the folder of a condition's images."""
    name = ESCAPED.sub(lambda match: f"%{ord(match[0]):02X}", condition)
    if name.endswith((".", " ")):
        name = f"{name[:-1]}%{ord(name[-1]):02X}"
    if name.startswith(".") or not is_name_everywhere(name):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    return name


def condition_in(folder: str) -> str:
    """Give the condition whose images a folder holds."""
    return unquote(folder)
