"""Pushing a study's record to its central store."""

from __future__ import annotations

from typing import Final

from hype.store.central.limits import FOREVER
from hype.store.central.pushed import Pushed
from hype.store.central.told import names_in_record
from hype.store.record import RECORD_FILE, reading_record
from hype.store.update import version_at
from hype.study.studies import AnyStudy

NOTHING: Final = Pushed(rows={}, pending=0, contradicted={})


def push_record(study: AnyStudy, url: str, *, until: float = FOREVER) -> Pushed:
    """Push a study's record, if there is one yet; ``until`` as in `hype.store.central.engine`.

    Raises
    ------
    CentralRefused, CentralAway
        As `hype.store.central.push.push`.
    """
    path = study.folder / RECORD_FILE
    if not version_at(path):
        return NOTHING
    from hype.store.central.push import push

    with reading_record(path) as record:
        return push(record, url, until=until)


def names_of_study(study: AnyStudy) -> set[str]:
    """Give what a study is called, and what it was called when others came to this station."""
    path, name = study.folder / RECORD_FILE, study.settings.study.name
    if not version_at(path):
        return {name}
    with reading_record(path) as record, record.connect() as connection:
        return {name, *names_in_record(connection)}
