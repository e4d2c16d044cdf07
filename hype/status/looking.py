"""Looking at a study of whatever kind, for `hype status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rich.table import Table
from rich.text import Text

from hype.errors import InputError
from hype.protocols.registry import protocol_of
from hype.protocols.studies import (
    AnyStudy,
)
from hype.session.quotas import GroupProgress, groups_of
from hype.session.records import of_version_alone, reading_all
from hype.session.standings import (
    Owed,
    SeveralTimes,
    StationProgress,
    codes_at_several,
    doubts_of,
    station_progress,
    stations_met,
)
from hype.session.versions import (
    Version,
    change_in_words,
    current,
    lines_of,
    numbered,
    object_of,
    study_in,
    versions_of,
)
from hype.status.progress import Telling, View, counts, new_table

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST_NAMED: Final = 5
"""Codes that are named in one line."""


def stations_object(
    stations: Sequence[StationProgress], several: Sequence[SeveralTimes]
) -> dict[str, object]:
    return {
        "stations": [asdict(station) for station in stations],
        "codes_at_several_stations": [asdict(code) for code in several],
    }


def table_of_stations(stations: Sequence[StationProgress]) -> Table:
    table = new_table()
    table.add_column("Station", overflow="fold", min_width=9)
    for name in ("Came", "Done", "Begun", "Answers"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Last answer", no_wrap=True)
    for station in stations:
        numbers = (station.evaluators, station.complete, station.active, station.trials)
        last = station.last_answered_unix_s
        when = "–" if last is None else f"{datetime.fromtimestamp(last):%Y-%m-%d %H:%M}"
        table.add_row(Text(station.station or "unknown"), *counts(numbers), when)
    return table


def codes_in_words(several: Sequence[SeveralTimes]) -> Iterator[str]:
    """Say which codes several records have, if any."""
    if not several:
        return
    some = ", ".join(code.code for code in several[:MOST_NAMED])
    more = f" and {len(several) - MOST_NAMED:,} more" if len(several) > MOST_NAMED else ""
    first = several[0]
    named = " and ".join(first.evaluators[:2]) + (", …" if len(first.evaluators) > 2 else "")
    yield (
        f"{some}{more} came at more than one station, as different evaluators; here {first.code} "
        f"is {named}"
    )


def look(study: AnyStudy, *, simulated: bool, version: int | None = None) -> Telling:
    """Look at a study once: at the version of a number, or that of the last evaluators.

    Raises InputError, SessionProblem: there is no such version; or as from
    `hype.session.records.reading_all`.
    """
    with reading_all(study) as engine:
        with engine.connect() as connection:
            versions = versions_of(connection, study, simulated=simulated)
        chosen = numbered(versions, version)
        seen = study_in(versions, chosen, study, simulated=simulated) if chosen else study
        with of_version_alone(engine, seen) as answers, answers.connect() as connection:
            tell = telling_of(connection, seen, simulated=simulated)
    return with_versions(tell, study, seen, versions, simulated=simulated)


def with_versions(
    tell: Telling, today: AnyStudy, seen: AnyStudy, versions: Sequence[Version], *, simulated: bool
) -> Telling:
    """Tell of all versions of a study beside the one that is looked at."""
    warnings = tuple(lines_of_versions(today, seen, versions, simulated=simulated))

    def as_object() -> dict[str, object]:
        shown = seen.version.number if seen.version else len(versions) or None
        objects = [object_of(versions, objects, simulated=simulated) for objects in versions]
        return tell.as_object() | {"version": shown, "versions": objects}

    def view() -> View:
        progress = tell.view()
        return replace(progress, warnings=(*progress.warnings, *warnings))

    return Telling(found=tell.found, as_object=as_object, view=view)


def lines_of_versions(
    today: AnyStudy, seen: AnyStudy, versions: Sequence[Version], *, simulated: bool
) -> Iterator[str]:
    """Say which versions there are, where there are several, and whether the file is another."""
    if seen.version:
        yield f"this is version {seen.version} of the study:"
        yield from lines_of(versions, simulated=simulated)
    last = current(versions)
    if last and not last.is_that_of(today, simulated=simulated):
        yield f"{today.path}: {change_in_words(last, today, simulated)}; nobody new is admitted"


def of_everybody(study: AnyStudy) -> Sequence[Owed]:
    """Look at where the people of all versions stand.

    Raises InputError: they are owed different currencies.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=False)
    currencies = {version.study.settings.pay.currency for version in versions if version.study}
    if len(currencies) > 1:
        raise InputError("--pay", "people are owed different currencies", "choose a --version")
    numbers: Sequence[int | None] = [version.number for version in versions] or [None]
    return [who for n in numbers for who in look(study, simulated=False, version=n).found]


def telling_of(connection: Connection, study: AnyStudy, *, simulated: bool) -> Telling:
    """Look at a study, and at its stations.

    Raises InputError: it is of a kind that nobody knows.
    """
    tell = protocol_of(study).look(connection, study, simulated=simulated)
    station_of = stations_met(connection, simulated=simulated)
    stations = station_progress(tell.found, station_of)
    several = codes_at_several(station_of) if study.read_from else ()
    doubts = doubts_of(connection, study, simulated=simulated)
    quotas = study.settings.study.quotas
    groups = tuple(groups_of(connection, study, quotas, None, simulated=simulated))

    def as_object() -> dict[str, object]:
        told = tell.as_object() | stations_object(stations, several) | asdict(doubts)
        return told | ({"quotas": [asdict(group) for group in groups]} if groups else {})

    def view() -> View:
        seen = tell.view()
        lines = (*quotas_in_words(groups, seen.whole.full), *seen.lines)
        seen = replace(seen, last_first=last_first(tell.found), lines=lines)
        warnings = (*seen.warnings, *codes_in_words(several), *doubts.sentences())
        table = table_of_stations(stations) if study.read_from else seen.stations
        return replace(seen, warnings=warnings, stations=table)

    return Telling(found=tell.found, as_object=as_object, view=view)


def quotas_in_words(groups: Sequence[GroupProgress], turned_away: int) -> Iterator[str]:
    """Say how full each group is, a line for each, and how many were turned away for that."""
    for group in groups:
        begun = f", {group.active} begun" if group.active else ""
        full = "" if group.free else ": full"
        name = group.group or "withheld"
        yield f"{group.question} {name}: {group.complete} of {group.wanted} done{begun}{full}"
    if turned_away:
        yield f"Turned away since their group was full: {turned_away}"


def last_first(evaluators_owed: Sequence[Owed]) -> tuple[int, ...]:
    """Order evaluators by when they last answered, or came where they answered nothing."""
    return tuple(
        sorted(
            range(len(evaluators_owed)), key=lambda place: (heard_of(evaluators_owed[place]), place)
        )
    )[::-1]


def heard_of(evaluator: Owed) -> float:
    last = evaluator.last_answered_unix_s
    return evaluator.came_unix_s if last is None else last
