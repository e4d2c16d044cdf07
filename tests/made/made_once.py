"""Make a record once in a process, and copy it for each test that needs it."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from builders import contents

from hype.protocols.load import load_any
from hype.study.studies import AnyStudy

P = ParamSpec("P")
StudyT = TypeVar("StudyT", bound=AnyStudy)


def made_once(
    make: Callable[Concatenate[Path, P], StudyT],
) -> Callable[Concatenate[Path, P], StudyT]:
    """Run a function once that fills a folder with a study; later, copy the files elsewhere."""
    kept: dict[str, dict[str, bytes]] = {}

    @wraps(make)
    def give(folder: Path, *more: P.args, **changes: P.kwargs) -> StudyT:
        key = repr((more, changes))
        if key not in kept:
            before = contents(folder)
            study = make(folder, *more, **changes)
            kept[key] = {name: c for name, c in contents(folder).items() if name not in before}
            return study
        for name, content in kept[key].items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return load_any(folder)

    return give
