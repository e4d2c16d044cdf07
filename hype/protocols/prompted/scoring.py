"""Common parts of scoring comparisons, ratings and rankings: options, checks, planning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, TypeVar

import numpy as np
import pandas as pd

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.asking.questions import ImageQuestion
from hype.errors import InputError
from hype.judges.files import Judges, judges_in, margin_of
from hype.leaderboard import Board, entry_of
from hype.planning.planned import ELO, PairVerdict, PlannedScore
from hype.protocols.prompted.course import PromptedCourse
from hype.protocols.prompted.settings import AskedTasteSettings, PromptedStudy
from hype.report.tabular import Row, Rows
from hype.report.wording import sentence
from hype.session.outgoing import Outgoing
from hype.session.steps import CARELESS
from hype.statistics.arrays import BoolArray, IntArray
from hype.statistics.estimate import Images
from hype.statistics.paired_counts import (
    Counts,
    EvaluatorCounts,
    PairRate,
    Randomness,
    pair_rates,
    win_rates,
)
from hype.statistics.strength_table import Certainty, Difference, StrengthTable, order_by_strength
from hype.statistics.strengths import ELO_PER_UNIT, StrengthsShown, Ties
from hype.study.differences import common_settings
from hype.tables.cells import codes_of
from hype.tables.columns import Column
from hype.tables.reasons import LeftOut

FEW: Final = 10
"""With fewer evaluators than this, differences between them are known only roughly."""
TIES: Final[Mapping[str, Ties]] = {"davidson": "davidson", "half": "half", "drop": "none"}
"""The values of the option --ties, and their names in the analysis."""


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """The options of every analysis.

    ``ties``: how ties count in win rates and in Bradley and Terry's strengths: "davidson", "half"
    or "none". ``images``: whether images and prompts are a sample of a model's output, or the only
    ones of interest. ``seed``: the seed of random numbers. ``alpha``, ``confidence``: the level of
    the tests, and the coverage of the intervals, as proportions. ``margin``: a win rate closer to
    one half than this counts as one half; None for no margin. ``strengths``: the scale on which
    strengths are shown: "elo", "log" or "share".
    """

    ties: Ties = "davidson"
    images: Images = "sample"
    seed: int = 0
    alpha: float = 0.05
    confidence: float = 0.95
    margin: float | None = None
    strengths: StrengthsShown = "elo"

    def certainty(self, random: Randomness | None) -> Certainty:
        """Return the levels of intervals and tests; with one evaluator, pairs are not tested."""
        tested = random is not None and random.unit != "one evaluator"
        return Certainty(self.confidence, self.alpha, self.margin, tested)


OptionsT = TypeVar("OptionsT", bound=AnalysisOptions)


def overrule(options: OptionsT, choices: Choices) -> OptionsT:
    """Return ``options``, changed by the options of the command line."""
    return replace(
        options,
        ties=TIES[choices.ties] if choices.ties else options.ties,
        strengths=choices.strengths or options.strengths,
        images=choices.images,
        seed=choices.seed,
    )


def read_given_judges(
    answers: LoadedAnswers[Any],
    choices: Choices,
    questions: Callable[[Any], Iterable[ImageQuestion]],
    *,
    rated: Iterable[str] = (),
) -> tuple[Judges, float | None]:
    """Read the given judges, and the margin for their agreement.

    ``questions``: returns a study's questions to judges. ``rated``: the items that people rated.
    """
    study = answers.study
    files = choices.judges or ()
    judges = judges_in(files, study, questions(study) if study else (), rated=rated)
    return judges, margin_of(choices.margin, study.settings.analysis if study else None)


def number_of(rows: pd.DataFrame, name: str) -> int | None:
    """Count the distinct values of a column; None if there is no such column."""
    return int(rows[name].nunique()) if name in rows else None


def people_by_condition(rows: pd.DataFrame, *columns: str) -> dict[str, int]:
    """Count the evaluators of each condition in ``columns``; empty if evaluators are unknown."""
    people: dict[str, set[str]] = {}
    for name in (each for each in columns if "evaluator" in rows and each in rows):
        for condition, those in rows.groupby(name, observed=True)["evaluator"].unique().items():
            people.setdefault(str(condition), set()).update(those)
    return {condition: len(those) for condition, those in people.items()}


def measure_strengths(
    rows: Rows,  # each has a condition, a strength on Elo's scale, and possible ranks
    pairs: Rows,
    answers: Mapping[str, int],
    people: Mapping[str, int],
    *,
    title: str,
    about: str,
    simulated: bool,
) -> Board:
    """Make a leaderboard of strengths on Elo's scale."""
    return Board(
        title=title,
        unit="Elo",
        decimals=0,
        about=f"Strengths by {about}, on Elo's scale: a lead of 400 points means odds of 10 to 1.",
        simulated=simulated,
        entries=tuple(
            entry_of(
                row["condition"],
                row["elo"],
                evaluators=people.get(row["condition"]),
                answers=answers.get(row["condition"], 0),
                ranks=(row["rank_low"], row["rank_high"]),
            )
            for row in rows
        ),
        pairs=verdicts_of(pairs),
    )


