"""The key facts at the head of the page, where nothing more than the judgements is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from hype.analysis import Score

Fact = tuple[str, str]


def key_facts(scores: Sequence[Score], judgements: pd.DataFrame) -> tuple[Fact, ...]:
    """Count what was scored.

    Parameters
    ----------
    scores
        All protocols of a report.
    judgements
        Those of evaluators who finished, as `check_judgements` returns them.
    """
    scored = judgements[judgements["task"].isin([score.protocol for score in scores])]
    simulated = any(score.simulated for score in scores)
    conditions = {row.condition for score in scores for row in score.conditions}
    return (
        ("Protocols", ", ".join(wording.protocol_name(score) for score in scores)),
        ("Conditions", f"{len(conditions):,}"),
        ("Simulated evaluators" if simulated else "Evaluators", _distinct(scored["evaluator"])),
        ("Judgements", f"{sum(r.judgements for s in scores for r in s.conditions):,}"),
    )


def _distinct(labels: pd.Series) -> str:
    return f"{labels.nunique():,}"
