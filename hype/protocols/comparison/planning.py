"""What `hype power` asks of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import pandas as pd

from hype.planning.planned import PairVerdict, PlannedScore, elo_of
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.export import COMPARED
from hype.protocols.comparison.rows import ROW
from hype.protocols.comparison.scoring import (
    PairwiseOptions,
    options_of_study,
    scored_votes,
    strengths_of,
)
from hype.protocols.comparison.sequential import sequential
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.prompted.scoring import planned_strengths
from hype.statistics.strength_table import Difference


def planned_comparisons(study: ComparisonStudy, _of: str | None = None) -> PlannedScore:
    options = options_of_study(study, {}, None)
    planned = planned_strengths(
        ComparisonCourse(study),
        partial(differences_of_votes, options=options),
        title="Arena" if study.settings.comparison.arena else "Comparisons",
        outgoing=COMPARED,
        columns=ROW.read,
        check=check_comparisons,
    )
    planned = replace(planned, planned=elo_of(study.settings.analysis.win_rate))
    if options.rule is None:
        return planned
    return replace(planned, pairs=partial(arena_pairs, planned.pairs, options))


def differences_of_votes(frame: pd.DataFrame, options: PairwiseOptions) -> Sequence[Difference]:
    return strengths_of(scored_votes(frame, options).rows, options).differences


def arena_pairs(
    by_strengths: Callable[[pd.DataFrame], Iterable[PairVerdict]],
    options: PairwiseOptions,
    frame: pd.DataFrame,
) -> Iterator[PairVerdict]:
    """Say how far conditions are apart, and what an arena's rule that looked says of them."""
    rule: Any = options.rule
    rows = scored_votes(frame, options).rows
    arena = sequential(rows, replace(rule, evaluators=frame["evaluator"].nunique()))
    claims = arena.claims if arena else ()
    for pair in by_strengths(frame):
        claimed = (pair.a, pair.b) in claims or (pair.b, pair.a) in claims
        yield pair._replace(separable=claimed)


PLANNED: Final = planned_comparisons
