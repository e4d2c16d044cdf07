"""The tables of HYPE's methods and their columns: those of the paper, and our additions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hype.judges.results import DetectorAgreement, JudgesScore
from hype.judges.tables import errors, summary
from hype.protocols.hype.block_scores import LAST, UNSURE
from hype.protocols.hype.condition_scores import ALPHA, CONFIDENCE
from hype.protocols.hype.separability import Separability
from hype.protocols.hype.wording import (
    DIFFERENCE_UNITS,
    METHOD_NAMES,
    SCORE_UNITS,
    anova_name,
    anova_sentence,
    pairs_sentence,
    papers_sentence,
    settles_at,
)
from hype.report import tabular, wording
from hype.report.tabular import Column, Row, Rows, Table, tabulate
from hype.statistics.estimate import FEWEST_SHOWN, ends_of
from hype.statistics.pairs import Pair

CONDITION: Final = tabular.name("Condition", "condition")


def _table(
    protocol: str, name: str, title: str, rows: Sequence[object], *columns: Column, note: str = ""
) -> Table:
    """Make a table of one protocol; the table's name starts with the protocol's name."""
    name = tabular.slug(protocol, name)
    return tabulate(rows, name=name, title=title, columns=columns, note=note)


def _ends(row: Row) -> tuple[float | None, float | None]:
    return row["low"], row["high"]


def _ci(key: str, decimals: int = 1, of: tabular.Of = "") -> Column:
    return tabular.interval(f"{CONFIDENCE:.0%} CI", key, decimals, of=of)


def conditions(protocol: str, rows: Rows, *, settled: bool) -> Table:
    """Lay out the scores as in the paper's tables, the best first.

    ``settled``: whether the accuracy where the staircases settle is known.
    """
    lettered = any(row["group"] for row in rows)
    return _table(
        protocol,
        "conditions",
        "Scores",
        rows,
        tabular.whole("#", "rank"),
        CONDITION,
        tabular.number(METHOD_NAMES[protocol], "score", unit=SCORE_UNITS[protocol]),
        *([tabular.number("Threshold", "threshold", 0, unit="ms")] if settled else []),
        tabular.percent("Fakes\nerror", "fakes_error", factor=1),
        tabular.percent("Reals\nerror", "reals_error", factor=1),
        _ci("", 0 if settled else 1, of="interval"),
        tabular.words("Group", "group"),
        tabular.whole("Evalu-\nators", "evaluators"),
        tabular.whole("Judge-\nments", "judgements"),
        *tabular.further(
            tabular.number("Degrees of freedom", "df"),
            tabular.number("Std.", "std", measure=SCORE_UNITS[protocol]),
            tabular.interval("Bootstrap", "bootstrap"),
            tabular.interval("BCa", "bca"),
            tabular.yes_or_no("Hyper-realistic", "hyper_realistic"),
            tabular.whole("Spoiled", "spoiled"),
            tabular.whole("Fakes shown rarely", "fakes_shown_seldom"),
        ),
        note="Conditions that share a letter are not separable." if lettered else "",
    )


def papers_scores(protocol: str, rows: Rows, found: Separability) -> Table:
    """Lay out the paper's spreads and intervals, which generalise to other evaluators only."""
    return _table(
        protocol,
        "as-in-the-paper",
        "As in Zhou et al., generalising to other evaluators only",
        rows,
        CONDITION,
        tabular.number("Std.", "std", measure=SCORE_UNITS[protocol]),
        tabular.interval(f"Bootstrap {CONFIDENCE:.0%} CI", "bootstrap"),
        note=anova_sentence(rows, found),
    )


def papers_test(pairs: Sequence[Pair]) -> str:
    return "Unpaired t-test" if len(pairs) == 1 else "Tukey's HSD"


def papers_pairs(protocol: str, papers: Sequence[Pair], ours: Sequence[Pair], images: str) -> Table:
    """Lay out the paper's test of every pair: Tukey's, or the unpaired t-test of two conditions."""
    test = papers_test(papers)
    table = _table(
        protocol,
        "tukey",
        f"The paper's test of pairs, generalising to other evaluators only: {test}",
        papers,
        *_differences(protocol),
        tabular.probability("p", "p"),
        note=papers_sentence(ours, papers, protocol=protocol, images=images),
    )
    return table if len(papers) > 1 else replace(table, file=tabular.slug(protocol, test))