def verdicts_of(pairs: Rows) -> tuple[PairVerdict, ...]:
    """Return the pairs of a leaderboard, without pairs whose difference is unknown."""
    return tuple(
        PairVerdict(pair["a"], pair["b"], pair["difference"].value, bool(pair["separable"]))
        for pair in pairs
        if pair["difference"]
    )


def images_spoken_of(random: Randomness, images: Images) -> Images | Literal["unknown"]:
    """Return "sample" if verdicts apply to other images, else "fixed" or "unknown"."""
    if random.few or images == "fixed":
        return "fixed"
    return "unknown" if random.item is None else "sample"


def scope_of(
    every: pd.DataFrame,
    scored: pd.DataFrame,
    random: Randomness,
    spoken_of: str,
    *,
    task: str,
    columns: Sequence[str],
) -> dict[str, object]:
    """Return the facts for the notes about evaluators and images.

    ``every``: all rows; ``scored``: the scored ones. ``spoken_of``: from `images_spoken_of`.
    ``columns``: the columns that name the conditions judged in ``task``.
    """

    def named(rows: pd.DataFrame) -> set[str]:
        return {str(name) for each in columns if each in rows for name in rows[each].unique()}

    careless = []  # careless evaluators, each with the rules that they broke
    if {"careless", "evaluator"} <= {*every}:
        rows = every.loc[every["careless"].ne(""), ["evaluator", "careless"]].drop_duplicates()
        careless = sorted(rows.astype(str).itertuples(index=False, name=None))
    return {
        "evaluators": number_of(scored, "evaluator"),
        "random": random,
        "images": spoken_of,
        "few": FEW,
        "careless": careless,
        "careless_left_out": "excluded" in every and bool(every["excluded"].eq(CARELESS).any()),
        "lost": sorted(named(every[every["task"].eq(task).to_numpy()]) - named(scored)),
    }


def require_some(kept: BoolArray, answers: str, exclusions: Iterable[LeftOut]) -> None:
    """Raise InputError, with the reasons for exclusion, if no answer is left to score."""
    if not kept.any():
        reasons = ", ".join(f"{each.answers:,} {each.meaning}" for each in exclusions)
        raise InputError(answers, f"no answer can be scored: {reasons}")


def collect_facts(
    scored: pd.DataFrame,
    options: AnalysisOptions,
    random: Randomness | None,
    images: Images | Literal["unknown"],
) -> Row:
    """Return the facts of comparisons, ratings and rankings; ``scored``: the scored rows.

    ``evaluators``, ``prompts``: their numbers; None if unknown. ``images``: whether results apply
    to other images and prompts ("sample") or only to these ("fixed"), or "unknown".
    """
    return {
        "evaluators": number_of(scored, "evaluator"),
        "prompts": number_of(scored, "prompt"),
        "ties": options.ties,
        "strengths": options.strengths,
        "images": images,
        "random": random,
        "alpha": options.alpha,
        "confidence": options.confidence,
        "margin": options.margin,
    }


def fit_facts(table: StrengthTable) -> Row:
    """Describe the fit of strengths; ``problems``: why conditions have no strength."""
    fitted = table.fitted
    return {
        "iterations": fitted.steps if fitted else None,
        "log_likelihood": fitted.log_likelihood if fitted else None,
        "tie_parameter": fitted.nu if fitted else None,
        "rule": table.rule,
        "problems": " ".join(map(sentence, table.problems)),
    }


