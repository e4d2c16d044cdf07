"""The versions of a study: which one each evaluator was given, and which one new evaluators get.

The record keeps for each evaluator the checksum of the study that they were given, and a copy of
every such study. Studies that measure the same thing are one version (`hype.study.differences`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, bindparam, func, select

from hype.errors import InputError
from hype.store.people import Evaluator
from hype.store.schema import evaluators, studies
from hype.study.differences import Changes, describe_changes, differences, rebuild_given
from hype.study.studies import AnyStudy, OneOfVersions

NEW_VERSION: Final = "--new-version"
PUT_BACK: Final = "put back what was changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a study that was given to some people or simulated evaluators."""

    number: int  # from 1, in the order in which versions began
    # The study that the last evaluator was given; None if this program cannot read it
    study: AnyStudy | None
    checksums: frozenset[str]  # of the studies that its evaluators were given
    evaluators: int
    # first_unix_s, last_unix_s: when its first and its last evaluator joined
    first_unix_s: float
    last_unix_s: float

    def is_that_of(self, today: AnyStudy, *, simulated: bool) -> bool:
        return is_same(self.study, today, simulated=simulated)

    def days(self) -> str:
        first, last = day_of(self.first_unix_s), day_of(self.last_unix_s)
        return first if first == last else f"{first} to {last}"


def versions_of(connection: Connection, today: AnyStudy, *, simulated: bool) -> tuple[Version, ...]:
    """List the versions that people, or simulated evaluators, were given, the oldest first."""
    groups: list[tuple[AnyStudy | None, list[Row[Any]]]] = []
    for row in rows_of_studies(connection, simulated=simulated):
        given = None
        with suppress(InputError):  # a copy in the record may be unreadable for this program
            given = rebuild_given(today, row.resolved or "", simulated=simulated)
        same = (rows for study, rows in groups if is_same(study, given, simulated=simulated))
        if rows := next(same, None):
            rows.append(row)
        else:
            groups.append((given, [row]))
    groups.sort(key=lambda group: min(row.first for row in group[1]))
    return tuple(
        Version(
            number=number,
            study=study,
            checksums=frozenset(row.study for row in rows),
            evaluators=sum(row.number for row in rows),
            first_unix_s=min(row.first for row in rows),
            last_unix_s=max(row.last for row in rows),
        )
        for number, (study, rows) in enumerate(groups, start=1)
    )


def is_same(one: AnyStudy | None, other: AnyStudy | None, *, simulated: bool) -> bool:
    if one is None or other is None:
        return False
    return not differences(one, other, simulated=simulated)


