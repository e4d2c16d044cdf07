"""Take the pictures in docs/screens from the real window, screen by screen.

    .venv/bin/python docs/pictures/hype_screens.py [STUDY] [FOLDER]

Each picture is what the X server shows, not what the program believes it drew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from PIL import ImageGrab

from hype.protocols.hype.course import station_config
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.sampling import plan_session
from hype.protocols.hype.screen import NUMERAL, Judging
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import JudgementTrial, SessionPlan, hype_session
from hype.protocols.load import load_study
from hype.session.stage import Seating, load_picture
from hype.session.steps import Outcome, Page, Response, Screen, Step
from hype.station.config import YES_OR_NO
from hype.station.display import ensure_display
from hype.station.layout import Layout
from hype.station.presenting import PAUSED
from hype.station.station import WAITS
from hype.station.window import open_window
from hype.study.assignment import Assignment, design

ROOT = Path(__file__).resolve().parents[2]
Shot = tuple[str, Callable[[], None]]


def main(study_path: Path, folder: Path) -> None:
    """Draw and grab every screen of a study."""
    ensure_display(virtual_allowed=True)
    study = load_study(study_path)
    pools = read_pools(study)
    cell = design(tuple(pools.fake), study.settings.methods_of_one_evaluator())[-1]
    assignment = Assignment(evaluator="p01", cell=cell, left_means="real")
    plan = plan_session(study.settings, pools, assignment)
    seating = Seating(simulated=True, windowed=True)
    config = station_config(study, seating, left_means=assignment.left_means)
    window, facts = open_window(config.appearance, virtual=True)
    layout = Layout(window, config, facts.image_side_px)
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in shots(layout, study, plan):
        draw()
        window.flip()
        ImageGrab.grab().save(folder / f"{name}.png", optimize=True)
    window.close()


def shots(layout: Layout, study: Study, plan: SessionPlan) -> Iterator[Shot]:
    """Yield each kind of screen once, with a function that draws it."""
    seen: set[str] = set()
    for step in steps(plan):
        kind = kind_of(step)
        if kind in seen:
            continue
        seen.add(kind)
        if isinstance(step, Screen):
            yield screen_shot(layout, step)
        elif isinstance(step, JudgementTrial):
            yield from trial_shots(layout, study, step)
    pay = {"pay": f"{plan.pay.due(0):.2f}", "currency": plan.pay.currency}
    for name, values in (("unqualified", pay), ("declined", {}), ("resumed", {})):
        yield name, partial(layout.message, name, values, None)
    yield "consent_again", partial(layout.message, "consent_again", {}, YES_OR_NO)
    yield "paused", partial(layout.message, "paused", {}, PAUSED)
    yield "trouble", layout.trouble
    for name in ("wrong", "again"):
        yield name, partial(layout.verdict, name)
    yield "progress", lambda: (layout.verdict("correct"), layout.progress(0.4))


def steps(plan: SessionPlan) -> Iterator[Step]:
    """Yield the steps of a session in which every answer is right."""
    script = hype_session(plan)
    step = next(script)
    while True:
        yield step
        answer = step.stimulus.truth.value if isinstance(step, JudgementTrial) else "yes"
        step = script.send(Outcome(Response(answer)))
        if isinstance(step, Screen) and step.page is Page.DEBRIEF:
            yield step
            return


def kind_of(step: Step) -> str:
    """Name a kind of step."""
    if isinstance(step, Screen):
        return step.page.value
    return "timed" if step.shown_ms else "untimed"


def screen_shot(layout: Layout, screen: Screen) -> Shot:
    """Return a function that draws a screen of text."""
    name = screen.page.value
    if screen.page in WAITS:
        return name, partial(layout.waiting, name, 0.7)
    if screen.duration_ms is not None:
        return name, partial(layout.verdict, name)
    choice = YES_OR_NO if screen.choice else None
    return name, partial(layout.message, name, screen.values, choice)


def trial_shots(layout: Layout, study: Study, trial: JudgementTrial) -> Iterator[Shot]:
    """Yield the pictures of one trial."""
    image, *masks = (
        layout.picture(load_picture(study, layout.side_px, request), place)
        for place, request in enumerate(trial.pictures[:2])
    )
    stage = SimpleNamespace(window=None, layout=layout, pictures=None, triggers=None, refresh_hz=60)
    judging = Judging(stage, layout.config.trials)
    if not masks:
        yield "trial_untimed", partial(judging.draw_with_question, image)
        return
    yield "trial_countdown", partial(layout.put, NUMERAL, "3", 0.0)
    yield "trial_image", image
    yield "trial_mask", masks[0]
    yield "trial_question", judging.draw_question


if __name__ == "__main__":
    arguments = [Path(argument) for argument in sys.argv[1:]]
    defaults = [ROOT / "experiments" / "fashion-short", ROOT / "docs" / "screens"]
    main(*(arguments + defaults[len(arguments) :]))