def rank_pairs(
    rates: Iterable[PairRate], ranking: Sequence[str], differences: Iterable[Difference]
) -> Rows:
    """Return the pairs that were compared or have a difference, in the order of the ranking.

    ``differences``: the differences of log-strengths, the stronger condition first. A row has the
    fields of a `PairRate` and of a `Difference`; these are None if one condition has no strength.
    ``separable``: whether the verdict is "separable"; None without a verdict.
    """
    order = {name: number for number, name in enumerate(ranking)}
    turned = (rate.swap() if order[rate.a] > order[rate.b] else rate for rate in rates)
    compared = {(rate.a, rate.b): rate for rate in turned}
    apart = {(own.a, own.b): own for own in differences}
    pairs = []
    for a, b in sorted({*compared, *apart}, key=lambda pair: (order[pair[0]], order[pair[1]])):
        rate, own = compared.get((a, b), PairRate(a=a, b=b)), apart.get((a, b))
        verdict = own and own.verdict
        pairs.append(
            {
                **vars(rate),
                **{name: getattr(own, name, None) for name in DIFFERENCE},
                "separable": verdict and verdict == "separable",
            }
        )
    return tuple(pairs)


DIFFERENCE: Final = ("difference", "p", "p_adjusted", "p_equivalent", "verdict")


def rank_conditions(
    counts: Counts, answers: EvaluatorCounts, table: StrengthTable, options: AnalysisOptions
) -> tuple[Rows, Rows]:
    """Return the conditions in the order of their strengths, and their pairs in this order."""
    how: dict[str, Any] = {"ties": options.ties, "confidence": options.confidence}
    ranking = tuple(order_by_strength(win_rates(counts, answers, **how), table))
    rates = pair_rates(counts, answers, **how)
    return ranking, rank_pairs(rates, [row["condition"] for row in ranking], table.differences)


def open_ranks(ranking: Rows, pairs: Rows) -> Rows:
    """Compute which ranks each condition can have, given the separable pairs.

    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications
    to mobility across neighbourhoods and academic achievement across countries", The Review of
    Economic Studies 91.
    """
    strong = {row["condition"] for row in ranking if row["rank"] is not None}
    apart = [pair for pair in pairs if pair["separable"] and {pair["a"], pair["b"]} <= strong]
    above, below = Counter(pair["b"] for pair in apart), Counter(pair["a"] for pair in apart)

    ranks = {
        name: {"rank_low": 1 + above[name], "rank_high": len(strong) - below[name]}
        for name in strong
    }
    return tuple(row | ranks.get(row["condition"], {}) for row in ranking)


HOW_MANY: Final = (
    *("images", "blocks", "trials", "items", "groups", "practice", "held_out", "real_too"),
    *("prompts.", "prompt_column", "mouse"),
)
"""Prefixes of settings that may differ between studies that are scored together."""


def common_settings_of_prompted(study: PromptedStudy) -> dict[str, object]:
    """Return the settings that must be equal in studies that are scored together."""
    return common_settings(study, tuple(f"{study.table}.{key}" for key in HOW_MANY))


def plan_strengths(
    course: PromptedCourse[Any],
    differences: Callable[[pd.DataFrame], Rows],
    *,
    title: str,
    outgoing: Outgoing[Any],
    columns: Iterable[Column],
    check: Callable[..., pd.DataFrame],
    setting: str,
    unit: str = ELO,
) -> PlannedScore:
    """Plan a study in which everybody judges all conditions.

    ``differences``: returns the pairs of conditions in a checked table, with the difference of
    their strengths or means, and the verdict.
    """
    pay: Any = course.study.settings.pay
    return PlannedScore(
        course=course,
        title=title,
        unit=unit,
        conditions=course.pools.conditions,
        groups={course.pools.conditions: course.cells},
        outgoing=outgoing,
        columns=frozenset(column.name for column in columns),
        check=check,
        pairs=partial(pairs_by, differences, ELO_PER_UNIT if unit == ELO else 1),
        pay=pay.pay(),
        paid=len,
        parameter="strength",
        move=move_strength,
        setting=setting,
        places=len(course.cells),
    )


def pairs_by(
    differences: Callable[[pd.DataFrame], Rows], times: float, frame: pd.DataFrame
) -> list[PairVerdict]:
    return [
        PairVerdict(
            one["a"], one["b"], times * one["difference"].value, one["verdict"] == "separable"
        )
        for one in differences(frame)
    ]


def number_labels(table: pd.DataFrame, name: str) -> IntArray:
    """Number the labels of a column from 0; all 0 if there is no such column."""
    codes = codes_of(table[name]) if name in table else np.zeros(len(table), dtype=np.int64)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def move_strength(taste: Any, by: float) -> dict[str, Any]:
    changed: dict[str, Any] = {"strength": taste.strength + by}
    if isinstance(taste, AskedTasteSettings):
        changed["on"] = {axis: strength + by for axis, strength in taste.on.items()}
    return changed
