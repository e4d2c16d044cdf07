"""What a study of comparisons can show, as its simulated people and images have it, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text
from scipy import special

from hype.errors import InputError
from hype.protocols.comparison.power import (
    HALVINGS,
    Needed,
    VotePrecision,
    chance_of_win_rate,
    comparisons_needed,
    power_of_all,
)
from hype.protocols.comparison.sampling import design_of
from hype.statistics.arrays import FloatArray
from hype.statistics.crossed import FEWEST_ITEMS

if TYPE_CHECKING:
    from hype.protocols.comparison.sampling import PairDesign
    from hype.protocols.comparison.settings import (
        ComparingPeopleSettings,
        ComparisonStudy,
        PlannedAnalysis,
    )

SWEEP: Final = (0.51, 0.52, 0.53, 0.55, 0.60, 0.65, 0.70, 0.80, 0.90)
"""Win rates from nearly a tie to a landslide."""
HEADINGS: Final = ("Win rate", "Comparisons", "Equals show\nit by chance")
POINTS: Final = 61
WIDEST: Final = 40.0
"""Log-odds beyond which nobody is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPower:
    """All that was found."""

    # win_rate, alpha, power: what is to be told from one half, and how surely
    win_rate: float
    alpha: float
    power: float
    precision: VotePrecision
    needed: Needed  # what the win rate takes
    sweep: tuple[Needed, ...]  # what others take
    design: PairDesign | None  # what the study's design gives; None without a study
    # smallest, found, found_all: the smallest win rate that this can show, and how often it shows
    # the wanted one in one pair, and in all of them where all have it; None without a study
    smallest: float | None
    found: float | None
    found_all: float | None

    @property
    def independent(self) -> int:
        return comparisons_needed(self.win_rate, alpha=self.alpha, power=self.power)

    @property
    def effect(self) -> float | None:
        """How many times more comparisons it takes than independent ones of one pair."""
        return self.needed.comparisons and self.needed.comparisons / self.independent

    @property
    def evaluators_needed(self) -> int | None:
        if self.design is None or self.needed.comparisons is None:
            return None
        return math.ceil(self.needed.comparisons / self.precision.each)

    @property
    def is_enough(self) -> bool | None:
        return None if self.found is None else self.found >= self.power


def alike_choices(people: ComparingPeopleSettings, win_rate: float) -> tuple[float, float]:
    """Give the correlations of two choices by one person, and of two about one image.

    Between conditions with a win rate; the image is one of the two that are compared. Lapses make
    choices less alike; those who press one key are as alike as a coin that is thrown for each of
    them, since conditions are on the left half of the times: they are passed over.
    """
    both = math.sqrt(2) * people.taste_spread, people.image_spread
    difference = centre(people, win_rate)
    whole = 2 * (people.taste_spread**2 + people.image_spread**2)
    rows = []
    for own in both:
        chosen, weights = spread_of_choices(
            people, difference, own, math.sqrt(max(0.0, whole - own**2))
        )
        mean = float(chosen @ weights)
        rows.append(float(np.square(chosen - mean) @ weights) / (mean * (1 - mean)))
    return rows[0], rows[1]


def centre(people: ComparingPeopleSettings, win_rate: float) -> float:
    """Give the difference in log-strength of typical people and images that makes a win rate.

    Lapses bound win rates; beyond the bound it is the largest difference.
    """
    whole = math.sqrt(2 * (people.taste_spread**2 + people.image_spread**2))
    low, high = -WIDEST, WIDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        chosen, weights = spread_of_choices(people, middle, whole, 0.0)
        low, high = (middle, high) if float(chosen @ weights) < win_rate else (low, middle)
    return (low + high) / 2


def spread_of_choices(
    people: ComparingPeopleSettings, difference: float, own: float, rest: float
) -> tuple[FloatArray, FloatArray]:
    """Give how often the better one is chosen where log-odds are spread, and how often that is.

    ``own``: standard deviation of what is spread out; ``rest``: of what is averaged over.
    """
    points, weights = normal_points()
    log_odds = difference + own * points[:, np.newaxis] + rest * points
    chosen = people.lapse / 2 + (1 - people.lapse) * (special.expit(log_odds) @ weights)
    return chosen, weights


