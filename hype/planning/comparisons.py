"""How many comparisons tell a win rate from one half, and what a number of them can tell.

The normal approximation is that of the sources: N = (z₁₋α/₂ + z_power)²·p(1 - p) / (p - ½)². The
binomial distribution says exactly what a test with N comparisons does.

Comparisons of one evaluator are not independent where evaluators differ. With m of them each and
an intraclass correlation ρ the number grows by the design effect 1 + (m - 1)ρ (Kish 1965, "Survey
sampling", section 5.4).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text
from scipy import special

from hype.errors import InputError
from hype.protocols.comparison.sampling import design_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from hype.protocols.comparison.sampling import PairDesign
    from hype.protocols.comparison.settings import (
        ComparingPeopleSettings,
        ComparisonStudy,
        PlannedAnalysis,
    )

SWEEP: Final = (0.51, 0.52, 0.53, 0.55, 0.60, 0.65, 0.70, 0.80, 0.90)

"""Win rates from nearly a tie to a landslide."""

MOST: Final = 10**12


@dataclass(frozen=True, kw_only=True)
class Needed:
    """What it takes to tell one win rate from one half."""

    win_rate: float  # the true one, as a proportion
    comparisons: int
    # What the exact binomial test with so many independent comparisons finds it with
    exact_power: float
    # Probability that a study of so many shows the win rate, or a higher one, between equals
    by_chance: float


def comparisons_needed(
    win_rate: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    per_evaluator: float = 1.0,
    correlation: float = 0.0,
) -> int:
    """Give the number of comparisons of two conditions that tells a win rate from one half.

    The win rate is above 0 and below 1 and not one half. `per_evaluator` of them are by the same
    evaluator, and alike by `correlation`: 0 where evaluators do not differ, 1 where each always
    answers the same. InputError for a number that is not allowed, and for more than 10^12
    comparisons.

    778 for a win rate of .55, 4,898 for .52 and 189 for .60.
    """
    _check(win_rate, alpha, power)
    effect = design_effect(per_evaluator, correlation)
    z = _z(alpha, power)
    needed = effect * z * z * win_rate * (1 - win_rate) / (win_rate - 0.5) ** 2
    if needed > MOST:
        raise InputError("win rate", f"{win_rate:g}", f"needs more than {MOST:,} comparisons")
    return math.ceil(needed)


def design_effect(per_evaluator: float, correlation: float) -> float:
    """Give how many times more comparisons are needed where an evaluator makes several."""
    if per_evaluator < 1:
        raise InputError("comparisons per evaluator", f"{per_evaluator:g}", "allowed is 1 or more")
    if not 0 <= correlation <= 1:
        raise InputError("correlation", f"{correlation:g}", "allowed is a number from 0 to 1")
    return 1 + (per_evaluator - 1) * correlation


def smallest_win_rate(
    comparisons: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    per_evaluator: float = 1.0,
    correlation: float = 0.0,
) -> float:
    """Give the smallest win rate above one half that so many comparisons can tell from it.

    The inverse of `comparisons_needed`: p = ½ + ½·z / √(N + z²).
    """
    if comparisons <= 0:
        raise InputError("comparisons", f"{comparisons:g}", "allowed is 1 or more")
    _check(0.75, alpha, power)
    z = _z(alpha, power)
    independent = comparisons / design_effect(per_evaluator, correlation)
    return 0.5 + 0.5 * z / math.sqrt(independent + z * z)


def exact_power(comparisons: int, win_rate: float, *, alpha: float = 0.05) -> float:
    """Give the probability that the two-sided exact binomial test finds the difference.

    Comparisons are independent. It is never more often wrong than alpha, and mostly less often, so
    its power is somewhat below that of the normal approximation.
    """
    if comparisons < 1:
        raise InputError("comparisons", str(comparisons), "allowed is 1 or more")
    low = _most_rejected(comparisons, alpha)
    if low < 0:
        return 0.0
    below = special.bdtr(low, comparisons, win_rate)
    above = special.bdtrc(comparisons - low - 1, comparisons, win_rate)
    return float(below + above)


def chance_of_win_rate(win_rate: float, comparisons: int) -> float:
    """Give the probability that equals show a win rate, or a higher one, in so many comparisons.

    0.184 for .55 in 100, 0.003 in 778: chance alone makes headlines in small studies.
    """
    if comparisons < 1:
        raise InputError("comparisons", str(comparisons), "allowed is 1 or more")
    # As the number is written: 0.55 of 100 is 55, though the nearest float is a little above.
    wins = math.ceil(Fraction(repr(float(win_rate))) * comparisons)
    return float(special.bdtrc(wins - 1, comparisons, 0.5)) if wins > 0 else 1.0


def needed_table(
    win_rates: Sequence[float] = SWEEP,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    per_evaluator: float = 1.0,
    correlation: float = 0.0,
) -> tuple[Needed, ...]:
    """Give what each of some win rates takes.

    `Needed.exact_power` and `Needed.by_chance` count the comparisons without the design effect:
    those of the table are worth only so many independent ones.
    """
    rows = []
    for win_rate in win_rates:
        number = comparisons_needed(
            win_rate,
            alpha=alpha,
            power=power,
            per_evaluator=per_evaluator,
            correlation=correlation,
        )
        independent = comparisons_needed(win_rate, alpha=alpha, power=power)
        rows.append(
            Needed(
                win_rate=win_rate,
                comparisons=number,
                exact_power=exact_power(independent, win_rate, alpha=alpha),
                by_chance=chance_of_win_rate(max(win_rate, 1 - win_rate), independent),
            )
        )
    return tuple(rows)


def _z(alpha: float, power: float) -> float:
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))


def _most_rejected(comparisons: int, alpha: float) -> int:
    """Give the most wins with which the test finds a difference downwards; -1 without any."""
    low, high = -1, comparisons // 2
    while low < high:
        middle = (low + high + 1) // 2
        if 2 * special.bdtr(middle, comparisons, 0.5) <= alpha:
            low = middle
        else:
            high = middle - 1
    # With few comparisons and a large alpha both tails could meet.
    return min(low, (comparisons - 1) // 2)


def _check(win_rate: float, alpha: float, power: float) -> None:
    if not 0 < win_rate < 1 or win_rate == 0.5:
        allowed = "allowed is a number above 0 and below 1 that is not 0.5: equals cannot be told"
        raise InputError("win rate", f"{win_rate:g}", f"{allowed} apart")
    if not 0 < alpha < 1:
        raise InputError("alpha", f"{alpha:g}", "allowed is a number above 0 and below 1")
    if not alpha < power < 1:
        raise InputError("power", f"{power:g}", "allowed is a number above alpha and below 1")


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
