"""Damaged records: the damage is found and named.

Damage that every protocol can have comes first, then that of single protocols.
"""

import json
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from damaged_answers import (
    COMPARED,
    JUDGED,
    NO_SUM,
    PLACED,
    RANKED,
    RATED,
    RECORDS,
    Damage,
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
from known import DOCUMENTED, verify_record
from long import long_but, one_of_each
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
from hype.protocols.ranking.record import placements
from hype.protocols.rating.record import ratings
from hype.store.record import RECORD_FILE
from hype.store.schema import demographics, evaluators, events, studies

J, C, R, P, D = judgements.c, comparisons.c, ratings.c, placements.c, demographics.c


# Damage to each column of each protocol's rows

NAMED_BY = {
    "evaluator_id": "trial-missing",
    "session_id": "session-of-another",
    "task": "trial-missing",
    "block": "trial-missing",
    "trial": "trial-missing",
    "answer": "answer-impossible",
    "onset_monotonic_s": "onsets-descend",
    **dict.fromkeys(("verdict", "mask_measured_ms", "flips_s"), "cell-impossible"),
}
"""Codes of faults in columns with rules of their own; all others get ``unlike-replay``."""
UNKNOWABLE = {"rt_ms", "key", "onset_unix_s"}
"""Columns in which `hype verify` cannot find a change to another possible value."""
MEASURED = {
    *("exposure_frames", "exposure_nominal_ms", "exposure_measured_ms", "exposure_deviation_ms"),
    *("mask_frames", "mask_nominal_ms", "flip_uncertainty_ms", "missed_frames"),
}
"""Columns about the screen in flashed trials, which cannot be checked against anything."""


def another(column: Column[Any]) -> Any:
    """Return a value of the column's type that differs from the cell's value."""
    if isinstance(column.type, Boolean):
        return not_(func.coalesce(column, False))
    if isinstance(column.type, Integer | Float):
        return func.coalesce(column, 0) + (7 if isinstance(column.type, Float) else 700)
    return "elsewhere"


def columns_of(sound: Sound) -> list[str]:
    return [column.name for column in sound.answers.table.columns if column.name != "id"]


EACH_COLUMN = {(kind, name): name for kind in RECORDS for name in columns_of(RECORDS[kind])}


@pytest.mark.parametrize("cell", one_of_each(EACH_COLUMN))
def test_another_value_in_a_column_is_found_and_named(cell, tmp_path):
    kind, column = cell
    sound = RECORDS[kind]
    study = sound.make(tmp_path)
    value = another(sound.answers.table.c[column])
    damage(study, sound.answers.edit(sound.one, **{column: value}))
    faults = verify_record(study).faults
    if column in UNKNOWABLE or (kind == "flashed" and column in MEASURED):
        assert faults == []
        return
    code = NAMED_BY.get(column, "unlike-replay")
    if code == "cell-impossible" and kind != "flashed":
        code = "unlike-replay"  # nothing was measured, so the cell is empty
    theirs = [fault for fault in faults if (fault.evaluator, fault.code) == ("p04", code)]

    assert theirs
    assert code != "unlike-replay" or any(f": {column} is " in fault.message for fault in theirs)


# Damage to the answers, sessions and evaluators of any protocol


def damages_of_any(sound: Sound) -> Damages:
    """Return damages to one answer of p04, to the last one, and to parts that all records have."""
    answers, one = sound.answers, sound.one
    last = answers.nth(-1, answers.of("p04"))
    second = answers.nth(1, answers.of("p01"))
    last_session: dict[str, Any] = {"code": "p04", "which": func.max}
    first_session: dict[str, Any] = {"code": "p04", "which": func.min}
    return {
        # missing and additional answers
        "one gone": Damage("trial-missing", answers.drop(one)),
        "the last gone": Damage("status-unlike-trials", answers.drop(last)),
        "all gone": Damage("status-unlike-trials", answers.drop(answers.of("p04"))),
        "answered twice": Damage("trial-twice", answers.copy(one, rt_ms=999.0)),
        "task": Damage("trial-missing", answers.edit(one, task="guess")),
        "number": Damage("trial-missing", answers.edit(one, trial=999)),
        "after declining": Damage(
            "status-unlike-trials",
            answers.copy(answers.nth(0, answers.of("p04")), evaluator_id=number_of("p03")),
            "p03",
        ),
        "other order": Damage(
            "out-of-order", answers.swap(answers.nth(0, answers.of("p01")), second), "p01"
        ),
        "earlier session": Damage(
            "out-of-order",
            answers.edit(
                last,
                session_id=select(func.min(S.id))
                .where(S.evaluator_id == number_of("p04"))
                .scalar_subquery(),
            ),
        ),
        # evaluator and time of answers
        "another's session": Damage("session-of-another", answers.edit(one, session_id=1)),
        "response before the question": Damage("cell-impossible", answers.edit(one, rt_ms=-1)),
        "onset too early": Damage(
            "onsets-descend", answers.edit(one, onset_monotonic_s=1, onset_unix_s=1.7e9 + 1)
        ),
        # cells that the program cannot write
        "word for a number": Damage("cell-impossible", answers.edit(one, rt_ms=raw("soon")), None),
        "endless number": Damage(
            "cell-impossible", answers.edit(one, onset_unix_s=float("inf")), None
        ),
        "bytes for a study": Damage(
            "cell-impossible", update(studies).values(resolved=raw(b"\0")), None
        ),
        # how sessions went
        "person in a simulation": Damage(
            "mode-unlike-evaluator", edit_session(**last_session, mode="simulated")
        ),
        "simulation of a person": Damage(
            "mode-unlike-evaluator", edit_session("sim-0001", func.max, mode="person"), "sim-0001"
        ),
        "active called complete": Damage(
            "status-unlike-trials", edit_evaluator("p05", status="complete"), "p05"
        ),
        "complete called active": Damage(
            "ending-unlike-status", edit_evaluator("p04", status="active")
        ),
        "unknown status": Damage("status-unlike-trials", edit_evaluator("p04", status="gone")),
        "ending too early": Damage(
            "ending-unlike-status", edit_session(**first_session, ended="complete")
        ),
        "no consent": Damage(
            "consent-missing",
            update(events).where(events.c.event == "consent").values(answer="no"),
            "p01",
        ),
        # the assignment of evaluators
        "plan": Damage("plan-changed", edit_evaluator("p04", plan=NO_SUM)),
        "seed": Damage("evaluator-unlike-study", edit_evaluator("p04", seed="8")),
        "methods": Damage("evaluator-unlike-study", edit_evaluator("p04", methods="guess")),
        "condition": Damage("evaluator-unlike-study", edit_evaluator("p04", condition="odd")),
        "keys": Damage("evaluator-unlike-study", edit_evaluator("p04", left_means="odd")),
        "share": Damage("evaluator-unlike-study", edit_evaluator("p04", share=99)),
        "study of an evaluator": Damage("study-not-kept", edit_evaluator("p04", study=NO_SUM)),
        "study of a session": Damage("study-not-kept", edit_session(**last_session, study=NO_SUM)),
        "copy of the study": Damage("study-copy-changed", resolved('"seed":7', '"seed":8'), None),
        "no copy of the study": Damage(
            "study-copy-unreadable", update(studies).values(resolved="{}"), None
        ),
        "copy that leads elsewhere": Damage(
            "study-copy-unreadable", resolved('"folder":"stimuli"', '"folder":"../.."'), None
        ),
        "evaluator gone": Damage("reference-broken", delete(evaluators).where(who("p04")), None),
        "keys of a table gone": Damage("file-damaged", enter_twice, None),
    }


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
"""Each damage once, to the records in turn; the long form does all damages to all records."""
ONE_FAULT = {"one gone", "plan", "share", "keys", "seed", "word for a number"}


@pytest.mark.parametrize("what", long_but(IN_TURN, OF_ANY))
def test_damage_to_any_record_is_found_and_named(what, tmp_path):
    """A missing trial, for example, does not cause faults in all trials after it."""
    kind, damage = OF_ANY[what]
    study = RECORDS[kind].make(tmp_path)
    assert_found(study, damage, alone=what.partition(": ")[2] in ONE_FAULT)


# Damage to the answers of a single protocol

FOURTH, SPOILED = (answer_of(JUDGED, "time", n, J.block == 1) for n in (3, 1))
TURNED = case((J.answer == "real", "fake"), else_="real")
IN_JUDGEMENTS: Damages = {
    "answer and correct": Damage(
        "unlike-replay", JUDGED.edit(FOURTH, answer=TURNED, correct=not_(J.correct))
    ),
    "no repeats": Damage(
        "unlike-replay",
        JUDGED.edit(answer_of(JUDGED, "time", 0, J.repeats.is_not(None)), repeats=None),
    ),
    "late without a repetition": Damage(
        "unlike-replay", JUDGED.edit(FOURTH, verdict="late", missed_frames=0)
    ),
    "repeated without need": Damage(
        "trial-unplanned", JUDGED.edit(SPOILED, verdict="ok", missed_frames=0)
    ),
    "after being turned away": Damage(
        "trial-unplanned",
        JUDGED.copy(JUDGED.nth(0, JUDGED.of("p02")), task="time", block=1, trial=1),
        "p02",
    ),
    "a qualification elsewhere": Damage(
        "plan-changed", edit_evaluator("p04", qualified_in="../other")
    ),
    "checksum of masks": Damage("masks-changed", edit_evaluator("p04", mask_files=NO_SUM)),
}

SEEN = COMPARED.nth(2, and_(COMPARED.of("p01"), C.task == "comparison"))
OBVIOUS = COMPARED.nth(0, and_(COMPARED.of("p01"), C.task == "practice"))
SIDES = {"left": "right", "right": "left"}


def say(question: str, answer: str) -> Statement:
    """Add an answer of p04 to a question about themselves."""

    def change(connection: Connection) -> None:
        theirs = and_(D.evaluator_id == number_of("p04"), D.question == question)
        connection.execute(delete(demographics).where(theirs))
        row = {"evaluator_id": number_of("p04"), "question": question, "answer": answer}
        connection.execute(insert(demographics).values(row))

    return change


def pairs_with(change: Callable[[Any], Any]) -> Statement:
    """Change the pairs that an arena chose for p04."""

    def edit_pairs(connection: Connection) -> None:
        pairs = json.loads(connection.execute(select(E.pairs).where(who("p04"))).scalar_one())
        statement = update(evaluators).where(who("p04"))
        connection.execute(statement.values(pairs=json.dumps(change(pairs))))

    return edit_pairs


IN_COMPARISONS: Damages = {
    "time of a hasty answer": Damage("unlike-replay", COMPARED.edit(SEEN, rt_ms=1.0), "p01"),
    "pairs": Damage("plan-changed", edit_evaluator("p04", pairs='[["crude", "good"]]')),
    "unknown question": Damage("demographics-unlike-study", say("height", "tall")),
    "unknown option": Damage("demographics-unlike-study", say("age", "ancient")),
    "question not answered": Damage(
        "demographics-unlike-study", delete(demographics).where(D.question == "age")
    ),
    "answer of nobody": Damage(
        "reference-broken", update(demographics).where(D.id == 1).values(evaluator_id=99), None
    ),
}
IN_ARENAS: Damages = {
    "another pair": Damage("plan-changed", pairs_with(lambda pairs: [pairs[0][::-1], *pairs[1:]])),
    "no JSON": Damage("plan-changed", edit_evaluator("p04", pairs="[[")),
    "nested without end": Damage("plan-changed", edit_evaluator("p04", pairs="[" * 99_999)),
}

FIRST = answer_of(RANKED, "ranking", 0)
ACCEPTED = answer_of(RANKED, "ranking", 0, P.answer == "accept")
UNDONE, TIED = (
    RANKED.nth(0, and_(RANKED.of("p04"), P.answer == answer)) for answer in ("undo", "tie")
)


def another_letter(connection: Connection) -> None:
    """Replace the placed image by another one, in all columns of the row."""
    row = connection.execute(select(placements).where(PLACED)).one()
    query = select(placements).where(
        RANKED.of("p04"), P.group == row.group, P.image.is_not(None), func.length(P.standing) > 1
    )
    others = [
        one for one in connection.execute(query) if one.answer not in row.answer + row.standing
    ]
    other = others[-1]  # not the next one
    names = ("answer", "image", "image_sha256", "condition")
    cells = {name: getattr(other, name) for name in names}
    connection.execute(update(placements).where(P.id == row.id).values(cells))


NO_IMAGE = {"image": None, "image_sha256": None, "condition": None}
IN_RANKINGS: Damages = {
    "another image": Damage("unlike-replay", another_letter),
    "undo for tie": Damage("unlike-replay", RANKED.edit(TIED, answer="undo")),
    "accepted too early": Damage(
        "answer-impossible", RANKED.edit(PLACED, answer="accept", **NO_IMAGE)
    ),
    "undo gone": Damage("trial-missing", RANKED.drop(UNDONE)),
    "groups of no checker": Damage("plan-changed", edit_evaluator("p04", groups="x")),
    "checker twice": Damage(
        "plan-changed", edit_evaluator("check1", groups=E.groups + " " + E.groups), "check1"
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


@pytest.mark.parametrize("what", one_of_each({w: (k, d.code) for w, (k, d) in OWN.items()}))
def test_damage_that_one_protocol_can_have_is_found_and_named(what, tmp_path):
    kind, damage = OWN[what]
    study = RECORDS[kind].make(tmp_path)
    assert_found(study, damage, alone=what.partition(": ")[2] in OWN_ALONE)


def test_every_fault_is_among_these_damages():
    of_files = {"image-changed", "manifest-unreadable"}
    named = {damage.code for _, damage in (*OWN.values(), *OF_ANY.values())}
    named |= set(NAMED_BY.values())

    assert {*DOCUMENTED["fault"]} - of_files == named


# Answers that cannot be replayed


@pytest.mark.parametrize("kind", long_but(["flashed", "compared", "ranked"], RECORDS))
def test_the_first_of_several_lost_answers_is_named(kind, tmp_path):
    sound = RECORDS[kind]
    study = sound.make(tmp_path)
    row = sound.answers.table.c
    task = select(row.task).where(sound.one).scalar_subquery()
    block = select(row.id, row.trial).where(
        sound.answers.of("p01"), row.task == task, row.block == 1
    )
    with record_of(study) as engine, engine.connect() as connection:
        lost = connection.execute(block.order_by(row.id).offset(1).limit(2)).all()
    damage(study, sound.answers.drop(row.id.in_([each.id for each in lost])))
    (fault,) = verify_record(study).faults

    assert (fault.evaluator, fault.code) == ("p01", "trial-missing")
    assert f" block 1 trial {lost[0].trial} is not answered" in fault.message


# The possible answers depend on the study


def test_an_answer_is_possible_only_where_the_study_has_it(tmp_path):
    needed = rated_soundly(tmp_path / "needed", axes={"overall": {"not_relevant": False}})
    strict = ranked_soundly(tmp_path / "strict", ranking={"ties": False})
    overall = answer_of(RATED, "rating", 0, R.axis == "overall")
    for study, answers, one, answer in (
        (needed, RATED, overall, "not-relevant"),
        (strict, RANKED, RANKED.nth(-1, RANKED.of("p05")), "tie"),
    ):
        damage(study, answers.edit(one, answer=answer))
        (said,) = [f.message for f in verify_record(study).faults if f.code == "answer-impossible"]

        assert f": {answer}, but the possible answers are " in said


# Files that cannot be read


def test_a_file_of_which_a_part_is_overwritten(tmp_path):
    study = sound_study(tmp_path)
    path = study.folder / RECORD_FILE
    content = path.read_bytes()
    third = len(content) // 3  # not the first pages, which list the tables
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
def test_what_cannot_be_read_is_said_without_a_traceback(statement, said, tmp_path):
    study = sound_study(tmp_path)
    damage(study, statement)
    faults = verify_record(study).faults
    (found,) = [fault.message for fault in faults if fault.code == "file-damaged"]

    assert said in found
    assert "was not checked" in found


def test_a_manifest_without_prompts_leaves_the_plans_unknown(tmp_path):
    study = RECORDS["compared"].make(tmp_path)
    manifest = study.stimuli_folder / "manifest.csv"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(",prompt", ",label", 1), encoding="utf-8"
    )
    (fault,) = verify_record(study).faults

    assert fault.code == "manifest-unreadable"
    assert "has no column 'prompt'" in fault.message
