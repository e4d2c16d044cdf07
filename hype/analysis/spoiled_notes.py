"""What a reader must know of trials that the screen spoiled, in plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from hype.analysis.spoiled import SpoiledTrials

_BLOCK = ["condition", "evaluator", "block"]
_NAMED = 5
"""How many blocks a sentence names before it only counts."""


def spoiled_notes(
    shown: pd.DataFrame, scored: pd.DataFrame, trials: SpoiledTrials | None
) -> tuple[str, ...]:
    """Say how many trials were spoiled, what became of them, and what that did to the rest.

    Parameters
    ----------
    shown
        All judgements of one protocol, as `check_judgements` returns them.
    scored
        Those of them that are scored.
    trials
        The verdicts of `shown`; None where nothing was measured: then no number is said.
    """
    return (
        *_how_many(shown, trials),
        *_shown_again(scored),
        *_missing(shown, scored),
    )


def _how_many(shown: pd.DataFrame, trials: SpoiledTrials | None) -> Iterator[str]:
    if trials is None:
        return
    measured = f"{trials.measured:,} measured exposures"
    others = len(shown) - trials.measured
    not_measured = f" {others:,} more were not measured." if others else ""
    if not trials.spoiled:
        yield f"All {measured} were as requested.{not_measured}"
        return
    was, it_is = ("was", "it is") if trials.spoiled == 1 else ("were", "they are")
    kinds = {"late": trials.late, "dropped": trials.dropped, "seen before": trials.seen}
    yield (
        f"{trials.spoiled:,} of {measured} {was} not as requested "
        f"({', '.join(f'{number:,} {kind}' for kind, number in kinds.items() if number)}); "
        f"{it_is} {'left out' if trials.left_out else 'scored'}.{not_measured}"
    )


def _shown_again(scored: pd.DataFrame) -> Iterator[str]:
    """Tell repetitions that stand in for their original from those that come on top of it."""
    if not {"repeats", "trial"} <= set(scored):
        return
    again = scored.loc[scored["repeats"].notna(), [*_BLOCK, "repeats"]]
    originals = scored[[*_BLOCK, "trial"]].rename(columns={"trial": "repeats"})
    twice = len(again.merge(originals))
    if twice:
        trials = "1 trial was" if twice == 1 else f"{twice:,} trials were"
        yield (
            f"{trials} shown again because the screen had spoiled the first showing, and both "
            "showings are scored: such an image counts twice."
        )
    instead = len(again) - twice
    if instead:
        yield f"Scored in place of spoiled trials: {instead:,} repeated at the end of their block."


def _missing(shown: pd.DataFrame, scored: pd.DataFrame) -> Iterator[str]:
    conditions = set(shown["condition"].unique()) - set(scored["condition"].unique())
    for condition in sorted(conditions):
        yield f"{condition} is missing: all its exposures are left out."
    blocks = sorted(
        f"block {block} of {evaluator} ({condition})"
        for condition, evaluator, block in _blocks(shown) - _blocks(scored)
        if condition not in conditions
    )
    if blocks:
        more = f" and {len(blocks) - _NAMED} more" if len(blocks) > _NAMED else ""
        yield (
            "All exposures of these blocks are left out, and the blocks are missing: "
            f"{', '.join(blocks[:_NAMED])}{more}."
        )


def _blocks(judgements: pd.DataFrame) -> set[tuple[str, str, str]]:
    return set(judgements[_BLOCK].drop_duplicates().itertuples(index=False, name=None))
