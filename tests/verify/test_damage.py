"""Records that somebody or something damaged: the damage is found and named.

What every protocol must find is tried on the records of all of them, then what only one can have.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from damaged_answers import (
    COMPARED,
    JUDGED,
    NO_SUM,
    OF_IMAGES,
    PLACED,
    RANKED,
    RATED,
    RECORDS,
    Answers,
    Damages,
    E,
    S,
    Sound,
    answer_of,
    assert_found,
    edit_evaluator,
    edit_session,
    number_of,
    who,
)
from known import verify_record
from long import long_but, one_of_each
from paper_comparer import PaperComparer, compare, small_study
from paper_ranker import ranked_soundly
from paper_rater import rated_soundly
from paper_station import record_of
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    and_,
    case,
    delete,
    func,
    insert,
    not_,
    select,
    text,
    update,
)
from verified_records import Statement, damage, faults_of, raw, sound_study, without_rules

from hype.protocols.comparison.record import comparisons
from hype.protocols.hype.record import judgements
from hype.protocols.load import load_any
from hype.protocols.ranking.record import placements
from hype.protocols.rating.record import ratings
from hype.session.steps import Response
from hype.store.record import RECORD_FILE
from hype.store.schema import demographics, evaluators, events, sessions, studies
from hype.study.studies import AnyStudy
from hype.verify.findings import FAULTS

J, C, R, P, D = judgements.c, comparisons.c, ratings.c, placements.c, demographics.c


def copied(make: Callable[..., AnyStudy], folder: Path) -> AnyStudy:
    """Make a study with its record, of which most parts were made before."""
    return make(folder / "study")


# Each column of each protocol's row

NAMED_BY = {
    "evaluator_id": "trial-missing",
    "session_id": "session-of-another",
    "task": "trial-missing",
    "block": "trial-missing",
    "trial": "trial-missing",
    "answer": "answer-impossible",
    "onset_unix_s": "clock-jump",
    "onset_monotonic_s": "clock-jump",
}
"""Faults of columns that say more than their own cell; of all others it is ``unlike-replay``."""
UNKNOWABLE = {"rt_ms", "key"}
"""Columns in which another possible value cannot be found."""
MEASURED = {
    *("exposure_frames", "exposure_nominal_ms", "exposure_measured_ms", "exposure_deviation_ms"),
    *("mask_frames", "mask_nominal_ms", "mask_measured_ms", "flips_s", "flip_uncertainty_ms"),
    "missed_frames",
}
"""What the screen did of a trial that was flashed, which nothing else knows."""


def another(column: Column[Any]) -> Any:
    """Give a value of a column's type that is not the one in the cell."""
    if isinstance(column.type, Boolean):
        return not_(func.coalesce(column, False))
    if isinstance(column.type, Integer | Float):
        return func.coalesce(column, 0) + (7 if isinstance(column.type, Float) else 700)
    return "elsewhere"


def columns_of(sound: Sound) -> list[str]:
    return [column.name for column in sound.answers.table.columns if column.name != "id"]


@pytest.mark.parametrize(
    ("kind", "column"), [(kind, name) for kind in RECORDS for name in columns_of(RECORDS[kind])]
)
def test_another_value_in_a_column_is_found_and_named(
    kind: str, column: str, tmp_path: Path
) -> None:
    sound = RECORDS[kind]
    study = copied(sound.make, tmp_path)
    value = another(sound.answers.table.c[column])
    damage(study, sound.answers.edit(sound.one, **{column: value}))
    faults = verify_record(study).findings.listed["fault"]
    if column in UNKNOWABLE or (kind == "flashed" and column in MEASURED):
        assert faults == []
        return
    code = NAMED_BY.get(column, "unlike-replay")
    if (kind, column) == ("flashed", "verdict"):
        code = "verdict-impossible"
    theirs = [fault for fault in faults if (fault.evaluator, fault.code) == ("p04", code)]

    assert theirs
    assert code != "unlike-replay" or any(f": {column} is " in fault.message for fault in theirs)