def tests(protocol: str, found: Separability) -> tuple[Table, Table]:
    """Lay out the analyses of variance: the paper's, and Welch's."""
    degrees = (
        tabular.whole("Degrees of freedom between", "df_between"),
        tabular.number("Degrees of freedom within", "df_within", 1),
        tabular.probability("p", "p"),
    )
    return (
        _table(
            protocol,
            "anova",
            "The paper's analysis of variance",
            [found.anova] if found.anova else [],
            tabular.name("Test", "test", of=anova_name),
            tabular.number("F", "f", 3),
            *degrees,
            tabular.number("η²", "eta_squared", 3),
            tabular.number("ω²", "omega_squared", 3),
            tabular.number("ε", "epsilon", 3),
        ),
        _table(
            protocol,
            "welch",
            "Welch's analysis of variance",
            [found.welch] if found.welch else [],
            tabular.name("Test", "test", of=lambda _row: "Welch's ANOVA"),
            tabular.number("F", "f", 3),
            *degrees,
            tabular.words("Not computed, because", "problem"),
        ),
    )


def precision(protocol: str, rows: Rows) -> Table:
    """Lay out how the spread of scores depends on the number of evaluators."""
    return _table(
        protocol,
        "precision",
        "Precision with other numbers of evaluators",
        rows,
        CONDITION,
        tabular.whole("Evaluators", "evaluators"),
        tabular.number("Std.", "std", measure=SCORE_UNITS[protocol]),
        _ci("", of=_ends),
    )


def pairs(
    protocol: str, found: Sequence[Pair], images: str, margin: float | None, *, same_mix: bool
) -> Table:
    return _table(
        protocol,
        "pairs",
        "Pairs of conditions",
        found,
        *_differences(protocol),
        *tabular.further(
            tabular.number("Hedges' g", "hedges_g", 2),
            tabular.number("q" if len(found) > 1 else "t", "statistic", 3),
            tabular.number("Degrees of freedom", "df"),
        ),
        tabular.probability("p", "p"),
        tabular.words("Verdict", "verdict"),
        *tabular.further(tabular.words("Not tested, because", "problem")),
        note=pairs_sentence(
            found,
            protocol=protocol,
            images=images,
            alpha=ALPHA,
            margin=margin,
            same_mix=same_mix,
        ),
    )


def _differences(protocol: str) -> tuple[Column, ...]:
    return (
        tabular.name("Condition", "a"),
        tabular.name("against", "b"),
        tabular.number("Difference", "difference", unit=DIFFERENCE_UNITS[protocol]),
        tabular.interval(f"{1 - ALPHA:.0%} CI", "", of=lambda pair: (pair.ci_low, pair.ci_high)),
    )


def evaluators(protocol: str, rows: Rows) -> Table:
    """Lay out the score of every evaluator, with their code in the record."""
    return _table(
        protocol,
        "evaluators",
        "Evaluators",
        rows,
        CONDITION,
        tabular.name("Evaluator", "evaluator"),
        tabular.number(METHOD_NAMES[protocol], "score", unit=SCORE_UNITS[protocol]),
        tabular.percent("Fakes\nerror", "fakes_error", factor=1),
        tabular.percent("Reals\nerror", "reals_error", factor=1),
        tabular.whole("Judge-\nments", "judgements"),
        tabular.whole("Left out", "left_out"),
    )


def fakes_at_either_end(protocol: str, rows: Rows) -> Table:
    """Lay out the most and the least convincing fakes, one row for each image."""
    return _table(
        protocol,
        "fakes-at-either-end",
        "Most and least convincing fakes",
        rows,
        CONDITION,
        tabular.words("Taken for\nreal", "end"),
        tabular.words("Image", "image"),
        tabular.whole("Shown", "shown"),
        tabular.whole("Called fake", "called_fake"),
        tabular.interval(f"Share,\n{CONFIDENCE:.0%} CI", "called_fake_share", 2, of=_ends),
        note=f"Fakes shown at least {FEWEST_SHOWN} times. The CIs of the most convincing fakes "
        "have the lowest upper ends; those of the least convincing fakes have the highest lower "
        "ends. hype score --image-table writes all images.",
    )


def two_way(protocol: str, rows: Rows) -> Table:
    """Lay out the bootstrap of evaluators and images together, if requested."""
    return _table(
        protocol,
        "two-way",
        "Other intervals",
        rows,
        CONDITION,
        tabular.number("Std.\n× images", "std", measure=SCORE_UNITS[protocol]),
        tabular.interval("CI\n× images", "", of=_ends),
        note="Columns “× images” come from a bootstrap over both evaluators and images.",
    )


def selection(protocol: str, rows: Rows) -> Table:
    """Lay out the effect of the qualification, if it turned people away."""
    turned_away = any(row["turned_away"] for row in rows)
    return _table(
        protocol,
        "qualification",
        "Qualification",
        rows if turned_away else (),
        tabular.name("Assigned to", "condition"),
        tabular.whole("Took it", "came"),
        tabular.whole("Turned\naway", "turned_away"),
        tabular.percent("Error\nof all", "error_of_all", factor=1),
        tabular.percent("Error of those\nwho passed", "error_of_passed", factor=1),
        note="Errors on the images of the qualification, which everyone judged. Only people with "
        "few errors passed, so the last column is lower partly by chance.",
    )


