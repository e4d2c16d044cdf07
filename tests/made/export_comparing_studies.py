"""Studies of comparisons whose records hold everything that an export can meet."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from admitted import enrol
from builders import merged, named_here, stimulus_set, toml
from paper_station import record_of
from sqlalchemy import Engine

from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.load import load_any
from hype.protocols.prompted.trial import Choice
from hype.protocols.registry import course_of
from hype.session.enrol import begin_session
from hype.session.loop import Presentation, SessionStopped, run_session
from hype.session.simulate import Simulation
from hype.session.steps import GO_ON, Question, Response, Screen, Step
from hype.store.people import end_session
from hype.store.recorder import DurableRecorder

FOLDERS = {"formula": "=cmd()", "missing": "NA", "plain": "plain"}
"""Folders of images, and the names of the conditions that made them."""
CONDITIONS = tuple(FOLDERS.values())
PROMPTS = ("=1+1", 'a "bag", <b>two</b>')
MARKUP = named_here("fake/plain/<b>one & 1.png")
IMAGES = 2
TRIALS = 12
OBVIOUS = 4
"""Validation comparisons that everybody meets; the study wants three of them right."""
COMPARING: dict[str, Any] = {
    "study": {"name": 'Über; "x", =1+1', "seed": 7, "methods": ["comparison"]},
    "stimuli": {"folder": "stimuli"},
    "comparison": {
        "criterion": "alignment",
        "images": IMAGES,
        "votes": 2,
        "blocks": 1,
        "trials": TRIALS,
        "practice": 2,
        "ties": True,
        "limit_ms": 5000.0,
    },
    "validation": {"kind": "mismatch", "share": 0.25, "min_correct": 0.75},
    "demographics": {
        "age": {"question": "How old are you?", "options": ["=young", "NA", "old"]},
        '"ägé?"': {"question": "And in spirit?", "options": ["young", "old"]},
    },
}


def comparing_study(folder: Path, **changes: Any) -> ComparisonStudy:
    """Write a study of three conditions and two prompts, with strange names, and its images."""
    counts = {"": 1, **dict.fromkeys(FOLDERS, IMAGES * len(PROMPTS))}
    stimuli = stimulus_set(folder / "stimuli", counts)
    (stimuli / "fake" / "plain" / "000.png").rename(stimuli / MARKUP)
    rewrite_manifest(stimuli / "manifest.csv")
    (folder / "study.toml").write_text(toml(merged(COMPARING, changes)), encoding="utf-8")
    study = load_any(folder)
    if not isinstance(study, ComparisonStudy):
        raise TypeError("is no study of comparisons")
    return study


def rewrite_manifest(manifest: Path) -> None:
    """Say in a manifest what each image shows, each prompt in turn, and give it strange names."""
    with manifest.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows):
        row["prompt"] = PROMPTS[number % len(PROMPTS)]
        row["condition"] = FOLDERS.get(row["condition"], "")
        row["path"] = MARKUP if row["path"] == "fake/plain/000.png" else row["path"]
    with manifest.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@dataclass
class ComparingStation:
    """Presenter and responder: somebody who compares on paper.

    They answer all but ``misses`` of the validation comparisons correctly, the first of a kind
    hastily, the second not in time, and anything else as it comes; ``stops_at`` is how many answers
    they give before they leave.
    """

    seed: int
    misses: int = 0
    consents: bool = True
    withholds: bool = False
    stops_at: int | None = None
    answered: list[ComparisonTrial] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)

    def present(self, step: Step) -> Presentation:
        now_s = self.rng.uniform(1e3, 1e4)
        return Presentation(1.7e9 + now_s, now_s)

    def respond(self, step: Step) -> Response:
        if isinstance(step, Question):
            return Response("" if self.withholds else self.rng.choice(step.options[:-1]))
        if isinstance(step, Screen):
            return Response("yes" if self.consents else "no") if step.choice else GO_ON
        if not isinstance(step, ComparisonTrial):
            raise TypeError(step)
        if len(self.answered) == self.stops_at:
            raise SessionStopped
        number = sum(one.task is step.task for one in self.answered)
        self.answered.append(step)
        return self.answer(step, number)

    def answer(self, trial: ComparisonTrial, number: int) -> Response:
        """Answer the trial with this number among those of its task, from 0."""
        if trial.obvious is not None:
            other = Choice.LEFT if trial.obvious is Choice.RIGHT else Choice.RIGHT
            wrong = trial.task is ComparisonTask.VALIDATION and number < self.misses
            return Response((other if wrong else trial.obvious).value, "f", 900.0)
        if number == 1:
            return Response(Choice.NONE.value, "", 5000.0)
        said = self.rng.choice(["left", "left", "right", "right", "right", "tie"])
        return Response(said, "mouse", 100.0 if number == 0 else self.rng.uniform(6e2, 4e3))


def compare(
    engine: Engine, study: ComparisonStudy, evaluator: str, station: ComparingStation
) -> None:
    """Hold a session on paper as `hype run` holds one at a window, or go on with one."""
    protocol = course_of(study)
    with engine.begin() as connection:
        enrolled = enrol(connection, protocol, evaluator, simulated=False)
        number = begin_session(connection, enrolled, study, mode="person", display={})
    recorder = DurableRecorder(engine, enrolled.owner(number))
    script = protocol.script(enrolled.plan)
    try:
        answered = enrolled.answered
        ended = run_session(script, station, station, recorder, answered=answered).value
    except SessionStopped:
        ended = "quit"
    with engine.begin() as connection:
        end_session(connection, number, ended)


def with_comparing_people(study: ComparisonStudy, *, simulated: int = 4) -> ComparisonStudy:
    """Let people come who finish, come back, fail, decline and leave; and simulated evaluators."""
    with record_of(study) as engine:
        compare(engine, study, "p-1", ComparingStation(1, stops_at=5))
        compare(engine, study, "p-1", ComparingStation(1))
        compare(engine, study, "p1", ComparingStation(2, misses=1))
        compare(engine, study, "P1", ComparingStation(3, withholds=True))
        compare(engine, study, "p4", ComparingStation(4))
        compare(engine, study, "failing", ComparingStation(5, misses=2))
        compare(engine, study, "unwilling", ComparingStation(6, consents=False))
        compare(engine, study, "unfinished", ComparingStation(7, stops_at=9))
        list(Simulation(engine, course_of(study), seed=1).come(simulated))
    return study
