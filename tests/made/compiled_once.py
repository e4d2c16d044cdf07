"""Compile SQL statements once in a process, and not again for each record.

SQLAlchemy keeps compiled statements with each engine. Tests open hundreds of records and would
spend a sixth of their time compiling the same statements.
"""

from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event


class OfAllEngines(dict[Any, Any]):
    """Compiled statements; the statement alone is the key, as all engines use SQLite's dialect."""

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: tuple[Any, ...], value: Any) -> None:
        super().__setitem__(key[1:], value)


COMPILED = OfAllEngines()


def share(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.execution_options(compiled_cache=COMPILED)


def pytest_sessionstart(session: pytest.Session) -> None:
    event.listen(Engine, "engine_connect", share)
