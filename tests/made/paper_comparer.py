"""An evaluator of comparisons without a window, and a sound record of such a study."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compared_studies import compared_study
from made_once import made_once
from paper_station import record_of
from sqlalchemy import Engine
from verified_records import TickingStation, attend

from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.prompted.trial import Choice
from hype.protocols.registry import course_of
from hype.session.loop import SessionStopped
from hype.session.simulate import Simulation
from hype.session.steps import GO_ON, Question, Response, Screen, Step
from hype.study.studies import AnyStudy

QUICK_MS = 100.0
LIMIT_MS = 5000.0
DEMOGRAPHICS = {
    "age": {"question": "How old are you?", "options": ["young", "old"]},
    "place": {"question": "Where do you live?", "options": ["here", "there"]},
}
SMALL: dict[str, Any] = {
    "comparison": {"trials": 6, "blocks": 2, "votes": 2, "ties": True, "limit_ms": LIMIT_MS},
    "demographics": DEMOGRAPHICS,
}
"""Two shares of 12 comparisons, in two blocks with one or two validation comparisons."""
ARENA = {"arena": {"most_votes": 60, "pairs": "random"}}
Choosing = Callable[[ComparisonTrial, int], Response]


def obviously(trial: ComparisonTrial, n: int) -> Response:
    """Choose the obvious answer if there is one, or else the sides and a tie in turn."""
    sides = (Choice.LEFT, Choice.RIGHT, Choice.RIGHT, Choice.TIE)
    chosen = trial.obvious or sides[n % len(sides)]
    return Response(chosen.value, "f", 1000.0 + n)


def variously(trial: ComparisonTrial, n: int) -> Response:
    """Answer in all possible ways: too fast, not in time, or wrong where it is obvious."""
    if n % 5 == 3:
        return Response(Choice.NONE.value, "", LIMIT_MS)
    if trial.task is ComparisonTask.VALIDATION:
        other = Choice.LEFT if trial.obvious is Choice.RIGHT else Choice.RIGHT
        return Response(other.value, "mouse", 900.0)
    usual = obviously(trial, n)
    return Response(usual.answer, usual.key, QUICK_MS if n % 5 == 1 else usual.rt_ms)


@dataclass
class PaperComparer(TickingStation):
    """A paper station for comparisons, whose clock advances."""

    chooses: Choosing = obviously
    withholds: bool = False

    def respond(self, step: Step) -> Response:
        if isinstance(step, Question) and not step.about:
            self.log.append(("respond", step))
            return Response("" if self.withholds else step.options[0])
        if isinstance(step, Screen):
            return super().respond(step) if step.choice or step.about else GO_ON
        if self.number == self.stops_at:
            raise SessionStopped
        return self.chooses(step, self.number)


def small_study(folder: Path, *, arena: bool = False, **changes: Any) -> ComparisonStudy:
    """Write a study of 24 comparisons in two shares, or an arena, with all optional parts."""
    comparison = SMALL["comparison"] | (ARENA if arena else {}) | changes.pop("comparison", {})
    return compared_study(folder, files=True, **SMALL | {"comparison": comparison} | changes)


def compare(engine: Engine, study: AnyStudy, code: str, *stations: PaperComparer) -> None:
    """Let an evaluator attend all sessions, one at each station."""
    attend(engine, study, code, *stations)


@made_once
def compared_soundly(folder: Path, *, arena: bool = False) -> ComparisonStudy:
    """Make a study whose record contains every kind of evaluator, and no fault.

    ``p01`` left and returned; ``p02`` answered no question about themselves; ``p03`` declined;
    ``p04`` answers in all ways and came three times; ``p05`` has not returned yet.
    """
    study = small_study(folder, arena=arena)
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(stops_at=7), PaperComparer())
        compare(engine, study, "p02", PaperComparer(withholds=True))
        compare(engine, study, "p03", PaperComparer(consents=False))
        visits = [PaperComparer(chooses=variously, stops_at=stop) for stop in (5, 11, None)]
        compare(engine, study, "p04", *visits)
        compare(engine, study, "p05", PaperComparer(stops_at=9))
        list(Simulation(engine, course_of(study), seed=1).simulate_some(2))
    return study
