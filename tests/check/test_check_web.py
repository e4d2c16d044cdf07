"""The pre-flight of a study for browsers."""

from pathlib import Path
from typing import Any

import pytest
from bare_studies import NAMES, load
from known import check_web

from hype.check.findings import Finding, Preflight
from hype.check.web import describe_web

CODE = {"platform": "prolific", "completion": "A1", "no_consent": "B2", "screen_out": "C3"}


def check(protocol: str, folder: Path, **changes: Any) -> Preflight:
    flight = Preflight()
    check_web(flight, load(protocol, folder, **changes))
    return flight


def codes_of(flight: Preflight) -> set[str]:
    return {finding.code for finding in flight.findings}


@pytest.mark.parametrize("protocol", NAMES)
def test_a_study_without_settings_for_browsers_has_no_findings(protocol, tmp_path):
    flight = check(protocol, tmp_path, study={"language": "de"})

    assert not flight.findings
    assert not flight.facts


@pytest.mark.parametrize("protocol", NAMES)
def test_one_line_says_who_can_take_part(protocol, tmp_path):
    flight = check(protocol, tmp_path, web={"codes": 40, "most_at_once": 5})
    phones = "no phones" if protocol == "hype" else "phones too"

    assert describe_web(flight.facts["web"]) == f"40 by invitation; {phones}; 5 people at once"


def test_an_address_without_tls_is_a_warning(tmp_path):
    plain = check("rating", tmp_path, web={"address": "http://10.0.0.7:8000"})
    sound = check("rating", tmp_path, web={"address": "https://study.example.org"})

    assert codes_of(plain) == {"web-address"}
    assert not sound.findings
    assert describe_web(sound.facts["web"]).startswith("https://study.example.org: everybody with")


def test_a_platform_that_does_not_learn_who_finished_is_a_problem(tmp_path):
    def findings(**web: str) -> list[Finding]:
        return check("hype", tmp_path, web=web).findings

    (missing,) = (one for one in findings(platform="prolific") if one.severity == "problem")
    assert missing.code == "web-no-completion"
    assert "Prolific would not know who finished" in missing.message
    found = {one.code for one in findings(**CODE)}
    assert found == {"web-exposures", "web-callbacks"}
    assert {one.code for one in findings(platform="mturk")} == found


def test_each_end_that_a_platform_is_not_told_of_is_named(tmp_path):
    sona = {"platform": "sona", "completion": "https://a.sona-systems.com/?survey_code="}

    assert {"web-no-consent", "web-no-screen-out"} <= codes_of(check("hype", tmp_path, web=sona))
    assert codes_of(check("rating", tmp_path, web=sona)) == {"web-no-consent"}
    quiet = check("rating", tmp_path, web=sona, study={"consent": False})
    assert not quiet.findings


def test_what_no_browser_can_do_is_said(tmp_path):
    flight = check(
        "hype",
        tmp_path,
        web={"phones": True},
        display={"size_deg": 5.0},
        monitor={"width_cm": 50.0, "distance_cm": 60.0},
        timing={"patch": {}, "triggers": {"lsl": "hype"}, "rounding_ms": 2.0},
    )
    said = {finding.code: finding.message for finding in flight.findings}

    assert set(said) == {"web-phones", "web-size", "web-timing", "web-exposures", "web-callbacks"}
    assert "timing.patch and timing.triggers: browsers" in said["web-timing"]
    assert "displays beyond timing.rounding_ms are refused" in said["web-exposures"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "codes.txt"),
        ("", "contains 0 codes"),
        ("abcd\n\nabcd\n", "line 3: repeats the code of line 1"),
        ("abcd\nno code\n", "line 2: 'no code' is not an invitation code"),
        ("../..\n", "is not an invitation code"),
    ],
)
def test_a_file_of_codes_is_read(text, message, tmp_path):
    if text is not None:
        (tmp_path / "codes.txt").write_text(text)
    (found,) = check("rating", tmp_path, web={"codes": "codes.txt"}).findings

    assert (found.code, found.severity) == ("codes-unfit", "error")
    assert message in found.message
