"""The pre-flight of the central store: whether it is there, and knows this station."""

from __future__ import annotations

from sqlalchemy import Connection, select

from hype.sessions.facts import STATION_VARIABLE, station_name
from hype.sessions.findings import Preflight
from hype.store.central.desk import assigning
from hype.store.central.engine import CentralAway, CentralRefused
from hype.store.central.told import names_in_record
from hype.store.people import TURNED_AWAY
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import evaluators
from hype.study.studies import AnyStudy


def check_central(flight: Preflight, study: AnyStudy) -> None:
    """See that a study's central store can be reached and asked for places, if it has one."""
    store = study.settings.store
    if not store.central:
        return
    if store.stations and station_name() not in store.stations:
        flight.warn(
            "station-unknown",
            f"this station is called {station_name()!r}, which is not among store.stations "
            f"({', '.join(store.stations)}): without the central store it could admit nobody new",
            f"name it in the study file, or set {STATION_VARIABLE} to one of the names",
        )
    try:
        with assigning(store.central) as desk:
            desk.require_study(names_at_hand(study))
            came = count_people(desk.connection)
            desk.leave()
    except CentralAway as error:
        flight.warn(
            "central-away",
            str(error),
            "sessions can be held: this station goes by its own share of the places, and what is "
            "recorded is pushed later",
        )
    except CentralRefused as error:
        flight.add("central-refused", error)
    else:
        flight.facts["central"] = {"url": store.central, "evaluators": came}


def names_at_hand(study: AnyStudy) -> set[str]:
    """Give what a study is called, and what it was called when others came here."""
    record = study.folder / RECORD_FILE
    if not record.exists():
        return {study.settings.study.name}
    with reading_record(record) as engine, engine.connect() as connection:
        return {study.settings.study.name, *names_in_record(connection)}


def count_people(connection: Connection) -> int:
    """Count the people who came to any station and were not turned away."""
    found = evaluators.c
    query = select(found.id).where(~found.simulated, found.status.not_in(TURNED_AWAY))
    return len(connection.execute(query).all())
