"""Under which codes those who come with a browser are known to sessions and records."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.keyfile import check_place, person_of, pseudonym_of
from hype.study.web_settings import PLATFORMS, WebSettings
from hype.web.arrivals import ASSIGNMENT, SUBMIT_TO, Arrival

PREFIX: Final = "web-"
"""Of codes that no key file has."""
DIGITS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonyms:
    """Knows people again: by the key file, or those who were invited by the server's own key.

    ``key`` is the key file, None where there is none; ``name_of`` makes a name that nobody else can
    make of a kind and a text.
    """

    key: Path | None
    name_of: Callable[[str, str], str]

    def code_of(self, came: Arrival) -> str:
        """Give somebody's code, the same as ever if they came before.

        Raises InputError: the key file is none, or cannot be written.
        """
        if not came.person:
            return PREFIX + secrets.token_hex(DIGITS // 2)
        if self.key:
            return pseudonym_of(self.key, came.person, came.facts).pseudonym
        return PREFIX + self.name_of("evaluator", came.person)[:DIGITS]

    def arrival_of(self, code: str) -> Arrival:
        """Give how somebody came, as far as that has to be known in the end."""
        row = person_of(self.key, code) if self.key else None
        if row is None:
            return Arrival()
        facts = {name: row[name] for name in (ASSIGNMENT, SUBMIT_TO) if row.get(name)}
        return Arrival(person=row["person"], facts=facts)


def check_key_given(web: WebSettings, key: Path | None) -> None:
    """Refuse a platform without a key file: nobody would be known again, and nobody be paid.

    Raises InputError: there is none, or it lies in a folder that is handed on.
    """
    if key:
        check_place(key)
    elif web.platform:
        raise InputError(
            "--key",
            f"is missing: people come from {PLATFORMS[web.platform]}, whose names for them belong "
            "into a key file outside of the study",
            "for example --key ~/keys/study.csv, which is made where it is not there",
        )
