"""Records that many tests need are made once in a process, and copied from then on."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

from builders import contents

from hype.protocols.load import load_any
from hype.protocols.studies import AnyStudy
from hype.store.record import RECORD_FILE

P = ParamSpec("P")
StudyT = TypeVar("StudyT", bound=AnyStudy)


def made_once(
    make: Callable[Concatenate[Path, P], StudyT],
) -> Callable[Concatenate[Path, P], StudyT]:
    """Let what fills a folder with a study and its record work once, whatever the folders."""
    kept: dict[str, dict[str, bytes]] = {}

    @wraps(make)
    def give(folder: Path, *more: P.args, **changes: P.kwargs) -> StudyT:
        key = repr((os.environ.get("HYPE_STATION"), more, changes))
        if key not in kept:
            before = contents(folder)
            study = make(folder, *more, **changes)
            kept[key] = {name: c for name, c in contents(folder).items() if name not in before}
            return study
        for name, content in kept[key].items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        tell_apart(folder / RECORD_FILE)
        return cast("StudyT", load_any(folder))

    return give


def tell_apart(record: Path) -> None:
    """Give the evaluators of a copy names of their own: a central store takes each only once."""
    record.chmod(0o600)
    with closing(sqlite3.connect(record)) as copy, copy:
        copy.execute("UPDATE evaluators SET uid = lower(hex(randomblob(16)))")
