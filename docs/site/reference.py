"""Make pages from declarations: keys of the study file, texts, columns, commands."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typer.main import get_command

from hype.cli.main import COMMANDS, program
from hype.protocols.comparison.rows import ROW as COMPARISONS
from hype.protocols.hype.rows import ROW as JUDGEMENTS
from hype.protocols.ranking.rows import ACT as ACTS
from hype.protocols.ranking.rows import ROW as RANKINGS
from hype.protocols.rating.rows import ROW as RATINGS
from hype.protocols.registry import PROTOCOLS
from hype.study.table import describe_key
from hype.study.texts import Words, english_words
from hype.tables.columns import Column, Origin, Read, Row

TITLES = {
    "hype": "HYPE_time, HYPE_∞, qualification",
    "comparison": "Comparisons",
    "rating": "Ratings",
    "ranking": "Rankings",
}
ROWS = {
    "Judgements": JUDGEMENTS,
    "Comparisons": COMPARISONS,
    "Ratings": RATINGS,
    "Rankings": RANKINGS,
    "Acts of rankings": ACTS,
}
SIGNS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


class SettingsTable(NamedTuple):
    """A table of the study file: its name and its model."""

    name: str
    model: type[BaseModel]


class UndocumentedError(Exception):
    """A key, a column or an option has no description."""


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines) + "\n"


def prose(model: type) -> str:
    """Return the docstring of a class without the lines about single keys, as Markdown."""
    said = inspect.getdoc(model) or ""
    said = said.partition(": ")[2] or said
    said = re.sub(r"``([^`]*)``", r"`\1`", said)
    said = re.sub(r" \(`[A-Za-z_.]*\.[^`]*`\)", "", said).strip()
    return said[:1].upper() + said[1:]


# --- keys


def tables_of(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[SettingsTable]:
    """Yield a table and its nested tables, except those that contain only tables."""
    nested = {name: inner(field.annotation) for name, field in model.model_fields.items()}
    if path and any(found is None for found in nested.values()):
        yield SettingsTable(".".join(path), model)
    for name, found in nested.items():
        if found:
            is_many = get_origin(model.model_fields[name].annotation) is dict
            yield from tables_of(found, (*path, name, *(["<name>"] if is_many else [])))


def inner(annotation: Any) -> type[BaseModel] | None:
    """Return the model of a key that is a table, or a table of tables."""
    candidates = (annotation, *get_args(annotation))
    return next((t for t in candidates if isinstance(t, type) and issubclass(t, BaseModel)), None)


def meaning(model: type[BaseModel], name: str) -> str:
    if text := describe_key(model, name):
        return re.sub(r"``([^`]*)``", r"`\1`", text)
    raise UndocumentedError(
        f"{model.__name__}.{name} says nothing about its meaning: write a docstring below it, "
        "from which the reference of keys is made"
    )


def kind(annotation: Any) -> str:  # noqa: PLR0911 - one for each kind
    """Describe the type of a key in TOML's terms."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{json.dumps(value)}`" for value in arguments)
    if get_origin(annotation) is dict:
        return f"table of {kind(arguments[1])}"
    if get_origin(annotation) is tuple:
        if len(arguments) == 1 or arguments[-1] is Ellipsis:
            return f"list of {kind(arguments[0])}"
        return f"list of {len(arguments)}: {kind(arguments[0])}"
    if hasattr(annotation, "__metadata__"):
        limits = bounds(unfolded(annotation.__metadata__))
        return kind(arguments[0]) + (f" {limits}" if limits else "")
    if arguments:
        return " or ".join(dict.fromkeys(kind(one) for one in arguments if one is not type(None)))
    return {str: "text", int: "whole number", float: "number", bool: "true or false"}[annotation]


def unfolded(metadata: Iterable[Any]) -> Iterator[Any]:
    for one in metadata:
        yield from one.metadata if isinstance(one, FieldInfo) else (one,)


def bounds(metadata: Iterable[Any]) -> str:
    marks = [
        f"{sign} {getattr(one, name):g}"
        for one in metadata
        for name, sign in SIGNS.items()
        if getattr(one, name, None) is not None
    ]
    return ", ".join(marks)


def default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if field.is_required() or value is PydanticUndefined:
        return "**needed**"
    if value is None:
        return "—"
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def described(found: SettingsTable) -> str:
    rows = []
    for name, field in found.model.model_fields.items():
        if inner(field.annotation):
            continue
        limits = bounds(field.metadata)
        sort = kind(field.annotation) + (f" {limits}" if limits else "")
        rows.append((f"`{name}`", sort, default(field), meaning(found.model, name)))
    heads = ("key", "what it takes", "default", "meaning")
    return f"### `[{found.name}]`\n\n{prose(found.model)}\n\n{table(heads, rows)}\n"


