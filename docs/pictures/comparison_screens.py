"""Take the pictures of comparisons in docs/screens from the real window, screen by screen.

    .venv/bin/python docs/pictures/comparison_screens.py [FOLDER]

Each picture is what the X server shows, not what the program believes it drew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PIL import ImageGrab

from hype.protocols.comparison.course import ComparisonCourse, ComparisonLook
from hype.protocols.comparison.screen import ComparisonLayout
from hype.protocols.comparison.settings import ComparisonFile, ComparisonStudy
from hype.protocols.comparison.trial import (
    Choice,
    ComparisonPlan,
    ComparisonTask,
    ComparisonTrial,
)
from hype.protocols.prompted.screen import ShownImages
from hype.protocols.prompted.trial import course
from hype.session.stage import Seating, load_picture
from hype.session.steps import Outcome, Page, Question, Response, Screen, Step
from hype.station.config import YES_OR_NO, StationConfig
from hype.station.display import ensure_display
from hype.station.layout import Layout
from hype.station.station import Questioning
from hype.station.window import open_window
from hype.study.assignment import Assignment

ROOT = Path(__file__).resolve().parents[2]
Shot = tuple[str, Callable[[], None]]

LONG = "a dress with short sleeves, seen from the front"
PROMPTS = {
    "ankle-boot": "an ankle boot",
    "bag": "a bag",
    "coat": "a coat",
    "dress": LONG,
    "pullover": "a pullover",
    "sandal": "a sandal",
    "shirt": "a shirt",
    "sneaker": "a sneaker",
    "t-shirt": "a T-shirt",
    "trouser": "a pair of trousers",
}
BASE = {
    "study": {"name": "fashion", "methods": ["comparison"]},
    "stimuli": {"folder": "../../stimuli/fashion"},
    "display": {"fullscreen": False},
    "validation": {"kind": "off"},
}
HIDDEN = BASE | {"comparison": {"prompt_column": "label", "prompts": PROMPTS}}
WORDS = BASE | {
    "comparison": {
        "prompt_column": "label",
        "prompts": PROMPTS,
        "criterion": "alignment",
        "ties": True,
    },
    "validation": {"kind": "mismatch"},
    "follow_up": {"confidence": 6},
    "demographics": {
        "age": {
            "question": "How old are you?",
            "options": ["18 to 29", "30 to 44", "45 to 59", "60 or older"],
        }
    },
}


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study and its open window."""

    layout: Layout
    config: StationConfig
    study: ComparisonStudy
    plan: ComparisonPlan


def main(folder: Path) -> None:
    """Draw and grab the screens of two studies, one with a hidden prompt and one with words."""
    ensure_display(virtual_allowed=True)
    folder.mkdir(parents=True, exist_ok=True)
    for tables, shots in ((HIDDEN, hidden_shots), (WORDS, word_shots)):
        with opened(ComparisonFile.model_validate(tables)) as (window, at):
            for name, draw in shots(at):
                draw()
                window.flip()
                ImageGrab.grab().save(folder / f"comparison_{name}.png", optimize=True)


@contextmanager
def opened(settings: ComparisonFile) -> Iterator[tuple[Any, Study]]:
    """Open the window of a study as if its file were in experiments/."""
    study = ComparisonStudy(path=ROOT / "experiments" / "fashion" / "study.toml", settings=settings)
    protocol = ComparisonCourse(study)
    assignment = Assignment(evaluator="p01", cell=protocol.cells[0])
    config = protocol.station_config(Seating(simulated=True, windowed=True), assignment)
    window, facts = open_window(replace(config.appearance, images_shown=2), virtual=True)
    layout = Layout(window, config, facts.image_side_px)
    yield window, Study(layout=layout, config=config, study=study, plan=protocol.plan(assignment))
    window.close()


def hidden_shots(at: Study) -> Iterator[Shot]:
    """Yield a comparison whose prompt is hidden."""
    look, *shown = scene_of(at, next(trials(at.plan)))
    yield "hidden", partial(look.draw, *shown)


def word_shots(at: Study) -> Iterator[Shot]:
    """Yield the screens with words, and a comparison whose prompt appears word by word."""
    for step in screens(at.plan):
        yield step.page.value, drawing(at, step)
    for page in (Page.HASTY, Page.MISSED):
        yield page.value, partial(at.layout.waiting, page.value, 0.6)
    look, *shown = scene_of(at, next(t for t in trials(at.plan) if t.prompt == LONG))
    yield "words_half", partial(look.draw, *shown, words=5, ready=False)
    yield "words", partial(look.draw, *shown)
    yield "chosen", partial(look.draw_chosen, *shown, Choice.LEFT)
    yield "tie", partial(look.draw_chosen, *shown, Choice.TIE)


def scene_of(at: Study, trial: ComparisonTrial) -> tuple[ComparisonLayout, str, ShownImages]:
    """Prepare a comparison."""
    if not isinstance(at.config.trials, ComparisonLook):
        raise TypeError("no comparisons")
    look = ComparisonLayout(at.layout, at.config.trials)
    images = [load_picture(at.study, at.layout.side_px, request) for request in trial.pictures]
    return look, trial.criterion, look.scene(trial.prompt, images)


def drawing(at: Study, screen: Screen) -> Callable[[], None]:
    """Return a function that draws a screen of text, with the images of a question."""
    name, layout = screen.page.value, at.layout
    if isinstance(screen, Question):
        pictures = SimpleNamespace(take=partial(load_picture, at.study, layout.side_px))
        presenters = at.config.trials.presenters(
            SimpleNamespace(layout=layout, pictures=pictures, window=None)
        )
        return partial(Questioning(None, layout, presenters).draw, screen)
    if screen.duration_ms is not None:
        return partial(layout.verdict, name)
    choice = YES_OR_NO if screen.choice else None
    return partial(layout.message, name, screen.values, choice)


def screens(plan: ComparisonPlan) -> Iterator[Screen]:
    """Yield each page of a session once."""
    seen: set[Page] = set()
    for step in steps(plan):
        if isinstance(step, Screen) and step.page not in seen:
            seen.add(step.page)
            yield step


def trials(plan: ComparisonPlan) -> Iterator[ComparisonTrial]:
    """Yield the comparisons of a session, without the practice."""
    found = (step for step in steps(plan) if isinstance(step, ComparisonTrial))
    return (trial for trial in found if trial.task is ComparisonTask.COMPARISON)


def steps(plan: ComparisonPlan) -> Iterator[Step]:
    """Yield the steps of a session; every answer is "yes" or the left image, and is slow."""
    script = course(plan)
    step = next(script)
    while True:
        yield step
        answer = "yes" if isinstance(step, Screen) else Choice.LEFT.value
        try:
            step = script.send(Outcome(Response(answer, rt_ms=10_000.0)))
        except StopIteration:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs" / "screens")
