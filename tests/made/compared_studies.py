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
"""Of each condition, half of them of either prompt."""
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
"""Three conditions, two prompts: 24 comparisons, all of them in each of 6 sessions."""


def compared_study(folder: Path, *, files: bool = False, **changes: Any) -> ComparisonStudy:
    """Write the study, with images that exist by name only unless ``files`` are wanted."""
    make = stimulus_set if files else named_images
    rewrite_rows(make(folder / "stimuli", COUNTS) / "manifest.csv", with_prompt)
    (folder / "study.toml").write_text(toml(merged(COMPARED, changes)), encoding="utf-8")
    return load_any(folder)


def with_prompt(number: int, row: dict[str, str]) -> dict[str, str]:
    """Say in a manifest's row what the image shows, the prompts in turn."""
    return row | {"prompt": PROMPTS[(number + 1) % len(PROMPTS)] if row["condition"] else ""}


def simulate(study: ComparisonStudy, evaluators: int) -> None:
    """Let simulated evaluators come, as `hype simulate` does."""
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=3).simulate_some(evaluators))
