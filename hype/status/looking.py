"""Looking at a study of whatever kind, for `hype status`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from hype.errors import InputError
from hype.protocols.hype.evaluators import Owed
from hype.protocols.studies import (
    AnyStudy,
    ComparisonStudy,
    OneStudy,
    RankingStudy,
    RatingStudy,
    Study,
)
from hype.session.records import of_version_alone, reading_all
from hype.session.stations import codes_at_several, doubts_of, station_progress, stations_met
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
from hype.status.kit import View
from hype.status.stations import said_of_codes, stations_object, table_of_stations

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is known of a study, and the two ways of telling it: to programs, and to people."""

    found: Sequence[Owed]
    as_object: Callable[[], dict[str, object]]
    view: Callable[[], View]


def look(study: OneStudy, *, simulated: bool, version: int | None = None) -> Telling:
    """Look at a study once: at the version of a number, or that of the last evaluators.

    Raises
    ------
    InputError, SessionProblem
        There is no such version; or as from `hype.session.records.reading_all`.
    """
    with reading_all(study) as engine:
        with engine.connect() as connection:
            versions = versions_of(connection, study, simulated=simulated)
        one = numbered(versions, version)
        seen = study_in(versions, one, study, simulated=simulated) if one else study
        with of_version_alone(engine, seen) as answers, answers.connect() as connection:
            tell = telling_of(connection, seen, simulated=simulated)
    return with_versions(tell, study, seen, versions, simulated=simulated)


def with_versions(
    tell: Telling, today: OneStudy, seen: OneStudy, versions: Sequence[Version], *, simulated: bool
) -> Telling:
    """Tell of all versions of a study beside the one that is looked at."""
    warnings = tuple(lines_of_versions(today, seen, versions, simulated=simulated))

    def as_object() -> dict[str, object]:
        shown = seen.version.number if seen.version else len(versions) or None
        told = [object_of(versions, one, simulated=simulated) for one in versions]
        return tell.as_object() | {"version": shown, "versions": told}

    def view() -> View:
        found = tell.view()
        return replace(found, warnings=(*found.warnings, *warnings))

    return Telling(found=tell.found, as_object=as_object, view=view)


def lines_of_versions(
    today: OneStudy, seen: OneStudy, versions: Sequence[Version], *, simulated: bool
) -> Iterator[str]:
    """Say which versions there are, where there are several, and whether the file is another."""
    if seen.version:
        yield f"this is version {seen.version} of the study:"
        yield from lines_of(versions, simulated=simulated)
    last = current(versions)
    if last and not last.is_that_of(today, simulated=simulated):
        yield f"{today.path}: {change_in_words(last, today, simulated)}; nobody new is admitted"


