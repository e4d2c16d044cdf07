"""Who rates and ranks what: shares filled evenly, people who come back, studies that changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from paper_comparer import PaperComparer
from paper_ranker import PaperRanker, wavering
from paper_rater import PaperRater
from paper_station import evaluators_of, record_of, rows_of, sit
from rated_studies import ranked_study, rated_study
from sqlalchemy import Table, select
from verified_records import attend

from hype.errors import InputError, SessionProblem
from hype.protocols.load import load_any
from hype.protocols.studies import AnyStudy
from hype.session.steps import Trial
from hype.store.answer_tables import placements, ratings
from hype.store.schema import events
from hype.verify.record import verify_record


def wavers(**station: Any) -> PaperRanker:
    return PaperRanker(chooses=wavering, **station)


Make = Callable[..., AnyStudy]
Station = Callable[..., PaperComparer]
BOTH: dict[str, tuple[Make, Station, Table]] = {
    "ratings": (rated_study, PaperRater, ratings),
    "rankings": (ranked_study, wavers, placements),
}
both = pytest.mark.parametrize("kind", BOTH)
FEW: dict[str, dict[str, Any]] = {
    "ratings": {"rating": {"images": 1, "items": 2}},
    "rankings": {"ranking": {"images": 1, "groups": 1, "blocks": 1, "practice": 0}},
}
"""Two shares of three pairs on three axes, and of one group beside that of the test."""


def few(kind: str, folder: Path) -> AnyStudy:
    """Write a study whose sessions are short."""
    return BOTH[kind][0](folder, files=True, **FEW[kind])


def rewritten(study: AnyStudy, was: str, becomes: str) -> AnyStudy:
    """Change a study's file."""
    text = study.path.read_text(encoding="utf-8")
    assert was in text
    study.path.write_text(text.replace(was, becomes), encoding="utf-8")
    return load_any(study.folder)


def trials(station: PaperComparer) -> list[Trial]:
    return [step for step in station.steps if isinstance(step, Trial)]


@both
def test_shares_are_filled_evenly_and_who_declined_fills_none(kind: str, tmp_path: Path) -> None:
    station, study = BOTH[kind][1], few(kind, tmp_path)
    with record_of(study) as engine:
        for number in range(6):
            attend(engine, study, f"p{number}", station(consents=number != 2))
        came = evaluators_of(engine)
    stayed = Counter(who.share for who in came if who.status == "complete")

    assert sorted(stayed) == [1, 2]
    assert max(stayed.values()) - min(stayed.values()) <= 1
    assert {(w.condition, w.left_means, w.pairs, w.groups) for w in came} == {("", "", "", ())}


@both
@pytest.mark.parametrize("stops", [(0,), (2, 4, 5, 8)])
def test_whoever_comes_back_goes_on_at_the_very_axis_or_act(
    kind: str, stops: tuple[int, ...], tmp_path: Path
) -> None:
    """In the middle of an item and of a ranking too, though others came meanwhile."""
    _, station, table = BOTH[kind]
    alone, whole = few(kind, tmp_path / "alone"), station()
    with record_of(alone) as engine:
        attend(engine, alone, "p01", whole)
    study = few(kind, tmp_path / "study")
    sittings = [*(station(stops_at=stop) for stop in stops), station()]
    with record_of(study) as engine:
        for sitting in sittings:
            attend(engine, study, "p01", sitting)
            attend(engine, study, f"x{len(evaluators_of(engine))}", station())
        (number,) = (who.id for who in evaluators_of(engine) if who.evaluator == "p01")
        with engine.connect() as connection:
            query = select(table).where(table.c.evaluator_id == number).order_by(table.c.id)
            rows = connection.execute(query).all()
            cut = select(events.c.trial).where(events.c.event == "interrupted")
            interrupted = connection.execute(cut).scalars().all()

    answered = [trial for sitting in sittings for trial, _ in sitting.rows]
    assert answered == [trial for trial, _ in whole.rows]
    for before, after in pairwise(sittings):
        assert trials(before)[-1] == trials(after)[0], "the one that was left is shown again"
        assert after.pages[0] == ("resumed" if before.rows or before.before else "welcome")
    assert len({(row.task, row.block, row.trial) for row in rows}) == len(rows) == len(answered)
    assert len(interrupted) == len(stops)
    assert verify_record(study).findings.listed("fault") == []


def test_a_ranking_that_was_left_is_continued_with_what_stood(tmp_path: Path) -> None:
    study = ranked_study(tmp_path, files=True)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker(stops_at=2), PaperRanker())
        rows = rows_of(engine, placements)

    assert [row.standing for row in rows[:5]] == ["", "A", "A>B", "A>B>C", "A>B>C>D"]
    assert [row.answer for row in rows[:5]] == ["A", "B", "C", "D", "accept"]
    assert [row.session_id for row in rows[:5]] == [1, 1, 2, 2, 2]
    assert len({row.group for row in rows[:5]}) == 1