@pytest.mark.parametrize("kind", ["flashed", "arena", "rated", "rated images", "ranked"])
def test_an_empty_cell_where_the_replay_gives_something_is_found(kind: str, tmp_path: Path) -> None:
    sound = RECORDS[kind]
    study = copied(sound.make, tmp_path)
    with record_of(study) as engine, engine.connect() as connection:
        row = connection.execute(select(sound.answers.table).where(sound.one)).mappings().one()
    filled = [
        column.name
        for column in sound.answers.table.columns
        if column.nullable and row[column.name] is not None and column.name not in MEASURED
    ]
    gone = [name for name in filled if name != "verdict"]
    damage(study, sound.answers.edit(sound.one, **dict.fromkeys(gone)))
    faults = verify_record(study).findings.listed["fault"]
    named = {fault.message.split(": ")[1].split()[0] for fault in faults if ": " in fault.message}

    assert named >= set(gone)


# What can happen to the answers, sessions and evaluators of any protocol


def damages_of_any(sound: Sound) -> Damages:
    """Give what can be done to one answer of p04, to the last, and to what all records have."""
    answers, one = sound.answers, sound.one
    cells = answers.table.c
    last = answers.nth(-1, answers.of("p04"))
    second = answers.nth(1, answers.of("p01"))
    last_session = {"code": "p04", "which": func.max}
    first_session = {"code": "p04", "which": func.min}
    return {
        # which answers there are
        "one gone": (answers.drop(one), "p04", "trial-missing"),
        "the last gone": (answers.drop(last), "p04", "status-unlike-trials"),
        "all gone": (answers.drop(answers.of("p04")), "p04", "status-unlike-trials"),
        "copy": (answers.copy(one), "p04", "trial-twice"),
        "answered twice": (answers.copy(one, rt_ms=999.0), "p04", "trial-twice"),
        "task": (answers.edit(one, task="guess"), "p04", "trial-unplanned"),
        "number": (answers.edit(one, trial=999), "p04", "trial-unplanned"),
        "after the last": (answers.copy(last, trial=999), "p04", "trial-unplanned"),
        "after declining": (
            answers.copy(answers.nth(0, answers.of("p04")), evaluator_id=number_of("p03")),
            *("p03", "status-unlike-trials"),
        ),
        "other order": (
            answers.swap(answers.nth(0, answers.of("p01")), second),
            *("p01", "out-of-order"),
        ),
        "earlier session": (
            answers.edit(
                last,
                session_id=select(func.min(S.id))
                .where(S.evaluator_id == number_of("p04"))
                .scalar_subquery(),
            ),
            *("p04", "out-of-order"),
        ),
        "another kind of answer": (stray_into(sound), "p04", "trial-unplanned"),
        # whose they are, and when
        "another's session": (answers.edit(one, session_id=1), "p04", "session-of-another"),
        "session gone": (
            delete(sessions).where(S.id == select(cells.session_id).where(one).scalar_subquery()),
            *("p04", "session-of-another"),
        ),
        "response before the question": (
            answers.edit(one, rt_ms=-1),
            *("p04", "response-time-negative"),
        ),
        "onset too early": (
            answers.edit(one, onset_monotonic_s=1, onset_unix_s=1.7e9 + 1),
            *("p04", "onsets-descend"),
        ),
        "end before the beginning": (
            edit_session(**last_session, ended_unix_s=S.started_unix_s - 60),
            *("p04", "ended-before-begun"),
        ),
        # cells that no program wrote
        "word for a number": (answers.edit(one, rt_ms=raw("soon")), None, "cell-impossible"),
        "endless number": (
            answers.edit(one, onset_unix_s=float("inf")),
            *(None, "cell-impossible"),
        ),
        "bytes for a word": (answers.edit(one, answer=raw(b"\0\xff")), None, "cell-impossible"),
        "neither true nor false": (answers.edit(one, simulated=raw(7)), None, "cell-impossible"),
        "bytes for methods": (edit_evaluator("p04", methods=raw(b"\0")), None, "cell-impossible"),
        "bytes for a study": (
            update(studies).values(resolved=raw(b"\0")),
            *(None, "cell-impossible"),
        ),
        # how sessions went
        "person in a simulation": (
            edit_session(**last_session, mode="simulated"),
            *("p04", "mode-unlike-evaluator"),
        ),
        "simulation of a person": (
            edit_session("sim-0001", func.max, mode="person"),
            *("sim-0001", "mode-unlike-evaluator"),
        ),
        "active called complete": (
            edit_evaluator("p05", status="complete"),
            *("p05", "status-unlike-trials"),
        ),
        "complete called active": (
            edit_evaluator("p04", status="active"),
            *("p04", "ending-unlike-status"),
        ),
        "unknown status": (edit_evaluator("p04", status="gone"), "p04", "status-unlike-trials"),
        "another ending": (
            edit_session(**last_session, ended="quit"),
            *("p04", "ending-unlike-status"),
        ),
        "ending too early": (
            edit_session(**first_session, ended="complete"),
            *("p04", "ending-unlike-status"),
        ),
        "unknown ending": (
            edit_session(**first_session, ended="bored"),
            *("p04", "ending-unlike-status"),
        ),
        "shown after the end": (
            edit_session(**last_session, showing="time 1 1"),
            *("p04", "showing-unlike-trials"),
        ),
        "shown out of place": (
            edit_session("p05", func.max, showing="time 1 1", ended=None),
            *("p05", "showing-unlike-trials"),
        ),
        "interrupted out of place": (
            update(events).where(events.c.event == "interrupted").values(trial=99),
            *("p05", "showing-unlike-trials"),
        ),
        "interrupted and counted": (interrupt(sound), "p04", "interrupted-and-answered"),
        "no consent": (
            update(events).where(events.c.event == "consent").values(answer="no"),
            *("p01", "consent-missing"),
        ),
        # what evaluators were given
        "plan": (edit_evaluator("p04", plan=NO_SUM), "p04", "plan-changed"),
        "seed": (edit_evaluator("p04", seed="8"), "p04", "evaluator-unlike-study"),
        "methods": (edit_evaluator("p04", methods="guess"), "p04", "evaluator-unlike-study"),
        "condition": (edit_evaluator("p04", condition="odd"), "p04", "evaluator-unlike-study"),
        "keys": (edit_evaluator("p04", left_means="odd"), "p04", "evaluator-unlike-study"),
        "share": (edit_evaluator("p04", share=99), "p04", "evaluator-unlike-study"),
        "study of an evaluator": (edit_evaluator("p04", study=NO_SUM), "p04", "study-not-kept"),
        "study of a session": (
            edit_session(**last_session, study=NO_SUM),
            *(None, "study-not-kept"),
        ),
        "copy of the study": (resolved('"seed":7', '"seed":8'), None, "study-copy-changed"),
        "no copy of the study": (
            update(studies).values(resolved="{}"),
            *(None, "study-copy-unreadable"),
        ),
        "copy that leads elsewhere": (
            resolved('"folder":"stimuli"', '"folder":"../.."'),
            *(None, "study-copy-unreadable"),
        ),
        "evaluator gone": (delete(evaluators).where(who("p04")), None, "reference-broken"),
        "evaluator entered twice": (enter_twice, None, "evaluator-twice"),
        "keys of a table gone": (enter_twice, None, "file-damaged"),
    }


