"""Rankings, read and scored: from a study or a table to everything that is known from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from hype.answers.choices import Choices
from hype.answers.groups import GroupMeasure
from hype.answers.sources import LoadedAnswers, Reader
from hype.judges.choices import judge_rankings
from hype.judges.results import JudgeOptions
from hype.leaderboard import Board
from hype.planning.planned import PlannedScore
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import score_object
from hype.protocols.prompted.scoring import (
    AnalysisOptions,
    alike_by_prompts,
    given_judges,
    measure_strengths,
    number_of,
    overrule,
    people_by_condition,
    planned_strengths,
    ranked_pairs,
    require_some,
    scope_of,
    with_open_ranks,
)
from hype.protocols.ranking.agreement import (
    ranking_agreement,
)
from hype.protocols.ranking.course import RankingCourse
from hype.protocols.ranking.export import (
    RANKED,
    left_out_rankings,
    questions_of,
    ranking_reasons,
    screening,
)
from hype.protocols.ranking.orders import (
    Expanded,
    Sampled,
    choice_sets,
    expanded,
    image_places,
    place_ends,
    placements,
    sampled,
)
from hype.protocols.ranking.results import (
    RankedCondition,
    RankingScore,
)
from hype.protocols.ranking.rows import ROW, SCORED_TASK
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.table import TABLE, check_rankings
from hype.protocols.ranking.tables import every_table, facts, ranking_table
from hype.report.methods import notes_of
from hype.report.tabular import Row, Rows
from hype.statistics.arrays import IntArray
from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.cells import CellEstimates, cells_of_choices
from hype.statistics.paired_counts import Counts, Orders, WinRate, orders, pair_rates, win_rates
from hype.statistics.strength_table import (
    Certainty,
    Difference,
    StrengthTable,
    crossed_strengths,
    fit_of,
    ranked,
    strength_table,
    without_strengths,
)
from hype.statistics.strengths import (
    Ties,
    fit_plackett_luce,
    scores_of_rankings,
    shares_of_rankings,
)
from hype.tables.cells import codes_of, only_used
from hype.tables.reasons import SCORED, WITHDRAWN, LeftOut

Rankings = LoadedAnswers[RankingStudy]


@dataclass(frozen=True, kw_only=True)
class RankingOptions(AnalysisOptions):
    """The choices. In Plackett and Luce's strengths ties always count by Breslow's rule.

    ``min_recall``: the lowest recall@2 against checkers with which an evaluator is scored, fixed
    before; None for no such rule. ``check_share``: the share of everybody's work that checkers are
    to rank too.
    """

    min_recall: float | None = None
    check_share: float = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredRankings:
    """A table of rankings, and its scored part.

    ``every``: all rows, as `check_rankings` returns them. ``rows``: those that are scored, over the
    conditions that they have. ``screening``: of everybody except withdrawn people.
    """

    every: pd.DataFrame
    rows: pd.DataFrame
    screening: Row | None
    exclusions: tuple[LeftOut, ...]


def scored_rankings(
    rankings: pd.DataFrame, options: RankingOptions | None = None
) -> ScoredRankings:
    """Choose the rankings that are scored, by the rule of `hype.protocols.ranking.export`.

    ``rankings``: as `check_rankings` returns them. The order of the rows matters where a person
    ranked a group several times: for agreement the last ranking counts.

    Raises InputError: no ranking is left to score.
    """
    chosen = options or RankingOptions()
    withdrawn = ranking_reasons(rankings).isin(WITHDRAWN).to_numpy()
    screened = screening(
        rankings[~withdrawn],
        min_recall=chosen.min_recall,
        check_share=chosen.check_share,
        confidence=chosen.confidence,
    )
    reasons = ranking_reasons(rankings, failed=screened["failed"] if screened else ())
    exclusions, kept = left_out_rankings(rankings, reasons), reasons.eq(SCORED).to_numpy()
    require_some(kept, "rankings", exclusions)
    rows = rankings[kept].copy(deep=False)
    rows["condition"] = only_used(rows["condition"])
    return ScoredRankings(every=rankings, rows=rows, screening=screened, exclusions=exclusions)


def score_of(scored: ScoredRankings, options: RankingOptions) -> RankingScore:
    rows = scored.rows
    laid = orders(rows)
    pairs, drawn = expanded(laid), sampled(rows, laid, options.images)
    counts, answers = pairs.counts(), pairs.answers(drawn)
    certainty = options.certainty(drawn.random)
    strengths = ranking_strengths(laid, drawn, counts, certainty)
    by_pairs = strengths_of_pairs(pairs, drawn, options.ties, replace(certainty, tested=False))
    how: dict[str, Any] = {"ties": options.ties, "confidence": options.confidence}
    ranking = ranked_conditions(
        win_rates(counts, answers, **how),
        placements(laid, drawn, confidence=options.confidence),
        strengths,
        by_pairs,
    )
    compared = ranked_pairs(
        pair_rates(counts, answers, **how),
        [row.condition for row in ranking],
        strengths.differences,
    )
    conditions = tuple(with_open_ranks(ranking, compared))
    agreement = ranking_agreement(
        rows,
        {row.condition: row.strength.value for row in conditions if row.strength is not None},
        order=[row.condition for row in conditions],
        images=options.images,
        confidence=options.confidence,
    )
    return RankingScore(
        simulated=bool(scored.every["simulated"].any()),
        groups=int(rows["group"].nunique()),
        rankings=len(laid.sizes),
        comparisons=len(pairs.cell),
        evaluators=number_of(rows, "evaluator"),
        prompts=number_of(rows, "prompt"),
        sizes=_sizes(rows, laid),
        ties=options.ties,
        tied=int(counts.ties.sum() / 2),
        conditions=conditions,
        pairs=compared,
        fit=replace(
            fit_of(strengths, ties=options.ties),
            tie_parameter=by_pairs.fitted.nu if by_pairs.fitted else None,
        ),
        bt_problems=by_pairs.problems,
        strengths=options.strengths,
        images=drawn.images,
        random=drawn.random if drawn.units > 1 else None,
        agreement=agreement,
        screening=scored.screening,
        exclusions=scored.exclusions,
        alpha=options.alpha,
        confidence=options.confidence,
        margin=options.margin,
        notes=notes_of(
            Path(__file__).parent,
            **scope_of(
                *(scored.every[~scored.every["checker"].to_numpy()], rows),
                *(drawn.random, drawn.images),
                task=SCORED_TASK,
                columns=["condition"],
            ),
            several_sizes=len(set(laid.sizes.tolist())) > 1,
            within=pairs.within,
            agreement=agreement,
            screening=scored.screening,
            min_recall=options.min_recall,
        ),
    )


def differences_alone(rankings: pd.DataFrame, options: RankingOptions) -> Sequence[Difference]:
    """Return how far apart strengths are, without the other results.

    Parameters as of `scored_rankings`.
    """
    rows = scored_rankings(rankings, options).rows
    laid = orders(rows)
    drawn = sampled(rows, laid, options.images)
    certainty = options.certainty(drawn.random)
    return ranking_strengths(laid, drawn, expanded(laid).counts(), certainty).differences


def count_groups(rankings: pd.DataFrame) -> int:
    """Count the groups that people ranked, each of them once."""
    return len(rankings.drop_duplicates(["evaluator", "group"]))


def _sizes(scored: pd.DataFrame, laid: Orders) -> Rows:
    """Count groups, rankings and comparisons by how many images a group has."""
    group = codes_of(scored["group"])[laid.row[laid.starts]]
    counted = []
    for size in np.unique(laid.sizes).tolist():
        own = group[laid.sizes == size]
        counted.append(
            {
                "images": size,
                "groups": len(np.unique(own)),
                "rankings": len(own),
                "comparisons": len(own) * size * (size - 1) // 2,
            }
        )
    return tuple(counted)


def options_for(rankings: Rankings, choices: Choices) -> RankingOptions:
    options = options_of_study(rankings.study) if rankings.study else RankingOptions()
    return overrule(options, choices)


def options_of_study(study: RankingStudy) -> RankingOptions:
    screening = study.settings.screening
    return RankingOptions(
        margin=study.settings.analysis.margin,
        strengths=study.settings.analysis.strengths,
        min_recall=screening.min_recall,
        check_share=screening.check_share,
    )


def with_image_ends(rankings: Rankings, score: RankingScore, choices: Choices) -> RankingScore:
    """Add the images at either end of some prompts, which reports show."""
    options = options_for(rankings, choices)
    rows = scored_rankings(rankings.frame, options).rows
    ends = place_ends(image_places(rows, confidence=options.confidence))
    return replace(score, image_ends=ends)


def score_rankings_loaded(rankings: Rankings, choices: Choices) -> RankingScore:
    """Score rankings, and hold the preference models against them that were given."""
    options = options_for(rankings, choices)
    scored = scored_rankings(rankings.frame, options)
    score = rankings.add_notes(score_of(scored, options))
    if not choices.judges:
        return score
    judges, margin = given_judges(rankings, choices, questions_of)
    return replace(score, judges=judge_rankings(scored.rows, judges, JudgeOptions(margin=margin)))


NOTHING_DRAWN = (
    "a single group was ranked, by one evaluator: nothing is known of how other rankings would go"
)


def ranking_strengths(
    laid: Orders, drawn: Sampled, counts: Counts, certainty: Certainty
) -> StrengthTable:
    """Estimate Plackett and Luce's strengths from rankings."""
    joined = connectivity(counts)
    if not joined.fitted:
        return without_strengths(joined)
    if drawn.units < 2:
        return without_strengths(joined, NOTHING_DRAWN)
    chosen = choice_sets(laid.only(joined.fitted))
    try:
        fitted = fit_plackett_luce(chosen)
    except StrengthsNotFound as problem:
        return without_strengths(joined, str(problem))
    return crossed_strengths(
        joined,
        fitted,
        csr_array(scores_of_rankings(chosen, fitted)),
        csr_array(shares_of_rankings(chosen, fitted)),
        drawn.of_ranking,
        drawn.items,
        certainty,
    )


