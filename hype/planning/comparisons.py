"""How many comparisons tell a win rate from one half, and what a number of them can tell.

The normal approximation is that of the sources: N = (z₁₋α/₂ + z_power)²·p(1 - p) / (p - ½)².

Comparisons of one evaluator are not independent where evaluators differ. With m of them each and
an intraclass correlation ρ the number grows by the design effect 1 + (m - 1)ρ (Kish 1965, "Survey
sampling", section 5.4). Nor are those of one image, where images differ. A study's win rate has
the variance that its scoring allows for (`hype.statistics.crossed`),

    p(1 - p)·[(1 + (m - 1)ρ_person - 2ρ_image)/N + 2ρ_image/images],

ρ being the correlation of two choices by one person, or about one image, and images those of either
condition; more evaluators leave the second term as it is (Westfall, Kenny and Judd 2014). Tests are
Student's, at the level of the strictest step of Holm's rule over the pairs of conditions. An arena
is planned with the looks of its rule and what each may err with (`hype.statistics.separation`), by
drawing: what people add to an estimate shrinks from look to look, what images add stays. Its
strengths learn from all pairs, which at random count as K/2 times the votes of one, K being the
number of conditions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text
from scipy import special

from hype.errors import InputError
from hype.protocols.comparison.sampling import design_of
from hype.statistics.arrays import FloatArray
from hype.statistics.separation import FEWEST_ITEMS, looks_of

if TYPE_CHECKING:
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
    comparisons: int | None  # None where no number is enough
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


def chance_of_win_rate(win_rate: float, comparisons: int) -> float:
    """Give the probability that equals show a win rate, or a higher one, in so many comparisons.

    0.184 for .55 in 100, 0.003 in 778: chance alone makes headlines in small studies.
    """
    if comparisons < 1:
        raise InputError("comparisons", str(comparisons), "allowed is 1 or more")
    # As the number is written: 0.55 of 100 is 55, though the nearest float is a little above.
    wins = math.ceil(Fraction(repr(float(win_rate))) * comparisons)
    return float(special.bdtrc(wins - 1, comparisons, 0.5)) if wins > 0 else 1.0


def _z(alpha: float, power: float) -> float:
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))


def _check(win_rate: float, alpha: float, power: float) -> None:
    if not 0 < win_rate < 1 or win_rate == 0.5:
        allowed = "allowed is a number above 0 and below 1 that is not 0.5: equals cannot be told"
        raise InputError("win rate", f"{win_rate:g}", f"{allowed} apart")
    if not 0 < alpha < 1:
        raise InputError("alpha", f"{alpha:g}", "allowed is a number above 0 and below 1")
    if not alpha < power < 1:
        raise InputError("power", f"{power:g}", "allowed is a number above alpha and below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class VotePrecision:
    """What makes the votes on a pair of conditions more or less precise."""

    each: float = 1.0  # votes of one evaluator
    # of_person, of_image: correlation of two choices by one person, or about one of the two images
    of_person: float = 0.0
    of_image: float = 0.0
    # What is a sample: images of either condition, and the prompts they are for; people, if their
    # number is known
    images: float = math.inf
    prompts: float = math.inf
    people_known: bool = False
    # Whether an arena looks at the votes as they come, and how many times those of a pair count, as
    # strengths learn from the others
    looks: bool = False
    learnt: float = 1.0

    def variances(self, votes: float) -> tuple[float, float, float]:
        """Give the variance of a win rate, what scoring takes it for, and the latter's freedom.

        Both in units of p(1 - p). What images add is estimated from few prompts, and counts as 0 at
        least, so that on average it is taken for more than it is.
        """
        votes, each = self.learnt * votes, self.learnt * self.each
        alone = (1 - self.of_person - 2 * self.of_image) / votes
        of_people = alone + each * self.of_person / votes
        of_images = 2 * self.of_image / self.images
        prompts = max(1.0, self.prompts - 1)
        noise = (alone + of_images) * math.sqrt(2 / prompts)
        added = of_images
        if noise > 0:
            above = of_images / noise
            density = math.exp(-(above**2) / 2) / math.sqrt(2 * math.pi)
            added = of_images * float(special.ndtr(above)) + noise * density
        people = max(1.0, votes / each - 1) if self.people_known else math.inf
        doubt = of_people**2 / people + (alone + of_images) ** 2 / prompts
        taken = of_people + added
        return of_people + of_images, taken, max(1.0, taken**2 / doubt) if doubt else math.inf

    def power(self, votes: float, win_rate: float, alpha: float) -> float:
        """Give how often a win rate above one half is found."""
        if self.looks:
            return self.power_of_looks(votes, win_rate, alpha)
        variance, taken, freedom = self.variances(votes)
        t = float(special.stdtrit(freedom, 1 - alpha / 2))
        distance = (win_rate - 0.5) / math.sqrt(win_rate * (1 - win_rate))
        return float(
            special.stdtr(freedom, (distance - t * math.sqrt(taken)) / math.sqrt(variance))
        )

    def power_of_looks(self, votes: float, win_rate: float, alpha: float, pairs: int = 1) -> float:
        """Give how often an arena finds one pair, or so many at one look, as if independent."""
        if 1 < self.prompts < FEWEST_ITEMS and self.images < math.inf:
            return 0.0
        rng, distance = np.random.default_rng(pairs), win_rate - 0.5
        distance /= math.sqrt(win_rate * (1 - win_rate))
        of_images = 2 * self.of_image / self.images
        shift = math.sqrt(of_images) * rng.normal(size=(_ARENAS, pairs)) + distance
        summed, before = np.zeros((_ARENAS, pairs)), 0
        known = np.zeros(_ARENAS, dtype=bool)
        for look in looks_of(int(votes / self.each), alpha):
            variance, taken, freedom = self.variances(look.people * self.each)
            of_one = max(0.0, variance - of_images) * look.people
            summed += math.sqrt(of_one * (look.people - before)) * rng.normal(size=summed.shape)
            before = look.people
            t = float(special.stdtrit(freedom, 1 - look.level / 2))
            found = shift + summed / look.people > t * math.sqrt(taken)
            known |= found.all(axis=1)
        return float(known.mean())

    def smallest(self, votes: float, alpha: float, power: float) -> float:
        """Give the smallest win rate above one half that is found with some power."""
        low, high = 0.5, 1 - 1e-9
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            enough = self.power(votes, middle, alpha) >= power
            low, high = (low, middle) if enough else (middle, high)
        return high

    def needed(self, win_rate: float, alpha: float, power: float) -> int | None:
        """Give how many votes find a win rate with some power; None where no number does."""
        win_rate = max(win_rate, 1 - win_rate)
        low, high = 0, MOST
        if self.power(high, win_rate, alpha) < power:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            enough = self.power(middle, win_rate, alpha) >= power
            low, high = (low, middle) if enough else (middle, high)
        return high


_ARENAS: Final = 2_000
_STUDIES: Final = 4_000


def power_of_all(power: float, pairs: int, alpha: float) -> float:
    """Give how often all pairs are found by Holm's rule, each by its first step with some power.

    As if pairs were independent; by drawing.
    """
    if pairs == 1:
        return power
    shift = special.ndtri(1 - alpha / pairs / 2) + special.ndtri(power)
    drawn = np.random.default_rng(pairs).normal(shift, size=(max(400, _STUDIES // pairs), pairs))
    strictest = 1 - alpha / np.arange(1, pairs + 1) / 2
    return float((np.sort(drawn, axis=1) > special.ndtri(strictest)).all(axis=1).mean())


HEADINGS = ("Win rate", "Comparisons", "Equals show\nit by chance")


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
        "images add. By chance: how often equals show this win rate or a higher one in so many "
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
            f"{pairs_said(design)} {design.fewest:,.0f} votes, on average; those that it chooses "
            "more often have more."
        )
    else:
        yield (
            f"The study: {design.conditions} conditions, {design.prompts} prompts, "
            f"{design.comparisons:,} comparisons with {design.votes} votes each by "
            f"{design.evaluators:,} evaluators: {votes_said(design)} for {pairs_said(design)}."
        )
    yield (
        f"That shows win rates from {100 * (plan.smallest or 1):.1f}% on with a power of "
        f"{plan.power:.0%}. {percent(plan.win_rate)} is found in {plan.found or 0:.0%} of studies"
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


def alike_choices(people: ComparingPeopleSettings, win_rate: float) -> tuple[float, float]:
    """Give the correlations of two choices by one person, and of two about one image.

    Between conditions with a win rate; the image is one of the two that are compared. Lapses make
    choices less alike; those who press one key are as alike as a coin that is thrown for each of
    them, since conditions are on the left half of the times: they are passed over.
    """
    both = math.sqrt(2) * people.taste_spread, people.image_spread
    difference = centre(people, win_rate)
    whole = 2 * (people.taste_spread**2 + people.image_spread**2)
    found = []
    for own in both:
        chosen, weights = spread_of_choices(
            people, difference, own, math.sqrt(max(0.0, whole - own**2))
        )
        mean = float(chosen @ weights)
        found.append(float(np.square(chosen - mean) @ weights) / (mean * (1 - mean)))
    return found[0], found[1]


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
    smallest = found = found_all = None
    if design is not None:
        smallest = own.smallest(design.fewest, level, power)
        found = own.power(design.fewest, wanted.win_rate, level)
        found_all = power_of_all(found, pairs, wanted.alpha)
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
        found=found,
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
