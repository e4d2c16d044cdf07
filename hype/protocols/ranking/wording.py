"""The words of rankings: what was run and computed, for a paper, and what came of it.

The former are templates, in design.txt and statistics.txt; the latter are the same in the terminal
and on the page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from hype.judges.results import RankingJudgesScore
from hype.judges.tables import best_first, lay_out_in_terminal, name_means
from hype.protocols.prompted.results import RankedPair
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.wording import TIES, allowed_for, counted, listed, open_ranks
from hype.protocols.ranking import tables as ranking_tables
from hype.protocols.ranking.agreement import RankingAgreement
from hype.protocols.ranking.results import GroupSize, RankingScore
from hype.protocols.ranking.screening import Screening
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.ranking.tables import models_of
from hype.report import wording
from hype.report.parts import Paragraph
from hype.report.terminal import closing, grid, opening
from hype.statistics.estimate import Estimate, value_of
from hype.study import phrases

FOLDER: Final = Path(__file__).parent


def statistics_in_words(score: RankingScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
    """Write what was computed; ``drawn`` has the keys of the parts that the report has."""
    from hype.report.methods import paragraphs_of

    models = models_of(score)
    strengths = [row.strength is not None for row in score.conditions]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        models=models,
        drawn=drawn,
        strong=any(strengths),
        of_two=False,
        all_strong=all(strengths),
        bradley_terry=any(row.bt_strength is not None for row in score.conditions),
        tested=any(pair.p is not None for pair in score.pairs),
        rule=score.fit.rule,
    )


def design_in_words(settings: RankingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty where they are not known."""
    from hype.report.methods import paragraphs_of

    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def asked_details(settings: RankingFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked, rule = settings.ranking, settings.screening
    size = "one image of each condition"
    if asked.group is not None:
        size = f"{phrases.counted(asked.group, 'image')}, each of another condition"
    checked = f"{phrases.percent(rule.check_share)} ranked again" if rule.checkers else "none"
    return (
        ("Group", size),
        ("Prompt", "shown above the images" if asked.prompt == "shown" else "not shown"),
        ("Ties", f"an act of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", f"{phrases.counted(asked.rankings, 'ranking')} of each group"),
        ("Test", phrases.counted(rule.test, "group") if rule.test else "none"),
        ("Cross-checks", checked),
    )


TITLE: Final = "Rankings: the images of a group in order, the best one first"
_PAIRS_NAMED: Final = 6
_SIZES_NAMED: Final = 4
VERDICTS: Final = ("separable", "equivalent", "not known")


def asked_sentences(score: RankingScore) -> Iterator[str]:
    """Say what was ranked by whom, how many comparisons that is, and what becomes of ties."""
    who = "" if score.evaluators is None else f" by {counted(score.evaluators, 'evaluator')}"
    what = "" if score.prompts is None else f" on {counted(score.prompts, 'prompt')}"
    yield f"{counted(score.rankings, 'ranking')}{who} of {groups_in_words(score)}{what}."
    yield f"{comparisons_in_words(score)} {ties_in_words(score)}"


def groups_in_words(score: RankingScore) -> str:
    if len(score.sizes) == 1:
        return f"{counted(score.groups, 'group')} of {score.sizes[0].images} images"
    sizes = [f"{size.groups:,} of {size.images}" for size in score.sizes]
    named = "; ".join(sizes[:_SIZES_NAMED]) + ("; …" if len(sizes) > _SIZES_NAMED else "")
    return f"{counted(score.groups, 'group')} of images ({named})"


def comparisons_in_words(score: RankingScore) -> str:
    """Say how many comparisons rankings expand to, as a sum over sizes."""
    parts = [_product(size) for size in score.sizes[:_SIZES_NAMED]]
    more = " + …" if len(score.sizes) > _SIZES_NAMED else ""
    total = sum(size.comparisons for size in score.sizes)
    within = total - score.comparisons
    less = f", less {within:,} of two images of one condition" if within else ""
    return (
        f"A ranking of n images is n(n − 1)/2 comparisons: {' + '.join(parts)}{more}{less} = "
        f"{score.comparisons:,}."
    )


def _product(size: GroupSize) -> str:
    return f"{size.rankings:,} × {size.images * (size.images - 1) // 2}"


def ties_in_words(score: RankingScore) -> str:
    if score.ties == "none":
        return "Ties are not counted."
    if not score.tied:
        return "There are no ties."
    share = score.tied / score.comparisons
    return f"{counted(score.tied, 'tie')} ({share:.1%}): in Bradley–Terry {TIES[score.ties]}."


def rank_sentences(score: RankingScore) -> Iterator[str]:
    yield from open_ranks(score.conditions, tested=score.random is not None)


def pair_sentences(score: RankingScore) -> Iterator[str]:
    """Say how many pairs are separable, and what is known of the others."""
    tested = [pair for pair in score.pairs if pair.verdict is not None]
    if not tested:
        return
    by_verdict = {
        verdict: [pair for pair in tested if pair.verdict == verdict] for verdict in VERDICTS
    }
    apart = len(by_verdict["separable"])
    if len(tested) == 1:
        (pair,) = tested
        yield f"{pair.a} and {pair.b}: {pair.verdict} at α = {score.alpha:g}."
        return
    all_of = "All" if apart == len(tested) else f"{apart:,} of"
    verb = "is" if apart == 1 else "are"
    yield f"{all_of} {len(tested):,} pairs {verb} separable at α = {score.alpha:g}."
    if score.margin is not None:
        what = f"Equivalent within {score.margin:.1%} of 50%"
        yield from _named(what, by_verdict["equivalent"], score)
    yield from _named("Not known which is better", by_verdict["not known"], score)


def _named(what: str, pairs: Sequence[RankedPair], score: RankingScore) -> Iterator[str]:
    if pairs:
        more = len(pairs) - _PAIRS_NAMED
        rest = f"; and {more:,} more" if more > 0 else ""
        scale = SCALES[score.strengths]
        named = [
            f"{pair.a} over {pair.b} by {scale.written(scale.estimate_apart(pair.difference))}"
            for pair in pairs[:_PAIRS_NAMED]
        ]
        yield f"{what}, {scale.difference}: {'; '.join(named)}{rest}."


def agreement_sentences(score: RankingScore) -> Iterator[str]:
    agreement = score.agreement
    if agreement is None:
        return
    yield f"{shared_groups_sentence(agreement)} Who puts the same one of two first:"
    yield f"  one person and another: {shared(agreement.single_single)};"
    yield f"  one person and the mean rank of all others: {shared(agreement.single_averaged)};"
    own = shared(agreement.single_averaged_with_own)
    yield f"  the same, one's own rank in the mean (flatters): {own}."
    yield from alpha_sentences(agreement)


def shared_groups_sentence(agreement: RankingAgreement) -> str:
    were = "was" if agreement.groups == 1 else "were"
    pairs = counted(agreement.comparisons, "pair")
    groups = f"{counted(agreement.groups, 'group')} {were}"
    return f"{groups} ranked by two people or more: {pairs} of images."


def alpha_sentences(agreement: RankingAgreement) -> Iterator[str]:
    """Give Krippendorff's α of the ranks, and what agreement goes with."""
    if agreement.alpha is not None:
        yield f"Of the ranks: {wording.alpha_in_words(agreement.alpha)}."
    rho = agreement.difference_correlation
    if rho is not None:
        yield (
            "Agreement on two conditions and the difference of their strengths: Spearman's ρ = "
            f"{wording.number(rho, 2)} over {len(agreement.pairs):,} pairs."
        )


def screening_sentences(screening: Screening) -> Iterator[str]:
    """Say who was held against checkers, and what followed."""
    yield (
        f"{counted(len(screening.evaluators), 'evaluator')} beside "
        f"{counted(screening.checkers, 'checker')}."
    )
    if screening.min_recall is None:
        yield "Nobody is left out for it: the study has no such rule."
    else:
        failed = listed(screening.failed) if screening.failed else "nobody"
        yield f"Not scored, for a recall@2 below {percent(screening.min_recall, 0)}: {failed}."


def lowest_recall_sentence(screening: Screening) -> str:
    """Name who agrees least with checkers in the test."""
    by_chance = "" if screening.chance is None else f", {screening.chance:.0%} by chance"
    lowest = [
        f"{who.evaluator} {percent(value_of(who.test.recall), 0)}"
        for who in screening.lowest_first[:_LOWEST_NAMED]
        if who.test is not None
    ]
    named = f" Lowest in the test: {', '.join(lowest)}." if lowest else ""
    return (
        "Screening: recall@2, how often a first choice is among a checker's first two"
        f"{by_chance}.{named}"
    )


def interval_sentence(score: RankingScore) -> str:
    """Say what intervals and tests allow for; empty where there are none."""
    if score.random is None:
        return ""
    return f"{score.confidence:.0%} CI and p: {allowed_for(score.random)}."


def shared(share: Estimate) -> str:
    ends = "" if share.low is None else f" ({percent_interval(share.low, share.high)})"
    return f"{percent(share.value)}{ends}"


def percent(share: float | None, decimals: int = 1) -> str:
    if share is None:
        return wording.NOT_KNOWN
    return f"{wording.number(100 * share, decimals)}%"


def percent_interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return wording.NOT_KNOWN
    return wording.interval(100 * low, 100 * high)


CONDITIONS: Final = (30, 10)
"""How many rows of a long table are shown, from the top and from its end."""
_LOWEST_NAMED: Final = 3


def ranking_table(
    score: RankingScore, *, background: Sequence[str] = (), whole: bool = True
) -> Group:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.ranking.scoring.score_of` returns it. ``background``:
    sentences on where it comes from, such as what was registered. ``whole``: with every table and
    note.
    """
    return Group(*_parts(score, background, whole))


def _parts(score: RankingScore, background: Sequence[str], whole: bool) -> Iterator[RenderableType]:
    yield from opening(TITLE, asked_sentences(score), simulated=score.simulated)
    yield from _ranking(score)
    if whole:
        yield from _people(score)
    models = models_of(score)
    if models is not None:
        yield from _models(models)
    yield from _rest(score, background, whole)


def _ranking(score: RankingScore) -> Iterator[RenderableType]:
    table = ranking_tables.conditions(score)
    yield grid(table, CONDITIONS)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield Text(" ".join([*rank_sentences(score), *pair_sentences(score)]))


def _people(score: RankingScore) -> Iterator[RenderableType]:
    sentences = tuple(agreement_sentences(score))
    if sentences:
        yield Text()
        yield Text("Agreement", style="bold")
        yield from map(Text, sentences)
    if score.screening is not None:
        yield Text(lowest_recall_sentence(score.screening))
        yield Text(" ".join(screening_sentences(score.screening)))


def _models(score: RankingJudgesScore) -> Iterator[RenderableType]:
    yield from lay_out_in_terminal(score)
    yield from _benchmarks(score)


def _benchmarks(score: RankingJudgesScore) -> Iterator[Text]:
    """Say what the benchmark by the model with the highest accuracy has."""
    benchmarks = best_first(score)
    if benchmarks:
        yield Text(name_means(benchmarks[0]))
        more = f", and {len(benchmarks) - 1:,} more benchmarks" if len(benchmarks) > 1 else ""
        yield Text(f"hype report --tables has its spreads and styles{more}.", style="dim")


def _rest(score: RankingScore, background: Sequence[str], whole: bool) -> Iterator[RenderableType]:
    yield Text()
    if whole and score.exclusions:
        reasons = "; ".join(
            f"{exclusion.answers:,} {exclusion.meaning}" for exclusion in score.exclusions
        )
        yield Text(f"Not scored: {reasons}.")
    more = ["agreement"] if any(agreement_sentences(score)) else []
    yield from closing(background, interval_sentence(score), score.notes, whole=whole, more=more)
