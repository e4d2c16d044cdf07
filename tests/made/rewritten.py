"""Let pytest rewrite the assertions of each test file once, and not in each test process.

Otherwise all processes rewrite the same files at the same time, which takes half of the time of a
first collection. Therefore each process starts with a different file.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Rewrite files that are not in the cache before pytest imports the first file."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker and not sys.dont_write_bytecode:
        paths = sorted(test_files(session.config))
        first = int(worker.removeprefix("gw")) * len(paths)
        first //= int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        for path in paths[first:] + paths[:first]:
            keep_rewritten(path, session.config)


def test_files(config: pytest.Config) -> Iterator[Path]:
    """Find the test files to be collected."""
    for argument in config.args:
        path = config.invocation_params.dir / argument.partition("::")[0]
        yield from path.rglob("test_*.py") if path.is_dir() else [path]


def keep_rewritten(path: Path, config: pytest.Config) -> None:
    """Rewrite a test file and keep the result, as pytest does when it imports the file."""
    kept = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
    if kept.exists() and kept.stat().st_mtime >= path.stat().st_mtime:
        return
    kept.parent.mkdir(exist_ok=True)
    source_hash, code = rewrite._rewrite_test(path, config)
    rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source_hash, kept)
