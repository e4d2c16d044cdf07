"""A model joins a study of several stations: places, pushes, verification, the store's scores."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from central.union import same_as_union
from long import long_but
from paper_station import evaluators_of, record_of, sit
from postgres import Database
from running import Program
from small_studies import STATIONS
from test_addition import grown, study_of

from hype.protocols.load import load_any
from hype.protocols.registry import conduct_of
from hype.protocols.studies import AnyStudy
from hype.session.admitting import admit, study_for
from hype.store.record import RECORD_FILE
from hype.verify.record import verify_record

LABS = ("lab-a", "lab-b")


class Lab:
    """A station with a copy of the study."""

    def __init__(self, name: str, study: AnyStudy, kind: str, patch: pytest.MonkeyPatch) -> None:
        self.name, self.study, self.kind, self.patch = name, study, kind, patch

    def come(self, code: str, *, until: int | None = None) -> AnyStudy:
        """Let somebody come, or come again; give the study that they are given."""
        self.patch.setenv("HYPE_STATION", self.name)
        station = STATIONS[self.kind](**({"stops_at": until} if until else {}))
        with record_of(self.study) as engine:
            theirs = study_for(engine, self.study, code, simulated=False)
            admit(engine, conduct_of(theirs), code, simulated=False)
            sit(engine, theirs, code, station)
        return theirs

    def take_copy(self, other: Lab) -> None:
        """Copy the study file, and the models that joined, from another station."""
        shutil.copytree(other.study.folder / "added", self.study.folder / "added")
        shutil.copy(other.study.path, self.study.path)
        self.study = load_any(self.study.path)

    def cells(self) -> Counter[tuple[str, int]]:
        with record_of(self.study) as engine:
            return Counter((who.condition, who.share) for who in evaluators_of(engine))


@pytest.fixture(params=long_but(["comparison"], ["hype", "comparison", "ranking"]))
def labs(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    central: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[Lab, Lab]:
    store = {"central": central.stations_url, "stations": list(LABS)}
    study = study_of(request.param, tmp_path / LABS[0], store=store)
    copy = Path(shutil.copytree(study.folder, tmp_path / LABS[1]))
    studies = (study, load_any(copy))
    first, second = (
        Lab(n, s, request.param, monkeypatch) for n, s in zip(LABS, studies, strict=True)
    )
    return first, second


def test_stations_share_its_places_and_the_store_scores_it(
    labs: tuple[Lab, Lab], central: Database, tmp_path: Path, hype: Program
) -> None:
    first, second = labs
    before = len(conduct_of(first.study).cells)
    first.come("a1", until=3)
    second.come("b1")
    first.study = grown(first.study, tmp_path, "new")
    own = len(conduct_of(first.study).cells) - before
    assert first.come("a1").added == {}  # goes on as they began
    for number in range(2, 2 + own):
        first.come(f"a{number}")
    second.come("b2")  # who has no copy yet gives a place of before
    second.take_copy(first)
    for number in range(3, 3 + own):
        second.come(f"b{number}")
    newest = [cell for lab in labs for cell in lab.cells().elements() if is_new(cell, before, lab)]
    assert len(newest) >= own
    assert set(Counter(newest).values()) <= {1, 2}
    for lab in labs:
        lab.patch.setenv("HYPE_STATION", lab.name)
        assert hype("sync", lab.study.path).code == 0
        verified = verify_record(lab.study)
        assert verified.sound, verified.findings.listed("fault")
    records = [lab.study.folder / RECORD_FILE for lab in labs]
    found = same_as_union(central.analyst_url, records)
    assert found.same, found
    for source in (central.analyst_url, first.study.path):
        ran = hype("score", source, *(["--central"] if source == first.study.path else []))
        assert ran.code == 0, ran.err
        assert "new" in ran.out.split()
    assert hype("status", first.study.path, "--central").code == 0


def is_new(cell: tuple[str, int], before: int, lab: Lab) -> bool:
    condition, share = cell
    return condition == "new" if lab.kind == "hype" else share > before
