"""Published shapes: layouts of tables of other programs and data sets, and their conversion.

Each shape is a TOML file in ``shapes/``; its name is the value of ``--from``. The keys of the file:

- ``columns`` give a file's names for our columns, as ``--columns`` does. In a list of names, the
first that the file has is used. Columns under ``optional`` may be missing. ``*.keys`` means all
columns with this ending; each row has its value in one of them. ``=*`` is the name of the file.
- ``single`` lists those of our columns whose cells may be objects or lists with one item.
- ``values`` give the meaning of a column's values; a note counts those listed in ``both_bad``.
- ``voted`` is the column with the image or model that got the vote; ``tied`` is the column that
marks a vote for neither.
- ``each`` is a column with lists of objects, or ``a.b`` for lists inside these; each object becomes
a row. ``together`` are columns with lists of equal length: the first items of all lists become a
row, the second items the next row, and so on. ``across`` turns each cell of all columns that are
not named elsewhere into a row: the column ``cell`` has its value, ``name`` its old column.
- ``counts`` give the number of equal answers in a row; each answer becomes a row.
- ``axes`` are columns of ratings; each rating becomes a row.
- ``left_out`` drops rows that are not answers: the cell in ``column`` fits the pattern ``match``
or, if ``repeated``, is the same as an earlier one. Rows dropped with a ``why`` are counted.
- if ``levels`` is true, exposures are levels of a staircase, in seconds if none is above 10.
- ``strip``: prefixes to remove from names of columns. ``notes``: shown with all results.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import filter as fnfilter
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.files import tomllib
from hype.tables.cells import plain
from hype.tables.columns import list_columns
from hype.tables.formats import number_within, read_table, read_text_cells
from hype.tables.made_columns import change_cells, json_text, make_columns, parts_of, sources_of
from hype.tables.reasons import note_left_out
from hype.tables.table_files import FrameTable

Spec = Mapping[str, Any]
NOTHING: Final = ("", "null", "None", "nan", "undefined")
"""Words that programs write for a missing answer."""
_FOLDER: Final = files("hype.tables") / "shapes"
_MOST_SECONDS: Final = 10
"""If no level of a staircase is above this, the levels are in seconds."""


@cache
def shape_names() -> tuple[str, ...]:
    names = (Path(file.name) for file in _FOLDER.iterdir())
    return tuple(sorted(name.stem for name in names if name.suffix == ".toml"))


@cache
def shape_of(name: str) -> Spec:
    """Read a shape.

    Raises InputError: there is no such shape.
    """
    if name not in shape_names():
        raise InputError("--from", f"{name!r} is not a known shape", list_columns(shape_names()))
    spec = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return {**shape_of(spec["like"]), **spec} if "like" in spec else spec


def shapes_like(table: pd.DataFrame) -> list[str]:
    """Return the names of the shapes whose columns, or list of objects, the table has."""
    given = [*map(str, table.columns)]

    def is_like(spec: Spec) -> bool:
        if "each" in spec:
            return _lists_in(table.astype(str), spec) is not None
        needed = [*spec["columns"].values(), *(spec[k] for k in ("voted", "tied") if k in spec)]
        needed += [name for one in spec.get("counts", ()) for name in _names_in(one["number"])]
        needed += [[*spec["axes"].values()]] if "axes" in spec else []
        return "across" not in spec and all(
            any(one.startswith("=") or fnfilter(given, parts_of(one)[0]) for one in _several(names))
            for names in needed
        )

    return [name for name in shape_names() if is_like(shape_of(name))]


def read_published(
    path: Path,
    name: str,
    said: Mapping[str, str],
    header_row: int = 1,
    *,
    further: Iterable[str] = (),
) -> FrameTable:
    """Read answers in a published shape, and convert them to one of our tables.

    ``said``: names of columns in the file, which replace the names in the shape. ``header_row``:
    see `read_table`. ``further``: columns to keep unchanged. Messages use the file's row numbers.
    Raises InputError: there is no such shape, or it does not fit the file.
    """
    spec = shape_of(name)
    made = [ours for one in spec.get("counts", ()) for ours in one["set"]]
    made += ["axis", "answer"] if "axes" in spec else []
    columns = {**spec["columns"], **spec.get("optional", {}), **said}
    columns = {own: own for own in further} | columns
    wanted = {ours: [ours] for ours in made} | {o: _several(each) for o, each in columns.items()}
    looked_at = _names_looked_at(spec, wanted)
    needs_all = any("*" in name for name in looked_at) or "strip" in spec or "across" in spec
    sources = {source.partition(".")[0] for name in looked_at for source in sources_of(name)}
    source = read_table(path, () if needs_all else sources, header_row)
    table = read_text_cells(source)
    for start in spec.get("strip", ()):
        table = table.set_axis(table.columns.str.removeprefix(start).str.strip(), axis=1)
    table = _items_as_rows(_objects_as_rows(table, spec, path), spec, path)
    if "across" in spec:
        others = {name: table[name] for name in map(str, table) if name not in looked_at}
        kept = table[[name for name in table if name in looked_at]]
        table = _columns_as_rows(kept, others, spec["across"]["name"], spec["across"]["cell"])
    table = make_columns(table, looked_at)
    # ``said`` may also rename columns that the shape's formulas use.
    table = table.assign(**{n: table[said[n]] for n in looked_at & {*said} if said[n] in table})
    axes = {axis: table[theirs] for axis, theirs in spec.get("axes", {}).items() if theirs in table}
    table = _columns_as_rows(table, axes, "axis", "answer")
    table, left_out = _drop_others(_repeat_rows(table, spec, path), spec, wanted)
    frame = _write_votes(_our_columns(table, wanted, spec, path), table, spec, path)
    _require(frame, wanted, (*spec["columns"], *said), path, [*map(str, source.frame)])
    notes = [*source.notes, *_write_meanings(frame, spec, path), *_write_numbers(frame, spec, path)]
    if {"left", "right"} <= set(frame):
        same = frame["left"].eq(frame["right"])
        left_out["both images are by the same model"] = int(same.sum())
        frame = frame[~same]
    frame.index = number_within(frame.index)
    left_out = Counter(source.left_out) + left_out
    if frame.empty:
        why = " ".join(note_left_out(left_out))
        raise InputError(path, f"contains no answers of {spec['title']}", why)
    # Trial numbers distinguish equal rows, which may be answers of different people
    if "trial" not in frame and "axis" not in frame:
        frame = frame.assign(trial=[str(number) for number in range(1, len(frame) + 1)])
    return FrameTable(frame, path, (*notes, *spec.get("notes", ())), left_out)


def _several(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _place(path: Path, rows: pd.DataFrame, row: object) -> str:
    return f"{path}, {rows.index.name or 'row'} {row}"


def _names_looked_at(spec: Spec, wanted: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the names of all columns that a shape uses, including those made from others."""
    names = {parts_of(one)[0] for theirs in wanted.values() for one in theirs}
    names.update(name for key in ("each", "voted", "tied") for name in _several(spec.get(key)))
    names.update(*spec.get("together", ()), spec.get("axes", {}).values())
    names.update(rule["column"] for rule in spec.get("left_out", ()))
    return names.union(*(_names_in(one["number"]) for one in spec.get("counts", ())))


