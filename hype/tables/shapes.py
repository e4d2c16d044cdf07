"""Published shapes of answers: tables as other people and programs write them, made ours.

Each shape is a TOML file in ``shapes/``; its name is what ``--from`` takes. In it

- ``columns`` say what a file calls our columns, as ``--columns`` does, or list several names of
  which the first that is there is taken; a file may lack the ``optional`` ones; ``*.keys`` is the
  one of several columns that holds something, ``=*`` the name of the file;
- ``single`` names columns of ours whose cells may be objects or lists of one thing;
- ``values`` say what is written in a column and what it means; ``both_bad`` ones are counted;
- ``voted`` names the column of the image or model that a vote went to, ``tied`` the one that says
  that it went to neither;
- ``each`` names a column that lists objects, or ``a.b`` of lists of such, each of which becomes a
  row; ``together`` names columns with lists whose items belong together and become rows;
- ``across`` makes rows of all other columns: their names become ``name``, their cells ``cell``;
- ``counts`` give numbers of equal answers, each of which becomes a row;
- ``axes`` are columns of ratings, each of which becomes a row;
- ``left_out`` says why rows are no answers whose ``column`` has a ``match``, or is ``repeated``;
- where ``levels`` is true, exposures are levels of a staircase, in seconds where they are small;
- ``strip`` are beginnings that names of columns lose, ``notes`` what limits every such file.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import filter as fnfilter
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.tables.columns import listed
from hype.tables.distinct import plain
from hype.tables.formats import left_out_note, numbered_within, read_table
from hype.tables.made_columns import (
    change_cells,
    json_text,
    parts_of,
    sources_of,
    with_made,
)
from hype.tables.table_files import FrameTable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Spec = Mapping[str, Any]
NOTHING: Final = ("", "null", "None", "nan", "undefined")
"""What programs write where nobody answered."""
_FOLDER: Final = files("hype.tables") / "shapes"
_ANSWERS: Final = ("truth", "answer", "rank")
_TRUE: Final = ("1", "true")
_MOST_SECONDS: Final = 10
"""Levels of a staircase that are all below this are in seconds."""


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
        raise InputError("--from", f"{name!r} is no shape that is known", listed(shape_names()))
    spec = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return {**shape_of(spec["like"]), **spec} if "like" in spec else spec


def shapes_like(table: pd.DataFrame) -> list[str]:
    """Name the shapes whose columns are all in a table, or the list that holds them."""
    given = [*map(str, table.columns)]

    def is_like(spec: Spec) -> bool:
        if "each" in spec:
            return _lists_in(table.astype(str), spec) is not None
        needed = [*spec["columns"].values(), *(spec[k] for k in ("voted", "tied") if k in spec)]
        return "across" not in spec and all(
            any(one.startswith("=") or fnfilter(given, parts_of(one)[0]) for one in _several(names))
            for names in needed
        )

    return [name for name in shape_names() if is_like(shape_of(name))]


def read_published(path: Path, name: str, said: Mapping[str, str]) -> FrameTable:
    """Read answers in a published shape, as a table of ours.

    ``said``: what the file calls some of our columns; it wins over what the shape says. Messages
    name rows as the file has them.

    Raises InputError: there is no such shape, or the file is not of it.
    """
    spec = shape_of(name)
    if not path.is_file():
        raise InputError(path, "is a folder" if path.is_dir() else "is not there", "a file")
    columns = {**spec["columns"], **spec.get("optional", {}), **said}
    wanted = {ours: _several(theirs) for ours, theirs in columns.items()}
    looked_at = _names_looked_at(spec, wanted)
    needs_all = any("*" in name for name in looked_at) or "strip" in spec or "across" in spec
    sources = {source for name in looked_at for source in sources_of(name)}
    source = read_table(path, () if needs_all else {n.partition(".")[0] for n in sources})
    table = source.frame.astype(object).where(source.frame.notna(), "").astype(str)
    for start in spec.get("strip", ()):
        table.columns = table.columns.str.removeprefix(start).str.strip()
    where = f"{path}, {table.index.name or 'row'}"
    table = _items_as_rows(_objects_as_rows(table, spec, where), spec, where)
    table = with_made(_across_as_rows(table, spec, looked_at), looked_at)
    table, notes = _without_others(table, spec, wanted)
    frame = _our_columns(table, wanted, spec, where)
    frame = _with_votes(frame, table, spec, where)
    frame, table = _counted_as_rows(frame, table, spec, where)
    _require(frame, wanted, (*spec["columns"], *said), path, [*map(str, source.frame)])
    frame, more = _with_meanings(frame, spec, where)
    frame, levels = _with_numbers(frame, spec, where)
    frame = _axes_as_rows(frame, table, spec)
    frame, none = _without_gaps(frame)
    every = (source.note, *notes, *none, *more, *levels, *spec.get("notes", ()))
    notes = [note for note in every if note]
    seconds = spec.get("median_s", "")
    if seconds and all(name in table for name in _names_in(seconds)):
        median = _computed(seconds, table, where).median()
        notes.append(f"The median person spent {median:.1f} s on an image.")
    frame.index = numbered_within(frame.index)
    if frame.empty:
        raise InputError(path, f"holds no answers of {spec['title']}", " ".join(notes))
    if "trial" not in frame and "axis" not in frame:  # answers that are alike are not one
        frame["trial"] = [str(number) for number in range(1, len(frame) + 1)]
    return FrameTable(frame, str(path), note=" ".join(notes), file=path)


def _several(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _names_looked_at(spec: Spec, wanted: Mapping[str, Sequence[str]]) -> set[str]:
    """Give the names of all columns that a shape looks at, some of them still to be made."""
    names = {parts_of(one)[0] for theirs in wanted.values() for one in theirs}
    names.update(name for key in ("each", "voted", "tied") for name in _several(spec.get(key)))
    names.update(*spec.get("together", ()), spec.get("axes", {}).values())
    names.update(rule["column"] for rule in spec.get("left_out", ()))
    formulas = [one["number"] for one in spec.get("counts", ())] + _several(spec.get("median_s"))
    return names.union(*map(_names_in, formulas))


def _names_in(formula: str) -> list[str]:
    return re.findall(r"[a-zA-Z_]\w*", formula)


def _json(text: str, where: str) -> Any:
    """Read what lies in a cell: JSON, or a list as Python writes it."""
    for way in (text, text.replace("'", '"')):
        try:
            return json.loads(way)
        except (ValueError, RecursionError):
            continue
    raise InputError(where, f"{text[:40]!r} is no list or object", "JSON")


def _objects_as_rows(table: pd.DataFrame, spec: Spec, where: str) -> pd.DataFrame:
    """Make a row of each object of a list, with what the others of its row say."""
    if (found := _lists_in(table, spec)) is None:
        return table
    name, steps = found
    objects: list[Any] = []
    sizes: list[int] = []
    for row, text in table[name].items():
        listed_there = [*_objects_in(_json(text or "[]", f"{where} {row}, column {name}"), steps)]
        if not all(isinstance(item, dict) for item in listed_there):
            problem = f"{name}: {text[:40]!r} is no list of objects"
            raise InputError(f"{where} {row}", problem, "such as [{…}, {…}]")
        objects += listed_there
        sizes.append(len(listed_there))
    rows = table.drop(columns=name).iloc[np.repeat(np.arange(len(table)), sizes)]
    for key in dict.fromkeys(key for item in objects for key in item):
        rows[key] = [json_text(item.get(key)) for item in objects]
    return rows


def _lists_in(table: pd.DataFrame, spec: Spec) -> tuple[str, list[str]] | None:
    """Find the column that lists objects, and the steps that lead to them in its cells."""
    for path in _several(spec.get("each")):
        first, *steps = path.split(".")
        for name in fnfilter(map(str, table), first):
            if not steps or table[name].str.contains(f'"{steps[0]}"', regex=False).any():
                return name, steps
    return None


def _objects_in(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    """Yield the objects of a list, or of those that its objects list, with what these say."""
    items = value.get("votes", [value]) if isinstance(value, dict) else value
    for item in items if isinstance(items, list) else [items]:
        if not steps or not isinstance(item, dict):
            yield item
            continue
        for inner in _objects_in(item.get(steps[0]) or [], steps[1:]):
            yield {**item, **inner} if isinstance(inner, dict) else inner


def _across_as_rows(table: pd.DataFrame, spec: Spec, others: Collection[str]) -> pd.DataFrame:
    """Make a row of each cell of the columns that a shape does not name."""
    across: dict[str, str] = spec.get("across", {})
    if not across:
        return table
    kept = table[[name for name in table if name in others]]
    rows = [
        kept.assign(**{across["cell"]: table[name]}).assign(**{across["name"]: name})
        for name in map(str, table)
        if name not in kept
    ]
    return pd.concat(rows or [table]).sort_index(kind="stable")


def _items_as_rows(table: pd.DataFrame, spec: Spec, where: str) -> pd.DataFrame:
    """Make rows of lists whose items belong together; ``group`` says which rows were one."""
    names = [next((n for n in group if n in table), "") for group in spec.get("together", ())]
    if not names or not all(names):
        return table
    sizes = []
    items: dict[str, list[str]] = {name: [] for name in names}
    for place, row in enumerate(table.index):
        lists = [_json(table[name].iloc[place], f"{where} {row}, column {name}") for name in names]
        if not all(isinstance(each, list) and len(each) == len(lists[0]) for each in lists):
            raise InputError(f"{where} {row}", f"{listed(names)} are not lists of one length", "")
        sizes.append(len(lists[0]))
        for name, each in zip(names, lists, strict=True):
            items[name] += map(json_text, each)
    rows = table.iloc[np.repeat(np.arange(len(table)), sizes)].assign(**items)
    return rows.assign(group=rows.index.astype(str))


def _without_others(
    table: pd.DataFrame, spec: Spec, wanted: Mapping[str, Sequence[str]]
) -> tuple[pd.DataFrame, list[str]]:
    """Leave out the rows that are no answers, and count them by why; a row counts once.

    Where images have a truth, or answers are right or wrong, all other rows are of something else.
    """
    kept = np.ones(len(table), dtype=bool)
    notes = []
    rules = [(one["column"], one.get("match"), one["why"]) for one in spec.get("left_out", ())]
    about = [name for ours in ("truth", "correct") for name in wanted.get(ours, ())]
    nothing = "|".join(map(re.escape, NOTHING))
    about = [name for name in about if name in table][:1]
    rules += [(name, f"^({nothing})$", f"they have no {name}") for name in about]
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
        notes.append(left_out_note(int(left.sum()), why))
    return table[kept], notes


def _numbers(table: pd.DataFrame, names: Iterable[str], where: str) -> pd.DataFrame:
    """Take columns for numbers; NaN where they are empty."""
    frame = pd.DataFrame(index=table.index)
    for name in names:
        cells = table[name].str.strip()
        frame[name] = pd.to_numeric(cells.where(~cells.isin(NOTHING)), errors="coerce")
        wrong = frame[name].isna() & ~cells.isin(NOTHING)
        if wrong.any():
            row, text = next(iter(cells[wrong].items()))
            raise InputError(f"{where} {row}", f"{name}: {text!r} is no number", "a number")
    return frame


def _computed(formula: str, table: pd.DataFrame, where: str) -> pd.Series:
    """Compute a formula of a shape over the columns that it names, row by row."""
    computed: Any = _numbers(table, _names_in(formula), where).eval(formula, engine="python")
    series: pd.Series = computed
    return series


def _our_columns(
    table: pd.DataFrame, wanted: Mapping[str, Sequence[str]], spec: Spec, where: str
) -> pd.DataFrame:
    """Give our columns, of those that the file has."""
    frame = pd.DataFrame(index=table.index)
    stems: Any = None
    for ours, theirs in wanted.items():
        for one in theirs:
            name, factor, pattern = parts_of(one)
            if one.startswith("="):
                path = where.rpartition(",")[0]
                cells = pd.Series(Path(path).stem if one == "=*" else one[1:], table.index)
            elif name.startswith("*."):
                columns = table[fnfilter(map(str, table), name)]
                if columns.empty:
                    continue
                cells, used = _only_filled(columns, stems, name, where)
                stems = used if ours == "answer" else stems
            elif name in table:
                cells = table[name]
            else:
                continue
            cells = cells.where(~cells.isin(NOTHING), "")
            if ours in spec.get("single", ()):
                rows = {text: row for row, text in cells[::-1].items()}
                cells = cells.map({t: _single(t, f"{where} {row}") for t, row in rows.items()})
            option = f"--columns {ours}={one}"
            frame[ours] = change_cells(cells, factor, pattern, option, where.rpartition(",")[0])
            break
    if "group" in table and "rank" in frame:
        frame["group"] = table["group"]
    return frame


def _only_filled(
    table: pd.DataFrame, stems: Any, pattern: str, where: str
) -> tuple[pd.Series, Any]:
    """Take from each row the one of several columns that holds something, and its name's stem.

    ``stems``: of the columns that the answers were taken from, whose times are those of answers.
    """
    end = pattern.removeprefix("*")
    filled = ~table.isin(NOTHING).to_numpy()
    own = np.array([name.removesuffix(end) for name in table.columns])
    if stems is not None and set(own) & set(stems):
        filled &= own[None, :] == np.asarray(stems)[:, None]
    if (twice := filled.sum(axis=1) > 1).any():
        place = int(twice.argmax())
        names = listed([*table.columns[filled[place]]])
        raise InputError(f"{where} {table.index[place]}", f"has answers in {names}", "one answer")
    at = filled.argmax(axis=1)
    cells = table.to_numpy()[np.arange(len(table)), at]
    return pd.Series(np.where(filled.any(axis=1), cells, ""), table.index), own[at]


def _single(text: str, where: str) -> str:
    """Take the one answer out of an object, as surveys have it, or of a list of keys."""
    if not text.startswith(("{", "[")):
        return text
    read = _json(text, where)
    values = list(read.values() if isinstance(read, dict) else read)
    if len(values) > 1:
        raise InputError(where, f"{text!r} holds {len(values)} answers", "one answer to an image")
    return json_text(values[0]) if values else ""


def _with_numbers(frame: pd.DataFrame, spec: Spec, where: str) -> tuple[pd.DataFrame, list[str]]:
    """Count ranks from 1; take levels of a staircase for exposures, in blocks."""
    numbers = _numbers(frame, [n for n in ("rank", "exposure_ms") if n in frame], where)
    if "rank" in numbers:
        frame = frame.assign(rank=numbers["rank"] + (numbers["rank"].min() == 0))
    if "exposure_ms" not in numbers or numbers["exposure_ms"].isna().all():
        return frame, []
    levels = numbers["exposure_ms"]
    frame = frame.assign(block=frame.get("block", "1"))
    if not spec.get("levels"):
        return frame, []
    levels = 1000 * levels if levels.max() <= _MOST_SECONDS else levels
    note = (
        "The levels of the staircase are the exposures: in seconds where none is above "
        f"{_MOST_SECONDS}, else in ms."
    )
    return frame.assign(exposure_ms=levels.round(6)), [note]


def _with_votes(frame: pd.DataFrame, table: pd.DataFrame, spec: Spec, where: str) -> pd.DataFrame:
    """Write which side each vote went to, where a column names the image or its model."""
    column = spec.get("voted")
    if not column or column not in table:
        return frame
    sides = [name for name in ("left", "right", "left_image", "right_image") if name in frame]
    seen: dict[tuple[str, ...], str] = {}
    answers = []
    shown = (frame[side] for side in sides)
    tied = table.get(spec.get("tied", ""), pd.Series("", table.index)).map(plain).isin(_TRUE)
    votes = table[column].where(~table[column].isin(NOTHING), "")
    for row, tie, vote, *names in zip(table.index, tied, votes, *shown, strict=True):
        if tie or not vote:
            answers.append("tie" if tie else "")
            continue
        if (key := (vote, *names)) not in seen:
            side = _voted(vote, names[:2], names[2:])
            if side is None:
                problem = f"{column}: a vote for {vote!r}, which is neither image"
                raise InputError(f"{where} {row}", problem, listed(names))
            seen[key] = ("left", "right")[side]
        answers.append(seen[key])
    return frame.assign(answer=answers)


def _voted(vote: str, models: list[str], images: list[str]) -> int | None:
    """Tell which of two images is meant: by path, file, model, or a file called after its model."""
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


def _counted_as_rows(
    frame: pd.DataFrame, table: pd.DataFrame, spec: Spec, where: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make as many rows of equal answers as the file says that there were."""
    path, voted = where.rpartition(",")[0], spec.get("voted")
    if not spec.get("counts") and voted and voted not in table:
        raise InputError(path, f"lacks {voted!r}", f"the file of {spec['title']}")
    if not spec.get("counts") or voted in table:
        return frame, table
    parts = []
    for one in spec["counts"]:
        names = _names_in(one["number"])
        missing = [name for name in names if name not in table]
        if missing:
            raise InputError(path, f"lacks {listed(missing)}", f"the file of {spec['title']}")
        number = _computed(one["number"], table, where)
        wrong = ~np.isclose(number, number.round(), atol=1e-6) | number.lt(0)
        if wrong.any():
            row, odd = next(iter(number[wrong].items()))
            problem = f"{one['number']} is {odd:g}, which is no number of answers"
            raise InputError(f"{where} {row}", problem, "0, 1, 2, …")
        places = np.repeat(np.arange(len(frame)), number.round().astype(int))
        parts.append(frame.iloc[places].assign(**one["set"], place=places))
    rows = pd.concat(parts).sort_values("place", kind="stable")
    return rows, table.iloc[rows.pop("place").to_numpy()]


