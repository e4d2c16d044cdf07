"""Show a study file as a form; the fields are made from the declarations of the settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from inspect import cleandoc, isclass
from typing import Any, Final, get_args, get_origin

import tomlkit
from pydantic import BaseModel
from tomlkit.items import Table

from hype.errors import InputError
from hype.protocols.load import add_language
from hype.protocols.registry import protocol_of_file
from hype.study.differences import affects_answers
from hype.study.mistakes import KEY, join_key
from hype.study.table import Topic, describe_key
from hype.study.texts import LANGUAGES, Words, pack_of, pack_of_file, table_of

Place = tuple[str, ...]
"""The names of a setting's tables from the outside in, then the name of the setting."""
CODE: Final = re.compile(r"``?([^`]+)``?")
"""Code in docstrings."""
HEADED: Final = re.compile(r"^\[[^]]*\]: ")
"""The name of a table at the beginning of its docstring."""
ADDED: Final = "added"
"""The table of added models; only `hype add` makes its entries."""
NEW: Final = "new-one"
"""The placeholder for the name of a new table."""
UNUSED: Final = {("infinity",): ("time", "masks"), ("time",): ("infinity",)}
"""By method: the tables that a study with only this method does not use."""
WIDTH_HEIGHT: Final = 2
RED_GREEN_BLUE: Final = 3
AS_IN_A_FILE: Final = re.compile(r",? as in \{.*\}")
"""A TOML example in a help text; the form omits it, since its fields have one entry per line."""
QUOTAS: Final = "quotas"
"""The kind of field for a table of tables of numbers."""
HINTS: Final = {
    "lines": "One per line.",
    "pairs": "One per line, as name: value.",
    QUOTAS: "One per line, as age, 18-29: 20.",
}
EXPLAINED: Final = re.compile(r'"([^"]+)": ([^;]+?)(?:; |\.$)')
"""The explanation of one value in the help text of a setting."""
CALLED: Final[Mapping[str, str]] = {
    "0": "not asked",
    "False": "no",
    "True": "yes",
    "cross": "fixation cross",
    "elo": "Elo points",
    "hype": "HYPE's",
    "log": "log-strengths",
    "mturk": "Mechanical Turk",
    "quest+": "QUEST+",
    "share": "shares of 100",
    "sona": "Sona Systems",
    "words": "word by word",
    "yes-no": "yes or no",
} | {language: pack_of(language).name for language in LANGUAGES}
"""The form's own names for some values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A setting: its allowed values, its default, and its value in the file.

    ``declared``: the JSON schema of the setting. ``choices``: the allowed values, if they are
    few, each with its text. ``affects_answers``: whether the setting affects what people answer.
    """

    place: Place
    label: str
    about: str
    kind: str
    declared: Mapping[str, Any]
    choices: tuple[tuple[Any, str], ...]
    optional: bool
    affects_answers: bool
    usual: Any
    held: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FormGroup:
    """The settings of a table with the same topic.

    For a new table without a name, the last name of ``place`` is `NEW`.
    """

    place: Place
    label: str
    topic: str
    fields: tuple[Field, ...]


class WrongSettings(Exception):
    """The changed file would not be a valid study; ``mistakes``: pairs of setting and message."""

    def __init__(self, mistakes: Sequence[tuple[Place, str]]) -> None:
        super().__init__("\n".join(text for _, text in mistakes))
        self.mistakes = mistakes


def form_of(
    text: str, *, begun: Iterable[Place] = (), in_browser: bool = False
) -> tuple[FormGroup, ...]:
    """Make a form of a study file, with the settings of its protocol.

    Groups are in the order of their topics.

    ``begun``: settings to show although their tables may not be in the file yet.
    ``in_browser``: whether to show the default texts for browsers, not those for a station.
    """
    tables = tomlkit.parse(text).unwrap()
    model = protocol_of_file(tables).settings
    study = table_of(tables, "study")
    spoken = {name: study[name] for name in ("language", "methods") if name in study}
    usual = dict(add_language({"study": spoken}, model))
    if in_browser:
        others = pack_of_file(tables).browser_texts(model.text_groups(tables))
        usual["texts"] = {**table_of(usual, "texts"), **others}
    asked = add_language(tables, model)  # adds default questions to the file's criteria
    for name in asked:
        if "question" in {*table_of(asked, name)} - {*table_of(tables, name)}:
            usual[name] = {**table_of(usual, name), "question": asked[name]["question"]}
    axes = table_of(asked, "axes")
    usual["axes"] = {n: axis for n, axis in axes.items() if n not in table_of(tables, "axes")}
    held = dict(tables)
    known = [("axes", name) for name in axes]
    for table, name in [*known, *(place[:2] for place in begun if len(place) > 2)]:
        held[table] = {name: {}} | dict(table_of(held, table))
    order = [topic.value for topic in Topic]
    groups = groups_of(model, (), held, usual, topic=Topic.STUDY, affects=True)
    unused = UNUSED.get(tuple(study.get("methods", ())), ())
    used = [group for group in groups if not group.place or group.place[0] not in unused]
    return tuple(sorted(used, key=lambda group: order.index(group.topic)))