def stray_into(sound: Sound) -> Statement:
    """Let p04 have given an answer of another protocol as well."""
    table = ratings if sound.answers.table is not ratings else comparisons

    def change(connection: Connection) -> None:
        without_rules(connection, table)
        session = select(func.max(S.id)).where(S.evaluator_id == number_of("p04"))
        whose = {"evaluator_id": number_of("p04"), "session_id": session.scalar_subquery()}
        connection.execute(insert(table).values({"id": 1, **whose}))

    return change


def interrupt(sound: Sound) -> Statement:
    """Let a trial have been interrupted after it was answered."""

    def change(connection: Connection) -> None:
        row = connection.execute(select(sound.answers.table).where(sound.one)).one()
        cells = {"session_id": row.session_id, "event": "interrupted", "answer": "", "rt_ms": 0}
        cells |= {"task": row.task, "block": row.block, "trial": row.trial, "unix_s": 0}
        statement = insert(events).values({**cells, "monotonic_s": row.onset_monotonic_s + 1})
        connection.execute(statement)

    return change


def enter_twice(connection: Connection) -> None:
    without_rules(connection, evaluators)
    row = connection.execute(select(evaluators).where(who("p01"))).mappings().one()
    connection.execute(insert(evaluators).values({**row, "id": 99}))


