"""Rank generative models by a preference model's scores: mean ± SD over groups of prompts.

Wu et al. (2023), "Human Preference Score v2", section 5 and table 7, use 800 prompts in each of
four styles. They report the mean and SD of the means of ten groups of 80 prompts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hype.report.tabular import Rows
from hype.statistics.arrays import FloatArray, IntArray
from hype.tables.cells import constant, distinct


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """The conditions of a table, ranked by one judge's scores."""

    judge: str  # empty if the table names no judge
    styles: tuple[str, ...]  # in the order in which the table names them
    conditions: tuple[str, ...]  # sorted by the mean over styles, the highest first.
    # A row for each condition and style, in the orders above. `mean`: each prompt's mean over its
    # images, averaged over prompts. `sd`: the standard deviation (n - 1) of the groups' means, None
    # if the style has fewer prompts than groups, or a group has no score. `prompts`: how many
    # prompts have a score; `of_prompts`: how many there are. `rank`: equal means have the same rank
    rows: Rows
    groups: int  # number of groups of prompts in a style
    notes: tuple[str, ...]  # sentences about what is missing


def benchmark_table(scores: pd.DataFrame, *, groups: int = 10, judge: str = "") -> Benchmark:
    """Compute the benchmark of one judge's scores.

    ``scores``: columns condition, prompt, score and optionally style, one row for each image. Rows
        without a score do not count. The same text in two styles counts as two prompts.
        ``groups``: number of groups, two or more. The prompts of a style are split into groups in
        the order in which they appear; the groups' sizes differ by at most one.
    """
    table = scores[scores["score"].notna().to_numpy()]
    condition, names = _number_texts(table["condition"])
    prompt, _ = _number_texts(table["prompt"])
    style, styles = _number_texts(table["style"] if "style" in table else constant("", table.index))
    value = table["score"].to_numpy(dtype=float)
    by_prompt = []  # the scores of each style, shape (conditions, prompts); NaN for no score
    for k in range(len(styles)):
        rows = style == k
        prompts, seen = pd.factorize(prompt[rows])
        place, size = condition[rows] * len(seen) + prompts, len(names) * len(seen)
        by_prompt.append(mean_scores(place, value[rows], size).reshape(len(names), -1))
    means = np.array(
        [[np.nan if np.isnan(own).all() else np.nanmean(own) for own in c] for c in by_prompt]
    )
    best = sorted(range(len(names)), key=lambda i: (-np.nanmean(means[:, i]), names[i]))
    return Benchmark(
        judge=judge,
        styles=styles,
        conditions=tuple(names[i] for i in best),
        rows=tuple(
            {
                "condition": names[i],
                "style": styles[k],
                "mean": float(means[k, i]),
                "sd": _sd(cells[i], groups),
                "prompts": int((~np.isnan(cells[i])).sum()),
                "of_prompts": cells.shape[1],
                "rank": 1 + int((means[k] > means[k, i]).sum()),
            }
            for i in best
            for k, cells in enumerate(by_prompt)
            if not np.isnan(means[k, i])
        ),
        groups=groups,
        notes=tuple(_notes(names, styles, by_prompt, groups)),
    )


def benchmarks_of(scores: pd.DataFrame, *, groups: int = 10) -> tuple[Benchmark, ...]:
    """Compute the benchmark of each judge that has scores with conditions and prompts."""
    counts = scores["condition"].ne("") & scores["prompt"].ne("") & scores["score"].notna()
    table = scores[counts.to_numpy()]
    return tuple(
        benchmark_table(rows, groups=groups, judge=str(name))
        for name, rows in table.groupby("judge", observed=True, sort=True)
    )


def _number_texts(cells: pd.Series) -> tuple[IntArray, tuple[str, ...]]:
    values = distinct(cells)
    numbers, first = pd.factorize(np.asarray(values.codes))
    return numbers.astype(np.int64), tuple(values.texts[i] for i in first)


def mean_scores(place: IntArray, scores: FloatArray, size: int) -> FloatArray:
    """Return the mean score of each place from 0 to ``size`` - 1; NaN if a place has no score."""
    is_known = ~np.isnan(scores)
    number = np.bincount(place[is_known], minlength=size)
    total = np.bincount(place[is_known], weights=scores[is_known], minlength=size)
    means: FloatArray = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    return means


def _sd(scores: FloatArray, groups: int) -> float | None:
    """Return the standard deviation of the groups' means; prompts without a score do not count."""
    if len(scores) < groups:
        return None
    means = [part[~np.isnan(part)] for part in np.array_split(scores, groups)]
    if any(part.size == 0 for part in means):
        return None
    return float(np.std([part.mean() for part in means], ddof=1))


def _notes(
    names: tuple[str, ...], styles: tuple[str, ...], by_prompt: list[FloatArray], groups: int
) -> Iterator[str]:
    """Yield sentences about styles that have too few prompts, and conditions that lack scores."""
    of_styles = [f" of {style}" if style else "" for style in styles]
    for of, cells in zip(of_styles, by_prompt, strict=True):
        if cells.shape[1] < groups:
            yield (
                f"There are {cells.shape[1]} prompts{of}, too few for {groups} groups, so there is "
                "no standard deviation."
            )
    for of, cells in zip(of_styles, by_prompt, strict=True):
        lacking = np.isnan(cells).sum(axis=1).tolist()
        for name, number in zip(names, lacking, strict=True):
            every = number == cells.shape[1]
            rest = "it has no mean" if every else "its mean is over the other prompts"
            if number:
                yield (
                    f"{name} has no score for {number:,} of the {cells.shape[1]:,} prompts{of}; "
                    f"{rest}."
                )
