"""Functions of the library print nothing and return results."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from functools import cached_property, partial, wraps
from html import escape
from shlex import split
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import numpy as np

from hype.answers.choices import read_columns, read_values
from hype.console import printable_json, silent
from hype.errors import InputError, extra_missing
from hype.report import wording
from hype.report.tabular import Column, ColumnKind
from hype.workers import limit_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hype.report.figures.drawing import Drawing
    from hype.report.tabular import Table

P = ParamSpec("P")
R = TypeVar("R")
_SCORE: Final = re.compile(r"hype score (?:'[^']*'|\S+)(?: --[a-z-]+ (?:'[^']*'|[^\s;]+))+")
_COLUMNS: Final = re.compile(r"--columns ((?:[\w-]+=[^\s,;]+,?)+)")
_OPTION: Final = re.compile(r"--([a-z][a-z-]*)(?: ([A-Z]+)\b)?")
_ARGUMENTS: Final = {"from": "shape"}
_MAPPINGS: Final = {"columns": read_columns, "values": read_values}


def library_function(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a function of the program into a function of the library.

    The new function prints nothing: warnings become `UserWarning`. It starts other processes only
    if its argument ``workers`` allows it, since each process runs the calling script again if the
    script has no ``if __name__`` guard. Messages name arguments (``two_way``), not options
    (``--two-way``). Raises ExtraMissing: a library from an extra is not installed.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        workers = kwargs.get("workers", 1)
        if not isinstance(workers, int) or workers < 1:
            raise InputError("workers", repr(workers), "a whole number, 1 or more")
        try:
            with silent(), limit_workers(workers):
                return function(*args, **kwargs)
        except InputError as error:
            parts = (error.where, error.problem, error.allowed)
            raise InputError(*map(write_as_argument, parts)) from None
        except ModuleNotFoundError as error:
            raise (extra_missing(error) or error) from None

    return called


def write_as_argument(message: str) -> str:
    """Replace command-line options in a message by the Python arguments with the same meaning."""
    return _OPTION.sub(_argument, _COLUMNS.sub(_columns, _SCORE.sub(_call, message)))


def _call(command: re.Match[str]) -> str:
    _, _, source, *words = split(command[0])
    given: dict[str, list[str]] = {}
    for option, value in zip(words[::2], words[1::2], strict=True):
        name = _ARGUMENTS.get(option[2:], option[2:].replace("-", "_"))
        given.setdefault(name, []).append(value)
    said = ["frame" if source == "the frame" else repr(source)]
    said += [f"{n}={(_MAPPINGS[n](t) if n in _MAPPINGS else t)!r}" for n, t in given.items()]
    return f"hype.score({', '.join(said)})"


def _columns(option: re.Match[str]) -> str:
    named = dict(pair.split("=", 1) for pair in option[1].split(","))
    return f"columns={named}"


def _argument(option: re.Match[str]) -> str:
    name = _ARGUMENTS.get(option[1], option[1].replace("-", "_"))
    return f"{name}={option[2]}" if option[2] else name


def whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(name, repr(value), f"a whole number, {least} or more")
    return int(value)


ROWS_SHOWN: Final = 10
NOTES_SHOWN: Final = 3


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Result:
    """The result of a library function; it can be pickled.

    Attributes
    ----------
    heading : str
        A title on one line.
    notes : tuple of str
        Warnings for the reader.
    simulated : bool
        Whether the evaluators were simulated.
    """

    heading: str
    make_object: Callable[[], Any]
    make_tables: Callable[[], Sequence[Table]]
    make_drawings: Callable[[], Sequence[Drawing]] = tuple
    notes: tuple[str, ...] = ()
    simulated: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables; the first is the main table."""
        return tuple(table.name for table in self._tables)

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures; the first is the main figure."""
        return tuple(drawing.name for drawing in self._drawings)

    def to_frame(self, name: str | None = None) -> pd.DataFrame:
        """Return a table as a frame.

        Parameters
        ----------
        name
            A name from `tables`, or the end of one ("pairs" for "time-pairs"); by default the main
            table.

        Returns
        -------
        DataFrame
            A new, tidy frame. Several tables with that name (one for each method) are joined; the
            column ``table`` names them. ``low`` and ``high`` give the main number's interval;
            other intervals have ``…_low`` and ``…_high``. Unknown values are missing. A word that
            replaces a number ("longer") is in a separate column, ``…_said``.

        Raises
        ------
        InputError
            There is no such table.
        """
        tables = self._main if name is None else all_named("table", name, self._tables)
        frames = [frame_of(table) for table in tables]
        if len(frames) == 1:
            return frames[0]
        import pandas as pd

        named = (frame.assign(table=own.name) for own, frame in zip(tables, frames, strict=True))
        return pd.concat(named, ignore_index=True)

    def to_json(self) -> str:
        """Return what the command prints with ``--json``, without the last line break."""
        return printable_json(self._object, indent=2)

    @library_function
    def plot(
        self,
        name: str | None = None,
        *,
        width_in: float | None = None,
        height_in: float | None = None,
        font_pt: float | None = None,
        ax: Axes | None = None,
    ) -> Figure:
        """Draw a figure.

        Parameters
        ----------
        name
            A name from `figures`, or its end ("intervals") if only one name has it; by default the
            main figure.
        width_in, height_in
            Size of the whole figure in inches (a column of a paper is 3.4 wide); by default as in
            the report. If only one number is given, the proportions stay the same.
        font_pt
            Size of the letters, in points.
        ax
            Axes of your own figure to draw on; only if the drawn figure has one panel.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it automatically, ``savefig`` writes it to a file, and ``axes`` are its
            panels. The figure is not registered with pyplot, and matplotlib's settings do not
            change.

        Raises
        ------
        InputError
            There is no such figure, or more than one; a size is not above 0; ``ax`` is given and
            the figure has several panels.
        ExtraMissing
            matplotlib is not installed.
        """
        from hype.report.figures.files import draw_figure, draw_on, resize

        if not self._drawings:
            raise InputError(self.heading, "has no figure")
        drawing = self._drawings[0]
        if name is not None:
            drawing, *others = all_named("figure", name, self._drawings)
            if others:
                known = ", ".join(each.name for each in (drawing, *others))
                raise InputError(
                    "figure", f"{name!r} matches more than one figure", f"one of {known}"
                )
        mark = wording.SIMULATED if self.simulated else ""
        fitting = resize(drawing, width_in, height_in, font_pt)
        return draw_figure(fitting, mark=mark) if ax is None else draw_on(ax, fitting, mark=mark)

    def __getstate__(self) -> dict[str, Any]:
        """Compute the tables and figures, since functions that compute them cannot be pickled."""
        made = {
            "make_object": partial(_same, self._object),
            "make_tables": partial(_same, self._tables),
            "make_drawings": partial(_same, self._drawings),
        }
        return {field.name: getattr(self, field.name) for field in fields(self)} | made

    @cached_property
    def _object(self) -> Any:
        return self.make_object()

    @cached_property
    def _tables(self) -> tuple[Table, ...]:
        return tuple(self.make_tables())

    @cached_property
    def _drawings(self) -> tuple[Drawing, ...]:
        return tuple(self.make_drawings())

    @property
    def _main(self) -> tuple[Table, ...]:
        return self._tables[:1]

    def __repr__(self) -> str:
        shown = map(_main_columns, self._main)
        texts = (frame.to_string(index=False, max_rows=ROWS_SHOWN) for frame in shown)
        noted = "note" if len(self.notes) == 1 else "notes"
        last = [f"{len(self.notes)} {noted}: see .notes"] if self.notes else []
        return "\n".join([self._first_line, *texts, *last])

    def _repr_html_(self) -> str:
        shown = map(display_frame, self._main)
        tables = (frame.to_html(index=False, max_rows=ROWS_SHOWN, border=0) for frame in shown)
        paragraphs = "".join(f"<p>{escape(note)}</p>" for note in self.notes[:NOTES_SHOWN])
        return f"<p><strong>{escape(self._first_line)}</strong></p>{''.join(tables)}{paragraphs}"

    @property
    def _first_line(self) -> str:
        return f"{wording.SIMULATED}: {self.heading}" if self.simulated else self.heading


def _same(value: Any) -> Any:
    return value


def frame_of(table: Table) -> pd.DataFrame:
    """Make a frame from a table, with unrounded numbers."""
    import pandas as pd

    kinds = {column.key: column.kind for column in table.columns}
    columns = table.values()
    for name, values in columns.items():
        numbers = kinds.get(name, ColumnKind.NUMBER) is ColumnKind.NUMBER
        if numbers and not name.endswith("_said"):
            columns[name] = [math.nan if value is None else value for value in values]
    return pd.DataFrame(columns)


def display_frame(table: Table) -> pd.DataFrame:
    """Make a frame of a table's cells as they are displayed."""
    import pandas as pd

    return pd.DataFrame(table.shown, columns=[_heading(column) for column in table.columns])


