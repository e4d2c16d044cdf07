"""Evaluators who come to a study of any protocol, and who return."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from admitted import enrol
from bare_studies import BESIDE_HYPE, NAMES
from builders import edit
from known import verify_record
from long import long_but
from paper_station import PaperStation, evaluators_of, record_of
from small_studies import FOLLOW_UPS, STATIONS, STUDIES, TABLES
from sqlalchemy import select
from verified_records import attend

from hype.errors import InputError
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.steps import Trial
from hype.store.schema import events, sessions
from hype.study.studies import AnyStudy

FEW: dict[str, dict[str, Any]] = {
    "rating": {"rating": {"images": 1, "items": 2}},
    "ranking": {"ranking": {"images": 1, "groups": 1, "blocks": 1, "practice": 0}},
}
"""Settings for short sessions, with two shares."""


def few(protocol: str, folder: Path, **changes: Any) -> AnyStudy:
    return STUDIES[protocol](folder, **FEW.get(protocol, {}) | changes)


@pytest.mark.parametrize("protocol", long_but(["rating"], BESIDE_HYPE))
def test_shares_are_filled_evenly_and_who_declined_fills_none(protocol, tmp_path):
    station, study = STATIONS[protocol], few(protocol, tmp_path)
    with record_of(study) as engine:
        for number in range(6):
            attend(engine, study, f"p{number}", station(consents=number != 2))
        with engine.begin() as connection:
            enrol(connection, course_of(study), "s1", simulated=True)
        came = evaluators_of(engine)
    stayed = Counter(who.share for who in came if who.status == "complete")

    assert sorted(stayed) == [1, 2]
    assert max(stayed.values()) - min(stayed.values()) <= 1
    assert {(w.condition, w.left_means, w.pairs, w.groups) for w in came} == {("", "", "", ())}


def trials(station: PaperStation) -> list[Trial]:
    return [step for step in station.steps if isinstance(step, Trial)]


STOPS = (0, 2, 5)


@pytest.mark.parametrize("protocol", long_but(["hype", "rating"], NAMES))
def test_whoever_comes_back_goes_on_at_the_very_trial(protocol, tmp_path):
    """This works in the middle of an item or a ranking, even if others came in the meantime.

    A question about an answer is asked once, at whichever step the evaluator stopped.
    """
    station, table = STATIONS[protocol], TABLES[protocol]
    asked = {"follow_up": FOLLOW_UPS[protocol]}
    alone, whole = few(protocol, tmp_path / "alone", **asked), station()
    with record_of(alone) as engine:
        attend(engine, alone, "p01", whole)
    study = few(protocol, tmp_path / "study", **asked)
    sittings = [*(station(stops_at=stop) for stop in STOPS), station()]
    sittings.insert(-1, station(stops_asked=1))
    with record_of(study) as engine:
        for sitting in sittings:
            attend(engine, study, "p01", sitting)
            if sitting.stops_at == STOPS[-1]:
                attend(engine, study, "x1", station())
        (number,) = (who.id for who in evaluators_of(engine) if who.evaluator == "p01")
        with engine.connect() as connection:
            query = select(table).where(table.c.evaluator_id == number).order_by(table.c.id)
            rows = connection.execute(query).all()
            cut = select(events.c.trial).where(events.c.event == "interrupted")
            interrupted = connection.execute(cut).scalars().all()
            own = select(events.c.id).join(sessions).where(sessions.c.evaluator_id == number)
            questions = own.where(events.c.event.in_(["confidence", "why"]))
            answers = len(connection.execute(questions).all())

    answered = [trial for sitting in sittings for trial, _ in sitting.rows]
    assert answered == [trial for trial, _ in whole.rows]
    cells = [getattr(row, name, None) for row in rows for name in ("confidence", "why")]
    assert answers == sum(cell is not None for cell in cells) > 0
    for before, after in pairwise(sittings):
        if not before.stops_asked:
            assert trials(before)[-1] == trials(after)[0], "the interrupted trial is shown again"
        assert after.pages[0] == ("resumed" if before.rows or before.before else "welcome")
    assert len({(row.task, row.block, row.trial) for row in rows}) == len(rows) == len(answered)
    assert len(interrupted) == len(STOPS)
    assert verify_record(study).faults == []


CHANGES: dict[str, tuple[str, str, str]] = {
    "comparison, other shares": ("comparison", "trials = 6", "trials = 5"),
    "comparison, fewer shares": ("comparison", "trials = 6", "trials = 12"),
    "comparison, without ties": ("comparison", "ties = true", "ties = false"),
    "comparison, an arena": ("comparison", "[validation]", "[comparison.arena]\n[validation]"),
    "rating, other shares": ("rating", "items = 6", "items = 5"),
    "rating, fewer shares": ("rating", "items = 6", "items = 12"),
    "rating, an axis less": ("rating", '"artifacts", "style"]', '"style", "artifacts"]'),
    "rating, without not relevant": ("rating", "[rating]", "[rating]\nnot_relevant = false"),
    "rating, of images": ("rating", "[rating]", '[rating]\nof = "images"'),
    "ranking, other shares": ("ranking", "groups = 2", "groups = 1"),
    "ranking, smaller groups": ("ranking", "[ranking]", "[ranking]\ngroup = 3"),
    "ranking, without ties": ("ranking", "ties = true", "ties = false"),
    "ranking, without a test": ("ranking", "test = 1", "test = 0"),
}


@pytest.mark.parametrize(
    "what",
    long_but(
        [
            *("comparison, other shares", "comparison, an arena"),
            *("rating, an axis less", "ranking, without a test"),
        ],
        CHANGES,
    ),
)
def test_a_study_that_changed_lets_nobody_go_on(what, tmp_path):
    protocol, was, becomes = CHANGES[what]
    extra = {"observers": None, "people": None, "rating": {"axes": None}}
    study = STUDIES[protocol](tmp_path, **extra if "of images" in what else {})
    with record_of(study) as engine:
        attend(engine, study, "p01", STATIONS[protocol](stops_at=5))
        edit(study.path, was, becomes)
        changed = load_any(study.folder)
        with pytest.raises(InputError, match=r"changed since 'p01' began|no longer exists"):
            attend(engine, changed, "p01", STATIONS[protocol]())
        with engine.connect() as connection:
            assert len(connection.execute(TABLES[protocol].select()).all()) == 5
