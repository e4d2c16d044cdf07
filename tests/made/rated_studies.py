"""Small studies of ratings and of rankings with plain names, and their records.

`rated_study` and `ranked_study` write a study into a folder, with names of images only, or with
files of 16 x 16 px if ``files`` is set. Keywords change tables of the study file:

    rated_study(tmp_path)                              pairs: 24 items of 3 conditions, 2 shares
    rated_study(tmp_path, rating={"of": "images"})     single images, some with a true answer
    ranked_study(tmp_path, files=True)                 6 groups of 4, one is the test; 2 shares
    ranked_study(tmp_path, ranking={"group": 3, "ties": True})

`simulate` fills them as `hype simulate` does, with checkers. Records with all kinds of evaluators
(people who left and returned or declined, simulated ones) are made by `paper_rater.rated_soundly`
and `paper_ranker.ranked_soundly`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from builders import merged, named_images, rewrite_rows, stimulus_set, toml
from paper_station import record_of

from hype.protocols.load import load_any
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.registry import course_of
from hype.session.simulate import Simulated, Simulation
from hype.study.studies import AnyStudy

RATED_PROMPTS: Final = ("a bag", "a coat")
RATED_COUNTS: Final = {"": 1, "crude": 4, "fine": 4, "good": 4}
"""Images of each condition, half of them for each prompt."""
RATED: Final[dict[str, Any]] = {
    "study": {"name": "rated", "seed": 7, "methods": ["rating"]},
    "stimuli": {"folder": "stimuli"},
    "rating": {
        "axes": ["overall", "artifacts", "style"],
        "images": 2,
        "ratings": 2,
        "blocks": 2,
        "items": 6,
        "practice": 1,
    },
    "observers": {
        "crude": {"strength": -0.8},
        "fine": {"strength": 0.0, "on": {"artifacts": 0.6}},
        "good": {"strength": 0.8},
    },
    "people": {"not_relevant": {"style": 0.4}},
}
"""Three conditions, two prompts and three axes: 24 pairs in two shares of 12 and blocks of 6."""
SINGLE: Final[dict[str, Any]] = {
    "rating": {"of": "images", "axes": ["anatomy", "aesthetics"], "items": 3},
    "axes": {
        "anatomy": {"truth_column": "sound"},
        "aesthetics": {"lowest": 1, "highest": 7, "truth_column": "beauty"},
    },
    "observers": {"fine": {"on": None}},
    "people": None,
}
"""Changes for ratings of single images: 12 images in two shares of 6, on two axes."""

RANKED_PROMPTS: Final = ("a bag", "a coat", "a shoe")
RANKED_COUNTS: Final = {"": 1, "crude": 6, "fine": 6, "good": 6, "great": 6}
RANKED: Final[dict[str, Any]] = {
    "study": {"name": "ranked", "seed": 7, "methods": ["ranking"]},
    "stimuli": {"folder": "stimuli"},
    "ranking": {"images": 2, "rankings": 2, "blocks": 2, "groups": 2, "practice": 1},
    "screening": {"test": 1, "checkers": ["check*"], "check_share": 0.5},
    "observers": {
        "crude": {"strength": -1.5},
        "fine": {"strength": -0.5},
        "good": {"strength": 0.5},
        "great": {"strength": 1.5},
    },
    "people": {"undo_share": 0.1},
}
"""Four conditions and three prompts: 6 groups of 4, one is the test; shares of 3 and 2 groups."""


def rated_study(folder: Path, *, files: bool = False, **changes: Any) -> RatingStudy:
    """Write a study of ratings of pairs, or of single images with ``rating={"of": "images"}``."""
    single = changes.get("rating", {}).get("of") == "images"
    tables = merged(merged(RATED, SINGLE), changes) if single else merged(RATED, changes)
    return written(folder, tables, RATED_COUNTS, RATED_PROMPTS, files=files)


def ranked_study(folder: Path, *, files: bool = False, **changes: Any) -> RankingStudy:
    """Write a study of rankings."""
    return written(folder, merged(RANKED, changes), RANKED_COUNTS, RANKED_PROMPTS, files=files)


def written(
    folder: Path,
    tables: Mapping[str, Any],
    counts: Mapping[str, int],
    prompts: Sequence[str],
    *,
    files: bool,
) -> AnyStudy:
    """Write a study and its images."""
    make = stimulus_set if files else named_images
    say_of_images(make(folder / "stimuli", counts) / "manifest.csv", prompts)
    (folder / "study.toml").write_text(toml(tables), encoding="utf-8")
    return load_any(folder)


def say_of_images(manifest: Path, prompts: Sequence[str]) -> None:
    """Give the rows of a manifest prompts in turn, and some images true answers.

    Every third image has a wrong anatomy; nothing is known about every fourth image.
    """

    def said(number: int, row: dict[str, str]) -> dict[str, str]:
        made = bool(row["condition"])
        return row | {
            "prompt": prompts[number % len(prompts)] if made else "",
            "sound": ("no" if number % 3 == 0 else "yes") if made and number % 4 else "",
            "beauty": str(1 + number % 7) if made and number % 4 else "",
        }

    rewrite_rows(manifest, said)


def simulate(study: AnyStudy, evaluators: int, *, seed: int = 3) -> list[Simulated]:
    """Simulate evaluators, and then the checkers that their study needs."""
    with record_of(study) as engine:
        simulation = Simulation(engine, course_of(study), seed=seed)
        return [*simulation.simulate_some(evaluators), *simulation.helpers()]
