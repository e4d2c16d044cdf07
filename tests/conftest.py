"""Common parts of all tests: a display for windows, and repeatable random numbers."""

from __future__ import annotations

import gc
import os
import secrets
import sys
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from programs import ON_WINDOWS, program

from hype.check.machine import explain_no_station
from hype.files import cache_folder, kernel_folder
from hype.station.display import ensure_display
from hype.system import cores, lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

gc.disable()  # garbage collection would take a third of the time of finding the tests
gc.set_threshold(50_000)  # as in the program itself
os.environ.setdefault("MPLCONFIGDIR", str(cache_folder() / "matplotlib"))
settings.register_profile("the same every time", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("soak", deadline=None, print_blob=True)
settings.load_profile("the same every time")
# Hypothesis also tries numbers and texts from the code of the modules loaded so far, and these
# depend on what the process did before.
providers.is_local_module_file = lambda _: False
pytest_plugins = ["compiled_once", "faults.tally", "reported", "rewritten", "running"]

if explain_no_station():
    collect_ignore = ["faults", "station"]  # they need a window or POSIX
    os.environ.setdefault("SYSTEM_PACKAGES", "no")  # there are no Debian packages

MOST_WORKERS = 4
"""The highest number of processes that run tests; each needs about a gigabyte of memory."""

MEMORY, ENOUGH_BYTES = Path("/dev/shm"), 4 << 30  # noqa: S108 - pytest makes a folder of its own
if (
    sys.platform == "linux"
    and MEMORY.is_dir()
    and os.access(MEMORY, os.W_OK)
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC  # some tests run files in it
    and disk_usage(MEMORY).free > ENOUGH_BYTES
):
    # On a disk, tests that write records would spend a third of their time waiting for it.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

if "PYTEST_XDIST_WORKER" in os.environ:
    # Keys go to the window that has the focus, so each process needs a display of its own.
    os.environ.pop("DISPLAY", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run tests in two more processes than there are cores; on one core, in this process.

    A fifth of the time is spent waiting for disks, windows and servers.
    """
    return min(cores() + 2, MOST_WORKERS) if cores() > 1 else 0


@pytest.fixture(scope="session")
def display() -> bool:
    """Make sure that there is a display, and return whether it is virtual."""
    if why := explain_no_station():
        pytest.skip(why[0])
    if not os.environ.get("DISPLAY"):
        program("Xvfb")
    virtual = ensure_display(virtual_allowed=True)
    from pyglet.window.xlib import XlibWindow

    # PsychoPy gives each window an icon, which takes a third of the time of opening a window.
    XlibWindow.set_icon = lambda *_: None
    return virtual


@pytest.fixture(scope="session", autouse=True)
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the user's configuration from this process and from those that it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
        yield


@pytest.fixture(scope="session")
def kernels(configuration: None) -> None:
    """Compile the code that makes masks, if this was not done; other processes wait meanwhile."""
    import numpy as np

    from hype.masks.model import TextureModel
    from hype.masks.synthesis import Source, Tolerance, synthesise

    kernel_folder().mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    with (kernel_folder() / "being-compiled").open("w") as turn:
        lock(turn.fileno(), wait=True)
        source = Source(rng.random((32, 32)), TextureModel(scales=2))
        synthesise(source, rng, Tolerance(evaluations=3))


@pytest.fixture
def rng() -> np.random.Generator:
    import numpy as np

    return np.random.default_rng(20190)


@pytest.fixture
def write_csv(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "judgements.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="only the long forms: more kills, …")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let the long form draw new examples each time; the same seed gives the same examples."""
    config.addinivalue_line("markers", "long: runs only with --soak; a shorter test is similar")
    config.addinivalue_line("markers", "posix(why): of something that Windows lacks or forbids")
    if config.getoption("--soak"):
        settings.load_profile("soak")
        if config.option.hypothesis_seed is None:
            config.option.hypothesis_seed = str(secrets.randbits(32))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if ON_WINDOWS and (posix := item.get_closest_marker("posix")):
        pytest.skip(f"Windows {posix.args[0]}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that take long; with ``--soak`` run only these and the long forms."""
    if config.getoption("--soak"):
        out = [one for one in items if not (is_long(one) or "soak" in fixtures_of(one))]
    else:
        out = [one for one in items if is_long(one)]
    config.hook.pytest_deselected(items=out)
    left = set(items).difference(out)
    items[:] = [one for one in items if one in left]


def pytest_collection_finish() -> None:
    """Let the garbage collector ignore the hundreds of megabytes that the tests themselves take."""
    gc.freeze()
    gc.enable()


def is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None


def fixtures_of(item: pytest.Item) -> tuple[str, ...]:
    return tuple(getattr(item, "fixturenames", ()))


def pytest_report_header(config: pytest.Config) -> str | None:
    drawn = f"drawn with: --hypothesis-seed={config.option.hypothesis_seed}"
    return drawn if config.getoption("--soak") else None


@pytest.fixture(scope="session")
def soak(request: pytest.FixtureRequest) -> bool:
    """Return whether the long form of the tests was requested."""
    return bool(request.config.getoption("--soak"))
