"""Pushing a record to its study's central store: at once, or beside a session between blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from hype.protocol.loop import Presentation, Recorder
from hype.protocol.steps import Response, Screen, Step, Trial
from hype.store.central.push import Progress, Pushed, push, tell_nobody
from hype.store.record import RECORD_FILE, reading_record
from hype.store.update import version_at
from hype.study.studies import AnyStudy

LAST_IN_LINE: Final = 19
"""How nice the program is that pushes: whoever else wants the processor has it first."""
NOTHING: Final = Pushed(rows={}, pending=0, contradicted={})


def push_record(study: AnyStudy, url: str, *, progress: Progress = tell_nobody) -> Pushed:
    """Push a study's record, if there is one yet.

    Raises
    ------
    CentralRefused, CentralAway
        As `hype.store.central.push.push`.
    """
    path = study.folder / RECORD_FILE
    if not version_at(path):
        return NOTHING
    with reading_record(path) as record:
        return push(record, url, progress=progress)


class Courier:
    """Pushes a study's record, in a program of its own that can be ended at any moment.

    What was under way when it was ended is not there, and the next push begins with it.

    Parameters
    ----------
    command
        What pushes.
    """

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command
        self._program: subprocess.Popen[bytes] | None = None
        self._news = True

    def tell(self) -> None:
        """Say that the record has something new."""
        self._news = True

    def go(self) -> None:
        """Push in the background, if there is anything new and no push under way."""
        if not self._news or (self._program and self._program.poll() is None):
            return
        self._program = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._news = False
        with suppress(OSError):  # it has come to its end already
            os.setpriority(os.PRIO_PROCESS, self._program.pid, LAST_IN_LINE)

    def stop(self) -> None:
        """End a push that is under way; returns when nothing of it runs any more."""
        if self._program is None:
            return
        self._program.kill()
        self._news |= self._program.wait() != 0
        self._program = None


@contextmanager
def courier_of(study: AnyStudy) -> Iterator[Courier | None]:
    """Give the courier of a session, who is gone when it ends; nobody without a central store."""
    if not study.settings.store.central:
        yield None
        return
    courier = Courier((sys.executable, "-m", "hype", "sync", str(study.path)))
    try:
        yield courier
    finally:
        courier.stop()


class PushingBetweenBlocks:
    """A recorder beside which a courier goes while a screen waits for the participant.

    Before a trial the courier is stopped: while images are shown, nothing else runs.
    """

    def __init__(self, recorder: Recorder, courier: Courier) -> None:
        self._recorder = recorder
        self._courier = courier

    def begin(self, step: Step) -> None:
        """Let the courier go or stop, and keep that a step is about to be shown."""
        if isinstance(step, Trial):
            self._courier.stop()
        elif isinstance(step, Screen) and step.duration_ms is None:
            self._courier.go()
        self._recorder.begin(step)

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        """Keep one step."""
        self._recorder.record(step, shown, response)
        self._courier.tell()
