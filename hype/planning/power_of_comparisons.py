"""How many comparisons tell a win rate from one half, and what a study's design can show."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from hype.cli.options import out, print_json
from hype.errors import InputError
from hype.planning.comparisons import (
    ComparisonPlan,
    intraclass_correlation,
    needed_view,
    plan_sentences,
)
from hype.protocols.comparison.sampling import design_of

if TYPE_CHECKING:
    from hype.protocols.comparison.settings import PlannedAnalysis
    from hype.protocols.studies import ComparisonStudy


def power_of_comparisons(
    study: ComparisonStudy | None,
    *,
    win_rate: float | None,
    alpha: float | None,
    power: float | None,
    correlation: float | None,
    each: int | None,
    as_json: bool,
) -> None:
    """Print what a win rate takes, and what a study gives."""
    from hype.protocols.comparison.settings import PlannedAnalysis

    planned = study.settings.analysis if study else PlannedAnalysis()
    given = {"win_rate": win_rate, "alpha": alpha, "power": power}
    for option, value in given.items():
        check_part(f"--{option.replace('_', '-')}", value)
    wanted = planned.model_copy(update={k: v for k, v in given.items() if v is not None})
    plan = plan_comparisons(study, wanted, correlation=correlation, each=each)
    if as_json:
        print_json(as_object(plan, study))
        return
    out.print(needed_view(plan))
    for sentence in plan_sentences(plan):
        out.print(sentence, markup=False)


def check_part(option: str, value: float | None) -> None:
    if value is not None and not 0 < value < 1:
        raise InputError(option, f"{value:g} is out of range", "above 0 and below 1, such as 0.55")


def plan_comparisons(
    study: ComparisonStudy | None,
    wanted: PlannedAnalysis,
    *,
    correlation: float | None,
    each: int | None,
) -> ComparisonPlan:
    """Compute everything."""
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
    return ComparisonPlan(
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


def as_object(plan: ComparisonPlan, study: ComparisonStudy | None) -> dict[str, object]:
    """Give everything for programs."""
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
