"""Assertions of test files are rewritten once, and not by each test process.

All processes read the same files in the same order, so each would rewrite files that no other has
finished: half of the time of a first collection. So each begins with another file.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Rewrite what is not kept yet, before the first file is imported."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker and not sys.dont_write_bytecode:
        paths = sorted(test_files(session.config))
        first = int(worker.removeprefix("gw")) * len(paths)
        first //= int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        for path in paths[first:] + paths[:first]:
            keep_rewritten(path, session.config)


def test_files(config: pytest.Config) -> Iterator[Path]:
    """Find the files that are to be collected."""
    for argument in config.args:
        path = config.invocation_params.dir / argument.partition("::")[0]
        yield from path.rglob("test_*.py") if path.is_dir() else [path]


def keep_rewritten(path: Path, config: pytest.Config) -> None:
    """Do what pytest does when it imports a test file, except for importing it."""
    kept = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
    if kept.exists() and kept.stat().st_mtime >= path.stat().st_mtime:
        return
    kept.parent.mkdir(exist_ok=True)
    source_hash, code = rewrite._rewrite_test(path, config)
    rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source_hash, kept)
