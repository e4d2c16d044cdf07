"""What the pre-flight says of exposures and masks, and what is refused because of it."""

from pathlib import Path
from typing import Any

import pytest
from builders import write_study

from hype.check.findings import Preflight
from hype.errors import InputError
from hype.protocols.hype.checks import check_exposures, refuse_rounding


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
    assert flight.facts["masks_shown"]["exact"]


def test_a_screen_on_which_little_is(tmp_path):
    flight = checked(tmp_path, 60.0)
    exposures, masks = flight.facts["exposures"], flight.facts["masks_shown"]

    assert exposures["levels"] == 91
    assert exposures["distinct"] == 55
    assert len(exposures["inexact_ms"]) == 72
    assert exposures["largest_deviation_ms"] == 6.667
    assert exposures["exact_at_hz"] == (100, 200, 300, 500)
    assert (masks["frames"], masks["shown_ms"], masks["deviation_ms"]) == (2, 33.333, 3.333)
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
        assert "timing.rounding_ms" in finding.remedy


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


def test_an_untimed_study_has_no_exposures(tmp_path):
    changes: dict[str, Any] = {"study": {"methods": ["infinity"]}, "timing": {"rounding_ms": 0.0}}
    flight = checked(tmp_path, 60.0, **changes)
    refuse_rounding(write_study(tmp_path, **changes), 60.0)

    assert (flight.findings, flight.facts) == ([], {})


def test_a_staircase_without_a_threshold_is_warned_of(tmp_path):
    rule = {"correct_to_descend": 1, "allow_at_or_below_chance": True}
    (finding,) = checked(tmp_path, 100.0, time={"staircase": rule}).findings

    assert (finding.code, finding.severity) == ("staircase-below-chance", "warning")
    assert "settles at 25.0% correct, which is no threshold" in finding.message
    assert finding.remedy
