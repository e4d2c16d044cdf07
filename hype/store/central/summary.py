"""What a central store tells of its study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from sqlalchemy import Connection, func, select

from hype.errors import NothingRecorded
from hype.store.central import tables
from hype.store.central.problems import CentralRefused
from hype.store.columns import object_in
from hype.store.schema import evaluators, studies

"""What is wrong with a store to which no station has pushed."""


def resolved_studies(connection: Connection) -> Sequence[str]:
    """Give the study, resolved, as JSON: first as the newest evaluators were given it.

    Raises InputError: the store holds no study yet.
    """
    newest = select(evaluators.c.study, func.max(evaluators.c.id).label("last"))
    given = newest.group_by(evaluators.c.study).subquery()
    query = select(studies.c.resolved).outerjoin(given, given.c.study == studies.c.checksum)
    query = query.order_by(given.c.last.desc().nulls_last(), studies.c.checksum)
    resolved = connection.execute(query).scalars().all()
    if not resolved:
        where = connection.engine.url.render_as_string()
        raise NothingRecorded(where, "holds no study yet", "hype sync STUDY --to URL brings one")
    return resolved


def names_of(resolved: Iterable[str]) -> set[str]:
    """Give the names that a study had in each of its versions; of those that can be read."""
    return {name for text in resolved if (name := name_of(text))}


def name_of(resolved: str) -> str:
    """Give the name of a resolved study; nothing where it is none."""
    study = object_in(resolved).get("study")
    return str(study.get("name", "")) if isinstance(study, dict) else ""


def require_same_study(url: str, here: AbstractSet[str], there: AbstractSet[str]) -> None:
    """Refuse a store in which another study is, by the names that both have ever had.

    Raises CentralRefused: it names both.
    """
    if here and there and not here & there:
        problem = f"holds the study {min(there)!r}, and this one is {min(here)!r}"
        raise CentralRefused(url, problem, "each study has a database of its own")


def names_at_store(store: Connection) -> set[str]:
    return names_of(store.execute(select(tables.studies.c.resolved)).scalars())


def names_in_record(record: Connection) -> set[str]:
    return names_of(record.execute(select(studies.c.resolved)).scalars())