def resolved(was: str, becomes: str) -> Statement:
    """Change the record's copy of the study."""
    return update(studies).values(resolved=func.replace(studies.c.resolved, was, becomes))


OF_ANY = {
    f"{kind}: {what}": (kind, damage)
    for kind, sound in RECORDS.items()
    for what, damage in damages_of_any(sound).items()
}
IN_TURN = [
    f"{kind}: {what}"
    for kind, what in zip(cycle(RECORDS), damages_of_any(RECORDS["judged"]), strict=False)
]
"""Each damage once, to one record after the other; the long form does all to all."""
ONE_FAULT = {"one gone", "plan", "share", "keys", "seed", "word for a number"}


@pytest.mark.parametrize("what", long_but(IN_TURN, OF_ANY))
def test_damage_to_any_record_is_found_and_named(what: str, tmp_path: Path) -> None:
    """A trial that is gone, say, does not make faults of all that follow it."""
    kind, damage = OF_ANY[what]
    study = copied(RECORDS[kind].make, tmp_path)
    assert_found(study, damage, alone=what.partition(": ")[2] in ONE_FAULT)


# What can happen to one protocol's answers alone

FOURTH, SPOILED = (answer_of(JUDGED, "time", n, J.block == 1) for n in (3, 1))
TURNED = case((J.answer == "real", "fake"), else_="real")
IN_JUDGEMENTS: Damages = {
    "answer": (JUDGED.edit(FOURTH, answer=TURNED), "p04", "unlike-replay"),
    "answer and correct": (
        JUDGED.edit(FOURTH, answer=TURNED, correct=not_(J.correct)),
        *("p04", "unlike-replay"),
    ),
    "no repeats": (
        JUDGED.edit(answer_of(JUDGED, "time", 0, J.repeats.is_not(None)), repeats=None),
        *("p04", "unlike-replay"),
    ),
    "late without a repetition": (
        JUDGED.edit(FOURTH, verdict="late", missed_frames=0),
        *("p04", "unlike-replay"),
    ),
    "repeated without need": (
        JUDGED.edit(SPOILED, verdict="ok", missed_frames=0),
        *("p04", "trial-unplanned"),
    ),
    "ok with missed frames": (JUDGED.edit(SPOILED, verdict="ok"), "p04", "verdict-impossible"),
    "after being turned away": (
        JUDGED.copy(JUDGED.nth(0, JUDGED.of("p02")), task="time", block=1, trial=1),
        *("p02", "trial-unplanned"),
    ),
    "turned away called complete": (
        edit_evaluator("p02", status="complete"),
        *("p02", "ending-unlike-status"),
    ),
    "a qualification elsewhere": (
        edit_evaluator("p04", qualified_in="../other"),
        *("p04", "plan-changed"),
    ),
    "another condition": (
        edit_evaluator("p04", condition=case((E.condition == "good", "crude"), else_="good")),
        *("p04", "plan-changed"),
    ),
    "pairs": (
        edit_evaluator("p04", pairs='[["a","b"]]'),
        *("p04", "evaluator-unlike-study"),
    ),
    "checksum of masks": (edit_evaluator("p04", mask_files=NO_SUM), "p04", "masks-changed"),
}

SEEN = COMPARED.nth(2, and_(COMPARED.of("p01"), C.task == "comparison"))
OBVIOUS = COMPARED.nth(0, and_(COMPARED.of("p01"), C.task == "practice"))
SIDES = {"left": "right", "right": "left"}