def _heading(column: Column) -> str:
    return f"{column.plain_heading} ({column.unit})" if column.unit else column.plain_heading


def _main_columns(table: Table) -> pd.DataFrame:
    """Return the columns that name a row, and the first number and interval to their right."""
    kinds = [column.kind for column in table.columns]
    names = [place for place, kind in enumerate(kinds) if kind is ColumnKind.NAME]
    behind = range(names[-1] + 1, len(kinds))
    first = (
        next((place for place in behind if kinds[place] is kind), None)
        for kind in (ColumnKind.NUMBER, ColumnKind.INTERVAL)
    )
    return display_frame(table).iloc[:, [*names, *(place for place in first if place is not None)]]


NamedT = TypeVar("NamedT", "Table", "Drawing")


def all_named(what: str, name: str, among: Sequence[NamedT]) -> list[NamedT]:
    """Find tables or figures by name, or by the end of a name. Raises InputError: none is found."""
    of_files = name.replace("_", "-")  # in JSON, names have underscores
    exact = [each for each in among if each.name == of_files]
    found = exact or [each for each in among if each.name.endswith(f"-{of_files}")]
    if not found:
        known = ", ".join(each.name for each in among)
        raise InputError(what, f"{name!r} is not a {what} of this result", f"one of {known}")
    return found
