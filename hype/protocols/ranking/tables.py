"""The tables of rankings: strengths, places and pairs of conditions; annotators beside checkers."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from hype.judges import preference_tables
from hype.judges.preference_results import RankingJudgesScore
from hype.protocols.prompted.report import SEPARABLE
from hype.report import tabular
from hype.report.tabular import Table, all_or_neighbours, in_percent, that_say_something

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.protocols.ranking.agreement import PairAgreement
    from hype.protocols.ranking.results import RankedCondition, RankedPair, RankingScore
    from hype.protocols.ranking.screening import Recall, ScreenedEvaluator, Screening
    from hype.report.tabular import Interval, Value
    from hype.statistics.resampling import Share


def ranking(score: RankingScore) -> Table:
    """Lay out the conditions, the strongest first."""
    return Table(
        name="ranking",
        title="Ranking",
        columns=(
            tabular.whole("Rank", "rank"),
            tabular.name("Condition", "condition"),
            tabular.number("Log\nstrength", "strength", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "strength_*", 2),
            tabular.number("Of\n100", "share_of_100"),
            tabular.number("Mean\nrank", "mean_rank", 2),
            tabular.percent("First\nplaces", "first_percent"),
            tabular.percent("Win\nrate", "win_rate_percent"),
        ),
        rows=tuple(map(_ranked, score.conditions)),
        note="Strength: Plackett–Luce, mean 0; of a set of images each is chosen with a chance "
        "proportional to its number in the column that adds up to 100.",
    )


def _ranked(row: RankedCondition) -> tuple[Value, ...]:
    return (
        row.rank,
        row.condition,
        row.strength,
        (row.strength_sandwich_low, row.strength_sandwich_high),
        row.share100,
        row.mean_rank,
        in_percent(row.first_share),
        in_percent(row.win_rate),
    )


def strengths(score: RankingScore) -> Table:
    """Lay out every number of a condition, with all kinds of intervals."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="ranking-strengths",
        title="Strengths in every form",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Images", "images"),
            tabular.interval("Ranks\nleft open", "rank_*", 0),
            tabular.number("Plackett–\nLuce", "strength", 3),
            tabular.interval(f"sandwich\n{ci}", "strength_sandwich_*", 3),
            tabular.interval(f"bootstrap\n{ci}", "strength_bootstrap_*", 3),
            tabular.number("Bradley–\nTerry", "bt_strength", 3),
            tabular.interval(f"bootstrap\n{ci}", "bt_strength_*", 3),
            tabular.number("Elo", "elo"),
            tabular.interval(ci, "elo_*"),
            tabular.number("Of 100", "share_of_100", 2),
            tabular.interval(ci, "share_of_100_*", 2),
            tabular.words("No strength, because", "reason"),
        ),
        rows=tuple(map(_strength, score.conditions)),
    )


def _strength(row: RankedCondition) -> tuple[Value, ...]:
    return (
        row.condition,
        row.images,
        (row.rank_low, row.rank_high),
        row.strength,
        (row.strength_sandwich_low, row.strength_sandwich_high),
        (row.strength_low, row.strength_high),
        row.bt_strength,
        (row.bt_strength_low, row.bt_strength_high),
        row.elo,
        (row.elo_low, row.elo_high),
        row.share100,
        (row.share100_low, row.share100_high),
        row.reason,
    )


def places(score: RankingScore) -> Table:
    """Lay out where the images of each condition came: of all of them, the share at each place."""
    ci = f"{score.confidence:.0%} CI"
    most = max((len(row.places) for row in score.conditions), default=0)
    return Table(
        name="ranking-places",
        title="Where images came",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Mean\nrank", "mean_rank", 2),
            tabular.interval(ci, "mean_rank_*", 2),
            tabular.percent("First\nplaces", "first_percent"),
            tabular.interval(ci, "first_*_percent"),
            tabular.percent("Win\nrate", "win_rate_percent"),
            tabular.interval(ci, "win_rate_*_percent"),
            *(tabular.percent(f"at {n}", f"place_{n}_percent") for n in range(1, most + 1)),
        ),
        rows=tuple(_placed(row, most) for row in score.conditions),
    )


