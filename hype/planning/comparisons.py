"""What `hype power` found of comparisons, as a table and as sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hype.errors import InputError
from hype.protocols.comparison.sampling import design_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from hype.planning.comparisons_needed import Needed
    from hype.protocols.comparison.sampling import PairDesign
    from hype.protocols.comparison.settings import ComparingPeopleSettings, PlannedAnalysis
    from hype.protocols.comparison.study import ComparisonStudy

HEADINGS = ("Win rate", "Comparisons", "Power,\nexactly", "Equals show\nit by chance")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPower:
    """All that was found."""

    # win_rate, alpha, power: what is to be told from one half, and how surely
    win_rate: float
    alpha: float
    power: float
    # each, correlation: comparisons of two conditions that one evaluator makes, and how alike they
    # are
    each: float
    correlation: float
    effect: float  # how many times more comparisons that takes
    needed: Needed  # what the win rate takes
    sweep: tuple[Needed, ...]  # what others take
    design: PairDesign | None  # what the study's design gives; None without a study
    smallest: float | None  # the smallest win rate that this can show; None without a study

    @property
    def independent(self) -> int:
        from hype.planning.comparisons_needed import comparisons_needed

        return comparisons_needed(self.win_rate, alpha=self.alpha, power=self.power)

    @property
    def evaluators_needed(self) -> int | None:
        if self.design is None:
            return None
        return math.ceil(self.needed.comparisons / self.design.each)


def comparisons_table(plan: ComparisonPower) -> Group:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in HEADINGS:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    rows = {row.win_rate: row for row in (*plan.sweep, plan.needed)}
    for win_rate in sorted(rows):
        style = "bold" if win_rate == plan.win_rate else ""
        table.add_row(*map(Text, cells(rows[win_rate])), style=style)
    title = (
        f"Comparisons of two conditions that tell a win rate from one half: α = {plan.alpha:g}, "
        f"power {plan.power:.0%}"
    )
    return Group(Text(title, style="bold"), table)


def cells(row: Needed) -> tuple[str, ...]:
    return (
        percent(row.win_rate),
        f"{row.comparisons:,}",
        f"{row.exact_power:.1%}",
        "< 0.01%" if row.by_chance < 0.0001 else f"{row.by_chance:.2%}",
    )


def percent(share: float) -> str:
    return f"{100 * share:.6g}%"


def comparisons_sentences(plan: ComparisonPower) -> Iterator[str]:
    number = f"{plan.needed.comparisons:,}"
    yield (
        f"A win rate of {percent(plan.win_rate)} takes {number} comparisons of the two "
        "conditions, ties not counted."
    )
    yield effect_sentence(plan)
    if plan.design is not None:
        yield from design_sentences(plan, plan.design)
    yield (
        "Comparisons: ⌈(z of 1 − α/2 + z of the power)² p(1 − p)/(p − ½)²⌉, times the design "
        "effect. Exactly: of the binomial test with so many independent ones, which is wrong less "
        "often than α. By chance: how often equals show this win rate or a higher one in so many."
    )


def effect_sentence(plan: ComparisonPower) -> str:
    if plan.each == 1 or not plan.correlation:
        return (
            "Each comparison counts in full: as if of another evaluator each, or of evaluators who "
            "do not differ (--each and --icc say otherwise)."
        )
    source = "" if plan.design is None else ", which the study's simulated people have"
    return (
        f"Each evaluator makes {plan.each:.4g} of them, alike by an intraclass correlation of "
        f"{plan.correlation:.3g}{source} (--icc): a design effect of {plan.effect:.3g}, so "
        f"{plan.needed.comparisons:,} instead of {plan.independent:,}."
    )


def design_sentences(plan: ComparisonPower, design: PairDesign) -> Iterator[str]:
    if design.arena:
        yield (
            f"The study: an arena of {design.conditions} conditions and {design.prompts} prompts; "
            f"{design.evaluators:,} evaluators of {design.session} comparisons give "
            f"{pairs_said(design)} {design.fewest:,.0f} votes, on average; those that it chooses "
            "more often have more."
        )
    else:
        yield (
            f"The study: {design.conditions} conditions, {design.prompts} prompts, "
            f"{design.comparisons:,} comparisons with {design.votes} votes each by "
            f"{design.evaluators:,} evaluators: {votes_said(design)} for {pairs_said(design)}."
        )
    if plan.smallest is not None:
        yield (
            f"That shows win rates from {100 * plan.smallest:.1f}% on with a power of "
            f"{plan.power:.0%}."
        )
    enough = design.fewest >= plan.needed.comparisons
    if enough:
        yield f"It is enough for {percent(plan.win_rate)}."
    else:
        yield (
            f"It is not enough for {percent(plan.win_rate)}: that takes about "
            f"{plan.evaluators_needed:,} evaluators."
        )


def votes_said(design: PairDesign) -> str:
    if design.fewest == design.most:
        return f"{design.fewest:,.0f} votes"
    return f"{design.fewest:,.0f} to {design.most:,.0f} votes"


def pairs_said(design: PairDesign) -> str:
    if design.pairs == 1:
        return "its one pair of conditions"
    return f"each of its {design.pairs:,} pairs of conditions"


POINTS: Final = 61
WIDEST: Final = 40.0
"""Log-odds beyond which nobody is."""
HALVINGS: Final = 60


def intraclass_correlation(people: ComparingPeopleSettings, win_rate: float) -> float:
    """Give the correlation of two choices of one person between conditions with a win rate.

    Lapses make choices less alike; those who press one key are as alike as a coin that is thrown
    for each of them, since conditions are on the left half of the times: they are passed over.
    """
    chosen, weights = spread_of_choices(people, centre(people, win_rate))
    mean = float(chosen @ weights)
    return float(np.square(chosen - mean) @ weights) / (mean * (1 - mean))


def centre(people: ComparingPeopleSettings, win_rate: float) -> float:
    """Give the difference in log-strength of the typical person that makes a win rate.

    Lapses bound win rates; beyond the bound it is the largest difference.
    """
    low, high = -WIDEST, WIDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        chosen, weights = spread_of_choices(people, middle)
        low, high = (middle, high) if float(chosen @ weights) < win_rate else (low, middle)
    return (low + high) / 2


def spread_of_choices(
    people: ComparingPeopleSettings, difference: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Give how often people of all tastes choose the better one, and how many of them there are."""
    points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    log_odds = difference + math.sqrt(2) * people.taste_spread * points
    chosen = people.lapse / 2 + (1 - people.lapse) / (1 + np.exp(-log_odds))
    return chosen, weights / weights.sum()


