"""Pushing a study's record to its central store."""

from __future__ import annotations

from typing import Final

from hype.store.central.push import Progress, Pushed, push, tell_nobody
from hype.store.record import RECORD_FILE, reading_record
from hype.store.update import version_at
from hype.study.studies import AnyStudy

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
