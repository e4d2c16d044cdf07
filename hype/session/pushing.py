"""Pushing a study's record to its central store: at once, and beside a session between blocks.

Beside a session a program of its own pushes, which is this module, called with the path of a study.
It says with a byte that it is ready, and after each push how that went; it is idle or gone before a
trial begins: while images are shown, nothing else runs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Final

from hype.central_url import as_station
from hype.confine import shortened
from hype.errors import HypeError, InputError
from hype.protocols.load import load_any
from hype.protocols.studies import AnyStudy
from hype.session.facts import station_name
from hype.session.loop import Presentation, Recorder
from hype.session.records import central_of
from hype.session.steps import Response, Screen, Step, Trial
from hype.store.central.limits import FOREVER
from hype.store.central.missing import names_in_record
from hype.store.central.problems import CentralRefused, Progress, Pushed, keep, settle, tell_nobody
from hype.store.people import find_evaluator
from hype.store.record import RECORD_FILE, committed, reading_record, writing_record
from hype.store.sqlite_files import is_record_at
from hype.system import put_last

NOTHING: Final = Pushed(rows={}, pending=0, contradicted={})


def push_record(
    study: AnyStudy, url: str, *, progress: Progress = tell_nobody, until: float = FOREVER
) -> Pushed:
    """Push a study's record, if there is one yet, and keep in it what the store contradicts.

    ``until`` is as in `hype.store.central.engine`.

    Raises CentralRefused, CentralAway: as `hype.store.central.push.push`.
    """
    path = study.folder / RECORD_FILE
    if not is_record_at(path):
        return NOTHING
    from hype.store.central.push import push

    with reading_record(path) as record:
        pushed = push(record, own_url(url), progress=progress, until=until)
    if pushed.contradictions:
        with writing_record(path) as record, committed(record) as connection:
            keep(connection, pushed.contradictions)
    return pushed


def own_url(url: str) -> str:
    return as_station(url, station_name())


def settle_contradictions(study: AnyStudy, evaluator: str) -> None:
    """Say of an evaluator's answers which the store did not take that its own stand.

    Raises InputError: the record does not hold the evaluator.
    """
    path = study.folder / RECORD_FILE
    with writing_record(path) as record, committed(record) as connection:
        evaluators = (find_evaluator(connection, evaluator, simulated=s) for s in (False, True))
        whose = [who for who in evaluators if who]
        if not whose:
            raise InputError(path, f"holds no evaluator {shortened(evaluator)}")
        for who in whose:
            settle(connection, who)


def names_of_study(study: AnyStudy) -> set[str]:
    """Give what a study is called, and what it was called when others came to this station."""
    path, name = study.folder / RECORD_FILE, study.settings.study.name
    if not is_record_at(path):
        return {name}
    with reading_record(path) as record, record.connect() as connection:
        return {name, *names_in_record(connection)}


READY: Final = b"r"
PUSHED: Final = b"p"
FAILED: Final = b"f"


def main() -> None:
    study = load_any(Path(sys.argv[1]))
    say(READY)
    while sys.stdin.buffer.read(1):
        say(attempt(study))


def attempt(study: AnyStudy) -> bytes:
    try:
        push_record(study, central_of(study))
    except HypeError:
        return FAILED
    return PUSHED


def say(byte: bytes) -> None:
    sys.stdout.buffer.write(byte)
    sys.stdout.buffer.flush()


LAST_IN_LINE: Final = 19
"""How nice the program is that pushes: whoever else wants the processor has it first."""


class BackgroundPusher:
    """Pushes a study's record in the background, and can be stopped at any moment.

    A push that was under way then is begun anew by the next one. Nothing of this waits.

    ``pushes``, ``failures``: how many pushes came to their end, and how many did not.
    ``awaited``: how many answers of the program are still to come; 0 while it is idle.
    """

    def __init__(self, study: AnyStudy) -> None:
        self._command = (sys.executable, "-m", "hype.session.pushing", str(study.path))
        self._program: subprocess.Popen[bytes] | None = None
        self._said: SimpleQueue[bytes] = SimpleQueue()
        self._news = True
        self.pushes = self.failures = self.awaited = 0

    def tell(self) -> None:
        self._news = True

    def go(self) -> None:
        self._listen()
        if self._program is None:
            self._start()
        if self._news and self.awaited <= 1 and self._told():
            self._news, self.awaited = False, self.awaited + 1

    def stop(self) -> None:
        """End a push that is under way; a program that has nothing to do stays and is idle."""
        self._listen()
        if self.awaited:
            self.leave()

    def leave(self) -> None:
        if self._program is None:
            return
        self._program.kill()
        with self._program:  # waits for its end
            self._ear.join()
        self._news |= self.awaited > 0
        self._program, self.awaited = None, 0

    def _start(self) -> None:
        """Start the program, behind everybody else who wants the processor; or do without."""
        with suppress(OSError):  # no more processes, or it has come to its end already
            self._program = subprocess.Popen(
                self._command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self.awaited = 1  # that it is ready
            self._said = SimpleQueue()
            hearing = (self._program.stdout, self._said)
            self._ear = Thread(target=hear, args=hearing, daemon=True)
            self._ear.start()
            put_last(self._program.pid, LAST_IN_LINE)

    def _told(self) -> bool:
        try:
            return bool(self._program and self._program.stdin and self._program.stdin.write(b"\n"))
        except OSError:
            self.leave()
            return False

    def _listen(self) -> None:
        if self._program is None:
            return
        reply = b"".join(heard(self._said))
        self.awaited -= len(reply)
        self.pushes += reply.count(PUSHED)
        self.failures += reply.count(FAILED)
        self._news |= FAILED in reply
        if self._program.poll() is not None:
            self.leave()


def hear(program: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    """Pass on what a program says, for whoever may not wait for it."""
    while byte := program.read(1):
        lines.put(byte)


def heard(lines: SimpleQueue[bytes]) -> Iterator[bytes]:
    with suppress(Empty):
        while True:
            yield lines.get_nowait()


def may_push(study: AnyStudy) -> bool:
    """Whether a study has a central store to which this station sends something."""
    try:
        return bool(central_of(study))
    except CentralRefused:
        return False


@contextmanager
def background_pusher(study: AnyStudy) -> Iterator[BackgroundPusher | None]:
    """Give what pushes beside a session, and ends with it; nothing without a central store.

    Nor with one whose server is not trusted, which is said when the session begins and ends.
    """
    if not may_push(study):
        yield None
        return
    pusher = BackgroundPusher(study)
    try:
        yield pusher
    finally:
        pusher.leave()


class PushingBetweenBlocks:
    """A recorder beside which pushing goes on while a screen waits for the participant."""

    def __init__(self, recorder: Recorder, pusher: BackgroundPusher) -> None:
        self._recorder = recorder
        self._pusher = pusher

    def begin(self, step: Step) -> None:
        """Let the pushing go on or stop, and keep that a step is about to be shown."""
        if isinstance(step, Trial):
            self._pusher.stop()
        elif isinstance(step, Screen) and step.duration_ms is None:
            self._pusher.go()
        self._recorder.begin(step)

    def interrupt(self, trial: Trial) -> None:
        self._recorder.interrupt(trial)

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        self._recorder.record(step, shown, response)
        if isinstance(step, Trial):
            self._pusher.tell()


if __name__ == "__main__":
    main()
