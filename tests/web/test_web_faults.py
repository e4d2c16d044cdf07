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

import pytest
from besieged.participant import QUICKER, SEED, Participant, Walk
from besieged.server import RealServer
from besieged.siege import IN_BROWSER, KINDS, Siege
from builders import whole_study
from faults.records import MEASURED, TIMES, without
from paper_comparer import small_study
from rated_studies import ranked_study, rated_study
from small_studies import TABLES
from sqlalchemy import func, select

from hype.protocols.registry import course_of
from hype.session.enrol import as_left
from hype.session.loop import Presentation
from hype.session.steps import NO_ANSWER, Page, Response, TrialName
from hype.store.kept import by_trial
from hype.store.people import list_evaluators
from hype.store.record import RECORD_FILE
from hype.store.schema import demographics, events, sessions
from hype.store.sqlite_record import reading_record

OF_EACH = 8
"""How often each kind befalls the people of one protocol."""
IN_CHROMIUM = 2
"""How many tabs are killed there besides."""
PEOPLE = 6
EACH = 3
"""Evaluators of each of the two places."""
QUICK = {"people": {"rt_median_ms": 400.0}}
STUDIES = {
    "hype": lambda folder, **more: whole_study(folder, study={"evaluators": EACH}, **more),
    "comparison": lambda folder, **more: small_study(folder, comparison={"votes": EACH}, **more),
    "rating": lambda folder, **more: rated_study(
        folder, files=True, rating={"ratings": EACH, "items": 4}, **more
    ),
    "ranking": lambda folder, **more: ranked_study(
        folder, files=True, ranking={"rankings": EACH, "ties": True}, **more
    ),
}
WEB = {"platform": "prolific", "completion": "C0DE", "screen_out": "0UT", "no_consent": "N0"}
PAGES = {page.value for page in Page} - {Page.RESUMED.value}


@pytest.mark.long
@pytest.mark.parametrize("protocol", STUDIES)
def test_two_hundred_faults_lose_nothing(protocol, hype, tmp_path, figures):
    study = STUDIES[protocol](tmp_path / "study", web=WEB, **QUICK)
    chance = random.Random(protocol)
    faults = chance.sample(KINDS * OF_EACH, k=len(KINDS) * OF_EACH)
    names = [f"{number:024d}" for number in range(PEOPLE)]
    with RealServer(study.folder) as server, ThreadPoolExecutor(PEOPLE + 1) as crowd:
        siege = Siege(server, faults, chance)
        came = [crowd.submit(Participant(siege, name).take_part) for name in names]
        came.append(crowd.submit(siege.in_browser, tmp_path, IN_CHROMIUM))
        siege.rage_until(lambda: all(one.done() for one in came))
        *people, _ = (one.result() for one in came)
        server.end()
    assert siege.faults == []
    verified = hype("verify", study.folder)
    assert "all as planned" in verified.out
    see_same_courses(study, protocol, {one.code: one for one in people})
    assert all("cc=C0DE" in one.step["go_to"] or "0UT" in one.step["go_to"] for one in people)
    count = figures(f"{protocol} in browsers: {dict(siege.struck)}")
    count.faults, count.kills = siege.struck.total(), siege.struck["server killed"]
    with reading_record(study.folder / RECORD_FILE) as engine, engine.connect() as record:
        count.sessions = record.execute(select(func.count()).select_from(sessions)).scalar_one()


def see_same_courses(study, protocol, people):
    """Compare everybody's answers with those of the same evaluator without faults."""
    course = course_of(study)
    with reading_record(study.folder / RECORD_FILE) as engine, engine.connect() as record:

        def rows_of(table, who):
            theirs = select(sessions.c.id).where(sessions.c.evaluator_id == who.id)
            column, whose = table.c.get("session_id"), theirs
            chosen = column.in_(whose) if column is not None else table.c.evaluator_id == who.id
            rows = record.execute(select(table).where(chosen).order_by(table.c.id)).mappings()
            return list(map(dict, rows))

        real, simulated = (list_evaluators(record, simulated=is_one) for is_one in (False, True))
        assert {who.evaluator for who in real} == set(people)
        assert [who.evaluator for who in simulated] == [IN_BROWSER]
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