def swap_sides(connection: Connection) -> None:
    """Let the images of a comparison change places, and the answer with them."""
    row = connection.execute(select(comparisons).where(SEEN)).mappings().one()
    cells = {
        f"{side}{rest}": row[f"{other}{rest}"]
        for side, other in SIDES.items()
        for rest in ("", "_image", "_sha256")
    }
    cells["answer"] = SIDES.get(row["answer"], row["answer"])
    connection.execute(update(comparisons).where(C.id == row["id"]).values(cells))


def say(question: str, answer: str) -> Statement:
    """Let p04 have answered a question about themselves."""

    def change(connection: Connection) -> None:
        theirs = and_(D.evaluator_id == number_of("p04"), D.question == question)
        connection.execute(delete(demographics).where(theirs))
        row = {"evaluator_id": number_of("p04"), "question": question, "answer": answer}
        connection.execute(insert(demographics).values(row))

    return change


def pairs_with(change: Callable[[Any], Any]) -> Statement:
    """Change the pairs that an arena chose for somebody."""

    def edit_pairs(connection: Connection) -> None:
        pairs = json.loads(connection.execute(select(E.pairs).where(who("p04"))).scalar_one())
        statement = update(evaluators).where(who("p04"))
        connection.execute(statement.values(pairs=json.dumps(change(pairs))))

    return edit_pairs


IN_COMPARISONS: Damages = {
    "sides": (swap_sides, "p01", "unlike-replay"),
    "answer to what is obvious": (
        COMPARED.edit(OBVIOUS, answer=case((C.answer == "left", "right"), else_="left")),
        *("p01", "unlike-replay"),
    ),
    "time of a hasty answer": (COMPARED.edit(SEEN, rt_ms=1.0), "p01", "unlike-replay"),
    "another share": (
        edit_evaluator("p04", share=case((E.share == 1, 2), else_=1)),
        *("p04", "plan-changed"),
    ),
    "pairs": (edit_evaluator("p04", pairs='[["crude", "good"]]'), "p04", "plan-changed"),
    "where they qualified": (
        edit_evaluator("p04", qualified_in="../other"),
        *("p04", "evaluator-unlike-study"),
    ),
    "unknown question": (say("height", "tall"), "p04", "demographics-unlike-study"),
    "unknown option": (say("age", "ancient"), "p04", "demographics-unlike-study"),
    "words for withholding": (
        say("age", "I prefer not to say"),
        *("p04", "demographics-unlike-study"),
    ),
    "question not answered": (
        delete(demographics).where(D.question == "age"),
        *("p04", "demographics-unlike-study"),
    ),
    "answer of nobody": (
        update(demographics).where(D.id == 1).values(evaluator_id=99),
        *(None, "reference-broken"),
    ),
}
IN_ARENAS: Damages = {
    "another pair": (
        pairs_with(lambda pairs: [pairs[0][::-1], *pairs[1:]]),
        *("p04", "plan-changed"),
    ),
    "other order": (pairs_with(sorted), "p04", "plan-changed"),
    "one less": (pairs_with(lambda pairs: pairs[1:]), "p04", "plan-changed"),
    "no pairs at all": (edit_evaluator("p04", pairs=None), "p04", "plan-changed"),
    "unknown condition": (
        pairs_with(lambda pairs: [["good", "odd"], *pairs[1:]]),
        *("p04", "plan-changed"),
    ),
    "one condition": (
        pairs_with(lambda pairs: [["good", "good"], *pairs[1:]]),
        *("p04", "plan-changed"),
    ),
    "three conditions": (
        pairs_with(lambda pairs: [["good", "fine", "crude"], *pairs[1:]]),
        *("p04", "plan-changed"),
    ),
    "no pairs": (edit_evaluator("p04", pairs='{"a": 1}'), "p04", "plan-changed"),
    "no JSON": (edit_evaluator("p04", pairs="[["), "p04", "plan-changed"),
    "nested without end": (edit_evaluator("p04", pairs="[" * 99_999), "p04", "plan-changed"),
}

