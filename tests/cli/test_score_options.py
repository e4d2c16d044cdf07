"""The options of `hype score` for more output."""

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import csv_rows, named_study
from paper_station import record_of
from running import Program, Ran

Scored = Callable[..., Ran]

CONDITIONS = {"": 40, "crude": 40, "good": 40, "fine": 40}
STUDY = {
    "study": {"methods": ["infinity"]},
    "qualification": {"enabled": False},
    "infinity": {"trials": 20},
    "observers": {"crude": {"ceiling": 0.9}, "good": {"ceiling": 0.75}, "fine": {"ceiling": 0.6}},
}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of HYPE_∞ whose manifest has a class for each image."""
    from hype.protocols.registry import course_of
    from hype.session.simulate import Simulation

    study = named_study(tmp_path_factory.mktemp("options"), CONDITIONS, **STUDY)
    manifest = study.folder / "stimuli" / "manifest.csv"
    head, *rows = manifest.read_text().splitlines()
    classes = [f"{row},{('cat', 'dog')[place % 2]}" for place, row in enumerate(rows)]
    manifest.write_text("\n".join([f"{head},class", *classes]) + "\n")
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=3).fill(6))
    return study.folder


@pytest.fixture
def scored(simulated: Path, hype: Program) -> Scored:
    return lambda *options: hype("score", simulated, "--simulated", "--draws", "100", *options)


def test_the_bootstrap_over_images_is_for_who_asks(scored):
    told = scored("--json", "--two-way").json
    for row, both in zip(told["conditions"], told["two_way"], strict=True):
        assert row["condition"] == both["condition"]
        assert both["low"] <= row["score"] <= both["high"]
    assert "Other intervals" in scored("--two-way").out
    assert "Other intervals" not in scored().out


def test_classes_of_the_manifest_are_scored_apart(scored):
    told = scored("--json", "--by", "class").json

    assert [row["group"] for row in told["groups"]] == ["cat", "dog"]
    judgements = [cell["answers"] for cell in told["group_scores"]]
    assert sum(judgements) == sum(row["judgements"] for row in told["conditions"])
    assert [tests["df_within"] for tests in told["group_tests"]] == [15, 15]
    assert "HYPE_∞ by class (%)" in scored("--by", "class").out


def test_a_trend_along_the_conditions(scored):
    trend = scored("--json", "--order", "crude, good, fine").json["trend"]

    assert trend["order"] == ["crude", "good", "fine"]
    assert trend["slope"] > 0
    assert "Along crude → good → fine" in scored("--order", "crude,good,fine").out


def test_an_order_of_unknown_conditions_is_refused(scored):
    assert "there is no condition 'best'" in scored("--order", "crude,good,best").refused()


def test_images_are_written(scored, tmp_path):
    table = tmp_path / "images.csv"
    told = scored("--json", "--image-table", table).json
    rows = csv_rows(table)

    shown = sum(int(row["shown"]) for row in rows)
    assert shown == sum(row["judgements"] for row in told["conditions"])
    assert all(float(row["low"]) <= float(row["share"]) <= float(row["high"]) for row in rows)


def test_what_is_of_the_other_protocol_is_not_begun_but_said(scored):
    said = scored("--thresholds")

    assert "Note: No thresholds were fitted, since there are no judgements of HYPE_time" in said.out
    assert said.err == ""


def test_an_accuracy_that_is_chance_is_refused(scored):
    said = scored("--thresholds", "--at", "0.5").refused()

    assert "above 0.5, which is chance" in said
