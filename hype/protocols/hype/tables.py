"""The tables of HYPE's methods: the paper's, and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from hype.protocols.hype.block_scores import UNSURE
from hype.protocols.hype.images import ImageScore
from hype.protocols.hype.results import ConditionScore, Score
from hype.protocols.hype.wording import (
    anova_name,
    anova_sentence,
    papers_sentence,
    protocol_name,
    settles_at,
)
from hype.report import tabular, wording
from hype.report.tabular import Column, Interval, Table, tabulated
from hype.statistics.estimate import FEWEST_SHOWN
from hype.statistics.pairs import Pair

THRESHOLD: Final = "Threshold\n(ms)"


def conditions(score: Score) -> Table:
    """Lay out the scores as in the paper's tables, the best first."""
    at, letters = settles_at(score), score.letters or {}
    ranks = {row.condition: rank for rank, row in enumerate(score.conditions, start=1)}
    decimals = 1 if at is None else 0
    return tabulated(
        score.conditions,
        name=tabular.slug(score.protocol, "conditions"),
        title="Scores",
        columns=(
            tabular.whole("#", "rank", of=lambda row: ranks[row.condition]),
            tabular.name("Condition", "condition"),
            tabular.number(protocol_name(score), "score", unit=score.unit),
            *([] if at is None else [tabular.number(THRESHOLD, "threshold", 0, of=threshold)]),
            tabular.percent("Fakes\nerror", "fakes_error", factor=1),
            tabular.percent("Reals\nerror", "reals_error", factor=1),
            tabular.interval(f"{score.confidence:.0%} CI", "", decimals, of="interval"),
            tabular.words("Group", "group", of=lambda row: letters.get(row.condition)),
            tabular.whole("Eval", "evaluators"),
            tabular.whole("Judge-\nments", "judgements"),
            *tabular.further(
                tabular.number("Degrees of freedom", "df"),
                tabular.number("Std.", "std"),
                tabular.interval("Bootstrap", "bootstrap", of=bootstrap),
                tabular.interval("BCa", "bca", of=bca),
                tabular.yes_or_no("Hyper-realistic", "hyper_realistic"),
                tabular.whole("Spoiled", "spoiled"),
                tabular.whole("Fakes shown seldom", "fakes_shown_seldom", of="convincing.seldom"),
            ),
        ),
        note="Conditions that share a letter are not known to differ." if score.letters else "",
    )


def bootstrap(row: ConditionScore) -> Interval:
    return (row.bootstrap.ci_low, row.bootstrap.ci_high) if row.bootstrap else (None, None)


def bca(row: ConditionScore) -> Interval:
    return (row.bootstrap.bca_low, row.bootstrap.bca_high) if row.bootstrap else (None, None)


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
    return tabulated(
        score.conditions,
        name=tabular.slug(score.protocol, "as-in-the-paper"),
        title="As the paper has it",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Std.", "std"),
            tabular.interval(f"Bootstrap {score.confidence:.0%} CI", "bootstrap", of=bootstrap),
        ),
        note=anova_sentence(score),
    )


def papers_test(score: Score) -> str:
    return "Tukey's HSD" if len(score.conditions) > 2 else "Unpaired t-test"


def papers_pairs(score: Score) -> Table:
    """Lay out the paper's test of every pair: Tukey's, or the unpaired t-test of two conditions."""
    return tabulated(
        score.tests.pairwise,
        name=tabular.slug(score.protocol, "tukey"),
        title=f"The paper's test of pairs: {papers_test(score)}",
        columns=(*_differences(score), tabular.probability("p", "p")),
        note=papers_sentence(score),
    )


def tests(score: Score) -> tuple[Table, Table]:
    """Lay out the analyses of variance: the paper's, and Welch's."""
    anova, welch = score.anova, score.tests.welch
    degrees = (
        tabular.whole("Degrees of freedom", "df_between"),
        tabular.number("within", "df_within", 1),
        tabular.probability("p", "p"),
    )
    return (
        tabulated(
            [anova] if anova else [],
            name=tabular.slug(score.protocol, "anova"),
            title="The paper's analysis of variance",
            columns=(
                tabular.name("Test", "test", of=anova_name),
                tabular.number("F", "f", 3),
                *degrees,
                tabular.number("η²", "eta_squared", 3),
                tabular.number("ω²", "omega_squared", 3),
                tabular.number("ε", "epsilon", 3),
            ),
        ),
        tabulated(
            [welch] if welch else [],
            name=tabular.slug(score.protocol, "welch"),
            title="Welch's analysis of variance",
            columns=(
                tabular.name("Test", "test", of=lambda _row: "Welch's ANOVA"),
                tabular.number("F", "f", 3),
                *degrees,
                tabular.words("Not computed, because", "problem"),
            ),
        ),
    )


