"""Findings of the pre-flight at a station, from given facts and with a real window."""

import os
from dataclasses import replace
from typing import Any

import pytest
from builders import pseudo_terminal, write_study
from compared_studies import compared_study
from known import check_station

from hype.check.findings import Preflight
from hype.check.station import Surroundings, check_surroundings
from hype.errors import SessionProblem
from hype.protocols.registry import HYPE
from hype.session.live import refuse_unfit
from hype.session.stage import Seating
from hype.station.window import DisplayFacts, Monitor, Rectangle

WHOLE = Rectangle(0, 0, 1920, 1080)
SOUND = DisplayFacts(
    window_px=(1920, 1080),
    screen_px=(1920, 1080),
    image_side_px=540,
    screen=0,
    on_screen=0,
    output="DP-1",
    fullscreen=True,
    renderer="a graphics card",
    refresh_hz=100.0,
    mode_hz=100.0,
    flip_hz=99.98,
    sync="vsync",
    virtual=False,
)
CALM = Surroundings(wayland=False, compositor=False, on_battery=False, busy=0.1, cores=4)
UNKNOWN = Surroundings(wayland=None, compositor=None, on_battery=None, busy=None, cores=None)


def screens(*rates_hz: float | None) -> tuple[Monitor, ...]:
    return tuple(
        Monitor(output=f"DP-{n}", place=WHOLE, refresh_hz=hz) for n, hz in enumerate(rates_hz)
    )


@pytest.mark.parametrize("around", [CALM, UNKNOWN])
@pytest.mark.parametrize("rates_hz", [(), (100.0,), (60.0, 59.94), (100.0, None)])
@pytest.mark.parametrize("display", [SOUND, replace(SOUND, on_screen=None), None])
def test_nothing_is_said_against_a_sound_station_nor_of_what_is_not_known(
    display, rates_hz, around
):
    flight = Preflight()
    check_surroundings(flight, display, screens(*rates_hz), around)
    assert flight.findings == []


UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "flips-unsynced": ({"display": replace(SOUND, sync="software", flip_hz=2400.0)}, "2400 a sec"),
    "wrong-screen": ({"display": replace(SOUND, screen=1)}, "on screen 0 (DP-1)"),
    "screens-differ": ({"screens": screens(59.94, None, 143.86)}, "DP-0 at 59.94 Hz, DP-2 at 143."),
    "wayland": ({"around": replace(CALM, wayland=True, compositor=True)}, "a Wayland session"),
    "compositor": ({"around": replace(CALM, compositor=True)}, "a compositor draws"),
    "machine-busy": ({"around": replace(CALM, busy=0.731)}, "73% of its 4 cores"),
    "on-battery": ({"around": replace(CALM, on_battery=True)}, "battery"),
}


@pytest.mark.parametrize("code", UNFIT)
def test_what_is_known_against_a_station_is_found_alone(code):
    changes, message = UNFIT[code]
    facts = {"display": SOUND, "screens": screens(100.0), "around": CALM} | changes
    flight = Preflight()
    check_surroundings(flight, **facts)
    (finding,) = flight.findings

    assert finding.code == code
    assert finding.severity == ("problem" if code == "wrong-screen" else "warning")
    assert message in finding.message
    assert finding.remedy


def test_people_are_not_flashed_images_where_flips_do_not_wait_unless_it_is_accepted():
    laptop = replace(SOUND, sync="software", flip_hz=2400.0)
    with pytest.raises(SessionProblem, match=r"2400 flips a second.*vertical sync.*hype check"):
        refuse_unfit(Seating(simulated=False), laptop, flashes=True)
    refuse_unfit(Seating(simulated=False), laptop, flashes=False)
    refuse_unfit(Seating(simulated=False, allow_unsynced=True), laptop, flashes=True)


@pytest.fixture
def study(tmp_path):
    """A study whose window is small enough for a virtual display."""
    return write_study(tmp_path, display={"fullscreen": False, "window_px": [640, 480]})


def codes(flight: Preflight, severity: str) -> list[str]:
    return [finding.code for finding in flight.findings if finding.severity == severity]


def test_a_virtual_display(study, display):
    if not display:
        pytest.skip("this machine has a display of another kind")
    flight = Preflight()
    facts = check_station(flight, study)

    assert "flips-unsynced" in codes(flight, "warning")
    assert flight.exit_code == 0
    assert facts.on_screen == facts.screen == 0
    assert facts.mode_hz is None
    assert facts.refresh_hz == 60
    assert flight.facts["display"]["window_px"] == (640, 480)
    assert flight.facts["surroundings"]["wayland"] is False
    assert flight.facts["surroundings"]["cores"] == os.cpu_count()
    (screen,) = flight.facts["screens"]
    assert screen == {
        "output": screen["output"],
        "x_px": 0,
        "y_px": 0,
        "width_px": 1024,
        "height_px": 768,
        "refresh_hz": None,
    }


def test_a_screen_that_is_not_there(study, tmp_path, display):
    flight = Preflight()
    there = write_study(tmp_path, display={"fullscreen": False, "screen": 7})

    assert check_station(flight, there) is None
    assert codes(flight, "problem") == ["screen-missing"]
    assert flight.exit_code == 1
    assert "surroundings" in flight.facts, "other work on the machine may be the reason"


@pytest.mark.long
def test_two_images_that_do_not_fit_side_by_side(tmp_path, display):
    look = {"fullscreen": False, "window_px": [640, 480], "size_px": 400.0, "enlarge": True}
    flight, other = Preflight(), Preflight()

    assert check_station(flight, compared_study(tmp_path, display=look)) is None
    (finding,) = (f for f in flight.findings if f.severity == "problem")
    assert finding.code == "display-unfit"
    assert "for 2 of " in finding.message
    assert finding.remedy == "make display.size_px or size_deg smaller"
    assert check_station(other, compared_study(tmp_path / "fits", display=look | {"size_px": 200}))
    assert other.exit_code == 0


@pytest.mark.parametrize("reason", [None, ("a window needs Linux", "hype serve")])
def test_no_display(reason, study, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr("hype.check.station.explain_no_station", lambda: reason)
    flight = Preflight()

    assert check_station(flight, study) is None
    (finding,) = flight.findings
    assert (finding.severity, finding.code) == ("warning", "no-display")
    assert finding.message.startswith(reason[0] if reason else "there is no display here")
    assert flight.exit_code == 0


def test_a_trigger_port_that_is_not_there(tmp_path):
    pytest.importorskip("serial")
    port = str(tmp_path / "no-such-port")
    flight = Preflight()
    HYPE.checks.triggers(flight, write_study(tmp_path, timing={"triggers": {"serial": port}}))
    (finding,) = flight.findings

    assert (finding.code, finding.severity) == ("trigger-missing", "problem")
    assert port in finding.message
    assert finding.remedy


def test_a_trigger_port_that_is_there_is_opened_and_left(tmp_path):
    pytest.importorskip("serial")
    controller, device = pseudo_terminal()
    flight = Preflight()
    triggers = {"serial": os.ttyname(device)}
    try:
        for _ in range(2):
            HYPE.checks.triggers(flight, write_study(tmp_path, timing={"triggers": triggers}))
    finally:
        os.close(controller)
        os.close(device)

    assert flight.findings == []
