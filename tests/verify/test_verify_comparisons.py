"""Records of comparisons, sound and damaged: the damage is found and named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from damaged_answers import (
    NO_SUM,
    Answers,
    Damages,
    assert_found,
    damages_of_any,
    edit_evaluator,
    number_of,
    own_damages,
    who,
)
from known import verify_record
from long import one_of_each
from paper_comparer import PaperComparer, compare, compared_soundly, small_study
from paper_station import record_of
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    case,
    delete,
    insert,
    not_,
    select,
    text,
    update,
)
from verified_records import Statement, damage, faults_of, raw

from hype.protocols.comparison.rows import comparisons
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.hype.rows import judgements
from hype.protocols.load import load_any
from hype.session.steps import Response
from hype.store.schema import demographics, evaluators, sessions

ROOMS = {"shares": False, "arena": True}
C, E, S, D = comparisons.c, evaluators.c, sessions.c, demographics.c


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ComparisonStudy]:
    return {
        room: compared_soundly(tmp_path_factory.mktemp(room), arena=arena)
        for room, arena in ROOMS.items()
    }


def copied(study: ComparisonStudy, folder: Path) -> ComparisonStudy:
    found = load_any(shutil.copytree(study.folder, folder))
    assert isinstance(found, ComparisonStudy)
    return found


@pytest.fixture
def study(sound: dict[str, ComparisonStudy], tmp_path: Path) -> ComparisonStudy:
    return copied(sound["shares"], tmp_path / "study")


@pytest.fixture
def arena(sound: dict[str, ComparisonStudy], tmp_path: Path) -> ComparisonStudy:
    return copied(sound["arena"], tmp_path / "study")


@pytest.mark.parametrize("room", ROOMS)
def test_a_sound_record_has_no_fault(room: str, sound: dict[str, ComparisonStudy]) -> None:
    """With ties, hasty answers, time limits, resumptions, and somebody who declined."""
    verified = verify_record(sound[room])
    with record_of(sound[room]) as engine, engine.connect() as connection:
        rows = connection.execute(select(comparisons)).all()
        said = connection.execute(select(D.answer)).scalars().all()

    assert verified.findings.listed("fault") == []
    assert (verified.people, verified.simulated) == (5, 2)
    assert verified.asked == "comparisons"
    assert {name: n for name, n in verified.answers.items() if n} == {"comparisons": len(rows)}
    assert {row.answer for row in rows} == {"left", "right", "tie", "none"}
    assert {row.task for row in rows} == {"practice", "comparison", "validation"}
    assert {row.hasty for row in rows} == {True, False}
    assert {row.correct for row in rows} == {True, False, None}
    assert {"", "young"} <= set(said)


COMPARED = Answers(comparisons)
P01, P04 = COMPARED.of("p01"), COMPARED.of("p04")
THIRD = COMPARED.nth(2, and_(P04, C.task == "comparison"))
SEEN = COMPARED.nth(2, and_(P01, C.task == "comparison"))
OBVIOUS = COMPARED.nth(0, and_(P04, C.task == "validation"))
HASTY = COMPARED.nth(0, and_(P04, C.hasty))
TWO = [COMPARED.nth(n, and_(P01, C.task == "comparison")) for n in (0, 1)]


def edit(where: ColumnElement[bool] = THIRD, **cells: Any) -> Statement:
    return COMPARED.edit(where, **cells)


def swap_sides(connection: Connection) -> None:
    """Let the images of a comparison change places, and the answer with them."""
    row = connection.execute(select(comparisons).where(SEEN)).mappings().one()
    names = ("left", "left_image", "left_sha256", "right", "right_image", "right_sha256")
    cells = {name: row[other(name)] for name in names}
    answer = {"left": "right", "right": "left"}.get(row["answer"], row["answer"])
    this = C.id == row["id"]
    connection.execute(update(comparisons).where(this).values({**cells, "answer": answer}))


def other(name: str) -> str:
    """Name the same column of the other side."""
    side = name.split("_", maxsplit=1)[0]
    return name.replace(side, {"left": "right", "right": "left"}[side])


def judge(connection: Connection) -> None:
    """Let somebody who compares have judged an image as well."""
    session = connection.execute(select(S.id).where(S.evaluator_id == number_of("p04"))).scalar()
    cells = {"session_id": session, "evaluator_id": number_of("p04"), "simulated": False}
    cells |= {"task": "infinity", "block": 1, "trial": 1, "image": "real/000.png", "source": ""}
    cells |= {"image_sha256": NO_SUM, "truth": "real", "answer": "real", "correct": True}
    cells |= {"rt_ms": 1.0, "key": "f", "onset_unix_s": 1.7e9, "onset_monotonic_s": 5e3}
    connection.execute(insert(judgements).values(cells))


def say(question: str, answer: str, code: str = "p04") -> Statement:
    """Let somebody have answered a question about themselves."""

    def change(connection: Connection) -> None:
        theirs = and_(D.evaluator_id == number_of(code), D.question == question)
        connection.execute(delete(demographics).where(theirs))
        row = {"evaluator_id": number_of(code), "question": question, "answer": answer}
        connection.execute(insert(demographics).values(row))

    return change


TURNED = case((C.answer == "left", "right"), else_="left")
DAMAGES: Damages = {
    # what the plan decides
    "left path": (edit(left_image="fake/good/999.png"), "p04", "image-unlike-plan"),
    "right path": (edit(right_image="fake/good/999.png"), "p04", "image-unlike-plan"),
    "left checksum": (edit(left_sha256=NO_SUM), "p04", "image-unlike-plan"),
    "right checksum": (edit(right_sha256=NO_SUM), "p04", "image-unlike-plan"),
    "left condition": (edit(left="elsewhere"), "p04", "image-unlike-plan"),
    "right condition": (edit(right="elsewhere"), "p04", "image-unlike-plan"),
    "sides": (swap_sides, "p01", "sides-unlike-plan"),
    "prompt": (edit(prompt="a cat"), "p04", "prompt-unlike-plan"),
    "obvious side": (
        edit(OBVIOUS, obvious=case((C.obvious == "left", "right"), else_="left")),
        *("p04", "obvious-unlike-plan"),
    ),
    "obvious where nothing is": (edit(obvious="left"), "p04", "obvious-unlike-plan"),
    "nothing obvious": (edit(OBVIOUS, obvious=None), "p04", "obvious-unlike-plan"),
    # what a comparison says of itself
    "correct": (edit(OBVIOUS, correct=not_(C.correct)), "p04", "correct-unlike-answer"),
    "correct where nothing is": (edit(correct=True), "p04", "correct-unlike-answer"),
    "not said to be correct": (edit(OBVIOUS, correct=None), "p04", "correct-unlike-answer"),
    "answer to what is obvious": (
        edit(and_(P01, C.task == "practice", C.trial == 1), answer=TURNED),
        *("p01", "correct-unlike-answer"),
    ),
    "hasty": (edit(SEEN, hasty=True), "p01", "hasty-unlike-answer"),
    "not hasty": (edit(HASTY, hasty=False), "p04", "hasty-unlike-answer"),
    "time of a hasty answer": (edit(SEEN, rt_ms=1.0), "p01", "hasty-unlike-answer"),
    "impossible answer": (edit(answer="real"), "p04", "answer-impossible"),
    "response before the question": (
        edit(SEEN, rt_ms=-1, hasty=True),
        *("p01", "response-time-negative"),
    ),
    "bytes for a word": (edit(prompt=raw(b"\0\xff")), None, "cell-impossible"),
    "neither true nor false": (edit(hasty=raw(7)), None, "cell-impossible"),
    # which comparisons there are
    "validation for a comparison": (edit(OBVIOUS, task="comparison"), "p04", "trial-missing"),
    "comparison for a validation": (edit(task="validation"), "p04", "trial-unplanned"),
    "after declining": (
        COMPARED.copy(COMPARED.nth(0, P04), evaluator_id=number_of("p03")),
        *("p03", "status-unlike-trials"),
    ),
    "other order": (COMPARED.swap(*TWO), "p01", "out-of-order"),
    "judgement": (judge, "p04", "trial-unplanned"),
    # whose they are
    # when it was
    "onset too early": (
        edit(onset_monotonic_s=1, onset_unix_s=1.7e9 + 1),
        *("p04", "onsets-descend"),
    ),
    # how it ended
    "active called complete": (
        edit_evaluator("p05", status="complete"),
        *("p05", "status-unlike-trials"),
    ),
    "turned away": (edit_evaluator("p04", status="unqualified"), "p04", "ending-unlike-status"),
    # what it began with
    "plan": (edit_evaluator("p04", plan=NO_SUM), "p04", "plan-changed"),
    "share": (edit_evaluator("p04", share=case((E.share == 1, 2), else_=1)), "p04", "plan-changed"),
    "pairs of conditions": (
        edit_evaluator("p04", pairs='[["crude", "good"]]'),
        *("p04", "evaluator-unlike-study"),
    ),
    "condition": (edit_evaluator("p04", condition="good"), "p04", "evaluator-unlike-study"),
    "keys": (edit_evaluator("p04", left_means="real"), "p04", "evaluator-unlike-study"),
    "methods": (edit_evaluator("p04", methods="time"), "p04", "evaluator-unlike-study"),
    "seed": (edit_evaluator("p04", seed="8"), "p04", "evaluator-unlike-study"),
    "study of an evaluator": (edit_evaluator("p04", study=NO_SUM), "p04", "study-not-kept"),
    # what they said of themselves
    "unknown question": (say("height", "tall"), "p04", "demographics-unlike-study"),
    "unknown option": (say("age", "ancient"), "p04", "demographics-unlike-study"),
    "words for withholding": (
        say("age", "I prefer not to say"),
        *("p04", "demographics-unlike-study"),
    ),
    "question not answered": (
        text("DELETE FROM demographics WHERE question = 'age'"),
        *("p04", "demographics-unlike-study"),
    ),
    "answer of nobody": (
        text("UPDATE demographics SET evaluator_id = 99 WHERE id = 1"),
        *(None, "reference-broken"),
    ),
    **damages_of_any(COMPARED, THIRD),
}


ONE_FAULT = (
    *("left path", "sides", "prompt", "correct where nothing is", "time of a hasty answer"),
    *("one gone", "unknown question", "unknown option", "share", "keys", "seed"),
)


@pytest.mark.parametrize("what", own_damages(DAMAGES))
def test_damage_is_found_and_named(what: str, study: ComparisonStudy) -> None:
    assert_found(study, DAMAGES[what], alone=what in ONE_FAULT)


def pairs_with(change: Any) -> Statement:
    """Change the pairs that an arena chose for somebody."""

    def edit_pairs(connection: Connection) -> None:
        pairs = json.loads(connection.execute(select(E.pairs).where(who("p04"))).scalar_one())
        statement = update(evaluators).where(who("p04"))
        connection.execute(statement.values(pairs=json.dumps(change(pairs))))

    return edit_pairs


ARENA_DAMAGES: dict[str, tuple[Statement, str]] = {
    "another pair": (pairs_with(lambda pairs: [pairs[0][::-1], *pairs[1:]]), "plan-changed"),
    "other order": (
        pairs_with(sorted),
        "plan-changed",
    ),
    "one less": (pairs_with(lambda pairs: pairs[1:]), "evaluator-unlike-study"),
    "no pairs at all": (edit_evaluator("p04", pairs=None), "evaluator-unlike-study"),
    "unknown condition": (
        pairs_with(lambda pairs: [["good", "odd"], *pairs[1:]]),
        "evaluator-unlike-study",
    ),
    "one condition": (
        pairs_with(lambda pairs: [["good", "good"], *pairs[1:]]),
        "evaluator-unlike-study",
    ),
    "three conditions": (
        pairs_with(lambda pairs: [["good", "fine", "crude"], *pairs[1:]]),
        "evaluator-unlike-study",
    ),
    "no pairs": (edit_evaluator("p04", pairs='{"a": 1}'), "evaluator-unlike-study"),
    "no JSON": (edit_evaluator("p04", pairs="[["), "evaluator-unlike-study"),
    "nested without end": (edit_evaluator("p04", pairs="[" * 99_999), "evaluator-unlike-study"),
    "share": (edit_evaluator("p04", share=1), "evaluator-unlike-study"),
    "sides": (swap_sides, "sides-unlike-plan"),
}


@pytest.mark.parametrize("what", one_of_each({k: code for k, (_, code) in ARENA_DAMAGES.items()}))
def test_damage_to_an_arena_is_found_and_named(what: str, arena: ComparisonStudy) -> None:
    statement, code = ARENA_DAMAGES[what]
    damage(arena, statement)

    assert code in {found for _, found in faults_of(verify_record(arena))}


def always_left(_trial: object, _n: int) -> Response:
    return Response("left", "f", 1000.0)


def test_a_tie_and_a_time_limit_are_answers_only_where_the_study_has_them(tmp_path: Path) -> None:
    plain = small_study(tmp_path, comparison={"ties": False, "limit_ms": None})
    with record_of(plain) as engine:
        compare(engine, plain, "p01", PaperComparer(chooses=always_left))
    for answer in ("tie", "none"):
        damage(plain, edit(SEEN, answer=answer))
        said = [found.message for _, found in verify_record(plain).findings.listed("fault")]
        assert len(said) == 1
        assert f": {'a tie' if answer == 'tie' else 'no answer'}, and the study has no" in said[0]


def test_a_manifest_without_prompts_leaves_the_plans_unknown(study: ComparisonStudy) -> None:
    manifest = study.stimuli_folder / "manifest.csv"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(",prompt", ",label", 1), encoding="utf-8"
    )
    faults = verify_record(study).findings.listed("fault")

    assert [found.code for _, found in faults] == ["manifest-unreadable"]
    assert "has no column 'prompt'" in faults[0][1].message