def precision(score: Score) -> Table:
    """Lay out how the spread of scores depends on how many evaluators there are."""
    return tabulated(
        [(row.condition, one) for row in score.conditions for one in row.precision],
        name=tabular.slug(score.protocol, "precision"),
        title="Scores of other numbers of evaluators",
        columns=(
            tabular.name("Condition", "condition", of=lambda row: row[0]),
            tabular.whole("Evaluators", "evaluators", of=lambda row: row[1].evaluators),
            tabular.number("Std.", "std", of=lambda row: row[1].std),
            tabular.interval(
                f"{score.confidence:.0%} CI", "", of=lambda row: (row[1].ci_low, row[1].ci_high)
            ),
        ),
    )


def pairs(score: Score) -> Table:
    """Lay out the verdicts."""
    return tabulated(
        score.pairwise,
        name=tabular.slug(score.protocol, "pairs"),
        title="Pairs of conditions",
        columns=(
            *_differences(score),
            *tabular.further(
                tabular.number("Hedges' g", "hedges_g", 2),
                tabular.number("t", "statistic", 3),
                tabular.number("Degrees of freedom", "df"),
            ),
            tabular.probability("p", "p"),
            tabular.words("Verdict", "verdict"),
            *tabular.further(tabular.words("Not tested, because", "problem")),
        ),
    )


def ends_of_difference(pair: Pair) -> Interval:
    return pair.ci_low, pair.ci_high


def _differences(score: Score) -> tuple[Column, ...]:
    return (
        tabular.name("Condition", "a"),
        tabular.name("against", "b"),
        tabular.number("Difference", "difference", unit=score.unit),
        tabular.interval(
            f"{1 - score.alpha:.0%} CI", "", of=lambda pair: (pair.ci_low, pair.ci_high)
        ),
    )


def evaluators(score: Score) -> Table:
    """Lay out every evaluator's own score, under the code by which the record knows them."""
    return tabulated(
        [(row.condition, one) for row in score.conditions for one in row.evaluator_scores],
        name=tabular.slug(score.protocol, "evaluators"),
        title="Evaluators",
        columns=(
            tabular.name("Condition", "condition", of=lambda row: row[0]),
            tabular.name("Evaluator", "evaluator", of=lambda row: row[1].evaluator),
            tabular.number(
                protocol_name(score), "score", unit=score.unit, of=lambda row: row[1].score
            ),
            tabular.percent(
                "Fakes\nerror", "fakes_error", of=lambda row: row[1].counts.fakes_error, factor=1
            ),
            tabular.percent(
                "Reals\nerror", "reals_error", of=lambda row: row[1].counts.reals_error, factor=1
            ),
            tabular.whole("Judge-\nments", "judgements", of=lambda row: row[1].counts.judgements),
            tabular.whole("Left out", "left_out", of=lambda row: row[1].left_out),
        ),
    )


def images(score: Score) -> Table:
    """Lay out the fakes at either end, one row for each image."""
    rows = [
        (row.condition, end, image)
        for row in score.conditions
        if row.convincing
        for end, listed in (("most", row.convincing.most), ("least", row.convincing.least))
        for image in listed
    ]
    return tabulated(
        rows,
        name=tabular.slug(score.protocol, "fakes-at-either-end"),
        title="Fakes at either end",
        columns=(
            tabular.name("Condition", "condition", of=itemgetter(0)),
            tabular.words("End", "end", of=itemgetter(1)),
            tabular.words("Image", "image", of=lambda row: row[2].image),
            tabular.whole("Shown", "shown", of=lambda row: row[2].shown),
            tabular.whole("Called fake", "called_fake", of=lambda row: row[2].called_fake),
            tabular.interval(
                f"{score.confidence:.0%} CI",
                "called_fake_share",
                2,
                of=lambda row: (row[2].low, row[2].high),
            ),
        ),
    )


_IMAGES_NAMED: Final = 2


def over_both(score: Score) -> Table:
    """Lay out the bootstrap of evaluators and images together, where it was asked for."""
    return tabulated(
        [(row.condition, both) for row in score.conditions if (both := row.two_way)],
        name=tabular.slug(score.protocol, "two-way"),
        title="Other intervals",
        columns=(
            tabular.name("Condition", "condition", of=lambda row: row[0]),
            tabular.number("Std.\n× images", "std", of=lambda row: row[1].std),
            tabular.interval("CI\n× images", "", of=lambda row: (row[1].ci_low, row[1].ci_high)),
        ),
        note="× images: the bootstrap of evaluators and images together.",
    )


def selection(score: Score) -> Table:
    """Lay out what the qualification did to who is scored, where it turned anybody away."""
    turned_away = any(row.turned_away for row in score.selections)
    return tabulated(
        score.selections if turned_away else (),
        name=tabular.slug(score.protocol, "qualification"),
        title="Qualification",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Took it", "came"),
            tabular.whole("Turned\naway", "turned_away"),
            tabular.percent("Error\nof all", "error_of_all", factor=1),
            tabular.percent("Error of those\nwho passed", "error_of_passed", factor=1),
        ),
        note="Errors on the images of the qualification, all that both groups judged. Those who "
        "passed were chosen by these answers, and so partly by luck.",
    )


