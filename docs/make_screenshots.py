"""Take the pictures in docs/screens from the real window, screen by screen.

    .venv/bin/python docs/make_screenshots.py [STUDY] [FOLDER]

Each picture is what the X server shows, not what the program believes it drew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import ImageGrab

from hype.protocol.script import hype_session
from hype.protocol.steps import JudgementTrial, Response, Screen
from hype.sessions.enrol import Enrolled
from hype.sessions.live import Seating, station_config
from hype.sessions.pools import read_pools
from hype.station.layout import Layout
from hype.station.station import CHOICES
from hype.station.window import open_window
from hype.station.xvfb import ensure_display
from hype.study.assignment import Assignment, design
from hype.study.load import load_study
from hype.study.sampling import plan_session

ROOT = Path(__file__).resolve().parents[1]


def main(study_path: Path, folder: Path) -> None:
    """Draw and grab every screen of a study."""
    ensure_display(virtual_allowed=True)
    study = load_study(study_path)
    pools = read_pools(study)
    cell = design(tuple(pools.fake), study.settings.methods_of_one_evaluator())[-1]
    assignment = Assignment(evaluator="p01", cell=cell, left_means="real")
    plan = plan_session(study.settings, pools, assignment)
    enrolled = Enrolled(number=1, assignment=assignment, plan=plan, simulated=True)
    config = station_config(study, enrolled, Seating(simulated=True, windowed=True))
    window, _ = open_window(config.appearance, virtual=True)
    layout = Layout(window, config)
    folder.mkdir(parents=True, exist_ok=True)

    def grab(name: str, draw: Callable[[], None]) -> None:
        draw()
        window.flip()
        ImageGrab.grab().save(folder / f"{name}.png", optimize=True)

    seen: set[str] = set()
    script = hype_session(plan)
    step = next(script)
    try:
        while True:
            if isinstance(step, Screen) and step.page.value not in seen:
                seen.add(step.page.value)
                name = step.page.value
                if step.duration_ms is None:
                    choice = CHOICES[name] if step.choice else None
                    grab(name, partial(layout.message, name, step.values, choice))
                else:
                    grab(name, partial(layout.verdict, name))
            elif isinstance(step, JudgementTrial):
                image = layout.picture(config.load_stimulus(step.stimulus.path))
                if step.exposure_ms is None and "untimed" not in seen:
                    seen.add("untimed")
                    grab("trial_untimed", partial(layout.with_question, image))
                elif step.exposure_ms is not None and "timed" not in seen:
                    seen.add("timed")
                    grab("trial_countdown", partial(layout.numeral, 3))
                    grab("trial_image", image)
                    grab("trial_mask", layout.picture(config.load_mask(step.masks[0]), cover=True))
                    grab("trial_question", layout.question)
            answer = "yes" if isinstance(step, Screen) else step.stimulus.truth.value
            wrong = isinstance(step, JudgementTrial) and "wrong" not in seen and step.number == 2
            if wrong:
                answer = "fake" if answer == "real" else "real"
            step = script.send(Response(answer))
    except StopIteration:
        pass
    grab("paused", partial(layout.message, "paused", {}, CHOICES["paused"]))
    values = {"pay": f"{plan.pay.due(0):.2f}", "currency": plan.pay.currency}
    grab("unqualified", partial(layout.message, "unqualified", values, None))
    grab("declined", partial(layout.message, "declined", {}, None))
    grab("resumed", partial(layout.message, "resumed", {}, None))
    window.close()


if __name__ == "__main__":
    arguments = [Path(argument) for argument in sys.argv[1:]]
    defaults = [ROOT / "experiments" / "fashion-short", ROOT / "docs" / "screens"]
    main(*(arguments + defaults[len(arguments) :]))
