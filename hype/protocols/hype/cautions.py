"""What a reader must know in order to read the figures rightly, in plain sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hype.protocols.hype.reversals import LAST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from hype.protocols.hype.exclusion import SpoiledTrials
    from hype.protocols.hype.results import ConditionScore

FLOOR_SHARE = 0.5
"""A condition is said to bottom out (or to top out) from this share of its blocks on."""

UNSETTLED_SHARE = 0.1
"""It is said of blocks that had not settled from this share on: of the paper's rule a few have not,
whoever judges (see `hype.protocols.hype.reversals`)."""

_NAMED = 5
"""How many evaluators a sentence names before it only counts."""


def cautions(conditions: Sequence[ConditionScore]) -> tuple[str, ...]:
    """List what limits the scores of one protocol."""
    return (
        *_crossed(conditions),
        *_lone(conditions),
        *_one_sided(conditions),
        *_unequal(conditions),
        *_tied(conditions),
        *_beyond_reach(conditions),
        *_not_settled(conditions),
    )


def unnamed_images_note(judgements: pd.DataFrame) -> tuple[str, ...]:
    """Say what is missing where the judgements name no images."""
    if "image" in judgements and judgements["image"].ne("").any():
        return ()
    return (
        "The judgements name no images: there is nothing on single images, on agreement among "
        "evaluators, or on how scores would vary with other images.",
    )


def _crossed(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    served = Counter(e.evaluator for row in conditions for e in row.evaluator_scores)
    crossed = [evaluator for evaluator, times in sorted(served.items()) if times > 1]
    if crossed:
        yield (
            f"Under more than one condition: evaluator {_names(crossed)}. The analysis of variance "
            "and the pairwise tests assume that each evaluator serves one condition only."
        )


def _names(evaluators: Sequence[str]) -> str:
    more = len(evaluators) - _NAMED
    return ", ".join(evaluators[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _lone(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        if row.evaluators == 1:
            yield (
                f"{row.condition} has one evaluator: no standard deviation and no interval, since "
                "one person cannot show how people vary."
            )


def _one_sided(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        for kind, error in (("fake", row.fakes_error), ("real", row.reals_error)):
            if error is None:
                yield f"{row.condition} has no judgement of a {kind} image."


def _unequal(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        scored = {e.counts.judgements for e in row.evaluator_scores}
        given = {e.counts.judgements + e.left_out for e in row.evaluator_scores}
        # Where only the screen made the difference, the note on spoiled trials tells of it.
        if len(scored) > 1 and len(given) > 1:
            yield (
                f"Evaluators of {row.condition} gave between {min(given)} and {max(given)} "
                f"judgements each. {_weighing(row)}"
            )


def _weighing(row: ConditionScore) -> str:
    if row.staircases:
        return "All evaluators count alike, however many blocks they finished."
    return (
        "Its score counts every judgement alike, the analysis of variance and the pairwise "
        "tests every evaluator."
    )


def _tied(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    staircases = [row.staircases for row in conditions if row.staircases]
    tied = sum(s.tied_modes for s in staircases)
    if tied:
        blocks = sum(s.blocks for s in staircases)
        yield (
            f"In {tied} of {blocks} blocks the most frequent exposure was not unique; the mean of "
            "the tied exposures was taken."
        )


def _beyond_reach(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        stairs = row.staircases
        if stairs and (stairs.shortest_share or 0) >= FLOOR_SHARE:
            yield (
                f"{row.condition} bottomed out: in {stairs.shortest_share:.0%} of its blocks the "
                f"most frequent exposure was the shortest, {stairs.shortest_ms:g} ms. Its "
                "threshold may be shorter still, and its interval is too narrow."
            )
        if stairs and (stairs.longest_share or 0) >= FLOOR_SHARE:
            yield (
                f"{row.condition} topped out: in {stairs.longest_share:.0%} of its blocks the most "
                f"frequent exposure was the longest, {stairs.longest_ms:g} ms. Its threshold may "
                "be longer still, and its interval is too narrow."
            )


def _not_settled(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        found = row.unsettled
        if found and found.share >= UNSETTLED_SHARE:
            few, passing = found.few_reversals, found.mode_in_passing
            why = (
                f"{few} had fewer than {LAST} reversals" if few else "",
                f"{passing} never came back to that exposure on the way from the first one"
                if passing
                else "",
            )
            yield (
                f"{row.condition}: {few + passing} of {found.blocks} blocks ended before their "
                "staircase had settled, and their most frequent exposure says more of where blocks "
                f"begin than of the evaluator: {', and '.join(filter(None, why))}."
            )


_BLOCK = ["condition", "evaluator", "block"]
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
