"""What differences between evaluators mean for a win rate, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hype.analysis.pairwise.camps_found import PairCamps, Verdict

_MOST_NAMED: Final = 5
_SEEN: Final = 0.5
"""Standard deviation of log-odds: with a win rate of 60 %, from 36 % to 80 % for 95 % of people."""


def said_of_pair(pair: PairCamps) -> str:
    """Say how evaluators differ on one pair."""
    share = f"{pair.win_rate:.0%} of {pair.comparisons:,} choices are for {pair.a} over {pair.b}"
    return {
        "shared": _shared,
        "differ": _differ,
        "camps": _camps,
        "too-few": _too_few,
    }[pair.verdict](pair, share)


def _shared(pair: PairCamps, share: str) -> str:
    if pair.win_rate == 1:
        return f"All {pair.comparisons:,} choices are for {pair.a} over {pair.b}."
    differ = (
        f"{share}, and the {pair.evaluators:,} evaluators differ no more than chance makes them"
    )
    if pair.sd_high is None or pair.sd_high > _SEEN:
        return (
            f"{differ}{_p(pair.p)}; they have too few comparisons each to rule out smaller "
            "differences than camps."
        )
    about = f"about {pair.win_rate:.0%} of the time"
    return f"{differ}{_p(pair.p)}: each of them prefers {pair.a} {about}."


def _differ(pair: PairCamps, share: str) -> str:
    return (
        f"{share}, but the {pair.evaluators:,} evaluators differ more than chance makes them"
        f"{_p(pair.p)}: {pair.for_a} clearly prefer {pair.a}, {pair.for_b} clearly {pair.b}; the "
        f"win rate is an average over unlike preferences."
    )


def _camps(pair: PairCamps, share: str) -> str:
    others = pair.evaluators - pair.always_a - pair.always_b
    describes = "describes none of them" if not others else f"describes {others} of them at most"
    return (
        f"{share}, but evaluators form camps{_p(pair.p)}: {pair.always_a} of {pair.evaluators:,} "
        f"nearly always chose {pair.a}, {pair.always_b} nearly always {pair.b}; a win rate of "
        f"{pair.win_rate:.0%} {describes}."
    )


def _too_few(pair: PairCamps, share: str) -> str:
    return (
        f"{share}: too few comparisons per evaluator to tell whether evaluators agree "
        f"({pair.comparisons:,} by {pair.evaluators})."
    )


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return " (p < 0.001)" if p < 0.001 else f" (p = {p:.3f})"


def said_of_all(
    verdict: Verdict, p: float | None, pairs: tuple[PairCamps, ...], *, tested: int
) -> str:
    """Say how evaluators differ over all pairs."""
    if tested == 1:
        return pairs[0].said
    if verdict == "too-few":
        return "Too few comparisons per evaluator and pair to tell whether evaluators agree."
    if verdict == "shared":
        return (
            f"In none of {tested} pairs do evaluators differ more than chance makes them"
            f"{_p(p)}: as far as can be told, win rates describe everybody."
        )
    named = [
        f"{word} in {_listed(found)}"
        for word, kind in (("form camps", "camps"), ("differ more than chance", "differ"))
        if (found := [pair for pair in pairs if pair.verdict == kind])
    ]
    if not named:
        return (
            f"Over all {tested} pairs together evaluators differ more than chance makes "
            f"them{_p(p)}, though no single pair shows it: win rates are averages over unlike "
            "preferences."
        )
    return f"Evaluators {', and '.join(named)}: win rates there do not describe everybody."


def _listed(pairs: list[PairCamps]) -> str:
    named = [f"{pair.a}/{pair.b}" for pair in pairs[:_MOST_NAMED]]
    more = [f"{len(pairs) - _MOST_NAMED} more"] if len(pairs) > _MOST_NAMED else []
    return ", ".join([*named, *more])