def _require(
    frame: pd.DataFrame,
    wanted: Mapping[str, Sequence[str]],
    needed: Sequence[str],
    path: Path,
    given: Sequence[str],
) -> None:
    """Refuse a file that lacks a column, or in a row the model that made an image."""
    missing = [ours for ours in needed if ours not in frame]
    if len(missing) == 1 and missing[0] in ("truth", "answer") and "correct" in frame:
        missing = []
    if missing:
        names = [parts_of(one)[0] for one in wanted[missing[0]]]
        problem = f"has no column that says {missing[0]}: {listed(names)}"
        hint = f"--columns {missing[0]}=THEIRS says it"
        raise InputError(path, problem, f"found are {listed(given)}; {hint}")
    if "group" in frame and len(frame) > 1 and len(set(frame["condition"])) == 1:
        folder = frame["condition"].iloc[0]
        problem = f"does not say which model made its images: all are in {folder}/"
        raise InputError(path, problem, "paths such as MODEL/00001.jpg")
    for ours in ("left", "right"):
        if ours in frame and (empty := frame[ours].str.strip().isin(NOTHING)).any():
            row = f"{path}, {frame.index.name or 'row'} {frame.index[empty][0]}"
            raise InputError(row, f"{parts_of(wanted[ours][0])[0]} names no model", "its name")


