"""An evaluator who is admitted to a study, without a session."""

from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Engine

from hype.session import admitting
from hype.session.course import Course
from hype.session.enrol import Enrolled, enter


def admit(engine: Engine, protocol: Course[Any], evaluator: str, **how: bool) -> Enrolled[Any]:
    """Enrol an evaluator whose images and masks are all as they should be, or nobody."""
    return admitting.admit(engine, protocol, evaluator, lambda *_: None, **how)[0]


def enrol(
    connection: Connection, protocol: Course[Any], evaluator: str, **how: bool
) -> Enrolled[Any]:
    """Enrol an evaluator in a transaction that goes on; the images need not be there."""
    with patch.object(admitting, "check_masks", lambda _, enrolled: enrolled):
        enrolled = admitting.find_place(connection, protocol, evaluator, **how)
    return enter(connection, protocol.study, enrolled)
