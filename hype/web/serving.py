"""A study's server: its address, its record and desk, and its background work."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final

import uvicorn
from sqlalchemy import Engine

from hype.addition import clean_up
from hype.console import progress, warn
from hype.errors import FilesRefused, HypeError, InputError
from hype.store.record import RECORD_FILE, pilot_record, record_of
from hype.store.seats import is_taken
from hype.study.studies import AnyStudy
from hype.system import raise_file_limit
from hype.web.app import CONNECTIONS, StudyServer
from hype.web.connections import Connection
from hype.web.desk import Desk, FileDesk, desk_of
from hype.web.pictures import encode_all, originals_of
from hype.web.tokens import ServerKey

TOLD_TO_END: Final = (signal.SIGINT, signal.SIGTERM)
SEAT: Final = "web"
"""The name of the lock that lets only one server use a record in a file."""
KEEP_ALIVE_S: Final = 75
LAST_S: Final = 10
"""When the server ends, requests may continue for this time; a large zip could take hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """An open server: its socket, the open record, and the desk."""

    listening: socket.socket
    engine: Engine
    desk: Desk
    key: ServerKey
    pilot: bool = False

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])


@contextmanager
def pilot_of() -> Iterator[tuple[Engine, Desk]]:
    """Open a temporary record and desk, which are deleted at the end."""
    with pilot_record() as (folder, engine):
        yield engine, FileDesk(folder / "key", folder / "people.csv")


@contextmanager
def doors_of(
    study: AnyStudy,
    host: str,
    port: int,
    *,
    new_links: bool = False,
    people: Path | None = None,
    pilot: bool = False,
) -> Iterator[Doors]:
    """Listen at the address; `serve` answers the requests.

    ``new_links``: make new secret addresses; the old ones stop working.
    ``people``: the file with each person's code, if it is not the usual one.
    ``pilot``: use a temporary record and desk.

    Raises InputError: the address or an image cannot be used, or the record cannot be written.
    Raises SessionProblem: another program uses the record.
    """
    encode_images(study)
    with ExitStack() as stack:
        if pilot:
            engine, desk = stack.enter_context(pilot_of())
        else:
            clean_up(study)
            record = record_of(study)
            engine = stack.enter_context(record.writing(CONNECTIONS))
            if not study.store:
                stack.enter_context(record.hold_seat(engine, SEAT, "serving this study"))
            desk = desk_of(study, engine, people)
        try:
            listening = stack.enter_context(socket.create_server((host, port), backlog=1024))
        except OSError as error:
            raise InputError(f"--host {host} --port {port}", error.strerror or "is wrong") from None
        if new_links:
            desk.renew_links()
        yield Doors(listening=listening, engine=engine, desk=desk, key=desk.key(), pilot=pilot)


def is_served(study: AnyStudy) -> bool:
    """Return whether a study's server runs; True with a database, as any machine may run one."""
    return bool(study.store) or is_taken(study.folder / RECORD_FILE, SEAT)


def encode_images(study: AnyStudy) -> None:
    """Encode all images that the study can show; a bar on the terminal shows the progress.

    Raises FilesRefused: some images cannot be shown.
    """
    with progress() as bar:
        task = bar.add_task("Encoding images", total=None, visible=False)
        tell = partial(bar.update, task, visible=True)
        problems = encode_all(originals_of(study), lambda done, of: tell(completed=done, total=of))
    if problems:
        raise FilesRefused(study.path, problems)


def serve(
    study: AnyStudy,
    doors: Doors,
    *,
    new_version: bool = False,
    visitors: Callable[[], None] | None = None,
) -> None:
    """Serve a study until the program is told to end or, if given, ``visitors`` returns.

    ``new_version``: whether newcomers may start another version of the study.
    """
    raise_file_limit()
    how = {"pilot": doors.pilot, "new_version": new_version}
    app = StudyServer(study, doors.engine, doors.key, doors.desk, warn, **how).app()
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            loop="asyncio",
            http=Connection,
            log_level="error",  # do not log invalid requests of strangers
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=LAST_S,
        )
    )
    problems: list[HypeError] = []

    def come(visit: Callable[[], None]) -> None:
        try:
            visit()
        except HypeError as problem:
            problems.append(problem)
        finally:
            server.should_exit = True

    def request_exit(*_: object) -> None:
        server.should_exit = True

    if visitors:
        Thread(target=come, args=(visitors,), daemon=True).start()
    # uvicorn repeats the signal after it has ended; this handler keeps it from ending the program
    before = {code: signal.signal(code, request_exit) for code in TOLD_TO_END}
    try:
        server.run([doors.listening])
    finally:
        for code, handler in before.items():
            signal.signal(code, handler)
    if problems:
        raise problems[0]
