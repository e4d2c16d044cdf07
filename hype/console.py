"""The way to the terminal, which everything takes: what it would obey instead is written out.

Results go to standard output; progress, remarks and questions to standard error, so that results
can be piped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from hype.printable import printable, printable_json

if TYPE_CHECKING:
    from rich.progress import Progress


class PrintableConsole(Console):
    """A console whose styles reach the terminal, and nothing else that a terminal would obey."""

    @property
    def file(self) -> IO[str]:
        """Where it writes: past a `PrintableStream`, also while Rich has put a proxy before it."""
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
        """Write out what came as `Text`; what Rich itself tells the terminal is left alone."""
        if isinstance(renderable, Text):
            renderable = printable_text(renderable)
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)


def printable_text(text: Text) -> Text:
    """Write a text out before it is folded, so that none of it is cut off."""
    if (safe := printable(text.plain)) == text.plain:
        return text
    folded = Text(safe, style=text.style, justify=text.justify, overflow=text.overflow)
    folded.no_wrap, folded.end = text.no_wrap, text.end
    return folded


class PrintableStream:
    """A standard stream for what no console draws: plain prints, tracebacks, remarks of libraries.

    Rich looks for ``rich_proxied_file``, and writes there what it drew.
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
    """Let nothing past `PrintableStream` from now on, the traceback of a fault included."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, PrintableStream):
            setattr(sys, name, PrintableStream(stream))


out = PrintableConsole(highlight=False, soft_wrap=True)
"""Where results go."""
err = PrintableConsole(stderr=True, highlight=False)
"""Where progress and remarks go, so that results can be piped."""


def warn(message: str) -> None:
    """Tell the experimenter of something that is not as it should be."""
    err.print("[yellow]warning[/] ", end="")
    err.print(message, markup=False)


def print_json(value: object) -> None:
    """Print a value as JSON, for programs."""
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
    )


def drawn_on(bar: Progress, description: str) -> Callable[[int, int], None]:
    task = bar.add_task(description, total=None)
    return lambda done, of: bar.update(task, completed=done, total=of)
