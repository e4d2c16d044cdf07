"""Errors that a user can correct, each with a message of one sentence.

The command line prints these errors without a traceback and ends with their exit code.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal


class HypeError(Exception):
    """Base class of all errors with a message for the user."""

    exit_code = 1


class InputError(HypeError):
    """Some input was wrong; nothing was changed.

    ``where``: the file, and the key, row or image in it.
    ``problem``: the mistake, with the wrong value.
    ``allowed``: the allowed values.
    """

    exit_code = 2

    def __init__(self, where: object, problem: str, allowed: str = "") -> None:
        self.where = str(where)
        self.problem = problem
        self.allowed = allowed
        super().__init__(f"{where}: {problem}" + (f"; {allowed}" if allowed else ""))

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str]]:
        return type(self), (self.where, self.problem, self.allowed)


def few(names: Sequence[str], most: int = 5, sign: str = ", ") -> str:
    """List the first names and the number of the others, such as "a, b and 3 more".

    ``sign``: the separator.
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return sign.join(names[:most]) + more


MOST_NAMED: Final = 20
"""A message names at most this many refused files."""


class FilesRefused(InputError):
    """Some files in ``where`` cannot be used; ``problems`` has an error for each."""

    def __init__(self, where: object, problems: Sequence[InputError]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.where))
        lines = [str(problem) for problem in self.problems[:MOST_NAMED]]
        more = [f"and {len(problems) - MOST_NAMED:,} more"] if len(problems) > MOST_NAMED else []
        files = len({problem.where for problem in problems})
        number = "1 file" if files == 1 else f"{files:,} files"
        super().__init__(where, "\n  ".join((f"{number} cannot be used", *lines, *more)))


def rename_folder(error: InputError, old: Path, new: Path) -> InputError:
    """Return the same error with ``new`` in place of the folder ``old``."""
    if isinstance(error, FilesRefused):
        where = error.where.replace(str(old), str(new))
        return FilesRefused(where, [rename_folder(problem, old, new) for problem in error.problems])
    texts = (error.where, error.problem, error.allowed)
    return InputError(*(text.replace(str(old), str(new)) for text in texts))


EXTRAS: Final = {
    "httpx2": "judges",
    "matplotlib": "figures",
    "numba": "masks",
    "openpyxl": "excel",
    "psycopg": "postgres",
    "pyarrow": "parquet",
    "segno": "web",
    "starlette": "web",
    "tomlkit": "web",
    "uvicorn": "web",
}
"""Optional libraries, and the extras that install them."""


class ExtraMissing(HypeError):
    """A required library is not installed; it comes with an optional extra."""

    exit_code = 2

    def __init__(self, library: str) -> None:
        extra = EXTRAS[library]
        super().__init__(f"this needs {library}, which is not installed: {installing(extra)}")


def is_installed(library: str) -> bool:
    from importlib.util import find_spec

    return find_spec(library) is not None


def installing(extra: str = "") -> str:
    """Return the command that installs an extra, using the tool that installed this program.

    The command must be for this environment. Elsewhere it would install an unrelated "hype".
    """
    from shutil import which

    if (Path(sys.prefix) / "pipx_metadata.json").exists():
        command = "pipx runpip hype install"
    elif not is_installed("pip"):
        command = f"uv pip install --python {quote_path(sys.prefix)}"
    elif which("python") == sys.executable:
        command = "pip install"
    else:
        command = f"{quote_path(sys.executable)} -m pip install"
    return f'{command} "hype[{extra}]"' if extra else f"{command} hype"


def quote_path(path: object) -> str:
    """Quote a path as one word for a shell."""
    text = str(path)
    if sys.platform != "win32":
        return shlex.quote(text)
    return f'"{text}"' if " " in text else text


def extra_missing(error: ModuleNotFoundError) -> ExtraMissing | None:
    """Return an error that names the extra with a missing module; None if no extra contains it."""
    library = (error.name or "").partition(".")[0]
    return ExtraMissing(library) if library in EXTRAS else None


class NothingRecorded(InputError):
    """There are no data yet: no evaluator has started."""


class SessionProblem(HypeError):
    """A session cannot start or continue, although its input is valid."""


WhyNot = Literal["enough_people", "full", "place_taken", "came_before", "left_out", "not_qualified"]


class NobodyNeeded(SessionProblem):
    """A person cannot take part; the reason ``why`` decides which text a browser shows.

    Either no place is free (the study is complete, full for now, or gave the person's place away),
    or the person took part elsewhere, is in `study.left_out`, or did not pass a required test.
    """

    def __init__(self, message: str, why: WhyNot) -> None:
        super().__init__(message)
        self.why = why
