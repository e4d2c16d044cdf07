"""A study file as a form: what fields there are follows from the settings' own declarations."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from textwrap import dedent
from typing import Any, Final, get_args, get_origin

import tomlkit
from pydantic import BaseModel
from tomlkit.items import Table

from hype.errors import InputError
from hype.protocols.load import add_language
from hype.protocols.registry import protocol_of_file
from hype.study.differences import bears
from hype.study.mistakes import KEY, join_key
from hype.study.texts import table_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Place = tuple[str, ...]
"""The names that lead to a setting."""
CODE: Final = re.compile(r"``?([^`]+)``?")
"""Code in docstrings."""
HEADED: Final = re.compile(r"^\[[^]]*\]: ")
"""The table's own name, with which they begin."""
HEADING: Final = re.compile(r"(?:# )?\[([\w.]+)\]")
NOTED: Final = re.compile(r"(?:# )?(\w+) = (?:\"[^\"]*\"|[^#\"])+#(.*)")
"""A setting with a comment behind it."""
OBSERVERS: Final = "observers"
"""The table that has one for each condition."""
NAMED_BY_MODELS: Final = (OBSERVERS, "added")
"""Tables of tables that are called as models are, so that nobody makes up a name."""
WRITTEN: Final = "written"
"""The kind of a setting that is typed as the file has it: a list of colours, a table of words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A setting: what it may be, what it is without the file, and what the file says.

    ``declared`` is its JSON schema. ``bears``: on what people answer, once they have.
    """

    place: Place
    kind: str
    declared: Mapping[str, Any]
    optional: bool
    about: str
    bears: bool
    usual: Any
    held: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FormGroup:
    """The settings of a table; of one to be begun, whose name is yet to be given, if it is ""."""

    place: Place
    about: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class FormChange:
    """Another value for a setting; None: what it is without the file."""

    place: Place
    value: Any


def form_of(
    text: str, conditions: Sequence[str] = (), *, begun: Iterable[Place] = ()
) -> tuple[FormGroup, ...]:
    """Lay a study file out as a form: one of the protocol that its methods ask for.

    ``conditions`` are the study's conditions whose simulated evaluators may be described.
    ``begun``: places of settings in tables that may not be there yet.
    """
    tables = tomllib.loads(text)
    model = protocol_of_file(tables).settings
    study = table_of(tables, "study")
    spoken = {name: study[name] for name in ("language", "methods") if name in study}
    usual = add_language({"study": spoken}, model)
    notes = comments_in(text)
    own = [place[:2] for place in begun if len(place) > 2]
    held = dict(tables)
    for table, name in [*((OBSERVERS, name) for name in conditions), *own]:
        held[table] = {name: {}} | dict(table_of(held, table))
    return tuple(groups_of(model, (), held, usual, notes, bearing=True))


def groups_of(
    model: type[BaseModel],
    place: Place,
    held: Mapping[str, Any],
    usual: Mapping[str, Any],
    notes: Mapping[str, str],
    *,
    bearing: bool,
) -> Iterator[FormGroup]:
    """Yield the group of a table, and those of the tables in it.

    ``held``, ``usual``: what the file has, and what its language says without it.
    """
    schema = model.model_json_schema()
    fields: list[Field] = []
    inner: list[tuple[type[BaseModel], Place, bool]] = []
    for name, info in model.model_fields.items():
        within = (*place, name)
        counts = bearing and bears(info, simulated=False)
        table = table_in(info.annotation)
        if table and get_origin(info.annotation) is dict:
            new = [] if name in NAMED_BY_MODELS else [""]
            inner += [(table, (*within, each), counts) for each in (*table_at(held, within), *new)]
        elif table:
            inner.append((table, within, counts))
        else:
            declared, optional = plain_schema(schema["properties"][name])
            fields.append(
                Field(
                    place=within,
                    kind=kind_of(declared),
                    declared=declared,
                    optional=optional,
                    about=setting_texts(model).get(name) or notes.get(join_key(within), ""),
                    bears=counts,
                    usual=table_at(usual, place).get(name, declared.get("default")),
                    held=table_at(held, place).get(name),
                )
            )
    if fields:
        yield FormGroup(place=place, about=docstring_of(model), fields=tuple(fields))
    for table, within, counts in inner:
        yield from groups_of(table, within, held, usual, notes, bearing=counts)


def table_at(table: Mapping[str, Any], place: Iterable[str]) -> Mapping[str, Any]:
    """Return a table of a file; an empty one where there is none."""
    for name in place:
        table = table_of(table, name)
    return table


