"""The notes on scores: what a reader must know to read them rightly.

Here are the facts; ``notes.txt`` puts them into words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hype.errors import few
from hype.protocols.hype.block_scores import LAST, UNSURE
from hype.protocols.hype.condition_scores import JudgementRows
from hype.protocols.hype.exclusion import SpoiledTrials
from hype.protocols.hype.inference import Inference
from hype.protocols.hype.results import Careless, ConditionScore, End, Selection, unit_of
from hype.report.notes import notes_of
from hype.tables.reasons import Note

UNSETTLED_SHARE: Final = 0.1
"""Blocks that had not settled are worth a note from this share on: under the paper's rule a few
never settle (see `hype.protocols.hype.block_scores`)."""
MANY: Final = 0.5
"""Beyond this share of evaluators turned away, those who are scored are the exception."""
UNLIKE: Final = 1.5
"""Times as many judgements of one evaluator as of another that are worth a note."""
_BLOCK: Final = ["condition", "evaluator", "block"]


def notes_on(
    kept: JudgementRows,
    rows: Sequence[ConditionScore],
    inference: Inference,
    *,
    trials: SpoiledTrials | None,
    careless: Careless | None,
    selections: Sequence[Selection],
    **facts: object,
) -> tuple[Note, ...]:
    """Write the notes on one protocol.

    ``kept``: its judgements by evaluators who count. ``trials``: how flashes were timed; None where
    nothing was measured. ``facts``: what the template needs besides, as it is.
    """
    unit = unit_of(kept.protocol)
    tied = [row.staircases for row in rows if row.staircases and row.staircases.tied_modes]
    return notes_of(
        Path(__file__).parent,
        rows=rows,
        falling=list(_falling(rows)),
        careless=careless,
        mark=unit if unit == "%" else f" {unit}",
        away=sum(each.turned_away for each in selections),
        came=sum(each.came for each in selections),
        mostly_away=[each for each in selections if each.turned_away > MANY * each.came],
        few_images=inference.answers.few_images,
        unnamed="image" not in kept.scored or not kept.scored["image"].ne("").any(),
        at_ends=list(_at_ends(rows)),
        unsettled=[r for r in rows if r.unsettled and r.unsettled.share >= UNSETTLED_SHARE],
        last_reversals=LAST,
        unsure=[
            row
            for row in rows
            if row.posteriors and row.posteriors.unsure >= UNSETTLED_SHARE * row.posteriors.blocks
        ],
        sure=UNSURE,
        **_spoiled(kept, trials),
        crossed=_crossed(rows),
        unequal=list(_unequal(rows)),
        tied=sum(each.tied_modes for each in tied),
        blocks=sum(row.staircases.blocks for row in rows if row.staircases),
        unlike_mixes=not inference.same_mix,
        **facts,
    )


def _falling(rows: Sequence[ConditionScore]) -> Iterator[Mapping[str, Any]]:
    for row in rows:
        found = row.settle_point or row.thresholds
        if found and found.falling:
            yield {
                "condition": row.condition,
                "falling": found.falling,
                "evaluators": row.evaluators,
            }


def _at_ends(rows: Sequence[ConditionScore]) -> Iterator[Mapping[str, Any]]:
    """Give the ends of the exposures at which conditions sit."""
    ends: tuple[tuple[End, str, str], ...] = (
        ("shortest", "shorter", "longer"),
        ("longest", "longer", "shorter"),
    )
    for end, outwards, inwards in ends:
        there = [row for row in rows if row.sits_at(end)]
        if there:
            yield {
                "name": end,
                "outwards": outwards,
                "inwards": inwards,
                "has_interval": any(row.interval for row in there),
                "rows": [
                    {
                        "condition": row.condition,
                        "share": row.share_at(end),
                        "at_ms": getattr(row.staircases, f"{end}_ms"),
                        "is_estimate": row.posteriors is not None,
                    }
                    for row in there
                ],
            }


def _spoiled(kept: JudgementRows, trials: SpoiledTrials | None) -> Mapping[str, Any]:
    """Give what the screen spoiled, what became of that, and what it did to the rest."""
    shown, scored = kept.shown, kept.scored
    kinds = (
        {"late": trials.late, "dropped": trials.dropped, "seen before": trials.seen}
        if trials
        else {}
    )
    again = twice = 0
    if {"repeats", "trial"} <= set(scored):
        repeats = scored.loc[scored["repeats"].notna(), [*_BLOCK, "repeats"]]
        originals = scored[[*_BLOCK, "trial"]].rename(columns={"trial": "repeats"})
        again, twice = len(repeats), len(repeats.merge(originals))
    lost = sorted(set(shown["condition"].unique()) - set(scored["condition"].unique()))
    every, left = (
        set(frame[_BLOCK].drop_duplicates().itertuples(index=False, name=None))
        for frame in (shown, scored)
    )
    return {
        "trials": trials,
        "spoiled_kinds": [(kind, number) for kind, number in kinds.items() if number],
        "unmeasured": len(shown) - trials.measured if trials else 0,
        "shown_twice": twice,
        "shown_instead": again - twice,
        "lost_conditions": lost,
        "lost_blocks": sorted(
            f"block {block} of {evaluator} ({condition})"
            for condition, evaluator, block in every - left
            if condition not in lost
        ),
    }


def _crossed(rows: Sequence[ConditionScore]) -> str:
    """Name the evaluators of several conditions, where not everybody served all of them."""
    served = Counter(e.evaluator for row in rows for e in row.evaluator_scores)
    crossed = [evaluator for evaluator, times in sorted(served.items()) if times > 1]
    if not crossed or min(served.values()) == len(rows):
        return ""
    return "all evaluators" if len(crossed) == len(served) else few(crossed)


def _unequal(rows: Sequence[ConditionScore]) -> Iterator[tuple[ConditionScore, int, int]]:
    """Give conditions with unlike numbers of judgements, and the fewest and the most of them."""
    for row in rows:
        scored = [e.counts.judgements for e in row.evaluator_scores]
        given = [e.counts.judgements + e.left_out for e in row.evaluator_scores]
        # Where only the screen made the difference, the note on spoiled trials tells of it.
        if all(max(number) >= UNLIKE * min(number) for number in (scored, given)):
            yield row, min(given), max(given)
