"""Read tables from text, Parquet, spreadsheet or JSON files, which may be packed (ZIP, gzip).

The format is recognised by the file's content; the file's name matters only for JSON. The index of
a frame has each row's number in the file.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Collection
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.errors import ExtraMissing, InputError, few, is_installed
from hype.tables.cells import make_categories, only_used
from hype.tables.columns import core, list_columns
from hype.tables.made_columns import json_text
from hype.tables.table_files import (
    LARGEST_BYTES,
    OTHER_ROW,
    PARQUET_MARK,
    FrameTable,
    TableSource,
    decode_utf8,
    read_file,
    read_parquet_table,
    read_text_table,
    refuse_repeated_names,
)

_MOST_HEADERS: Final = 3
"""A row is another header if it is one of the first three and repeats three names of the header."""
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\x03\x04"
_WORKBOOK: Final = "xl/workbook.xml"
_OFFICE: Final = {"content.xml", "[Content_Types].xml"}
"""A ZIP with one of these files is a workbook or another office document."""
_BY_PANDAS: Final = "python -c \"import pandas; pandas.READ('{0}').to_csv('{0}.csv', index=False)\""
_SAVE: Final = "save it as .xlsx or CSV"
_PICTURE: Final = "a table, not a picture"
_CONVERSIONS: Final = {
    b"$fl2": "pip install pyreadstat; " + _BY_PANDAS.replace("READ", "read_spss"),
    b"<stata_dta>": _BY_PANDAS.replace("READ", "read_stata"),
    b"arrow1": _BY_PANDAS.replace("READ", "read_feather"),
    b"rdx": "in R: load('{0}'), then write.csv(TABLE, '{0}.csv', row.names = FALSE)",
    b"x\n\0": "in R: write.csv(readRDS('{0}'), '{0}.csv', row.names = FALSE)",
    b"\xd0\xcf\x11\xe0": _SAVE,
    b"sqlite format 3": "give the study's folder, not its record",
    b"%pdf": "a table, not a document",
    b"<?xml": _SAVE,
    b"<": "the table itself, not the web page for its download",
    b"version https://git-lfs": "the file itself, not its Git LFS pointer: git lfs pull",
    **dict.fromkeys((b"\x89png", b"\xff\xd8\xff", b"gif8", b"riff", b"ii*\0", b"mm\0*"), _PICTURE),
    b"{\\rtf": _SAVE,
    b"bzh": "bunzip2 '{0}'",
    b"\x28\xb5\x2f\xfd": "unzstd '{0}'",
    b"\xfd7zxz": "unxz '{0}'",
    b"7z\xbc\xaf": "unpack it, and give the table in it",
}
"""The first bytes of formats that cannot be read (in lower case), and how to convert them."""


def read_table(source: TableSource, only: Collection[str] = (), header_row: int = 1) -> FrameTable:
    """Read a table of any supported format.

    ``only``: the columns to read from a Parquet file, which may also contain images; if empty, all
    are read. ``header_row``: in a text file or sheet, the row with the names of the columns. Raises
    InputError: the file cannot be read, has no known format, or is damaged.
    """
    if isinstance(source, pd.DataFrame):
        return FrameTable(source)
    if isinstance(source, FrameTable):
        return source
    path = Path(source)
    data, name = _unpack(path, read_file(path))
    begin = data[:100].lstrip().lower()
    notes: tuple[str, ...] = ()
    guarded = False
    if data.startswith(PARQUET_MARK):
        frame = read_parquet_table(path, data, only)
    elif data.startswith(_ZIP):
        frame, notes = _sheet(path, data, header_row)
    elif ways := [way for mark, way in _CONVERSIONS.items() if begin.startswith(mark)]:
        raise InputError(path, "has a format that cannot be read", ways[0].format(path.name))
    elif name.suffix.lower() in (".json", ".jsonl", ".ndjson") or data.lstrip()[:1] in (b"[", b"{"):
        frame = _objects_as_table(json_objects(path, data))
    else:
        frame, guarded = read_text_table(path, data, header_row), True
    frame, number = _drop_more_headers(frame)
    left_out = {"names of columns repeated below the header": number}
    return FrameTable(frame, path, notes, left_out, guarded)


def _drop_more_headers(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Drop and count the further header rows that survey exports have below the first one."""
    names = [core(str(name)) for name in frame]
    number = 0
    for place in range(min(_MOST_HEADERS, len(frame))):
        cells = [str(cell) for cell in frame.iloc[place]]
        same = sum(core(cell) == name != "" for cell, name in zip(cells, names, strict=True))
        ids = {cell.startswith('{"ImportId"') for cell in cells if cell}
        if same >= _MOST_HEADERS or ids == {True}:
            number = place + 1
    if not number:
        return frame, 0
    left = frame.iloc[number:]
    return pd.DataFrame({name: only_used(left[name]) for name in left}), number


