"""Pushing a record to a central store: all of it, once, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from builders import whole_study
from central.pushed import attended_study, codes_at, record_in, sent
from central.union import same_as_union
from long import long_but
from paper_comparer import PaperComparer, compare, compared_soundly, small_study
from paper_ranker import ranked_soundly
from paper_rater import rated_soundly
from paper_station import PaperStation, record_of, sit
from postgres import Database, Server
from running import Program
from sqlalchemy import Connection, Engine, event, select, update
from verified_records import damage, sound_study

from hype.errors import InputError
from hype.protocols.comparison.record import comparisons
from hype.protocols.studies import AnyStudy
from hype.session.steps import Response, Step
from hype.store.central import push as pushing
from hype.store.central.engine import reading_central
from hype.store.central.problems import CentralAway
from hype.store.central.push import push
from hype.store.people import find_evaluator, keep_answer
from hype.store.record import reading_record, writing_record
from hype.store.schema import ANSWER_TABLES, demographics, evaluators, events, sessions


def served_soundly(folder: Path) -> AnyStudy:
    """Let two come who serve two conditions each."""
    counts = {"": 40, "crude": 20, "fine": 20, "good": 20}
    study = whole_study(folder, counts, study={"conditions_each": 2})
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=20))
        sit(engine, study, "p02", PaperStation())
    return study


EVERYBODY: dict[str, Callable[[Path], AnyStudy]] = {
    "judgements": sound_study,
    "several conditions": served_soundly,
    "comparisons": compared_soundly,
    "arena": lambda folder: compared_soundly(folder, arena=True),
    "ratings": rated_soundly,
    "rankings": ranked_soundly,
}
"""Studies whose records hold every kind of evaluator."""


@pytest.fixture
def attended(tmp_path: Path) -> AnyStudy:
    return attended_study(tmp_path / "study")


@pytest.mark.parametrize(
    "kind", long_but(["judgements", "several conditions", "rankings"], EVERYBODY)
)
def test_every_cell_is_there_and_a_second_push_adds_nothing(
    kind: str, tmp_path: Path, central: Database
):
    record = record_in(EVERYBODY[kind](tmp_path / "study"))

    first = sent(record, central)
    found = same_as_union(central.analyst_url, [record])
    assert found.same, found
    assert (first.trials, first.rows["events"]) == (found.trials, found.rows["events"])
    assert found.trials > 50

    second = sent(record, central)
    assert (second.rows, second.contradicted, second.trials) == ({}, {}, 0)
    assert same_as_union(central.analyst_url, [record]).same


def test_a_part_is_there_or_it_is_not(
    attended: AnyStudy,
    central: Database,
    postgres: Server,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):
    """The server is killed between two parts, of which each has one evaluator here."""
    monkeypatch.setattr(pushing, "MOST_ANSWERS", 1)
    told = []

    def kill(done: int, of: int) -> None:
        told.append((done, of))
        postgres.kill()

    with (
        reading_record(record_in(attended)) as engine,
        pytest.raises(CentralAway, match="cannot be reached"),
    ):
        push(engine, central.station_url, progress=kill)
    assert capfd.readouterr() == ("", ""), "libraries do not write to the terminal"
    postgres.restart()
    half = same_as_union(central.analyst_url, [record_in(attended)])

    ((done, of),) = told
    assert 0 < done < of
    assert codes_at(central) == ["p01"]
    assert {name[0] for name in half.lost} >= {"evaluators", "comparisons", "sessions"}
    assert not half.twice
    assert not half.changed
    rest = sent(record_in(attended), central)
    assert (rest.trials, rest.rows["evaluators"]) == (of - done, 1)
    assert same_as_union(central.analyst_url, [record_in(attended)]).same


def test_wherever_the_server_dies_the_next_push_goes_on(
    attended: AnyStudy, central: Database, postgres: Server, soak: bool
):
    """It is killed before some reads from the record: before, within and after transactions."""
    record = record_in(attended)
    reads = counted_reads(record, central.admin_url, lambda _: None)
    central.query("TRUNCATE hype_added.studies, hype_added.evaluators CASCADE")

    for at in range(1, reads + 1, 1 if soak else reads // 4):

        def kill(number: int, last: int = at) -> None:
            if number == last:
                postgres.kill()

        told = False
        try:
            counted_reads(record, central.station_url, kill)
        except CentralAway:
            told = True
        postgres.restart()
        # Who is not told that the server died had pushed everything before.
        assert codes_at(central) in ([[], ["p01", "p02"]] if told else [["p01", "p02"]])
    sent(record, central)
    found = same_as_union(central.analyst_url, [record])
    assert found.same, found


def counted_reads(record: Path, url: str, before: Callable[[int], None]) -> int:
    """Push, and tell before each read of what is pushed which it is; returns how many there were.

    It is read from a copy in memory.
    """
    number = 0

    def count(connection: Connection, *_: object) -> None:
        nonlocal number
        if connection.dialect.name == "sqlite":
            number += 1
            before(number)

    with reading_record(record) as engine:
        event.listen(Engine, "before_cursor_execute", count)
        try:
            push(engine, url)
        finally:
            event.remove(Engine, "before_cursor_execute", count)
    return number


@dataclass
class Interrupting(PaperComparer):
    """Somebody in whose session something happens before they answer a trial."""

    at: int = 9
    happens: Callable[[], None] = lambda: None

    def respond(self, step: Step) -> Response:
        if self.number == self.at and step is self.steps[-1]:
            self.at = -1
            self.happens()
        return super().respond(step)


def test_a_session_under_way_is_pushed_and_goes_on(tmp_path: Path, central: Database):
    study = small_study(tmp_path / "study")
    record, seen = record_in(study), []

    def look() -> None:
        sent(record, central)
        seen.append(state_at(central))
        seen.append(same_as_union(central.analyst_url, [record]).same)

    with record_of(study) as engine:
        compare(engine, study, "p01", Interrupting(happens=look))
    second = sent(record, central)

    (status, ended, ended_at, timing, shown), same = seen
    assert (status, ended, ended_at, timing, same) == ("active", None, None, None, True)
    after = state_at(central)
    assert after[:2] == ("complete", "complete")
    assert after[2] is not None
    assert after[3].startswith("{")
    assert after[4] > shown > 0, "events came after the first push"
    assert set(second.rows) == {"comparisons", "events", "ends", "parts"}
    assert second.trials > 5
    assert same_as_union(central.analyst_url, [record]).same


def state_at(store: Database) -> tuple[Any, ...]:
    """Say how far the one evaluator is, and how many events there are of them."""
    with reading_central(store.analyst_url) as engine, engine.connect() as connection:
        (status,) = connection.execute(select(evaluators.c.status)).scalars()
        (held,) = connection.execute(select(sessions))
        befell = connection.execute(select(events.c.id)).all()
    return (status, held.ended, held.ended_unix_s, held.timing, len(befell))


def test_who_is_asked_again_has_answered_anew(attended: AnyStudy, central: Database):
    record = record_in(attended)
    sent(record, central)
    for now, answer in ((2.0e9, "old"), (2.1e9, "")):
        with writing_record(record) as engine, engine.begin() as connection:
            who = find_evaluator(connection, "p01", simulated=False)
            assert who is not None
            keep_answer(connection, {"evaluator_id": who.id}, "age", answer, now)
        assert sent(record, central).rows == {"demographics": 1}
        with reading_central(central.analyst_url) as engine, engine.connect() as connection:
            told = select(demographics.c.answer).join(evaluators)
            theirs = told.where(evaluators.c.evaluator == "p01", demographics.c.question == "age")
            assert connection.execute(theirs).scalars().all() == [answer]
        found = same_as_union(central.analyst_url, [record])
        assert found.same, found
    again = sent(record, central)
    assert (again.rows, again.pending) == ({}, 0)


def test_a_push_says_how_far_it_is(attended: AnyStudy, central: Database):
    told: list[tuple[int, int]] = []
    with reading_record(record_in(attended)) as engine:
        push(engine, central.station_url, progress=lambda done, of: told.append((done, of)))
        answers = answers_in(engine)

    assert told == [(answers, answers)]


def answers_in(engine: Engine) -> int:
    with engine.connect() as connection:
        return sum(len(connection.execute(select(table)).all()) for table in ANSWER_TABLES)


def test_a_record_that_does_not_fit_together_is_refused(attended: AnyStudy, central: Database):
    """Its answers are in a session that is not there."""
    damage(attended, update(comparisons).values(session_id=999))

    with pytest.raises(InputError, match=r"comparisons of a session that is not .* hype verify"):
        sent(record_in(attended), central)
    assert codes_at(central) == []


def test_evaluators_who_cannot_be_told_apart_are_refused(attended: AnyStudy, central: Database):
    damage(attended, update(evaluators).values(uid="0" * 32))

    with pytest.raises(InputError, match=r"evaluators of one uid; hype verify"):
        sent(record_in(attended), central)
    assert codes_at(central) == []


def test_the_program_tells_what_was_new(attended: AnyStudy, central: Database, hype: Program):
    first = hype("sync", attended.folder, "--to", central.station_url)
    again = hype("sync", attended.folder, "--to", central.station_url)

    assert (first.code, again.code) == (0, 0)
    assert "2 evaluators, 3 sessions" in " ".join(first.out.split())
    assert "has everything of this station" in " ".join(again.out.split())
    assert again.err.strip() == ""