def groups_of(
    model: type[BaseModel],
    place: Place,
    held: Mapping[str, Any],
    usual: Mapping[str, Any],
    *,
    topic: Topic,
    affects: bool,
) -> Iterator[FormGroup]:
    """Yield the groups of a table, one for each topic, and the groups of the tables in it.

    ``held``: the values in the file. ``usual``: the defaults, in the file's language.
    """
    topic = getattr(model, "topic", None) or topic
    schema = model.model_json_schema()
    fields: dict[Topic, list[Field]] = {}
    inner: list[tuple[type[BaseModel], Place, bool]] = []
    shared = getattr(model.__base__, "model_fields", {}) if place else {}
    named = sorted(model.model_fields.items(), key=lambda item: item[0] in shared)
    for name, info in named:  # a protocol's own settings first
        within = (*place, name)
        counts = affects and affects_answers(info, simulated=False)
        types = [kind for kind in (info.annotation, *get_args(info.annotation)) if isclass(kind)]
        table = next((kind for kind in types if issubclass(kind, BaseModel)), None)
        if table and get_origin(info.annotation) is dict:
            new = [] if name == ADDED else [NEW]
            inner += [(table, (*within, each), counts) for each in (*table_at(held, within), *new)]
        elif table:
            inner.append((table, within, counts))
        else:
            declared, optional = plain_schema(schema["properties"][name])
            if "const" in str(declared):
                continue  # the protocol allows only one value
            label, about = text_of_setting(model, name, describe_key(model, name))
            default = table_at(usual, place).get(name, declared.get("default"))
            own_value = table_at(held, place).get(name)
            kind = kind_of(declared, default if own_value is None else own_value)
            values = declared.get("enum") or declared.get("items", {}).get("enum", ())
            choices = choices_of([True, False] if kind == "boolean" else values, about)
            if any(value in dict(EXPLAINED.findall(about)) for value in values):
                about = EXPLAINED.sub("", about).strip()
            if kind in HINTS:
                about = f"{AS_IN_A_FILE.sub('', about)} {HINTS[kind]}".strip()
            own = next((mark for mark in info.metadata if isinstance(mark, Topic)), topic)
            fields.setdefault(own, []).append(
                Field(
                    place=within,
                    label=label,
                    about=about,
                    kind=kind,
                    declared=declared,
                    choices=choices,
                    optional=optional,
                    affects_answers=counts,
                    usual=default,
                    held=own_value,
                )
            )
    for own, some in fields.items():
        label = docstring_of(model)
        yield FormGroup(place=place, label=label, topic=own.value, fields=tuple(some))
    for table, within, counts in inner:
        yield from groups_of(table, within, held, usual, topic=topic, affects=counts)


def table_at(table: Mapping[str, Any], place: Iterable[str]) -> Mapping[str, Any]:
    """Return a table of a file; an empty table if the file does not have it."""
    for name in place:
        table = table_of(table, name)
    return table