CHANGES: dict[str, tuple[str, str, str]] = {
    "ratings, other shares": ("ratings", "items = 6", "items = 5"),
    "ratings, fewer shares": ("ratings", "items = 6", "items = 12"),
    "ratings, an axis less": ("ratings", '"artifacts", "style"]', '"style", "artifacts"]'),
    "ratings, without not relevant": ("ratings", "[rating]", "[rating]\nnot_relevant = false"),
    "ratings, of images": ("ratings", "[rating]", '[rating]\nof = "images"'),
    "rankings, other shares": ("rankings", "groups = 2", "groups = 1"),
    "rankings, smaller groups": ("rankings", "[ranking]", "[ranking]\ngroup = 3"),
    "rankings, with ties": ("rankings", "[ranking]", "[ranking]\nties = true"),
    "rankings, without a test": ("rankings", "test = 1", "test = 0"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_study_that_changed_lets_nobody_go_on(what: str, tmp_path: Path) -> None:
    kind, was, becomes = CHANGES[what]
    make, station, table = BOTH[kind]
    extra = {"observers": None, "people": None} if "of images" in what else {}
    if "of images" in what:
        extra["rating"] = {"axes": None}
    study = make(tmp_path, files=True, **extra)
    with record_of(study) as engine:
        attend(engine, study, "p01", station(stops_at=5))
        changed = rewritten(study, was, becomes)
        with pytest.raises(InputError, match=r"changed since 'p01' began|shared out differently"):
            attend(engine, changed, "p01", station())
        assert len(rows_of(engine, table)) == 5


@both
def test_words_may_change_between_two_sessions(kind: str, tmp_path: Path) -> None:
    station, study = BOTH[kind][1], few(kind, tmp_path)
    with record_of(study) as engine:
        attend(engine, study, "p01", station(stops_at=5))
        words = '[texts]\nrest = "Rest a while."\n[stimuli]'
        changed = rewritten(study, "[stimuli]", words)
        assert sit(engine, changed, "p01", station()) == "complete"


@both
def test_nobody_takes_part_twice(kind: str, tmp_path: Path) -> None:
    station, study = BOTH[kind][1], few(kind, tmp_path)
    with record_of(study) as engine:
        attend(engine, study, "p01", station())
        with pytest.raises(SessionProblem, match=r"'p01' is done here already \(complete\)"):
            attend(engine, study, "p01", station())


@both
def test_an_image_that_changed_lets_nobody_sit_down(kind: str, tmp_path: Path) -> None:
    make, station, _ = BOTH[kind]
    study = make(tmp_path, files=True)
    for path in (study.stimuli_folder / "fake" / "good").glob("*.png"):
        path.write_bytes(b"")
    with record_of(study) as engine:
        with pytest.raises(InputError, match=r"\.png: is empty"):
            attend(engine, study, "p01", station())
        assert evaluators_of(engine) == []


REFUSED: dict[str, tuple[Make, dict[str, Any], str]] = {
    "too few images to rate": (
        rated_study,
        {"rating": {"images": 3}},
        r"too few images of 'crude' for the prompt 'a [a-z]+': 2, and rating\.images = 3",
    ),
    "simulated people find something of an axis that is not asked": (
        rated_study,
        {"rating": {"axes": ["style"]}},
        r"observers\.fine\.axes: 'artifacts' is not among rating\.axes",
    ),
    "no column of what is right": (
        rated_study,
        {"rating": {"of": "images"}, "axes": {"anatomy": {"truth_column": "odd"}}},
        r"has no column 'odd', which axes\.anatomy\.truth_column names",
    ),
    "something right that is no answer": (
        rated_study,
        {"rating": {"of": "images"}, "axes": {"anatomy": {"truth_column": "beauty"}}},
        r"in the column 'beauty' of .*one of yes, no, the answers of the axis 'anatomy'; or noth",
    ),
    "larger groups than conditions": (
        ranked_study,
        {"ranking": {"group": 5}},
        r"ranking\.group = 5, and there are 4 conditions",
    ),
    "a test of everything": (
        ranked_study,
        {"screening": {"test": 6}},
        r"screening\.test = 6 leaves no group to rank: there are 6",
    ),
    "too few images to rank": (
        ranked_study,
        {"ranking": {"images": 3}},
        r"too few images of 'crude' for the prompt 'a [a-z]+': 2, and ranking\.images = 3",
    ),
    "an unknown condition": (
        ranked_study,
        {"observers": {"odd": {"strength": 0.0}}},
        r"observers: 'odd' is no condition of",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_study_that_does_not_fit_its_images_is_refused(what: str, tmp_path: Path) -> None:
    make, changes, said = REFUSED[what]
    study = make(tmp_path, **changes)
    with record_of(study) as engine, pytest.raises(InputError, match=said):
        attend(engine, study, "p01", PaperRanker())


def test_one_picture_twice_in_a_group_is_refused(tmp_path: Path) -> None:
    """Nobody could put those in order."""
    study = ranked_study(tmp_path)
    manifest = study.stimuli_folder / "manifest.csv"
    lines = manifest.read_text(encoding="utf-8").splitlines()
    first_sum = next(line for line in lines if "fake/fine/000" in line).split(",")[5]
    lines = [
        line.replace(line.split(",")[5], first_sum) if "fake/good/00" in line else line
        for line in lines
    ]
    manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with (
        record_of(study) as engine,
        pytest.raises(InputError, match="would show one picture twice in a group of 'a "),
    ):
        attend(engine, study, "p01", PaperRanker())
