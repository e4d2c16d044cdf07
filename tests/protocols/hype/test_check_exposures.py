"""The pre-flight of exposures and masks, and of staircases that cannot settle."""

import re
from pathlib import Path
from typing import Any

import pytest
from builders import write_study

from hype.check.findings import Preflight
from hype.errors import InputError
from hype.protocols.hype.checks import check_exposures, lines_of_study, refuse_rounding
from hype.protocols.hype.settings import TimeSettings
from hype.protocols.hype.settling import check_settling, find_unsettled
from hype.protocols.load import load_study


def checked(folder: Path, refresh_hz: float, **changes: Any) -> Preflight:
    flight = Preflight()
    check_exposures(flight, write_study(folder, **changes), refresh_hz)
    return flight


def test_a_screen_on_which_all_is_exact(tmp_path):
    flight = checked(tmp_path, 100.0)

    assert flight.findings == []
    assert flight.facts["staircase_settles_at"] == 0.63
    assert flight.facts["exposures"]["levels"] == flight.facts["exposures"]["distinct"] == 91
    assert flight.facts["exposures"]["inexact_ms"] == ()
    assert flight.facts["masks_shown"]["inexact_ms"] == ()


def test_a_screen_on_which_little_is(tmp_path):
    flight = checked(tmp_path, 60.0)
    exposures, masks = flight.facts["exposures"], flight.facts["masks_shown"]

    assert exposures["levels"] == 91
    assert exposures["distinct"] == 55
    assert len(exposures["inexact_ms"]) == 72
    assert exposures["largest_deviation_ms"] == 6.667
    assert exposures["exact_at_hz"] == (100, 200, 300, 500)
    assert (masks["worst_shown_ms"], masks["largest_deviation_ms"]) == (33.333, 3.333)
    assert [(f.code, f.severity, f.message) for f in flight.findings] == [
        (
            "exposure-rounded",
            "warning",
            "at 60 Hz the exposure of 110 ms lasts 116.7 ms, off by 6.7 ms",
        ),
        ("mask-rounded", "warning", "at 60 Hz a mask of 30 ms lasts 33.3 ms, off by 3.3 ms"),
    ]
    for finding in flight.findings:
        assert "100, 200, 300 or 500 Hz" in finding.remedy
        assert "hype run refuses only deviations above timing.rounding_ms" in finding.remedy


@pytest.mark.parametrize(
    ("rounding_ms", "codes"),
    [
        (0.0, ["exposure-rounded", "mask-rounded"]),
        (1.0, ["exposure-rounded", "mask-rounded"]),
        (3.4, ["exposure-rounded"]),
        (6.6, ["exposure-rounded"]),
        (6.7, []),
    ],
)
def test_what_the_study_accepts_is_no_finding_and_the_rest_is_refused(rounding_ms, codes, tmp_path):
    changes = {"timing": {"rounding_ms": rounding_ms}}
    flight = checked(tmp_path, 60.0, **changes)
    study = write_study(tmp_path, **changes)

    assert [(f.code, f.severity) for f in flight.findings] == [(code, "error") for code in codes]
    if codes:
        with pytest.raises(InputError) as refused:
            refuse_rounding(study, 60.0)
        first = flight.findings[0]
        assert str(refused.value) == f"{first.message}; {first.remedy}"
    else:
        refuse_rounding(study, 60.0)


def test_quest_plus_says_its_start_its_threshold_and_how_it_differs_from_the_paper(tmp_path):
    time = {"blocks": 3, "trials": 150, "staircase": {"preset": "quest+", "max_ms": 800.0}}
    lines = list(lines_of_study(checked(tmp_path, 60.0, time=time).facts))
    assert lines[:2] == [
        ("quest+", "starts at 267 ms; searches for the threshold, the exposure with 75.0% correct"),
        ("", 'differs from the paper, which has preset = "hype", max_ms = 1000'),
    ]


def test_an_untimed_study_has_no_exposures(tmp_path):
    changes: dict[str, Any] = {"study": {"methods": ["infinity"]}, "timing": {"rounding_ms": 0.0}}
    flight = checked(tmp_path, 60.0, **changes)
    refuse_rounding(write_study(tmp_path, **changes), 60.0)

    assert (flight.findings, flight.facts) == ([], {})


def test_a_staircase_without_a_threshold_is_warned_of(tmp_path):
    rule = {"correct_to_descend": 1, "allow_at_or_below_chance": True}
    (finding,) = checked(tmp_path, 100.0, time={"staircase": rule}).findings
    assert (finding.code, finding.severity) == ("staircase-below-chance", "warning")
    assert "settles at 25.0% correct, which guessing also reaches" in finding.message
    assert finding.remedy


EXPERIMENTS = Path(__file__).parents[3] / "experiments"


def timed(**changes: Any) -> TimeSettings:
    return TimeSettings.model_validate(changes)


def settled(folder: Path, **time: Any) -> Preflight:
    flight = Preflight()
    check_settling(
        flight, write_study(folder, time={"staircase": {"allow_unsettled": False}} | time)
    )
    return flight


def test_blocks_that_are_too_short_are_a_problem_that_says_what_to_change(tmp_path):
    flight = settled(tmp_path, blocks=3, trials=20)
    (found,) = flight.findings

    assert flight.exit_code == 1
    assert (found.code, found.severity) == ("staircase-unsettled", "problem")
    assert re.search(
        r"20 trials per block are too few for the staircase to get from 500 ms to where it "
        r"settles: simulated people who should score 178, 316 and 562 ms score 4\d\d, 4\d\d and "
        r"5\d\d ms; such a block measures .* \d+ to \d+ ms, less than half the range 100 to 1000",
        found.message,
    )
    assert 'methods = ["infinity"]' in found.remedy
    assert "allow_unsettled = true" in found.remedy
    assert not flight.facts["staircase_measures"]["settles"]


def test_what_the_remedy_says_helps():
    found = find_unsettled(timed(trials=20))
    assert found is not None
    easier = r"blocks = (\d+), time\.trials = (\d+), .*\.down_ms = (\d+) and up_ms = (\d+)"
    blocks, trials, down_ms, up_ms = map(int, re.findall(easier, found.remedy)[0])
    longer = r"time\.trials = (\d+), with (\d+) real"
    more, images = map(int, re.findall(longer, found.remedy)[0])
    steps = {"down_ms": float(down_ms), "up_ms": float(up_ms)}
    assert find_unsettled(timed(blocks=blocks, trials=trials, staircase=steps)) is None
    assert find_unsettled(timed(trials=more)) is None
    assert blocks * trials <= 60
    assert images == 3 * more // 2


def test_the_paper_and_the_demonstration_are_ready(tmp_path):
    flight = settled(tmp_path, blocks=3, trials=150)
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
            "all exposures last 200 ms, so everyone will have this score",
            "use different min_ms and max_ms",
        ),
        (
            {"staircase": {"down_ms": 1.0, "up_ms": 60.0}},
            r"settles at 99\.5% correct, but people .* never reach this",
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
    flight = settled(tmp_path, trials=6, staircase={"allow_unsettled": True})

    assert flight.findings == []
    assert not flight.facts["staircase_measures"]["settles"]