def power_of_comparisons(
    study: ComparisonStudy | None,
    *,
    win_rate: float | None,
    alpha: float | None,
    power: float | None,
    correlation: float | None,
    each: int | None,
) -> ComparisonPower:
    """Say what a win rate takes, and what a study gives; what is None is as the study plans it."""
    from hype.protocols.comparison.settings import PlannedAnalysis

    planned = study.settings.analysis if study else PlannedAnalysis()
    given = {"win_rate": win_rate, "alpha": alpha, "power": power}
    for option, value in given.items():
        check_part(f"--{option.replace('_', '-')}", value)
    wanted = planned.model_copy(update={k: v for k, v in given.items() if v is not None})
    return plan_comparisons(study, wanted, correlation=correlation, each=each)


def check_part(option: str, value: float | None) -> None:
    if value is not None and not 0 < value < 1:
        raise InputError(option, f"{value:g} is out of range", "above 0 and below 1, such as 0.55")


def plan_comparisons(
    study: ComparisonStudy | None,
    wanted: PlannedAnalysis,
    *,
    correlation: float | None,
    each: int | None,
) -> ComparisonPower:
    from hype.planning.comparisons_needed import (
        SWEEP,
        design_effect,
        needed_table,
        smallest_win_rate,
    )

    design = design_of(study) if study else None
    if each is not None and each < 1:
        raise InputError("--each", f"{each} is too few", "1 or more")
    if correlation is not None and not 0 <= correlation <= 1:
        raise InputError("--icc", f"{correlation:g} is out of range", "0 to 1")
    number = each or (design.each if design else 1.0)
    alike = correlation if correlation is not None else alike_in(study, wanted.win_rate)
    sure = {"alpha": wanted.alpha, "power": wanted.power}
    clustered = {"per_evaluator": number, "correlation": alike}
    (needed,) = needed_table((wanted.win_rate,), **sure, **clustered)
    return ComparisonPower(
        win_rate=wanted.win_rate,
        alpha=wanted.alpha,
        power=wanted.power,
        each=number,
        correlation=alike,
        effect=design_effect(number, alike),
        needed=needed,
        sweep=needed_table(SWEEP, **sure, **clustered),
        design=design,
        smallest=smallest_win_rate(design.fewest, **sure, **clustered) if design else None,
    )


def alike_in(study: ComparisonStudy | None, win_rate: float) -> float:
    return intraclass_correlation(study.settings.people, win_rate) if study else 0.0


def comparisons_object(plan: ComparisonPower, study: ComparisonStudy | None) -> dict[str, object]:
    design = plan.design
    return {
        "study": str(study.path) if study else None,
        "method": "comparison",
        "win_rate": plan.win_rate,
        "alpha": plan.alpha,
        "power": plan.power,
        "comparisons_needed": plan.needed.comparisons,
        "comparisons_needed_if_independent": plan.independent,
        "exact_power": plan.needed.exact_power,
        "by_chance": plan.needed.by_chance,
        "per_evaluator": plan.each,
        "correlation": plan.correlation,
        "design_effect": plan.effect,
        "rows": [asdict(row) for row in plan.sweep],
        "design": asdict(design) if design else None,
        "smallest_win_rate": plan.smallest,
        "evaluators_needed": plan.evaluators_needed,
        "enough": None if design is None else design.fewest >= plan.needed.comparisons,
    }