def plain_schema(declared: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the schema of a setting without null, and whether null is allowed."""
    options = [option for option in declared.get("anyOf", ()) if option.get("type") != "null"]
    rest = {name: value for name, value in declared.items() if name not in ("anyOf", "title")}
    if len(options) == 1:
        rest |= options[0]
    elif options:
        rest["anyOf"] = options
    return rest, len(options) < len(declared.get("anyOf", ()))


def kind_of(declared: Mapping[str, Any], value: Any) -> str:
    """Return the kind of field for a setting; the field for a named colour is a string."""
    kind, items = declared.get("type"), declared.get("items", {})
    types = {option.get("type") for option in declared.get("anyOf", ())}
    entries = str(declared.get("additionalProperties") or declared.get("patternProperties"))
    if "enum" in declared:
        kind = "choice"
    elif len(declared.get("prefixItems", ())) == RED_GREEN_BLUE:
        kind = "string" if isinstance(value, str) else "colour"
    elif len(items.get("prefixItems", ())) == RED_GREEN_BLUE:
        kind = "colours"
    elif len(declared.get("prefixItems", ())) == WIDTH_HEIGHT:
        kind = "size"
    elif "array" in (kind, *types):
        kind = "choices" if "enum" in items else "lines"
    elif kind == "object" and "'object'" in entries:
        kind = QUOTAS
    elif kind == "object" or types == {"number", "object"} or isinstance(value, Mapping):
        kind = "pairs"
    return kind or "string"


def text_of_value(kind: str, value: Any) -> str:
    """Write a value as the text of its field, with one item per line; "" for None."""
    match kind, value:
        case _, None:
            text = ""
        case "choices", _:
            text = " ".join(value)
        case "lines" | "size", list() | tuple():
            text = "\n".join(map(str, value))
        case "colours", _:
            text = "\n".join(text_of_value("colour", one) for one in value)
        case "pairs", Mapping():
            text = "\n".join(f"{name}: {one}" for name, one in value.items())
        case "quotas", _:
            pairs = ((outer, *pair) for outer, one in value.items() for pair in one.items())
            text = "\n".join("{}, {}: {}".format(*pair) for pair in pairs)
        case "colour", _:
            text = f"#{bytes(value).hex()}"
        case "boolean", _:
            text = str(value).lower()
        case _, float() if value.is_integer():
            text = str(int(value))
        case _:
            text = str(value)
    return text


def choices_of(values: Iterable[Any], about: str) -> tuple[tuple[Any, str], ...]:
    """Return each value with its text: a name, and the explanation in the setting's help text."""
    explained = dict(EXPLAINED.findall(about))
    choices = []
    for value in values:
        words = CALLED.get(str(value), str(value).replace("-", " "))
        told = f": {explained[value]}" if value in explained else ""
        choices.append((value, f"{words[:1].upper()}{words[1:]}{told}"))
    return tuple(choices)


def docstring_of(model: type[BaseModel]) -> str:
    """Return the label of a table: the first sentence of its docstring."""
    text = HEADED.sub("", plain(cleandoc(model.__doc__ or "").partition("\n\n")[0]))
    text = text.partition(". ")[0].removesuffix(".")
    return text[:1].upper() + text[1:]


def plain(docstring: str) -> str:
    return CODE.sub(r"\1", " ".join(docstring.split()))


def text_of_setting(model: type[BaseModel], name: str, text: str) -> tuple[str, str]:
    """Return a setting's label (the first sentence of its help text) and the rest of the text."""
    if issubclass(model, Words):
        known = sorted(model.everywhere | model.in_text.get(name, set()))
        about = f"It may contain {', '.join(f'{{{each}}}' for each in known)}." if known else ""
        return text, about
    label, _, about = plain(text).partition(". ")
    return label.removesuffix("."), about


def change_text(text: str, changes: Sequence[tuple[Place, str | None]]) -> str:
    """Write the values of fields into a study file; keep its comments and its order.

    If a field is None or empty, the setting gets its default.

    Raises InputError: the study has no such setting.
    """
    document = tomlkit.parse(text)
    groups = form_of(text, begun=[place for place, _ in changes])
    fields = {field.place: field for group in groups for field in group.fields}
    for place, shown in changes:
        if place not in fields:
            raise InputError(join_key(place), "is not a setting of this study")
        value = None if shown is None else value_of_text(fields[place], shown)
        *above, name = place
        table: Any = table_at(document, above)
        if value is None:
            table.pop(name, None)
            drop_empty(document, above)
            continue
        if name not in table and value == fields[place].usual:
            continue  # a default is written only if the file already has the setting
        table = document
        for part in above:
            if part not in table:
                table[part] = tomlkit.table()
            table = table[part]
        has_lines = isinstance(value, str) and "\n" in value
        written = tomlkit.string(value, multiline=True) if has_lines else value
        if name not in table and isinstance(table, Table):
            table.add(name, written)
        else:
            table[name] = written
    return tomlkit.dumps(document)


def drop_empty(document: Any, place: Sequence[str]) -> None:
    """Remove tables without settings and comments, since a question's empty table is a mistake."""
    for length in range(len(place), 0, -1):
        *above, name = place[:length]
        outer: Any = table_at(document, above)
        if name not in outer or outer[name] or "#" in outer[name].as_string():
            return
        del outer[name]


def value_of_text(field: Field, text: str) -> Any:
    """Read the text of a field, as `text_of_value` writes it; None (the default) if it is empty.

    If a number is expected but the text is not a number, return the text; the study refuses it.
    """
    kind, lines = field.kind, [line for line in text.splitlines() if line.strip()]
    types = {option.get("type") for option in field.declared.get("anyOf", ())}
    is_number = kind in ("integer", "number") or "integer" in types
    is_number |= "number" in types and ":" not in text
    value: Any = text
    match kind:
        case "choices":
            value = text.split()
        case _ if not text:
            value = None
        case _ if is_number:
            value = number_or_text(text)
        case "boolean" | "choice":
            shown = {text_of_value(kind, one): one for one, _ in field.choices}
            value = shown.get(text, text)
        case "lines":
            value = lines[0] if "string" in types and len(lines) == 1 else lines
        case "size":
            value = [number_or_text(line) for line in text.split("\n")]
        case "colour" | "colours":
            colours = [list(bytes.fromhex(line[1:])) for line in lines]
            value = colours if kind == "colours" else colours[0]
        case "pairs" | "quotas":
            value = {}
            has_texts = "string" in str({**field.declared, "description": ""})
            for line in lines:
                name, _, said = map(str.strip, line.partition(":"))
                outer, _, inner = map(str.strip, name.partition(","))
                one = said if has_texts else number_or_text(said)
                if kind == "quotas":
                    value.setdefault(outer, {})[inner] = one
                else:
                    value[name] = one
    return value


def number_or_text(text: str) -> int | float | str:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def mistakes_at(
    problem: str, places: Iterable[Place], typed: Iterable[Place] = ()
) -> list[tuple[Place, str]]:
    """Return the mistakes of a refused study file, each with its setting, if known.

    If a message is about a whole table, its setting is one that the user ``typed`` in this table.
    """
    known = {join_key(place[:-1]): place for place in typed}
    known |= {join_key(place): place for place in places}

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
