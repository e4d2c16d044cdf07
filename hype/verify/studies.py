"""The studies that evaluators were given, as the record keeps them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from hype.errors import InputError
from hype.session.course import Course
from hype.store.schema import studies
from hype.study.differences import study_as_recorded
from hype.study.studies import AnyStudy
from hype.verify.findings import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStudy:
    """A copy of a study in the record, and how its sessions go with what it draws from today."""

    study: AnyStudy
    course: Course[Any] | None  # None if what it draws from cannot be read


def read_recorded_studies(
    connection: Connection, today: AnyStudy, course_of: Callable[[AnyStudy], Course[Any]]
) -> tuple[dict[str, RecordedStudy], list[Problem]]:
    """Read the copies that can be read, by their checksums; say what is wrong with others."""
    recorded: dict[str, RecordedStudy] = {}
    problems: list[Problem] = []
    for checksum, resolved in connection.execute(select(studies.c.checksum, studies.c.resolved)):
        if not isinstance(resolved, str):
            continue  # that is a fault already
        copy = f"the copy {str(checksum)[:8]!r}"  # its beginning tells copies apart
        if hashlib.sha256(resolved.encode()).hexdigest() != checksum:
            problems.append(("study-copy-changed", f"{copy} was changed since it was kept"))
        try:
            study = study_as_recorded(today, resolved)
        except InputError as error:
            problems.append(("study-copy-unreadable", f"{copy}: {error.problem}"))
            continue
        course = None
        try:
            course = course_of(study)
        except InputError as error:
            problems.append(("manifest-unreadable", str(error)))
        recorded[checksum] = RecordedStudy(study=study, course=course)
    return recorded, list(dict.fromkeys(problems))  # copies may share their folders