def strengths_of_pairs(
    pairs: Expanded, drawn: Sampled, ties: Ties, certainty: Certainty
) -> StrengthTable:
    """Estimate Bradley and Terry's strengths from comparisons, by the same units."""
    counts = pairs.counts()
    if drawn.units > 1:
        return strength_table(counts, pairs.answers(drawn), ties=ties, certainty=certainty)
    joined = connectivity(counts.without_ties() if ties == "none" else counts)
    return without_strengths(joined, NOTHING_DRAWN)


def ranked_conditions(
    rates: Iterable[WinRate],
    places: Mapping[str, Mapping[str, Any]],
    strengths: StrengthTable,
    by_pairs: StrengthTable,
) -> tuple[RankedCondition, ...]:
    """Give the rows, in the order of `ranked`; ``places``: of each condition, by its name."""
    others = {condition.condition: condition for condition in by_pairs.conditions}

    def by_comparisons(condition: str) -> dict[str, Any]:
        own = others.get(condition)
        return {f"bt_{scale}": getattr(own, scale, None) for scale in SCALES_OF_STRENGTHS}

    return tuple(
        RankedCondition(**vars(row), **places[row.condition], **by_comparisons(row.condition))
        for row in ranked(rates, strengths)
    )


SCALES_OF_STRENGTHS: Final = ("strength", "elo", "share100")


