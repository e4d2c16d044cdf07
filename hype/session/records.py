"""Where a study's answers are: in its own record, or in a central store."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from sqlalchemy import Connection, Engine, Select, Table, insert, select

from hype.central_url import as_analyst, checked_url, is_url
from hype.errors import HypeError, InputError
from hype.protocols.load import STUDY_FILE, load_any
from hype.protocols.registry import of_file, study_of
from hype.protocols.studies import AnyStudy
from hype.session.versions import numbered, several, study_in, versions_of
from hype.store.central.servers import require_trusted
from hype.store.columns import metadata, object_in
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import TABLES, evaluators, sessions
from hype.store.sqlite_files import connected, engine_over
from hype.verify.database import require_moments, require_possible

ROWS_AT_ONCE = 5000


@contextmanager
def excerpt(engine: Engine, given: Collection[str], *others: Table) -> Iterator[Engine]:
    """Copy into memory what there is of the evaluators who were given some studies.

    ``given``: checksums of the studies.
    ``others``: tables beside those of a record that are copied whole.
    """
    with closing(connected(":memory:")) as memory:
        copy = engine_over(memory)
        with engine.connect() as source, copy.begin() as target:
            metadata.create_all(target, tables=TABLES)
            for table in TABLES:
                fill(target, table, source, theirs(table, given))
            for table in others:
                table.create(target)
                fill(target, table, source, select(table))
        yield copy


def theirs(table: Table, given: Collection[str]) -> Select[tuple[object, ...]]:
    """Select the rows of a table that are of those evaluators, or of nobody."""
    who = select(evaluators.c.id).where(evaluators.c.study.in_(given))
    if table is evaluators:
        return select(table).where(table.c.id.in_(who))
    if "evaluator_id" in table.c:
        return select(table).where(table.c.evaluator_id.in_(who))
    if "session_id" in table.c:
        held = select(sessions.c.id).where(sessions.c.evaluator_id.in_(who))
        return select(table).where(table.c.session_id.in_(held))
    return select(table)


def fill(
    target: Connection, table: Table, source: Connection, query: Select[tuple[object, ...]]
) -> None:
    for rows in source.execute(query).mappings().partitions(ROWS_AT_ONCE):
        target.execute(insert(table), [dict(row) for row in rows])


NO_FOLDER: Final = Path("(central store)")
"""Where the file of a study would be of which only a central store tells."""
WRONG_VALUES: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a program may meet that takes a cell for what its column should hold."""


@contextmanager
def reading(study: AnyStudy) -> Iterator[Engine]:
    """Open a study's answers for reading: all, or those of the version that was chosen.

    Raises InputError, SessionProblem: as `reading_all`.
    """
    with reading_all(study) as engine, of_version_alone(engine, study) as answers:
        yield answers


@contextmanager
def of_version_alone(engine: Engine, study: AnyStudy) -> Iterator[Engine]:
    """Leave out of all answers what is not of the version that was chosen, if one was."""
    if study.version is None:
        yield engine
        return
    beside: tuple[Table, ...] = ()
    if study.read_from:
        from hype.store.central.tables import impossible

        beside = (impossible,)
    with excerpt(engine, study.version.checksums, *beside) as some:
        yield some


@contextmanager
def reading_all(study: AnyStudy) -> Iterator[Engine]:
    """Open a study's answers for reading, wherever they are to be read from.

    Raises InputError, SessionProblem: a cell holds what its column cannot; or as from
    `hype.store.record.reading_record`, or `hype.store.central.engine.reading_central`.
    """
    if study.read_from:
        from hype.store.central.engine import reading_central

        with reading_central(study.read_from) as engine:
            yield engine
    else:
        path = study.folder / RECORD_FILE
        with reading_record(path) as engine:
            with engine.connect() as connection:
                require_moments(connection, path)
            try:
                yield engine
            except WRONG_VALUES:
                with engine.connect() as connection:
                    require_possible(connection, path)
                raise  # it was not the record


