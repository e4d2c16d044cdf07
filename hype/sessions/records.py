"""Where a study's answers are: in its own record, or in a central store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from sqlalchemy import Engine, Table

from hype.central_url import as_analyst, checked_url, is_url
from hype.errors import HypeError, InputError
from hype.sessions.verify.database import require_moments, require_possible
from hype.sessions.versions import numbered, several, study_in, versions_of
from hype.store.central.servers import require_trusted
from hype.store.columns import object_in
from hype.store.excerpt import excerpt
from hype.store.record import RECORD_FILE, reading_record
from hype.study.load import STUDY_FILE, load_any
from hype.study.studies import AnyStudy, OneStudy, model_of, study_of

NO_FOLDER: Final = Path("(central store)")
"""Where the file of a study would be of which only a central store tells."""
WRONG_VALUES: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a program may meet that takes a cell for what its column should hold."""


@contextmanager
def reading(study: AnyStudy) -> Iterator[Engine]:
    """Open a study's answers for reading: all, or those of the version that was chosen.

    Raises
    ------
    InputError, SessionProblem
        As `reading_all`.
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

    Raises
    ------
    InputError, SessionProblem
        A cell holds what its column cannot; or as from `hype.store.record.reading_record`, or
        `hype.store.central.engine.reading_central`.
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
    """Name in a message where a study's answers are."""
    return study.read_from or study.folder / RECORD_FILE


def open_source(source: str | Path, *, central: bool = False) -> OneStudy:
    """Give the study that a person names: by its file or folder, or by the URL of a central store.

    Parameters
    ----------
    central
        The answers are to be read from the central store that the study's file names; by the
        analysts' role where that is the stations'.

    Raises
    ------
    InputError
        There is no such study, its file is wrong or names no central store, or one of a server that
        is not trusted; or the URL is none.
    CentralAway
        The central store cannot be reached.
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
    study: OneStudy, number: int | None, *, simulated: bool, every: bool = False
) -> OneStudy:
    """Give the study whose answers are to be read: of several versions the one that was chosen.

    Where ``every`` one will do, none need be chosen.

    Raises
    ------
    InputError, SessionProblem
        As `reading_all` and `hype.sessions.versions.chosen_version`.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=simulated)
    if number is None and len(versions) > 1:
        if every:
            return study
        raise several(versions, where_of(study), simulated=simulated)
    one = numbered(versions, number)
    return study_in(versions, one, study, simulated=simulated) if one else study


def central_of(study: AnyStudy) -> str:
    """Give the URL of the central store that a study file names, "" where it names none.

    Whatever asks that store has its URL from here: the file may be a stranger's.

    Raises
    ------
    CentralUntrusted
        Who works here does not trust its server.
    CentralRefused
        It cannot be read whom they trust.
    """
    url = study.settings.store.central
    if url:
        require_trusted(study.path, url)
    return url


def url_of(text: str, where: str = "the URL of a central store") -> str:
    """Check a URL.

    Raises
    ------
    InputError
        It is none, or holds a password, which is not repeated.
    """
    try:
        return checked_url(text)
    except ValueError as error:
        raise InputError(where, str(error)) from None


def study_at(url: str) -> OneStudy:
    """Give the study of which a central store tells; its stimuli and masks are not there.

    Raises
    ------
    InputError
        There is no such store, or it holds no study that this program knows.
    CentralAway
        It cannot be reached.
    """
    from hype.store.central.engine import reading_central
    from hype.store.central.told import resolved_studies

    with reading_central(url) as engine, engine.connect() as connection:
        for resolved in resolved_studies(connection):
            if study := resolved_study(resolved):
                return replace(study, read_from=url)
    problem = "holds a study that this program does not know"
    raise InputError(url, problem, "the program must be the same at all stations")


def resolved_study(resolved: str) -> OneStudy | None:
    """Make a study of its resolved text; nothing where it is none, which anybody may have added."""
    try:
        settings = model_of(object_in(resolved)).model_validate_json(resolved)
    except (ValidationError, ValueError, HypeError):
        return None
    return study_of(NO_FOLDER / STUDY_FILE, settings)
