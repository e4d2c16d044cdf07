"""The tables of HYPE's methods: the paper's, and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hype.protocols.hype.block_scores import UNSURE
from hype.protocols.hype.images import ImageScore
from hype.protocols.hype.results import ConditionScore, EvaluatorScore, Score
from hype.protocols.hype.wording import (
    anova_sentence,
    pairs_sentence,
    papers_sentence,
    protocol_name,
    settles_at,
)
from hype.report import tabular, wording
from hype.report.tabular import Table, Value
from hype.statistics.estimate import FEWEST_SHOWN, ends_of
from hype.statistics.pairs import Pair


def scores(score: Score) -> Table:
    """Lay out the scores as in the paper's tables, the best first."""
    unit, at = unit_key(score), settles_at(score)
    return Table(
        name=tabular.slug(score.protocol, "scores"),
        title="Scores",
        columns=(
            tabular.whole("#", "rank"),
            tabular.name("Condition", "condition"),
            tabular.number(protocol_name(score), f"score_{unit}", unit=score.unit),
            *(() if at is None else (tabular.number("Threshold\n(ms)", "threshold_ms", 0),)),
            tabular.percent("Fakes\nerror", "fakes_error_percent"),
            tabular.percent("Reals\nerror", "reals_error_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", f"ci_*_{unit}", 1 if at is None else 0),
            tabular.words("Group", "group"),
            tabular.whole("Eval", "evaluators"),
            tabular.whole("Judge-\nments", "judgements"),
        ),
        rows=tuple(
            _score(rank, row, at, (score.letters or {}).get(row.condition))
            for rank, row in enumerate(score.conditions, start=1)
        ),
        note="Conditions that share a letter are not known to differ." if score.letters else "",
    )


def unit_key(score: Score) -> str:
    return "ms" if score.protocol == "time" else "percent"


def _score(
    rank: int, row: ConditionScore, at: float | None, letters: str | None
) -> tuple[Value, ...]:
    return (
        rank,
        row.condition,
        row.score,
        *(() if at is None else (threshold(row),)),
        row.fakes_error,
        row.reals_error,
        (row.ci_low, row.ci_high),
        letters,
        row.evaluators,
        row.judgements,
    )


def threshold(row: ConditionScore) -> float | str | None:
    """Give the median of people's thresholds, or on which side of all exposures it lies."""
    point, stairs = row.settle_point, row.staircases
    if point is None or stairs is None or point.median_beyond is None:
        return point.median_ms if point else None
    if point.median_beyond == "below":
        return f"below {stairs.shortest_ms:.0f}"
    return f"above {stairs.longest_ms:.0f}"


def as_in_the_paper(score: Score) -> Table:
    """Lay out what the paper prints beside its scores, over evaluators alone."""
    unit = unit_key(score)
    return Table(
        name=tabular.slug(score.protocol, "as-in-the-paper"),
        title="As the paper has it",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Std.", f"std_{unit}"),
            tabular.interval(f"Bootstrap {score.confidence:.0%} CI", f"bootstrap_ci_*_{unit}"),
        ),
        rows=tuple(
            (
                row.condition,
                row.std,
                (row.bootstrap.ci_low, row.bootstrap.ci_high) if row.bootstrap else None,
            )
            for row in score.conditions
        ),
        note=anova_sentence(score),
    )


def papers_test(score: Score) -> str:
    return "Tukey's HSD" if len(score.conditions) > 2 else "Unpaired t-test"


def papers_pairs(score: Score) -> Table:
    """Lay out the paper's test of every pair: Tukey's, or the unpaired t-test of two conditions."""
    unit = unit_key(score)
    return Table(
        name=tabular.slug(score.protocol, "tukey"),
        title=f"The paper's test of pairs: {papers_test(score)}",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("against", "b"),
            tabular.number("Difference", f"difference_{unit}", unit=score.unit),
            tabular.interval(f"{1 - score.alpha:.0%} CI", f"difference_ci_*_{unit}"),
            tabular.probability("p", "p"),
        ),
        rows=tuple(
            (pair.a, pair.b, pair.difference, (pair.ci_low, pair.ci_high), pair.p)
            for pair in score.tests.pairwise
        ),
        note=papers_sentence(score),
    )


