"""Simulated evaluators of a planned study: who comes, who the rival is, what it all takes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import contents, named_study

from hype.errors import InputError, SessionProblem
from hype.protocols.hype.conduct import observer_of
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.planning.evaluators_needed import (
    EvaluatorsPlan,
    rival_sentence,
    scorer,
    simulated_pair,
    taken,
)
from hype.protocols.hype.planning.plan import (
    SimulatedPlan,
    design_of,
    outlay,
    placed,
    plan_study,
)
from hype.protocols.hype.planning.rival import measured, moved, place_rival, position, settling_ms
from hype.protocols.hype.planning.sessions import (
    HardlyAnyonePasses,
    PlannedDesign,
    SimulatedGroup,
    SimulatedSession,
    gather,
    group_of,
    sit,
)
from hype.protocols.hype.sampling import plan_session
from hype.protocols.hype.scoring import score as score_table
from hype.protocols.hype.script import hype_session
from hype.protocols.hype.settings import Study
from hype.session.simulate import conduct
from hype.session.steps import Ending, Pay
from hype.store.recorder import CollectingRecorder
from hype.study.assignment import Assignment, Cell
from hype.workers import worker_pool

ROOM = {"": 60, "crude": 60, "fair": 60, "good": 60}
"""Images by condition that are more than one evaluator of `study` needs."""
PLAIN: dict[str, Any] = {
    "study": {"methods": ["infinity"]},
    "practice": {"trials": 0},
    "qualification": {"enabled": False},
    "infinity": {"trials": 20},
    "time": {"blocks": 1, "trials": 30, "staircase": {"allow_unsettled": True}},
    "observers": {
        "crude": {"threshold_ms": 60.0, "ceiling": 0.95},
        "fair": {"threshold_ms": 150.0, "ceiling": 0.85},
        "good": {"threshold_ms": 400.0, "ceiling": 0.70},
    },
}
"""Short sessions of one method, from which nobody is turned away."""
TIMED: dict[str, Any] = PLAIN | {"study": {"methods": ["time"]}}
PICKY: dict[str, Any] = PLAIN | {
    "qualification": {"trials": 12, "pass_rate": 0.8, "on_own_condition": True},
}
"""Some are turned away."""
SCORE = scorer()


def study_of(folder: Path, changes: dict[str, Any], **counts: int) -> Study:
    return named_study(folder, counts or ROOM, **changes)


def quiet(*_: object) -> None:
    """Show no progress."""


def planned(study: Study, difference: float, **options: Any) -> SimulatedPlan:
    options = {"people": 40, **options}
    return plan_study(study, difference, score=SCORE, progress=quiet, **options)


def gathered(
    design: PlannedDesign, *conditions: str, wanted: int, workers: int = 1
) -> dict[str, SimulatedGroup]:
    with worker_pool(workers) as people:
        return gather(people, design, conditions, wanted=wanted, progress=quiet)


@pytest.mark.parametrize(("method", "changes"), [("infinity", PLAIN), ("time", TIMED)])
def test_a_sitting_is_scored_as_the_analysis_scores_the_same_judgements(
    tmp_path: Path, method: str, changes: dict[str, Any]
) -> None:
    design = design_of(study_of(tmp_path, changes), method, 3)
    rows = []
    for number in range(4):
        cell = Cell(condition="fair", methods=design.methods)
        given = Assignment(evaluator=f"planned-{number:05d}", cell=cell, left_means="real")
        plan = plan_session(design.settings, design.pools, given)
        kept = CollectingRecorder({"evaluator": given.evaluator, "condition": "fair"})
        person = observer_of(design.people, plan, seed=3)
        script, time = hype_session(plan), design.settings.time
        countdown_ms = time.countdown_from * time.countdown_ms
        conduct(script, person, kept, countdown_ms=countdown_ms, unix_s=0.0, monotonic_s=0.0)
        rows += [row | {"condition": "fair"} for _, row in kept.rows]

    (table,) = score_table(pd.DataFrame(rows), draws=100)
    expected = [each.score for each in table.conditions[0].evaluator_scores]

    assert [SCORE(sit(design, "fair", number)) for number in range(4)] == expected
    assert len(set(expected)) > 1


def test_a_sitting_tells_what_was_paid_for_and_how_long_it_took(tmp_path: Path) -> None:
    design = design_of(study_of(tmp_path, TIMED), "time", 0)

    found = sit(design, "good", 5)

    assert found == sit(design, "good", 5)
    assert found != sit(design, "good", 6)
    assert found.ending is Ending.COMPLETE
    assert (found.judged, found.correct) == (30, 30 - found.wrong)
    assert [len(block) for block in found.exposures_ms] == [30]
    # Countdown, masks and feedback alone, without exposures and responses.
    assert found.seconds > 30 * (1.5 + 0.12 + design.settings.display.feedback_ms / 1000)


def test_an_evaluator_of_all_methods_is_paid_for_all_and_scored_for_one(tmp_path: Path) -> None:
    both = {"methods": ["time", "infinity"], "evaluator_does": "all-methods"}
    study = study_of(tmp_path, PLAIN | {"study": both})

    timed = sit(design_of(study, "time", 0), "good", 1)
    untimed = sit(design_of(study, "infinity", 0), "good", 1)

    assert (timed.judged, untimed.judged) == (30, 20)
    assert timed.correct == untimed.correct == 50 - timed.wrong - untimed.wrong
    assert timed.seconds == untimed.seconds
    assert untimed.exposures_ms == ()


def test_those_who_are_turned_away_are_replaced_in_order(tmp_path: Path) -> None:
    design = design_of(study_of(tmp_path, PICKY), "infinity", 0)

    group = gathered(design, "good", wanted=30)["good"]

    everyone = sorted([*group.complete, *group.turned_away], key=lambda each: each.number)
    assert [each.number for each in everyone] == list(range(len(everyone)))
    assert len(group.complete) == 30
    assert everyone[-1].ending is Ending.COMPLETE
    assert group.turned_away
    assert {(each.judged, each.correct) for each in group.turned_away} == {(0, 0)}


@pytest.mark.long
def test_it_does_not_matter_how_many_processes_simulate(tmp_path: Path) -> None:
    design = design_of(study_of(tmp_path, PICKY), "infinity", 0)

    alone = gathered(design, "crude", "good", wanted=60)

    assert gathered(design, "crude", "good", wanted=60, workers=2) == alone


def test_where_hardly_anyone_passes_it_is_given_up(tmp_path: Path) -> None:
    hopeless = {"ceiling": 0.5, "lapse": 1.0}
    study = study_of(
        tmp_path, PICKY | {"observers": dict.fromkeys(("crude", "fair", "good"), hopeless)}
    )

    with pytest.raises(SessionProblem, match="hardly ever pass the qualification"):
        planned(study, 5)


def sitting(
    number: int, correct: int, seconds: float, *, complete: bool = True
) -> SimulatedSession:
    ending = Ending.COMPLETE if complete else Ending.UNQUALIFIED
    return SimulatedSession(
        number=number,
        ending=ending,
        seconds=seconds,
        correct=correct,
        judged=20,
        wrong=20 - correct,
        exposures_ms=(),
    )


def test_who_comes_after_the_last_who_is_wanted_is_left_out() -> None:
    came = [sitting(2, 9, 1.0), sitting(0, 0, 1.0, complete=False), sitting(1, 8, 1.0)]

    group = group_of(came, 1)

    assert ([s.number for s in group.complete], [s.number for s in group.turned_away]) == ([1], [0])


def test_base_is_paid_to_those_who_are_turned_away_and_their_hours_count() -> None:
    away = sitting(9, 0, 900.0, complete=False)
    one = SimulatedGroup(
        complete=(sitting(0, 10, 3600.0), sitting(1, 20, 7200.0)), turned_away=(away,)
    )
    other = SimulatedGroup(
        complete=(sitting(0, 10, 3600.0), sitting(1, 10, 3600.0)), turned_away=()
    )

    found = outlay([one, other], Pay(base=1.0, per_correct=0.1, currency="$"), 10)

    # Of the first: 1 + 1.5 on average, and half a base for each; of the other 1 + 1.
    assert found.cost == pytest.approx(10 * (2.5 + 0.5 + 2.0))
    assert found.hours == pytest.approx(10 * (1.5 + 0.125 + 1.0))
    assert found.hours_per_evaluator == pytest.approx(1.25)
    assert found.turned_away_share == pytest.approx(0.5 / 2.5)


@pytest.mark.parametrize("method", ["time", "infinity"])
def test_an_observer_is_moved_along_what_the_method_measures(method: Any) -> None:
    typical = Psychometric(threshold_ms=200.0, ceiling=0.9, timed_ceiling=0.8)

    there = moved(typical, method, 0.7)

    assert position(there, method) == pytest.approx(position(typical, method) + 0.7)
    same = {"threshold_ms": 200.0} if method == "time" else {"ceiling": 0.9}
    assert replace(there, **same) == pytest.approx(typical)
    assert there.threshold_ms >= 200
    assert there.ceiling <= 0.9


@pytest.mark.parametrize(("method", "changes"), [("infinity", PICKY), ("time", TIMED)])
def test_a_rival_that_is_not_moved_scores_what_the_baseline_does(
    tmp_path: Path, method: Any, changes: dict[str, Any]
) -> None:
    """The same people with the same luck: what is calibrated is the difference alone."""
    place = place_rival(design_of(study_of(tmp_path, changes), method, 0), "fair", "good")

    groups = gathered(place.design, "fair", "good", wanted=10)

    assert list(map(SCORE, groups["fair"].complete)) == list(map(SCORE, groups["good"].complete))


@pytest.mark.parametrize(
    ("changes", "difference", "options"),
    [(PLAIN, 6.0, {}), (PICKY, 12.0, {}), (TIMED, 60.0, {}), (PLAIN, 26.0, {"condition": "good"})],
    ids=["infinity", "with a qualification", "time", "past chance"],
)
def test_the_rival_differs_by_what_was_asked_for_and_the_rest_is_as_it_was(
    tmp_path: Path, changes: dict[str, Any], difference: float, options: dict[str, Any]
) -> None:
    study = study_of(tmp_path, changes)

    plan = planned(study, difference, **options)

    baseline, rival, _ = (g.mean(SCORE) for g in plan.groups.values())
    assert plan.calibrated.difference == pytest.approx(rival - baseline)
    assert plan.calibrated.difference == pytest.approx(difference, rel=0.05)
    assert next(iter(plan.groups)) == options.get("condition", "fair")
    assert [len(group.complete) for group in plan.groups.values()] == [40] * 3
    before, after = design_of(study, plan.design.method, 0).people, plan.design.people
    name = list(plan.groups)[2]
    assert after.typical[name] == before.typical[name]
    assert after.typical[plan.place.rival] == plan.rival
    assert after.spread(plan.place.rival) == before.spread(plan.place.baseline)


def test_of_staircases_it_is_said_where_endless_trials_would_bring_them(tmp_path: Path) -> None:
    study = study_of(tmp_path, TIMED)
    plan = EvaluatorsPlan(
        study=study,
        planned=planned(study, 60, people=20),
        difference=60,
        people=((263.0,), (323.0,)),
        rows=(),
        studies=100,
        seed=0,
        enough=None,
        perhaps=None,
    )

    before, after = plan.settling_ms or (0.0, 0.0)

    assert before == pytest.approx(plan.planned.place.typical.settling_ms(0.63), rel=0.01)
    assert after / before == pytest.approx(plan.planned.rival.threshold_ms / 150)
    assert (
        f"Endless trials would bring typical ones to {after:.0f} instead of {before:.0f} ms. It "
        "takes the place of"
    ) in rival_sentence(plan)


@pytest.mark.long
def test_scores_at_chance_jump_and_a_difference_within_the_jump_is_sought_below(
    tmp_path: Path,
) -> None:
    """Where the typical person sees nothing, no one sees less than nothing."""
    plan = planned(study_of(tmp_path, PLAIN), 20, condition="good", people=80)

    assert plan.calibrated.difference == pytest.approx(-20, rel=0.05)


@pytest.mark.long
def test_where_there_is_no_more_convincing_rival_it_is_a_less_convincing_one(
    tmp_path: Path,
) -> None:
    staircase = {"start_ms": 200.0, "min_ms": 50.0, "max_ms": 240.0, "allow_unsettled": True}
    changes = TIMED | {
        "time": {"blocks": 1, "trials": 30, "staircase": staircase},
        "observers": {c: {"threshold_ms": 900.0} for c in ("crude", "fair", "good")},
    }

    plan = planned(study_of(tmp_path, changes), 60)

    assert plan.calibrated.difference == pytest.approx(-60, rel=0.05)
    assert plan.rival.threshold_ms < 900


@pytest.mark.parametrize(
    ("changes", "difference", "message"),
    [
        (PLAIN, 95, r"95 percentage points: by its ceiling alone, .* at most \d.* above, or \d"),
        (TIMED, 900, r"900 ms: by its threshold_ms alone, .* at most [\d.]+ above, or \d"),
        pytest.param(PLAIN, 1e-4, r"the nearest found are [+-].* and [+-]", marks=pytest.mark.long),
    ],
)
def test_what_cannot_be_reached_is_refused_with_what_can(
    tmp_path: Path, changes: dict[str, Any], difference: float, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        planned(study_of(tmp_path, changes), difference)


@pytest.mark.long
def test_a_rival_whom_nobody_would_qualify_for_is_out_of_reach(tmp_path: Path) -> None:
    """With half of the fakes misleading, no one would pass; below that, rivals are found."""
    observers = {"crude": {"ceiling": 0.95}, "fair": {"ceiling": 0.9}}
    counts = {"": 60, "fair": 60, "crude": 60}
    study = study_of(tmp_path, PICKY | {"observers": observers}, **counts)

    with pytest.raises(InputError, match="no rival of 'fair'"):
        planned(study, 80, condition="fair")
    assert planned(study, 10, condition="fair").calibrated.difference > 0


def test_the_only_condition_gets_a_rival_beside_it(tmp_path: Path) -> None:
    plan = planned(study_of(tmp_path, PLAIN | {"observers": {}}, **{"": 40, "own": 40}), 8)

    assert (plan.place.baseline, plan.place.replaces, len(plan.groups)) == ("own", False, 2)
    assert plan.calibrated.difference == pytest.approx(8, rel=0.05)
    assert plan.predicted == {}


def test_images_that_differ_are_allowed_for(tmp_path: Path) -> None:
    """The rival's images may look more fake than the baseline's, before it is moved."""
    plan = planned(study_of(tmp_path, PLAIN | {"people": {"image_spread": 0.8}}), 6)

    assert plan.calibrated.difference == pytest.approx(6, rel=0.05)


@pytest.mark.parametrize(
    ("scores", "condition", "expected"),
    [
        ({"a": 1.0, "b": 2.0, "c": 9.0}, None, ("b", "a")),
        ({"a": 1.0, "b": 2.0, "c": 3.0, "d": 9.0}, None, ("c", "b")),
        ({"a": 1.0, "b": 2.0, "c": 9.0}, "c", ("c", "b")),
        ({"a": 4.0, "b": 2.0}, None, ("a", "b")),
    ],
)
def test_the_baseline_is_in_the_middle_and_the_rival_has_the_nearest_place(
    tmp_path: Path, scores: dict[str, float], condition: str | None, expected: tuple[str, str]
) -> None:
    counts = {"": 30} | dict.fromkeys(scores, 30)
    study = study_of(tmp_path, {"study": {"methods": ["infinity"]}}, **counts)

    place = placed(design_of(study, "infinity", 0), scores, condition)

    assert (place.baseline, place.rival) == expected


@pytest.mark.parametrize("each", [2, 3])
def test_who_serves_several_conditions_is_simulated_in_one_session(
    tmp_path: Path, each: int
) -> None:
    tables = PLAIN | {"study": {"methods": ["infinity"], "conditions_each": each}}
    plan = planned(study_of(tmp_path, tables), 8)
    baseline, rival = (group.complete for group in plan.groups.values())
    one, both = taken(plan, 30), simulated_pair(plan)

    assert [len(baseline), len(rival)] == [40, 40]
    assert [s.number for s in baseline] == [s.number for s in rival]
    assert [s.correct for s in baseline] == [s.correct for s in rival], "the whole is paid"
    assert {s.judged for s in (*baseline, *rival)} == {20}
    assert not {i for i, _, _ in baseline[0].answers} & {i for i, _, _ in rival[0].answers}
    assert plan.people(30) == 90 / each
    assert one.hours == pytest.approx(90 / each * one.hours_per_evaluator)
    assert (both.conditions, both.in_both(30)) == (3, 30 * (each - 1) // 2)
    assert both.difference == pytest.approx(plan.calibrated.difference)


def test_nothing_is_written_beside_the_study(tmp_path: Path) -> None:
    study = study_of(tmp_path, PLAIN)
    before = contents(tmp_path)

    planned(study, 8, people=20)

    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "pairs"}, r"--method: 'pairs' is no .*time \(a difference in ms\) or infinity"),
        ({"method": "time", "condition": "x"}, r"--condition: 'x' is no .*; crude, fair, good"),
    ],
)
def test_what_the_study_does_not_have_is_refused(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    study = study_of(tmp_path, PLAIN | {"study": {"methods": ["time", "infinity"]}})

    with pytest.raises(InputError, match=message):
        planned(study, 5, **options)


def test_a_staircase_that_cannot_settle_has_no_scores_to_plan(tmp_path: Path) -> None:
    """It was planned with a rival of three times the threshold, for the scores hardly differ."""
    short = {"time": {"blocks": 1, "trials": 30, "staircase": {"allow_unsettled": False}}}
    study = study_of(tmp_path, TIMED | short)

    with pytest.raises(InputError, match=r"30 trials a block .* methods = \["):
        planned(study, 50)


def test_no_rival_is_beyond_what_the_staircase_measures(tmp_path: Path) -> None:
    """Scores would differ by less and less, and the threshold by any factor."""
    steps = {"down_ms": 90.0, "up_ms": 30.0, "allow_unsettled": False}
    changes = TIMED | {"time": {"blocks": 1, "trials": 60, "staircase": steps}}
    design = design_of(study_of(tmp_path, changes), "time", 0)
    place = place_rival(design, "fair", "good")
    low_ms, high_ms = measured(design.settings)

    up, down = (place.moved(sign * place.room(sign)) for sign in (1, -1))

    assert high_ms < 1000
    for moved_to, end_ms in ((up, high_ms), (down, low_ms)):
        typical = moved_to.people.typical["good"]
        assert settling_ms(design, typical) == pytest.approx(end_ms)


def test_too_few_images_are_refused_before_anyone_is_simulated(tmp_path: Path) -> None:
    study = study_of(tmp_path, PLAIN, **(ROOM | {"good": 4}))

    with pytest.raises(InputError, match="has 4 images of 'good'"):
        planned(study, 5)


def test_the_problem_of_a_qualification_that_nobody_passes_names_its_cause() -> None:
    assert "too weak for its pass_rate" in str(HardlyAnyonePasses())
