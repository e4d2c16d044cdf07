"""The words that a participant reads: what the texts of every protocol have in common."""

from __future__ import annotations

import string
from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import ClassVar, Final

from pydantic import ConfigDict, ValidationInfo, field_validator

from hype.study.table import KeepsChecksums

PROGRESS: Final = frozenset(("block", "blocks", "done", "trials"))
PAY: Final = frozenset(("pay", "currency"))
RESUMED: Final = "Welcome back\n\nNothing was lost. You go on where you stopped."

CONSENT: Final = (
    "Before we begin\n\n"
    "Taking part is voluntary. You may stop at any time, without giving a reason. Your "
    "answers are kept under a code and not under your name.\n\n"
    "Do you agree to take part?"
)

DECLINED: Final = "Thank you\n\nYou chose not to take part, and no images were shown."

REST: Final = (
    "Time for a break\n\n"
    "You have done {done} of {blocks} parts. Look away from the screen, stretch, and go on "
    "when you are ready."
)

PAUSED: Final = (
    "Paused\n\n"
    "Everything up to here is saved. Go on when you are ready, or stop here and continue "
    "another time."
)

TROUBLE: Final = (
    "The station has to stop\n\n"
    "It is nothing you did. Your answers are saved, all but perhaps the last one.\n\n"
    "Please tell the experimenter."
)
"""Texts that studies of every protocol begin with."""


class Words(KeepsChecksums):
    """The words of a protocol. A name in braces is filled in, where it is known.

    ``everywhere`` are the names that may stand in every text, ``in_text`` those of single ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    everywhere: ClassVar[Set[str]] = frozenset()
    in_text: ClassVar[Mapping[str, Set[str]]] = MappingProxyType({})

    @field_validator("*")
    @classmethod
    def placeholders_are_known(cls, text: str, info: ValidationInfo) -> str:
        """Refuse a brace that nothing would fill: it would stop a session half way."""
        known = cls.everywhere | cls.in_text.get(info.field_name or "", set())
        try:
            parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
        except ValueError as error:
            raise ValueError(f"braces do not match ({error})") from None
        if any(spec or conversion for _, _, spec, conversion in parts):
            raise ValueError("only a name may stand in braces, without ':' or '!'")
        fields = {field for _, field, _, _ in parts if field is not None}
        if unknown := sorted(fields - known):
            names = ", ".join(f"{{{field}}}" for field in sorted(known))
            raise ValueError(f"{{{unknown[0]}}} is not known here; known are {names}")
        return text
