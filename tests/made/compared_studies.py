"""Small studies of comparisons with plain names, and their records."""

from pathlib import Path
from typing import Any

from builders import merged, named_images, rewrite_rows, stimulus_set, toml
from paper_station import record_of

from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation

PROMPTS = ("a bag", "a coat")
IMAGES = 4
"""Images of each condition, half of them for each prompt."""
COUNTS = {"": 1, "crude": IMAGES, "fine": IMAGES, "good": IMAGES}
COMPARED: dict[str, Any] = {
    "study": {"name": "compared", "seed": 7, "methods": ["comparison"]},
    "stimuli": {"folder": "stimuli"},
    "comparison": {
        "criterion": "alignment",
        "images": 2,
        "votes": 6,
        "blocks": 1,
        "trials": 24,
        "practice": 2,
        "wait_ms": 200,
    },
    "validation": {"kind": "mismatch", "share": 0.2, "min_correct": 0.75},
    "observers": {
        "crude": {"strength": -1.2},
        "fine": {"strength": 0.0},
        "good": {"strength": 1.2},
    },
}
"""Three conditions and two prompts make 24 comparisons; each of 6 sessions contains them all."""


def compared_study(folder: Path, *, files: bool = False, **changes: Any) -> ComparisonStudy:
    """Write the study; its images exist by name only unless ``files`` is set."""
    make = stimulus_set if files else named_images
    rewrite_rows(make(folder / "stimuli", COUNTS) / "manifest.csv", with_prompt)
    (folder / "study.toml").write_text(toml(merged(COMPARED, changes)), encoding="utf-8")
    return load_any(folder)


def with_prompt(number: int, row: dict[str, str]) -> dict[str, str]:
    """Add a prompt to a manifest's row; the rows get the prompts in turn."""
    return row | {"prompt": PROMPTS[(number + 1) % len(PROMPTS)] if row["condition"] else ""}


def simulate(study: ComparisonStudy, evaluators: int) -> None:
    """Simulate evaluators as `hype simulate` does."""
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=3).simulate_some(evaluators))