def answers(protocol: str, rows: Rows) -> Table:
    return _table(
        protocol,
        "answers",
        "d′ and criterion c",
        rows,
        CONDITION,
        tabular.number("d′", "d_prime", 2),
        _ci("d_prime", 2),
        tabular.number("c", "criterion", 2),
        _ci("criterion", 2),
        note="d′ and criterion c (above 0: people say real more often) are means over evaluators.",
    )


def confidence(protocol: str, rows: Rows) -> Table:
    """Lay out whether evaluators are more confident when they are right."""
    return _table(
        protocol,
        "confidence-areas",
        "Confidence",
        rows,
        CONDITION,
        tabular.number("Area under\nthe ROC", "type1_area", 3, of="type1"),
        _ci("type1_area", 3, of="type1"),
        tabular.number("Type-2\narea", "type2_area", 3, of="type2"),
        _ci("type2_area", 3, of="type2"),
        tabular.number("Mean when\nright", "mean_right", 2, of="right"),
        tabular.number("Mean when\nwrong", "mean_wrong", 2, of="wrong"),
        note="Area under the ROC: how often a person is more confident that a fake is fake than "
        "that a real image is fake. Type 2: how often a person is more confident of a right answer "
        "than of a wrong one. Both compare two answers of one person; chance gives 0.5; the "
        "intervals generalise to other people. Confidence is a step (1 is the least confident) or "
        "a mark on the slider, from 0 to 100. Equal confidence counts as half.",
    )


def calibration(protocol: str, rows: Rows) -> Table:
    return _table(
        protocol,
        "calibration",
        "Right answers by confidence",
        rows,
        CONDITION,
        tabular.whole("Confidence", "confidence"),
        tabular.percent("Right", "right"),
        tabular.percents(f"{CONFIDENCE:.0%} CI", "right"),
        tabular.whole("Judge-\nments", "judgements"),
        note="A slider is divided into ten equal parts; each is named by its lowest mark.",
    )


def agreement(protocol: str, rows: Rows) -> Table:
    """Lay out how well the evaluators of each condition agree, and how many there are."""
    return _table(
        protocol,
        "agreement",
        "Do evaluators agree? Krippendorff's α",
        rows,
        CONDITION,
        tabular.number("α", "alpha", 2),
        _ci("alpha", 2),
        tabular.whole("Evalu-\nators", "evaluators"),
        tabular.whole("Images", "images", of="units"),
        tabular.whole("Judge-\nments", "judgements", of="n"),
        note="α is computed over images that at least two evaluators judged.",
    )


def quest_plus(protocol: str, rows: Rows) -> Table:
    """Lay out how precise the thresholds of QUEST+ are; no rows without QUEST+."""
    at = next((f" at {row['at']:.0%} correct" for row in rows), "")
    return _table(
        protocol,
        "quest-plus",
        "QUEST+",
        rows,
        CONDITION,
        tabular.whole("Blocks", "blocks"),
        tabular.number(
            "Posterior\nSD", "posterior_sd_doublings", 2, unit="doublings", of="sd_doublings"
        ),
        tabular.whole(f"Above\n{UNSURE:g}", "blocks_unsure", of="unsure"),
        tabular.share("Not above\nfloor", "not_above_floor_share", of="floor_share"),
        tabular.share("Not below\nceiling", "not_below_ceiling_share", of="ceiling_share"),
        *tabular.further(tabular.number("At", "settles_at", 3, of="at", measure="share")),
        note=f"A block's score: the posterior mean of its threshold{at}. Doubling: a factor of 2.",
    )


def _note_on_few(rows: Rows) -> str:
    if not any(row["few"] for row in rows):
        return ""
    return (
        " With fewer than six known thresholds, there is a CI only if all of them are within the "
        "exposures shown; the CI itself may reach beyond these."
    )


