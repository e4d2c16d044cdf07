"""The tables of HYPE's methods: the paper's, and those that we add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from hype.judges.tables import errors, summary
from hype.protocols.hype.block_scores import LAST, UNSURE
from hype.protocols.hype.results import Row, Rows, Score
from hype.protocols.hype.wording import (
    anova_name,
    anova_sentence,
    pairs_sentence,
    papers_sentence,
    protocol_name,
)
from hype.report import tabular, wording
from hype.report.tabular import Column, Table, tabulated, that_say_something
from hype.statistics.estimate import FEWEST_SHOWN

CONDITION: Final = tabular.name("Condition", "condition")


def _table(
    score: Score, name: str, title: str, rows: Sequence[object], *columns: Column, note: str = ""
) -> Table:
    """Make a table of one protocol, whose name begins with that of the protocol."""
    name = tabular.slug(score.protocol, name)
    return tabulated(rows, name=name, title=title, columns=columns, note=note)


def _ends(row: Row) -> tuple[float | None, float | None]:
    return row["low"], row["high"]


def _ci(score: Score, key: str, decimals: int = 1, of: tabular.Of = "") -> Column:
    return tabular.interval(f"{score.confidence:.0%} CI", key, decimals, of=of)


def conditions(score: Score) -> Table:
    """Lay out the scores as in the paper's tables, the best first."""
    settled = score.settles_at is not None
    return _table(
        score,
        "conditions",
        "Scores",
        score.conditions,
        tabular.whole("#", "rank"),
        CONDITION,
        tabular.number(protocol_name(score), "score", unit=score.unit),
        *([tabular.number("Threshold\n(ms)", "threshold", 0)] if settled else []),
        tabular.percent("Fakes\nerror", "fakes_error", factor=1),
        tabular.percent("Reals\nerror", "reals_error", factor=1),
        _ci(score, "", 0 if settled else 1, of="interval"),
        tabular.words("Group", "group"),
        tabular.whole("Eval", "evaluators"),
        tabular.whole("Judge-\nments", "judgements"),
        *tabular.further(
            tabular.number("Degrees of freedom", "df"),
            tabular.number("Std.", "std"),
            tabular.interval("Bootstrap", "bootstrap"),
            tabular.interval("BCa", "bca"),
            tabular.yes_or_no("Hyper-realistic", "hyper_realistic"),
            tabular.whole("Spoiled", "spoiled"),
            tabular.whole("Fakes shown seldom", "fakes_shown_seldom"),
        ),
        note="Conditions that share a letter are not known to differ." if score.letters else "",
    )


def papers_scores(score: Score) -> Table:
    """Arrange what the paper prints next to its scores, over evaluators alone."""
    return _table(
        score,
        "as-in-the-paper",
        "As the paper has it",
        score.conditions,
        CONDITION,
        tabular.number("Std.", "std"),
        tabular.interval(f"Bootstrap {score.confidence:.0%} CI", "bootstrap"),
        note=anova_sentence(score),
    )


def papers_test(score: Score) -> str:
    return "Tukey's HSD" if len(score.conditions) > 2 else "Unpaired t-test"


