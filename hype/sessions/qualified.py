"""Who passed a qualification in another study: by its record, or by a central store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection

from hype.central_url import is_url
from hype.store import people
from hype.store.central.problems import CentralAway, CentralRefused
from hype.store.central.servers import require_trusted
from hype.store.record import RECORD_FILE, reading_record
from hype.study.studies import Study

DAY_S: Final = 86_400.0
TESTED_HERE: Final = "whoever passed the qualification there takes it here"


def passed_elsewhere(
    study: Study, *, simulated: bool, now_unix_s: float, remark: Callable[[str], None]
) -> dict[str, str]:
    """Give who passed in a study of ``qualification.valid_from``: code, and the first such study.

    Nothing may be locked meanwhile: a central store can take long to answer. Where it cannot be
    asked, ``remark`` is told so.

    Raises
    ------
    InputError
        A study named there by its folder has no record.
    """
    test = study.settings.qualification
    if not test.enabled:
        return {}
    found: dict[str, str] = {}
    for source in test.valid_from:
        try:
            passed = passed_in(study, source, simulated=simulated)
        except (CentralAway, CentralRefused) as error:
            remark(f"{error}; {TESTED_HERE}")
            continue
        fresh = still_valid(passed, test.valid_days, now_unix_s=now_unix_s)
        found = dict.fromkeys(fresh, source) | found
    return found


def still_valid(
    passed: Mapping[str, float], valid_days: int | None, *, now_unix_s: float
) -> dict[str, float]:
    """Leave out those who passed longer ago than ``valid_days`` (None: nobody)."""
    if valid_days is None:
        return dict(passed)
    since = now_unix_s - valid_days * DAY_S
    return {code: when for code, when in passed.items() if when >= since}


def passed_in(study: Study, source: str, *, simulated: bool) -> dict[str, float]:
    """Give who passed in one study: code, and when.

    Raises
    ------
    InputError
        It has no record; or, a `CentralRefused`, its central store is not trusted or refuses.
    CentralAway
        That cannot be reached.
    """
    with connected_to(study, source) as connection:
        return people.passed_qualification(connection, simulated=simulated)


@contextmanager
def connected_to(study: Study, source: str) -> Iterator[Connection]:
    """Open the record, or the central store, that an entry of ``valid_from`` names."""
    if not is_url(source):
        path = study.folder / source / RECORD_FILE
        with reading_record(path) as engine, engine.connect() as connection:
            yield connection
        return
    require_trusted(study.path, source, key="qualification.valid_from")
    from hype.store.central.engine import reading_central

    with reading_central(source) as engine, engine.connect() as connection:
        yield connection
