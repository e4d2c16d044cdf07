"""Two hundred faults from outside, at a real server: nothing is lost, nothing counts twice.

What must be the same as without faults, of each evaluator: which trials were answered in which
order, what each showed, and the answer and its time, column by column of the record but for the
clocks, the display and the session's number; what they said of themselves; and, of who never opened
the page anew, the pages that they saw. A flashed trial that was cut off is *seen* when it comes
again, and repeated or left out as the study says: so the course of a session without faults is that
in which the same trials are spoiled. Who opens a page anew sees the pages since their last answer
again. In Chromium response times and verdicts are real, and they are not compared, nor is what
follows from them: that an answer was hasty, or came too late.
"""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from besieged.cable import Cable
from besieged.participant import QUICKER, SEED, Participant, Walk
from besieged.server import HOST, RealServer
from besieged.siege import IN_BROWSER, KINDS, STORE, Siege
from builders import whole_study
from faults.records import MEASURED, TIMES, without
from paper_comparer import small_study
from postgres_server import server_in
from rated_studies import ranked_study, rated_study
from small_studies import TABLES
from sqlalchemy import func, select

from hype.protocols.registry import course_of
from hype.session.enrol import as_left
from hype.session.loop import Presentation
from hype.session.steps import NO_ANSWER, Page, Response, TrialName
from hype.store.kept import by_trial
from hype.store.people import list_evaluators
from hype.store.postgres import make_record
from hype.store.record import record_of
from hype.store.schema import demographics, events, sessions

OF_EACH = 8
"""How often each kind befalls the people of one protocol."""
IN_CHROMIUM = 2
"""How many tabs are killed there besides."""
EACH = 3
"""Evaluators of each of the two places."""
QUICK = {"people": {"rt_median_ms": 400.0}}
STUDIES = {
    "hype": lambda folder, each, **more: whole_study(folder, study={"evaluators": each}, **more),
    "comparison": lambda folder, each, **more: small_study(
        folder, comparison={"votes": each}, **more
    ),
    "rating": lambda folder, each, **more: rated_study(
        folder, files=True, rating={"ratings": each, "items": 4}, **more
    ),
    "ranking": lambda folder, each, **more: ranked_study(
        folder, files=True, ranking={"rankings": each, "ties": True}, **more
    ),
}
SMALL_WINDOW = {"fullscreen": False, "size_px": 96}
MANY = (19, 11)
"""Evaluators of each place in browsers, and stations, where the store is struck too."""
AT_ONCE = 2
"""Stations at the same time."""
WEB = {"platform": "prolific", "completion": "C0DE", "screen_out": "0UT", "no_consent": "N0"}
PAGES = {page.value for page in Page} - {Page.RESUMED.value}


@pytest.mark.long
@pytest.mark.parametrize("protocol", STUDIES)
def test_two_hundred_faults_lose_nothing(protocol, hype, tmp_path, figures):
    study = STUDIES[protocol](tmp_path / "study", EACH, web=WEB, **QUICK)
    with RealServer(study.folder) as server:
        siege = Siege(server, list(KINDS * OF_EACH), random.Random(protocol))
        withstand(siege, protocol, 2 * EACH, (), tmp_path, figures)
    verified = hype("verify", study.folder)
    assert "all as planned" in verified.out


@pytest.mark.long
@pytest.mark.usefixtures("display")
@pytest.mark.parametrize("protocol", STUDIES)
def test_a_store_and_its_stations_are_killed_too(protocol, hype, tmp_path, figures):
    """Browsers and stations share a record in PostgreSQL: 50 sessions of each protocol."""
    each, stations = MANY
    study = STUDIES[protocol](tmp_path / "study", each, web=WEB, **QUICK, display=SMALL_WINDOW)
    with (
        TemporaryDirectory() as folder,  # pytest's own is closed to the user of the store
        server_in(Path(folder)) as store,
        Cable(store.port, HOST) as cable,
    ):
        direct = store.database("siege")
        make_record(direct)
        url = direct.replace(f":{store.port}/", f":{cable.port}/")
        with RealServer(study.folder, url) as server:
            faults = list((*KINDS, *STORE) * (2 * each))
            siege = Siege(server, faults, random.Random(protocol), store=store, cable=cable)
            codes = [f"sim-w{number}" for number in range(stations)]
            withstand(siege, protocol, 2 * each, codes, tmp_path, figures)
        verified = hype("verify", study.folder, "--store", direct)
    assert "all as planned" in verified.out


