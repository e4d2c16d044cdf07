"""The power of a study, from simulated studies.

The rival equals the baseline except for one parameter of its observers. This parameter is moved
until the scores of rival and baseline, over the whole pool, differ by the requested amount. Without
a requested amount, the rival keeps the study's observers. Then many studies of each size are drawn
from the pool, and the verdicts of `hype score` are counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from scipy import special, stats

from hype.errors import InputError
from hype.planning.people import (
    FEW_ANSWERS,
    PeopleSimulator,
    Pool,
    Progress,
    numbers_of_groups,
    people_in,
    people_wanted,
)
from hype.planning.planned import MOST_EVALUATORS, Asked, PairVerdict, PlannedScore, observer_of
from hype.report import tabular
from hype.report.figures.drawing import BLUE, FAINT, Axes, Drawing, Panel, level_grid
from hype.report.tabular import Table
from hype.workers import worker_pool

ENOUGH: Final = 0.8
"""The power that studies usually aim for (Cohen 1988)."""
MOST_ANSWERS: Final = 2_000_000
"""During a search, a drawn study has at most this many answers."""
FIRST: Final = 20
"""A search starts with this many evaluators per condition."""
FEW: Final = 40
"""Until a search is near its end, this many studies are simulated for each number of evaluators."""
ALIKE: Final = 1.5
"""A search is near its end if the next number differs from the last by at most this factor."""
NEAR: Final = 0.1
"""A search ends when a power is this close to `ENOUGH`; the result is computed from that power."""
ROUNDS: Final = 6
"""A search tries up to 6 sample sizes with `FEW` studies, then up to 6 with all studies."""
RIVALS: Final = 8
"""A search tries at most this many rivals."""
TOLERANCE: Final = 0.03
ACCEPTED: Final = 0.06
"""The search for a rival ends at a relative error of `TOLERANCE`; it fails above `ACCEPTED`."""
STEP: Final = 0.3
"""The first step of the parameter in the search for a rival."""
ROOM: Final = 8.0
"""The parameter moves at most this far, up or down."""
AT_ONCE: Final = 20
"""A process scores this many studies at a time."""


@dataclass(frozen=True, kw_only=True)
class PowerRow:
    """The result for one number of evaluators."""

    evaluators: int  # Evaluators of each condition.
    people: int  # The number of people in the study.
    # power: the share of studies in which the pair is separable and in the right order; power_se:
    # its standard error, since the numbers of studies and of simulated people are limited
    power: float
    power_se: float
    wrong_way: float  # The share in which the pair is separable, but in the wrong order.
    hours: float  # The expected total time of all sessions.
    cost: float  # For all sessions.


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The whole plan."""

    score: PlannedScore
    asked: Asked
    pair: tuple[str, str]  # The baseline and its rival.
    settings: Any  # The study's settings, with the rival.
    difference: float  # The rival's score minus the baseline's, over the whole pool.
    pool: int  # Simulated people in each group that judges a condition of the pair.
    rows: tuple[PowerRow, ...]  # Sorted by the number of evaluators.
    # The number of evaluators with about 80 % power, or the smallest requested number with at least
    # 80 %; None if there is none
    needed: int | None


def plan_power(planned: PlannedScore, asked: Asked, progress: Progress) -> Plan:
    """Simulate people, find a rival with the requested difference, and count verdicts.

    Raises InputError: the condition is unknown, the two conditions do not differ, or no rival
    differs by the requested amount. Raises SessionProblem: almost no one passes the qualification.
    """
    pair = pair_of(planned, asked.condition)
    of_both = [observer_of(planned.settings, name) for name in pair]
    if asked.difference is None and of_both[0] == of_both[1]:
        raise InputError(
            planned.course.study.path,
            f"{pair[0]} and {pair[1]} have equal observers, so their scores do not differ",
            "give --difference, or different [observers]",
        )
    wanted, answers = people_wanted(planned, pair[0], asked.seed)
    with worker_pool(1 if answers < FEW_ANSWERS else None, asked.scheduler) as workers:
        people = PeopleSimulator(
            workers=workers, planned=planned, asked=asked, pair=pair, progress=progress
        )
        placed = place_rival(people, wanted)
        rows = [
            power_row(people, placed.pool, number, asked.studies)[0]
            for number in sorted({*asked.numbers})
        ]
        rows, found = (rows, None) if rows else search(people, placed.pool)
    return Plan(
        score=planned,
        asked=asked,
        pair=pair,
        settings=placed.settings,
        difference=placed.difference,
        pool=max(map(len, placed.pool.groups)),
        rows=tuple(rows),
        needed=found or next((row.evaluators for row in rows if row.power >= ENOUGH), None),
    )


