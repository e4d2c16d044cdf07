"""What was planned, as a table, an object, a figure and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from hype.planning.power import ENOUGH, Plan
from hype.report import tabular
from hype.report.figures.drawing import BLUE, FAINT, Axes, Drawing, Panel, level_grid
from hype.report.tabular import Table


def heading(plan: Plan) -> str:
    asked = plan.asked.difference
    by = "as the study's observers do" if asked is None else f"by {asked:.4g} {plan.score.unit}"
    return f"{plan.score.title}: the chance to tell two conditions that differ {by}"


def power_table(plan: Plan) -> Table:
    score = plan.score
    columns = (
        tabular.name("Evaluators of\na condition", "evaluators"),
        *([tabular.whole("People", "people")] if score.each < len(score.conditions) else []),
        tabular.percent("Power\n(%)", "power_percent"),
        tabular.percent("±", "power_se_percent"),
        tabular.percent("Wrong\nway (%)", "wrong_way_percent"),
        tabular.number(f"Cost\n({score.pay.currency})", "cost", 2),
        tabular.number("Hours", "hours"),
    )
    return tabular.tabulated(plan.rows, name="power", title="Power", columns=columns)


def plan_object(plan: Plan) -> dict[str, object]:
    score, asked, (baseline, rival) = plan.score, plan.asked, plan.pair
    return {
        "study": str(score.course.study.path),
        "simulated": True,
        "score": score.title,
        "unit": score.unit,
        "difference": asked.difference,
        "difference_reached": plan.difference,
        "baseline": baseline,
        "rival": rival,
        "parameter": {
            "name": score.parameter,
            "baseline": score.value(plan.settings, baseline),
            "rival": score.value(plan.settings, rival),
        },
        "conditions": list(score.conditions),
        "conditions_each": score.each,
        "pool": plan.pool,
        "studies": asked.studies,
        "seed": asked.seed,
        "rows": [asdict(row) for row in plan.rows],
        "evaluators_for_80": plan.needed,
        "currency": score.pay.currency,
    }


def plan_sentences(plan: Plan) -> Iterator[str]:
    yield enough_sentence(plan)
    score, (baseline, rival) = plan.score, plan.pair
    before, after = (score.value(plan.settings, one) for one in plan.pair)
    side = "above" if plan.difference > 0 else "below"
    scores = f"scores {abs(plan.difference):.3g} {score.unit} {side}"
    if plan.asked.difference is None:
        yield (
            f"Pair: {baseline} and {rival}, which {scores}, by the study's observers. "
            "--difference asks about another difference."
        )
    else:
        yield (
            f"Pair: {baseline} and a rival in the place of {rival}, with its images. The "
            f"rival has a {score.parameter} of {after:.4g} instead of {before:.4g}, and {scores}."
        )
    yield (
        f"Power: the share of {plan.asked.studies:,} studies in which hype score finds the two "
        f"separable, the right way round; each study is drawn from {plan.pool:,} simulated people. "
        "±: the standard error, by the number of studies (--studies) and of people."
    )
    yield (
        "Cost: pay of everybody, those included who do not qualify. Hours: as long as sessions are "
        "expected to take people."
    )
    yield (
        "The images, and how much they differ, are the study's. The figures are as true as its "
        "[observers] and [people] are."
    )


def enough_sentence(plan: Plan) -> str:
    if plan.needed is None:
        largest = plan.rows[-1].evaluators
        return f"None of these has {ENOUGH:.0%} power: it takes more than {largest:,}."
    if plan.asked.numbers:
        return f"Of these, {plan.needed:,} are the fewest with {ENOUGH:.0%} power."
    return f"About {plan.needed:,} evaluators of a condition have {ENOUGH:.0%} power."


def power_drawing(plan: Plan) -> Drawing:
    def draw(axes: Axes) -> None:
        level_grid(axes)
        axes.axhline(100 * ENOUGH, color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
        axes.errorbar(
            [row.evaluators for row in plan.rows],
            [100 * row.power for row in plan.rows],
            yerr=[100 * row.power_se for row in plan.rows],
            fmt="o-",
            color=BLUE,
            linewidth=1.8,
        )
        axes.set_ylim(0, 103)
        axes.set_xlim(0, None)

    powers = "; ".join(f"{row.evaluators}: {row.power:.0%}" for row in plan.rows)
    return Drawing(
        name="power",
        title="Power",
        caption="Share of simulated studies that tell the two apart, with its standard error.",
        alt=f"Power by evaluators of a condition: {powers}.",
        panels=(Panel(draw=draw),),
        width_in=4.2,
        height_in=2.8,
        x_label="evaluators of a condition",
        y_label="power, in %",
    )
