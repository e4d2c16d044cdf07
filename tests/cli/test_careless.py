"""The study's rules find careless evaluators; they are excluded only if the study says so."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from builders import csv_rows, obvious_set, whole_study, write_study
from page_structure import facts_of
from paper_station import record_of
from running import Program
from small_studies import STUDIES

from hype.errors import InputError
from hype.protocols.hype.settings import Study
from hype.protocols.hype.wording import design_in_words
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation

STUDY = {
    "study": {"methods": ["infinity"]},
    "infinity": {"blocks": 2, "trials": 20},
    "qualification": {"enabled": False},
    "practice": {"trials": 0},
    "catch": {"trials": 8, "stimuli": "obvious"},
    "people": {"careless": 0.3},
}
RULES = {"catch_error": 0.25, "longest_run": 25}
COUNTS = {"": 50, "good": 50}
QUICK = ("--draws", 100)
LEFT_OUT = RULES | {"leave_out": True}


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Study]:
    """Make a study with some rules of exclusion, once for each set of rules."""

    @cache
    def make(rules: frozenset[tuple[str, object]]) -> Study:
        folder = tmp_path_factory.mktemp("careless")
        obvious_set(folder / "obvious", 8)
        study = whole_study(folder, COUNTS, **STUDY, exclusion=dict(rules))
        with record_of(study) as engine:
            list(Simulation(engine, course_of(study), seed=5).simulate_some(10))
        return study

    return lambda **exclusion: make(frozenset(exclusion.items()))


@pytest.fixture
def scored(ruled: Callable[..., Study], hype: Program) -> Callable[..., Any]:

    def score(**exclusion: object) -> Any:
        folder = ruled(**exclusion).folder
        return hype("score", folder, "--simulated", "--json", *QUICK).json

    return score


def test_they_are_named_and_scores_given_both_ways(scored, ruled, hype, tmp_path):
    plain, named = scored(), scored(**RULES)
    left_out = scored(**LEFT_OUT)
    flagged = [one["evaluator"] for one in named["careless"]["evaluators"]]
    (both,) = named["careless"]["conditions"]

    assert plain["careless"] is None
    assert 0 < len(flagged) < 10
    assert named["conditions"] == plain["conditions"]
    assert (both["evaluators"], both["evaluators_without"]) == (10, 10 - len(flagged))
    assert both["score"] == pytest.approx(named["conditions"][0]["score"])
    assert left_out["conditions"][0]["score"] == pytest.approx(both["score_without"])
    assert left_out["conditions"][0]["evaluators"] == 10 - len(flagged)
    hype("report", ruled(**LEFT_OUT).folder, "--simulated", "-o", tmp_path / "r.html", *QUICK)
    head = facts_of((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert head["Simulated evaluators"] == str(10 - len(flagged))
    assert left_out["careless"]["conditions"] == named["careless"]["conditions"]
    for result, fate in ((named, "scored like everyone else"), (left_out, "not scored: ")):
        (note,) = [one for one in result["notes"] if "careless" in one]
        assert fate in note
        assert all(who in note for who in flagged)


def test_other_protocols_have_the_same_rules(hype, tmp_path):
    half = {"fast_share": 0.5, "fast_ms": 2600.0}
    found = {}
    for name, rules in {"plain": {}, "named": half, "left": half | {"leave_out": True}}.items():
        (folder := tmp_path / name).mkdir()
        STUDIES["rating"](folder, exclusion=rules)
        assert hype("simulate", folder, "--evaluators", 8).code == 0
        hype("export", folder, "--simulated", "--format", "csv", "-o", folder / "out")
        (table,) = (folder / "out").glob("*s.csv")
        rows = csv_rows(table)
        careless = {row["evaluator"] for row in rows if row["careless"] == "speed"}
        found[name] = hype("score", folder, "--simulated", "--json").json, careless, rows
        assert hype("score", table, "--json").json["conditions"] == found[name][0]["conditions"]
    (plain, nobody, _), (named, some, _), (left, same, rows) = found.values()
    assert not nobody
    assert some == same
    assert 0 < len(some) < 8
    assert named["conditions"] == plain["conditions"]
    assert left["evaluators"] == plain["evaluators"] - len(some)
    assert {row["evaluator"] for row in rows if row["excluded"] == "careless"} == some
    for result, fate in ((named, "scored like everyone else"), (left, "not scored")):
        (note,) = [one for one in result["notes"] if "careless" in one]
        assert fate in note
        assert all(f"{who} (speed)" in note for who in some)


def test_rules_are_planned_and_described(tmp_path):
    obvious_set(tmp_path / "obvious", 8)
    study = whole_study(tmp_path, COUNTS, **STUDY, exclusion=RULES | {"fast_share": 0.5})
    topics = {one.topic: one.text for one in design_in_words(study.settings, ["good"])}

    assert [*study.settings.exclusion.in_words] == [
        "more than 50% of their answers came faster than 300 ms",
        "more than 25% of their catch trials were wrong",
        "the same answer came more than 25 times in a row",
    ]
    assert topics["exclusion"].endswith("they were listed, and scored like the others.")
    assert "8 images, 4 real and 4 generated" in topics["catch"]


def test_a_rule_on_catch_trials_needs_some(tmp_path):
    with pytest.raises(InputError, match=r"exclusion\.catch_error needs catch\.trials"):
        write_study(tmp_path, exclusion={"catch_error": 0.2})
