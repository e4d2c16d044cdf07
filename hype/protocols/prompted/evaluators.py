"""Where anybody stands who is asked about images of prompts, whatever they are asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from hype.session.plan import Due


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedStanding:
    """Where one evaluator stands.

    Attributes
    ----------
    share
        Which part of what is asked they were given; 0 where nothing is shared out to them.
    trials
        Their answers that count.
    pay, base, bonus
        What is due as of now: both parts together, and each.
    came_unix_s, last_answered_unix_s
        When they were assigned, and when they were last asked what they answered.
    """

    evaluator: str
    methods: tuple[str, ...]
    status: str
    share: int
    trials: int
    pay: float
    base: float
    bonus: float
    came_unix_s: float
    last_answered_unix_s: float | None

    @property
    def condition(self) -> str:
        """Nothing: they are asked about all of them."""
        return ""


def of_anybody(who: Row[Any], due: Due, last_unix_s: float | None) -> dict[str, Any]:
    """Give what is known of a row of evaluators, whatever they are asked, but for `trials`."""
    return {
        "evaluator": who.evaluator,
        "methods": tuple(who.methods.split()),
        "status": who.status,
        "share": who.share or 0,
        "pay": due.pay,
        "base": due.base,
        "bonus": due.bonus,
        "came_unix_s": who.assigned_unix_s,
        "last_answered_unix_s": last_unix_s,
    }
