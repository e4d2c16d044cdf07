"""How many evaluators it takes to tell two conditions apart by their scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hype.errors import InputError
from hype.planning.plan import UNITS, Outlay, SimulatedPlan, outlay, session_minutes
from hype.planning.rival import settling_ms
from hype.planning.sessions import SimulatedSession
from hype.protocols.hype.study import Study
from hype.report import wording
from hype.session.plan import Pay

if TYPE_CHECKING:
    from hype.planning.power import Power

MOST_EVALUATORS: Final = 10_000
MOST_STUDIES: Final = 100_000
FEWEST_STUDIES: Final = 100
NUMBERS_ALLOWED: Final = f"whole numbers from 2 to {MOST_EVALUATORS}, such as 10,20,30,60"


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


def scorer() -> Callable[[SimulatedSession], float]:
    """Give the function that scores one evaluator as `hype score` does."""
    from hype.protocols.hype.modal_exposure import block_mode

    def score(sitting: SimulatedSession) -> float:
        blocks = sitting.exposures_ms
        if blocks:
            return sum(block_mode(ms).exposure_ms for ms in blocks) / len(blocks)
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
    from hype.planning.power import ENOUGH, evaluators_for
    from hype.planning.power import power as power_of

    score = scorer()
    people = tuple(tuple(map(score, g.complete)) for g in planned.groups.values())
    rows = tuple(
        EvaluatorsRow(
            power=power_of(people, n, studies=studies, seed=seed), outlay=taken(planned, n)
        )
        for n in numbers
    )
    powers = (row.power for row in rows)
    enough = next((each.evaluators for each in powers if each.power >= ENOUGH), None)
    return EvaluatorsPlan(
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


def taken(planned: SimulatedPlan, evaluators: int) -> Outlay:
    pay = Pay(**planned.design.settings.pay.model_dump())
    return outlay(tuple(planned.groups.values()), pay, evaluators)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorsRow:
    """What one number of evaluators per condition can show, and what it takes."""

    power: Power
    outlay: Outlay

    def hours_at(self, session_minutes: int) -> float:
        """Give the hours in all, if a whole session takes so long as people take."""
        slower = session_minutes / 60 / self.outlay.hours_per_evaluator
        return self.outlay.hours * slower


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorsPlan:
    """All that was found.

    Attributes
    ----------
    difference
        As asked for; the one reached is that of ``planned``.
    people
        Scores of the simulated evaluators, in the order of the groups.
    enough
        The smallest of the numbers asked about whose power is 80%; None where none has it.
    perhaps
        About how many have it where none does; None where more than can be told.
    """

    study: Study
    planned: SimulatedPlan
    difference: float
    people: tuple[tuple[float, ...], ...]
    rows: tuple[EvaluatorsRow, ...]
    studies: int
    seed: int
    enough: int | None
    perhaps: int | None

    @property
    def method(self) -> str:
        return self.planned.place.design.method

    @property
    def unit(self) -> str:
        return UNITS[self.planned.place.design.method]

    @property
    def conditions(self) -> tuple[str, ...]:
        """All conditions; the rival is called so, whoever's place it has."""
        baseline, _, *others = self.planned.groups
        return baseline, "rival", *others

    @property
    def minutes(self) -> int:
        return session_minutes(self.planned.place.design)

    def score(self, value: float) -> str:
        return wording.number(value) + (" ms" if self.method == "time" else "%")

    @property
    def test(self) -> str:
        from hype.planning.power import planned_test

        return planned_test(len(self.people))

    @property
    def currency(self) -> str:
        return self.study.settings.pay.currency

    @property
    def settling_ms(self) -> tuple[float, float] | None:
        """What endless trials would score the typical baseline and rival, if staircases settle."""
        place = self.planned.place
        found = [settling_ms(place.design, each) for each in (place.typical, self.planned.rival)]
        before, after = found
        return (before, after) if self.method == "time" and before and after else None

    @property
    def parameters(self) -> tuple[float, float]:
        place = self.planned.place
        return getattr(place.typical, place.measured), getattr(self.planned.rival, place.measured)
