"""How many evaluators a study of HYPE's methods needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from hype.cli.options import check_seed, err, out, print_json, progress
from hype.errors import InputError
from hype.planning.plan import Outlay, Planned, outlay, plan_study
from hype.planning.sessions import Sitting
from hype.planning.wording import Plan, Row, plan_object, plan_sentences, plan_table
from hype.protocols.studies import Study
from hype.session.plan import Pay

MOST_EVALUATORS: Final = 10_000
MOST_STUDIES: Final = 100_000
FEWEST_STUDIES: Final = 100
NUMBERS_ALLOWED: Final = f"whole numbers from 2 to {MOST_EVALUATORS}, such as 10,20,30,60"


def power_of_scores(
    study: Study,
    difference: float,
    *,
    evaluators: str,
    method: str | None,
    condition: str | None,
    studies: int,
    seed: int,
    as_json: bool,
) -> None:
    """Print how many evaluators it takes to tell two conditions apart, by simulation."""
    numbers = numbers_in(evaluators)
    check_difference(difference)
    check_studies(studies)
    check_seed(seed)
    planned = simulate_plan(study, difference, method=method, condition=condition, seed=seed)
    plan = examine(study, planned, difference, numbers, studies=studies, seed=seed)
    if as_json:
        print_json(plan_object(plan))
        return
    err.print("[bold yellow]SIMULATED EVALUATORS: nobody real was asked[/]")
    out.print(plan_table(plan))
    for sentence in plan_sentences(plan):
        out.print(sentence, markup=False)


def numbers_in(text: str) -> tuple[int, ...]:
    """Read numbers of evaluators, in ascending order."""
    found = set()
    for part in text.split(","):
        if not (part.strip().isascii() and part.strip().isdigit() and len(part) < 10):
            raise InputError("--evaluators", f"{part.strip()!r} is no number", NUMBERS_ALLOWED)
        found.add(int(part))
    for number in sorted(found):
        if not 2 <= number <= MOST_EVALUATORS:
            raise InputError("--evaluators", f"{number} is out of range", NUMBERS_ALLOWED)
    return tuple(sorted(found))


def check_difference(difference: float) -> None:
    if not (math.isfinite(difference) and difference > 0):
        allowed = "a number above 0, in percentage points (HYPE_∞) or ms (HYPE_time)"
        raise InputError("--difference", f"{difference:g} is no difference", allowed)


def check_studies(studies: int) -> None:
    """Refuse too few studies to say anything, and too many to wait for."""
    if not FEWEST_STUDIES <= studies <= MOST_STUDIES:
        allowed = f"{FEWEST_STUDIES} to {MOST_STUDIES}"
        raise InputError("--studies", f"{studies} is out of range", allowed)


def simulate_plan(
    study: Study, difference: float, *, method: str | None, condition: str | None, seed: int
) -> Planned:
    """Simulate under a progress bar."""
    with progress() as bar:
        task = bar.add_task("Planning", total=None)

        def shown(stage: str, done: int, of: int) -> None:
            bar.update(task, description=stage, completed=done, total=of)

        return plan_study(
            study,
            difference,
            score=scorer(),
            method=method,
            condition=condition,
            seed=seed,
            progress=shown,
        )


def scorer() -> Callable[[Sitting], float]:
    """Give the function that scores one evaluator as `hype score` does."""
    from hype.protocols.hype.modal_exposure import block_mode

    def score(sitting: Sitting) -> float:
        blocks = sitting.exposures_ms
        if blocks:
            return sum(block_mode(ms).exposure_ms for ms in blocks) / len(blocks)
        return 100 * sitting.wrong / sitting.judged

    return score


def examine(
    study: Study,
    planned: Planned,
    difference: float,
    numbers: tuple[int, ...],
    *,
    studies: int,
    seed: int,
) -> Plan:
    """Put the planned analysis to studies drawn from the simulated evaluators."""
    from hype.planning.power import ENOUGH, evaluators_for
    from hype.planning.power import power as power_of

    score = scorer()
    people = tuple(tuple(map(score, g.complete)) for g in planned.groups.values())
    rows = tuple(
        Row(power=power_of(people, n, studies=studies, seed=seed), outlay=taken(planned, n))
        for n in numbers
    )
    powers = (row.power for row in rows)
    enough = next((each.evaluators for each in powers if each.power >= ENOUGH), None)
    return Plan(
        study=study,
        planned=planned,
        difference=difference,
        people=people,
        rows=rows,
        studies=studies,
        seed=seed,
        enough=enough,
        perhaps=None if enough else beyond(numbers[-1], evaluators_for(people)),
    )


def beyond(largest: int, found: int | None) -> int | None:
    """Let an extrapolated number not be one that was found to be too small."""
    return None if found is None else max(found, largest + 1)


def taken(planned: Planned, evaluators: int) -> Outlay:
    pay = Pay(**planned.design.settings.pay.model_dump())
    return outlay(tuple(planned.groups.values()), pay, evaluators)