def _names_in(formula: str) -> list[str]:
    return re.findall(r"[a-zA-Z_]\w*", formula)


def _json(text: str, where: str) -> Any:
    """Read the value of a cell: JSON, or a Python list."""
    for way in (text, text.replace("'", '"')):
        try:
            return json.loads(way)
        except (ValueError, RecursionError):
            continue
    raise InputError(where, f"{text[:40]!r} is not a list or object", "JSON")


def _objects_as_rows(table: pd.DataFrame, spec: Spec, path: Path) -> pd.DataFrame:
    """Make a row from each object of a list, with the other cells of the original row."""
    if (found := _lists_in(table, spec)) is None:
        return table
    name, steps = found
    objects: list[dict[str, Any]] = []
    sizes: list[int] = []
    for row, text in table[name].items():
        where = f"{_place(path, table, row)}, column {name}"
        listed_there = [*_objects_in(_json(text or "[]", where), steps)]
        if not all(isinstance(item, dict) for item in listed_there):
            raise InputError(where, f"{text[:40]!r} is not a list of objects", "such as [{…}, {…}]")
        objects += listed_there
        sizes.append(len(listed_there))
    rows = table.drop(columns=name).iloc[np.repeat(np.arange(len(table)), sizes)]
    keys = dict.fromkeys(key for item in objects for key in item)
    return rows.assign(**{key: [json_text(item.get(key)) for item in objects] for key in keys})


