"""The pre-flight of the central store: whether it is there, and knows this station."""

from __future__ import annotations

from sqlalchemy import Connection

from hype.errors import InputError
from hype.sessions.enrol import require_newcomers
from hype.sessions.facts import STATION_VARIABLE, station_name
from hype.sessions.findings import Finding, Preflight
from hype.sessions.protocols.of_study import protocol_of
from hype.sessions.pushing import names_of_study, own_url
from hype.sessions.records import central_of
from hype.sessions.registers import CENTRAL
from hype.store import people
from hype.store.central.problems import CentralAway, CentralRefused, CentralUntrusted
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
    from hype.store.central.desk import assigning

    try:
        with assigning(own_url(central_of(study))) as desk:
            desk.require_study(names_of_study(study))
            flight.attempt("study-changed", lambda: require_as_begun(desk.connection, study))
            came = people.count_cells(desk.connection, simulated=False, turned_away=False)
    except CentralAway as error:
        flight.warn(
            "central-away",
            str(error),
            "sessions can be held: this station goes by its own share of the places, and what is "
            "recorded is pushed later",
        )
    except CentralUntrusted as error:
        flight.find(
            Finding(
                code="central-untrusted",
                severity="problem",
                message=f"{error.where}: {error.problem}",
                remedy=error.allowed,
            )
        )
    except CentralRefused as error:
        flight.add("central-refused", error)
    else:
        flight.facts["central"] = {"url": store.central, "evaluators": sum(came.values())}


def require_as_begun(connection: Connection, study: AnyStudy) -> None:
    """Refuse a study under which nobody new would be admitted, by the central store."""
    try:
        protocol = protocol_of(study)
    except InputError:
        return  # said elsewhere
    require_newcomers(connection, protocol, CENTRAL, simulated=False, new_version=False)
