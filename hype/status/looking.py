"""Looking at a study of whatever kind, for `hype status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from sqlalchemy import Engine

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

    ``look_at``: looks at the answers of its protocol. Quotas and versions are told beside them.

    Raises InputError, SessionProblem: there is no such version; or as from
    `hype.session.outgoing.reading_all`.
    """
    with reading_all(study) as engine:
        versions, seen = seen_version(engine, study, version, simulated=simulated)
        quotas, left_out = seen.settings.study.quotas, seen.settings.study.left_out
        with of_version_alone(engine, seen) as answers, answers.connect() as connection:
            tell = look_at(connection, seen, simulated=simulated)
            groups = tuple(groups_of(connection, seen, quotas, None, simulated=simulated))
    warnings = tuple(lines_of_versions(study, seen, versions, simulated=simulated))

    def as_object() -> dict[str, object]:
        return {
            **tell.as_object(),
            **({"quotas": [asdict(group) for group in groups]} if groups else {}),
            **({"left_out": left_out} if left_out else {}),
            "version": seen.version.number if seen.version else len(versions) or None,
            "versions": [object_of(versions, each, simulated=simulated) for each in versions],
        }

    def view() -> View:
        shown = tell.view()
        left = [f"Left before the end: {n:,}, who hold no place"] if (n := shown.whole.left) else []
        left += left_out_in_words(left_out, left_out)
        return replace(
            shown,
            last_first=last_first(tell.found),
            lines=(*quotas_in_words(groups, shown.whole.full), *left, *shown.lines),
            warnings=(*shown.warnings, *warnings),
        )

    return Telling(found=tell.found, as_object=as_object, view=view)


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