def table_in(annotation: Any) -> type[BaseModel] | None:
    options = (annotation, *get_args(annotation))
    tables = (
        option for option in options if isinstance(option, type) and issubclass(option, BaseModel)
    )
    return next(tables, None)


def plain_schema(declared: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return what a setting may be, and whether it may also be nothing."""
    options = [option for option in declared.get("anyOf", ()) if option.get("type") != "null"]
    rest = {name: value for name, value in declared.items() if name not in ("anyOf", "title")}
    if len(options) == 1:
        rest |= options[0]
    return rest, len(options) < len(declared.get("anyOf", ()))


def kind_of(declared: Mapping[str, Any]) -> str:
    """Name the kind of field in which a setting is changed."""
    kind = declared.get("type")
    if "enum" in declared:
        return "choice"
    if kind == "array" and "enum" in declared.get("items", {}):
        return "choices"
    if kind == "array" and declared.get("items") == {"type": "string"}:
        return "lines"
    return kind if kind in ("boolean", "integer", "number", "string") else WRITTEN


def docstring_of(model: type[BaseModel]) -> str:
    """Return what a table's docstring says, as plain text."""
    text = HEADED.sub("", plain(cleandoc(model.__doc__ or "").partition("\nAttributes\n")[0]))
    return text[:1].upper() + text[1:]


def plain(docstring: str) -> str:
    return CODE.sub(r"\1", " ".join(docstring.split()))


@cache
def setting_texts(model: type[BaseModel]) -> dict[str, str]:
    """Return what is said below the settings of a table, where they are declared."""
    texts: dict[str, str] = {}
    tables = (
        base for base in model.__mro__ if issubclass(base, BaseModel) and base is not BaseModel
    )
    for table in tables:
        (declared,) = ast.parse(dedent(getsource(table))).body
        for setting, below in pairwise(getattr(declared, "body", ())):
            match setting, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    texts.setdefault(name, plain(text))
    return texts


def comments_in(text: str) -> dict[str, str]:
    """Return the comments behind the settings of a file, those that are commented out included."""
    comments: dict[str, str] = {}
    table = ""
    for line in text.split("\n"):
        if heading := HEADING.match(line):
            table = heading[1]
        elif noted := NOTED.match(line):
            comments.setdefault(f"{table}.{noted[1]}", noted[2].strip())
    return comments


def change_text(text: str, changes: Sequence[FormChange], conditions: Sequence[str] = ()) -> str:
    """Write changes into a study file, whose comments and order stay.

    Raises InputError: it has no such table.
    """
    document = tomlkit.parse(text)
    groups = form_of(text, conditions, begun=[change.place for change in changes])
    usual = {field.place: field.usual for group in groups for field in group.fields}
    for change in changes:
        if change.place not in usual:
            raise InputError(join_key(change.place), "is not a setting of this study")
        *above, name = change.place
        table: Any = table_at(document, above)
        if change.value is None:
            table.pop(name, None)
            continue
        if name not in table and change.value == usual[change.place]:
            continue  # it need not be written; where it stands already, its comment stays too
        table = document
        for part in above:
            if part not in table:
                table[part] = tomlkit.table()
            table = table[part]
        put(table, name, change.value)
    return tomlkit.dumps(document)


def put(table: Any, name: str, value: Any) -> None:
    """Set a value; what has several lines is written as such."""
    if isinstance(value, str) and "\n" in value:
        value = tomlkit.string(value, multiline=True)
    if name not in table and isinstance(table, Table):
        table.add(name, value)
    else:
        table[name] = value


def value_written(place: Place, written: str) -> Any:
    """Read a value as a study file has it.

    Raises InputError: it is none.
    """
    try:
        read = tomllib.loads(f"x = {written}\n")
        if set(read) == {"x"}:
            return read["x"]
    except (ValueError, RecursionError):
        pass
    allowed = 'as in the file: "text", 12, [1, 2], or {name = "text"}'
    raise InputError("", f"{join_key(place)}: {written[:40]!r} is not a value", allowed)


def mistakes_at(problem: str, places: Iterable[Place]) -> list[tuple[Place, str]]:
    """Tell at which setting each mistake is that a study file was refused for, if at any."""
    known = {join_key(place): place for place in places}

    def at(mistake: str) -> Place:
        text = mistake.removeprefix("the file: ")
        for match in (KEY.match(text), re.match(r"[\w.]+", text)):
            key = match[0].rstrip(" =:") if match else ""
            while key and key not in known:
                key = key.rpartition(".")[0]
            if key:
                return known[key]
        return ()

    bare = (re.sub(r"^line \d+: ", "", line) for line in problem.split("\n  "))
    return [(at(line), line) for line in bare]
