"""Called from Python: nothing is printed, and messages name arguments as Python writes them."""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import numpy as np

from hype.console import silent
from hype.errors import InputError
from hype.workers import at_most

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")
_COLUMNS: Final = re.compile(r"--columns ([\w-]+)=([^\s,;]+)")
_OPTION: Final = re.compile(r"--([a-z][a-z-]*)(?: ([A-Z]+)\b)?")
_LARGEST_SEED: Final = 2**32


def from_python(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function of the program be called from Python.

    It prints nothing: what it warns of becomes `UserWarning`. It starts no other processes, but for
    as many as its argument ``workers`` says: a script without a guard would start itself again. An
    option in a message (``--keep-spoiled``) becomes the argument (``keep_spoiled``).
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        workers = kwargs.get("workers", 1)
        if not isinstance(workers, int) or workers < 1:
            raise InputError("workers", repr(workers), "a whole number, 1 or more")
        try:
            with silent(), at_most(workers):
                return function(*args, **kwargs)
        except InputError as error:
            parts = (error.where, error.problem, error.allowed)
            raise InputError(*map(_in_python, parts)) from None

    return called


def _in_python(message: str) -> str:
    return _OPTION.sub(_argument, _COLUMNS.sub(r"columns={'\1': '\2'}", message))


def _argument(option: re.Match[str]) -> str:
    name = {"leave-out-spoiled": "keep_spoiled=False"}.get(option[1], option[1].replace("-", "_"))
    return f"{name}={option[2]}" if option[2] else name


def seed_of(seed: int | np.random.Generator) -> int:
    """Give the seed itself, or draw one of a generator.

    Raises InputError: it is neither, or negative.
    """
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(_LARGEST_SEED))
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError("seed", repr(seed), "a whole number, 0 or more, or a NumPy generator")
    return int(seed)


def whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(name, repr(value), f"a whole number, {least} or more")
    return int(value)
