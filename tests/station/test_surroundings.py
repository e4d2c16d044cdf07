"""Facts about the machine, read from a system's sample answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import psutil
import pytest

from hype.check.station import has_compositor, is_wayland, is_xwayland, look_around
from hype.station.display import VIRTUAL


@pytest.mark.parametrize(
    ("environment", "xwayland", "expected"),
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
def test_wayland(environment, xwayland, expected):
    assert is_wayland(environment, xwayland) is expected


@contextmanager
def compositor() -> Iterator[None]:
    """Claim the screen as a compositor does."""
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
        pytest.skip("this machine has a display of another kind")

    assert has_compositor() is False
    with compositor():
        assert has_compositor() is True
    assert has_compositor() is False


def test_this_display_is_not_waylands(display):
    if not display:
        pytest.skip("this machine has a display of another kind")

    assert is_xwayland() is False


@pytest.mark.parametrize(
    ("plugged", "expected"), [(None, None), (True, False), (False, True)], ids=str
)
def test_battery(plugged, expected, monkeypatch):
    battery = None if plugged is None else SimpleNamespace(power_plugged=plugged)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: battery)

    assert look_around({}).on_battery is expected


def test_what_cannot_be_known_is_not_guessed(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":no-such-display")
    found = look_around({})

    assert (found.wayland, found.compositor) == (None, None)
    assert 0 <= found.busy <= 1
