"""The progress of studies of comparisons, ratings and rankings."""

from typing import Any

import pytest
from compared_studies import simulate
from known import look
from paper_comparer import LIMIT_MS, Choosing, PaperComparer, compare, compared_soundly, small_study
from paper_ranker import PaperRanker, ranked_soundly, wavering
from paper_rater import rated_soundly
from paper_station import record_of
from prompted_builders import ranking_settings
from rated_studies import ranked_study
from verified_records import attend

from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.ranking.checking import codes
from hype.session.steps import Response
from hype.status.showing import status_lines
from hype.study.studies import AnyStudy


def looked_at(study: AnyStudy, *, simulated: bool = False) -> tuple[Any, Any]:
    """Return the facts on each evaluator, by code, and those on the study."""
    found = look(study, simulated=simulated, agreement=True).facts
    return {one["evaluator"]: one for one in found["evaluators"]}, found


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return compared_soundly(tmp_path_factory.mktemp("compared"))


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    return compared_soundly(tmp_path_factory.mktemp("arena"), arena=True)


def by_hand() -> Choosing:
    """Fail the validations of the second block; answer late, then too fast, then with a tie."""
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

    one = found["p01"]
    assert [one[name] for name in ("status", "answers", "unanswered", "hasty")] == [
        *("complete", 11, 1, 1)
    ]
    assert validations == one["validation_met"] >= 2
    assert 0 < one["validation_correct"] < 1
    assert one["passed"] is False
    assert one["bonus"] == round(0.03 * (11 + validations), 2)
    assert progress["whole"]["answers"] == 11


def test_votes_are_held_against_the_plan(study):
    found, progress = looked_at(study)
    votes = progress["whole"]["answers"]

    assert (votes, progress["answers_wanted"], progress["arena"]) == (39, 48, None)
    passed = {code: one["passed"] for code, one in found.items()}
    assert passed == {"p01": True, "p02": True, "p03": None, "p04": False, "p05": True}
    lines = [*status_lines(look(study, simulated=False))]
    assert "Answers: 39 of 48" in lines
    assert "Validation: 3 of 4 passed (75%)" in lines


def test_an_arena_says_what_it_knows(arena):
    found, progress = looked_at(arena)
    known = progress["arena"]

    assert [known[name] for name in ("most_votes", "goal", "reached", "top")] == [
        *(60, "top", False, None)
    ]
    # Evaluators who fail the validation are not scored, and an arena ignores them too.
    heard = [one["answers"] for one in found.values() if one["passed"] is not False]
    assert known["votes"] == sum(heard) < progress["whole"]["answers"] < 60
    assert known["enough"] == ""
    said = f"Arena: the best condition is not known yet; {known['votes']} of at most 60 votes"
    assert said in status_lines(look(arena, simulated=False))
    assert progress["answers_wanted"] is None
    assert progress["whole"]["wanted"] == 5
    assert progress["remaining"]["evaluators"] == 2


def test_an_arena_that_has_its_votes_needs_nobody(tmp_path):
    study = small_study(tmp_path, arena=True, comparison={"arena": {"most_votes": 20}})
    simulate(study, 10)
    found, progress = looked_at(study, simulated=True)

    assert len(found) == 2
    why = "all 2 planned evaluators have finished"
    assert progress["arena"]["enough"] == why
    assert f"No more evaluators are needed: {why}" in status_lines(look(study, simulated=True))
    assert progress["remaining"]["evaluators"] == 0


def test_an_arena_that_knows_the_top_names_it(tmp_path):
    """All evaluators always prefer the same condition."""
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
    assert known["enough"].startswith("the best condition is known after ")
    assert progress["whole"]["needed"] == 0
    assert progress["whole"]["wanted"] > 12


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return rated_soundly(tmp_path_factory.mktemp("rated"))


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    return ranked_soundly(tmp_path_factory.mktemp("ranked"))


def test_answers_on_all_axes_are_held_against_the_plan(rated):
    found, progress = looked_at(rated)
    one = found["p01"]

    assert one["answers"] == 36
    assert found["p05"]["answers"] == 2  # five answers, and three of them are practice
    assert (one["base"], one["bonus"], one["pay"]) == (1.0, 0.36, 1.36)
    assert progress["whole"]["answers"] == 3 * 36 + 2
    assert progress["answers_wanted"] == 3 * 48
    assert one["not_relevant"] > 0 == found["p02"]["not_relevant"]
    assert "Answers: 110 of 144" in status_lines(look(rated, simulated=False))


def test_rankings_are_counted(ranked):
    found, progress = looked_at(ranked)

    check1, one = found["check1"], found["p01"]
    assert check1["checker"]
    assert (check1["answers"], check1["tested"]) == (0, 1)
    assert check1["checked"] > 0
    assert (one["answers"], one["tested"], one["checked"]) in ((2, 1, None), (3, 1, None))
    assert one["bonus"] == round(0.10 * (one["answers"] + 1), 2)
    assert one["recall_in_test"] in (0.0, 1.0), "there is one group in the test"
    (first, *_) = look(ranked, simulated=False).facts["evaluators"]
    assert first["recall_in_test"] is None, "it is computed on request"
    assert progress["answers_wanted"] == 10
    assert "check1" not in {who["evaluator"] for who in found.values() if who["share"]}
    assert progress["whole"]["complete"] == 3, "checkers take no place of the design"


def test_rankings_are_held_against_checkers(tmp_path):
    study = ranked_soundly(tmp_path, screening={"min_recall": 0.5})
    found, progress = looked_at(study)
    lines = "\n".join(status_lines(look(study, simulated=False, agreement=True)))

    passed = [one["passed"] for one in found.values() if one["passed"] is not None]
    assert found["check1"]["passed"] is None
    assert f"Screening: {sum(passed)} of {len(passed)} passed" in lines
    checks = progress["checks"]
    assert f"Cross-checks: {checks['checked']} of {checks['rankings']} rankings" in lines
    assert f"Answers: {progress['whole']['answers']} of 10" in lines


def test_what_waits_for_a_checker(tmp_path):
    study = ranked_study(tmp_path, files=True, ranking={"groups": 1, "blocks": 1, "rankings": 1})
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker())
        attend(engine, study, "p02", PaperRanker())
    queue = looked_at(study)[1]["checks"]
    assert [queue[name] for name in ("rankings", "checked")] == [2, 0]
    assert [queue[name] for name in ("waiting", "under_way", "test_open")] == [2, 0, True]
    assert queue["checker"] == "check01"

    with record_of(study) as engine:
        attend(engine, study, "check01", PaperRanker(chooses=wavering, stops_at=3))
    queue = looked_at(study)[1]["checks"]
    assert queue["checked"] == 0
    assert [queue[name] for name in ("waiting", "under_way", "checker")] == [1, 1, "check01"]

    with record_of(study) as engine:
        attend(engine, study, "check01", PaperRanker())
        attend(engine, study, "check02", PaperRanker())
    queue = looked_at(study)[1]["checks"]
    assert [queue[name] for name in ("checked", "waiting", "under_way")] == [2, 0, 0]
    assert (queue["test_open"], queue["checker"]) == (False, "")


def test_codes_of_checkers_that_nobody_has():
    settings = ranking_settings(screening={"checkers": ["anna", "ben", "check*"]})
    free = codes(settings, {"anna", "check01"})
    assert [next(free) for _ in range(3)] == ["ben", "check02", "check03"]
    assert [*codes(ranking_settings(), ())] == []