def _lists_in(table: pd.DataFrame, spec: Spec) -> tuple[str, list[str]] | None:
    """Find the column that lists objects, and the keys that lead to them in its cells."""
    for path in _several(spec.get("each")):
        first, *steps = path.split(".")
        for name in fnfilter(map(str, table), first):
            if not steps or table[name].str.contains(f'"{steps[0]}"', regex=False).any():
                return name, steps
    return None


def _objects_in(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    """Yield the objects of a list; a nested object also gets the values of its outer objects."""
    items = value.get("votes", [value]) if isinstance(value, dict) else value
    for item in items if isinstance(items, list) else [items]:
        if not steps or not isinstance(item, dict):
            yield item
            continue
        for inner in _objects_in(item.get(steps[0]) or [], steps[1:]):
            yield {**item, **inner} if isinstance(inner, dict) else inner


def _items_as_rows(table: pd.DataFrame, spec: Spec, path: Path) -> pd.DataFrame:
    """Make a row for each position in lists of equal length; ``group`` names the original row."""
    names = [next((n for n in group if n in table), "") for group in spec.get("together", ())]
    if not names or not all(names):
        return table
    table = table.assign(group=table.index.astype(str))
    for name in names:
        places = [f"{_place(path, table, row)}, column {name}" for row in table.index]
        table[name] = [*map(_json, table[name], places)]
    sizes = table[names].map(lambda each: len(each) if isinstance(each, list) else -1)
    if (wrong := sizes.min(axis=1).lt(0) | sizes.nunique(axis=1).gt(1)).any():
        where = _place(path, table, table.index[wrong][0])
        raise InputError(where, f"{list_columns(names)} are not lists of the same length", "")
    rows = table[sizes.max(axis=1).gt(0)].explode(names)
    return rows.assign(**{name: rows[name].map(json_text) for name in names})


def _columns_as_rows(
    table: pd.DataFrame, columns: Mapping[str, pd.Series], name: str, cell: str
) -> pd.DataFrame:
    """Make a row from each cell of ``columns``: ``cell`` has its value, ``name`` its column."""
    rows = [
        table.assign(**{name: called}).assign(**{cell: cells}) for called, cells in columns.items()
    ]
    return pd.concat(rows).sort_index(kind="stable") if rows else table


def _repeat_rows(table: pd.DataFrame, spec: Spec, path: Path) -> pd.DataFrame:
    """Repeat each row as often as its answer was given, according to the file."""
    parts = []
    for one in spec.get("counts", ()) if spec.get("voted") not in table else ():
        names = _names_in(one["number"])
        if missing := [name for name in names if name not in table]:
            raise InputError(path, f"lacks {list_columns(missing)}", f"the file of {spec['title']}")
        columns: Any = pd.DataFrame({name: _numbers(table, name, path) for name in names})
        number: pd.Series = columns.eval(one["number"], engine="python")
        wrong = ~np.isclose(number, number.round(), atol=1e-6) | number.lt(0)
        if wrong.any():
            row, odd = next(iter(number[wrong].items()))
            problem = f"{one['number']} is {odd:g}, which is not a number of answers"
            raise InputError(_place(path, table, row), problem, "0, 1, 2, …")
        places = np.repeat(np.arange(len(table)), number.round().astype(int))
        parts.append(table.iloc[places].assign(**one["set"]))
    return pd.concat(parts).sort_index(kind="stable") if parts else table


def _numbers(table: pd.DataFrame, name: str, path: Path) -> pd.Series:
    """Read a column as numbers; empty cells become NaN."""
    cells = table[name].str.strip()
    numbers = pd.to_numeric(cells.where(~cells.isin(NOTHING)), errors="coerce")
    wrong = numbers.isna() & ~cells.isin(NOTHING)
    if wrong.any():
        row, text = next(iter(cells[wrong].items()))
        raise InputError(_place(path, table, row), f"{name}: {text!r} is not a number", "a number")
    return numbers


def _drop_others(
    table: pd.DataFrame, spec: Spec, wanted: Mapping[str, Sequence[str]]
) -> tuple[pd.DataFrame, Counter[str]]:
    """Drop rows that are not answers, and count each under the first reason that applies.

    If the table has a column for the truth, a row with an empty truth is not an answer. If it has
    none, the same holds for the column that marks correct answers.
    """
    kept = np.ones(len(table), dtype=bool)
    left_out: Counter[str] = Counter()
    rules = [(one["column"], one.get("match"), one.get("why")) for one in spec.get("left_out", ())]
    about = [n for ours in ("truth", "correct") for n in wanted.get(ours, ()) if n in table][:1]
    nothing = "|".join(map(re.escape, NOTHING))
    rules += [(name, f"^({nothing})$", f"{name} is empty") for name in about]
    for column, pattern, why in rules:
        if column not in table:
            continue
        cells = table[column].str.strip()
        if pattern is None:
            out = cells.duplicated() & ~cells.isin(NOTHING)
        else:
            out = cells.map({t: bool(re.search(pattern, t, re.IGNORECASE)) for t in cells.unique()})
        left = out.to_numpy(dtype=bool) & kept
        kept &= ~left
        if why:
            left_out[why] += int(left.sum())
    return table[kept], left_out


def _our_columns(
    table: pd.DataFrame, wanted: Mapping[str, Sequence[str]], spec: Spec, path: Path
) -> pd.DataFrame:
    frame = pd.DataFrame(index=table.index)
    stems: Any = None
    for ours, theirs in wanted.items():
        for one in theirs:
            name, factor, pattern = parts_of(one)
            if one.startswith("="):
                cells = pd.Series(path.stem if one == "=*" else one[1:], table.index)
            elif columns := name.startswith("*.") and fnfilter(map(str, table), name):
                cells, used = _only_filled(table[columns], stems, name, path)
                stems = used if ours == "answer" else stems
            elif name in table:
                cells = table[name]
            else:
                continue
            cells = cells.where(~cells.isin(NOTHING), "")
            if ours in spec.get("single", ()):
                rows = {text: row for row, text in cells[::-1].items()}
                cells = cells.map({t: _single(t, _place(path, table, r)) for t, r in rows.items()})
            frame[ours] = change_cells(cells, factor, pattern, f"--columns {ours}={one}", path)
            break
    if "group" in table and "rank" in frame:
        frame["group"] = table["group"]
    return frame


def _only_filled(
    table: pd.DataFrame, stems: Any, pattern: str, path: Path
) -> tuple[pd.Series, Any]:
    """Return for each row the value of the one filled column, and the stem of the column's name.

    The stem of ``image.keys`` is ``image``. ``stems``: if known, the stem of each row's answer.
    """
    end = pattern.removeprefix("*")
    filled = ~table.isin(NOTHING).to_numpy()
    own = np.array([name.removesuffix(end) for name in table.columns])
    if stems is not None and set(own) & set(stems):
        filled &= own[None, :] == np.asarray(stems)[:, None]
    if (twice := filled.sum(axis=1) > 1).any():
        place = int(twice.argmax())
        names = list_columns([*table.columns[filled[place]]])
        raise InputError(
            _place(path, table, table.index[place]), f"has answers in {names}", "one answer"
        )
    at = filled.argmax(axis=1)
    cells = table.to_numpy()[np.arange(len(table)), at]
    return pd.Series(np.where(filled.any(axis=1), cells, ""), table.index), own[at]


def _single(text: str, where: str) -> str:
    """Return the only answer in a survey's JSON object, or in a list of pressed keys."""
    if not text.startswith(("{", "[")):
        return text
    read = _json(text, where)
    values = list(read.values() if isinstance(read, dict) else read)
    if len(values) > 1:
        raise InputError(where, f"{text!r} has {len(values)} answers", "one answer for an image")
    return json_text(values[0]) if values else ""


def _write_votes(frame: pd.DataFrame, table: pd.DataFrame, spec: Spec, path: Path) -> pd.DataFrame:
    """Add the column answer (left, right, tie) if the file's votes name images or models."""
    column = spec.get("voted")
    if column and column not in table and not spec.get("counts"):
        raise InputError(path, f"lacks {column!r}", f"the file of {spec['title']}")
    if column not in table:
        return frame
    sides = [name for name in ("left", "right", "left_image", "right_image") if name in frame]
    tied = (
        table.get(spec.get("tied", ""), pd.Series("", table.index)).map(plain).isin(("1", "true"))
    )
    votes = table[column].where(~table[column].isin(NOTHING), "")
    seen: dict[tuple[str, ...], str] = {}
    answers = []
    shown = (frame[side] for side in sides)
    for row, tie, vote, *names in zip(table.index, tied, votes, *shown, strict=True):
        if tie or not vote:
            answers.append("tie" if tie else "")
            continue
        if (key := (vote, *names)) not in seen:
            side = _find_vote(vote, names[:2], names[2:])
            if side is None:
                problem = f"{column}: a vote for {vote!r}, which is neither image"
                raise InputError(_place(path, table, row), problem, list_columns(names))
            seen[key] = ("left", "right")[side]
        answers.append(seen[key])
    return frame.assign(answer=answers)


def _find_vote(vote: str, models: list[str], images: list[str]) -> int | None:
    """Find which of two images a vote names: by path, file name, or model."""
    path = PurePosixPath(vote)
    for matches in (
        [image == vote for image in images],
        [PurePosixPath(image).name == path.name for image in images],
        [model == vote for model in models],
        [path.parent.name == model or path.name.startswith(f"{model}_") for model in models],
    ):
        if sum(matches) == 1:
            return matches.index(True)
    return None


def _require(
    frame: pd.DataFrame,
    wanted: Mapping[str, Sequence[str]],
    needed: Sequence[str],
    path: Path,
    given: Sequence[str],
) -> None:
    """Refuse a file that lacks a column, or the model of an image."""
    missing = [ours for ours in needed if ours not in frame]
    # If answers are marked right or wrong, truth and answer follow from each other.
    if missing and not ("correct" in frame and missing in (["truth"], ["answer"])):
        names = [parts_of(one)[0] for one in wanted[missing[0]]]
        problem = f"has no column for {missing[0]}, such as {list_columns(names)}"
        hint = f"--columns {missing[0]}=THEIRS names it"
        raise InputError(path, problem, f"found: {list_columns(given)}; {hint}")
    if "group" in frame and len(frame) > 1 and len(set(frame["condition"])) == 1:
        folder = frame["condition"].iloc[0]
        problem = f"does not name the models of the images: all are in {folder}/"
        raise InputError(path, problem, "paths such as MODEL/00001.jpg")
    for ours in ("left", "right"):
        if ours in frame and (empty := frame[ours].str.strip().isin(NOTHING)).any():
            row = _place(path, frame, frame.index[empty][0])
            raise InputError(row, f"{parts_of(wanted[ours][0])[0]} names no model", "its name")


def _write_meanings(frame: pd.DataFrame, spec: Spec, path: Path) -> list[str]:
    """Replace a file's values with their meanings, in place; return a note on "both bad" votes."""
    notes = []
    for ours, meanings in spec.get("values", {}).items():
        if ours not in frame:
            continue
        known = {plain(theirs): meaning for theirs, meaning in meanings.items()}
        cells = frame[ours].map({text: plain(text) for text in frame[ours].unique()})
        odd = ~cells.isin({*known, *NOTHING})
        if odd.any():
            row, text = next(iter(frame[ours][odd].items()))
            column = list_columns(_several(spec["columns"][ours]))
            problem = f"{column}: {text!r} is not known"
            raise InputError(_place(path, frame, row), problem, list_columns([*meanings]))
        if number := int(cells.isin(spec.get("both_bad", ())).sum()):
            said = "of the ties mean that both images are bad; --ties sets how ties count."
            notes.append(f"{number:,} {said}")
        frame[ours] = cells.map(known).fillna("")
    return notes


def _write_numbers(frame: pd.DataFrame, spec: Spec, path: Path) -> list[str]:
    """Number ranks from 1, in place, and use levels of a staircase as exposures."""
    if "rank" in frame:
        ranks = _numbers(frame, "rank", path)
        frame["rank"] = ranks + (ranks.min() == 0)
    if not spec.get("levels") or "exposure_ms" not in frame:
        return []
    levels = _numbers(frame, "exposure_ms", path)
    seconds = levels.max() <= _MOST_SECONDS
    frame["exposure_ms"] = (1000 * levels if seconds else levels).round(6)
    note = (
        "The levels of the staircase are read as exposures: in seconds if none is above "
        f"{_MOST_SECONDS}, else in ms."
    )
    return [note] if levels.notna().any() else []