def staircases(protocol: str, rows: Rows) -> Table:
    settles = f"{'Threshold' if settles_at(rows) else 'Settle point'},\n{CONFIDENCE:.0%} CI"
    return _table(
        protocol,
        "staircases",
        "Staircases",
        rows,
        CONDITION,
        *tabular.further(tabular.number("Settle point", "settle_point", of="median", measure="ms")),
        tabular.interval(settles, "settle_point", unit="ms", of="median"),
        *tabular.further(tabular.number(f"Last {LAST} reversals", "last_reversals", unit="ms")),
        tabular.whole("Blocks", "blocks"),
        tabular.whole("Without\nreversals", "blocks_without_reversals"),
        tabular.share("Mode on\nfloor", "mode_on_floor_share", of="floor_share"),
        tabular.share("Mode on\nceiling", "mode_on_ceiling_share", of="ceiling_share"),
        tabular.whole("Tied\nmodes", "tied_modes"),
        *tabular.further(
            tabular.whole("Few reversals", "few_reversals"),
            tabular.whole("Mode in passing", "mode_in_passing"),
            tabular.number("Settles at", "settles_at", 3, of="at", measure="share"),
            tabular.words("Settle point beyond", "settle_point_beyond", of="beyond"),
            tabular.whole("Evaluators without one", "without"),
            tabular.whole("Accuracy falls", "falling"),
        ),
        note="The CI generalises to other evaluators. If it contains “above” or “below”, one of "
        f"its ends is beyond all exposures shown.{_note_on_few(rows)}"
        if any(ends_of(row["median"]) != (None, None) for row in rows)
        else _note_on_few(rows).strip(),
    )


def thresholds(protocol: str, rows: Rows) -> Table:
    return _table(
        protocol,
        "thresholds",
        f"Exposure with {rows[0]['at']:.0%} correct judgements (ms)",
        rows,
        CONDITION,
        tabular.number(
            "Evaluators'\nmedian",
            "median",
            of=lambda row: wording.describe_beyond(row["beyond"]) or row["median"],
            measure="ms",
        ),
        _ci("median"),
        tabular.whole("Evaluators\nwithout", "evaluators_without", of="without"),
        note="Each evaluator's threshold comes from their own psychometric function. Without: "
        f"evaluators who have no threshold.{_note_on_few(rows)}",
    )


def evaluators_thresholds(protocol: str, rows: Rows) -> Table:
    """Lay out the psychometric function of each evaluator, or why there is no threshold."""
    return _table(
        protocol,
        "evaluators-thresholds",
        "Thresholds of evaluators",
        rows,
        CONDITION,
        tabular.name("Evaluator", "evaluator"),
        tabular.number("Threshold", "threshold", unit="ms", of="threshold_ms"),
        _ci("threshold", of=lambda row: (row["ci_low"], row["ci_high"])),
        tabular.number("Slope", "slope", 2),
        tabular.share("Lapses", "lapse_share", of="lapse"),
        tabular.number("Deviance", "deviance", 1),
        tabular.whole("Trials", "trials"),
        tabular.words("Why none", "reason"),
    )


def correlations(metrics: Sequence[Row], *, name: str, title: str) -> Table:
    points = "Points" if "classes" in metrics[0]["method"] else "Conditions"
    having: dict[str, list[str]] = {}
    for metric in metrics:
        having.setdefault(metric["problem"], []).append(metric["metric"])
    problems = (f"{', '.join(names)}: {why}" for why, names in having.items() if why)
    return tabular.tabulate(
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
            tabular.probability("p", "spearman_p"),
            tabular.number("Kendall's\nτ-b", "kendall_tau", 3),
            tabular.probability("p", "kendall_p"),
            *tabular.further(
                tabular.words("Method", "method"), tabular.words("Why none", "problem")
            ),
        ),
        note=" ".join([f"p by {metrics[0]['method'] or 'permutation'}.", *problems]),
    )


def response_times(protocol: str, rows: Rows) -> Table:
    known = any(row["evaluators_interval"] != (None, None) for row in rows)
    interval = ", with its 95% interval" if known else ""
    return _table(
        protocol,
        "response-times",
        "Response times",
        rows,
        CONDITION,
        tabular.number("Median", "median", 0, unit="ms"),
        tabular.interval("Quartiles", "quartile", 0, unit="ms", of="quartiles"),
        tabular.number("By\nevaluator", "evaluators_median", 0, unit="ms"),
        tabular.interval("95% CI", "evaluators_median", 0, unit="ms", of="evaluators_interval"),
        tabular.whole("Below\n200\N{NO-BREAK SPACE}ms", "below_200_ms", of="too_fast"),
        tabular.whole("Above\n60\N{NO-BREAK SPACE}s", "above_60_s", of="too_slow"),
        tabular.whole("Missing", "missing"),
        note="Quartiles are over judgements. By evaluator: the median of the evaluators' medians"
        f"{interval}. Medians and quartiles include times below 200 ms and above 60 s.",
    )


def judge_tables(protocol: str, judges: JudgesScore[DetectorAgreement]) -> tuple[Table, ...]:
    every = (summary(judges), errors(judges))
    return tuple(replace(table, name=tabular.slug(protocol, table.name)) for table in every)
