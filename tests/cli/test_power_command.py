"""`hype power`: its output, and the input that it refuses."""

import pytest
from builders import contents, named_study
from compared_studies import compared_study
from rated_studies import rated_study

from hype.planning import people


@pytest.fixture(autouse=True)
def few_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the simulated pools of people small."""
    monkeypatch.setattr(people, "FEWEST", 20)
    monkeypatch.setattr(people, "MOST", 20)


SHORT = {
    "study": {"methods": ["infinity"]},
    "infinity": {"trials": 8},
    "practice": {"trials": 0},
    "qualification": {"enabled": False},
    "observers": {"crude": {"ceiling": 0.95}, "good": {"ceiling": 0.75}},
}


def test_a_study_is_planned_and_nothing_is_written(tmp_path, hype):
    study = named_study(tmp_path, **SHORT)
    before = contents(tmp_path)
    asked = ("power", study.folder, "--difference", 15, "--studies", 20)
    told = hype(*asked, "--evaluators", "5,12", "--json").json
    said = hype(*asked, "--evaluators", 5)

    assert (told["score"], told["unit"]) == ("HYPE_∞", "percentage points")
    assert (told["baseline"], told["rival"]) == ("good", "crude")
    assert told["difference_reached"] == pytest.approx(15, rel=0.06)
    assert told["parameter"]["rival"] < told["parameter"]["baseline"] == 0.75
    assert [row["evaluators"] for row in told["rows"]] == [5, 12]
    assert [row["people"] for row in told["rows"]] == [10, 24]
    assert "SIMULATED EVALUATORS" in said.err
    assert "Pair: good and a rival that replaces crude and has its images." in said.out
    assert contents(tmp_path) == before


@pytest.mark.parametrize(("win_rate", "needed"), [(0.55, "778"), (0.52, "4,898"), (0.6, "189")])
def test_what_a_win_rate_takes(win_rate, needed, hype):
    """One source prints 188, but its own formula gives 189."""
    done = hype("power", "--win-rate", win_rate)
    assert f"{needed} comparisons of two conditions are needed" in done.out


def test_what_a_number_of_comparisons_tells(hype):
    said = hype("power", "--comparisons", 100).out
    assert "100 comparisons detect a win rate of 63.5% or more with 80% power" in said
    row = next(line for line in said.splitlines() if line.startswith("0.55"))
    assert row.split() == ["0.55", "778", "17.0%", "18.41%"]


def test_wrong_options_are_one_message(tmp_path, hype):
    hyped = named_study(tmp_path / "a", **SHORT).folder
    compared = compared_study(tmp_path / "b").folder
    both = {name: {"strength": 0.5} for name in ("crude", "good")}
    alike = rated_study(tmp_path / "c", observers=both).folder
    for given, said in (
        ((), "STUDY: is missing; name a study, or plan without one: --win-rate"),
        ((hyped, "--win-rate", 0.6), "--win-rate: does not apply to HYPE_∞; give --difference in"),
        ((hyped, "--method", "time"), "--method: 'time' is not a method of"),
        ((hyped, "--evaluators", "a"), "--evaluators: 'a' is not a number; such as 10,20,30,60"),
        ((hyped, "--comparisons", 9), "--comparisons: is only for win rates without a study"),
        ((hyped, "--condition", "x"), "--condition: 'x' is not a condition of the study"),
        ((hyped, "--seed", -1), "--seed: -1 is negative"),
        ((alike,), "equal observers, so their scores do not differ; give --difference, or"),
        ((compared, "--win-rate", 1.2), "--win-rate: 1.2; above 0 and below 1"),
        ((compared, "--win-rate", 0.6, "--difference", 9), "means the same as --difference"),
    ):
        assert said in hype("power", *given).refused()
