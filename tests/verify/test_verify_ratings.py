"""Records of ratings, sound and damaged: the damage is found and named."""

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
)
from known import verify_record
from paper_rater import rated_soundly
from paper_station import record_of, rows_of
from sqlalchemy import and_, case
from verified_records import damage

from hype.protocols.load import load_any
from hype.protocols.rating.rows import ratings
from hype.study.studies import AnyStudy

KINDS = {"pairs": {}, "images": {"rating": {"of": "images"}}}
R, RATED = ratings.c, Answers(ratings)
THIRD = RATED.nth(2, and_(RATED.of("p04"), R.task == "rating"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AnyStudy]:
    return {
        kind: rated_soundly(tmp_path_factory.mktemp(kind), **changes)
        for kind, changes in KINDS.items()
    }


@pytest.fixture
def study(sound: dict[str, AnyStudy], tmp_path: Path) -> AnyStudy:
    return load_any(shutil.copytree(sound["pairs"].folder, tmp_path / "study"))


@pytest.fixture
def single(sound: dict[str, AnyStudy], tmp_path: Path) -> AnyStudy:
    return load_any(shutil.copytree(sound["images"].folder, tmp_path / "study"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_record_has_no_fault(kind: str, sound: dict[str, AnyStudy]) -> None:
    """With every answer, people who left in the middle of an item, and somebody who declined."""
    verified = verify_record(sound[kind])
    with record_of(sound[kind]) as engine:
        rows = rows_of(engine, ratings)

    assert verified.findings.listed("fault") == []
    assert (verified.people, verified.simulated, verified.asked) == (5, 2, "ratings")
    assert verified.answers["ratings"] == len(rows)
    assert {row.task for row in rows} == {"practice", "rating"}
    assert "not-relevant" in {row.answer for row in rows}
    assert {row.first_side for row in rows} == ({"left", "right"} if kind == "pairs" else {None})
    assert {"yes", "no", None} <= {row.truth for row in rows} or kind == "pairs"


DAMAGES: Damages = {
    # what the plan decides
    "item": (RATED.edit(THIRD, item="0" * 12), "p04", "item-unlike-plan"),
    "prompt": (RATED.edit(THIRD, prompt="a cat"), "p04", "prompt-unlike-plan"),
    "axis": (RATED.edit(THIRD, axis="beauty"), "p04", "axis-unlike-plan"),
    "path": (RATED.edit(THIRD, first_image="fake/good/9.png"), "p04", "image-unlike-plan"),
    "checksum": (RATED.edit(THIRD, second_sha256=NO_SUM), "p04", "image-unlike-plan"),
    "condition": (RATED.edit(THIRD, second="elsewhere"), "p04", "image-unlike-plan"),
    "no second": (RATED.edit(THIRD, second=None), "p04", "image-unlike-plan"),
    "side": (
        RATED.edit(THIRD, first_side=case((R.first_side == "left", "right"), else_="left")),
        *("p04", "sides-unlike-plan"),
    ),
    "truth": (RATED.edit(THIRD, truth="yes"), "p04", "image-unlike-plan"),
    # what a rating says of itself
    "word": (RATED.edit(THIRD, answer="good"), "p04", "answer-impossible"),
    "level that is none": (RATED.edit(THIRD, answer="6"), "p04", "answer-impossible"),
    "no level of a pair": (RATED.edit(THIRD, answer="yes"), "p04", "answer-impossible"),
    "before its question": (RATED.edit(THIRD, rt_ms=-1.0), "p04", "response-time-negative"),
    # which ratings there are
    "other order": (
        RATED.swap(THIRD, RATED.nth(3, and_(RATED.of("p04"), R.task == "rating"))),
        *("p04", "out-of-order"),
    ),
    # whose they are, and when
    # what they were given
    "other share": (edit_evaluator("p04", share=2), "p04", "plan-changed"),
    "groups": (edit_evaluator("p04", groups="abc"), "p04", "evaluator-unlike-study"),
    "condition of their own": (
        edit_evaluator("p04", condition="good"),
        *("p04", "evaluator-unlike-study"),
    ),
    "methods": (edit_evaluator("p04", methods="ranking"), "p04", "evaluator-unlike-study"),
    **damages_of_any(RATED, THIRD),
}
ONE_FAULT = (
    *("item", "axis", "path", "side", "truth", "word", "no level of a pair", "one gone"),
    *("other share", "groups"),
)


@pytest.mark.parametrize("what", own_damages(DAMAGES))
def test_damage_is_found_and_named(what: str, study: AnyStudy) -> None:
    assert_found(study, DAMAGES[what], alone=what in ONE_FAULT)


def test_a_single_image_has_answers_of_its_axis_alone(single: AnyStudy) -> None:
    asked = RATED.nth(0, and_(RATED.of("p04"), R.axis == "anatomy", R.task == "rating"))
    scaled = RATED.nth(0, and_(RATED.of("p04"), R.axis == "aesthetics", R.task == "rating"))
    damage(single, RATED.edit(asked, answer="3"), RATED.edit(scaled, answer="8"))
    said = [found.message for _, found in verify_record(single).findings.listed("fault")]

    assert len(said) == 2
    assert ": 3, and anatomy is answered with yes, no, not-relevant" in said[0]
    assert ": 8, and aesthetics is answered with 1, 2, 3, 4, 5, 6, 7, not-relevant" in said[1]


def test_what_is_right_of_a_single_image_is_the_manifests(single: AnyStudy) -> None:
    known = RATED.nth(0, and_(RATED.of("p04"), R.truth == "yes"))
    damage(single, RATED.edit(known, truth="no"))
    ((_, found),) = verify_record(single).findings.listed("fault")

    assert found.code == "image-unlike-plan"
    assert found.message.endswith("truth no, and the plan asks for yes")


def test_not_relevant_is_an_answer_only_where_an_axis_may_not_be(tmp_path: Path) -> None:
    study = rated_soundly(tmp_path, axes={"overall": {"not_relevant": False}})
    overall = RATED.nth(0, and_(RATED.of("p04"), R.axis == "overall"))
    assert verify_record(study).sound
    damage(study, RATED.edit(overall, answer="not-relevant"))
    ((_, found),) = verify_record(study).findings.listed("fault")

    assert found.code == "answer-impossible"
    assert "not-relevant, and overall is answered with 1, 2, 3, 4, 5" in found.message


def test_without_its_plan_a_record_is_checked_for_what_needs_none(study: AnyStudy) -> None:
    damage(
        study,
        edit_evaluator("p04", plan=NO_SUM),
        RATED.edit(THIRD, answer="good"),
        RATED.edit(RATED.nth(0, RATED.of("p04")), first_image="fake/good/999.png"),
    )
    listed = verify_record(study).findings.listed("fault")
    faults = {found.code: found.message for _, found in listed}

    assert {"plan-changed", "answer-impossible"} <= set(faults)
    assert "lacks fake/good/999.png that they saw" in faults["plan-changed"]
