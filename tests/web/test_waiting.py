"""Newcomers at a server who wait for the central store, and are admitted together."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hype.errors import NobodyNeeded
from hype.web.sittings import WaitingRoom


def test_who_comes_while_others_are_admitted_is_admitted_with_all_who_wait():
    """Of those who wait for the same, in their order; who finds no place harms nobody."""
    going_on, begun, calls, rests = threading.Event(), threading.Event(), [], []

    def admit(conduct, codes, *, simulated, since_s):
        calls.append((conduct, codes, simulated))
        begun.set()
        assert going_on.wait(60)
        return {code: NobodyNeeded(code) if code == "p3" else f"place of {code}" for code in codes}

    room = WaitingRoom(admit, rests.append)
    with ThreadPoolExecutor() as pool:

        def come_after(others, code, *, simulated=False):
            coming = pool.submit(room.admitted, "study", code, simulated=simulated)
            while len(room._waiting) == others:
                assert not coming.done()
            return coming

        first = pool.submit(room.admitted, "study", "p1", simulated=False)
        assert begun.wait(60)
        others = [come_after(n, code) for n, code in enumerate(("p2", "p3", "p4"))]
        apart = come_after(3, "p2", simulated=True)
        going_on.set()
        assert first.result() == "place of p1"
        assert [one.result() for one in (others[0], others[2])] == ["place of p2", "place of p4"]
        with pytest.raises(NobodyNeeded, match="p3"):
            others[1].result()
        assert apart.result() == "place of p2"

    assert calls == [
        ("study", ["p1"], False),
        ("study", ["p2", "p3", "p4"], False),
        ("study", ["p2"], True),
    ]
    assert rests[0] == 0 < rests[1]


def test_a_fault_reaches_all_who_waited_and_nobody_after_them():
    faults = [RuntimeError("a fault")]

    def admit(_conduct, codes, *, simulated, since_s):
        if faults:
            raise faults.pop()
        return dict.fromkeys(codes, "place")

    room = WaitingRoom(admit)
    with pytest.raises(RuntimeError, match="a fault"):
        room.admitted("study", "p1", simulated=False)
    assert room.admitted("study", "p1", simulated=False) == "place"
