"""From a study and a difference to simulated evaluators of all its conditions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from hype.errors import InputError
from hype.protocols.hype.counterbalancing import (
    cycle_of,
    different_places,
    places_of_design,
    served_by,
)
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.planning.rival import (
    Calibrated,
    Place,
    Simulator,
    calibrate,
    moved,
    place_rival,
)
from hype.protocols.hype.planning.sessions import (
    PlannedDesign,
    Progress,
    Scorer,
    SimulatedGroup,
    gather,
)
from hype.protocols.hype.pools import population, read_pools
from hype.protocols.hype.sampling import (
    BlockShape,
    expected_minutes,
    require_enough,
    shapes,
    sources_of_test,
)
from hype.protocols.hype.settings import Method, Study
from hype.protocols.hype.settling import unsettled
from hype.session.steps import Pay
from hype.study.assignment import Cell
from hype.workers import WorkerPool, worker_pool

PEOPLE: Final = 400
"""Simulated evaluators of each condition. Studies are drawn from them with replacement, so that any
number may be drawn; how well they stand for everybody does not depend on that number."""
FEW_TRIALS: Final = 200_000
"""Fewer than these are simulated before other processes have started."""
UNITS: Final[Mapping[Method, str]] = {"time": "ms", "infinity": "percentage points"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPlan:
    """A study with a rival in it, and simulated evaluators of each condition."""

    place: Place
    # Score of each condition of the study as it is, by few simulated evaluators; empty where there
    # is one condition only
    predicted: Mapping[str, float]
    calibrated: Calibrated  # by how much the rival was moved, and by how much its score differs
    # Condition to its simulated evaluators; the baseline first, then the rival. Where an evaluator
    # serves several conditions, these two alone, of the same people
    groups: Mapping[str, SimulatedGroup]
    design: PlannedDesign  # what they went through, with the rival in it
    each: int = 1  # how many conditions an evaluator serves

    @property
    def conditions(self) -> tuple[str, ...]:
        """All conditions, the baseline first, then the rival."""
        pair = (self.place.baseline, self.place.rival)
        return (*pair, *(name for name in self.design.pools.fake if name not in pair))

    def people(self, evaluators: int) -> int:
        """Give how many people make so many evaluators per condition."""
        return math.ceil(evaluators * len(self.conditions) / self.each)

    @property
    def rival(self) -> Psychometric:
        return moved(self.place.typical, self.design.method, self.calibrated.moved_by)


def plan_study(
    study: Study,
    difference: float,
    *,
    score: Scorer,
    method: str | None = None,
    condition: str | None = None,
    seed: int = 0,
    people: int = PEOPLE,
    progress: Progress,
) -> SimulatedPlan:
    """Simulate a study in which one condition differs from another by ``difference``.

    The difference is above 0, in the unit of the method (`UNITS`), which is by default
    HYPE_infinity, if the study has it. ``score`` scores an evaluator as the analysis will.
    ``condition`` is the baseline; by default the one in the middle by predicted score. 20
    ``people`` or more of each condition come to the end.

    InputError where there is no such method or condition, the staircase cannot settle, there are
    too few images, or no rival that the method can measure differs by so much; SessionProblem where
    hardly anyone would pass the qualification.
    """
    design = design_of(study, chosen_method(study, method), seed)
    check_settles(study, design)
    check_condition(study, design, condition)
    check_images(design)
    require_images(study, design)
    with worker_pool(None if work(design, people) > FEW_TRIALS else 1) as workers:
        predicted = predict(workers, design, score, max(2, people // 4), progress)
        place = placed(design, predicted, condition)
        check_images(place.design)
        simulator = Simulator(worker_pool=workers, place=place, score=score, progress=progress)
        calibrated = calibrate(simulator, difference, people=people, unit=UNITS[design.method])
        final = place.moved(calibrated.moved_by)
        pair = (place.baseline, place.rival)
        if study.settings.within:
            shown = partial(progress, "Simulating people who serve both")
            final = serving_both(final, study, pair)
            groups = gather(workers, final, pair, wanted=people, progress=shown)
        else:
            others = [c for c in final.pools.fake if c not in pair]
            shown = partial(progress, "Simulating the other conditions")
            rest = gather(workers, final, others, wanted=people, progress=shown)
            groups = {**{name: calibrated.groups[name] for name in pair}, **rest}
    return SimulatedPlan(
        place=place,
        predicted=predicted,
        calibrated=calibrated,
        groups=groups,
        design=final,
        each=study.settings.study.conditions_each,
    )


def serving_both(design: PlannedDesign, study: Study, pair: tuple[str, str]) -> PlannedDesign:
    """Let evaluators serve as many conditions as in the study, these two among them."""
    settings, names = study.settings, tuple(design.pools.fake)
    each, seed = settings.study.conditions_each, settings.study.seed
    rows = cycle_of(len(names), each, seed).rows
    wanted = {names.index(name) for name in pair}
    return replace(
        design,
        settings=design.settings.model_copy(update={"study": settings.study}),
        shares=tuple(n for n, row in enumerate(rows, start=1) if wanted.issubset(row)),
    )


def require_images(study: Study, design: PlannedDesign) -> None:
    for cell in different_places(study.settings, tuple(design.pools.fake)):
        require_enough(study.settings, design.pools, cell)


def chosen_method(study: Study, method: str | None) -> Method:
    """Give the method that is asked about; where nobody says, HYPE_infinity if the study has it."""
    methods = study.settings.study.methods
    if study.settings.only_qualifies:
        raise InputError(study.path, "evaluates nothing", f"methods of {' or '.join(UNITS)}")
    if method is None:
        return "infinity" if "infinity" in methods else methods[0]
    for known in methods:
        if known == method:
            return known
    allowed = " or ".join(f"{known} (a difference in {UNITS[known]})" for known in methods)
    raise InputError("--method", f"{method!r} is no method of {study.path}", allowed)


def design_of(study: Study, method: Method, seed: int) -> PlannedDesign:
    """Give the design between subjects: how conditions are scored does not depend on that."""
    settings, pools = study.settings.model_copy(update={"added": {}}), read_pools(study)
    names = tuple(pools.fake)
    first = places_of_design(settings, names)[0]
    if not sources_of_test(settings, pools, served_by(settings, names, first)):
        none = settings.qualification.model_copy(update={"enabled": False})
        settings = settings.model_copy(update={"qualification": none})  # nor with a rival there
    alone = settings.study.model_copy(update={"conditions_each": 1})
    settings = settings.model_copy(update={"study": alone})
    together = settings.methods_of_one_evaluator()
    return PlannedDesign(
        settings=settings,
        pools=pools,
        people=population(study, pools),
        methods=next(methods for methods in together if method in methods),
        method=method,
        seed=seed,
    )


def check_settles(study: Study, design: PlannedDesign) -> None:
    """Refuse to plan scores of a staircase that cannot settle: they would not be of anything."""
    problem = unsettled(design.settings.time) if design.method == "time" else None
    if problem:
        raise InputError(study.path, problem.message, problem.remedy)


def check_condition(study: Study, design: PlannedDesign, condition: str | None) -> None:
    if condition is not None and condition not in design.pools.fake:
        conditions = ", ".join(design.pools.fake)
        raise InputError(
            "--condition", f"{condition!r} is no condition of {study.path}", conditions
        )


def check_images(design: PlannedDesign) -> None:
    for name in design.pools.fake:
        cell = Cell(condition=name, methods=design.methods)
        require_enough(design.settings, design.pools, cell)


def blocks_of(design: PlannedDesign) -> list[BlockShape]:
    """List the blocks of one session, which are alike in all conditions."""
    cell = design.cell(next(iter(design.pools.fake)), 0)
    return shapes(design.settings, design.pools, cell, qualified=False)


def work(design: PlannedDesign, people: int) -> int:
    trials = sum(shape.size for shape in blocks_of(design))
    return trials * people * len(design.pools.fake)


def session_minutes(design: PlannedDesign) -> int:
    """Give what a session is expected to take at the pace of people, as the welcome screen does."""
    return expected_minutes(design.settings.time, blocks_of(design))


def predict(
    workers: WorkerPool, design: PlannedDesign, score: Scorer, people: int, progress: Progress
) -> dict[str, float]:
    """Predict the score of each condition of the study as it is; nothing for a single one."""
    names = tuple(design.pools.fake)
    if len(names) == 1:
        return {}
    shown = partial(progress, "Predicting scores")
    groups = gather(workers, design, names, wanted=people, progress=shown)
    return {name: group.mean(score) for name, group in groups.items()}


def placed(design: PlannedDesign, predicted: Mapping[str, float], condition: str | None) -> Place:
    """Choose the baseline, and whose place the rival takes: the nearest by predicted score."""
    names = sorted(design.pools.fake, key=lambda name: (predicted.get(name, 0.0), name))
    # Of two in the middle the higher: where scores are higher people differ more, and what is
    # planned for them is enough for the other.
    baseline = condition or names[len(names) // 2]
    others = [name for name in names if name != baseline]
    if not others:
        return place_rival(design, baseline, None)
    nearest = min(others, key=lambda name: abs(predicted[name] - predicted[baseline]))
    return place_rival(design, baseline, nearest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlay:
    """What a study of so many evaluators per condition takes, on average."""

    # In all: base for everyone who comes, those who are turned away included, and what is paid per
    # correct judgement
    cost: float
    hours: float  # in all, of those who are turned away as well
    hours_per_evaluator: float  # of one who comes to the end
    turned_away_share: float  # of all who come, 0 to 1


def outlay(groups: Sequence[SimulatedGroup], pay: Pay, evaluators: int) -> Outlay:
    """Give what so many evaluators per condition take; whoever is turned away is replaced."""
    cost = hours = away = own_hours = 0.0
    for group in groups:
        n, each = len(group.complete), group.turned_away_each
        own = sum(sitting.seconds for sitting in group.complete) / n / 3600
        lost = sum(sitting.seconds for sitting in group.turned_away) / n / 3600
        cost += sum(pay.due(sitting.correct) for sitting in group.complete) / n
        cost += pay.due(0) * each
        hours += own + lost
        own_hours += own
        away += each
    return Outlay(
        cost=evaluators * cost,
        hours=evaluators * hours,
        hours_per_evaluator=own_hours / len(groups),
        turned_away_share=away / (away + len(groups)),
    )
