"""A study's server: its workers, its doors, and what goes on beside them."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import parent_process
from pathlib import Path
from threading import Event, Thread
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.supervisors.multiprocess import Multiprocess

from hype.console import warn
from hype.errors import HypeError, InputError
from hype.protocols.load import load_any
from hype.protocols.studies import AnyStudy
from hype.session.pushing import background_pusher
from hype.store.record import RECORD_FILE
from hype.store.seats import seated
from hype.web.app import StudyServer
from hype.web.entrance import people_file
from hype.web.tokens import ServerKey, key_at, key_file

SEAT: Final = "web"
"""The seat of a record's server: there is one at a time, of one worker or more."""
SERVED: Final = "HYPE_SERVED"
"""The variable that tells workers which study they serve."""
KEEP_ALIVE_S: Final = 75
MOST_AT_ONCE: Final = 2_000
"""Connections, of each worker."""
HANGS_S: Final = 60
"""A worker that does not say for so long that it lives is killed, also while it begins: a busy
machine takes its time over that.
"""
PUSH_S: Final = 10.0
"""How often is pushed to the central store, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Where a study's server listens."""

    listening: socket.socket
    key: ServerKey

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])


def worker() -> ASGIApp:
    """Make what a worker runs, which learns from its environment what it serves."""
    end_with_parent()
    study = load_any(Path(os.environ[SERVED]))
    key = key_at(key_file(study.folder))
    return StudyServer(study, key, people_file(study), warn).app()


def end_with_parent() -> None:
    """Let a worker end with the program that began it, however that ends.

    If it went on, nobody else could listen where it does.
    """
    parent = parent_process()
    if parent is None:  # it is not one of several
        return

    def end() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=end, daemon=True).start()


@contextmanager
def doors_of(study: AnyStudy, host: str, port: int) -> Iterator[Doors]:
    """Open the doors, behind which nobody is yet.

    Raises InputError: nothing can listen there.
    Raises SessionProblem: another server has the record.
    """
    key = key_at(key_file(study.folder))
    with seated(study.folder / RECORD_FILE, SEAT, "serving this study"):
        try:
            listening = socket.create_server((host, port), backlog=1024)
        except OSError as error:
            raise InputError(f"--host {host} --port {port}", error.strerror or "is none") from None
        with listening:
            yield Doors(listening=listening, key=key)


def serve(
    study: AnyStudy, doors: Doors, *, workers: int = 1, visitors: Callable[[], None] | None = None
) -> None:
    """Serve a study until the program is told to end, or its ``visitors`` have left."""
    os.environ[SERVED] = str(study.path)
    config = uvicorn.Config(
        "hype.web.serving:worker",
        factory=True,
        workers=workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        limit_concurrency=MOST_AT_ONCE,
        timeout_worker_healthcheck=HANGS_S,
    )
    with pushing_beside(study):
        if workers > 1:
            several = Multiprocess(config, [doors.listening])
            with visited(visitors, several.should_exit.set):
                several.run()
        else:
            server = uvicorn.Server(config)
            with visited(visitors, partial(setattr, server, "should_exit", True)):
                server.run([doors.listening])


@contextmanager
def visited(visitors: Callable[[], None] | None, close: Callable[[], None]) -> Iterator[None]:
    """Let visitors come while the server runs, and ``close`` it once they have left."""
    if visitors is None:
        yield
        return
    problems: list[BaseException] = []

    def come() -> None:
        try:
            visitors()
        except HypeError as problem:
            problems.append(problem)
        finally:
            close()

    coming = Thread(target=come, daemon=True)
    coming.start()
    yield
    if problems:
        raise problems[0]


@contextmanager
def pushing_beside(study: AnyStudy) -> Iterator[None]:
    """Push to the central store now and then, if there is one."""
    closed = Event()
    with background_pusher(study) as pusher:
        if pusher is None:
            yield
            return

        def push_on() -> None:
            while not closed.wait(PUSH_S):
                pusher.tell()
                pusher.go()

        thread = Thread(target=push_on, daemon=True)
        thread.start()
        try:
            yield
        finally:
            closed.set()
            thread.join()
