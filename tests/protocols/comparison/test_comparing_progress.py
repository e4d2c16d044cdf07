"""How far a study of comparisons is: votes by pair, validations, arenas, and who took part."""

from typing import Any

import pytest
from compared_studies import simulate
from known import look
from paper_comparer import LIMIT_MS, Choosing, PaperComparer, compare, compared_soundly, small_study
from paper_station import record_of

from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.session.steps import Response
from hype.status.showing import lines_of


def looked_at(study: ComparisonStudy, *, simulated: bool = False) -> tuple[Any, Any]:
    """Give what is known of each evaluator, by their code, and of the study."""
    found = look(study, simulated=simulated).facts
    return {one["evaluator"]: one for one in found["evaluators"]}, found


def votes_of(answers: Any) -> int:
    return answers["left"] + answers["right"] + answers["tie"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return compared_soundly(tmp_path_factory.mktemp("compared"))


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    return compared_soundly(tmp_path_factory.mktemp("arena"), arena=True)


def by_hand() -> Choosing:
    """Miss the validations of the second block; be late, then hasty, then of two minds."""
    odd = [
        Response("none", "", LIMIT_MS),
        Response("left", "f", 90.0),
        Response("tie", "space", 800.0),
    ]

    def choose(trial: ComparisonTrial, _n: int) -> Response:
        if trial.obvious is None:
            return odd.pop(0) if odd else Response("right", "f", 800.0)
        wrong = trial.task is ComparisonTask.VALIDATION and trial.block == 2
        other = {"left": "right", "right": "left"}[trial.obvious.value]
        return Response(other if wrong else trial.obvious.value, "f", 900.0)

    return choose


def test_an_evaluator_is_counted_and_paid_for_every_answer_that_is_no_practice(tmp_path):
    study = small_study(tmp_path, pay={"base": 1.0, "per_answer": 0.03})
    station = PaperComparer(chooses=by_hand())
    with record_of(study) as engine:
        compare(engine, study, "p01", station)
    found, progress = looked_at(study)
    tasks = [trial.task for trial, _ in station.rows]
    validations = tasks.count(ComparisonTask.VALIDATION)

    one, given = found["p01"], progress["choices"]
    assert [one[name] for name in ("status", "answers", "unanswered", "hasty")] == [
        *("complete", 11, 1, 1)
    ]
    assert validations == one["validation_met"] >= 2
    assert 0 < one["validation_correct"] < 1
    assert one["passed"] is False
    assert one["bonus"] == round(0.03 * (11 + validations), 2)
    assert (given["none"], given["tie"], given["hasty"]) == (1, 1, 1)
    assert votes_of(given) == 11


def test_votes_by_pair_add_up_and_are_held_against_the_plan(study):
    found, progress = looked_at(study)

    assert [(pair["a"], pair["b"], pair["wanted"]) for pair in progress["pairs"]] == [
        ("crude", "fine", 16),
        ("crude", "good", 16),
        ("fine", "good", 16),
    ]
    votes = sum(pair["answers"] for pair in progress["pairs"])
    assert votes == votes_of(progress["choices"]) == progress["whole"]["answers"]
    assert progress["arena"] is None
    passed = {code: one["passed"] for code, one in found.items()}
    assert passed == {"p01": True, "p02": True, "p03": None, "p04": False, "p05": True}
    lines = [*lines_of(look(study, simulated=False))]
    assert (
        f"Votes: {votes} of 48; from 11 (fine and good) to 14 (crude and fine) for each pair"
        in lines
    )
    assert "Validation: 71% of 14 correct; 1 of 4 evaluators below 75%" in lines


def test_an_arena_says_what_it_knows(arena):
    found, progress = looked_at(arena)
    known = progress["arena"]

    assert [known[name] for name in ("most_votes", "goal", "reached", "top")] == [
        *(60, "top", False, None)
    ]
    # Who fails the validation is not scored, and an arena does not go by them either.
    heard = [one["answers"] for one in found.values() if one["passed"] is not False]
    assert known["votes"] == sum(heard) < votes_of(progress["choices"]) < 60
    assert known["enough"] == ""
    said = f"Arena: the top is not known yet; {known['votes']} of at most 60 votes"
    assert said in lines_of(look(arena, simulated=False))
    assert [pair["wanted"] for pair in progress["pairs"]] == [None] * 3
    assert progress["whole"]["wanted"] == 5
    assert progress["remaining"]["evaluators"] == 2


def test_an_arena_that_has_its_votes_needs_nobody(tmp_path):
    study = small_study(tmp_path, arena=True, comparison={"arena": {"most_votes": 20}})
    simulate(study, 10)
    found, progress = looked_at(study, simulated=True)

    assert len(found) == 2
    why = "all 2 planned evaluators have finished"
    assert progress["arena"]["enough"] == why
    assert f"Arena: {why}; nobody more is needed" in lines_of(look(study, simulated=True))
    assert progress["remaining"]["evaluators"] == 0


def test_an_arena_that_knows_the_top_names_it(tmp_path):
    """Everybody always prefers what a condition made."""
    study = small_study(
        tmp_path,
        arena=True,
        comparison={"arena": {"pairs": "random", "most_votes": 300, "images": "fixed"}},
    )

    def fond(trial: ComparisonTrial, _n: int) -> Response:
        if trial.obvious:
            return Response(trial.obvious.value, "f", 900.0)
        best = max((trial.left, trial.right), key=lambda one: one.condition)
        return Response("left" if best is trial.left else "right", "f", 900.0)

    with record_of(study) as engine:
        for number in range(11):
            compare(engine, study, f"p{number}", PaperComparer(chooses=fond))
        _, before = looked_at(study)
        compare(engine, study, "p11", PaperComparer(chooses=fond))
        _, progress = looked_at(study)

    known = progress["arena"]
    assert before["arena"]["enough"] == ""
    assert (known["reached"], known["top"]) == (True, "good")
    assert (len(looked_at(study)[0]), known["next_look"]) == (12, None)
    assert known["enough"].startswith("the top is known after ")
    assert progress["whole"]["needed"] == 0
    assert progress["whole"]["wanted"] > 12
