"""A small study of every protocol with real images, and an evaluator without a window."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from builders import image_folder, merged, rewrite_rows, whole_study
from paper_comparer import PaperComparer, small_study
from paper_ranker import PaperRanker, wavering
from paper_rater import PaperRater
from rated_studies import ranked_study, rated_study
from verified_records import TickingStation

from hype.protocols.comparison.record import comparisons
from hype.protocols.hype.record import judgements
from hype.protocols.ranking.record import placements
from hype.protocols.rating.record import ratings
from hype.stimuli.collection import scan
from hype.study.studies import AnyStudy

STUDIES: dict[str, Callable[..., AnyStudy]] = {
    "hype": whole_study,
    "comparison": small_study,
    "rating": lambda folder, **changes: rated_study(folder, files=True, **changes),
    "ranking": lambda folder, **changes: ranked_study(
        folder, files=True, **merged({"ranking": {"ties": True}}, changes)
    ),
}
STATIONS: dict[str, Callable[..., TickingStation]] = {
    "hype": TickingStation,
    "comparison": PaperComparer,
    "rating": PaperRater,
    "ranking": lambda **given: PaperRanker(**{"chooses": wavering} | given),
}
TABLES = {"hype": judgements, "comparison": comparisons, "rating": ratings, "ranking": placements}
"""The table of the record with each protocol's answers."""
FOLLOW_UPS: dict[str, dict[str, Any]] = {
    "hype": {"confidence": 4, "why": 0.5},
    "comparison": {"confidence": "slider", "why": 0.5},
    "rating": {"why": 0.5},
    "ranking": {"why": 0.5},
}
"""What each protocol can ask about an answer."""
SMALLER: dict[str, dict[str, Any]] = {
    "hype": {
        "study": {"methods": ["time"]},
        "qualification": {"enabled": False},
        "practice": {"trials": 2},
        "time": {"blocks": 1, "trials": 4},
    },
    "comparison": {"comparison": {"min_ms": 0}},
    "rating": {"rating": {"items": 3, "blocks": 4}},
    "ranking": {},
}
"""Settings that make a study short."""
PEOPLE: dict[str, dict[str, Any]] = {
    "hype": {"threshold_spread": 0.3, "careless": 0.1},
    "comparison": {"taste_spread": 0.3, "lapse": 0.05, "careless": 0.1},
    "rating": {
        "taste_spread": 0.3,
        "image_spread": 0.3,
        "lapse": 0.1,
        "not_relevant": {"style": 0.3},
    },
    "ranking": {"taste_spread": 0.3, "image_spread": 0.3, "undo_share": 0.2},
}
"""Settings of simulated people that use all their parameters."""
TESTED: dict[str, dict[str, Any]] = {
    "hype": {"qualification": {"stimuli": "pool"}},
    "comparison": {"screening": {"test": 4, "stimuli": "pool"}},
    "rating": {
        "screening": {"test": 4, "stimuli": "pool"},
        "axes": {"overall": {"truth_column": "quality"}},
    },
    "ranking": {"screening": {"test": 3, "stimuli": "pool"}},
}
"""Settings that give each study a test with images of another set."""


def make_tested(folder: Path, protocol: str, *, prompts: int = 3, **rule: Any) -> AnyStudy:
    """Write a study with a test of 9 images: some prompts, each with several qualities."""
    pool = folder / "pool"
    for part, number, first in (("real", 3, 70_000), ("fake/plain", 6, 71_000)):
        image_folder(pool / part, number, first=first, side_px=16)
    scan(pool)
    said = [{"prompt": f"a cup of {n % prompts}", "quality": str(n // prompts)} for n in range(9)]
    rewrite_rows(pool / "manifest.csv", lambda number, row: row | said[number])
    table = "qualification" if protocol == "hype" else "screening"
    return STUDIES[protocol](folder, **merged(TESTED[protocol], {table: rule}))
