"""`hype power`: what it prints, what it refuses, and that it leaves the record alone."""

from pathlib import Path
from typing import Any

import pytest
from builders import contents, named_study

from hype.errors import InputError
from hype.protocols.hype.planning.evaluators_needed import numbers_in
from hype.protocols.hype.planning.plan import plan_study
from hype.protocols.hype.settings import Study

SHORT: dict[str, Any] = {
    "study": {"methods": ["infinity"]},
    "practice": {"trials": 0},
    "qualification": {"enabled": False},
    "infinity": {"trials": 10},
    "time": {"blocks": 1, "trials": 10},
    "observers": {"crude": {"ceiling": 0.9}, "good": {"ceiling": 0.75}},
}
"""Sessions as short as can be: 400 evaluators are simulated several times over."""


def short_study(folder: Path, **changes: Any) -> Study:
    return named_study(folder, {"": 30, "crude": 30, "good": 30}, **(SHORT | changes))


@pytest.fixture
def sixty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate fewer evaluators, where nothing hangs on how sure the answer is."""
    monkeypatch.setitem(plan_study.__kwdefaults__, "people", 60)


def test_everything_that_was_found_as_json(tmp_path: Path, hype: Any) -> None:
    study = short_study(tmp_path, pay={"base": 2.0, "per_correct": 0.0, "currency": "EUR"})
    options = (study.folder, "--evaluators", "30,10,10", "--difference", 10, "--json")
    before = contents(tmp_path)

    found = hype("power", *options).json

    assert contents(tmp_path) == before
    assert (found["study"], found["simulated"]) == (str(study.path), True)
    assert (found["method"], found["unit"], found["difference"]) == ("infinity", "%", 10)
    assert found["difference_reached"] == pytest.approx(10, rel=0.05)
    reached = found["rival_score"] - found["baseline_score"]
    assert found["difference_reached"] == pytest.approx(reached)
    assert (found["baseline"], found["rival_replaces"], found["direction"]) == (
        *("good", "crude"),
        "up",
    )
    assert found["conditions"] == ["good", "rival"]
    assert found["parameter"]["name"] == "ceiling"
    assert found["settling_ms"] is None, "nothing settles without a staircase"
    assert found["parameter"]["rival"] < found["parameter"]["baseline"] == 0.75
    assert (found["analysis"], found["alpha"]) == ("clustered-t", 0.05)
    assert (found["studies"], found["population"], found["seed"]) == (2000, 400, 0)
    ten, thirty = found["rows"]
    assert (ten["evaluators"], thirty["evaluators"]) == (10, 30)
    assert ten["power"] < thirty["power"]
    assert ten["interval_width"] > thirty["interval_width"]
    assert 0 < thirty["power_se"] < 0.1
    assert abs(thirty["false_alarms"] - 0.05) < 4 * thirty["false_alarms_se"]
    assert (ten["cost"], thirty["cost"]) == (40.0, 120.0)
    assert found["currency"] == "EUR"
    assert thirty["hours"] == pytest.approx(60 * thirty["hours_per_evaluator"])
    minutes = found["session_minutes_expected"]
    assert thirty["hours_expected"] == pytest.approx(60 * minutes / 60)
    assert thirty["turned_away_share"] == 0
    assert found["evaluators_for_80"] > 10

    # The same figures again, whichever other numbers are asked about.
    again = hype("power", *options, "--evaluators", "10").json
    assert again == {**found, "rows": [ten], "evaluators_for_80": again["evaluators_for_80"]} | {
        "evaluators_for_80_extrapolated": True
    }


@pytest.mark.usefixtures("sixty")
def test_what_a_person_reads(tmp_path: Path, hype: Any) -> None:
    study = short_study(
        tmp_path,
        study={"methods": ["time", "infinity"], "evaluator_does": "all-methods"},
        qualification={"enabled": True, "trials": 10, "pass_rate": 0.6},
    )

    ran = hype(
        *("power", study.folder, "--method", "infinity", "--difference", 8),
        *("--evaluators", "5,6", "--condition", "crude", "--studies", 200),
    )

    assert ran.code == 0
    assert "SIMULATED EVALUATORS: nobody real was asked" in ran.err
    assert "SIMULATED" not in ran.out
    for said in (
        "HYPE_∞: the chance to tell two conditions whose true scores differ by 8 percentage points",
        "None of these has 80% power. About ",
        "extrapolated",
        "Baseline: crude, which scores ",
        "Rival: the same observers with a ceiling of ",
        " percentage points above. It takes the place of good,",
        "Student's t of this pair, with other people and other images in its error, at α = 0.05, ",
        "of 200 studies drawn for each row, with replacement, from 60 simulated evaluators",
        "are turned away and replaced)",
        "Both are of whole sessions with all methods.",
        "Observers are those of the study file",
    ):
        assert said in ran.out
    rows = [line.split() for line in ran.out.splitlines() if line.strip()[:2] in ("5 ", "6 ")]
    assert [len(row) for row in rows] == [9, 9]


@pytest.mark.usefixtures("sixty")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--difference", "0"), "--difference: 0 is no difference; a number above 0"),
        (("--difference", "-5"), "--difference: -5 is no difference"),
        (("--difference", "nan"), "--difference: nan is no difference"),
        (("--difference", "inf"), "--difference: inf is no difference"),
        (("--evaluators", "10,x"), "--evaluators: 'x' is no number; whole numbers from 2"),
        (("--evaluators", "10,,20"), "--evaluators: '' is no number"),
        (("--evaluators", "1,10"), "--evaluators: 1 is out of range"),
        (("--evaluators", "10001"), "--evaluators: 10001 is out of range"),
        (("--evaluators", "2.5"), "--evaluators: '2.5' is no number"),
        (("--studies", "99"), "--studies: 99 is out of range; 100 to"),
        (("--seed", "-1"), "--seed: -1 is negative"),
        (("--condition", "best"), "--condition: 'best' is no condition of"),
        (("--method", "time"), "--method: 'time' is no method of"),
        (("--difference", "99"), "no rival of 'good' has a score so far from its own"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_input_gets_one_message(
    options: tuple[str, str], message: str, tmp_path: Path, hype: Any
) -> None:
    study = short_study(tmp_path)

    assert message in hype("power", study.folder, "--difference", "5", *options).refused()


@pytest.mark.usefixtures("sixty")
def test_of_two_methods_it_plans_one_and_names_the_other(tmp_path: Path, hype: Any) -> None:
    study = short_study(tmp_path, study={"methods": ["time", "infinity"]})

    done = hype("power", study.folder, "--difference", "8", "--evaluators", "5")

    assert done.code == 0
    assert "differ by 8 percentage points" in done.out
    assert "The study has HYPE_time too: --method time asks about that." in done.out


def test_numbers_are_taken_in_order_and_once() -> None:
    assert numbers_in("30, 10,20,10") == (10, 20, 30)
    with pytest.raises(InputError, match="'²' is no number"):
        numbers_in("²")
