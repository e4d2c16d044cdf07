"""Invitation codes: those of a file, or as many as a study asks for, made by the server's key."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from hype.confine import inside, shortened
from hype.errors import InputError
from hype.files import read_bytes, write_table
from hype.protocols.studies import AnyStudy
from hype.study.web_settings import MOST_CODES

CODE: Final = re.compile(r"[A-Za-z0-9_-]{4,64}")
LARGEST_BYTES: Final = 8 << 20
MADE_LENGTH: Final = 12
"""Of a code that the server makes: 72 bits, so that nobody finds one by trying."""


def invitations(study: AnyStudy, name_of: Callable[[str, int], str]) -> tuple[str, ...]:
    """Give the codes of those who are invited, in order; none where nobody is.

    ``name_of`` makes a name that nobody else can make of a kind and a number.

    Raises InputError: the file of codes cannot be read, or holds something else.
    """
    codes = study.settings.web.codes
    if isinstance(codes, int):
        return tuple(name_of("invitation", n)[:MADE_LENGTH] for n in range(1, codes + 1))
    return codes_in(study, codes) if codes else ()


def write_links(path: Path, codes: Sequence[str], address: str) -> None:
    """Write a table of invitations, each with its link.

    ``address`` is where participants reach the server.

    Raises InputError: there are none, or the table cannot be written.
    """
    if not codes:
        raise InputError(
            "--invitations", "the study invites nobody", "[web] codes = 40, say, or a file of codes"
        )
    rows = ({"code": code, "link": f"{address.rstrip('/')}/join/{code}"} for code in codes)
    write_table(path, ("code", "link"), rows)


def codes_in(study: AnyStudy, file: str) -> tuple[str, ...]:
    """Read a file of codes, one on each line, empty lines aside.

    Raises InputError: it cannot be read, or a line is no code, or is there twice.
    """
    path = inside(study.folder, file)
    try:
        lines = read_bytes(path, most_bytes=LARGEST_BYTES).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"cannot be read as invitation codes: {error}") from None
    codes: list[str] = []
    lines_of: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        code = line.strip()
        if not code:
            continue
        where = f"{path} line {number}"
        if not CODE.fullmatch(code):
            problem = f"{shortened(code)} is no invitation code"
            raise InputError(where, problem, "4 to 64 letters, digits, '-' and '_'")
        if (folded := code.casefold()) in lines_of:  # as the key file compares names
            raise InputError(where, f"repeats the code of line {lines_of[folded]}")
        lines_of[folded] = number
        codes.append(code)
    if not 0 < len(codes) <= MOST_CODES:
        raise InputError(path, f"holds {len(codes):,} codes", f"1 to {MOST_CODES:,}")
    return tuple(codes)