def keys_page() -> str:
    """Describe every key of the study files of all protocols, except texts."""
    by_protocol = {
        one.name: [t for t in tables_of(one.settings) if not issubclass(t.model, Words)]
        for one in PROTOCOLS
    }
    shared = [t for t in by_protocol["hype"] if all(t in found for found in by_protocol.values())]
    parts = [
        "# Keys of the study file",
        "A key that a file leaves out has its default; a dash says that it has none, and may "
        "be left out. A key that does not exist is refused, with its line and the key that was "
        "probably meant. `hype new` writes a file with the usual ones.",
        "## Every study",
        *map(described, shared),
    ]
    for name, found in by_protocol.items():
        parts += [f"## {TITLES[name]}", *(described(t) for t in found if t not in shared)]
    return "\n\n".join(parts)


def texts_page() -> str:
    """List every text that participants read."""
    parts = [
        "# Texts of the study file",
        "`[texts]` replaces any of these, `[web.texts]` those of browsers. A name in braces is "
        "filled in. `welcome` and `instructions` of ratings are those of pairs.",
    ]
    groups = [
        (f"{TITLES[one.name]}: `[texts]`", one.settings.model_fields["texts"]) for one in PROTOCOLS
    ]
    groups.append(("Browsers: `[web.texts]`", WEB_TEXTS))
    for title, field in groups:
        texts = english_words(inner(field.annotation)).model_dump()
        rows = [(f"`{name}`", re.sub(r"([{}<>*_])", r"\\\1", text)) for name, text in texts.items()]
        parts += [f"## {title}", table(("key", "English"), rows)]
    return "\n\n".join(parts)


WEB_TEXTS = next(
    found.model.model_fields["texts"]
    for found in tables_of(PROTOCOLS[0].settings)
    if found.name == "web"
)

# --- columns


def in_files(column: Column) -> str:
    if column.origin is Origin.TABLE:
        return "—"
    levels = "; ".join(f"`{level}`: {text}" for level, text in column.levels.items())
    empty = "; may be empty" if column.null else ""
    return f"{column.kind.cell_type.value}{empty}: {column.meaning}" + (
        f" ({levels})" if levels else ""
    )


def in_tables(column: Column) -> str:
    if column.read is Read.NO:
        return "—"
    needed = {Read.NEEDED: "**needed**; ", Read.ANSWER: "the answer; "}.get(column.read, "")
    alias = f"; also called `{column.alias}`" if column.alias else ""
    return f"{needed}{column.allowed}{alias}"


def columns_of(row: Row) -> str:
    rows = [(f"`{column.name}`", in_files(column), in_tables(column)) for column in row.columns]
    return table(("column", "in the record and in exports", "read from a table"), rows)


def columns_page() -> str:
    parts = [
        "# Columns",
        "One row is one answer. `hype export` writes the columns of the record, and `hype score` "
        "reads them back. It also reads tables of other programs, which need only some columns. "
        "A dash says that scoring does not look at the column, or that the record "
        "does not have it.",
    ]
    for title, row in ROWS.items():
        parts += [f"## {title}", columns_of(row)]
    return "\n\n".join(parts)


# --- commands


def command_section(command: Any, name: str) -> str:
    context = command.context_class(command, info_name=name)
    usage = " ".join((name, *command.collect_usage_pieces(context)))
    records = [
        p.get_help_record(context) for p in command.params if not getattr(p, "hidden", False)
    ]
    rows = [(f"`{called}`", escaped(said)) for called, said in filter(None, records)]
    text = f"## {name}\n\n{escaped(command.help or '')}\n\n```text\n{usage}\n```\n\n"
    return text + (table(("argument or option", "meaning"), rows) if rows else "")


def escaped(text: str) -> str:
    """Escape a terminal's text, so that it is not read as Markdown."""
    text = inspect.cleandoc(text).replace("\b\n", "")
    return re.sub(r"([<>*_\[\]])", r"\\\1", text)


def commands_page() -> str:
    """Describe every command with its arguments and options, as in its help."""
    whole = get_command(program(tuple(COMMANDS)))
    parts = [
        "# Commands",
        "`hype COMMAND --help` says the same at a terminal. Exit codes: 0 done; 1 the check or the "
        "session found a problem; 2 the input was wrong.",
    ]
    for name, command in whole.commands.items():
        inside = getattr(command, "commands", None) or {"": command}
        for second, one in inside.items():
            parts.append(command_section(one, f"hype {name} {second}".strip()))
    return "\n\n".join(parts)


def api_page() -> str:
    """List the names of ``import hype``; autodoc fills in their docstrings."""
    import hype

    parts = [
        "# The names of `import hype`",
        "[The library](../library.md) explains how to use them.",
    ]
    for name in hype.__all__:
        value = getattr(hype, name)
        if isinstance(value, str):
            continue
        directive = "autofunction" if inspect.isfunction(value) else "autoclass"
        members = "\n   :members:" if inspect.isclass(value) else ""
        parts.append(
            f"## hype.{name}\n\n```{{eval-rst}}\n.. {directive}:: hype.{name}{members}\n```"
        )
    return "\n\n".join(parts)


PAGES = {
    "keys": keys_page,
    "texts": texts_page,
    "columns": columns_page,
    "commands": commands_page,
    "api": api_page,
}
