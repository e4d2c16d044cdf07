"""Take the pictures of ratings and rankings in docs/screens from the real window.

    .venv/bin/python docs/pictures/rating_screens.py [FOLDER]

Each picture is what the X server shows, not what the program believes it drew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image, ImageGrab

from hype.protocols.ranking.course import RankingCourse, RankingLook
from hype.protocols.ranking.screen import RankingLayout
from hype.protocols.ranking.settings import RankingFile, RankingStudy
from hype.protocols.ranking.trial import PartialRanking, RankingTask, RankingTrial
from hype.protocols.rating.course import RatingCourse, RatingLook
from hype.protocols.rating.screen import RatingLayout
from hype.protocols.rating.settings import RatingFile, RatingStudy
from hype.protocols.rating.trial import RatingTask, RatingTrial
from hype.session.stage import Seating, load_picture
from hype.session.steps import Outcome, Page, Question, Response, Screen, Step, Trial
from hype.station.config import YES_OR_NO, StationConfig
from hype.station.display import ensure_display
from hype.station.layout import Layout
from hype.station.window import open_window
from hype.study.assignment import Assignment

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "experiments" / "fashion" / "study.toml"
Shot = tuple[str, Callable[[], None]]
AnyProtocol = RatingCourse | RankingCourse

PROMPTS = {
    "ankle-boot": "an ankle boot",
    "bag": "a bag",
    "coat": "a coat",
    "dress": "a dress with short sleeves, seen from the front",
    "pullover": "a pullover",
    "sandal": "a sandal",
    "shirt": "a shirt",
    "sneaker": "a sneaker",
    "t-shirt": "a T-shirt",
    "trouser": "a pair of trousers",
}
BASE = {
    "stimuli": {"folder": "../../stimuli/fashion"},
    "display": {"fullscreen": False},
}
CAPTIONS = {"prompt_column": "label", "prompts": PROMPTS}
PAIRS = BASE | {"study": {"name": "fashion", "methods": ["rating"]}, "rating": CAPTIONS}
SINGLE = PAIRS | {"rating": CAPTIONS | {"of": "images"}}
SLIDER = SINGLE | {"axes": {"aesthetics": {"kind": "slider", "lowest": 0, "highest": 100}}}
GROUPS = BASE | {
    "study": {"name": "fashion", "methods": ["ranking"]},
    "ranking": CAPTIONS | {"real_too": True, "ties": True, "images": 2},
    "screening": {"test": 2},
}


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study and its open window."""

    window: Any
    layout: Layout
    config: StationConfig
    protocol: AnyProtocol
    plan: Any

    def images(self, trial: Trial) -> list[Image.Image]:
        """Read the images of a trial."""
        study, side_px = self.protocol.study, self.layout.side_px
        return [load_picture(study, side_px, request) for request in trial.pictures]


def main(folder: Path) -> None:
    """Draw and grab the screens of three studies."""
    ensure_display(virtual_allowed=True)
    folder.mkdir(parents=True, exist_ok=True)
    pairs = RatingStudy(path=STUDY, settings=RatingFile.model_validate(PAIRS))
    single = RatingStudy(path=STUDY, settings=RatingFile.model_validate(SINGLE))
    slider = RatingStudy(path=STUDY, settings=RatingFile.model_validate(SLIDER))
    groups = RankingStudy(path=STUDY, settings=RankingFile.model_validate(GROUPS))
    grab(RatingCourse(pairs), pair_shots, folder)
    grab(RatingCourse(single), single_shots, folder)
    grab(RatingCourse(slider), slider_shots, folder)
    grab(RankingCourse(groups), ranking_shots, folder)


def grab(protocol: AnyProtocol, shots: Callable[[Study], Iterator[Shot]], folder: Path) -> None:
    """Draw and grab some screens of a study."""
    with opened(protocol) as at:
        for name, draw in shots(at):
            draw()
            at.window.flip()
            ImageGrab.grab().save(folder / f"{name}.png", optimize=True)


