"""Frozen values as what JSON knows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from hype.statistics.estimate import NAMES, PARTS

if TYPE_CHECKING:
    from collections.abc import Iterator

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

_LEAVES: Final = frozenset((bool, int, float, str))


@runtime_checkable
class HasJson(Protocol):
    """What says itself how it is to be written."""

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        ...


def plain(value: object) -> JsonValue:
    """Turn a value, or tuples, lists and mappings of values, into what JSON knows.

    NaN and infinity, which JSON does not know, become None.

    Raises
    ------
    TypeError
        There is something in it that has no counterpart.
    """
    if value is None or type(value) in _LEAVES:  # most are, and the tests below take long
        return _leaf(value)
    if isinstance(value, HasJson):
        return value.to_json()
    if is_dataclass(value) and not isinstance(value, type):
        value = dict(members_of(value))
    if isinstance(value, Mapping):
        return plain_members(value)
    if isinstance(value, tuple | list):
        return [plain(member) for member in value]
    return _leaf(value.value if isinstance(value, Enum) else value)


def members_of(value: object) -> Iterator[tuple[str, object]]:
    """Give the members of a frozen value by their names in JSON; a declared estimate has three."""
    for field in fields(value):  # type: ignore[arg-type]
        member, names = getattr(value, field.name), field.metadata.get(NAMES)
        if names is None:
            yield field.name, member
        else:
            yield from (
                (name, getattr(member, part, None))
                for name, part in zip(names, PARTS, strict=False)
                if name
            )


def _leaf(value: object) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} is no plain value")


def plain_members(members: Mapping[str, object]) -> dict[str, JsonValue]:
    return {str(key): plain(member) for key, member in members.items()}
