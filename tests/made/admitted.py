"""Admit evaluators to a study without a session."""

from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Engine

from hype.session import admitting
from hype.session.course import Course
from hype.session.enrol import Enrolled, enter


def admit(engine: Engine, protocol: Course[Any], evaluator: str, **how: bool) -> Enrolled[Any]:
    """Enrol an evaluator, or refuse if an image or a mask is missing or changed."""
    return admitting.admit(engine, protocol, evaluator, lambda *_: None, **how)[0]


def enrol(
    connection: Connection, protocol: Course[Any], evaluator: str, **how: bool
) -> Enrolled[Any]:
    """Enrol an evaluator in an open transaction; the images need not exist."""
    with patch.object(admitting, "check_masks", lambda _, enrolled: enrolled):
        enrolled = admitting.find_place(connection, protocol, evaluator, **how)
    return enter(connection, protocol.study, enrolled)
