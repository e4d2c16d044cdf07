"""Asking whoever is at the keyboard, on standard error, so that results can be piped."""

from __future__ import annotations

import sys

from hype.console import err


def somebody_is_there() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def ask(question: str) -> str:
    """Read a line of standard input; where a person types it, they see the question.

    Bytes that are no text become surrogates, which no check of input lets pass.
    """
    if somebody_is_there():
        err.print(f"{question} ", end="", markup=False, soft_wrap=True)
    line = b"" if sys.stdin is None else sys.stdin.buffer.readline()
    return line.decode(errors="surrogateescape").strip()
