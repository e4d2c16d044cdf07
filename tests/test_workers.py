"""Workers: the same results from this process, from other processes, and from a cluster."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import contents, stimulus_set

from hype.errors import HypeError, InputError
from hype.masks.make import MaskJob, make_masks
from hype.masks.model import TextureModel
from hype.stimuli.manifest import StimulusSet, read_manifest
from hype.workers import IN_FLIGHT, WorkerPool, worker_pool


@pytest.fixture
def images(tmp_path: Path, kernels: None) -> StimulusSet:
    return read_manifest(stimulus_set(tmp_path / "stimuli", {"": 3, "a": 3}))


JOB = MaskJob(number=6, size_px=32, seed=3, model=TextureModel(scales=2))


def double(number: int) -> int:
    return 2 * number


def die(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def refuse(number: int) -> int:
    raise InputError("there", f"is {number}", "something else")


@pytest.fixture(scope="module")
def both() -> Iterator[WorkerPool]:
    """Yield two workers, which need a second to start."""
    with worker_pool(2) as pool:
        yield pool


def test_every_call_is_made_once(both):
    with worker_pool(1) as alone:
        for pool in (alone, both):
            found = sorted(pool.run((double, (n,)) for n in range(20)))
            assert found == list(range(0, 40, 2))


def test_calls_are_taken_only_when_a_worker_will_be_free(both):
    taken = 0

    def calls() -> Iterator[tuple[object, tuple[int]]]:
        nonlocal taken
        for n in range(50):
            taken += 1
            yield double, (n,)

    results = both.run(calls())
    next(results)
    assert taken <= 2 * IN_FLIGHT * 2
    assert len(list(results)) == 49


def test_what_a_call_refuses_reaches_the_caller_whole():
    with (
        pytest.raises(InputError, match=r"^there: is 4; something else$") as caught,
        worker_pool(2) as pool,
    ):
        list(pool.run([(refuse, (4,))]))

    assert (caught.value.where, caught.value.problem) == ("there", "is 4")


@pytest.mark.long
def test_a_worker_that_is_killed_is_said_and_not_waited_for():
    with pytest.raises(HypeError, match="a worker was killed"), worker_pool(2) as pool:
        list(pool.run((die, (n,)) for n in range(3)))


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # Dask's dependencies may warn
def test_a_dask_cluster_makes_the_same_bytes(images, tmp_path):
    from distributed import LocalCluster

    list(make_masks(images, tmp_path / "alone", JOB))
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            local_directory=str(tmp_path / "dask"),
        ) as cluster,
        worker_pool(scheduler=cluster.scheduler_address) as pool,
    ):
        assert pool.workers == 2
        assert list(make_masks(images, tmp_path / "cluster", JOB, pool)) == [True] * 6

    assert contents(tmp_path / "alone") == contents(tmp_path / "cluster")


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_no_scheduler_there(monkeypatch):
    monkeypatch.setattr("hype.workers.CONNECTING_S", 0.3)
    address = "tcp://127.0.0.1:9"
    with (
        pytest.raises(InputError, match="no Dask scheduler at 'tcp://127"),
        worker_pool(None, address),
    ):
        pass


def test_dask_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(InputError, match=r"needs the package distributed; .*hype\[cluster\]"),
        worker_pool(scheduler="tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.long
def test_ctrl_c_ends_at_once_and_the_next_run_goes_on(images, tmp_path):
    """A real program gets the terminal's signal in the middle of its work."""
    masks = tmp_path / "masks"
    # Processes started in the background or by nohup ignore the signal, and so do their children.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "hype"]
    command += ["masks", "make", str(images.folder), "-o", str(masks)]
    command += ["-n", "200", "--size", "64", "--scales", "3", "--workers", "2"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, text=True
    ) as running:
        deadline = time.monotonic() + 120
        while len(list(masks.glob("*.png"))) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)

    made = len(list(masks.glob("*.png")))
    assert 3 <= made < 200
    assert len(list(masks.iterdir())) == made + 1, "only masks and their manifest"
    command = f"hype masks make {images.folder} -o {masks} -n 200 --method portilla-simoncelli"
    goes_on = f"{command} --seed 0 --size 64 --scales 3 --orientations 4 --window 7\n"
    assert re.search(r"\d+ of 200 masks are made; make the others with: (.*\n)", said)[1] == goes_on
    assert running.returncode == 1
    job = MaskJob(number=200, size_px=64, seed=0, model=TextureModel(scales=3))
    again = make_masks(images, masks, job, WorkerPool(None, 1))
    assert [next(again) for _ in range(made + 1)] == [False] * made + [True]
    again.close()


LEAVES_WORKERS = """
import os, sys, time
from hype.workers import worker_pool
if __name__ == "__main__":
    with worker_pool(2) as pool:
        print(*set(pool.run((os.getpid, ()) for _ in range(4))), flush=True)
        time.sleep(600)
"""


def test_workers_end_with_the_program_that_was_killed(tmp_path):
    script = tmp_path / "leaves.py"
    script.write_text(LEAVES_WORKERS)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        workers = program.stdout.readline().split()
        assert workers
        program.kill()
        program.communicate(timeout=60)  # waits until all processes close the pipe
