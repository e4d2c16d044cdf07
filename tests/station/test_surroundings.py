"""What is read of the machine around a session, from what a system would say."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from hype.check.station import (
    busy_share,
    composited,
    look_around,
    on_battery,
    on_wayland,
)
from hype.station.display import VIRTUAL


@pytest.mark.parametrize(
    ("environment", "of_wayland", "expected"),
    [
        ({"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"}, False, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, None, True),
        ({"XDG_SESSION_TYPE": "x11", "DISPLAY": ":0"}, True, True),
        ({"XDG_SESSION_TYPE": "x11", "DISPLAY": ":0"}, False, False),
        ({"XDG_SESSION_TYPE": "tty", "DISPLAY": ":0"}, False, None),
        ({"DISPLAY": ":0"}, False, None),
        ({}, None, None),
        ({"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":9", VIRTUAL: ":9"}, False, False),
    ],
)
def test_wayland(environment, of_wayland, expected):
    assert on_wayland(environment, of_wayland) is expected


def supplies(folder: Path, **entries: Mapping[str, str]) -> Path:
    """Lay out power supplies as the kernel does."""
    for name, values in entries.items():
        (folder / name).mkdir(parents=True)
        for key, value in values.items():
            (folder / name / key).write_text(f"{value}\n")
    return folder


UNPLUGGED, PLUGGED = ({"type": "Mains", "online": online} for online in "01")
POWER: dict[str, tuple[dict[str, Mapping[str, str]], bool | None]] = {
    "a laptop that is unplugged": (
        {"AC": UNPLUGGED, "BAT0": {"type": "Battery", "status": "Discharging"}},
        True,
    ),
    "unplugged, and it does not say what the battery does": (
        {"AC": UNPLUGGED, "BAT0": {"type": "Battery"}},
        True,
    ),
    "plugged in": ({"AC": PLUGGED, "BAT0": {"type": "Battery", "status": "Not charging"}}, False),
    "charged by USB": (
        {
            "AC": UNPLUGGED,
            "ucsi": {"type": "USB", "online": "1"},
            "BAT0": {"type": "Battery", "status": "Charging"},
        },
        False,
    ),
    "no plug is listed": ({"BAT0": {"type": "Battery", "status": "Discharging"}}, True),
    "no plug is listed, and charging": ({"BAT0": {"type": "Battery", "status": "Charging"}}, False),
    "nothing but a battery": ({"BAT0": {"type": "Battery", "status": "Unknown"}}, None),
    "a mouse with a battery": (
        {"mouse": {"type": "Battery", "scope": "Device", "status": "Discharging"}},
        False,
    ),
    "a plug only": ({"AC": UNPLUGGED}, False),
}


@pytest.mark.parametrize("what", POWER)
def test_battery(what, tmp_path):
    entries, expected = POWER[what]

    assert on_battery(supplies(tmp_path, **entries)) is expected


def counts(idle: int, waiting: int, busy: int) -> str:
    """Write the kernel's counts; guests are counted as users already."""
    return f"cpu  {busy} 0 0 {idle} {waiting} 0 0 0 {busy} 0\ncpu0 1 2 3 4\n"


def share(load: Path, before: str, after: str) -> float | None:
    """Measure a load that changes meanwhile."""
    load.write_text(before)
    return busy_share(load, pause=lambda _: load.write_text(after))


@pytest.mark.parametrize(
    ("idle", "waiting", "busy", "expected"),
    [(60, 0, 0, 0.0), (0, 0, 60, 1.0), (30, 15, 15, 0.25), (15, 0, 45, 0.75)],
)
def test_busy_share(idle, waiting, busy, expected, tmp_path):
    after = counts(9000 + idle, 100 + waiting, 5000 + busy)

    assert share(tmp_path / "stat", counts(9000, 100, 5000), after) == expected


@contextmanager
def compositor() -> Iterator[None]:
    """Take the screen as a compositor does."""
    from Xlib import X
    from Xlib.display import Display

    server = Display()
    window = server.screen().root.create_window(0, 0, 1, 1, 0, server.screen().root_depth)
    name = server.intern_atom(f"_NET_WM_CM_S{server.get_default_screen()}")
    window.set_selection_owner(name, X.CurrentTime)
    server.sync()
    try:
        yield
    finally:
        server.close()


def test_a_compositor_on_this_display(display):
    if not display:
        pytest.skip("there is a display of another kind here")

    assert composited() is False
    with compositor():
        assert composited() is True
    assert composited() is False


def test_what_cannot_be_known_is_not_guessed(monkeypatch, tmp_path):
    monkeypatch.setenv("DISPLAY", ":no-such-display")
    found = look_around({}, power=tmp_path / "power", load=tmp_path / "stat")

    assert (found.wayland, found.compositor, found.on_battery, found.busy) == (None,) * 4