FIRST = answer_of(RANKED, "ranking", 0)
ACCEPTED = answer_of(RANKED, "ranking", 0, P.answer == "accept")
UNDONE, TIED = (
    RANKED.nth(0, and_(RANKED.of("p04"), P.answer == answer)) for answer in ("undo", "tie")
)


def another_letter(connection: Connection) -> None:
    """Let another image have been placed, with all that its row says of it."""
    row = connection.execute(select(placements).where(PLACED)).one()
    query = select(placements).where(
        RANKED.of("p04"), P.group == row.group, P.image.is_not(None), func.length(P.standing) > 1
    )
    other = next(
        one for one in connection.execute(query) if one.answer not in (row.answer, row.standing)
    )
    names = ("answer", "image", "image_sha256", "condition")
    cells = {name: getattr(other, name) for name in names}
    connection.execute(update(placements).where(P.id == row.id).values(cells))


def groups_of(code: str) -> Statement:
    """Let a checker have been given their groups in another order."""

    def change(connection: Connection) -> None:
        query = select(E.groups).where(who(code))
        names = connection.execute(query).scalar_one().split()
        connection.execute(edit_evaluator(code, groups=" ".join(names[::-1])))

    return change


NO_IMAGE = {"image": None, "image_sha256": None, "condition": None}
IN_RANKINGS: Damages = {
    "standing at first": (RANKED.edit(FIRST, standing="A"), "p04", "unlike-replay"),
    "another image": (another_letter, "p04", "unlike-replay"),
    "undo for tie": (RANKED.edit(TIED, answer="undo"), "p04", "unlike-replay"),
    "accepted too early": (
        RANKED.edit(PLACED, answer="accept", **NO_IMAGE),
        *("p04", "answer-impossible"),
    ),
    "not accepted": (RANKED.edit(ACCEPTED, answer="undo"), "p04", "trial-missing"),
    "nothing to take back": (
        RANKED.edit(FIRST, answer="undo", **NO_IMAGE),
        *("p04", "answer-impossible"),
    ),
    "letter of none": (RANKED.edit(PLACED, answer="L"), "p04", "answer-impossible"),
    "undo gone": (RANKED.drop(UNDONE), "p04", "trial-missing"),
    "accept gone": (RANKED.drop(ACCEPTED), "p04", "trial-missing"),
    "groups of no checker": (edit_evaluator("p04", groups="x"), "p04", "plan-changed"),
    "checker with a share": (edit_evaluator("check1", share=1), "check1", "plan-changed"),
    "checker of nothing": (
        edit_evaluator("check1", groups="0123456789ab"),
        *("check1", "plan-changed"),
    ),
    "checker twice": (
        edit_evaluator("check1", groups=E.groups + " " + E.groups),
        *("check1", "plan-changed"),
    ),
    "checker with fewer": (
        edit_evaluator("check1", groups=func.substr(E.groups, 14)),
        *("check1", "plan-changed"),
    ),
    "checker in other order": (groups_of("check1"), "check1", "plan-changed"),
    "checker without any": (edit_evaluator("check1", groups=None), "check1", "plan-changed"),
    "checker under another code": (
        edit_evaluator("check1", evaluator="p09"),
        *("p09", "plan-changed"),
    ),
}
OWN = {
    f"{kind}: {what}": (kind, damage)
    for kind, damages in (
        ("judged", IN_JUDGEMENTS),
        ("compared", IN_COMPARISONS),
        ("arena", IN_ARENAS),
        ("ranked", IN_RANKINGS),
    )
    for what, damage in damages.items()
}
OWN_ALONE = {"undo gone", "accept gone", "time of a hasty answer", "unknown option"}


@pytest.mark.parametrize("what", one_of_each({w: (k, d[2]) for w, (k, d) in OWN.items()}))
def test_damage_that_one_protocol_can_have_is_found_and_named(what: str, tmp_path: Path) -> None:
    kind, damage = OWN[what]
    study = copied(RECORDS[kind].make, tmp_path)
    assert_found(study, damage, alone=what.partition(": ")[2] in OWN_ALONE)


