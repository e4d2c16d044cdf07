"""How the figures of rankings are put into words, the same in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from hype.judges import preference_tables
from hype.protocols.prompted.wording import TIES, counted, listed, open_ranks
from hype.protocols.ranking import tables as ranking_tables
from hype.protocols.ranking.tables import models_of, screening
from hype.report import wording
from hype.report.terminal import closing, grid, opening, titled
from hype.statistics.estimate import value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from hype.judges.results import RankingJudgesScore
    from hype.protocols.ranking.agreement import RankingAgreement
    from hype.protocols.ranking.results import GroupSize, RankedPair, RankingScore
    from hype.protocols.ranking.screening import Screening
    from hype.statistics.estimate import Estimate

TITLE: Final = "Rankings: the images of a group in order, the best one first"
_PAIRS_NAMED: Final = 6
_SIZES_NAMED: Final = 4


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
    yield from open_ranks(score.conditions, tested=score.bootstrap is not None)


def pair_sentences(score: RankingScore) -> Iterator[str]:
    """Say how many pairs are separable, and name those that are not."""
    tested = [pair for pair in score.pairs if pair.separable is not None]
    if not tested:
        return
    alike = [pair for pair in tested if not pair.separable]
    apart = len(tested) - len(alike)
    if len(tested) == 1:
        verb = "are not" if alike else "are"
        which = f"{tested[0].a} and {tested[0].b} {verb} separable"
    elif not alike:
        which = f"All {len(tested):,} pairs are separable"
    else:
        which = f"{apart:,} of {len(tested):,} pairs are separable"
    yield f"{which} at α = {score.alpha:g} (Holm)."
    if alike and len(tested) > 1:
        more = len(alike) - _PAIRS_NAMED
        rest = f"; and {more:,} more" if more > 0 else ""
        yield f"Not separable: {'; '.join(map(_alike, alike[:_PAIRS_NAMED]))}{rest}."


def _alike(pair: RankedPair) -> str:
    p = "" if pair.p_holm is None else f", {wording.probability(pair.p_holm)}"
    return f"{pair.a} over {pair.b} ({percent(value_of(pair.win_rate), 0)}{p})"


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
    alpha = agreement.alpha.alpha
    if alpha is not None:
        interval = "" if alpha.low is None else f" ({wording.interval(*alpha.ends, 2)})"
        yield f"Krippendorff's α of the ranks: {wording.number(alpha.value, 2)}{interval}."
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
        f"{counted(screening.checkers, 'checker')}: is somebody's first choice among a checker's "
        "first two?"
    )
    if screening.min_recall is None:
        yield "Nobody is left out for it: the study has no such rule."
    else:
        failed = listed(screening.failed) if screening.failed else "nobody"
        yield f"Not scored, for a recall@2 below {percent(screening.min_recall, 0)}: {failed}."


def bootstrap_sentence(score: RankingScore) -> str:
    """State what intervals are from; empty where there are none."""
    bootstrap = score.bootstrap
    if bootstrap is None:
        return ""
    return (
        f"{score.confidence:.0%} CI of Plackett–Luce strengths: sandwich over {bootstrap.units:,} "
        f"{bootstrap.unit}; ranks left open: bootstrap, {bootstrap.draws:,} draws, seed "
        f"{bootstrap.seed}."
    )


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
SCREENED: Final = (12, 0)
MODELS: Final = (10, 5)
"""How many rows of a long table are shown, from the top and from its end."""
_MODELS_NAMED: Final = 6
_BENCHMARKS: Final = 3
_STYLES: Final = 4


def ranking_table(score: RankingScore, *, background: Sequence[str] = ()) -> Group:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.ranking.scoring.score_rankings` returns it. ``background``:
    sentences on where it comes from, such as what was registered.
    """
    return Group(*_parts(score, background))


def _parts(score: RankingScore, background: Sequence[str]) -> Iterator[RenderableType]:
    yield from opening(TITLE, asked_sentences(score), simulated=score.simulated)
    yield from _ranking(score)
    yield from _people(score)
    models = models_of(score)
    if models is not None:
        yield from _models(models)
    yield from _rest(score, background)


def _ranking(score: RankingScore) -> Iterator[RenderableType]:
    table = ranking_tables.ranking(score)
    yield grid(table, CONDITIONS)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield from map(Text, rank_sentences(score))
    yield from map(Text, pair_sentences(score))


def _people(score: RankingScore) -> Iterator[RenderableType]:
    sentences = tuple(agreement_sentences(score))
    if sentences:
        yield Text()
        yield Text("Agreement", style="bold")
        yield from map(Text, sentences)
    if score.screening is not None:
        yield from titled(screening(score), SCREENED)
        yield from map(Text, screening_sentences(score.screening))


def _models(score: RankingJudgesScore) -> Iterator[RenderableType]:
    yield from titled(preference_tables.summary(score), MODELS)
    if len(score.judges) > _MODELS_NAMED:
        yield Text(preference_tables.tally(score.judges))
    for judge in score.judges[:_MODELS_NAMED]:
        yield Text(f"{judge.judge}: {' '.join(judge.said)}")
    more = len(score.judges) - _MODELS_NAMED
    if more > 0:
        yield Text(f"What is found of the {more:,} others: --json, or hype report.", style="dim")
    yield from (Text(note, style="dim") for note in score.notes)
    yield from _benchmarks(score)


def _benchmarks(score: RankingJudgesScore) -> Iterator[RenderableType]:
    """Lay out benchmarks; of many that by the model with the highest accuracy."""
    benchmarks = preference_tables.best_first(score)
    shown = benchmarks if len(benchmarks) <= _BENCHMARKS else benchmarks[:1]
    for benchmark in shown:
        yield from titled(preference_tables.benchmark(benchmark, styles=_STYLES), CONDITIONS)
    rest = len(benchmarks) - len(shown)
    if rest > 0:
        yield Text(f"{rest:,} more benchmarks: hype report --tables has them.", style="dim")


def _rest(score: RankingScore, background: Sequence[str]) -> Iterator[RenderableType]:
    yield Text()
    if score.exclusions:
        reasons = "; ".join(
            f"{exclusion.rankings:,} {exclusion.meaning}" for exclusion in score.exclusions
        )
        yield Text(f"Not scored: {reasons}.")
    yield from closing(background, bootstrap_sentence(score), score.notes)
