"""Sessions of picking: assignments, trials, and their appearance at a station and in a browser."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from hype.protocols.prompted import course as prompted
from hype.protocols.prompted.pools import read_pools, require_all
from hype.protocols.prompted.settings import session_minutes
from hype.protocols.prompted.trial import BlockResult, Candidate, PlannedBlock, PromptedPlan
from hype.session import plans, steps
from hype.session.loop import Answered, Presentation
from hype.session.steps import Button, Scene
from hype.station.boxes import Box
from hype.station.config import Stage, StationConfig, StepPresenter
from hype.station.presenting import together
from hype.station.respondent import Offer
from hype.study.assignment import Assignment, Cell
from hype.study.draws import Draws, Purpose, seed_sequence
from picking.settings import NAME, PickingStudy

EVERYBODY = Cell(condition="", methods=(NAME,))
PICKING_S = 3.0


class PickingTask(str, Enum):
    PICK = "pick"


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingTrial(steps.Trial):
    """A row of images; the answer is the place of the best one, from 1 at the left."""

    task: PickingTask = PickingTask.PICK
    block: int = 1
    prompt: str
    images: tuple[Candidate, ...]

    @property
    def fingerprint(self) -> str:
        return " ".join(image.sha256 for image in self.images)

    @property
    def pictures(self) -> tuple[steps.PictureRequest, ...]:
        return steps.images_at(*(image.path for image in self.images))

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(str(place) for place in range(1, len(self.images) + 1))


class PickingPlan(PromptedPlan):
    def ask(
        self, block: PlannedBlock[PickingTrial, PickingTask]
    ) -> Generator[steps.Step, steps.Outcome, BlockResult]:
        for trial in block.items:
            _picked = yield trial  # not `yield from`: tuples have no `send`
        return BlockResult(paid=len(block.items))

    def shown(self) -> Iterator[tuple[steps.TrialName, tuple[Candidate, ...]]]:
        return ((trial.name, trial.images) for block in self.blocks for trial in block.items)

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[steps.PictureRequest]:
        trials = ((trial.name, trial.pictures) for block in self.blocks for trial in block.items)
        return steps.skip_answered(trials, answered)

    def checksum(self) -> str:
        return steps.checksum_of(self.blocks)


def keys_of(answer: str) -> tuple[str, str]:
    return answer, f"num_{answer}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingLook:
    """The question and the layout, as a station and a browser need them."""

    question: str
    images_shown: int
    mouse: bool = True

    def presenters(self, stage: Stage, /) -> Mapping[type[steps.Step], StepPresenter]:
        return {PickingTrial: Picking(stage, self.images_shown)}

    def scene(self, trial: PickingTrial, _config: StationConfig, /) -> Scene:
        buttons = tuple(
            Button(answer=answer, label=answer, keys=keys_of(answer), cap=answer, picture=place)
            for place, answer in enumerate(trial.answers)
        )
        return Scene(question=self.question, buttons=buttons, pictures=trial.pictures)


class Picking:
    """Shows a row of images at a window, without the question, which the instructions contain."""

    def __init__(self, stage: Stage, images_shown: int) -> None:
        self._stage, side = stage, stage.layout.side_px
        centres = (1.1 * side * (place - (images_shown - 1) / 2) for place in range(images_shown))
        self._places = [Box(x=round(x), y=0, width=side, height=side) for x in centres]

    def present(self, trial: PickingTrial) -> Presentation:
        layout, take = self._stage.layout, self._stage.pictures.take
        places = enumerate(zip(trial.pictures, self._places, strict=True))
        draws = [layout.picture(take(image), n, box.x, box.y) for n, (image, box) in places]
        return self._stage.window.show(together(*draws), place=0)

    def respond(self, trial: PickingTrial) -> steps.Response:
        places = zip(trial.answers, self._places, strict=True)
        offers = [Offer(answer=a, keys=keys_of(a), areas=(place,)) for a, place in places]
        return self._stage.window.ask(trial, offers)


class PickingObserver(prompted.PromptedObserver):
    """Picks image i with a probability proportional to exp(strength)."""

    trial, noun, uniforms = PickingTrial, "row to pick from", 1

    def __init__(self, tastes: prompted.PromptedTastes, rng: np.random.Generator) -> None:
        self._strengths = tastes.strengths
        super().__init__(tastes, rng)

    def answer(
        self, trial: PickingTrial, uniforms: tuple[float, ...], rt_ms: float
    ) -> steps.Response:
        liked = np.exp([self._strengths[image.condition] for image in trial.images])
        place = int(np.searchsorted(np.cumsum(liked / liked.sum()), uniforms[0])) + 1
        return steps.Response(str(place), "", rt_ms)


class PickingCourse(prompted.PromptedCourse[PickingPlan]):
    shared_out = "rows"
    simulated = PickingObserver
    cells = (EVERYBODY,)
    study: PickingStudy

    def __init__(self, study: PickingStudy) -> None:
        self.study = study
        self.pools = read_pools(study)
        require_all(study, self.pools.prompts, self.pools.conditions, design="a row")

    def plan(self, assignment: Assignment) -> PickingPlan:
        """Plan rows with one image of every condition, in random order."""
        settings = self.study.settings
        draws = Draws(seed_sequence(settings.study.seed, assignment.evaluator, Purpose.PLAN))
        rows = [
            (prompt.text, [prompt.images[name][number] for name in self.pools.conditions])
            for prompt in self.pools.prompts
            for number in range(settings.picking.images)
        ]
        trials = []
        for number, at in enumerate(draws.permutation(len(rows)), start=1):
            prompt, row = rows[at]
            images = tuple(row[place] for place in draws.permutation(len(row)))
            done = number / len(rows)
            trials.append(PickingTrial(number=number, prompt=prompt, images=images, done=done))
        minutes = session_minutes(PICKING_S * len(trials))
        members = plans.session_members(settings, assignment, minutes)
        block = PlannedBlock(number=1, items=tuple(trials), task=PickingTask.PICK)
        return PickingPlan(**members, blocks=(block,))

    @property
    def tastes(self) -> prompted.PromptedTastes:
        people = self.study.settings.people.model_dump()
        return prompted.PromptedTastes(strengths=self.strengths(), image_seed=0, **people)

    @property
    def look(self) -> PickingLook:
        question = self.study.settings.picking.question
        return PickingLook(question=question, **self.arrangement)

    @property
    def arrangement(self) -> Mapping[str, int]:
        return {"images_shown": len(self.pools.conditions)}


COURSE = PickingCourse
