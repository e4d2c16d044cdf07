"""Looking at a study of whatever kind, for `hype status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from sqlalchemy import Connection, Engine

from hype.errors import InputError
from hype.session.outgoing import of_version_alone, reading_all
from hype.session.participation import Owed
from hype.session.quotas import GroupProgress, groups_of
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
from hype.status.progress import LookAt, Telling, View
from hype.study.phrases import left_out_in_words
from hype.study.studies import AnyStudy


def look(
    study: AnyStudy, look_at: LookAt, *, simulated: bool, version: int | None = None
) -> Telling:
    """Look at a study once: at the version of a number, or that of the last evaluators.

    ``look_at``: looks at the answers of its protocol.

    Raises InputError, SessionProblem: there is no such version; or as from
    `hype.session.outgoing.reading_all`.
    """
    with reading_all(study) as engine:
        versions, seen = seen_version(engine, study, version, simulated=simulated)
        with of_version_alone(engine, seen) as answers, answers.connect() as connection:
            tell = telling_of(connection, seen, look_at, simulated=simulated)
    return with_versions(tell, study, seen, versions, simulated=simulated)


def seen_version(
    engine: Engine, study: AnyStudy, version: int | None, *, simulated: bool
) -> tuple[Sequence[Version], AnyStudy]:
    """Give all versions of a study, and the one of a number, or of the last evaluators."""
    with engine.connect() as connection:
        versions = versions_of(connection, study, simulated=simulated)
    chosen = numbered(versions, version)
    if chosen is None:
        return versions, study
    return versions, study_in(versions, chosen, study, simulated=simulated)


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


def of_everybody(study: AnyStudy, look_at: LookAt) -> Sequence[Owed]:
    """Look at where the people of all versions stand.

    Raises InputError: they are owed different currencies.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=False)
    currencies = {version.study.settings.pay.currency for version in versions if version.study}
    if len(currencies) > 1:
        raise InputError("--pay", "people are owed different currencies", "choose a --version")
    numbers: Sequence[int | None] = [version.number for version in versions] or [None]
    return [who for n in numbers for who in look(study, look_at, simulated=False, version=n).found]


def telling_of(
    connection: Connection, study: AnyStudy, look_at: LookAt, *, simulated: bool
) -> Telling:
    """Look at a study, and at its quotas."""
    tell = look_at(connection, study, simulated=simulated)
    quotas = study.settings.study.quotas
    groups = tuple(groups_of(connection, study, quotas, None, simulated=simulated))
    left_out = study.settings.study.left_out

    def as_object() -> dict[str, object]:
        quotas_told = {"quotas": [asdict(group) for group in groups]} if groups else {}
        return tell.as_object() | quotas_told | ({"left_out": left_out} if left_out else {})

    def view() -> View:
        seen = tell.view()
        left = [f"Left before the end: {n:,}, who hold no place"] if (n := seen.whole.left) else []
        left += left_out_in_words(left_out, left_out)
        lines = (*quotas_in_words(groups, seen.whole.full), *left, *seen.lines)
        return replace(seen, last_first=last_first(tell.found), lines=lines)

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

    def heard_of(place: int) -> tuple[float, int]:
        who = evaluators_owed[place]
        last = who.last_answered_unix_s
        return who.came_unix_s if last is None else last, place

    return tuple(sorted(range(len(evaluators_owed)), key=heard_of, reverse=True))
