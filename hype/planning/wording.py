"""What `hype power` found, as a table, as sentences and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Final

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hype.planning.evaluators_needed import EvaluatorsPlan, EvaluatorsRow
from hype.report import wording

PROTOCOLS: Final = {"time": "HYPE_time", "infinity": "HYPE_∞"}
TESTS: Final = {"student-t": "Student's t-test", "tukey-hsd": "Tukey's HSD of this pair"}


def plan_object(plan: EvaluatorsPlan) -> dict[str, object]:
    """Give everything for programs."""
    from hype.protocols.hype.options import ALPHA

    place, (before, after) = plan.planned.place, plan.parameters
    reached = plan.planned.calibrated.difference
    return {
        "study": str(plan.study.path),
        "simulated": True,
        "method": plan.method,
        "unit": "ms" if plan.method == "time" else "%",
        "difference": plan.difference,
        "difference_reached": reached,
        "direction": "up" if reached > 0 else "down",
        "baseline": place.baseline,
        "baseline_score": fmean(plan.people[0]),
        "rival_score": fmean(plan.people[1]),
        "rival_replaces": place.rival if place.replaces else None,
        "parameter": {"name": place.measured, "baseline": before, "rival": after},
        "settling_ms": plan.settling_ms,
        "predicted_scores": dict(plan.planned.predicted),
        "conditions": list(plan.conditions),
        "analysis": plan.test,
        "alpha": ALPHA,
        "studies": plan.studies,
        "population": len(plan.people[0]),
        "seed": plan.seed,
        "rows": [
            row_object(row) | {"hours_expected": row.hours_at(plan.minutes)} for row in plan.rows
        ],
        "currency": plan.currency,
        "session_minutes_expected": plan.minutes,
        "evaluators_for_80": plan.enough or plan.perhaps,
        "evaluators_for_80_extrapolated": plan.enough is None and plan.perhaps is not None,
    }


def row_object(row: EvaluatorsRow) -> dict[str, object]:
    """Give one row for programs."""
    return {
        "evaluators": row.power.evaluators,
        "power": row.power.power,
        "power_se": row.power.power_se,
        "false_alarms": row.power.false_alarms,
        "false_alarms_se": row.power.false_alarms_se,
        "interval_width": row.power.interval_width,
        "cost": round(row.outlay.cost, 2),
        "hours": row.outlay.hours,
        "hours_per_evaluator": row.outlay.hours_per_evaluator,
        "turned_away_share": row.outlay.turned_away_share,
    }


def plan_table(plan: EvaluatorsPlan) -> Group:
    """Lay out the rows for a terminal at least 80 columns wide."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    unit = "ms" if plan.method == "time" else "%"
    for heading in (
        "Evaluators per\ncondition",
        "Power",
        "False\nalarms",
        f"Width of\n95% CI ({unit})",
        f"Cost\n({plan.currency})",
        "Hours of\npeople",
        "simu-\nlated",
    ):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for row in plan.rows:
        table.add_row(*map(Text, cells(row, plan.minutes)))
    title = (
        f"{PROTOCOLS[plan.method]}: the chance to tell two conditions whose true scores differ by "
        f"{plan.difference:g} {plan.unit}"
    )
    return Group(Text(title, style="bold"), table)


def cells(row: EvaluatorsRow, session_minutes: int) -> tuple[str, ...]:
    """Give one row in words."""
    power, takes = row.power, row.outlay
    return (
        str(power.evaluators),
        f"{100 * power.power:.1f} ± {100 * power.power_se:.1f}%",
        f"{100 * power.false_alarms:.1f}%",
        wording.number(power.interval_width),
        f"{takes.cost:,.2f}",
        f"{row.hours_at(session_minutes):,.0f}",
        f"{takes.hours:,.1f}",
    )