def of_everybody(study: OneStudy) -> Sequence[Owed]:
    """Look at where the people of all versions stand.

    Raises
    ------
    InputError
        They are owed different currencies.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=False)
    currencies = {one.study.settings.pay.currency for one in versions if one.study}
    if len(currencies) > 1:
        raise InputError("--pay", "people are owed different currencies", "choose a --version")
    numbers: Sequence[int | None] = [one.number for one in versions] or [None]
    return [who for n in numbers for who in look(study, simulated=False, version=n).found]


def telling_of(connection: Connection, study: AnyStudy, *, simulated: bool) -> Telling:
    """Look at a study, and at its stations.

    Raises
    ------
    InputError
        It is of a kind that nobody knows.
    """
    tell = of_its_kind(connection, study, simulated=simulated)
    station_of = stations_met(connection, simulated=simulated)
    stations = station_progress(tell.found, station_of)
    several = codes_at_several(station_of) if study.read_from else ()
    doubts = doubts_of(connection, study, simulated=simulated)

    def as_object() -> dict[str, object]:
        return tell.as_object() | stations_object(stations, several) | asdict(doubts)

    def view() -> View:
        seen = replace(tell.view(), last_first=last_first(tell.found))
        warnings = (*seen.warnings, *said_of_codes(several), *doubts.sentences())
        table = table_of_stations(stations) if study.read_from else seen.stations
        return replace(seen, warnings=warnings, stations=table)

    return Telling(found=tell.found, as_object=as_object, view=view)


def of_its_kind(connection: Connection, study: AnyStudy, *, simulated: bool) -> Telling:
    """Look at a study of whatever kind."""
    match study:
        case Study():
            return of_judgements(connection, study, simulated=simulated)
        case ComparisonStudy():
            return of_comparisons(connection, study, simulated=simulated)
        case RatingStudy():
            return of_ratings(connection, study, simulated=simulated)
        case RankingStudy():
            return of_rankings(connection, study, simulated=simulated)
    raise InputError(study.path, "is a study of an unknown kind")


def of_judgements(connection: Connection, study: Study, *, simulated: bool) -> Telling:
    """Look at a study of HYPE's methods."""
    from hype.protocols.hype.evaluators import standings
    from hype.protocols.hype.progress import progress_of
    from hype.protocols.hype.status import judging_object, judging_view
    from hype.session.materials import conditions_known

    found = standings(connection, study, simulated=simulated)
    conditions = conditions_known(study, (standing.condition for standing in found))
    progress = progress_of(found, study.settings, conditions.names)
    what = (study, found, progress, conditions)
    return Telling(
        found=found,
        as_object=partial(judging_object, *what, simulated=simulated),
        view=partial(judging_view, *what, simulated=simulated),
    )


def of_comparisons(connection: Connection, study: ComparisonStudy, *, simulated: bool) -> Telling:
    """Look at a study of comparisons."""
    from hype.protocols.comparison.evaluators import comparers
    from hype.protocols.comparison.status import (
        comparing_object,
        comparing_progress,
        comparing_view,
        design_known,
    )

    found = comparers(connection, study, simulated=simulated)
    design = design_known(connection, study)
    progress = comparing_progress(connection, study, design, found, simulated=simulated)
    what = (study, design, found, progress)
    return Telling(
        found=found,
        as_object=partial(comparing_object, *what, simulated=simulated),
        view=partial(comparing_view, *what, simulated=simulated),
    )


def of_ratings(connection: Connection, study: RatingStudy, *, simulated: bool) -> Telling:
    """Look at a study of ratings."""
    from hype.protocols.rating.evaluators import answers_counted, raters
    from hype.protocols.rating.status import (
        rating_design,
        rating_object,
        rating_progress,
        rating_view,
    )

    counted = answers_counted(connection, simulated=simulated)
    found = raters(connection, study, counted, simulated=simulated)
    design = rating_design(study)
    what = (study, design, found, rating_progress(study, design, found, counted))
    return Telling(
        found=found,
        as_object=partial(rating_object, *what, simulated=simulated),
        view=partial(rating_view, *what, simulated=simulated),
    )


def of_rankings(connection: Connection, study: RankingStudy, *, simulated: bool) -> Telling:
    """Look at a study of rankings, and hold its evaluators against its checkers."""
    from hype.protocols.ranking.evaluators import rankers
    from hype.protocols.ranking.status import (
        ranking_design,
        ranking_object,
        ranking_progress,
        ranking_view,
        screened,
    )

    found = rankers(connection, study, simulated=simulated)
    design = ranking_design(study)
    progress = ranking_progress(connection, study, design, found, simulated=simulated)
    checked = any(one.tested or one.checked for one in found if one.checker)
    known = screened(connection.engine, study, simulated=simulated) if checked else {}
    what = (study, design, found, progress, known)
    return Telling(
        found=found,
        as_object=partial(ranking_object, *what, simulated=simulated),
        view=partial(ranking_view, *what, simulated=simulated),
    )


def last_first(found: Sequence[Owed]) -> tuple[int, ...]:
    """Order evaluators by when they last answered, or came where they answered nothing."""
    return tuple(sorted(range(len(found)), key=lambda place: (heard_of(found[place]), place)))[::-1]


def heard_of(one: Owed) -> float:
    last = one.last_answered_unix_s
    return one.came_unix_s if last is None else last
