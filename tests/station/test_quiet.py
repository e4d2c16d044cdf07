"""Nothing disturbs an exposure, and all settings are restored afterwards."""

import gc
import os
import struct
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hype.station import frame_clock as quiet


@dataclass
class Kernel:
    """Linux's scheduler, with the requests that it allows a program."""

    realtime: bool = True
    privileged: bool = False
    policy: int = os.SCHED_OTHER

    def sched_setscheduler(self, pid: int, policy: int, param: os.sched_param) -> None:
        kind = policy & ~os.SCHED_RESET_ON_FORK
        takes_flag_back = self.policy & os.SCHED_RESET_ON_FORK and policy == kind
        if (kind != os.SCHED_OTHER and not self.realtime) or (
            takes_flag_back and not self.privileged
        ):
            raise PermissionError(1, "Operation not permitted")
        assert pid == 0
        assert (param.sched_priority > 0) == (kind == os.SCHED_FIFO)
        self.policy = policy

    @property
    def is_realtime(self) -> bool:
        return self.policy & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO


KERNELS = {
    "privileged": Kernel(privileged=True),
    "with leave to be real-time": Kernel(),
    "without it": Kernel(realtime=False),
}


@pytest.fixture(params=KERNELS)
def kernel(request, monkeypatch):
    """Replace the kernel's scheduler, for three kinds of users."""
    fresh = replace(KERNELS[request.param])
    monkeypatch.setattr(os, "sched_setscheduler", fresh.sched_setscheduler)
    return fresh


@pytest.fixture
def collecting():
    """Turn garbage collection on after the test."""
    yield
    gc.enable()


def is_ordinary() -> bool:
    """Tell whether this thread has the usual scheduling."""
    return os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == os.SCHED_OTHER


@pytest.mark.usefixtures("collecting")
@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_not_collected_meanwhile_and_as_before_afterwards(collects):
    if not collects:
        gc.disable()
    with quiet.prevent_delays():
        assert not gc.isenabled()

    assert gc.isenabled() is collects


def test_an_exposure_that_failed_leaves_no_priority_behind(kernel):
    with pytest.raises(RuntimeError, match="no such texture"), quiet.prevent_delays():
        raise RuntimeError("no such texture")

    assert not kernel.is_realtime


def test_on_this_machine_everything_is_ordinary_afterwards():
    before = quiet.find_priority()
    with quiet.prevent_delays():
        realtime = not is_ordinary()

    assert before == ("realtime" if realtime else "ordinary")
    assert is_ordinary()


def test_a_thread_that_is_started_meanwhile_is_ordinary():
    found: list[bool] = []
    with quiet.prevent_delays():
        thread = threading.Thread(target=lambda: found.append(is_ordinary()))
        thread.start()
        thread.join()

    assert found == [True]


def test_the_latency_is_asked_for_as_long_as_it_is_needed(tmp_path):
    file = tmp_path / "latency"
    file.write_bytes(struct.pack("i", 2_000_000_000))

    def is_open() -> bool:
        links = Path("/proc/self/fd").iterdir()
        return any(link.exists() and link.samefile(file) for link in links)

    with quiet.awake_cores(file):
        assert struct.unpack("i", file.read_bytes()) == (0,)
        assert is_open()
    assert not is_open()


@pytest.mark.parametrize("name", ["not there", "a folder", "full"])
def test_a_machine_that_does_not_let_us_keep_its_cores_awake_is_taken_as_it_is(name, tmp_path):
    (tmp_path / "a folder").mkdir()
    (tmp_path / "full").symlink_to("/dev/full")
    done = False
    with quiet.awake_cores(tmp_path / name):
        done = True

    assert done