def ranking_measures(rankings: Rankings, choices: Choices) -> Iterator[GroupMeasure]:
    """Yield the win rates, which are scored by group; of images within a group a ranking is."""
    options = options_for(rankings, choices)

    def cells(rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]) -> CellEstimates:
        laid = orders(rows)
        first, last = (
            by(group[laid.row], laid.starts) for by in (np.minimum.reduceat, np.maximum.reduceat)
        )
        answers = expanded(laid).answers(sampled(rows, laid, options.images))
        of = np.where(first == last, first, -1)[expanded(laid).ranking]
        kept = (of >= 0) & ~(answers.tied & (options.ties == "none"))
        return cells_of_choices((laid.conditions, names), answers.where(kept), of[kept])

    yield GroupMeasure(
        protocol="ranking",
        title="win rate",
        unit="%",
        rows=scored_rankings(rankings.frame, options).rows,
        cells=cells,
    )


def as_object(scored: RankingScore) -> object:
    return score_object(scored, facts(scored), every_table(scored))


READER: Final = Reader(outgoing=lambda: RANKED, table=TABLE)


def measured(
    answers: LoadedAnswers[Any], scored: RankingScore, choices: Choices
) -> Iterator[Board]:
    rows = scored_rankings(answers.frame, options_for(answers, choices)).rows
    people = people_by_condition(rows, "condition")
    answers_on = {row.condition: row.images for row in scored.conditions}
    yield measure_strengths(
        *(scored.conditions, scored.pairs, answers_on, people),
        title="Rankings",
        about="Plackett and Luce",
        simulated=scored.simulated,
    )


SCORING: Final = Scoring(
    read=READER.answers,
    score=score_rankings_loaded,
    laid_out=lambda answers, scored, *, whole: ranking_table(
        scored, background=answers.said, whole=whole
    ),
    as_object=as_object,
    alike=alike_by_prompts,
    group_measures=ranking_measures,
    measured=measured,
)


def planned_rankings(study: RankingStudy, _of: str | None) -> PlannedScore:
    planned = planned_strengths(
        RankingCourse(study),
        partial(differences_alone, options=options_of_study(study)),
        title="Rankings",
        outgoing=RANKED,
        columns=ROW.read,
        check=check_rankings,
    )
    return replace(planned, paid=count_groups, numbered="ranking")


PLANNED: Final = planned_rankings