def _unpack(path: Path, data: bytes) -> tuple[bytes, Path]:
    """Return the content and name of a packed file. A workbook is also a ZIP, but stays packed."""
    name = Path(path.name)
    try:
        if data.startswith(_GZIP):
            with gzip.open(io.BytesIO(data)) as packed:
                content, name = packed.read(LARGEST_BYTES + 1), name.with_suffix("")
        elif data.startswith(_ZIP):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                files = [file for file in archive.namelist() if not file.endswith("/")]
                files = [file for file in files if not file.startswith("__MACOSX/")]
                if _WORKBOOK in files:
                    return data, name
                if not _OFFICE.isdisjoint(files):
                    raise InputError(path, "has a format that cannot be read", _SAVE)
                if len(files) != 1:
                    problem = f"contains {len(files)} files: {few(files)}"
                    raise InputError(path, problem, "one table; unpack it, and give one file")
                with archive.open(files[0]) as packed:
                    content, name = packed.read(LARGEST_BYTES + 1), Path(files[0])
        else:
            return data, name
    except RuntimeError:
        raise InputError(
            path, "is locked with a password", "unpack it, and give the file in it"
        ) from None
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise InputError(path, f"cannot be unpacked ({error})", "a complete file") from None
    if len(content) > LARGEST_BYTES:
        raise InputError(path, "unpacks to more than 1 GiB", "a smaller table")
    return content, name