def papers_pairs(score: Score) -> Table:
    """Lay out the paper's test of every pair: Tukey's, or the unpaired t-test of two conditions."""
    return _table(
        score,
        "tukey",
        f"The paper's test of pairs: {papers_test(score)}",
        score.tests.pairwise,
        *_differences(score),
        tabular.probability("p", "p"),
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
    return _table(
        score,
        "precision",
        "Scores of other numbers of evaluators",
        score.precision,
        CONDITION,
        tabular.whole("Evaluators", "evaluators"),
        tabular.number("Std.", "std"),
        _ci(score, "", of=_ends),
    )


def pairs(score: Score) -> Table:
    """Lay out the verdicts."""
    return _table(
        score,
        "pairs",
        "Pairs of conditions",
        score.pairwise,
        *_differences(score),
        *tabular.further(
            tabular.number("Hedges' g", "hedges_g", 2),
            tabular.number("t", "statistic", 3),
            tabular.number("Degrees of freedom", "df"),
        ),
        tabular.probability("p", "p"),
        tabular.words("Verdict", "verdict"),
        *tabular.further(tabular.words("Not tested, because", "problem")),
        note=pairs_sentence(score),
    )


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
    return _table(
        score,
        "evaluators",
        "Evaluators",
        score.evaluators,
        CONDITION,
        tabular.name("Evaluator", "evaluator"),
        tabular.number(protocol_name(score), "score", unit=score.unit),
        tabular.percent("Fakes\nerror", "fakes_error", factor=1),
        tabular.percent("Reals\nerror", "reals_error", factor=1),
        tabular.whole("Judge-\nments", "judgements"),
        tabular.whole("Left out", "left_out"),
    )


def fakes_at_either_end(score: Score) -> Table:
    """Lay out the fakes at either end, one row for each image."""
    return _table(
        score,
        "fakes-at-either-end",
        "Fakes at either end",
        score.fakes,
        CONDITION,
        tabular.words("End", "end"),
        tabular.words("Image", "image"),
        tabular.whole("Shown", "shown"),
        tabular.whole("Called fake", "called_fake"),
        _ci(score, "called_fake_share", 2, of=_ends),
    )


_IMAGES_NAMED: Final = 2


def convincing(score: Score) -> Table:
    """Lay out the names of a few of them, one row for each condition."""
    rows = [
        {"condition": name}
        | {
            end: "\n".join(
                f"{row['image']} ({row['called_fake']} of {row['shown']})"
                for row in fakes_of(score, name, end)[:_IMAGES_NAMED]
            )
            for end in ("most", "least")
        }
        for name in score.names
    ]
    return _table(
        score,
        "convincing",
        "Fakes at either end",
        rows,
        CONDITION,
        tabular.words("Most convincing (called fake)", "most"),
        tabular.words("Least convincing", "least"),
        note=f"By the bounds of Wilson's interval, of fakes shown {FEWEST_SHOWN} times or more; "
        "hype score --image-table writes all images.",
    )


def fakes_of(score: Score, condition: str, end: str) -> Rows:
    """Give the fakes of a condition at one end, the extreme one first."""
    return tuple(r for r in score.fakes if r["condition"] == condition and r["end"] == end)


def two_way(score: Score) -> Table:
    """Lay out the bootstrap of evaluators and images together, where it was asked for."""
    return _table(
        score,
        "two-way",
        "Other intervals",
        score.two_way,
        CONDITION,
        tabular.number("Std.\n× images", "std"),
        tabular.interval("CI\n× images", "", of=_ends),
        note="× images: the bootstrap of evaluators and images together.",
    )


def selection(score: Score) -> Table:
    """Arrange how the qualification selected the scored evaluators, if it turned anybody away."""
    turned_away = any(row["turned_away"] for row in score.selections)
    return _table(
        score,
        "qualification",
        "Qualification",
        score.selections if turned_away else (),
        CONDITION,
        tabular.whole("Took it", "came"),
        tabular.whole("Turned\naway", "turned_away"),
        tabular.percent("Error\nof all", "error_of_all", factor=1),
        tabular.percent("Error of those\nwho passed", "error_of_passed", factor=1),
        note="Errors on the images of the qualification, all that both groups judged. Those who "
        "passed were chosen by these answers, and so partly by luck.",
    )


def answers(score: Score) -> Table:
    return _table(
        score,
        "answers",
        "Answers",
        score.answers,
        CONDITION,
        tabular.number("d′", "d_prime", 2),
        _ci(score, "d_prime", 2),
        tabular.number("c", "criterion", 2),
        _ci(score, "criterion", 2),
        note="d′ and criterion c (above 0: says real more often) are means over evaluators.",
    )


def agreement(score: Score) -> Table:
    """Lay out how far the evaluators of each condition agree, and of how many that is."""
    return _table(
        score,
        "agreement",
        "Do evaluators agree? Krippendorff's α",
        score.agreement,
        CONDITION,
        tabular.number("α", "alpha", 2),
        _ci(score, "alpha", 2),
        tabular.whole("Eval", "evaluators"),
        tabular.whole("Images", "images", of="units"),
        tabular.whole("Judge-\nments", "judgements", of="n"),
        note="Of images that two evaluators or more judged.",
    )


def quest_plus(score: Score) -> Table:
    """Lay out how well QUEST+ knows the thresholds; no rows where it chose no exposure."""
    at = next((f" at {row['at']:.0%} correct" for row in score.quest_plus), "")
    return _table(
        score,
        "quest-plus",
        "QUEST+",
        score.quest_plus,
        CONDITION,
        tabular.whole("Blocks", "blocks"),
        tabular.number("Posterior SD\n(doublings)", "posterior_sd_doublings", 2, of="sd_doublings"),
        tabular.whole(f"above\n{UNSURE:g}", "blocks_unsure", of="unsure"),
        tabular.share("not above\nfloor", "not_above_floor_share", of="floor_share"),
        tabular.share("not below\nceiling", "not_below_ceiling_share", of="ceiling_share"),
        *tabular.further(tabular.number("At", "settles_at", 3, of="at")),
        note=f"A block scores the posterior mean of its threshold{at}. A doubling: a factor of 2.",
    )


def staircases(score: Score) -> Table:
    """Lay out the course of the staircases."""
    settles = f"At {score.settles_at:.0%}" if score.settles_at else "Settle point"
    return _table(
        score,
        "staircases",
        "Staircases",
        score.staircases,
        CONDITION,
        *tabular.further(tabular.number("Settle point", "settle_point", of="median")),
        tabular.interval(f"{settles}\n{score.confidence:.0%} CI", "settle_point", of="median"),
        *tabular.further(tabular.number(f"Last {LAST} reversals (ms)", "last_reversals")),
        tabular.whole("Blocks", "blocks"),
        tabular.whole("without\nreversals", "blocks_without_reversals"),
        tabular.share("mode on\nfloor", "mode_on_floor_share", of="floor_share"),
        tabular.share("on\nceiling", "mode_on_ceiling_share", of="ceiling_share"),
        tabular.whole("tied", "tied_modes"),
        *tabular.further(
            tabular.whole("Few reversals", "few_reversals"),
            tabular.whole("Mode in passing", "mode_in_passing"),
            tabular.number("Settles at", "settles_at", 3, of="at"),
            tabular.words("Settle point beyond", "settle_point_beyond", of="beyond"),
            tabular.whole("Evaluators without one", "without"),
            tabular.whole("Accuracy falls", "falling"),
        ),
        note="CI of settle points: with other evaluators.",
    )


def thresholds(score: Score) -> Iterator[Table]:
    if not score.thresholds:
        return
    yield _table(
        score,
        "thresholds",
        f"Exposure at which {score.thresholds[0]['at']:.0%} are judged correctly (ms)",
        score.thresholds,
        CONDITION,
        tabular.number(
            "Evaluators'\nmedian",
            "median",
            of=lambda row: wording.beyond(row["beyond"]) or row["median"],
        ),
        _ci(score, "median"),
        tabular.whole("Evaluators\nwithout", "evaluators_without", of="without"),
        note="Median over evaluators of the threshold of each one's own psychometric function; "
        "beside it, how many have none.",
    )


def evaluators_thresholds(score: Score) -> Table:
    """Lay out the psychometric function of each evaluator, and why some have no threshold."""
    return _table(
        score,
        "evaluators-thresholds",
        "Thresholds of evaluators",
        score.evaluators_thresholds,
        CONDITION,
        tabular.name("Evaluator", "evaluator"),
        tabular.number("Threshold", "threshold", unit="ms", of="threshold_ms"),
        _ci(score, "threshold", of=lambda row: (row["ci_low"], row["ci_high"])),
        tabular.number("Slope", "slope", 2),
        tabular.share("Lapses", "lapse_share", of="lapse"),
        tabular.number("Deviance", "deviance", 1),
        tabular.whole("Trials", "trials"),
        tabular.words("Why none", "reason"),
    )


def metrics(score: Score) -> Iterator[Table]:
    if score.metrics:
        yield correlations(
            score.metrics, name=tabular.slug(score.protocol, "metrics"), title="Automated metrics"
        )
    if score.against_time:
        title = "HYPE_∞ against HYPE_time"
        yield correlations([score.against_time], name="infinity-against-time", title=title)


def correlations(metrics: Sequence[Row], *, name: str, title: str) -> Table:
    points = "Points" if "classes" in metrics[0]["method"] else "Conditions"
    having: dict[str, list[str]] = {}
    for metric in metrics:
        having.setdefault(metric["problem"], []).append(metric["metric"])
    problems = (f"{', '.join(names)}: {why}" for why, names in having.items() if why)
    return tabular.tabulated(
        metrics,
        name=name,
        title=title,
        columns=(
            tabular.name("Metric", "metric"),
            tabular.whole(points, "conditions", of="n"),
            tabular.number("Spear-\nman's ρ", "spearman_rho", 3),
            tabular.interval(
                "95% CI", "spearman", 2, of=lambda row: (row["spearman_low"], row["spearman_high"])
            ),
            tabular.number("p", "spearman_p", 3),
            tabular.number("Kendall's\nτ-b", "kendall_tau", 3),
            tabular.number("p", "kendall_p", 3),
            *tabular.further(
                tabular.words("Method", "method"), tabular.words("Why none", "problem")
            ),
        ),
        note=" ".join([f"p by {metrics[0]['method'] or 'permutation'}.", *problems]),
    )


def response_times(score: Score, times: Rows) -> Table:
    """Lay out the response times of one protocol."""
    return _table(
        score,
        "response-times",
        "Response times",
        times,
        CONDITION,
        tabular.number("Median", "median", 0, unit="ms"),
        tabular.interval("Quartiles", "quartile", 0, unit="ms", of="quartiles"),
        tabular.number("By\nevaluator", "evaluators_median", 0, unit="ms"),
        tabular.interval("95% CI", "evaluators_median", 0, unit="ms", of="evaluators_interval"),
        tabular.whole("Below\n200\N{NO-BREAK SPACE}ms", "below_200_ms", of="too_fast"),
        tabular.whole("Above\n60\N{NO-BREAK SPACE}s", "above_60_s", of="too_slow"),
        tabular.whole("Missing", "missing"),
        note="Quartiles over judgements. By evaluator: the median of their medians, with its 95% "
        "interval. Times below 200 ms and above 60 s are counted, and not left out.",
    )


def of_judges(score: Score) -> tuple[Table, ...]:
    """Lay out judges: how far they agree with people, and what they err in."""
    if score.judges is None:
        return ()

    every = (summary(score.judges), errors(score.judges))
    return tuple(replace(table, name=tabular.slug(score.protocol, table.name)) for table in every)


def list_details(score: Score, *images: Table) -> Iterator[Table]:
    yield selection(score)
    if score.protocol == "time":
        yield staircases(score)
        yield quest_plus(score)
        yield from thresholds(score)
    else:
        yield answers(score)
        yield agreement(score)
    yield from images
    yield from metrics(score)


def page_tables(score: Score) -> tuple[Table, ...]:
    """List those of the page, which shows the fakes at either end as pictures."""
    return that_say_something((*list_details(score), papers_scores(score), papers_pairs(score)))


def every_table(score: Score) -> tuple[Table, ...]:
    """List all tables of a score, also those that say nothing."""
    return (
        conditions(score),
        two_way(score),
        *list_details(score, fakes_at_either_end(score)),
        papers_scores(score),
        papers_pairs(score),
        *tests(score),
        pairs(score),
        evaluators(score),
        evaluators_thresholds(score),
        precision(score),
        *of_judges(score),
    )


def file_tables(score: Score) -> tuple[Table, ...]:
    """List the tables that are written to files; each title names the protocol."""
    protocol = protocol_name(score)
    return tuple(
        replace(table, title=f"{protocol}: {table.title}")
        for table in that_say_something(every_table(score))
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


def pair_matrix(score: Score) -> dict[str, Any] | None:
    """Arrange the pairs by their two conditions, the best first: of the columns and of the rows.

    Each row has one cell for each column, None on the diagonal: what was found of the row less the
    column, in words, as one sign, and as a class of the style sheet. ``signs``: those that occur,
    each with its class and its verdict. ``in_numbers``: whether there is room for differences.
    """
    if not score.pairwise:
        return None
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for pair in score.pairwise:
        p, verdict = wording.probability(pair.p), pair.verdict or NOT_TESTED
        for row, column, sign in ((pair.a, pair.b, 1), (pair.b, pair.a, -1)):
            difference = wording.number(sign * pair.difference)
            cells[row, column] = {
                "difference": difference,
                "p": p,
                "verdict": verdict,
                "sign": _SIGNS[pair.verdict],
                "css_class": _CLASSES[pair.verdict],
                "said": f"{row} less {column}: {difference} {score.unit}, {p}, {verdict}",
            }
    verdicts = {pair.verdict for pair in score.pairwise}
    return {
        "names": score.names,
        "rows": [(a, [cells.get((a, b)) for b in score.names]) for a in score.names],
        "in_numbers": len(score.names) <= MOST_IN_NUMBERS,
        "signs": [(_SIGNS[v], _CLASSES[v], v or NOT_TESTED) for v in _VERDICTS if v in verdicts],
    }
