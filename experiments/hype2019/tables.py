"""Markdown tables of our results beside the published ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from implied import interval_of, std_of
from outcomes import Outcome
from published import Run, Verdict

from hype.report.tabular import Row
from hype.statistics.estimate import ends_of

TIME_HEADER = ("data set", "model", "HYPE_time, ms", "Std.", "95 % CI", "inside (chance)")
INFINITY_HEADER = (
    *("data set", "model", "HYPE_∞, %", "fakes", "reals", "Std.", "95 % CI"),
    "inside (chance)",
)
TOGETHER_HEADER = (
    *("data set", "method", "ours", "from their table", "as they print it", "same (chance)"),
)
PAIRS_HEADER = (
    *("data set", "method", "pair", "ours", "theirs", "from their table", "same (chance)"),
)
ORDER_HEADER = ("data set", "method", "our order", "same (chance)")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out a table: columns with numbers are aligned right, others left."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = [
        not any(line[i][:1] in "0123456789-" and line[i] for line in lines[1:])
        for i in range(len(header))
    ]
    rule = tuple(
        "-" * w if on_left else "-" * (w - 1) + ":" for w, on_left in zip(widths, left, strict=True)
    )
    return "\n".join(
        "| "
        + " | ".join(
            cell.ljust(w) if on_left else cell.rjust(w)
            for cell, w, on_left in zip(line, widths, left, strict=True)
        )
        + " |"
        for line in (lines[0], rule, *lines[1:])
    )


def time_rows(outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """Yield a row for each HYPE_time run."""
    for run, chance in zip(outcome.runs, chances(outcome), strict=True):
        ours = outcome.condition(run)
        theirs = "~100" if run.bottomed_out else figure(run.score)
        yield (
            *(label(outcome), run.condition, both(figure(ours["score"]), theirs)),
            *spread_cells(outcome, run, ours),
            flagged(outcome.inside(run), chance),
        )


def infinity_rows(outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """Yield a row for each HYPE_infinity run."""
    for run, chance in zip(outcome.runs, chances(outcome), strict=True):
        ours = outcome.condition(run)
        yield (
            *(label(outcome), run.condition, both(figure(ours["score"]), figure(run.score))),
            both(figure(ours["fakes_error"]), figure(run.fakes_error)),
            both(figure(ours["reals_error"]), figure(run.reals_error)),
            *spread_cells(outcome, run, ours),
            flagged(outcome.inside(run), chance),
        )


def chances(outcome: Outcome) -> list[float]:
    """Return how often each score would be within its interval in repeated studies."""
    shares: list[float] = outcome.repeats().inside().mean(axis=0).tolist()
    return shares


def spread_cells(outcome: Outcome, run: Run, ours: Row) -> tuple[str, str]:
    """Write Std. and interval, ours and the paper's; a tilde marks implied figures."""
    low, high = interval_of(run, outcome.runs)
    our_low, our_high = ends_of(ours["interval"])
    mark = "~" if run.ci_low is None else ""
    their_std = "~" * (run.std is None) + figure(std_of(run, outcome.runs))
    return (
        both(figure(ours["std"]), "?" if run.bottomed_out else their_std),
        both(f"{figure(our_low)}–{figure(our_high)}", f"{mark}{low:.1f}–{high:.1f}"),
    )


def together_row(outcome: Outcome) -> tuple[str, ...]:
    """Write the test of all conditions of a study: an ANOVA or, for two conditions, a t-test."""
    implied, two = outcome.implied(), len(outcome.runs) == 2
    verdict = next((v for v in outcome.verdicts if two or v.test == "anova"), None)
    anova = next(iter(outcome.ours.rows("anova")), None)
    if anova is None or anova.f is None or anova.p is None:
        raise RuntimeError(f"{outcome.study}: no analysis of variance")
    df = (anova.df_between, anova.df_within)
    return (
        *(label(outcome), outcome.method),
        statistic(anova.f, df, anova.p),
        statistic(implied.f, implied.df, implied.p),
        verdict.printed if verdict else "(none)",
        same_cell(outcome, verdict) if verdict else "",
    )


def statistic(f: float, df: tuple[int, int], p: float) -> str:
    """Write F, or t for two conditions."""
    name, value = (f"t({df[1]})", np.sqrt(f)) if df[0] == 1 else (f"F({df[0]}, {df[1]})", f)
    return f"{name} = {value:.1f}, {p_text(p)}"


def pair_rows(outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """Yield a row for each pair, among three or more conditions, that has a published verdict."""
    implied = outcome.implied().pairs
    for verdict in outcome.verdicts:
        if verdict.test == "pair" and len(outcome.runs) > 2:
            pair = outcome.pair(verdict)
            yield (
                *(label(outcome), outcome.method, f"{verdict.a}, {verdict.b}"),
                f"{verb(bool(pair.separable))}, {p_text(pair.p or 0.0)}",
                verb(verdict.separable),
                p_text(implied[verdict.a, verdict.b]),
                same_cell(outcome, verdict),
            )


def same_cell(outcome: Outcome, verdict: Verdict) -> str:
    """Write whether a verdict is as published, and how often it would be in repeated studies."""
    cell = flagged(outcome.same(verdict), float(outcome.repeats().same(verdict).mean()))
    return cell if verdict.follows else f"[{cell}]"


def order_row(outcome: Outcome) -> tuple[str, ...]:
    """Write a study's rank order."""
    ranked = sorted(outcome.runs, key=lambda run: -outcome.condition(run)["score"])
    order = " > ".join(run.condition for run in ranked)
    chance = float(outcome.repeats().same_order().mean())
    return (label(outcome), outcome.method, order, flagged(outcome.same_order(), chance))


def label(outcome: Outcome) -> str:
    """Return a study's name; for a class of ImageNet-5, only the class's name."""
    return outcome.study.rpartition("/")[2]


def both(ours: str, theirs: str) -> str:
    """Write our figure beside the published one."""
    return f"{ours} / {theirs or '?'}"


def figure(value: float | None) -> str:
    """Write a figure, or nothing."""
    return "" if value is None else f"{value:.1f}"


def flagged(holds: bool, chance: float) -> str:
    """Write whether a check holds, and how often it would in repeated studies."""
    share = ">99" if chance > 0.995 else f"{100 * chance:.0f}"
    return f"{'yes' if holds else 'NO'} ({share} %)"


def p_text(p: float) -> str:
    """Write a p value."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def verb(separable: bool) -> str:
    """Write a verdict."""
    return "separable" if separable else "not"