def _placed(row: RankedCondition, most: int) -> tuple[Value, ...]:
    beyond = [None] * (most - len(row.places))
    return (
        row.condition,
        row.mean_rank,
        (row.mean_rank_low, row.mean_rank_high),
        in_percent(row.first_share),
        _ends(row.first_share_low, row.first_share_high),
        in_percent(row.win_rate),
        _ends(row.ci_low, row.ci_high),
        *map(in_percent, row.places),
        *beyond,
    )


def pairs(score: RankingScore, some: Sequence[RankedPair] | None = None) -> Table:
    """Lay out pairs of conditions, the higher ranked one first; all, or some of them."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="ranking-pairs",
        title="Pairs of conditions",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("over", "b"),
            tabular.percent("Win\nrate", "win_rate_percent"),
            tabular.interval(ci, "win_rate_*_percent"),
            tabular.whole("Compa-\nrisons", "comparisons"),
            tabular.whole("Ties", "ties"),
            tabular.number("Difference of\nlog-strengths", "difference", 2),
            tabular.interval(ci, "difference_*", 2),
            tabular.probability("p", "p"),
            tabular.probability("Holm", "p_holm"),
            tabular.words("Separable", "separable"),
        ),
        rows=tuple(map(_pair, score.pairs if some is None else some)),
        note=_tests_note(score),
    )


def _pair(pair: RankedPair) -> tuple[Value, ...]:
    return (
        pair.a,
        pair.b,
        in_percent(pair.win_rate),
        _ends(pair.ci_low, pair.ci_high),
        pair.comparisons,
        pair.ties,
        pair.difference,
        (pair.difference_low, pair.difference_high),
        pair.p,
        pair.p_holm,
        None if pair.separable is None else SEPARABLE[pair.separable],
    )


def _tests_note(score: RankingScore) -> str:
    if score.bootstrap is None or all(pair.p is None for pair in score.pairs):
        return ""
    return (
        f"p: sign-flip test with {score.bootstrap.unit} as the independent units. Holm: over all "
        f"{len(score.pairs):,} pairs."
    )


def sizes(score: RankingScore) -> Table:
    """Lay out how many groups of each size were ranked, and the comparisons that makes."""
    return Table(
        name="ranking-groups",
        title="Groups that were ranked",
        columns=(
            tabular.name("Images of a group", "images"),
            tabular.whole("Groups", "groups"),
            tabular.whole("Rankings", "rankings"),
            tabular.whole("Compa-\nrisons", "comparisons"),
        ),
        rows=tuple((str(o.images), o.groups, o.rankings, o.comparisons) for o in score.sizes),
    )


def agreement(score: RankingScore) -> Table:
    """Lay out how far people agree, one with one and one with all."""
    return Table(
        name="ranking-agreement",
        title="How far people agree",
        columns=(
            tabular.name("Who puts the same image first", "who"),
            tabular.percent("Share", "share_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "share_*_percent"),
        ),
        rows=tuple(_agreements(score)),
    )


def _agreements(score: RankingScore) -> Iterator[tuple[Value, ...]]:
    found = score.agreement
    if found is None:
        return
    for who, share in (
        ("one person and another", found.single_single),
        ("one person and the mean rank of all others", found.single_averaged),
        ("the same, one's own rank in the mean (flatters)", found.single_averaged_with_own),
    ):
        yield (who, *_shared(share))


def pair_agreement(score: RankingScore) -> Table:
    """Lay out how often two people put the same image first, for each two conditions."""
    found = score.agreement.pairs if score.agreement else ()
    return Table(
        name="ranking-pair-agreement",
        title="Agreement on each two conditions",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("and", "b"),
            tabular.percent("Agreement", "agreement_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "agreement_*_percent"),
            tabular.whole("Pairs of\nimages", "pairs_of_images"),
            tabular.number("Difference of\nlog-strengths", "difference", 2),
        ),
        rows=tuple(map(_agreed, found)),
    )


def _agreed(pair: PairAgreement) -> tuple[Value, ...]:
    return (pair.a, pair.b, *_shared(pair.agreement), pair.comparisons, pair.difference)


def left_out(score: RankingScore) -> Table:
    """Lay out what was not scored, by the reason."""
    return Table(
        name="ranking-exclusions",
        title="Not scored",
        columns=(
            tabular.name("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Rankings", "rankings"),
        ),
        rows=tuple((one.meaning, one.evaluators, one.rankings) for one in score.exclusions),
    )


def _shared(share: Share) -> tuple[float | None, Interval]:
    return in_percent(share.value), _ends(share.low, share.high)


def _ends(low: float | None, high: float | None) -> Interval:
    return in_percent(low), in_percent(high)


def screening(score: RankingScore) -> Table:
    """Lay out recall@2 in the test and in the work, the lowest first, and how much was checked."""
    found = score.screening
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="ranking-screening",
        title="Screening: recall@2 against checkers",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.percent("Test", "test_percent", 0),
            tabular.interval(ci, "test_*_percent", 0),
            tabular.whole("of\ngroups", "test_groups"),
            tabular.percent("Work", "check_percent", 0),
            tabular.interval(ci, "check_*_percent", 0),
            tabular.whole("checked", "checked"),
            tabular.whole("of", "rankings"),
            tabular.words("Enough", "enough"),
            tabular.words("Scored", "scored"),
        ),
        rows=tuple(_screened(one) for one in lowest_first(found)) if found else (),
        note=_note(found) if found else "",
    )


def lowest_first(found: Screening) -> list[ScreenedEvaluator]:
    """Put those first who are below the bound, then by recall@2; those without one last."""
    return sorted(found.evaluators, key=lambda one: (not one.failed, _of(one), one.evaluator))


def chance_of(found: Screening) -> float | None:
    """Give recall@2 by chance, over all groups that were checked; None without any."""
    recalls = [r for one in found.evaluators for r in (one.test, one.check) if r is not None]
    groups = sum(map(attrgetter("groups"), recalls))
    return sum(r.chance * r.groups for r in recalls) / groups if groups else None


def _of(one: ScreenedEvaluator) -> float:
    judged = one.test or one.check
    return judged.recall if judged else 2.0


def _screened(one: ScreenedEvaluator) -> tuple[Value, ...]:
    return (
        one.evaluator,
        *_recalled(one.test),
        one.test.groups if one.test else None,
        *_recalled(one.check),
        one.checked,
        one.rankings,
        None if one.enough is None else "yes" if one.enough else "no",
        "no" if one.failed else "yes",
    )


def _recalled(recall: Recall | None) -> tuple[float | None, Interval]:
    if recall is None:
        return None, (None, None)
    return 100 * recall.recall, (in_percent(recall.ci_low), in_percent(recall.ci_high))


def _note(found: Screening) -> str:
    chance = chance_of(found)
    by = "" if chance is None else f" By chance it would be {chance:.0%}."
    return (
        "Recall@2: how often the first choice is among a checker's first two, in the test and in "
        f"the work that was checked.{by} Enough: {found.check_share:.0%} of the work or more."
    )


MOST_PAIRS: Final = 780

"""Pairs that the page lists, those of forty conditions; of more, each condition and the next."""


def models_of(score: RankingScore) -> RankingJudgesScore | None:
    """Give the preference models that were held against rankings; None where there are none."""
    found = score.judges
    return found if isinstance(found, RankingJudgesScore) else None


def shown_pairs(score: RankingScore) -> Sequence[RankedPair]:
    """Give all pairs, or, where there are too many to read, those of neighbours in the ranking."""
    return all_or_neighbours(score.pairs, score.conditions, most=MOST_PAIRS)


def ranking_file_tables(score: RankingScore) -> tuple[Table, ...]:
    """List all tables, to be written to files."""
    return that_say_something(
        (
            ranking(score),
            strengths(score),
            places(score),
            pairs(score),
            sizes(score),
            agreement(score),
            pair_agreement(score),
            screening(score),
            left_out(score),
            *_of_models(models_of(score)),
        )
    )


def _of_models(found: RankingJudgesScore | None) -> tuple[Table, ...]:
    if found is None:
        return ()
    return (
        preference_tables.summary(found),
        preference_tables.every_figure(found),
        preference_tables.sentences(found),
        preference_tables.pairs(found),
        *preference_tables.benchmarks(found),
    )
