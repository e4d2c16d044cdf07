"""Studies whose records contain every case that an export must handle."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from builders import named_here, named_study, rewrite_row
from paper_station import PaperStation, record_of, sit, timing_of

from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.protocols.registry import course_of
from hype.session.loop import Presentation
from hype.session.simulate import Simulation
from hype.session.steps import Response, Screen, Step

MARKED = named_here("<b>x</b>")
CONDITIONS = ("=cmd()", MARKED, "+1,2", named_here('-a "b"'), "@a; b", "'=q", "NA")
"""Names that a spreadsheet, a page or a table could misread."""
NAMES = ("=real/1,2.png", '+"real".png', "-real/<i>.png", "@real 'x'.png", "'=r.png", "[b].png")
IMAGES = tuple(map(named_here, NAMES))
BOTH: Mapping[str, Any] = {
    "study": {"methods": ["time", "infinity"], "evaluator_does": "all-methods"},
    "exclusion": {"longest_run": 3},
}


class MeasuredStation(PaperStation):
    """A paper station that times every flash; its evaluators have random response times."""

    def __init__(self, seed: int, **how: Any) -> None:
        super().__init__(**how)
        self.rng = Random(seed)

    def present(self, step: Step) -> Presentation:
        shown = super().present(step)
        now_s = self.rng.uniform(1e3, 1e4)
        timing = shown.timing
        if timing is None and isinstance(step, JudgementTrial) and step.exposure_ms is not None:
            timing = timing_of(step)
        return Presentation(1.7e9 + now_s, now_s, timing)

    def respond(self, step: Step) -> Response:
        said = super().respond(step)
        return said if isinstance(step, Screen) else replace(said, rt_ms=self.rng.uniform(2e2, 2e3))


def spoils(trial: JudgementTrial, n: int) -> bool:
    """Spoil two trials of each block of HYPE_time, and one of each qualification."""
    return trial.exposure_ms is not None and trial.number in (2, 5)


def fails(trial: JudgementTrial, n: int) -> bool:
    """Answer nothing correctly."""
    return False


def strange_study(folder: Path, **changes: Any) -> Study:
    """Write a study of both methods whose conditions and images have strange names."""
    counts = {"": 14, **dict.fromkeys(CONDITIONS, 14)}
    study = named_study(folder, counts, **{**BOTH, **changes})
    for row, path in enumerate(IMAGES):
        rewrite_row(folder / "stimuli" / "manifest.csv", row, path=path)
    return study


def with_everybody(study: Study, *, spoiling: bool = True, rounds: int = 2) -> Study:
    """Add people who finish, who fail to qualify, decline or leave, and simulated evaluators."""
    how = {"spoils": spoils} if spoiling else {}
    with record_of(study) as engine:
        for number in range(rounds * len(read_pools(study).fake)):
            rng = Random(number)
            station = MeasuredStation(
                number,
                answers_correctly=lambda trial, n, rng=rng: (
                    trial.task is Task.QUALIFICATION or rng.random() < 0.8
                ),
                **how,
            )
            sit(engine, study, f"p{number}", station)
        sit(engine, study, "q1", MeasuredStation(91, answers_correctly=fails))
        sit(engine, study, "q2", MeasuredStation(92, consents=False))
        sit(engine, study, "q3", MeasuredStation(93, stops_at=13, **how))
        list(Simulation(engine, course_of(study), seed=1).simulate_some(2 * len(CONDITIONS)))
    return study