def withstand(siege, protocol, people, stations, folder, figures):
    """Let people, a Chromium and stations come at once, and compare what they left."""
    siege.chance.shuffle(siege.faults)
    study = siege.server.study
    names = [f"{number:024d}" for number in range(people)]
    with ThreadPoolExecutor(people + 1) as crowd, ThreadPoolExecutor(AT_ONCE) as room:
        came = [crowd.submit(Participant(siege, name).take_part) for name in names]
        came.append(crowd.submit(siege.in_browser, folder, IN_CHROMIUM))
        sat = [
            room.submit(siege.at_station, code, number % 3) for number, code in enumerate(stations)
        ]
        siege.rage_until(lambda: all(one.done() for one in (*came, *sat)))
        *persons, _ = (one.result() for one in came)
        for one in sat:
            one.result()
    siege.server.end()
    assert siege.faults == [] or stations
    see_same_courses(study, protocol, {one.code: one for one in persons}, {IN_BROWSER, *stations})
    assert all("cc=C0DE" in one.step["go_to"] or "0UT" in one.step["go_to"] for one in persons)
    count = figures(f"{protocol}{' and a store' * bool(stations)}: {dict(siege.struck)}")
    count.faults = siege.struck.total()
    count.kills = sum(number for kind, number in siege.struck.items() if "killed" in kind)
    with record_of(study).reading() as engine, engine.connect() as record:
        count.sessions = record.execute(select(func.count()).select_from(sessions)).scalar_one()


def see_same_courses(study, protocol, people, programs):
    """Compare everybody's answers with those of the same evaluator without faults."""
    course = course_of(study)
    with record_of(study).reading() as engine, engine.connect() as record:

        def rows_of(table, who):
            theirs = select(sessions.c.id).where(sessions.c.evaluator_id == who.id)
            column, whose = table.c.get("session_id"), theirs
            chosen = column.in_(whose) if column is not None else table.c.evaluator_id == who.id
            rows = record.execute(select(table).where(chosen).order_by(table.c.id)).mappings()
            return list(map(dict, rows))

        real, simulated = (list_evaluators(record, simulated=is_one) for is_one in (False, True))
        assert {who.evaluator for who in real} == set(people)
        assert {who.evaluator for who in simulated} == programs
        for who in (*real, *simulated):
            rows, befell = rows_of(TABLES[protocol], who), rows_of(events, who)
            told = {row["question"]: row["answer"] for row in rows_of(demographics, who)}
            enrolled = replace(as_left(record, course, who), answered=())
            see_same_course(course, enrolled, rows, befell, told, people.get(who.evaluator))


def see_same_course(course, enrolled, rows, befell, told, person):
    """Compare one evaluator's; a ``person`` came over HTTP, and others in a real browser."""
    cut_off = {name_of(row) for row in befell if row["event"] == "interrupted"}
    spoiled = {name_of(row) for row in rows if row.get("verdict") not in (None, "ok")}
    if person:
        flashed = {name_of(row) for row in rows if row.get("verdict")}
        assert spoiled == cut_off & flashed
    course = Walk(course, enrolled, SEED if person else 0, frozenset(spoiled))
    unlike = {"id", "evaluator_id", "simulated", "key", *MEASURED, *TIMES["judgements"]}
    unlike |= set() if person else {"hasty"}
    expected, times = [], []
    for (trial, response), row in zip(course.trials(), rows, strict=True):
        is_late = not person and row["answer"] == NO_ANSWER
        given = Response(NO_ANSWER) if is_late else response
        recorded = by_trial()[type(trial)].row(trial, Presentation(0.0, 0.0), given)
        expected.append(without(recorded, unlike))
        times.append(response.rt_ms)
    assert [without(row, unlike) for row in rows] == expected
    if person:
        for row, rt_ms in zip(rows, times, strict=True):
            twice = name_of(row) in person.at_once
            assert row["rt_ms"] in ({rt_ms, QUICKER * rt_ms} if twice else {rt_ms})
        assert told == course.said
        if len({row["session_id"] for row in befell}) == 1:
            seen = [(row["event"], row["answer"]) for row in befell if row["event"] in PAGES]
            assert seen == course.pages


def name_of(row):
    return TrialName(row["task"], row["block"], row["trial"])
