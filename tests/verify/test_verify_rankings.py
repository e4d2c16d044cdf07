"""Records of rankings, sound and damaged: the damage is found and named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from damaged_answers import (
    NO_SUM,
    Answers,
    Damages,
    assert_found,
    damages_of_any,
    edit_evaluator,
    own_damages,
    who,
)
from known import verify_record
from paper_ranker import ranked_soundly
from paper_station import record_of, rows_of
from sqlalchemy import Connection, and_, case, func, select, update
from verified_records import Statement, damage

from hype.protocols.load import load_any
from hype.protocols.ranking.rows import placements
from hype.store.schema import evaluators
from hype.study.studies import AnyStudy

P, ACTS = placements.c, Answers(placements)
RANKING = and_(ACTS.of("p04"), P.task == "ranking", P.block == 1)
FIRST = ACTS.nth(0, RANKING)
PLACED = ACTS.nth(0, and_(RANKING, P.image.is_not(None), func.length(P.standing) == 1))
"""The second image of a group, while two more have no place."""
ACCEPTED = ACTS.nth(0, and_(RANKING, P.answer == "accept"))
UNDONE = ACTS.nth(0, and_(ACTS.of("p04"), P.answer == "undo"))
TIED = ACTS.nth(0, and_(ACTS.of("p04"), P.answer == "tie"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> AnyStudy:
    return ranked_soundly(tmp_path_factory.mktemp("ranked"))


@pytest.fixture
def study(sound: AnyStudy, tmp_path: Path) -> AnyStudy:
    return load_any(shutil.copytree(sound.folder, tmp_path / "study"))


def test_a_sound_record_has_no_fault(sound: AnyStudy) -> None:
    """With every act, people who left in the middle of a ranking, and checkers."""
    verified = verify_record(sound)
    with record_of(sound) as engine:
        rows = rows_of(engine, placements)

    assert verified.findings.listed("fault") == []
    assert (verified.people, verified.simulated, verified.asked) == (6, 3, "placements")
    assert verified.answers["placements"] == len(rows)
    assert {row.task for row in rows} == {"practice", "test", "ranking", "check"}
    assert {"tie", "undo", "accept", "A", "D"} <= {row.answer for row in rows}
    standings = {row.standing for row in rows}
    assert any(one.endswith("=") for one in standings)
    assert any(len(tier) > 1 for one in standings for tier in one.rstrip("=").split(">"))
    left = [row for row in rows if row.evaluator_id == 5][-1]
    assert left.standing, "p05 left in the middle of a ranking"


def another_letter(connection: Connection) -> None:
    """Let another image have been placed, with all that its row says of it."""
    row = connection.execute(select(placements).where(PLACED)).one()
    query = select(placements).where(RANKING, P.group == row.group, P.image.is_not(None))
    other = next(
        one
        for one in connection.execute(query)
        if one.answer not in (row.answer, row.standing) and len(one.standing) > 1
    )
    cells = {name: getattr(other, name) for name in ("answer", "image", "image_sha256")}
    cells["condition"] = other.condition
    connection.execute(update(placements).where(P.id == row.id).values(cells))


def groups_of(code: str) -> Statement:
    """Let a checker have been given their groups in another order."""

    def change(connection: Connection) -> None:
        query = select(evaluators.c.groups).where(who(code))
        names = connection.execute(query).scalar_one().split()
        connection.execute(edit_evaluator(code, groups=" ".join(names[::-1])))

    return change


DAMAGES: Damages = {
    # what the plan decides
    "group": (ACTS.edit(PLACED, group="0" * 12), "p04", "item-unlike-plan"),
    "prompt": (ACTS.edit(PLACED, prompt="a cat"), "p04", "prompt-unlike-plan"),
    "order on the screen": (ACTS.edit(PLACED, shown_sha256=NO_SUM), "p04", "image-unlike-plan"),
    "path": (ACTS.edit(PLACED, image="fake/good/9.png"), "p04", "image-unlike-plan"),
    "checksum": (ACTS.edit(PLACED, image_sha256=NO_SUM), "p04", "image-unlike-plan"),
    "condition": (ACTS.edit(PLACED, condition="elsewhere"), "p04", "image-unlike-plan"),
    "no image": (ACTS.edit(PLACED, image=None), "p04", "image-unlike-plan"),
    "image of an accept": (ACTS.edit(ACCEPTED, image="x"), "p04", "image-unlike-plan"),
    # what follows from the acts before
    "standing": (ACTS.edit(PLACED, standing="D>A"), "p04", "standing-unlike-acts"),
    "standing at first": (ACTS.edit(FIRST, standing="A"), "p04", "standing-unlike-acts"),
    "letter alone": (
        ACTS.edit(PLACED, answer=case((P.answer == "A", "B"), else_="A")),
        *("p04", "image-unlike-plan"),
    ),
    "another image": (another_letter, "p04", "standing-unlike-acts"),
    "undo for tie": (ACTS.edit(TIED, answer="undo"), "p04", "standing-unlike-acts"),
    "accepted too early": (
        ACTS.edit(PLACED, answer="accept", image=None, image_sha256=None, condition=None),
        *("p04", "answer-impossible"),
    ),
    "not accepted": (ACTS.edit(ACCEPTED, answer="undo"), "p04", "trial-missing"),
    "nothing to take back": (ACTS.edit(FIRST, answer="undo"), "p04", "answer-impossible"),
    "word": (ACTS.edit(PLACED, answer="good"), "p04", "answer-impossible"),
    "letter of none": (ACTS.edit(PLACED, answer="L"), "p04", "answer-impossible"),
    # which acts there are
    "no number": (ACTS.edit(PLACED, trial=-1), "p04", "trial-missing"),
    "undo gone": (ACTS.drop(UNDONE), "p04", "trial-missing"),
    "accept gone": (ACTS.drop(ACCEPTED), "p04", "trial-missing"),
    "other order": (ACTS.swap(PLACED, ACCEPTED), "p04", "out-of-order"),
    # whose they are
    # what they were given
    "groups of no checker": (edit_evaluator("p04", groups="x"), "p04", "evaluator-unlike-study"),
    "checker with a share": (edit_evaluator("check1", share=1), "check1", "evaluator-unlike-study"),
    "checker of what is not": (
        edit_evaluator("check1", groups="0123456789ab"),
        *("check1", "evaluator-unlike-study"),
    ),
    "checker twice": (
        edit_evaluator("check1", groups=evaluators.c.groups + " " + evaluators.c.groups),
        *("check1", "evaluator-unlike-study"),
    ),
    "checker with fewer": (
        edit_evaluator("check1", groups=func.substr(evaluators.c.groups, 14)),
        *("check1", "plan-changed"),
    ),
    "checker in other order": (groups_of("check1"), "check1", "plan-changed"),
    "checker without any": (edit_evaluator("check1", groups=None), "check1", "plan-changed"),
    "checker under another code": (
        edit_evaluator("check1", evaluator="p09"),
        *("p09", "evaluator-unlike-study"),
    ),
    **damages_of_any(ACTS, PLACED),
}
ONE_FAULT = (
    *("group", "prompt", "order on the screen", "path", "standing", "one gone", "undo gone"),
    *("accept gone", "checker with fewer"),
)


@pytest.mark.parametrize("what", own_damages(DAMAGES))
def test_damage_is_found_and_named(what: str, study: AnyStudy) -> None:
    assert_found(study, DAMAGES[what], alone=what in ONE_FAULT)


def test_a_tie_is_an_act_only_where_the_study_has_ties(tmp_path: Path) -> None:
    study = ranked_soundly(tmp_path, ranking={"ties": False})
    assert verify_record(study).sound
    last = ACTS.nth(-1, ACTS.of("p05"))
    damage(study, ACTS.edit(last, answer="tie", image=None, image_sha256=None, condition=None))
    ((_, found),) = verify_record(study).findings.listed("fault")

    assert found.code == "answer-impossible"
    assert ": tie after " in found.message


def test_the_last_act_of_somebody_who_left_may_be_another_without_being_found(
    study: AnyStudy,
) -> None:
    """As the documentation says: nothing follows it yet."""
    nothing = {"image": None, "image_sha256": None, "condition": None}
    last = ACTS.nth(-1, ACTS.of("p05"))
    damage(study, ACTS.edit(last, answer="undo", **nothing))

    assert verify_record(study).sound
