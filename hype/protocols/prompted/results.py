"""What the results of comparisons, of ratings and of rankings have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from hype.statistics.estimate import members_of, plain_members

if TYPE_CHECKING:
    from hype.statistics.estimate import JsonValue
    from hype.tables.answers import Unanswered


@dataclass(frozen=True, kw_only=True)
class ProtocolScore:
    """All that is known about a study of one protocol.

    ``missing_answers``: rows of a table that have no answer, by evaluator; none of what was checked
    elsewhere.
    """

    protocol: ClassVar[str]

    missing_answers: tuple[Unanswered, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        """Return the object that ``hype score --json`` prints; numbers that are none are null."""
        return {"protocol": self.protocol, **plain_members(dict(members_of(self)))}


FEW: Final = 10
"""Evaluators below this number hardly show how evaluators vary."""
