"""All output to the terminal. Control characters are shown as text, so they have no effect.

Results go to standard output. Progress, messages and questions go to standard error, so that
results can be piped.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, Any, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import Progress
from rich.segment import Segment
from rich.text import Text

OBEYED: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
"""Control characters, except for the tab and the line feed."""
REORDERING: Final = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Characters that end a line or change the direction of text."""
IN_TEXTS: Final = re.compile(f"[{OBEYED}\u2028\u2029]")
"""Forbidden in texts. Direction marks are allowed: text that runs in both directions needs them."""
IN_NAMES: Final = re.compile(f"[\t\n{OBEYED}{REORDERING}]")
"""Forbidden in names."""
IN_ARGUMENTS: Final = re.compile(f"[{OBEYED}{REORDERING}]")
"""Forbidden in arguments of a command line."""
ON_TERMINALS: Final = re.compile(f"[{OBEYED}{REORDERING}\ud800-\udfff]")
"""Never sent to a terminal. Surrogate characters stand for bytes that are not UTF-8."""


def printable(text: str) -> str:
    """Write control characters of a text as Python's `repr` does."""
    return ON_TERMINALS.sub(lambda match: ascii(match[0])[1:-1], text)


def printable_json(value: object, **layout: Any) -> str:
    """Write a value as JSON without control characters; reading the JSON gives the same value."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, **layout)
    return ON_TERMINALS.sub(lambda match: json.dumps(match[0])[1:-1], text)


class PrintableConsole(Console):
    """A console that passes its styles to the terminal, but no other control characters."""

    @property
    def file(self) -> IO[str]:
        """The console's file, without a `PrintableStream` or a proxy of Rich around it."""
        file = super().file
        return file.rich_proxied_file if isinstance(file, PrintableStream) else file

    @file.setter
    def file(self, file: IO[str]) -> None:
        self._file = file

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(printable(text), **how)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Escape control characters in `Text`, but not Rich's own control codes."""
        if isinstance(renderable, Text):
            renderable = printable_text(renderable)
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)


def printable_text(text: Text) -> Text:
    """Escape a text before Rich wraps it; escaped later, it could be too wide and be cut off."""
    if (safe := printable(text.plain)) == text.plain:
        return text
    folded = Text(safe, style=text.style, justify=text.justify, overflow=text.overflow)
    folded.no_wrap, folded.end = text.no_wrap, text.end
    return folded


class PrintableStream:
    """Wraps a standard stream for output without a console: prints, tracebacks, library messages.

    Rich looks for ``rich_proxied_file``, and writes there directly.
    """

    def __init__(self, stream: IO[str]) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        return self.rich_proxied_file.write(printable(text))

    def writelines(self, lines: Iterable[str]) -> None:
        self.rich_proxied_file.writelines(map(printable, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def guard_terminal() -> None:
    """Send all output through `PrintableStream` from now on, tracebacks included."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, PrintableStream):
            setattr(sys, name, PrintableStream(stream))


out = PrintableConsole(highlight=False, soft_wrap=True)
"""The console for results."""

err = PrintableConsole(stderr=True, highlight=False)
"""The console for progress and messages, so that results can be piped."""


@contextmanager
def silent() -> Iterator[None]:
    """Print nothing within this block; warnings become Python's `UserWarning`."""
    before = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(before)


_SILENT: Final = ContextVar("silent", default=False)


def warn(message: str) -> None:
    if _SILENT.get():
        warnings.warn(message, stacklevel=2)
        return
    # Printed in one call, since a progress bar would erase an incomplete line.
    err.print(Text.assemble(("warning", "yellow"), " ", message), soft_wrap=True)


def print_json(value: object) -> None:
    print(printable_json(value, indent=2))


def progress() -> Progress:
    """Make a progress bar with the time left, on standard error."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=err,
        speed_estimate_period=3600,  # a few slow steps hardly change the time left
        disable=_SILENT.get(),
    )


def draw_on(bar: Progress, description: str) -> Callable[[int, int], None]:
    task = bar.add_task(description, total=None)
    return lambda done, of: bar.update(task, completed=done, total=of)
