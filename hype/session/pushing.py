"""Pushing a study's record to its central store."""

from __future__ import annotations

from typing import Final

from hype.central_url import as_station
from hype.confine import shortened
from hype.errors import InputError
from hype.protocols.studies import AnyStudy
from hype.session.facts import station_name
from hype.store.central.limits import FOREVER
from hype.store.central.problems import Progress, Pushed, tell_nobody
from hype.store.central.summary import names_in_record
from hype.store.contradictions import keep, settle
from hype.store.people import find_evaluator
from hype.store.record import RECORD_FILE, committed, reading_record, writing_record
from hype.store.update import version_at

NOTHING: Final = Pushed(rows={}, pending=0, contradicted={})


def push_record(
    study: AnyStudy, url: str, *, progress: Progress = tell_nobody, until: float = FOREVER
) -> Pushed:
    """Push a study's record, if there is one yet, and keep in it what the store contradicts.

    ``until`` is as in `hype.store.central.engine`.

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
        pushed = push(record, own_url(url), progress=progress, until=until)
    if pushed.contradictions:
        with writing_record(path) as record, committed(record) as connection:
            keep(connection, pushed.contradictions)
    return pushed


def own_url(url: str) -> str:
    return as_station(url, station_name())


def settle_contradictions(study: AnyStudy, evaluator: str) -> None:
    """Say of an evaluator's answers which the store did not take that its own stand.

    Raises
    ------
    InputError
        The record does not hold the evaluator.
    """
    path = study.folder / RECORD_FILE
    with writing_record(path) as record, committed(record) as connection:
        found = (find_evaluator(connection, evaluator, simulated=s) for s in (False, True))
        whose = [who for who in found if who]
        if not whose:
            raise InputError(path, f"holds no evaluator {shortened(evaluator)}")
        for who in whose:
            settle(connection, who)


def names_of_study(study: AnyStudy) -> set[str]:
    """Give what a study is called, and what it was called when others came to this station."""
    path, name = study.folder / RECORD_FILE, study.settings.study.name
    if not version_at(path):
        return {name}
    with reading_record(path) as record, record.connect() as connection:
        return {name, *names_in_record(connection)}
