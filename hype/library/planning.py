"""How many evaluators, or comparisons, tell two conditions apart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from hype.errors import InputError
from hype.library.result import Result, from_python, seed_of
from hype.library.studies import study_in
from hype.protocols.registry import protocol_of
from hype.report import tabular

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import numpy as np
    from matplotlib.axes import Axes

    from hype.protocols.comparison.planning import ComparisonPower
    from hype.protocols.comparison.power import Needed
    from hype.protocols.hype.planning.evaluators_needed import EvaluatorsPlan
    from hype.report.figures.drawing import Drawing
    from hype.report.tabular import Table

EVALUATORS = (10, 20, 30, 60)
STUDIES = 2_000


@from_python
def power(
    study: str | PathLike[str] | None = None,
    *,
    difference: float | None = None,
    evaluators: Sequence[int] = EVALUATORS,
    method: str | None = None,
    condition: str | None = None,
    studies: int = STUDIES,
    seed: int | np.random.Generator = 0,
    win_rate: float | None = None,
    alpha: float | None = None,
    power: float | None = None,
    icc: float | None = None,
    each: int | None = None,
    workers: int = 1,  # noqa: ARG001 - `from_python` takes it
) -> Result:
    """Say how many evaluators, or comparisons, it takes to tell two conditions apart.

    Parameters
    ----------
    study
        A study of HYPE's methods, with ``difference``; or one of comparisons, or none, with
        ``win_rate``. A path, or what `open_study` gave.
    difference
        Between the true scores: percentage points (infinity) or ms (time), above 0.
    evaluators
        Numbers per condition to ask about, 2 or more each.
    method
        "time" or "infinity", where the study has both (infinity).
    condition
        The one to tell from a rival; by default the middle one by predicted score.
    studies
        How many are drawn of each size.
    seed
        Of the simulated people and of the draws, or a generator that gives one.
    win_rate
        Of comparisons: the true one that is to be told from one half, above 0 and below 1.
    alpha, power
        Of comparisons: of the two-sided test, and the wanted chance to find it (0.05 and 0.8).
    icc
        Of comparisons: how alike those of one evaluator are, 0 to 1.
    each
        Of comparisons: how many each evaluator makes of two conditions, 1 or more.
    workers
        Processes that simulate; more than 1 needs the guard ``if __name__ == "__main__":``.

    Returns
    -------
    Result
        A row for each number of evaluators, or for each win rate. Of scores ``enough`` is the
        smallest number asked about that has a power of 80 %; of comparisons ``needed.comparisons``
        is what the win rate takes.

    Raises
    ------
    InputError
        The study is wrong or of another kind, an argument is missing or out of range.

    Examples
    --------
    >>> import hype
    >>> hype.power(win_rate=0.55).needed.comparisons
    778
    """
    loaded = study_in(study) if study is not None else None
    planned = protocol_of(loaded).power_of if loaded else "win rates"
    if loaded and not planned:
        raise InputError(
            loaded.path, f"is a study of {loaded.answers}, whose power is not computed"
        )
    of_comparisons = {
        "win_rate": win_rate,
        "alpha": alpha,
        "power": power,
        "icc": icc,
        "each": each,
    }
    given = [name for name, value in of_comparisons.items() if value is not None]
    opened_study: Any = loaded
    if planned == "scores":
        if given:
            raise InputError(given[0], f"is for comparisons, and {opened_study.path} has none")
        return _of_scores(
            opened_study, difference, tuple(evaluators), method, condition, studies, seed_of(seed)
        )
    if difference is not None:
        raise InputError("difference", "is for studies of HYPE's methods", "win_rate")
    if opened_study is None and win_rate is None:
        raise InputError("win_rate", "is missing", "a win rate such as 0.55, or a study")
    from hype.protocols.comparison.planning import comparisons_object, power_of_comparisons

    plan = power_of_comparisons(
        opened_study, win_rate=win_rate, alpha=alpha, power=power, correlation=icc, each=each
    )
    return Result(
        value=plan,
        heading=f"Comparisons that tell win rates from one half, with a power of {plan.power:.0%}",
        make_object=lambda: comparisons_object(plan, opened_study),
        make_tables=lambda: (win_rate_table(plan),),
        make_drawings=lambda: (win_rate_drawing(plan),),
    )


def _of_scores(
    study: Any,
    difference: float | None,
    numbers: tuple[int, ...],
    method: str | None,
    condition: str | None,
    studies: int,
    seed: int,
) -> Result:
    from hype.protocols.hype.planning.evaluators_needed import (
        check_difference,
        check_studies,
        estimated_within,
        examine,
        numbers_in,
        plan_object,
        plan_sentences,
        scorer,
        without_difference,
    )
    from hype.protocols.hype.planning.plan import plan_study

    if difference is None:
        raise without_difference(study, "difference")
    check_difference(difference)
    check_studies(studies)
    numbers = numbers_in(",".join(map(str, numbers)))
    difference = float(difference)  # as the command reads it
    planned = plan_study(
        study,
        difference,
        score=scorer(estimated_within(study.settings)),
        method=method,
        condition=condition,
        seed=seed,
        progress=lambda _stage, _done, _of: None,
    )
    plan = examine(study, planned, difference, numbers, studies=studies, seed=seed)
    return Result(
        value=plan,
        heading=f"Power to find a difference of {difference:g} {plan.unit}",
        notes=tuple(plan_sentences(plan)),
        simulated=True,
        make_object=lambda: plan_object(plan),
        make_tables=lambda: (power_table(plan),),
        make_drawings=lambda: (power_drawing(plan),),
    )


def power_table(plan: EvaluatorsPlan) -> Table:
    columns = (
        tabular.name("Evaluators", "evaluators", of="power.evaluators"),
        tabular.share("Power", "power", of="power.power"),
        tabular.number("Error", "power_se", 3, of="power.power_se"),
        tabular.share("False alarms", "false_alarms", of="power.false_alarms"),
        tabular.number("Interval's width", "interval_width", of="power.interval_width"),
        tabular.whole("People", "people"),
        tabular.number("Cost", "cost", 2, of="outlay.cost"),
        tabular.number("Hours", "hours", of="outlay.hours"),
    )
    return tabular.tabulated(plan.rows, name="power", title="Power", columns=columns)


def power_drawing(plan: EvaluatorsPlan) -> Drawing:
    from hype.report.figures.drawing import Drawing, Panel

    powers = "; ".join(f"{row.power.evaluators}: {row.power.power:.0%}" for row in plan.rows)
    return Drawing(
        name="power",
        title="Power",
        caption="Share of simulated studies that tell the two apart, with its standard error.",
        alt=f"Power by evaluators per condition: {powers}.",
        panels=(Panel(draw=partial(_draw, plan=plan)),),
        width_in=4.2,
        height_in=2.8,
        x_label="evaluators per condition",
        y_label="power, in %",
    )


def _draw(axes: Axes, plan: EvaluatorsPlan) -> None:
    from hype.report.figures.drawing import BLUE, FAINT, level_grid

    powers_by_row = [row.power for row in plan.rows]
    numbers = [row.evaluators for row in powers_by_row]
    powers, errors = (
        [100 * row.power for row in powers_by_row],
        [100 * row.power_se for row in powers_by_row],
    )
    level_grid(axes)
    axes.axhline(80, color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
    axes.errorbar(numbers, powers, yerr=errors, fmt="o-", color=BLUE, linewidth=1.8)
    axes.set_ylim(0, 103)
    axes.set_xlim(0, None)


def win_rate_table(plan: ComparisonPower) -> Table:
    columns = (
        tabular.name("Win rate", "win_rate"),
        tabular.whole("Comparisons", "comparisons"),
        tabular.share("Equals show it by chance", "by_chance"),
    )
    return tabular.tabulated(
        by_win_rate(plan), name="win-rates", title="Win rates", columns=columns
    )


def by_win_rate(plan: ComparisonPower) -> list[Needed]:
    rows = {row.win_rate: row for row in (*plan.sweep, plan.needed)}
    return [rows[rate] for rate in sorted(rows)]


def win_rate_drawing(plan: ComparisonPower) -> Drawing:
    from hype.report.figures.drawing import Drawing, Panel

    rows = [row for row in by_win_rate(plan) if row.comparisons is not None]
    needed = "; ".join(f"{row.win_rate:.4g}: {row.comparisons:,}" for row in rows)
    return Drawing(
        name="win-rates",
        title="Comparisons needed",
        caption=f"What tells a win rate from one half, with a power of {plan.power:.0%}.",
        alt=f"Comparisons needed by win rate: {needed}.",
        panels=(Panel(draw=partial(_draw_needed, rows=rows, asked=plan.win_rate)),),
        width_in=4.2,
        height_in=2.8,
        x_label="win rate, in %",
        y_label="comparisons",
    )


def _draw_needed(axes: Axes, rows: Sequence[Needed], asked: float) -> None:
    from hype.report.figures.drawing import BLUE, FAINT, level_grid

    level_grid(axes)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.axvline(100 * asked, color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
    rates, needed = [100 * row.win_rate for row in rows], [row.comparisons or 0 for row in rows]
    axes.plot(rates, needed, "o-", color=BLUE, linewidth=1.8)
