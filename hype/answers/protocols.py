"""Whose answers a study or a table holds, and which options are for answers of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.answers.choices import Choices
from hype.answers.sources import study_or_table
from hype.errors import InputError
from hype.protocols.protocol import StudyProtocol
from hype.protocols.registry import PROTOCOLS, of_table, protocol_of
from hype.tables.answer_files import header_of
from hype.tables.codebook import codebook_of, refuse_codebook

if TYPE_CHECKING:
    from hype.answers.sources import Opened


NEGATIONS: Final = {"keep_spoiled": "--leave-out-spoiled", "two_way": "--no-two-way"}
"""The options that say the opposite of a choice's name."""


def answers_in(source: Opened, choices: Choices) -> StudyProtocol:
    """Tell of which protocol the answers of a study or of a table are.

    Raises
    ------
    InputError
        There is no such study, or its file is wrong; it is told what a table calls things.
    """
    found = study_or_table(source)
    if isinstance(found, Path):
        return of_table(codebook_of(choices).names(header_of(found)))
    refuse_codebook(choices, found.path)
    return protocol_of(found)


def refuse_choices_of_others(protocol: StudyProtocol, choices: Choices, source: str) -> None:
    """Refuse an option that was given and has no meaning for this kind of answer.

    Raises
    ------
    InputError
        Names the first such option.
    """
    for choice in fields(Choices):
        value = getattr(choices, choice.name)
        owners = [one for one in PROTOCOLS if choice.name in one.own_choices]
        if owners and protocol not in owners and value != choice.default:
            raise for_others(option_of(choice.name, value), owners, protocol, source)


def for_others(
    option: str, owners: Sequence[StudyProtocol], protocol: StudyProtocol, source: str
) -> InputError:
    *others, last = (owner.answers for owner in owners)
    names = f"{', '.join(others)} and {last}" if others else last
    return InputError(option, f"is for {names}, and {source} holds {protocol.answers}")


def option_of(name: str, value: object) -> str:
    """Give the option by which a choice was made, as it is typed."""
    if value is False and name in NEGATIONS:
        return NEGATIONS[name]
    return f"--{name.replace('_', '-')}"