def _with_meanings(frame: pd.DataFrame, spec: Spec, where: str) -> tuple[pd.DataFrame, list[str]]:
    """Write what the values of a file mean; some are counted in a note."""
    notes = []
    for ours, meanings in spec.get("values", {}).items():
        if ours not in frame:
            continue
        known = {plain(theirs): meaning for theirs, meaning in meanings.items()}
        cells = frame[ours].map({text: plain(text) for text in frame[ours].unique()})
        odd = ~cells.isin({*known, *NOTHING})
        if odd.any():
            row, text = next(iter(frame[ours][odd].items()))
            column = listed(_several(spec["columns"][ours]))
            raise InputError(
                f"{where} {row}", f"{column}: {text!r} is not known", listed([*meanings])
            )
        if number := int(cells.isin(spec.get("both_bad", ())).sum()):
            said = "of the ties say that both are bad; --ties says how ties count."
            notes.append(f"{number:,} {said}")
        frame[ours] = cells.map(known).fillna("")
    return frame, notes


def _axes_as_rows(frame: pd.DataFrame, table: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    axes = {name: theirs for name, theirs in spec.get("axes", {}).items() if theirs in table}
    rows = [frame.assign(axis=name, answer=table[theirs]) for name, theirs in axes.items()]
    return pd.concat(rows).sort_index(kind="stable") if rows else frame


def _without_gaps(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out rows that say nothing about conditions."""
    same = none = np.zeros(len(frame), dtype=bool)
    if {"left", "right"} <= set(frame):
        same = frame["left"].eq(frame["right"]).to_numpy()
    for name in _ANSWERS:
        if name in frame:
            none = none | (frame[name].isna() | frame[name].eq("")).to_numpy()
    notes = [
        left_out_note(int(same.sum()), "both images are by one model"),
        left_out_note(int((none & ~same).sum()), "they have no answer"),
    ]
    return frame[~same & ~none], notes
