"""How many evaluators tell two conditions apart by their scores, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hype.errors import InputError
from hype.protocols.hype.planning.plan import UNITS, Outlay, SimulatedPlan, outlay, session_minutes
from hype.protocols.hype.planning.rival import settling_ms
from hype.protocols.hype.planning.sessions import SimulatedSession
from hype.protocols.hype.settings import Study, StudyFile
from hype.report import wording
from hype.session.steps import Pay

if TYPE_CHECKING:
    from hype.protocols.hype.block_scores import BlockMode
    from hype.protocols.hype.planning.power import Power, SimulatedPair
    from hype.statistics.crossed import Crossed

KINDS: Final = ("real", "fake")
MOST_EVALUATORS: Final = 10_000
MOST_STUDIES: Final = 100_000
FEWEST_STUDIES: Final = 100
NUMBERS_ALLOWED: Final = f"whole numbers from 2 to {MOST_EVALUATORS}, such as 10,20,30,60"


def numbers_in(text: str) -> tuple[int, ...]:
    numbers = set()
    for part in text.split(","):
        if not (part.strip().isascii() and part.strip().isdigit() and len(part) < 10):
            raise InputError("--evaluators", f"{part.strip()!r} is no number", NUMBERS_ALLOWED)
        numbers.add(int(part))
    for number in sorted(numbers):
        if not 2 <= number <= MOST_EVALUATORS:
            raise InputError("--evaluators", f"{number} is out of range", NUMBERS_ALLOWED)
    return tuple(sorted(numbers))


def without_difference(study: Study, name: str) -> InputError:
    """Say that nobody said by how much scores differ, and in which unit; ``name``: of what."""
    own = study.settings.study.methods
    units = " or ".join(f"{UNITS[one]} ({PROTOCOLS[one]})" for one in PROTOCOLS if one in own)
    return InputError(
        name, "is missing", f"needed for {study.path}: what true scores differ by, in {units}"
    )


def check_difference(difference: float) -> None:
    if not (math.isfinite(difference) and difference > 0):
        allowed = "a number above 0, in percentage points (HYPE_∞) or ms (HYPE_time)"
        raise InputError("--difference", f"{difference:g} is no difference", allowed)


def check_studies(studies: int) -> None:
    if not FEWEST_STUDIES <= studies <= MOST_STUDIES:
        allowed = f"{FEWEST_STUDIES} to {MOST_STUDIES}"
        raise InputError("--studies", f"{studies} is out of range", allowed)


def estimated_within(settings: StudyFile) -> tuple[float, float] | None:
    """Give the bounds of QUEST+, in ms, by which blocks are scored; None where modes score them."""
    staircase = settings.time.staircase
    return (staircase.min_ms, staircase.max_ms) if staircase.is_quest_plus else None


def block_scores(
    session: SimulatedSession, bounds_ms: tuple[float, float] | None
) -> tuple[BlockMode, ...]:
    """Score the blocks of a session as `hype score` does; none of HYPE_∞."""
    from hype.protocols.hype.block_scores import BlockMode, block_mode
    from hype.protocols.hype.quest_plus import estimate

    blocks = list(enumerate(session.exposures_ms))
    if bounds_ms is None:
        return tuple(block_mode(shown_ms, block=str(nth)) for nth, shown_ms in blocks)
    right = iter([not wrong for _, _, wrong in session.answers])
    estimated = [estimate(ms, list(islice(right, len(ms))), bounds_ms) for _, ms in blocks]
    return tuple(
        BlockMode(block=str(nth), exposure_ms=each.threshold_ms, sd_doublings=each.sd_doublings)
        for nth, each in enumerate(estimated)
    )


def scorer(
    bounds_ms: tuple[float, float] | None = None,
) -> Callable[[SimulatedSession], float]:
    """Score evaluators; ``bounds_ms`` are those of `estimated_within`."""

    def score(sitting: SimulatedSession) -> float:
        blocks = block_scores(sitting, bounds_ms)
        if blocks:
            return sum(block.exposure_ms for block in blocks) / len(blocks)
        return 100 * sitting.wrong / sitting.judged

    return score


def examine(
    study: Study,
    planned: SimulatedPlan,
    difference: float,
    numbers: tuple[int, ...],
    *,
    studies: int,
    seed: int,
) -> EvaluatorsPlan:
    """Put the planned analysis to studies drawn from the simulated evaluators."""
    from hype.protocols.hype.planning.power import ENOUGH, evaluators_for
    from hype.protocols.hype.planning.power import power as power_of

    pair = simulated_pair(planned)
    rows = tuple(
        EvaluatorsRow(
            power=power_of(pair, n, studies=studies, seed=seed),
            outlay=taken(planned, n),
            people=planned.people(n),
        )
        for n in numbers
    )
    powers = (row.power for row in rows)
    enough = next((each.evaluators for each in powers if each.power >= ENOUGH), None)
    return EvaluatorsPlan(
        study=study,
        planned=planned,
        difference=difference,
        people=(tuple(pair.baseline.tolist()), tuple(pair.rival.tolist())),
        rows=rows,
        studies=studies,
        seed=seed,
        enough=enough,
        perhaps=None if enough else beyond(numbers[-1], evaluators_for(pair)),
    )


def _exposures(session: SimulatedSession) -> Iterator[tuple[int, float]]:
    """Give the block and the exposure of each timed trial."""
    for block, exposures_ms in enumerate(session.exposures_ms):
        yield from ((block, exposure_ms) for exposure_ms in exposures_ms)


def crossed_of(
    groups: Sequence[Sequence[SimulatedSession]],
    estimated_ms: tuple[float, float] | None = None,
) -> Crossed:
    """Take scores of two conditions apart by people and images, as scoring does."""
    import pandas as pd

    from hype.protocols.hype.error_rates import ErrorCounts
    from hype.protocols.hype.inference import inference_of_errors, inference_of_exposures
    from hype.protocols.hype.results import EvaluatorScore

    score = scorer(estimated_ms)
    names = ("baseline", "rival")
    rows = [
        (name, str(session.number), KINDS[fake], KINDS[fake != wrong], image, block, exposure_ms)
        for name, group in zip(names, groups, strict=True)
        for session in group
        for (image, fake, wrong), (block, exposure_ms) in zip(
            session.answers, chain(_exposures(session), repeat((0, np.nan))), strict=False
        )
    ]
    columns = ("condition", "evaluator", "truth", "answer", "image", "block", "exposure_ms")
    frame = pd.DataFrame(rows, columns=columns)
    people = {
        name: [
            EvaluatorScore(
                evaluator=str(session.number),
                score=score(session),
                counts=ErrorCounts(fakes=0, fakes_wrong=0, reals=0, reals_wrong=0),
                blocks=block_scores(session, estimated_ms),
            )
            for session in group
        ]
        for name, group in zip(names, groups, strict=True)
    }
    if frame["exposure_ms"].isna().all():
        return inference_of_errors(frame, people, "sample").contrasts
    bounds_ms = estimated_ms or (frame["exposure_ms"].min(), frame["exposure_ms"].max())
    return inference_of_exposures(frame, people, "sample", bounds_ms=bounds_ms).contrasts


def beyond(largest: int, number: int | None) -> int | None:
    """Let an extrapolated number not be one that was found to be too small."""
    return None if number is None else max(number, largest + 1)


def taken(planned: SimulatedPlan, evaluators: int) -> Outlay:
    pay = Pay(**planned.design.settings.pay.model_dump())
    if planned.each > 1:
        whole = planned.groups[planned.place.baseline]
        return outlay((whole,), pay, planned.people(evaluators))
    return outlay(tuple(planned.groups.values()), pay, evaluators)


def simulated_pair(planned: SimulatedPlan) -> SimulatedPair:
    """Give the scores of the pair, and what images do to them, as scoring finds both."""
    from hype.protocols.hype.planning.power import OfImages, SimulatedPair

    estimated_ms = estimated_within(planned.design.settings)
    score, place = scorer(estimated_ms), planned.place
    groups = [planned.groups[name].complete for name in (place.baseline, place.rival)]
    baseline, rival = (np.array([score(evaluator) for evaluator in group]) for group in groups)
    crossed = crossed_of(groups, estimated_ms)
    people = len(baseline)

    def of_images(*estimates: int) -> OfImages:
        added, summed, freedom = crossed.of_items(*estimates)
        return OfImages(added=added, apart=max(0.0, summed - added) * people, freedom=freedom)

    pair = SimulatedPair(
        baseline=baseline,
        rival=rival,
        conditions=len(planned.conditions),
        each=planned.each,
        images=of_images(0, 1),
        images_of_baseline=of_images(0),
        judged=0 if planned.design.method == "time" else groups[0][0].judged,
    )
    return pair.differing_by(planned.calibrated.difference)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorsRow:
    """What one number of evaluators per condition can show, and what it takes."""

    power: Power
    outlay: Outlay
    people: int  # in all conditions

    def hours_at(self, session_minutes: int) -> float:
        slower = session_minutes / 60 / self.outlay.hours_per_evaluator
        return self.outlay.hours * slower


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorsPlan:
    """All that was found."""

    study: Study
    planned: SimulatedPlan
    difference: float  # as asked for; the one reached is that of ``planned``
    # Scores of the simulated evaluators of the baseline, and of the rival
    people: tuple[tuple[float, ...], ...]
    rows: tuple[EvaluatorsRow, ...]
    studies: int
    seed: int
    # The smallest of the numbers asked about whose power is 80%; None where none has it
    enough: int | None
    perhaps: int | None  # about how many have it where none does; None where more than can be told

    @property
    def method(self) -> str:
        return self.planned.place.design.method

    @property
    def unit(self) -> str:
        return UNITS[self.planned.place.design.method]

    @property
    def conditions(self) -> tuple[str, ...]:
        """All conditions; the rival is called so, whoever's place it has."""
        baseline, _, *others = self.planned.conditions
        return baseline, "rival", *others

    @property
    def minutes(self) -> int:
        return session_minutes(self.planned.design)

    def score(self, value: float) -> str:
        return wording.number(value) + (" ms" if self.method == "time" else "%")

    @property
    def test(self) -> str:
        from hype.protocols.hype.planning.power import planned_test

        return planned_test(len(self.conditions))

    @property
    def currency(self) -> str:
        return self.study.settings.pay.currency

    @property
    def settling_ms(self) -> tuple[float, float] | None:
        """What endless trials would score the typical baseline and rival, if staircases settle."""
        place = self.planned.place
        settling = [settling_ms(place.design, each) for each in (place.typical, self.planned.rival)]
        before, after = settling
        return (before, after) if self.method == "time" and before and after else None

    @property
    def parameters(self) -> tuple[float, float]:
        place = self.planned.place
        return getattr(place.typical, place.measured), getattr(self.planned.rival, place.measured)


