"""Studies of comparisons whose records contain every case that an export must handle."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from builders import merged, named_here, rewrite_rows, stimulus_set, toml
from paper_comparer import Choosing, PaperComparer
from paper_station import record_of
from verified_records import attend

from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.load import load_any
from hype.protocols.prompted.trial import Choice
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation
from hype.session.steps import Response

FOLDERS = {"formula": "=cmd()", "missing": "NA", "plain": "plain"}
"""Folders of images, and the names of their conditions."""
CONDITIONS = tuple(FOLDERS.values())
PROMPTS = ("=1+1", 'a "bag", <b>two</b>')
MARKUP = named_here("fake/plain/<b>one & 1.png")
IMAGES = 2
TRIALS = 12
OBVIOUS = 4
"""The number of validation comparisons for each evaluator; three must be correct."""
COMPARING: dict[str, Any] = {
    "study": {"name": 'Über; "x", =1+1', "seed": 7, "methods": ["comparison"]},
    "exclusion": {"longest_run": 1},
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
    "follow_up": {"confidence": 3, "why": 0.3},
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
    rewrite_rows(stimuli / "manifest.csv", with_strange_cells)
    (folder / "study.toml").write_text(toml(merged(COMPARING, changes)), encoding="utf-8")
    return load_any(folder)


def with_strange_cells(number: int, row: dict[str, str]) -> dict[str, str]:
    """Add strange names and a prompt to a manifest's row; the rows get the prompts in turn."""
    path = MARKUP if row["path"] == "fake/plain/000.png" else row["path"]
    condition, prompt = FOLDERS.get(row["condition"], ""), PROMPTS[number % len(PROMPTS)]
    return row | {"path": path, "condition": condition, "prompt": prompt}


def answering(seed: int, misses: int = 0) -> Choosing:
    """Answer all but ``misses`` of the validation comparisons correctly, anything else by chance.

    The first trial of a task is answered too fast, and the second not in time.
    """
    rng, answered = Random(seed), Counter[ComparisonTask]()

    def choose(trial: ComparisonTrial, _n: int) -> Response:
        number = answered[trial.task]
        answered[trial.task] += 1
        if trial.obvious is not None:
            other = Choice.LEFT if trial.obvious is Choice.RIGHT else Choice.RIGHT
            wrong = trial.task is ComparisonTask.VALIDATION and number < misses
            return Response((other if wrong else trial.obvious).value, "f", 900.0)
        if number == 1:
            return Response(Choice.NONE.value, "", 5000.0)
        said = rng.choice(["left", "left", "right", "right", "right", "tie"])
        return Response(said, "mouse", 100.0 if number == 0 else rng.uniform(6e2, 4e3))

    return choose


def with_comparing_people(study: ComparisonStudy, *, simulated: int = 4) -> ComparisonStudy:
    """Add people who finish, return, fail, decline or leave, and simulated evaluators."""
    returning = answering(1)
    with record_of(study) as engine:
        for evaluator, *visits in (
            ("p-1", {"chooses": returning, "stops_at": 5}, {"chooses": returning}),
            ("p1", {"chooses": answering(2, misses=1)}),
            ("P1", {"chooses": answering(3), "withholds": True}),
            ("p4", {"chooses": answering(4)}),
            ("failing", {"chooses": answering(5, misses=2)}),
            ("unwilling", {"consents": False}),
            ("unfinished", {"chooses": answering(7), "stops_at": 9}),
        ):
            attend(engine, study, evaluator, *(PaperComparer(**visit) for visit in visits))
        list(Simulation(engine, course_of(study), seed=1).simulate_some(simulated))
    return study
