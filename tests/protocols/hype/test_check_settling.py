"""The pre-flight of a staircase that cannot settle."""

import re
from pathlib import Path
from typing import Any

import pytest
from builders import write_study

from hype.check.findings import Preflight
from hype.protocols.hype.settings import TimeSettings
from hype.protocols.hype.settling import check_settling, find_unsettled
from hype.protocols.load import load_study

EXPERIMENTS = Path(__file__).parents[3] / "experiments"


def timed(**changes: Any) -> TimeSettings:
    return TimeSettings.model_validate(changes)


def checked(folder: Path, **time: Any) -> Preflight:
    flight = Preflight()
    check_settling(
        flight, write_study(folder, time={"staircase": {"allow_unsettled": False}} | time)
    )
    return flight


def test_blocks_that_are_too_short_are_a_problem_that_says_what_to_change(tmp_path):
    flight = checked(tmp_path, blocks=3, trials=20)
    (found,) = flight.findings

    assert flight.exit_code == 1
    assert (found.code, found.severity) == ("staircase-unsettled", "problem")
    assert re.search(
        r"20 trials a block do not bring the staircase from 500 ms to where it settles: observers "
        r"whose true scores are 178, 316 and 562 ms score 4\d\d, 4\d\d and 5\d\d ms; it measures "
        r"\d+ to \d+ ms, less than half of the doublings from 100 to 1000 ms",
        found.message,
    )
    assert 'methods = ["infinity"]' in found.remedy
    assert "allow_unsettled = true" in found.remedy
    assert not flight.facts["staircase_measures"]["settles"]


def test_what_the_remedy_says_helps():
    found = find_unsettled(timed(trials=20))
    assert found is not None
    blocks, trials, down_ms, up_ms = map(
        int,
        re.findall(
            r"time\.blocks = (\d+), time\.trials = (\d+), time\.staircase\.down_ms = (\d+) and "
            r"up_ms = (\d+) \(it measures \d+ to \d+ ms\)",
            found.remedy,
        )[0],
    )
    (more, images) = map(
        int, re.findall(r"time\.trials = (\d+), which takes (\d+) real", found.remedy)[0]
    )

    steps = {"down_ms": float(down_ms), "up_ms": float(up_ms)}
    assert find_unsettled(timed(blocks=blocks, trials=trials, staircase=steps)) is None
    assert blocks * trials <= 60
    assert find_unsettled(timed(trials=more)) is None
    assert images == 3 * more // 2


def test_the_paper_and_the_demonstration_are_ready(tmp_path):
    flight = checked(tmp_path, blocks=3, trials=150)
    facts = flight.facts["staircase_measures"]

    assert flight.findings == []
    assert (facts["settles"], facts["from_ms"], facts["trials"]) == (True, 100, 150)
    assert facts["observers"][0].keys() == {"true_ms", "score_ms", "spread_ms", "measured"}
    assert find_unsettled(timed(staircase={"preset": "weighted-75"})) is None
    for name in ("fashion", "fashion-short"):
        assert find_unsettled(load_study(EXPERIMENTS / name).settings.time) is None


@pytest.mark.parametrize(
    ("changes", "message", "remedy"),
    [
        (
            {"staircase": {"start_ms": 200.0, "min_ms": 200.0, "max_ms": 200.0}},
            "all exposures last 200 ms, which will be the score of everybody",
            "let min_ms and max_ms differ",
        ),
        (
            {"staircase": {"down_ms": 1.0, "up_ms": 60.0}},
            r"settles at 99\.5% correct, and people .* are not so often right",
            "a smaller up_ms",
        ),
    ],
)
def test_rules_that_never_settle(changes, message, remedy):
    found = find_unsettled(timed(**changes))

    assert found is not None
    assert re.search(message, found.message)
    assert remedy in found.remedy


def test_who_says_so_may_rehearse(tmp_path):
    flight = checked(tmp_path, trials=6, staircase={"allow_unsettled": True})

    assert flight.findings == []
    assert not flight.facts["staircase_measures"]["settles"]
