"""How sessions of picking go: what is drawn, by whom, and what a station needs to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hype.errors import InputError
from hype.protocols.prompted.course import (
    PromptedCourse,
    PromptedObserver,
    PromptedTastes,
    keys_of,
    texts_shown,
)
from hype.protocols.prompted.pools import PromptedPools, read_pools, require_all
from hype.protocols.prompted.settings import session_members, session_minutes
from hype.protocols.prompted.trial import Candidate, Prompt, course
from hype.session.loop import Script
from hype.session.stage import Seating, appearance_of, speech_of
from hype.session.steps import Response, Step
from hype.station.config import Stage, StationConfig, StepPresenter
from hype.study.assignment import Assignment, Cell
from hype.study.draws import Draws, Purpose, seed_sequence
from hype.web.scenes import Button, Scene
from picking.settings import NAME, PickingStudy
from picking.trial import MOST_IMAGES, PickingBlock, PickingPlan, PickingTrial, ask

EVERYBODY = Cell(condition="", methods=(NAME,))
PICKING_S = 3.0


def read_picking_pools(study: PickingStudy) -> PromptedPools:
    pools = read_pools(study)
    number = len(pools.conditions)
    if number > MOST_IMAGES:
        raise InputError(study.path, f"asks about {number} conditions", f"{MOST_IMAGES} or fewer")
    require_all(study, pools.prompts, pools.conditions, design="a row")
    return pools


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingLook:
    """What is asked, as a station needs it."""

    question: str
    abreast: int
    mouse: bool = True

    def presenters(self, stage: Stage, /) -> Mapping[type[Step], StepPresenter]:
        from picking.screen import Picking

        return {PickingTrial: Picking(stage, self)}

    def scene(self, trial: PickingTrial, _config: StationConfig, /) -> Scene:
        return Scene(
            question=self.question,
            buttons=tuple(
                Button(
                    answer=answer,
                    label=answer,
                    keys=(answer, f"num_{answer}"),
                    cap=answer,
                    picture=place,
                )
                for place, answer in enumerate(trial.answers)
            ),
            pictures=trial.pictures,
            captions=trial.answers,
        )


class PickingObserver(PromptedObserver):
    """Picks image i with a probability proportional to exp(strength)."""

    trial, noun, uniforms = PickingTrial, "row to pick from", 1

    def __init__(self, tastes: PromptedTastes, rng: np.random.Generator) -> None:
        self._strengths = tastes.strengths
        super().__init__(tastes, rng)

    def answer(self, trial: PickingTrial, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        liked = np.exp([self._strengths[image.condition] for image in trial.images])
        place = int(np.searchsorted(np.cumsum(liked / liked.sum()), uniforms[0])) + 1
        return Response(str(place), "", rt_ms)


class PickingCourse(PromptedCourse[PickingPlan]):
    shared_out = "rows"
    simulated = PickingObserver
    cells = (EVERYBODY,)

    study: PickingStudy

    def __init__(self, study: PickingStudy) -> None:
        self.study = study
        self.pools = read_picking_pools(study)

    def plan(self, assignment: Assignment) -> PickingPlan:
        settings = self.study.settings
        draws = Draws(seed_sequence(settings.study.seed, assignment.evaluator, Purpose.PLAN))
        planned = [
            drawn_row(prompt, number, self.pools.conditions, draws)
            for prompt in self.pools.prompts
            for number in range(settings.picking.images)
        ]
        rows = [planned[at] for at in draws.permutation(len(planned))]
        trials = tuple(
            PickingTrial(number=n, prompt=prompt, images=images, done=n / len(rows))
            for n, (prompt, images) in enumerate(rows, start=1)
        )
        minutes = session_minutes(PICKING_S * len(trials))
        return PickingPlan(
            **session_members(settings, assignment, minutes), blocks=(PickingBlock(trials=trials),)
        )

    def script(self, plan: PickingPlan) -> Script:
        return course(plan, ask)

    @property
    def tastes(self) -> PromptedTastes:
        people = self.study.settings.people.model_dump()
        return PromptedTastes(strengths=self.strengths, image_seed=0, **people)

    def station_config(self, seating: Seating, _assignment: Assignment, /) -> StationConfig:
        settings, abreast = self.study.settings, len(self.pools.conditions)
        return StationConfig(
            keys=keys_of(settings.keys),
            appearance=appearance_of(self.study, seating, abreast=abreast),
            texts=texts_shown(settings, (), in_browser=seating.in_browser),
            speech=speech_of(settings),
            trials=PickingLook(question=settings.picking.question, abreast=abreast),
        )


def drawn_row(
    prompt: Prompt, number: int, conditions: Sequence[str], draws: Draws
) -> tuple[str, tuple[Candidate, ...]]:
    """Put the image of this number of each condition into a random order."""
    images = [prompt.images[name][number] for name in conditions]
    return prompt.text, tuple(images[at] for at in draws.permutation(len(images)))


COURSE = PickingCourse
