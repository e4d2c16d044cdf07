"""What planning asks of comparisons: votes on pairs, and their verdict, or that of an arena."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hype.protocols.comparison.conduct import ComparisonConduct
from hype.protocols.prompted.planning import elo_of, planned_strengths, told_by

if TYPE_CHECKING:
    import pandas as pd

    from hype.planning.planned import PlannedScore, Told
    from hype.protocols.comparison.scoring import PairwiseOptions
    from hype.protocols.comparison.settings import ComparisonStudy


def planned_comparisons(study: ComparisonStudy) -> PlannedScore:
    from hype.protocols.comparison.export import COMPARED
    from hype.protocols.comparison.rows import VOTE_COLUMNS
    from hype.protocols.comparison.scoring import options_of_study
    from hype.protocols.comparison.table import check_comparisons

    planned = planned_strengths(
        ComparisonConduct(study),
        title="Arena" if study.settings.comparison.arena else "Comparisons",
        outgoing=COMPARED,
        columns=VOTE_COLUMNS,
        check=check_comparisons,
        told=partial(votes_told, options=options_of_study(study, {}, None)),
    )
    return replace(planned, planned=elo_of(study.settings.analysis.win_rate))


def votes_told(frame: pd.DataFrame, baseline: str, rival: str, *, options: PairwiseOptions) -> Told:
    """Say what the tests say of two conditions; of an arena, what its rule says that looked."""
    from hype.protocols.comparison.scoring import scored_votes, strengths_of
    from hype.protocols.comparison.sequential import sequential

    rows = scored_votes(frame, options).rows
    told = told_by(strengths_of(rows, options).differences, baseline, rival)
    if options.rule is None:
        return told
    arena = sequential(rows, replace(options.rule, evaluators=frame["evaluator"].nunique()))
    claims = arena.claims if arena else ()
    return replace(told, separable=(baseline, rival) in claims or (rival, baseline) in claims)