def where_of(study: AnyStudy) -> str | Path:
    return study.read_from or study.folder / RECORD_FILE


def open_source(source: str | Path, *, central: bool = False) -> AnyStudy:
    """Give the study that a person names: by its file or folder, or by the URL of a central store.

    ``central``: the answers are to be read from the central store that the study's file names; by
        the analysts' role where that is the stations'.

    Raises InputError: there is no such study, its file is wrong or names no central store, or one
    of a server that is not trusted; or the URL is none.

    Raises CentralAway: the central store cannot be reached.
    """
    if is_url(str(source)):
        if central:
            raise InputError("--central", "is for a study, and a URL was given", "leave it out")
        return study_at(url_of(str(source)))
    study = load_any(Path(source))
    if not central:
        return study
    url = central_of(study)
    if not url:
        problem = "store.central: is missing, and --central asks for it"
        raise InputError(study.path, problem, "give the URL of the central store instead")
    return replace(study, read_from=as_analyst(url))


def of_version(
    study: AnyStudy, number: int | None, *, simulated: bool, every: bool = False
) -> AnyStudy:
    """Give the study whose answers are to be read: of several versions the one that was chosen.

    Where ``every`` one will do, none need be chosen.

    Raises InputError, SessionProblem: as `reading_all` and `hype.session.versions.numbered`.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=simulated)
    if number is None and len(versions) > 1:
        if every:
            return study
        raise several(versions, where_of(study), simulated=simulated)
    chosen = numbered(versions, number)
    return study_in(versions, chosen, study, simulated=simulated) if chosen else study


def central_of(study: AnyStudy) -> str:
    """Give the URL of the central store that a study file names, "" where it names none.

    Whatever asks that store has its URL from here: the file may be a stranger's.

    Raises CentralUntrusted: who works here does not trust its server.
    Raises CentralRefused: it cannot be read whom they trust.
    """
    url = study.settings.store.central
    if url:
        require_trusted(study.path, url)
    return url


def url_of(text: str, where: str = "the URL of a central store") -> str:
    """Check a URL.

    Raises InputError: it is none, or holds a password, which is not repeated.
    """
    try:
        return checked_url(text)
    except ValueError as error:
        raise InputError(where, str(error)) from None


def study_at(url: str) -> AnyStudy:
    """Give the study of which a central store tells; its stimuli and masks are not there.

    Raises InputError: there is no such store, or it holds no study that this program knows.
    Raises CentralAway: it cannot be reached.
    """
    from hype.store.central.engine import reading_central
    from hype.store.central.missing import resolved_studies

    with reading_central(url) as engine, engine.connect() as connection:
        for resolved in resolved_studies(connection):
            if study := resolved_study(resolved):
                return replace(study, read_from=url)
    problem = "holds a study that this program does not know"
    raise InputError(url, problem, "the program must be the same at all stations")


def resolved_study(resolved: str) -> AnyStudy | None:
    """Make a study of its resolved text; nothing where it is none, which anybody may have added."""
    try:
        settings = of_file(object_in(resolved)).settings.model_validate_json(resolved)
    except (ValidationError, ValueError, HypeError):
        return None
    return study_of(NO_FOLDER / STUDY_FILE, settings)


GIVE_IT: Final = "where that folder is, give it: STUDY --central instead of the URL"


def has_folder(study: AnyStudy) -> bool:
    """Tell whether a study was read from its own file, so that its folder is here."""
    return not study.read_from or study.folder != NO_FOLDER


def require_folder(study: AnyStudy, what: str) -> None:
    """Refuse what takes a study's folder where that is not here.

    Raises InputError: it is not; ``what`` says what it is needed for.
    """
    if not has_folder(study):
        problem = f"has no folder of the study, which {what} needs"
        raise InputError(study.read_from, problem, GIVE_IT)