def test_every_fault_is_among_these_damages() -> None:
    of_files = {code for code in FAULTS if code.startswith(("image-", "mask-", "manifest-"))}
    named = {code for _, (_, _, code) in (*OWN.values(), *OF_ANY.values())}
    named |= set(NAMED_BY.values())

    assert {*FAULTS} - of_files == named


# What can be answered depends on the study


def impossible_answers(folder: Path) -> Iterator[tuple[AnyStudy, Answers, Any, str]]:
    """Give studies that lack an answer which others have, a row, and the answer."""
    plain = small_study(folder / "plain", comparison={"ties": False, "limit_ms": None})
    with record_of(plain) as engine:
        first = PaperComparer(chooses=lambda _trial, _n: Response("left", "f", 1000.0))
        compare(engine, plain, "p01", first)
    yield plain, COMPARED, SEEN, "tie"
    yield plain, COMPARED, SEEN, "none"
    needed = rated_soundly(folder / "needed", axes={"overall": {"not_relevant": False}})
    yield needed, RATED, answer_of(RATED, "rating", 0, R.axis == "overall"), "not-relevant"
    single = rated_soundly(folder / "single", **OF_IMAGES)
    yield single, RATED, answer_of(RATED, "rating", 0, R.axis == "anatomy"), "3"
    strict = ranked_soundly(folder / "strict", ranking={"ties": False})
    yield strict, RANKED, RANKED.nth(-1, RANKED.of("p05")), "tie"


def test_an_answer_is_possible_only_where_the_study_has_it(tmp_path: Path) -> None:
    for study, answers, one, answer in impossible_answers(tmp_path):
        assert {code for _, code in faults_of(verify_record(study))} <= {"answer-impossible"}
        damage(study, answers.edit(one, answer=answer))
        faults = verify_record(study).findings.listed["fault"]

        said = [f.message for f in faults if f.code == "answer-impossible"]
        assert len(said) == 1
        assert f": {answer}, where one can answer " in said[0]


def test_the_last_act_of_somebody_who_left_may_be_another_without_being_found(
    tmp_path: Path,
) -> None:
    """As the documentation says: nothing follows it yet."""
    study = copied(ranked_soundly, tmp_path)
    last = RANKED.nth(-1, RANKED.of("p05"))
    damage(study, RANKED.edit(last, answer="undo", **NO_IMAGE))

    assert verify_record(study).sound


# Files that cannot be read


def test_a_file_of_which_a_part_is_overwritten(tmp_path: Path) -> None:
    study = copied(sound_study, tmp_path)
    path = study.folder / RECORD_FILE
    content = path.read_bytes()
    third = len(content) // 3  # the last one: the first pages say what tables there are
    path.write_bytes(content[:-third] + b"\xa5" * third)

    assert (None, "file-damaged") in faults_of(verify_record(study))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (text("DROP TABLE events"), "no such table: events"),
        (text("ALTER TABLE judgements DROP COLUMN verdict"), "no such column: judgements.verdict"),
        (text("UPDATE judgements SET image = CAST(x'ff' AS TEXT)"), "Could not decode"),
    ],
    ids=["table", "column", "text"],
)
def test_what_cannot_be_read_is_said_without_a_traceback(
    statement: Statement, said: str, tmp_path: Path
) -> None:
    study = copied(sound_study, tmp_path)
    damage(study, statement)
    faults = verify_record(study).findings.listed["fault"]
    (found,) = [fault.message for fault in faults if fault.code == "file-damaged"]

    assert said in found
    assert "was not checked" in found


def test_a_manifest_without_prompts_leaves_the_plans_unknown(tmp_path: Path) -> None:
    study = load_any(
        shutil.copytree(copied(RECORDS["compared"].make, tmp_path).folder, tmp_path / "b")
    )
    manifest = study.stimuli_folder / "manifest.csv"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(",prompt", ",label", 1), encoding="utf-8"
    )
    (fault,) = verify_record(study).findings.listed["fault"]

    assert fault.code == "manifest-unreadable"
    assert "has no column 'prompt'" in fault.message