def _sheet(path: Path, data: bytes, header_row: int) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the first sheet of a workbook; a note mentions any others."""
    if not is_installed("openpyxl"):
        raise ExtraMissing("openpyxl")
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        first, *others = book.worksheets
        rows = {
            number: [_write_cell(cell) for cell in row]
            for number, row in enumerate(first.iter_rows(values_only=True), start=1)
            if number >= header_row and any(cell not in (None, "") for cell in row)
        }
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise InputError(path, f"cannot be read as an Excel workbook ({error})", ".xlsx") from None
    if not rows:
        raise InputError(path, f"the sheet {first.title!r} is empty", "a table in the first sheet")
    header, *numbers = rows
    names = [name.strip() for name in rows[header]]
    table = pd.DataFrame(
        [rows[number] for number in numbers], index=pd.Index(numbers, name="row"), columns=names
    )
    table = table.loc[:, [name != "" for name in names]]
    refuse_repeated_names(path, [str(name) for name in table.columns])
    note = f"Only the first sheet ({first.title}) of {path.name} was read."
    return table, (note,) * bool(others)


def _write_cell(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return f"{cell:.0f}"
    if isinstance(cell, bool):
        return str(cell).lower()
    return "" if cell is None or cell != cell else str(cell)  # noqa: PLR0124 - NaN


def json_objects(path: Path, data: bytes) -> list[dict[str, Any]]:
    """Read JSON: a list of objects (also inside an object), or one object or list per line."""
    text = decode_utf8(path, data)
    try:
        try:
            read = json.loads(text)
        except json.JSONDecodeError:
            lines = text.splitlines()
            read = [json.loads(line) for line in lines if line.strip()]
    except (ValueError, RecursionError) as error:
        raise InputError(
            path, f"is not JSON ({error})", "a list of objects, or one per line"
        ) from None
    if isinstance(read, dict) and len(read) > 1 and all(isinstance(v, dict) for v in read.values()):
        read = [{"key": key, **item} for key, item in read.items()]
    if isinstance(read, dict):
        lists = [value for value in read.values() if _are_objects(value)]
        read = lists[0] if len(lists) == 1 else [read]
    if isinstance(read, list):
        read = [item for line in read for item in (line if isinstance(line, list) else [line])]
    if not _are_objects(read):
        raise InputError(path, "is not a list of objects", "a list of objects, or one per line")
    objects: list[dict[str, Any]] = read
    return objects


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and any(value) and all(isinstance(i, dict) for i in value)


def _objects_as_table(objects: list[dict[str, Any]]) -> pd.DataFrame:
    """Make a table from objects, with a column for each key; nested objects become JSON text."""
    names = dict.fromkeys(str(key) for item in objects for key in item)
    index = pd.RangeIndex(1, len(objects) + 1, name="item")
    columns = {}
    for name in names:
        codes: dict[str, int] = {}
        places = [codes.setdefault(json_text(item.get(name)), len(codes)) for item in objects]
        columns[name] = make_categories(np.array(places), [*codes], index)
    return pd.DataFrame(columns)


def number_within(rows: pd.Index) -> pd.Index:
    """Name rows by their row in the file; if several come from one, number them: 8 (1), 8 (2)."""
    if rows.is_unique:
        return rows
    ones = pd.Series(rows.astype(str))
    numbered = ones + " (" + (ones.groupby(ones).cumcount() + 1).astype(str) + ")"
    numbered = numbered.where(ones.duplicated(keep=False), ones)
    return pd.Index(numbered.tolist(), name=rows.name)


def read_text_cells(source: TableSource) -> pd.DataFrame:
    """Read a table with every cell as text; missing cells become empty text."""
    table = read_table(source)
    if table.guarded:
        return table.frame
    return table.frame.astype(str).where(table.frame.notna(), "").rename(columns=str)


def make_long(table: FrameTable, pattern: str, key: TableSource) -> FrameTable:
    """Make a row for each answer. If no column names evaluators, each original row is a person.

    ``pattern``: the names of columns with answers, such as ``Q*``. ``key``: a table with a row for
    each column of answers. In the key, ``column`` is the name of a column of answers; other
    columns, such as truth, condition and image, describe what these answers are about. Raises
    InputError: no column that the key names matches the pattern, or the key does not fit.
    """
    known = read_text_cells(key)
    if "column" not in known:
        problem = "has no column 'column'"
        allowed = f"a column that lists columns of {table}, next to truth, condition, image, …"
        raise InputError(key, problem, allowed)
    names = [str(name) for name in table.frame.columns]
    asked = [name for name in names if fnmatchcase(name, pattern)]
    about = known.astype(str).set_index(known["column"].astype(str).str.strip())
    about = about.drop(columns="column")
    if about.index.has_duplicates:
        twice = about.index[about.index.duplicated()][0]
        raise InputError(key, f"names {twice!r} twice", "each column once")
    if absent := [name for name in about.index if name not in names]:
        problem = f"names {list_columns(absent)}, which {table} does not have"
        raise InputError(key, problem, f"{list_columns(names)}{OTHER_ROW}")
    answers = [name for name in asked if name in about.index]
    if not answers:
        raise InputError(
            "--wide", f"no column named in {key} matches {pattern!r}", list_columns([*about.index])
        )
    people = table.frame.drop(columns=[*answers, *(c for c in about if c in table.frame)])
    if "evaluator" not in map(core, names):
        people = people.assign(evaluator=[f"row {row}" for row in people.index])
    rows = []
    for name in answers:
        shown = {str(column): cell for column, cell in about.loc[name].items()}
        rows.append(people.assign(answer=table.frame[name].astype(str), **shown))
    frame = pd.concat(rows).sort_index(kind="stable")
    frame.index = [f"{row} ({name})" for row, name in zip(frame.index, cycle(answers))]
    ignored = len(asked) - len(answers) if pattern != "*" else 0
    note = f"{ignored} columns that match {pattern} are not named in {key}, and not scored."
    return replace(table, frame=frame, notes=(*table.notes, *(note,) * bool(ignored)))