def pairs(score: Score, *, whole: bool = False) -> Table:
    """Lay out the verdicts; ``whole``: with effect sizes, as in files."""
    unit = unit_key(score)
    return Table(
        name=tabular.slug(score.protocol, "pairs"),
        title="Pairs of conditions",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("against", "b"),
            tabular.number("Difference", f"difference_{unit}", unit=score.unit),
            tabular.interval(f"{1 - score.alpha:.0%} CI", f"difference_ci_*_{unit}"),
            *((tabular.number("Hedges' g", "hedges_g", 2),) if whole else ()),
            tabular.probability("p", "p"),
            tabular.words("Verdict", "verdict"),
        ),
        rows=tuple(_pair(pair, whole=whole) for pair in score.pairwise),
        note=pairs_sentence(score) if whole else "",
    )


def _pair(pair: Pair, *, whole: bool) -> tuple[Value, ...]:
    ends, effect = (pair.ci_low, pair.ci_high), (pair.hedges_g,) if whole else ()
    return (pair.a, pair.b, pair.difference, ends, *effect, pair.p, pair.verdict)


def evaluators(score: Score) -> Table:
    """Lay out every evaluator's own score, under the code by which the record knows them."""
    unit = unit_key(score)
    return Table(
        name=tabular.slug(score.protocol, "evaluators"),
        title="Evaluators",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.name("Evaluator", "evaluator"),
            tabular.number(protocol_name(score), f"score_{unit}", unit=score.unit),
            tabular.percent("Fakes\nerror", "fakes_error_percent"),
            tabular.percent("Reals\nerror", "reals_error_percent"),
            tabular.whole("Judge-\nments", "judgements"),
            tabular.whole("Left out", "left_out"),
        ),
        rows=tuple(
            _evaluator(row.condition, evaluator_score)
            for row in score.conditions
            for evaluator_score in row.evaluator_scores
        ),
    )


def _evaluator(condition: str, evaluator: EvaluatorScore) -> tuple[Value, ...]:
    counts = evaluator.counts
    errors = (counts.fakes_error, counts.reals_error)
    return (
        condition,
        evaluator.evaluator,
        evaluator.score,
        *errors,
        counts.judgements,
        evaluator.left_out,
    )


def images(score: Score) -> Table:
    """Lay out the fakes at either end, one row for each image."""
    return Table(
        name=tabular.slug(score.protocol, "fakes-at-either-end"),
        title="Fakes at either end",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.words("End", "end"),
            tabular.words("Image", "image"),
            tabular.whole("Shown", "shown"),
            tabular.whole("Called fake", "called_fake"),
            tabular.interval(f"{score.confidence:.0%} CI", "called_fake_share_ci_*", 2),
        ),
        rows=tuple(
            (
                row.condition,
                end,
                image.image,
                image.shown,
                image.called_fake,
                (image.ci_low, image.ci_high),
            )
            for row in score.conditions
            if row.convincing
            for end, listed in (("most", row.convincing.most), ("least", row.convincing.least))
            for image in listed
        ),
    )


_IMAGES_NAMED: Final = 2


def uncertainty(score: Score, *, whole: bool = False) -> Table:
    """Lay out the bootstrap of evaluators and images; ``whole``: with BCa's, as in files."""
    unit = unit_key(score)
    both = any(row.two_way for row in score.conditions)
    bca = tabular.interval(f"BCa\n{score.confidence:.0%} CI", f"bca_*_{unit}")
    over_both = (
        tabular.number("Std.\n× images", f"std_two_way_{unit}"),
        tabular.interval("CI\n× images", f"ci_two_way_*_{unit}"),
    )
    return Table(
        name=tabular.slug(score.protocol, "uncertainty"),
        title="Other intervals",
        columns=(
            tabular.name("Condition", "condition"),
            *((bca,) if whole else ()),
            *(over_both if both else ()),
        ),
        rows=tuple(
            (
                row.condition,
                *((_bca(row),) if whole else ()),
                *(_over_both(row) if both else ()),
            )
            for row in score.conditions
        ),
        note="× images: the bootstrap of evaluators and images together." if both else "",
    )


def _bca(row: ConditionScore) -> Value:
    return (row.bootstrap.bca_low, row.bootstrap.bca_high) if row.bootstrap else None


