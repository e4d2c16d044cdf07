"""Run work in this process, in a process per core, on a Dask cluster, or in another program."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import islice
from threading import Thread
from typing import Final, TypeVar

from hype.console import printable
from hype.errors import HypeError, InputError, SessionProblem, installing
from hype.system import cores, put_last

Result = TypeVar("Result")
Call = tuple[Callable[..., Result], tuple[object, ...]]
IN_FLIGHT: Final = 2
"""The maximum number of unfinished calls per worker; with more, images could fill the memory."""
CONNECTING_S: Final = 10
PATIENCE_S: Final = 1800.0
NICENESS: Final = 10
"""The low priority of commands that run in the background."""
MOST: Final[ContextVar[int | None]] = ContextVar("processes", default=None)
"""The maximum number of processes, set by `limit_workers`; None: one for each core."""


@contextmanager
def limit_workers(workers: int) -> Iterator[None]:
    """Use at most ``workers`` processes within this block; 1 means only this process."""
    before = MOST.set(workers)
    try:
        yield
    finally:
        MOST.reset(before)


@contextmanager
def worker_pool(workers: int | None = None, scheduler: str | None = None) -> Iterator[WorkerPool]:
    """Start workers, and stop them when they have finished, or immediately after an error.

    ``workers``: processes on this machine, by default one for each core; 1 means only this process.
    ``scheduler``: address of a Dask scheduler, whose workers are used instead.

    Raises InputError: Dask is not installed, or there is no scheduler at the address.
    """
    if scheduler is not None:
        with dask_pool(scheduler) as dask:
            yield dask
        return
    count = workers or MOST.get() or cores()
    if count == 1:
        yield WorkerPool(None, 1)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, initializer=follow_parent)
    try:
        yield WorkerPool(pool, count)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    pool.shutdown()


@contextmanager
def dask_pool(address: str) -> Iterator[WorkerPool]:
    try:
        from distributed import Client
    except ImportError:
        advice = f"install it with: {installing('cluster')}"
        raise InputError("--scheduler", "needs the package distributed", advice) from None
    try:
        client = Client(address, timeout=CONNECTING_S)
    except (OSError, ValueError) as error:
        raise InputError("--scheduler", f"no Dask scheduler at {address!r}: {error}") from None
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise InputError("--scheduler", f"the cluster at {address!r} has no workers")
        yield WorkerPool(client.get_executor(pure=False), workers)


def follow_parent() -> None:
    """In a worker, ignore Ctrl-C (the parent process handles it), and end with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parent := multiprocessing.parent_process():

        def end_after() -> None:
            parent.join()
            os._exit(1)  # without this, the worker would wait for work forever

        Thread(target=end_after, daemon=True).start()


class WorkerPool:
    """Workers that run calls, a few at a time."""

    def __init__(self, executor: Executor | None, workers: int) -> None:
        self.executor = executor
        self.workers = workers

    def run(self, calls: Iterable[Call[Result]]) -> Iterator[Result]:
        """Yield the results of calls, each as soon as it is ready.

        At any time, at most `IN_FLIGHT` calls for each worker are submitted and not finished.
        Raises HypeError: a worker was killed, perhaps for lack of memory. If a call raises an
        exception, so does this method.
        """
        if self.executor is None:
            for function, arguments in calls:
                yield function(*arguments)
            return
        waiting = iter(calls)
        running: set[Future[Result]] = set()
        try:
            while True:
                free = IN_FLIGHT * self.workers - len(running)
                for function, arguments in islice(waiting, free):
                    running.add(self.executor.submit(function, *arguments))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BrokenProcessPool:
            message = "a worker was killed, perhaps for lack of memory; run again to continue"
            raise HypeError(message) from None


def run_behind(*arguments: str) -> None:
    """Run a command of `hype` as a separate program with low priority.

    Raises SessionProblem: the command fails, or takes too long.
    """
    with start_behind(*arguments) as program:
        try:
            _, message = program.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            program.kill()
            raise SessionProblem(f"the work took more than {PATIENCE_S / 60:.0f} minutes") from None
    if program.returncode:
        raise SessionProblem(read_message(message))


def start_behind(*arguments: str) -> subprocess.Popen[str]:
    program = subprocess.Popen(
        [sys.executable, "-m", "hype", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with suppress(OSError):  # it has ended
        put_last(program.pid, NICENESS)
    return program


def read_message(message: str) -> str:
    return printable(" ".join(message.removeprefix("hype: ").split()))