@cache
def normal_points() -> tuple[FloatArray, FloatArray]:
    """Give points of a standard normal, and their weights, which add up to 1 (Gauss–Hermite)."""
    points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    return points, weights / weights.sum()


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
    if study and study.settings.comparison.arena:
        planned = planned.model_copy(update={"alpha": study.settings.comparison.arena.alpha})
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
    correlation: float | None = None,
    each: int | None = None,
) -> ComparisonPower:
    if each is not None and each < 1:
        raise InputError("--each", f"{each} is too few", "1 or more")
    if correlation is not None and not 0 <= correlation <= 1:
        raise InputError("--icc", f"{correlation:g} is out of range", "0 to 1")
    comparisons_needed(wanted.win_rate, alpha=wanted.alpha, power=wanted.power)  # refuses
    design = design_of(study) if study else None
    pairs = design.pairs if design else 1
    is_arena = study is not None and study.settings.comparison.arena is not None
    level, power = wanted.alpha / (1 if is_arena else pairs), wanted.power

    def needed(win_rate: float) -> Needed:
        alone = comparisons_needed(win_rate, alpha=wanted.alpha, power=power)
        own = precision_of(study, design, win_rate, correlation=correlation, each=each)
        return Needed(
            win_rate=win_rate,
            comparisons=own.needed(win_rate, level, power),
            by_chance=chance_of_win_rate(max(win_rate, 1 - win_rate), alone),
        )

    own = precision_of(study, design, wanted.win_rate, correlation=correlation, each=each)
    smallest = detected = found_all = None
    if design is not None:
        smallest = own.smallest(design.fewest, level, power)
        detected = own.power(design.fewest, wanted.win_rate, level)
        found_all = power_of_all(detected, pairs, wanted.alpha)
        if is_arena:
            others = design.conditions - 1
            found_all = own.power_of_looks(design.fewest, wanted.win_rate, level, others)
    return ComparisonPower(
        win_rate=wanted.win_rate,
        alpha=wanted.alpha,
        power=power,
        precision=own,
        needed=needed(wanted.win_rate),
        sweep=tuple(map(needed, SWEEP)),
        design=design,
        smallest=smallest,
        found=detected,
        found_all=found_all,
    )


def precision_of(
    study: ComparisonStudy | None,
    design: PairDesign | None,
    win_rate: float,
    *,
    correlation: float | None,
    each: int | None,
) -> VotePrecision:
    """Give the precision that a study's people and images have, but for what the caller sets."""
    if study is None or design is None:
        alike = 0 if correlation is None else correlation
        return VotePrecision(each=each or 1.0, of_person=alike, of_image=0)
    arena = study.settings.comparison.arena
    of_person, of_image = alike_choices(study.settings.people, win_rate)
    is_sample = arena is None or arena.images == "sample"
    is_sample = is_sample and not 1 < design.prompts < FEWEST_ITEMS
    return VotePrecision(
        each=each or design.each,
        of_person=of_person if correlation is None else correlation,
        of_image=of_image,
        images=design.prompts * design.images if is_sample else math.inf,
        prompts=design.prompts,
        people_known=True,
        looks=arena is not None,
        learnt=design.conditions / 2 if arena else 1.0,
    )


def comparisons_object(plan: ComparisonPower, study: ComparisonStudy | None) -> dict[str, object]:
    return {
        "study": str(study.path) if study else None,
        "method": "comparison",
        "win_rate": plan.win_rate,
        "alpha": plan.alpha,
        "power": plan.power,
        "comparisons_needed": plan.needed.comparisons,
        "comparisons_needed_if_independent": plan.independent,
        "by_chance": plan.needed.by_chance,
        "per_evaluator": plan.precision.each,
        "correlation": plan.precision.of_person,
        "image_correlation": plan.precision.of_image,
        "design_effect": plan.effect,
        "rows": [asdict(row) for row in plan.sweep],
        "design": asdict(plan.design) if plan.design else None,
        "smallest_win_rate": plan.smallest,
        "found": plan.found,
        "found_all": plan.found_all,
        "evaluators_needed": plan.evaluators_needed,
        "enough": plan.is_enough,
    }


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
        "never" if row.comparisons is None else f"{row.comparisons:,}",
        "< 0.01%" if row.by_chance < 0.0001 else f"{row.by_chance:.2%}",
    )