def answers(score: Score) -> Table:
    confidence = f"{score.confidence:.0%} CI"
    return tabulated(
        score.conditions,
        name=tabular.slug(score.protocol, "answers"),
        title="Answers",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("d′", "d_prime", 2, of="signal_detection.d_prime"),
            tabular.interval(confidence, "d_prime", 2, of="signal_detection.d_prime"),
            tabular.number("c", "criterion", 2, of="signal_detection.criterion"),
            tabular.interval(confidence, "criterion", 2, of="signal_detection.criterion"),
        ),
        note="d′ and criterion c (above 0: says real more often) are means over evaluators.",
    )


def agreement(score: Score) -> Table:
    """Lay out how far the evaluators of each condition agree, and of how many that is."""
    return tabulated(
        [r for r in score.conditions if r.agreement and r.agreement.alpha is not None],
        name=tabular.slug(score.protocol, "agreement"),
        title="Do evaluators agree? Krippendorff's α",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("α", "alpha", 2, of="agreement.alpha"),
            tabular.interval(
                f"{score.confidence:.0%} CI",
                "alpha",
                2,
                of=lambda row: (row.agreement.low, row.agreement.high),
            ),
            tabular.whole("Eval", "evaluators", of="agreement.evaluators"),
            tabular.whole("Images", "images", of="agreement.units"),
            tabular.whole("Judge-\nments", "judgements", of="agreement.judgements"),
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
    known = [row for row in score.conditions if row.posteriors and row.staircases]
    at = next((f" at {row.posteriors.at:.0%} correct" for row in known if row.posteriors), "")
    return tabulated(
        known,
        name=tabular.slug(score.protocol, "quest-plus"),
        title="QUEST+",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Blocks", "blocks", of="posteriors.blocks"),
            tabular.number(
                "Posterior SD\n(doublings)",
                "posterior_sd_doublings",
                2,
                of="posteriors.sd_doublings",
            ),
            tabular.whole(f"above\n{UNSURE:g}", "blocks_unsure", of="posteriors.unsure"),
            tabular.share(
                "not above\nfloor", "not_above_floor_share", of="staircases.shortest_share"
            ),
            tabular.share(
                "not below\nceiling", "not_below_ceiling_share", of="staircases.longest_share"
            ),
            *tabular.further(tabular.number("At", "settles_at", 3, of="posteriors.at")),
        ),
        note=f"A block scores the posterior mean of its threshold{at}. A doubling: a factor of 2.",
    )


def settle_point_beyond(row: ConditionScore) -> str | None:
    return row.settle_point.median_beyond if row.settle_point else None


def staircases(score: Score) -> Table:
    """Lay out the course of the staircases."""
    last = max((row.reversals.last for row in score.conditions if row.reversals), default=0)
    at = settles_at(score)
    settles = f"At {at:.0%}" if at else "Settle point"
    return tabulated(
        [row for row in score.conditions if not row.posteriors],
        name=tabular.slug(score.protocol, "staircases"),
        title="Staircases",
        columns=(
            tabular.name("Condition", "condition"),
            *tabular.further(
                tabular.number("Settle point", "settle_point", of="settle_point.median")
            ),
            tabular.interval(
                f"{settles}\n{score.confidence:.0%} CI", "settle_point", of="settle_point.median"
            ),
            *tabular.further(
                tabular.number(
                    f"Last {last} reversals (ms)", "last_reversals", of="reversals.reversals_ms"
                )
            ),
            tabular.whole("Blocks", "blocks", of="staircases.blocks"),
            tabular.whole(
                "without\nreversals", "blocks_without_reversals", of="reversals.blocks_without"
            ),
            tabular.share("mode on\nfloor", "mode_on_floor_share", of="staircases.shortest_share"),
            tabular.share("on\nceiling", "mode_on_ceiling_share", of="staircases.longest_share"),
            tabular.whole("tied", "tied_modes", of="staircases.tied_modes"),
            *tabular.further(
                tabular.whole("Few reversals", "few_reversals", of="unsettled.few_reversals"),
                tabular.whole("Mode in passing", "mode_in_passing", of="unsettled.mode_in_passing"),
                tabular.number("Settles at", "settles_at", 3, of="settle_point.at"),
                tabular.words("Settle point beyond", "settle_point_beyond", settle_point_beyond),
                tabular.whole("Evaluators without one", "without", of="settle_point.without"),
                tabular.whole("Accuracy falls", "falling", of="settle_point.falling"),
            ),
        ),
        note="CI of settle points: with other evaluators.",
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
