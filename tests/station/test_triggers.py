"""Triggers on a real pseudo-terminal, and on a real stream over the loopback interface."""

import os
import select
import subprocess
import sys

import pytest
from builders import pseudo_terminal

from hype.errors import SessionProblem
from hype.station.triggers import open_triggers
from hype.study.table import TriggerSettings

MORE_THAN_A_BUFFER = 1_000_000


def ports(**given: object) -> TriggerSettings:
    fields = {"lsl": "", "serial": "", "baud": 115_200, "image_on": 1, "image_off": 2}
    return TriggerSettings(**fields | given)


class Device:
    """The far end of a pseudo-terminal, in the place of a trigger box."""

    def __init__(self) -> None:
        self._end, near = pseudo_terminal()
        self.port = os.ttyname(near)
        self._near: int | None = near

    def read(self, number: int) -> list[int]:
        codes = b""
        while len(codes) < number:
            codes += os.read(self._end, number - len(codes))
        return list(codes)

    def has_something(self) -> bool:
        return bool(select.select([self._end], [], [], 0.05)[0])

    def unplug(self) -> None:
        """Close both descriptors of the device; the program's own stays open."""
        if self._near is not None:
            os.close(self._near)
            os.close(self._end)
        self._near = None


@pytest.fixture
def device():
    device = Device()
    yield device
    device.unplug()


def test_without_ports_triggers_do_nothing():
    with open_triggers(ports()) as triggers:
        triggers.image_on()
        triggers.image_off()

    assert triggers.problem is None


def test_bytes_arrive_in_order(device):
    with open_triggers(ports(serial=device.port, image_on=7, image_off=200)) as triggers:
        for _ in range(3):
            triggers.image_on()
            triggers.image_off()

        assert device.read(6) == [7, 200] * 3
    assert triggers.problem is None


def test_a_device_that_vanishes_is_survived_and_told(device):
    with open_triggers(ports(serial=device.port)) as triggers:
        triggers.image_on()
        triggers.image_off()
        assert triggers.problem is None
        device.unplug()
        triggers.image_on()
        triggers.image_off()
        triggers.image_on()

    assert triggers.problem.startswith(f'timing.triggers.serial = "{device.port}": 3 of 5 ')
    assert "Input/output error" in triggers.problem


def test_a_full_buffer_loses_triggers_and_blocks_nothing(device):
    with open_triggers(ports(serial=device.port)) as triggers:
        arrived = -1
        while triggers.problem is None and arrived < MORE_THAN_A_BUFFER:
            triggers.image_on()
            arrived += 1

        assert f" 1 of {arrived + 1} triggers were lost" in triggers.problem
        assert "buffer is full" in triggers.problem
        assert device.read(arrived) == [1] * arrived
        while not device.has_something():  # the system takes some time to free the buffer
            triggers.image_off()
        assert device.read(1) == [2]


def test_a_missing_port_is_refused_by_name():
    wanted = r'timing\.triggers\.serial = "/dev/ttyNONE": there is no such port; .*plug the device'
    with pytest.raises(SessionProblem, match=wanted), open_triggers(ports(serial="/dev/ttyNONE")):
        pass


def test_the_ports_that_exist_are_named(device, monkeypatch):
    from serial.tools import list_ports, list_ports_common

    found = [list_ports_common.ListPortInfo(device.port)]
    monkeypatch.setattr(list_ports, "comports", lambda: found)
    with (
        pytest.raises(SessionProblem, match=f"the ports that exist: {device.port}"),
        open_triggers(ports(serial="/dev/ttyNONE")),
    ):
        pass


def test_a_port_that_is_in_use_is_refused(device):
    asked = ports(serial=device.port)
    with (
        open_triggers(asked),
        pytest.raises(SessionProblem, match="another program has it open"),
        open_triggers(asked),
    ):
        pass

    with open_triggers(asked) as triggers:  # the port is free again
        triggers.image_on()
    assert triggers.problem is None


@pytest.mark.parametrize(
    ("library", "setting", "extra"), [("pylsl", "lsl", "lsl"), ("serial", "serial", "serial")]
)
def test_a_missing_library_names_its_extra(library, setting, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    wanted = rf"timing\.triggers\.{setting} = \"x\": .*pip install \"hype\[{extra}\]\""
    with pytest.raises(SessionProblem, match=wanted), open_triggers(ports(**{setting: "x"})):
        pass


STREAM = """
import os, pylsl
from hype.station.triggers import open_triggers
from hype.study.table import TriggerSettings

name = f"hype-test-{os.getpid()}"
ports = TriggerSettings(lsl=name, serial="", baud=115200, image_on=5, image_off=6)
with open_triggers(ports) as triggers:
    triggers.image_on()
    assert "1 of 1 triggers were lost: no recorder" in triggers.problem, triggers.problem
    (found,) = pylsl.resolve_byprop("name", name, 1, 60)
    inlet = pylsl.StreamInlet(found)
    inlet.open_stream(60)
    start = pylsl.local_clock()
    triggers.image_on()
    between = pylsl.local_clock()
    triggers.image_off()
    end = pylsl.local_clock()
    (on,), on_s = inlet.pull_sample(60)
    (off,), off_s = inlet.pull_sample(60)
    assert start <= on_s <= between <= off_s <= end, (start, on_s, between, off_s, end)
    assert "1 of 3" in triggers.problem, triggers.problem
    info = inlet.info(60)
    codes = info.desc().child("codes")
    meant = codes.child_value("image_on"), codes.child_value("image_off")
    assert meant == (on, off), meant
    assert info.source_id().endswith(name), info.source_id()
    assert info.nominal_srate() == pylsl.IRREGULAR_RATE
    assert info.channel_format() == pylsl.cf_string
    print(info.type(), info.channel_count(), on, off)
assert not pylsl.resolve_byprop("name", name, 1, 2), "the stream outlives its session"
"""

LOOPBACK = """
[ports]
IPv6 = disable
[multicast]
ResolveScope = machine
[lab]
KnownPeers = {127.0.0.1}
[log]
level = -2
"""


@pytest.fixture
def run_lsl(tmp_path):
    """Run a program in its own interpreter, since liblsl reads its configuration only once."""

    def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
        inherited = {k: v for k, v in os.environ.items() if k not in ("LSLAPICFG", "PYLSL_LIB")}
        return subprocess.run(
            [sys.executable, "-c", program],
            env=inherited | {"HOME": str(tmp_path)} | environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return run


def test_markers_reach_a_recorder_with_their_times(run_lsl, tmp_path):
    configuration = tmp_path / "loopback.cfg"
    configuration.write_text(LOOPBACK)
    done = run_lsl(STREAM, LSLAPICFG=str(configuration))

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["Markers", "1", "5", "6"]


OPEN = """
from hype.station.triggers import open_triggers
from hype.study.table import TriggerSettings

ports = TriggerSettings(lsl="hype-test", serial="", baud=115200, image_on=1, image_off=2)
with open_triggers(ports) as triggers:
    triggers.image_on()
"""


def test_a_library_that_cannot_be_loaded_names_its_extra(run_lsl, tmp_path):
    broken = tmp_path / "liblsl.so"
    broken.write_text("no library")
    done = run_lsl(OPEN, PYLSL_LIB=str(broken))

    assert "SessionProblem: timing.triggers.lsl" in done.stderr
    assert 'install "hype[lsl]"' in done.stderr