def plan_sentences(plan: EvaluatorsPlan) -> Iterator[str]:
    """Say what the figures rest on."""
    yield enough_sentence(plan)
    yield baseline_sentence(plan)
    yield rival_sentence(plan)
    yield (
        f"Planned analysis: {TESTS[plan.test]} at α = 0.05, in a study of {len(plan.people)} "
        f"conditions ({', '.join(plan.conditions)})."
    )
    yield (
        f"Power: of {plan.studies:,} studies drawn for each row, with replacement, from "
        f"{len(plan.people[0])} simulated evaluators of each condition; ± is its standard error. "
        "False alarms: the same without a difference. Width: of the baseline's score, median."
    )
    yield outlay_sentence(plan)
    described = plan.study.settings.observers
    source = "those of the study file" if described else "plain ones, the study file having none"
    yield f"Images are the study's. Observers are {source}: the figures are as true as they are."
    yield from filter(None, [false_alarms_sentence(plan), other_method_sentence(plan)])


def enough_sentence(plan: EvaluatorsPlan) -> str:
    """Say which number has a power of 80%."""
    if plan.enough:
        return f"Of these, {plan.enough} evaluators per condition are the fewest with 80% power."
    if plan.perhaps:
        return (
            f"None of these has 80% power. About {plan.perhaps:,} evaluators per condition would "
            "(extrapolated, as for normally distributed scores)."
        )
    return "None of these has 80% power, and no number within reach would."


def baseline_sentence(plan: EvaluatorsPlan) -> str:
    baseline, score = plan.planned.place.baseline, plan.score(fmean(plan.people[0]))
    return f"Baseline: {baseline}, which scores {score}."


def rival_sentence(plan: EvaluatorsPlan) -> str:
    """Say what the rival is."""
    place, (before, after) = plan.planned.place, plan.parameters
    reached = plan.planned.calibrated.difference
    side = "above" if reached > 0 else "below"
    images = (
        f"It takes the place of {place.rival}, whose predicted score is nearest, and its images."
        if place.replaces
        else f"It has the images of {place.baseline}."
    )
    return (
        f"Rival: the same observers with a {place.measured} of {after:.4g} instead of "
        f"{before:.4g}, so that it scores {abs(reached):.3g} {plan.unit} {side}. "
        f"{settling_clause(plan)}{images}"
    )


def settling_clause(plan: EvaluatorsPlan) -> str:
    """Say of staircases how far apart endless trials would bring them."""
    if not plan.settling_ms:
        return ""
    before, after = plan.settling_ms
    return f"Endless trials would bring typical ones to {after:.0f} instead of {before:.0f} ms. "


def outlay_sentence(plan: EvaluatorsPlan) -> str:
    """Say what is paid and how long it takes."""
    design = plan.planned.place.design
    away = plan.rows[0].outlay.turned_away_share
    of = "whole sessions with all methods" if len(design.methods) > 1 else "this method alone"
    came = (
        f"base pay for everyone who comes ({away:.1%} are turned away and replaced)"
        if design.settings.qualification.enabled
        else "base pay for everyone"
    )
    return (
        f"Cost: {came} and pay per correct judgement, all conditions together. Hours: people take "
        f"{plan.minutes} minutes a session at the pace that Zhou et al. report; simulated ones "
        f"answer at once. Both are of {of}."
    )


def other_method_sentence(plan: EvaluatorsPlan) -> str:
    """Say how to ask about the study's other method, if it has one; else empty."""
    others = [method for method in plan.study.settings.study.methods if method != plan.method]
    if not others:
        return ""
    return f"The study has {PROTOCOLS[others[0]]} too: --method {others[0]} asks about that."


def false_alarms_sentence(plan: EvaluatorsPlan) -> str:
    """Warn where a pair without a difference is separable too often; else empty."""
    from hype.protocols.hype.options import ALPHA

    if all(r.power.false_alarms <= ALPHA + 3 * r.power.false_alarms_se for r in plan.rows):
        return ""
    return (
        "Note: conditions do not vary alike, and the planned analysis then finds differences too "
        "often where there are none. hype score prints tests that allow for it beside it."
    )
