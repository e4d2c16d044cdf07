"""Scores of rankings from a study or a table."""

from __future__ import annotations

from collections.abc import Iterator
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
from hype.judges import tables as judge_tables
from hype.judges.choices import judge_rankings
from hype.judges.results import JudgeOptions, RankingJudgesScore
from hype.leaderboard import Board
from hype.planning.planned import PlannedScore
from hype.protocols.facets import Scoring
from hype.protocols.prompted.scoring import (
    AnalysisOptions,
    collect_facts,
    common_settings_of_prompted,
    fit_facts,
    measure_strengths,
    open_ranks,
    overrule,
    people_by_condition,
    plan_strengths,
    rank_conditions,
    read_given_judges,
    require_some,
    scope_of,
)
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.tables import (
    count_columns,
    exclusion_table,
    further_pair_columns,
    pair_columns,
    rate_columns,
    strength_columns,
    tests_note,
)
from hype.protocols.prompted.wording import say_intervals
from hype.protocols.ranking.agreement import (
    agreement_tables,
    find_shared_ranks,
    rank_alpha,
    ranking_agreement,
)
from hype.protocols.ranking.course import RankingCourse
from hype.protocols.ranking.export import (
    RANKED,
    count_left_out_rankings,
    questions_of,
    ranking_reasons,
    screening,
)
from hype.protocols.ranking.layout import lay_out, say
from hype.protocols.ranking.orders import (
    Expanded,
    Sampled,
    choice_sets,
    expand,
    find_order_sample,
    image_places,
    image_table,
    placements,
)
from hype.protocols.ranking.rows import ROW, SCORED_TASK
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.table import TABLE, check_rankings
from hype.report import tabular
from hype.report.methods import notes_of
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows, Table, tabulate
from hype.report.wording import sentence
from hype.statistics.alpha import Alpha
from hype.statistics.arrays import IntArray
from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.cells import CellEstimates, cells_of_choices
from hype.statistics.paired_counts import Counts, Orders, Randomness, orders
from hype.statistics.strength_table import (
    Certainty,
    StrengthTable,
    empty_table,
    estimate_strengths,
    strength_table,
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
    """The analyst's options for rankings.

    Plackett and Luce's strengths always treat ties by Breslow's rule. ``min_recall``:
    evaluators with a lower recall@2 against checkers are not scored; None for no such rule.
    ``check_share``: the share of each person's work that checkers should also rank.
    """

    min_recall: float | None = None
    check_share: float = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredRankings:
    """A table of rankings, and its scored part.

    ``every``: all rows, from `check_rankings`. ``rows``: the scored rows; the column ``condition``
    has no other categories. ``screening``: the screening of all people except those who withdrew.
    """

    every: pd.DataFrame
    rows: pd.DataFrame
    screening: Row | None
    exclusions: tuple[LeftOut, ...]


def choose_rankings(
    rankings: pd.DataFrame, options: RankingOptions | None = None
) -> ScoredRankings:
    """Choose the scored rankings by the rules in `hype.protocols.ranking.export`.

    ``rankings``: from `check_rankings`. If a person ranked a group several times, the last ranking
    in the table counts for agreement.

    Raises InputError: no ranking can be scored.
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
    exclusions, kept = count_left_out_rankings(rankings, reasons), reasons.eq(SCORED).to_numpy()
    require_some(kept, "rankings", exclusions)
    rows = rankings[kept].copy(deep=False)
    rows["condition"] = only_used(rows["condition"])
    return ScoredRankings(every=rankings, rows=rows, screening=screened, exclusions=exclusions)


def score_of(scored: ScoredRankings, options: RankingOptions) -> Scores:
    rows, screened, confidence = scored.rows, scored.screening, options.confidence
    laid = orders(rows)
    expanded_pairs, drawn = expand(laid), find_order_sample(rows, laid, options.images)
    counts, answers = expanded_pairs.counts(), expanded_pairs.answers(drawn)
    certainty = options.certainty(drawn.random)
    strengths = ranking_strengths(laid, drawn, counts, certainty)
    by_pairs = strengths_of_pairs(
        expanded_pairs, drawn, options.ties, replace(certainty, tested=False)
    )
    ranking, pairs = rank_conditions(counts, answers, strengths, options)
    places = placements(laid, drawn, confidence=confidence)
    of_pairs = {row.condition: row for row in by_pairs.conditions}
    conditions = tuple(
        row
        | places[row["condition"]]
        | {f"bt_{of}": getattr(of_pairs.get(row["condition"]), of, None) for of in BRADLEY_TERRY}
        for row in open_ranks(ranking, pairs)
    )
    agreement = ranking_agreement(
        rows,
        {
            row["condition"]: row["strength"].value
            for row in conditions
            if row["strength"] is not None
        },
        order=[row["condition"] for row in conditions],
        images=options.images,
        confidence=confidence,
    )
    random = drawn.random if drawn.units > 1 else None
    scale, rule = SCALES[options.strengths], strengths.rule
    checked = {"checkers": None, "check_share": None, "min_recall": None} | {
        name: screened[name] for name in ("checkers", "check_share", "min_recall") if screened
    }
    return Scores(
        protocol="ranking",
        simulated=bool(scored.every["simulated"].any()),
        facts={
            **collect_facts(rows, options, random, drawn.images),
            "groups": int(rows["group"].nunique()),
            "rankings": len(laid.sizes),
            "comparisons": len(expanded_pairs.cell),
            "tied": int(counts.ties.sum() / 2),
            "fit": fit_facts(strengths)
            | {
                "tie_parameter": by_pairs.fitted.nu if by_pairs.fitted else None,
                "bt_problems": " ".join(map(sentence, by_pairs.problems)),
            },
            **checked,
        },
        tables=(
            conditions_table(conditions, options),
            places_table(conditions, confidence),
            pairs_table(pairs, options, rule, random),
            sizes_table(rows, laid),
            *agreement_tables(agreement, scale, confidence),
            screening_table(screened, confidence),
            exclusion_table(scored.exclusions, "rankings"),
            image_table(image_places(rows, confidence=confidence)),
        ),
        notes=notes_of(
            Path(__file__).parent,
            **scope_of(
                *(scored.every[~scored.every["checker"].to_numpy()], rows),
                *(drawn.random, drawn.images),
                task=SCORED_TASK,
                columns=["condition"],
            ),
            several_sizes=len(set(laid.sizes.tolist())) > 1,
            within=expanded_pairs.within,
            agreement=agreement,
            screening=screened,
            min_recall=options.min_recall,
        ),
    )


BRADLEY_TERRY: Final = ("strength", "elo", "share100")
"""Columns of Bradley and Terry's strengths, which are given in addition to Plackett and Luce's."""


def conditions_table(rows: Rows, options: RankingOptions) -> Table:
    ci, scale = f"{options.confidence:.0%} CI", SCALES[options.strengths]
    return tabulate(
        rows,
        name="ranking-conditions",
        title="Ranking",
        columns=(
            tabular.whole("Rank", "rank"),
            tabular.name("Condition", "condition"),
            *scale.columns(ci),
            tabular.number("Mean\nrank", "mean_rank", 2),
            tabular.percent("First\nplaces", "first", of="first_share"),
            tabular.percent("Win\nrate", "win_rate"),
            *tabular.further(
                tabular.percents(ci, "win_rate"),
                tabular.whole("Images", "images"),
                tabular.whole("Comparisons", "comparisons"),
                *count_columns(),
                *scale.columns(ci, "Bradley–Terry", "bt_"),
            ),
            *strength_columns(),
            *strength_columns("bt_"),
            *tabular.further(tabular.words("No strength, because", "reason")),
        ),
        note=f"Strengths come from Plackett and Luce's model, {scale.meaning}.",
    )


def places_table(rows: Rows, confidence: float) -> Table:
    ci = f"{confidence:.0%} CI"
    most = max((len(row["places"]) for row in rows), default=0)

    def share_at(place: int, row: Row) -> float | None:
        return row["places"][place - 1] if place <= len(row["places"]) else None

    return tabulate(
        rows,
        name="ranking-places",
        title="Places of images",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Mean\nrank", "mean_rank", 2),
            tabular.interval(ci, "mean_rank", 2),
            tabular.percent("First\nplaces", "first", of="first_share"),
            tabular.percents(ci, "first", of="first_share"),
            tabular.percent("Win\nrate", "win_rate"),
            tabular.percents(ci, "win_rate"),
            *(
                tabular.percent(f"Place\n{n}", f"place_{n}", of=partial(share_at, n))
                for n in range(1, most + 1)
            ),
        ),
    )


def pairs_table(
    rows: Rows, options: RankingOptions, rule: str | None, random: Randomness | None
) -> Table:
    return tabulate(
        rows,
        name="ranking-pairs",
        title="Pairs of conditions",
        columns=(
            *pair_columns(options),
            *rate_columns(options.confidence),
            tabular.words("Verdict", "verdict"),
            *further_pair_columns(),
        ),
        note=" ".join(
            filter(
                None,
                (tests_note(options, rule, "all pairs"), say_intervals(random, options.confidence)),
            )
        ),
    )


def screening_table(screened: Row | None, confidence: float) -> Table:
    ci = f"{confidence:.0%} CI"
    return tabulate(
        screened["evaluators"] if screened else (),
        name="ranking-screening",
        title="Screening: recall@2 against checkers",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.percent("Test", "test", 0, of="test.recall"),
            tabular.percents(ci, "test", 0, of="test.recall"),
            tabular.whole("Groups", "test_groups", of="test.groups"),
            tabular.percent("Work", "check", 0, of="check.recall"),
            tabular.percents(ci, "check", 0, of="check.recall"),
            tabular.whole("Checked", "checked"),
            tabular.whole("of", "rankings"),
            tabular.yes_or_no("Enough", "enough"),
            tabular.yes_or_no("Scored", "scored", of=lambda who: not who["failed"]),
            *tabular.further(
                tabular.percent("Test, by chance", "test_chance", of="test.chance"),
                tabular.percent("Work, by chance", "check_chance", of="check.chance"),
            ),
        ),
        note=say("screening_table", screening=screened) if screened else "",
    )


def differences_alone(rankings: pd.DataFrame, options: RankingOptions) -> Rows:
    """Compute only the differences of strengths. Parameters as in `choose_rankings`."""
    rows = choose_rankings(rankings, options).rows
    laid = orders(rows)
    drawn = find_order_sample(rows, laid, options.images)
    certainty = options.certainty(drawn.random)
    strengths = ranking_strengths(laid, drawn, expand(laid).counts(), certainty)
    return tuple(map(vars, strengths.differences))


def count_groups(rankings: pd.DataFrame) -> int:
    return len(rankings.drop_duplicates(["evaluator", "group"]))


def sizes_table(scored: pd.DataFrame, laid: Orders) -> Table:
    """Count groups, rankings and comparisons by the size of groups."""
    group = codes_of(scored["group"])[laid.row[laid.starts]]
    counted = []
    for size in np.unique(laid.sizes).tolist():
        own = group[laid.sizes == size]
        groups, each = len(np.unique(own)), size * (size - 1) // 2
        counted.append(
            {
                "images": size,
                "groups": groups,
                "rankings": len(own),
                "comparisons": len(own) * each,
                "said": f"{groups:,} of {size}",
                "product": f"{len(own):,} × {each}",
            }
        )
    return tabulate(
        counted,
        name="ranking-sizes",
        title="Groups that were ranked",
        columns=(
            tabular.name("Images of a group", "images", of=lambda size: str(size["images"])),
            tabular.whole("Groups", "groups"),
            tabular.whole("Rankings", "rankings"),
            tabular.whole("Compa-\nrisons", "comparisons"),
        ),
    )


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


def score_rankings_loaded(rankings: Rankings, choices: Choices) -> Scores:
    """Score rankings; if preference models are given, compare them with the rankings."""
    options = options_for(rankings, choices)
    scored = choose_rankings(rankings.frame, options)
    score = rankings.add_notes(score_of(scored, options).add_reasons(rankings.frame))
    if not choices.judges:
        return score
    judges, margin = read_given_judges(rankings, choices, questions_of)
    return add_models(score, judge_rankings(scored.rows, judges, JudgeOptions(margin=margin)))


def add_models(scores: Scores, models: RankingJudgesScore) -> Scores:
    of_models = judge_tables.summary(models), judge_tables.pairs(models)
    tables = (*scores.tables, *of_models, *judge_tables.benchmarks(models))
    return replace(scores, judges=models, tables=tables)


NOTHING_DRAWN = "one evaluator ranked a single group, so other rankings are unknown"


def ranking_strengths(
    laid: Orders, drawn: Sampled, counts: Counts, certainty: Certainty
) -> StrengthTable:
    """Estimate Plackett and Luce's strengths from rankings."""
    joined = connectivity(counts)
    if not joined.fitted:
        return empty_table(joined)
    if drawn.units < 2:
        return empty_table(joined, NOTHING_DRAWN)
    chosen = choice_sets(laid.only(joined.fitted))
    try:
        fitted = fit_plackett_luce(chosen)
    except StrengthsNotFound as problem:
        return empty_table(joined, str(problem))
    return estimate_strengths(
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
    """Estimate Bradley and Terry's strengths from comparisons; ``drawn``: what varies in them."""
    counts = pairs.counts()
    if drawn.units > 1:
        return strength_table(counts, pairs.answers(drawn), ties=ties, certainty=certainty)
    joined = connectivity(counts.drop_ties() if ties == "none" else counts)
    return empty_table(joined, NOTHING_DRAWN)


def ranking_measures(rankings: Rankings, choices: Choices) -> Iterator[GroupMeasure]:
    options = options_for(rankings, choices)

    def cells(rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]) -> CellEstimates:
        laid = orders(rows)
        first, last = (
            by(group[laid.row], laid.starts) for by in (np.minimum.reduceat, np.maximum.reduceat)
        )
        answers = expand(laid).answers(find_order_sample(rows, laid, options.images))
        of = np.where(first == last, first, -1)[expand(laid).ranking]
        kept = (of >= 0) & ~(answers.tied & (options.ties == "none"))
        return cells_of_choices((laid.conditions, names), answers.where(kept), of[kept])

    yield GroupMeasure(
        protocol="ranking",
        title="win rate",
        unit="%",
        rows=choose_rankings(rankings.frame, options).rows,
        cells=cells,
    )


READER: Final = Reader(outgoing=lambda: RANKED, table=TABLE)


def measure(answers: LoadedAnswers[Any], scored: Scores, choices: Choices) -> Iterator[Board]:
    rows = choose_rankings(answers.frame, options_for(answers, choices)).rows
    conditions = scored.rows("conditions")
    yield measure_strengths(
        *(conditions, scored.rows("pairs")),
        {row["condition"]: row["images"] for row in conditions},
        people_by_condition(rows, "condition"),
        title="Rankings",
        about="Plackett and Luce",
        simulated=scored.simulated,
    )


def compute_agreement(rankings: Rankings, choices: Choices) -> Alpha | None:
    options = options_for(rankings, choices)
    shared = find_shared_ranks(choose_rankings(rankings.frame, options).rows, options.images)
    return rank_alpha(shared, confidence=options.confidence) if shared else None


SCORING: Final = Scoring(
    read=READER.answers,
    score=score_rankings_loaded,
    laid_out=lambda answers, scored, *, whole: lay_out(scored, answers.said, whole=whole),
    common_settings=common_settings_of_prompted,
    group_measures=ranking_measures,
    measured=measure,
    compute_agreement=compute_agreement,
)


def plan_rankings(study: RankingStudy, _of: str | None) -> PlannedScore:
    planned = plan_strengths(
        RankingCourse(study),
        partial(differences_alone, options=options_of_study(study)),
        title="Rankings",
        outgoing=RANKED,
        columns=ROW.read,
        check=check_rankings,
        setting="ranking.rankings",
    )
    return replace(planned, paid=count_groups, numbered="ranking")


PLANNED: Final = plan_rankings
