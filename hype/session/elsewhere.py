"""Who is not let in by decision: left out by the study file, or took part in another study."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from sqlalchemy import select

from hype.errors import InputError, NobodyNeeded
from hype.files import read_table
from hype.protocols.studies import AnyStudy
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import evaluators
from hype.store.sqlite_files import is_record_at, states

KEY: Final = "study.not_from"


def refuse_left_out(study: AnyStudy, evaluator: str) -> None:
    """Refuse whom the study file leaves out.

    Raises NobodyNeeded: it does.
    """
    if why := study.settings.study.left_out.get(evaluator):
        problem = f"study.left_out leaves {evaluator!r} out ({why})"
        raise NobodyNeeded(f"{study.path}: {problem}", "left_out")


def refuse_from_elsewhere(study: AnyStudy, evaluator: str) -> None:
    """Refuse who took part in another study that the study file names, by their code.

    Raises NobodyNeeded: they did.
    Raises InputError: as `people_elsewhere`.
    """
    for name, codes in people_elsewhere(study):
        if evaluator in codes:
            problem = f"{evaluator!r} took part in {name}, and {KEY} keeps such people out"
            raise NobodyNeeded(f"{study.path}: {problem}", "came_before")


def people_elsewhere(study: AnyStudy) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each name in `KEY`, and the codes of the people who took part there.

    Raises InputError: what it names is not there, or neither a study nor a table of codes.
    """
    for name in study.settings.study.not_from:
        path = study.folder / name
        is_table = path.suffix.lower() == ".csv" and path.is_file()
        source = path if is_table else record_of(path)
        if source is None:
            allowed = "a study, or a CSV table with a column evaluator"
            raise InputError(study.path, f"{KEY}: {name!r} is not there, or no study", allowed)
        yield name, codes_in(source, tuple(states(source).items()))


def record_of(path: Path) -> Path | None:
    """Give where the record of a study is, by its folder or file; None where there is no study."""
    file = path / "study.toml" if path.is_dir() else path
    return file.parent / RECORD_FILE if file.suffix == ".toml" and file.is_file() else None


@lru_cache(maxsize=64)
def codes_in(source: Path, _states: object) -> frozenset[str]:
    """Read who took part, by a record or a table; anew only where its files changed since.

    Whoever agreed to take part has, or had, a place in a record.
    """
    if source.name != RECORD_FILE:
        rows = read_table(source, ("evaluator",), made_by="hype export")
        return frozenset(row["evaluator"].strip() for _, row in rows)
    if not is_record_at(source):
        return frozenset()
    who = evaluators.c
    query = select(who.evaluator).where(who.simulated.is_(False), who.place_unix_s.is_not(None))
    with reading_record(source) as engine, engine.connect() as connection:
        return frozenset(connection.execute(query).scalars())