ADD_ANOTHER: Final = "add another one with hype add, or name two with hype new --fake"


def pair_of(planned: PlannedScore, condition: str | None) -> tuple[str, str]:
    """Choose the baseline (by default the one with the middle parameter) and its nearest rival."""
    if len(planned.conditions) < 2:
        path = planned.course.study.path
        raise InputError(path, "has only one condition, so nothing can be compared", ADD_ANOTHER)
    if condition is not None and condition not in planned.conditions:
        known = ", ".join(planned.conditions)
        raise InputError("--condition", f"{condition!r} is not a condition of the study", known)
    value = {
        name: planned.sign * planned.value(planned.settings, name) for name in planned.conditions
    }
    ordered = sorted(value, key=lambda name: (value[name], name))
    # Of two middle conditions, take the higher, since high scores differ more between people.
    baseline = condition or ordered[len(ordered) // 2]
    others = [name for name in ordered if name != baseline]
    return baseline, min(others, key=lambda name: abs(value[name] - value[baseline]))


@dataclass(frozen=True, kw_only=True)
class Rival:
    """A simulated rival condition, and the simulated people who judged it."""

    by: float  # How far the rival's parameter was moved.
    difference: float  # The rival's score minus the baseline's, over the whole pool.
    settings: Any
    pool: Pool


def place_rival(people: PeopleSimulator, wanted: int) -> Rival:
    """Move the rival until it scores higher (or, if it cannot, lower) by the requested amount."""
    planned, difference, (baseline, rival) = people.planned, people.asked.difference, people.pair

    def place_at(by: float, number: int) -> Rival:
        settings = (
            planned.settings if difference is None else planned.move_rival(baseline, rival, by)
        )
        stage = f"Searching for a rival ({number} people)" if by else "Simulating people"
        pool = people.pool(settings, number, stage)
        found = planned.find_verdict(pool.frame, baseline, rival)
        return Rival(by=by, difference=found.difference, settings=settings, pool=pool)

    if not difference:
        return place_at(0.0, wanted)
    reached = []
    for target in (difference, -difference):
        near = find(lambda by: place_at(by, max(2, wanted // 4)), target, STEP)
        if abs(near.difference - target) <= ACCEPTED * difference:
            return find(lambda by: place_at(by, wanted), target, abs(near.by))
        reached.append(near.difference)
    raise InputError(
        "--difference",
        f"{difference:g} {planned.unit}: no {planned.parameter} gives a rival whose score is "
        f"this far from the score of {baseline!r}",
        f"the nearest differences are {reached[0]:+.3g} and {reached[1]:+.3g}",
    )


def find(place: Callable[[float], Rival], target: float, step: float) -> Rival:
    """Find the rival whose difference is ``target`` (of either sign), or the nearest rival tried.

    Differences usually grow with the step of the parameter, and are about 0 without a step. The
    search starts with ``step`` and moves on until the target is between the differences of two
    rivals. Then it uses the false position method.
    """
    sign = 1 if target > 0 else -1
    low, high, at = (0.0, 0.0), None, min(step, ROOM)
    best = None
    for _ in range(RIVALS):
        rival = place(sign * at)
        value, off = sign * rival.difference, abs(rival.difference - target)
        if best is None or off < abs(best.difference - target):
            best = rival
        if off <= TOLERANCE * abs(target):
            break
        if value > abs(target):
            high = (at, value)
        elif at >= ROOM:
            break
        else:
            low = (at, value)
        if high is None:
            ahead = 1.1 * at * abs(target) / value if value > 0 else np.inf
            at = min(ROOM, max(1.2 * at, min(4 * at, ahead)))
        else:
            part = (abs(target) - low[1]) / (high[1] - low[1])
            at = low[0] + (high[0] - low[0]) * min(max(part, 0.1), 0.9)
    return best or rival


def search(people: PeopleSimulator, pool: Pool) -> tuple[list[PowerRow], int | None]:
    """Search for the number of evaluators with 80 % power.

    The first numbers are tried with few studies and not returned. The search ends early if more
    people do not raise the power, often because there are few images. Returns the rows of the other
    numbers, and the number with 80 % power (None if it was not found).
    """
    planned, studies = people.planned, people.asked.studies
    each = len(pool.frame) / len(pool.starts) * len(planned.conditions)
    most = min(MOST_EVALUATORS, max(FIRST, int(MOST_ANSWERS / each * planned.each)))
    number = FIRST
    for _ in range(ROUNDS):
        before = number
        number = next_number(*power_row(people, pool, number, min(FEW, studies)), most)
        if before / ALIKE <= number <= before * ALIKE:
            break
    rows, found = dict[int, PowerRow](), None
    while found is None and number not in rows and len(rows) < ROUNDS:
        row, distance = power_row(people, pool, number, studies)
        is_stuck = any(number > one and row.power <= rows[one].power for one in rows)
        rows[number] = row
        if is_stuck:
            break
        number = next_number(row, distance, most)
        if abs(row.power - ENOUGH) <= NEAR and number < most:
            found = number
    return [rows[number] for number in sorted(rows)], found


def next_number(row: PowerRow, distance: float, most: int) -> int:
    """Estimate the number with 80 % power; ``distance`` rises with the number's square root."""
    away = special.ndtri(ENOUGH) - special.ndtri(np.clip(row.power, 0.005, 0.995))
    times = 1 + away / distance if distance > 0 else 2.0
    return max(2, min(round(row.evaluators * min(max(times, 0.5), 2.0) ** 2), most))


def power_row(
    people: PeopleSimulator, pool: Pool, evaluators: int, studies: int
) -> tuple[PowerRow, float]:
    """Count the verdicts of simulated studies; also return the mean difference in SDs."""
    planned, asked, numbers = people.planned, people.asked, range(studies)
    calls = (
        (find_verdicts, (planned, pool, people.pair, evaluators, some, asked.seed))
        for at in range(0, studies, AT_ONCE)
        for some in [numbers[at : at + AT_ONCE]]
    )
    verdicts: dict[int, PairVerdict] = {}
    for part in people.workers.run(calls):
        verdicts |= part
        people.progress(f"Studies of {evaluators}", len(verdicts), studies)
    differences = np.array([verdicts[number].difference for number in numbers])
    separable = np.array([verdicts[number].separable for number in numbers])
    mean = float(np.nanmean(differences))
    distance = abs(mean) / max(float(np.nanstd(differences)), 1e-12)
    sign = -1 if mean < 0 else 1
    power = float((separable & (sign * differences > 0)).mean())
    # Simulated people are a sample, so the SD of their differences has a standard error. The mean
    # has one too, unless the rival was made to differ by a given amount.
    kept, simulated = (power * studies + 1) / (studies + 2), max(map(len, pool.groups))
    shift = (distance**2 / 2 + evaluators * (asked.difference is None)) / simulated
    drawn = kept * (1 - kept) / studies
    number, pay = people_in(planned, evaluators), planned.pay
    row = PowerRow(
        evaluators=evaluators,
        people=number,
        power=power,
        power_se=float(np.sqrt(drawn + stats.norm.pdf(special.ndtri(kept)) ** 2 * shift)),
        wrong_way=float((separable & (sign * differences < 0)).mean()),
        hours=number * pool.minutes / 60,
        cost=number * (pay.base * pool.came + pay.per_correct * pool.paid),
    )
    return row, distance


def find_verdicts(
    planned: PlannedScore,
    pool: Pool,
    pair: tuple[str, str],
    evaluators: int,
    studies: range,
    seed: int,
) -> dict[int, PairVerdict]:
    verdicts = {}
    for study in studies:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(evaluators, study)))
        numbers = numbers_of_groups(planned, pair, evaluators, rng)
        verdicts[study] = planned.find_verdict(pool.draw(numbers, rng), *pair)
    return verdicts


def heading(plan: Plan) -> str:
    asked = plan.asked.difference
    by = "as the study's observers do" if asked is None else f"by {asked:.4g} {plan.score.unit}"
    return f"{plan.score.title}: power for two conditions that differ {by}"


def power_table(plan: Plan) -> Table:
    score = plan.score
    shared = score.each < len(score.conditions)
    columns = (
        tabular.name("Evaluators of\na condition" if shared else "Evaluators", "evaluators"),
        *([tabular.whole("People", "people")] if shared else []),
        tabular.percent("Power\n(%)", "power"),
        tabular.percent("±", "power_se"),
        tabular.percent("Wrong\nway (%)", "wrong_way"),
        tabular.number(f"Cost\n({score.pay.currency})", "cost", 2),
        tabular.number("Hours", "hours"),
    )
    return tabular.tabulate(plan.rows, name="power", title="Power", columns=columns)


def evaluators_of(score: PlannedScore) -> str:
    """Return the unit: evaluators or, if nobody judges all conditions, those of a condition."""
    return "evaluators of a condition" if score.each < len(score.conditions) else "evaluators"


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
        "setting": setting_for(plan),
        "currency": score.pay.currency,
    }


def setting_for(plan: Plan) -> dict[str, object] | None:
    """Return the setting that gives the needed number of people; None if there is none."""
    if plan.needed is None or not plan.score.setting:
        return None
    return {"key": plan.score.setting, "value": math.ceil(plan.needed / plan.score.places)}


def plan_sentences(plan: Plan) -> Iterator[str]:
    if plan.needed is None:
        *fewer, last = plan.rows
        if any(row.power >= last.power for row in fewer):
            yield (
                f"No number above gives {ENOUGH:.0%} power, and more people did not raise the "
                "power. More images or prompts may help."
            )
        else:
            yield (
                f"No number above gives {ENOUGH:.0%} power: more than {last.evaluators:,} "
                "evaluators are needed."
            )
    elif plan.needed in (row.evaluators for row in plan.rows):
        yield f"{plan.needed:,} is the smallest number above that gives {ENOUGH:.0%} power."
    else:
        about = f"About {plan.needed:,} {evaluators_of(plan.score)} give {ENOUGH:.0%} power"
        yield f"{about}; this number is computed from the powers above."
    if setting := setting_for(plan):
        yield f"In the study file: {setting['key']} = {setting['value']}."
    score, (baseline, rival) = plan.score, plan.pair
    before, after = (score.value(plan.settings, one) for one in plan.pair)
    side = "higher" if plan.difference > 0 else "lower"
    scores = f"scores {abs(plan.difference):.3g} {score.unit} {side}"
    if plan.asked.difference is None:
        yield (
            f"Pair: {baseline} and {rival}, which {scores} with the study's observers. "
            "--difference sets another difference."
        )
    else:
        yield (
            f"Pair: {baseline} and a rival that replaces {rival} and has its images. The rival "
            f"has {score.parameter} = {after:.4g} instead of {before:.4g} in [observers], and "
            f"{scores}."
        )
    yield (
        f"Power: the share of {plan.asked.studies:,} studies in which hype score finds the pair "
        f"separable and in the right order. Each study is drawn from {plan.pool:,} simulated "
        "people. ±: the standard error of the power, with these numbers of studies and people."
    )
    yield (
        "Cost: the pay of everybody who takes part, including people who do not qualify. The "
        "numbers of people do not count these. Hours: the expected total time of sessions."
    )
    yield (
        "All simulated studies show the study's own images. The numbers are only as good as the "
        "study's [observers] and [people]."
    )


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
        caption="Share of simulated studies that detect the difference, with its standard error.",
        alt=f"Power by {evaluators_of(plan.score)}: {powers}.",
        panels=(Panel(draw=draw),),
        width_in=4.2,
        height_in=2.8,
        x_label=evaluators_of(plan.score),
        y_label="power, in %",
    )
