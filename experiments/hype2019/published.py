"""Figures and verdicts that Zhou et al. 2019 print, from the two tables in this folder."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
EVALUATORS: Final = 30
BEYOND: Final = ("training",)
"""Studies that are not among the paper's 31 runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One model under one method; None if the paper gives no figure. Rates are in percent."""

    study: str
    method: str
    condition: str
    score: float
    fakes_error: float | None
    reals_error: float | None
    std: float | None
    ci_low: float | None
    ci_high: float | None
    kid: float | None
    fid: float | None
    precision: float | None
    source: str
    note: str

    @property
    def bottomed_out(self) -> bool:
        """Whether the paper only says that the score is about the shortest exposure."""
        return "bottomed out" in self.note


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verdict: whether a study's conditions ("anova") or two of them ("pair") are separable.

    ``follows`` is False if no test can give this verdict with the paper's means and Stds.
    """

    study: str
    method: str
    test: str
    a: str
    b: str
    separable: bool
    printed: str
    source: str
    follows: bool


def read_runs() -> tuple[Run, ...]:
    """Read the figures of all runs."""
    texts = {"study", "method", "condition", "source", "note"}
    return tuple(
        Run(**{key: text if key in texts else number(text) for key, text in row.items()})
        for row in rows("published.csv")
    )


def read_verdicts() -> tuple[Verdict, ...]:
    """Read the verdicts."""
    flags = {"separable", "follows"}
    return tuple(
        Verdict(**{key: text == "yes" if key in flags else text for key, text in row.items()})
        for row in rows("verdicts.csv")
    )


def study_names() -> tuple[str, ...]:
    """Name the studies in the order of the table."""
    return tuple(dict.fromkeys(run.study for run in read_runs()))


def rows(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def number(text: str) -> float | None:
    """Read a cell that may be empty."""
    return float(text) if text else None
