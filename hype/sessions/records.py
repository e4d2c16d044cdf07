"""Where a study's answers are: in its own record, or in a central store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from sqlalchemy import Engine

from hype.central_url import as_analyst, checked_url, is_url
from hype.errors import InputError
from hype.sessions.verify.database import require_moments, require_possible
from hype.store.record import RECORD_FILE, reading_record
from hype.study.load import STUDY_FILE, load_any
from hype.study.studies import AnyStudy, OneStudy, model_of, study_of

NO_FOLDER: Final = Path("(central store)")
"""Where the file of a study would be of which only a central store tells."""
WRONG_VALUES: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a program may meet that takes a cell for what its column should hold."""


@contextmanager
def reading(study: AnyStudy) -> Iterator[Engine]:
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
        There is no such study, its file is wrong or names no central store, or the URL is none.
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
    url = study.settings.store.central
    if not url:
        problem = "store.central: is missing, and --central asks for it"
        raise InputError(study.path, problem, "give the URL of the central store instead")
    return replace(study, read_from=as_analyst(url))


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
    from hype.store.central.told import latest_resolved

    with reading_central(url) as engine, engine.connect() as connection:
        resolved = latest_resolved(connection)
    return replace(resolved_study(url, resolved), read_from=url)


def resolved_study(url: str, resolved: str) -> OneStudy:
    """Make a study of its resolved text."""
    try:
        settings = model_of(json.loads(resolved)).model_validate_json(resolved)
    except (ValidationError, ValueError):
        problem = "holds a study that this program does not know"
        raise InputError(url, problem, "the program must be the same at all stations") from None
    return study_of(NO_FOLDER / STUDY_FILE, settings)
