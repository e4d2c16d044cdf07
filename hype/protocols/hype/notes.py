"""The notes on a score: warnings for the reader, made from its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hype.errors import few
from hype.protocols.hype.block_scores import LAST, UNSURE, End, is_at_end
from hype.protocols.hype.condition_scores import JudgementRows
from hype.protocols.hype.inference import Inference
from hype.report.methods import notes_of
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows
from hype.tables.reasons import Note

UNSETTLED_SHARE: Final = 0.1
"""A condition gets a note if at least this share of its blocks did not settle. Under the paper's
rule a few blocks never settle (see `hype.protocols.hype.block_scores`).
"""
MANY: Final = 0.5
"""If more than this share of evaluators was turned away, a note is written."""
UNLIKE: Final = 1.5
"""A note is written if one evaluator made at least this many times another's judgements."""
_BLOCK: Final = ["condition", "evaluator", "block"]


def notes_on(
    score: Scores, kept: JudgementRows, inferred: Inference, *, selected: Rows, **facts: object
) -> tuple[Note, ...]:
    """Write the notes on one protocol.

    ``kept``: the protocol's judgements by evaluators who finished and are not left out.
    ``selected``: from `compare_selected`. ``facts``: other values that notes use.
    """
    rows, staircases, posteriors = map(score.rows, ("conditions", "staircases", "quest-plus"))
    stairs = staircases or posteriors
    found = {row["condition"]: row for row in (*score.rows("thresholds"), *staircases) if row["at"]}
    thresholds = ((row, found.get(row["condition"])) for row in rows)
    return notes_of(
        Path(__file__).parent,
        rows=rows,
        falling=[row | {"falling": n} for row, own in thresholds if own and (n := own["falling"])],
        careless=score.facts["careless"],
        mark=" ms" if kept.timed else "%",
        away=sum(each["turned_away"] for each in selected),
        came=sum(each["came"] for each in selected),
        mostly_away=[r for r in selected if r["turned_away"] > MANY * r["came"]],
        few_images=inferred.answers.few_images,
        unnamed="image" not in kept.scored or not kept.scored["image"].ne("").any(),
        at_ends=list(_find_ends(score)),
        unsettled=[
            row
            for row in staircases
            if (row["few_reversals"] or 0) + (row["mode_in_passing"] or 0)
            >= UNSETTLED_SHARE * row["blocks"]
        ],
        unordered=any(row["blocks_without_reversals"] is None for row in staircases),
        last_reversals=LAST,
        unsure=[r for r in posteriors if r["unsure"] >= UNSETTLED_SHARE * r["blocks"]],
        sure=UNSURE,
        **_count_spoiled(kept, score.facts["spoiled_trials"]),
        crossed=_name_crossed(score),
        timed=kept.timed,
        unequal=list(_find_unequal(kept, score.names)),
        tied=sum(row["tied_modes"] for row in stairs),
        blocks=sum(row["blocks"] for row in stairs),
        unlike_mixes=not inferred.same_mix,
        **facts,
    )


def _find_ends(score: Scores) -> Iterator[Mapping[str, Any]]:
    """Yield the conditions with many blocks at the shortest, then at the longest exposure."""
    intervals = {row["condition"]: row["interval"] for row in score.rows("conditions")}
    posteriors = score.rows("quest-plus")
    ends: tuple[tuple[End, str, str, str], ...] = (
        ("floor", "shortest", "shorter", "longer"),
        ("ceiling", "longest", "longer", "shorter"),
    )
    for end, name, outwards, inwards in ends:
        there = [r for r in posteriors or score.rows("staircases") if is_at_end(end, r)]
        if there:
            yield {
                "name": name,
                "outwards": outwards,
                "inwards": inwards,
                "has_interval": any(intervals[row["condition"]] for row in there),
                "rows": [
                    {
                        "condition": row["condition"],
                        "share": row[f"{end}_share"],
                        "at_ms": row[f"{end}_ms"],
                        "is_estimate": bool(posteriors),
                    }
                    for row in there
                ],
            }


def _count_spoiled(kept: JudgementRows, trials: Row | None) -> Mapping[str, Any]:
    """Count the trials that the screen spoiled, and what is lost when they are left out."""
    shown, scored = kept.shown, kept.scored
    kinds = (("late", "late"), ("dropped", "dropped"), ("seen before", "seen"))
    counts = [(words, trials[kind]) for words, kind in kinds] if trials else []
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
        "spoiled_kinds": [(words, number) for words, number in counts if number],
        "unmeasured": len(shown) - trials["measured"] if trials else 0,
        "shown_twice": twice,
        "shown_instead": again - twice,
        "lost_conditions": lost,
        "lost_blocks": sorted(
            f"block {block} of {evaluator} ({condition})"
            for condition, evaluator, block in every - left
            if condition not in lost
        ),
    }


def _name_crossed(score: Scores) -> str:
    """Name the evaluators who judged several conditions; empty if everyone judged all."""
    served = Counter(row["evaluator"] for row in score.rows("evaluators"))
    crossed = [evaluator for evaluator, times in sorted(served.items()) if times > 1]
    if not crossed or min(served.values()) == len(score.names):
        return ""
    return "all evaluators" if len(crossed) == len(served) else few(crossed)


def _find_unequal(kept: JudgementRows, names: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """For conditions with very unequal evaluators, yield their fewest and most judgements."""
    every = kept.evaluators
    for name in names:
        own = every[every["condition"].eq(name)]
        scored, given = own["judgements"], own["judgements"] + own["left_out"]
        # If numbers differ only because of spoiled trials, another note explains it.
        if all(number.max() >= UNLIKE * number.min() for number in (scored, given)):
            yield name, int(given.min()), int(given.max())