def rows_of_studies(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Read the studies that evaluators were given, the most recent first."""
    columns = evaluators.c
    when = columns.assigned_unix_s
    came = (func.count().label("number"), func.min(when).label("first"), func.max(when))
    query = (
        select(columns.study, studies.c.resolved, *came[:2], came[2].label("last"))
        .outerjoin(studies, studies.c.checksum == columns.study)
        .where(columns.simulated == simulated)
        .group_by(columns.study, studies.c.resolved)
    )
    return connection.execute(query.order_by(came[2].desc(), columns.study)).all()


def evaluators_by_version(
    connection: Connection, versions: Collection[Version], *, simulated: bool
) -> dict[object, int]:
    numbers = {checksum: version.number for version in versions for checksum in version.checksums}
    query = select(evaluators.c.evaluator, evaluators.c.study)
    of_these = query.where(evaluators.c.simulated == simulated).order_by(evaluators.c.id)
    return {code: numbers[checksum] for code, checksum in connection.execute(of_these)}


def current(versions: Collection[Version]) -> Version | None:
    return max(versions, key=lambda version: (version.last_unix_s, version.number), default=None)


def require_version(
    connection: Connection, today: AnyStudy, *, simulated: bool, new_version: bool
) -> frozenset[str]:
    """Refuse a new evaluator if earlier evaluators were given another version of the study.

    Returns the checksums of the studies that belong to this version. Raises InputError: the study
    is another version, but ``new_version`` is false.
    """
    if is_only_study(connection, today, simulated=simulated):
        return frozenset({today.checksum()})
    versions = versions_of(connection, today, simulated=simulated)
    last = current(versions)
    if last is None or new_version or last.is_that_of(today, simulated=simulated):
        return same_among(versions, today, simulated=simulated)
    way = (
        f"{PUT_BACK}, or start a new version, with separate places and scores: hype run or hype "
        f"serve with {NEW_VERSION}"
    )
    if simulated:
        way = (
            f"{PUT_BACK}, start another version with {NEW_VERSION}, or discard all simulated "
            "sessions first with --fresh"
        )
    raise InputError(today.path, change_in_words(last, today, simulated), way)


def change_in_words(last: Version, today: AnyStudy, simulated: bool) -> str:
    who = "simulated evaluators" if simulated else "evaluators"
    if last.study is None:
        return f"earlier {who} had a study that this program cannot read"
    changed = describe_changes(differences(last.study, today, simulated=simulated))
    return f"differs from the study of earlier {who} ({changed})"


STUDIES_GIVEN: Final = (
    select(evaluators.c.study).where(evaluators.c.simulated == bindparam("simulated")).distinct()
)


def is_only_study(connection: Connection, today: AnyStudy, *, simulated: bool) -> bool:
    """Return whether all evaluators were given exactly the current study, by its checksum."""
    given = connection.execute(STUDIES_GIVEN, {"simulated": simulated}).scalars().all()
    return given == [today.checksum()]


def same_version(connection: Connection, today: AnyStudy, *, simulated: bool) -> frozenset[str]:
    if is_only_study(connection, today, simulated=simulated):
        return frozenset({today.checksum()})
    versions = versions_of(connection, today, simulated=simulated)
    return same_among(versions, today, simulated=simulated)


def same_among(
    versions: Collection[Version], today: AnyStudy, *, simulated: bool
) -> frozenset[str]:
    same = (
        version.checksums for version in versions if version.is_that_of(today, simulated=simulated)
    )
    return next(same, frozenset())


def study_of_enrolled(connection: Connection, today: AnyStudy, who: Evaluator) -> AnyStudy:
    """Return the study that an evaluator was given; the current study if no copy was kept.

    The evaluator's study does not contain models that were added later.

    Raises InputError: this program cannot read the study.
    """
    query = select(studies.c.resolved).where(studies.c.checksum == who.study)
    resolved = connection.execute(query).scalar()
    if resolved is None:
        return today
    theirs = rebuild_given(today, resolved, simulated=who.simulated)
    is_as_today = theirs.added.keys() == today.added.keys() and not differences(
        theirs, today, simulated=who.simulated
    )
    return today if is_as_today else theirs


def find_version(versions: Sequence[Version], number: int | None) -> Version | None:
    """Return the version with this number; None: that of the last evaluator, if there is one.

    Raises InputError: no version has that number.
    """
    if number is None:
        return current(versions)
    if not 1 <= number <= max(1, len(versions)):
        allowed = f"1 to {len(versions)}" if len(versions) > 1 else "the study has one version"
        raise InputError("--version", f"there is no version {number}", allowed)
    return versions[number - 1] if versions else None


def study_in(
    versions: Sequence[Version], version: Version, today: AnyStudy, *, simulated: bool
) -> AnyStudy:
    """Return a version's study from the record, or the current study if it is of this version."""
    study = today if version.is_that_of(today, simulated=simulated) else version.study or today
    only = OneOfVersions(number=version.number, of=len(versions), checksums=version.checksums)
    return replace(study, version=only if len(versions) > 1 else None)


def choose_seen(
    engine: Engine, study: AnyStudy, version: int | None, *, simulated: bool
) -> tuple[Sequence[Version], AnyStudy]:
    """Return all versions of a study, and the study in ``version`` (None: the latest)."""
    with engine.connect() as connection:
        versions = versions_of(connection, study, simulated=simulated)
    chosen = find_version(versions, version)
    if chosen is None:
        return versions, study
    return versions, study_in(versions, chosen, study, simulated=simulated)


def several(versions: Sequence[Version], where: object, *, simulated: bool) -> InputError:
    problem = f"contains {len(versions)} versions of the study, which are never scored together"
    numbers = ", ".join(f"--version {version.number}" for version in versions)
    lines = version_lines(versions, simulated=simulated)
    return InputError(where, problem, "\n  ".join((f"choose one: {numbers}", *lines)))


def version_lines(versions: Sequence[Version], *, simulated: bool) -> Iterator[str]:
    """Describe each version: its dates, its number of evaluators, and its changes."""
    for version in versions:
        number = "1 evaluator" if version.evaluators == 1 else f"{version.evaluators:,} evaluators"
        changed = describe_changes(changes_to(versions, version, simulated=simulated))
        line = f"version {version.number}: {version.days()}, {number}" + (
            f"; {changed}" if changed else ""
        )
        yield line if version.study else f"{line}; this program cannot read this version"


def changes_to(versions: Sequence[Version], version: Version, *, simulated: bool) -> Changes:
    """List the differences between a version and the one before it."""
    before = versions[version.number - 2].study if version.number > 1 else None
    if before is None or version.study is None:
        return {}
    return differences(before, version.study, simulated=simulated)


def object_of(
    versions: Sequence[Version], version: Version, *, simulated: bool
) -> dict[str, object]:
    changed = changes_to(versions, version, simulated=simulated)
    return {
        "version": version.number,
        "evaluators": version.evaluators,
        "first_unix_s": version.first_unix_s,
        "last_unix_s": version.last_unix_s,
        "changed": {key: {"before": was, "now": new} for key, (was, new) in changed.items()},
    }


def day_of(unix_s: float) -> str:
    """Return the date of a time stamp, in this machine's time zone."""
    return datetime.fromtimestamp(unix_s).astimezone().date().isoformat()