def percent(share: float) -> str:
    return f"{100 * share:.6g}%"


def comparisons_sentences(plan: ComparisonPower) -> Iterator[str]:
    needed = plan.needed.comparisons
    if needed is not None:
        yield (
            f"A win rate of {percent(plan.win_rate)} takes {needed:,} comparisons of the two "
            "conditions, ties not counted."
        )
    yield from effect_sentences(plan)
    if plan.design is not None:
        yield from design_sentences(plan, plan.design)
    yield (
        "Comparisons: ⌈(z of 1 − α/2 + z of the power)² p(1 − p)/(p − ½)²⌉, times what people and "
        "images add. By chance: how often equals show this win rate or a higher one in ⌈…⌉ "
        "independent ones."
    )


def effect_sentences(plan: ComparisonPower) -> Iterator[str]:
    known, needed, instead = plan.precision, plan.needed.comparisons, ""
    if needed is not None:
        instead = f", so {needed:,} instead of {plan.independent:,}"
    if not known.people_known and (known.each == 1 or not known.of_person):
        yield (
            "Each comparison counts in full: as if of another evaluator each, or of evaluators who "
            "do not differ (--each and --icc say otherwise)."
        )
    elif plan.design is None:
        yield (
            f"Each evaluator makes {known.each:.4g} of them, alike by an intraclass correlation of "
            f"{known.of_person:.3g} (--icc): a design effect of {plan.effect:.3g}{instead}."
        )
    else:
        allowed = f"Holm's rule over {plan.design.pairs:,} pairs is allowed for"
        if known.looks:
            allowed = "the arena's looks, of strengths that learn from all pairs, are allowed for"
        yield (
            f"As the study's simulated people and images have it, two choices of one evaluator, of "
            f"whom each makes {known.each:.4g} (--each), are alike by an intraclass correlation of "
            f"{known.of_person:.3g} (--icc), two about one image by {known.of_image:.3g}; and "
            f"{allowed}{instead}."
        )


def design_sentences(plan: ComparisonPower, design: PairDesign) -> Iterator[str]:
    if design.arena:
        yield (
            f"The study: an arena of {design.conditions} conditions and {design.prompts} prompts; "
            f"{design.evaluators:,} evaluators of {design.session} comparisons give "
            f"{number_of_pairs(design)} {design.fewest:,.0f} votes, on average; those that it "
            "chooses more often have more."
        )
    else:
        yield (
            f"The study: {design.conditions} conditions, {design.prompts} prompts, "
            f"{design.comparisons:,} comparisons with {design.votes} votes each by "
            f"{design.evaluators:,} evaluators: {votes_in_words(design)} for "
            f"{number_of_pairs(design)}."
        )
    shows = f"win rates from {plan.smallest or 1:.1%} on"
    if (plan.smallest or 1) > 0.9995:  # all of them, as it would be written
        shows = "no win rate"
    yield (
        f"That shows {shows} with a power of {plan.power:.0%}. {percent(plan.win_rate)} is found "
        f"in {plan.found or 0:.0%} of studies"
        + (
            f", and {'against all others at once' if design.arena else 'in all pairs'}, if all "
            f"have it, in {plan.found_all or 0:.0%}."
            if design.pairs > 1
            else "."
        )
    )
    if plan.is_enough:
        yield f"It is enough for {percent(plan.win_rate)}."
    elif plan.evaluators_needed is None:
        yield (
            f"It is not enough for {percent(plan.win_rate)}, nor is any number of evaluators: "
            "images differ too much for so few. More prompts, or more images of each, are needed."
        )
    else:
        yield (
            f"It is not enough for {percent(plan.win_rate)}: that takes about "
            f"{plan.evaluators_needed:,} evaluators."
        )


def votes_in_words(design: PairDesign) -> str:
    if design.fewest == design.most:
        return f"{design.fewest:,.0f} votes"
    return f"{design.fewest:,.0f} to {design.most:,.0f} votes"


def number_of_pairs(design: PairDesign) -> str:
    if design.pairs == 1:
        return "its one pair of conditions"
    return f"each of its {design.pairs:,} pairs of conditions"