def selection(score: Score) -> Table:
    """Lay out what the qualification did to who is scored, where it turned anybody away."""
    selections = (
        score.selections if any(selections.turned_away for selections in score.selections) else ()
    )
    return Table(
        name=tabular.slug(score.protocol, "qualification"),
        title="Qualification",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Took it", "came"),
            tabular.whole("Turned\naway", "turned_away"),
            tabular.percent("Error\nof all", "qualification_error_of_all_percent"),
            tabular.percent("Error of those\nwho passed", "qualification_error_of_passed_percent"),
        ),
        rows=tuple(
            (row.condition, row.came, row.turned_away, row.error_of_all, row.error_of_passed)
            for row in selections
        ),
        note="Errors on the images of the qualification, all that both groups judged. Those who "
        "passed were chosen by these answers, and so partly by luck.",
    )


def _over_both(row: ConditionScore) -> tuple[Value, Value]:
    both = row.two_way
    return (both.std, (both.ci_low, both.ci_high)) if both else (None, None)


def answers(score: Score) -> Table:
    confidence = f"{score.confidence:.0%} CI"
    return Table(
        name=tabular.slug(score.protocol, "answers"),
        title="Answers",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("d′", "d_prime", 2),
            tabular.interval(confidence, "d_prime_ci_*", 2),
            tabular.number("c", "criterion", 2),
            tabular.interval(confidence, "criterion_ci_*", 2),
        ),
        rows=tuple(_answers_row(row) for row in score.conditions),
        note="d′ and criterion c (above 0: says real more often) are means over evaluators.",
    )


def _answers_row(row: ConditionScore) -> tuple[Value, ...]:
    signal = row.signal_detection
    if signal is None:
        return (row.condition, *(None,) * 4)
    both = (signal.d_prime, signal.criterion)
    return (row.condition, *(part for one in both for part in (one.value, one.ends)))


def agreement(score: Score) -> Table:
    """Lay out how far the evaluators of each condition agree, and of how many that is."""
    return Table(
        name=tabular.slug(score.protocol, "agreement"),
        title="Do evaluators agree? Krippendorff's α",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("α", "alpha", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "alpha_ci_*", 2),
            tabular.whole("Eval", "evaluators"),
            tabular.whole("Images", "images"),
            tabular.whole("Judge-\nments", "judgements"),
        ),
        rows=tuple(
            (row.condition, a.alpha, (a.ci_low, a.ci_high), a.evaluators, a.units, a.judgements)
            for row in score.conditions
            if (a := row.agreement) and a.alpha is not None
        ),
        note="Of images that two evaluators or more judged.",
    )


def convincing(score: Score) -> Table:
    return Table(
        name=tabular.slug(score.protocol, "convincing"),
        title="Fakes at either end",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.words("Most convincing (called fake)", "most"),
            tabular.words("Least convincing", "least"),
        ),
        rows=tuple(
            (
                row.condition,
                _images(row.convincing.most if row.convincing else ()),
                _images(row.convincing.least if row.convincing else ()),
            )
            for row in score.conditions
        ),
        note=f"By the bounds of Wilson's interval, of fakes shown {FEWEST_SHOWN} times or more; "
        "hype score --image-table writes all images.",
    )


def _images(images: tuple[ImageScore, ...]) -> str:
    named = [
        f"{image.image} ({image.called_fake} of {image.shown})" for image in images[:_IMAGES_NAMED]
    ]
    return "\n".join(named)


def quest_plus(score: Score) -> Table:
    """Lay out how well QUEST+ knows the thresholds; no rows where it chose no exposure."""
    rows = [(row.condition, row.posteriors, row.staircases) for row in score.conditions]
    known = [(name, own, ends) for name, own, ends in rows if own and ends]
    at = f" at {known[0][1].at:.0%} correct" if known else ""
    return Table(
        name=tabular.slug(score.protocol, "quest-plus"),
        title="QUEST+",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Blocks", "blocks"),
            tabular.number("Posterior SD\n(doublings)", "posterior_sd_doublings", 2),
            tabular.whole(f"above\n{UNSURE:g}", "blocks_unsure"),
            tabular.share("not above\nfloor", "not_above_floor_share"),
            tabular.share("not below\nceiling", "not_below_ceiling_share"),
        ),
        rows=tuple(
            (
                name,
                own.blocks,
                own.sd_doublings,
                own.unsure,
                ends.shortest_share,
                ends.longest_share,
            )
            for name, own, ends in known
        ),
        note=f"A block scores the posterior mean of its threshold{at}. A doubling: a factor of 2.",
    )


