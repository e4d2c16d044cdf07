"""A study's server: its doors, and what it needs while it is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp

from hype.protocols.studies import AnyStudy
from hype.store.record import RECORD_FILE, writing_record
from hype.store.seats import seated
from hype.web.app import StudyServer
from hype.web.sittings import Sittings
from hype.web.tokens import ServerKey, key_at, key_file

SEAT = "web"
"""The seat of a record's server: there is one at a time."""


@contextmanager
def opened(study: AnyStudy, remark: Callable[[str], None]) -> Iterator[tuple[ASGIApp, ServerKey]]:
    """Open a study for participants with a browser.

    Raises InputError: the study, its record or the server's key is not as it should be.
    Raises SessionProblem: another server has the record.
    """
    record = study.folder / RECORD_FILE
    key = key_at(key_file(study.folder))
    with (
        seated(record, SEAT, "serving this study"),
        writing_record(record, remark=remark) as engine,
    ):
        sittings = Sittings(engine, study, key, remark=remark)
        yield StudyServer(study, sittings, key).app(), key
