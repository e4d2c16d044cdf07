"""The record's own copies of the study, as sessions used it, and how they differ from today's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy import Connection, select

from hype.confine import check_folder
from hype.errors import InputError
from hype.masks.maskset import read_masks
from hype.protocol.steps import Stimulus
from hype.sessions.pools import pools_of
from hype.sessions.verify.found import Found
from hype.stimuli.manifest import read_manifest
from hype.store.schema import sessions, studies
from hype.study.load import Study, explained, named_folders
from hype.study.sampling import Pools
from hype.study.settings import StudyFile

FEW: Final = 4
"""As many keys that differ are named, and not more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStudy:
    """One copy: the study, and what it draws from today (None where that cannot be read)."""

    study: Study
    pools: Pools | None
    listed: Mapping[str, Stimulus]


def read_kept(connection: Connection, today: Study, found: list[Found]) -> dict[str, KeptStudy]:
    """Read the copies that can be read, by their checksums; say in ``found`` what is wrong."""
    kept = {}
    for checksum, resolved in connection.execute(select(studies.c.checksum, studies.c.resolved)):
        if not isinstance(resolved, str):
            continue  # that is a fault already
        if hashlib.sha256(resolved.encode()).hexdigest() != checksum:
            message = f"the copy {short(checksum)} was changed since it was kept"
            found.append(Found("study-copy-changed", message))
        try:
            kept[checksum] = with_pools(study_of(today, resolved), found)
        except InputError as error:
            message = f"the copy {short(checksum)}: {error.problem}"
            found.append(Found("study-copy-unreadable", message))
    return kept


def study_of(today: Study, resolved: str) -> Study:
    """Make a study of the record's copy, at the place where it lies today.

    Raises
    ------
    InputError
        This program would not take it for a study, or it names a folder that it may not lead to.
    """
    try:
        settings = StudyFile.model_validate_json(resolved)
    except ValidationError as error:
        raise InputError(today.path, next(explained(error.errors(), StudyFile))) from None
    for key, name in named_folders(settings):
        check_folder(today.path, today.folder, key, name)
    return Study(path=today.path, settings=settings)


def with_pools(study: Study, found: list[Found]) -> KeptStudy:
    """Read what a study draws from, or say in ``found`` why that cannot be read."""
    try:
        stimuli = read_manifest(study.stimuli_folder)
        masks = read_masks(study.masks_folder) if study.masks_folder else None
        pools = pools_of(study, stimuli, masks)
    except InputError as error:
        wrong = Found("manifest-unreadable", str(error))
        if wrong not in found:  # copies may share their folders
            found.append(wrong)
        return KeptStudy(study=study, pools=None, listed={})
    return KeptStudy(study=study, pools=pools, listed={s.path: s for s in stimuli.stimuli})


def check_kept(connection: Connection) -> Iterator[Found]:
    """Find sessions of whose study there is no copy."""
    known = select(studies.c.checksum)
    query = select(sessions.c.id).where(sessions.c.study.not_in(known)).order_by(sessions.c.id)
    for session in connection.execute(query).scalars():
        yield Found("study-not-kept", f"session {session} used a study of which there is no copy")


def compare_with_today(
    connection: Connection, today: Study, kept: Mapping[str, KeptStudy]
) -> Iterator[Found]:
    """Say where sessions used another study than today's, and what differs."""
    used = list(connection.execute(select(sessions.c.study)).scalars())
    for checksum, one in kept.items():
        keys = different_keys(one.study.settings, today.settings)
        if number := used.count(checksum) if keys else 0:
            what = "1 session" if number == 1 else f"{number} sessions"
            more = f" and {len(keys) - FEW} more" if len(keys) > FEW else ""
            message = f"differs from what {what} used, in {', '.join(keys[:FEW])}{more}"
            yield Found("study-edited", f"{today.path.name} {message}")


def different_keys(one: StudyFile, other: StudyFile) -> list[str]:
    """List the keys in which two studies differ, by their names in the study file."""
    flat = [dict(flattened("", some.model_dump())) for some in (one, other)]
    return [key for key in {**flat[0], **flat[1]} if flat[0].get(key) != flat[1].get(key)]


def flattened(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each value of nested tables with the whole name of its key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flattened(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", value


def short(checksum: object) -> str:
    """Give the beginning of a checksum, which is enough to tell copies apart."""
    return repr(str(checksum)[:8])
