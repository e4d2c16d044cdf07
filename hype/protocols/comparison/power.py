"""Whether a study had the comparisons to show the difference it shows.

A difference that is significant in too small a study is often chance, and nearly always too large
(Button et al. 2013, "Power failure", Nature Reviews Neuroscience 14). Such a verdict is never given
without a sentence that says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from hype.errors import InputError
from hype.planning.comparisons_needed import comparisons_needed, smallest_win_rate


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What was fixed before comparisons were collected.

    Parameters
    ----------
    win_rate
        The smallest win rate the study is to tell from one half; None where none was planned.
    alpha, power
        Of the test it was planned for.
    comparisons
        Comparisons wanted of each pair of conditions; None where none were planned.
    registration
        Hash under which study, stimuli and analysis were frozen (`hype register`); None without.

    Raises
    ------
    InputError
        A win rate that is not between one half and 1, an alpha or a power that is none, or fewer
        than one comparison.
    """

    win_rate: float | None = None
    alpha: float = 0.05
    power: float = 0.8
    comparisons: int | None = None
    registration: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        smallest_win_rate(1, alpha=self.alpha, power=self.power)
        if self.win_rate is not None and not 0.5 < self.win_rate < 1:
            allowed = "allowed is a number above 0.5 and below 1"
            raise InputError("planned win rate", f"{self.win_rate:g}", allowed)
        if self.comparisons is not None and self.comparisons < 1:
            raise InputError("planned comparisons", str(self.comparisons), "allowed is 1 or more")

    @property
    def needed(self) -> int | None:
        """Comparisons that a pair needs; None where the plan says nothing about it.

        A planned win rate decides: to have planned too few for it does not make them enough.
        """
        if self.win_rate is not None:
            return comparisons_needed(self.win_rate, alpha=self.alpha, power=self.power)
        return self.comparisons


def is_powered(decided: int, plan: Plan | None) -> bool | None:
    """Tell whether a pair has the comparisons that were planned.

    Parameters
    ----------
    decided
        Comparisons of the pair in which one of the two was chosen.
    plan
        None where nothing is known of one.

    Returns
    -------
    bool or None
        None where nothing was planned.
    """
    needed = plan.needed if plan else None
    return None if needed is None else decided >= needed


def caution(decided: int, win_rate: float, plan: Plan | None) -> str:
    """Say what belongs beside the verdict that two conditions differ; empty where nothing does.

    Parameters
    ----------
    decided
        Comparisons of the pair in which one of the two was chosen.
    win_rate
        The observed one of either, as a proportion.
    plan
        None where nothing is known of one.
    """
    wins = max(win_rate, 1 - win_rate)
    needed = plan.needed if plan else None
    if plan is None or needed is None:
        return (
            "Significant, but no number of comparisons was fixed beforehand: whether the study "
            f"was powered for this is not known. {_reach(decided, plan or Plan())}"
        )
    if decided < needed:
        return (
            f"Significant, but the study was not powered for it: {decided:,} of the {needed:,} "
            f"comparisons that {_aim(plan)}. {_reach(decided, plan)}"
        )
    if plan.win_rate is not None and wins < plan.win_rate:
        return (
            f"Significant, but smaller than the study was planned for: {wins:.1%} observed, "
            f"{plan.win_rate:.1%} planned."
        )
    return ""


def _aim(plan: Plan) -> str:
    if plan.win_rate is None:
        return "were planned"
    return f"a win rate of {plan.win_rate:.1%} needs for a power of {plan.power:.0%}"


def _reach(decided: int, plan: Plan) -> str:
    least = smallest_win_rate(max(decided, 1), alpha=plan.alpha, power=plan.power)
    return (
        f"With {decided:,} it finds win rates from {least:.1%} on with a power of {plan.power:.0%}."
    )
