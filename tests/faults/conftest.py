"""Studies and processes for sessions with faults."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from builders import whole_study
from faults import file_calls
from faults.ordeal import Ordeal
from faults.places import linked
from faults.records import Record, read_record
from faults.sitters import Sitters
from faults.tally import Figures
from paper_comparer import DEMOGRAPHICS, small_study
from rated_studies import ranked_study, rated_study

SHORT = {
    "practice": {"trials": 2},
    "qualification": {"trials": 2, "pass_rate": 0.5},
    "time": {"blocks": 1, "trials": 4},
}
"""Few trials, so that a fault can be tried at every moment of a session."""

LONG = {"time": {"blocks": 2, "trials": 80}}
"""Many trials, so that SQLite moves its log into the record in the middle of the session."""

BOTH = {"study": {"methods": ["time", "infinity"], "evaluator_does": "all-methods"}}
FEW = {"blocks": 1, "trials": 4, "practice": 1}

KINDS = {
    "timed": whole_study,
    "both methods": partial(whole_study, **BOTH),
    "spoiled repeated": partial(whole_study, timing={"spoiled_trials": "repeat"}),
    "short": partial(whole_study, **SHORT),
    "long": partial(whole_study, counts={"": 120, "crude": 120, "good": 120}, **LONG),
    "compared": small_study,
    "arena": partial(small_study, arena=True),
    "short compared": partial(small_study, comparison=FEW),
    "rated": partial(rated_study, files=True, demographics=DEMOGRAPHICS),
    "ranked": partial(ranked_study, files=True, ranking={"ties": True}),
    "short rated": partial(rated_study, files=True, rating={"blocks": 1, "items": 2}),
    "short ranked": partial(ranked_study, files=True, ranking={"blocks": 1, "groups": 1}),
}


@dataclass(frozen=True)
class Sat:
    """A study of one kind, its sessions' options, and its record after a session without faults."""

    folder: Path
    options: dict[str, object]
    reference: Record
    occasions: dict[str, int]


@pytest.fixture(scope="session")
def sitters() -> Iterator[Sitters]:
    """Yield processes that hold sessions and can be killed."""
    with Sitters() as several:
        yield several


@pytest.fixture(scope="session")
def sat(tmp_path_factory: pytest.TempPathFactory, sitters: Sitters) -> Callable[..., Sat]:
    """Return a study of a kind, with the record of a session without faults."""
    known: dict[str, Sat] = {}

    def give(kind: str) -> Sat:
        if kind not in known:
            place = tmp_path_factory.mktemp("sat")
            study = KINDS[kind](place / "study").folder
            options = {"spoils": 3 if kind == "spoiled repeated" else 0}
            occasions = {}
            faults = ["statements"] + ["file calls"] * bool(file_calls.library())
            for fault in (*faults, ""):
                done = linked(study, place / f"done {fault}")
                sitter = sitters.sit(done, fault=fault, **options).wait()
                assert sitter.code == 0, sitter.says
                occasions[fault] = sitter.occasions
            reference = read_record(done, place / "read")
            known[kind] = Sat(study, options, reference, occasions)
        return known[kind]

    return give


@pytest.fixture
def ordeal(tmp_path: Path, sitters: Sitters, sat: Callable[[str], Sat]) -> Callable[..., Ordeal]:
    """Start an ordeal (a session with faults) in a new study of a kind."""
    number = 0

    def begin(kind: str, figures: Figures, **options: object) -> Ordeal:
        nonlocal number
        number += 1
        peace = sat(kind)
        folder = linked(peace.folder, tmp_path / f"study-{number}")
        return Ordeal(sitters, folder, figures, peace.reference, peace.options | options)

    return begin
