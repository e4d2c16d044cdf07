"""A study's server: its workers, its doors, and what goes on beside them."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Event, Thread
from typing import Final, cast

import uvicorn

from hype.addition import clean_up
from hype.console import progress, warn
from hype.errors import FilesRefused, HypeError, InputError, SessionProblem
from hype.protocols.load import load_any
from hype.store.record import record_of
from hype.study.studies import AnyStudy
from hype.web.app import StudyServer
from hype.web.arrivals import people_file
from hype.web.connections import Connection, Descriptors, Door
from hype.web.pictures import encode_all, originals_of
from hype.web.tokens import ServerKey, key_at, key_file, renew_links

SEAT: Final = "web"
"""The seat of a record's server: there is one at a time, of one worker or more."""
TOLD_TO_END: Final = (signal.SIGINT, signal.SIGTERM)
KEEP_ALIVE_S: Final = 75
LAST_S: Final = 10
"""For what is under way when it is told to end: a large file would come for hours."""
LOOK_S: Final = 0.1
"""How often is looked whether workers live."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Where a study's server listens."""

    listening: socket.socket
    key: ServerKey

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])


@contextmanager
def doors_of(study: AnyStudy, host: str, port: int, *, new_links: bool = False) -> Iterator[Doors]:
    """Open the doors, behind which nobody is yet.

    ``new_links``: for the experimenter and owners of models, whose old ones lead nowhere then.

    Raises InputError: nothing can listen there, the record cannot be written, or an image is wrong.
    Raises SessionProblem: another program has the record.
    """
    record = record_of(study)
    clean_up(study)
    encode_images(study)
    with ExitStack() as stack:
        with record.writing() as engine:
            # What is wrong with it is said before anybody comes
            if not study.store:
                stack.enter_context(record.seated(engine, SEAT, "serving this study"))
        try:
            listening = socket.create_server((host, port), backlog=1024)
        except OSError as error:
            raise InputError(f"--host {host} --port {port}", error.strerror or "is none") from None
        with listening:
            if new_links:
                renew_links(key_file(study.folder))
            yield Doors(listening=listening, key=key_at(key_file(study.folder)))


def encode_images(study: AnyStudy) -> None:
    """Encode all that the study can show, under a bar.

    Raises FilesRefused: some images cannot be shown.
    """
    with progress() as bar:
        task = bar.add_task("Encoding images", total=None, visible=False)
        tell = partial(bar.update, task, visible=True)
        problems = encode_all(originals_of(study), lambda done, of: tell(completed=done, total=of))
    if problems:
        raise FilesRefused(study.path, problems)


def serve(
    study: AnyStudy, doors: Doors, *, workers: int = 1, visitors: Callable[[], None] | None = None
) -> None:
    """Serve a study until the program is told to end, or its ``visitors`` have left."""
    if workers > 1:
        closed = Event()
        with visited(visitors, closed.set):
            have_workers(study.path, doors.listening, workers, closed)
    else:
        descriptors = Descriptors.here(warn)
        server = server_of(study, doors.key, descriptors)
        with visited(visitors, partial(setattr, server, "should_exit", True)):
            server.run([Door.at(doors.listening, descriptors)])


def server_of(study: AnyStudy, key: ServerKey, descriptors: Descriptors) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            StudyServer(study, key, people_file(study), warn).app(),
            loop="asyncio",
            http=cast("type[asyncio.Protocol]", partial(Connection, descriptors)),
            log_level="error",  # what strangers send that is no request is nothing to be told
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=LAST_S,
        )
    )


def have_workers(study: Path, listening: socket.socket, number: int, closed: Event) -> None:
    """Have so many workers until it is closed or told to end, and others for those that are killed.

    Raises SessionProblem: one ended by itself, having said why.
    """
    spawn = get_context("spawn")

    def begun() -> SpawnProcess:
        process = spawn.Process(target=work, args=(study, listening))
        process.start()
        return process

    signals: list[int] = []  # setting the event here could wait for the wait that is interrupted
    before = {
        code: signal.signal(code, lambda number, _: signals.append(number)) for code in TOLD_TO_END
    }
    processes = [begun() for _ in range(number)]
    try:
        while not (closed.wait(LOOK_S) or signals):
            for place, process in enumerate(processes):
                if process.exitcode is None:
                    continue
                if process.exitcode >= 0 and not (closed.is_set() or signals):
                    raise SessionProblem("a worker of the server ended")
                processes[place] = begun()
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        for code, handler in before.items():
            signal.signal(code, handler)


def work(study: Path, listening: socket.socket) -> None:
    """Be a worker, to its end or that of the program that began it, however that ends.

    If it went on, nobody else could listen where it does.
    """
    parent = parent_process()

    def end_with_parent() -> None:
        if parent is not None:
            parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=end_with_parent, daemon=True).start()
    try:
        loaded = load_any(study)
        descriptors = Descriptors.here(warn)
        server = server_of(loaded, key_at(key_file(loaded.folder)), descriptors)
        server.run([Door.at(listening, descriptors)])
    except HypeError as problem:
        warn(str(problem))
        sys.exit(1)
    except KeyboardInterrupt:  # the program that began it was interrupted too
        pass


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