def staircases(score: Score, *, whole: bool = False) -> Table:
    """Lay out the course of the staircases; ``whole``: with their last reversals, as in files."""
    last = max((row.reversals.last for row in score.conditions if row.reversals), default=0)
    at = settles_at(score)
    settles = f"At {at:.0%}" if at else "Settle point"
    return Table(
        name=tabular.slug(score.protocol, "staircases"),
        title="Staircases",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.interval(f"{settles}\n{score.confidence:.0%} CI", "settle_point_ci_*_ms"),
            *((tabular.number("Last rever-\nsals (ms)", "last_reversals_ms"),) if whole else ()),
            tabular.whole("Blocks", "blocks"),
            tabular.whole("without\nreversals", "blocks_without_reversals"),
            tabular.share("mode on\nfloor", "mode_on_floor_share"),
            tabular.share("on\nceiling", "mode_on_ceiling_share"),
            tabular.whole("tied", "tied_modes"),
        ),
        rows=tuple(
            _staircases_row(row, whole=whole) for row in score.conditions if not row.posteriors
        ),
        note=f"CI of settle points: with other evaluators. Mean of the last {last} reversals."
        if last and whole
        else "CI of settle points: with other evaluators.",
    )


def _staircases_row(row: ConditionScore, *, whole: bool) -> tuple[Value, ...]:
    stairs, turns = row.staircases, row.reversals
    reversals = (turns.reversals_ms if turns else None,) if whole else ()
    if stairs is None:
        return (row.condition, *(None,) * (6 + len(reversals)))
    return (
        row.condition,
        ends_of(row.settle_point.median if row.settle_point else None),
        *reversals,
        stairs.blocks,
        turns.blocks_without if turns else None,
        stairs.shortest_share,
        stairs.longest_share,
        stairs.tied_modes,
    )


MOST_IN_NUMBERS: Final = 10
"""With more conditions than these a cell has room for a sign only."""
NOT_TESTED: Final = "not tested"
_VERDICTS: Final = ("separable", "equivalent", "not known", None)
_SIGNS: Final = {"separable": "●", "equivalent": "=", "not known": "○", None: "·"}
_CLASSES: Final = {
    "separable": "separable",
    "equivalent": "equivalent",
    "not known": "alike",
    None: "untested",
}


@dataclass(frozen=True, kw_only=True)
class PairCell:
    """What was found of two conditions."""

    difference: str  # row less column, in words
    p: str  # in words
    # verdict, sign: whether the two can be told apart, in words and as one character
    verdict: str
    sign: str
    css_class: str  # the same for a style sheet
    said: str  # all of it in one sentence


@dataclass(frozen=True, kw_only=True)
class PairMatrix:
    """Pairs by their two conditions."""

    names: tuple[str, ...]  # all conditions, the best first: of the columns and of the rows
    # Each condition with one cell for each column, None on the diagonal
    rows: tuple[tuple[str, tuple[PairCell | None, ...]], ...]
    in_numbers: bool  # whether there is room for the differences
    signs: tuple[tuple[str, str, str], ...]  # those that occur, each with its class and its verdict


def pair_matrix(score: Score) -> PairMatrix | None:
    if not score.pairwise:
        return None
    cells: dict[tuple[str, str], PairCell] = {}
    for pair in score.pairwise:
        cells[pair.a, pair.b] = _cell(pair, score.unit, 1)
        cells[pair.b, pair.a] = _cell(pair, score.unit, -1)
    names = tuple(row.condition for row in score.conditions)
    verdicts = {pair.verdict for pair in score.pairwise}
    return PairMatrix(
        names=names,
        rows=tuple((a, tuple(cells.get((a, b)) for b in names)) for a in names),
        in_numbers=len(names) <= MOST_IN_NUMBERS,
        signs=tuple((_SIGNS[v], _CLASSES[v], v or NOT_TESTED) for v in _VERDICTS if v in verdicts),
    )


def _cell(pair: Pair, unit: str, direction: int) -> PairCell:
    row, column = (pair.a, pair.b)[::direction]
    difference = wording.number(direction * pair.difference)
    p, verdict = wording.probability(pair.p), pair.verdict or NOT_TESTED
    return PairCell(
        difference=difference,
        p=p,
        verdict=verdict,
        sign=_SIGNS[pair.verdict],
        css_class=_CLASSES[pair.verdict],
        said=f"{row} less {column}: {difference} {unit}, {p}, {verdict}",
    )