@contextmanager
def opened(
    protocol: AnyProtocol, window_px: tuple[int, int] | None = None, **changes: Any
) -> Iterator[Study]:
    """Open the window of a study, with another size and ``changes`` to its appearance."""
    assignment = Assignment(evaluator="p01", cell=protocol.cells[0])
    config = protocol.station_config(Seating(simulated=True, windowed=True), assignment)
    alone = isinstance(config.trials, RatingLook) and not config.trials.pairs
    look = replace(config.appearance, captioned=alone, **changes)
    look = replace(look, window_px=window_px or look.window_px)
    window, facts = open_window(look, virtual=True)
    yield Study(
        window=window,
        layout=Layout(window, config, facts.image_side_px),
        config=config,
        protocol=protocol,
        plan=protocol.plan(assignment),
    )
    window.close()


def pair_shots(at: Study) -> Iterator[Shot]:
    """Yield the screens of a study of pairs."""
    yield "rating_instructions", reading(at, Page.INSTRUCTIONS)
    trials = list(ratings(at))
    yield "rating_pair", rating(at, trials[0])
    yield "rating_chosen", rating(at, trials[4], chosen=trials[4].levels[1])


def single_shots(at: Study) -> Iterator[Shot]:
    """Yield the screens of a study of single images."""
    trials = list(ratings(at))
    yield "rating_single", rating(at, trials[0])
    yield "rating_scale", rating(at, next(t for t in trials if t.axis.name == "aesthetics"))


def slider_shots(at: Study) -> Iterator[Shot]:
    """Yield a slider with a mark."""
    trial = next(t for t in ratings(at) if t.axis.name == "aesthetics")
    yield "rating_slider", rating(at, trial, chosen=trial.levels[70])


def ranking_shots(at: Study) -> Iterator[Shot]:
    """Yield the screens of a study of rankings."""
    for page in (Page.INSTRUCTIONS, Page.TEST):
        yield f"ranking_{page.value}", reading(at, page)
    for name, standing in {
        "begun": PartialRanking(("D", "A")),
        "tied": PartialRanking(("D", "A"), tying=True),
        "done": PartialRanking(("D", "AC", "B", "E")),
    }.items():
        yield f"ranking_{name}", ranking(at, standing)


def ratings(at: Study) -> Iterator[RatingTrial]:
    """Yield the ratings of a session, without the practice."""
    found = (step for step in steps(at) if isinstance(step, RatingTrial))
    return (trial for trial in found if trial.task is RatingTask.RATING)


def rating(at: Study, trial: RatingTrial, chosen: str | None = None) -> Callable[[], None]:
    """Return a function that draws an axis of an item."""
    if not isinstance(at.config.trials, RatingLook):
        raise TypeError("no ratings")
    look = RatingLayout(at.layout, at.config.trials)
    scene, asked = look.scene(trial.item.prompt, at.images(trial)), look.asked(trial)
    if chosen is None:
        return partial(look.draw, scene, asked)
    return partial(look.draw_chosen, scene, asked, chosen)


def ranking(
    at: Study, standing: PartialRanking, trial: RankingTrial | None = None
) -> Callable[[], None]:
    """Return a function that draws a partly ranked group."""
    if not isinstance(at.config.trials, RankingLook):
        raise TypeError("no rankings")
    look = RankingLayout(at.layout, at.config.trials)
    trial = replace(trial or first_group(at), standing=standing)
    return partial(look.draw, look.scene(trial.group.prompt, at.images(trial)), trial)


def first_group(at: Study) -> RankingTrial:
    """Return the first step of the first scored group."""
    found = (step for step in steps(at) if isinstance(step, RankingTrial))
    return next(trial for trial in found if trial.task is RankingTask.RANKING)


def reading(at: Study, page: Page) -> Callable[[], None]:
    """Return a function that draws a screen of text."""
    screen = next(
        step
        for step in steps(at)
        if isinstance(step, Screen) and not isinstance(step, Question) and step.page is page
    )
    choice = YES_OR_NO if screen.choice else None
    return partial(at.layout.message, page.value, screen.values, choice)


def steps(at: Study) -> Iterator[Step]:
    """Yield the steps of a session in which a person consents and gives the first answer."""
    script = at.protocol.script(at.plan)
    step = next(script)
    while True:
        yield step
        try:
            step = script.send(Outcome(Response(answer_to(step))))
        except StopIteration:
            return


def answer_to(step: Step) -> str:
    """Return the first level of a rating, a ranking's next letter or "accept", or "yes"."""
    if isinstance(step, RatingTrial):
        return step.levels[0]
    if isinstance(step, RankingTrial):
        return step.unplaced[0] if step.unplaced else "accept"
    return "yes"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs" / "screens")