PROTOCOLS: Final = {"time": "HYPE_time", "infinity": "HYPE_∞"}
TESTS: Final = {
    "clustered-t": "Student's t of this pair, with other people and other images in its error,",
    "clustered-range": "the studentised range, with other people and other images in the error of "
    "this pair,",
}


def plan_object(plan: EvaluatorsPlan) -> dict[str, object]:
    from hype.protocols.hype.condition_scores import ALPHA

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
        "conditions_each": plan.planned.each,
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
    return {
        "evaluators": row.power.evaluators,
        "people": row.people,
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
    within = plan.planned.each > 1
    for heading in (
        "Evaluators\nper condi-\ntion" if within else "Evaluators per\ncondition",
        *(["People"] if within else []),
        "Power",
        "False\nalarms",
        f"Width of\n95% CI ({unit})",
        f"Cost\n({plan.currency})",
        "Hours,\npeople",
        "Hours,\nsimulated",
    ):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for row in plan.rows:
        table.add_row(*map(Text, cells(row, plan.minutes, within=within)))
    title = (
        f"{PROTOCOLS[plan.method]}: the chance to tell two conditions whose true scores differ by "
        f"{plan.difference:g} {plan.unit}"
    )
    return Group(Text(title, style="bold"), table)


def cells(row: EvaluatorsRow, session_minutes: int, *, within: bool) -> tuple[str, ...]:
    power, takes = row.power, row.outlay
    return (
        str(power.evaluators),
        *([f"{row.people:,}"] if within else []),
        f"{100 * power.power:.1f} ± {100 * power.power_se:.1f}%",
        f"{100 * power.false_alarms:.1f}%",
        wording.number(power.interval_width),
        f"{takes.cost:,.2f}",
        f"{row.hours_at(session_minutes):,.0f}",
        f"{takes.hours:,.1f}",
    )


def plan_sentences(plan: EvaluatorsPlan) -> Iterator[str]:
    yield enough_sentence(plan)
    yield baseline_sentence(plan)
    yield rival_sentence(plan)
    yield (
        f"Planned analysis: {TESTS[plan.test]} at α = 0.05, in a study of {len(plan.conditions)} "
        f"conditions ({', '.join(plan.conditions)}){serving_clause(plan)}."
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


def serving_clause(plan: EvaluatorsPlan) -> str:
    each, of = plan.planned.each, len(plan.conditions)
    if each == 1:
        return ""
    if each == of:
        return ", all of which each evaluator serves"
    shared = (each - 1) / (of - 1)
    return f", {each} of which each evaluator serves: of a pair's, {shared:.0%} serve both"


def settling_clause(plan: EvaluatorsPlan) -> str:
    if not plan.settling_ms:
        return ""
    before, after = plan.settling_ms
    return f"Endless trials would bring typical ones to {after:.0f} instead of {before:.0f} ms. "


def outlay_sentence(plan: EvaluatorsPlan) -> str:
    design = plan.planned.design
    away = plan.rows[0].outlay.turned_away_share
    of = "whole sessions with all methods" if len(design.methods) > 1 else "this method alone"
    of += " and all conditions of an evaluator" if plan.planned.each > 1 else ""
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
    others = [method for method in plan.study.settings.study.methods if method != plan.method]
    if not others:
        return ""
    return f"The study has {PROTOCOLS[others[0]]} too: --method {others[0]} asks about that."


def false_alarms_sentence(plan: EvaluatorsPlan) -> str:
    from hype.protocols.hype.condition_scores import ALPHA

    if all(r.power.false_alarms <= ALPHA + 3 * r.power.false_alarms_se for r in plan.rows):
        return ""
    return (
        "Note: with so few evaluators the planned analysis finds differences too often where there "
        "are none."
    )
