"""What a central store tells of its study."""

from __future__ import annotations

import json
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from sqlalchemy import Connection, select

from hype.errors import InputError
from hype.store.central import tables
from hype.store.central.problems import CentralRefused
from hype.store.schema import evaluators, studies

NO_STUDY_YET: Final = "holds no study yet"
"""What is wrong with a store to which no station has pushed."""


def latest_resolved(connection: Connection) -> str:
    """Give the study, resolved, as JSON: as the newest evaluator was given it, or any if none came.

    Raises
    ------
    InputError
        The store holds no study yet.
    """
    newest = select(evaluators.c.study).order_by(evaluators.c.id.desc()).limit(1).scalar_subquery()
    first = studies.c.checksum == newest
    found = select(studies.c.resolved).order_by(first.desc().nulls_last(), studies.c.checksum)
    resolved = connection.execute(found.limit(1)).scalar()
    if resolved is None:
        where = connection.engine.url.render_as_string()
        raise InputError(where, NO_STUDY_YET, "hype sync STUDY --to URL brings one")
    return str(resolved)


def names_of(resolved: Iterable[str]) -> set[str]:
    """Give the names that a study had in each of its versions; of those that can be read."""
    return {name for text in resolved if (name := name_of(text))}


def name_of(resolved: str) -> str:
    """Give the name of a resolved study; nothing where it is none."""
    try:
        return str(json.loads(resolved)["study"]["name"])
    except (ValueError, LookupError, TypeError):
        return ""


def require_same_study(url: str, here: AbstractSet[str], there: AbstractSet[str]) -> None:
    """Refuse a store in which another study is, by the names that both have ever had.

    Raises
    ------
    CentralRefused
        It names both.
    """
    if here and there and not here & there:
        problem = f"holds the study {min(there)!r}, and this one is {min(here)!r}"
        raise CentralRefused(url, problem, "each study has a database of its own")


def names_at_store(store: Connection) -> set[str]:
    """Give the names of the study that a store holds."""
    return names_of(store.execute(select(tables.studies.c.resolved)).scalars())


def names_in_record(record: Connection) -> set[str]:
    """Give the names that the study of a record has had."""
    return names_of(record.execute(select(studies.c.resolved)).scalars())
