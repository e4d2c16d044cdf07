"""Messages about mistakes in a study file: the key, its line, its value and the allowed values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from difflib import get_close_matches
from reprlib import Repr
from typing import Any, Final

from pydantic_core import ErrorDetails

from hype.files import tomllib
from hype.study.table import Settings

MOST_MISTAKES: Final = 20
"""The maximum number of mistakes in a message."""
LONGEST_SHOWN: Final = 100
"""The maximum length of a wrong value or key in a message, in characters."""
SHORT: Final = Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = LONGEST_SHOWN
LONGEST_SEARCH: Final = 2_000_000
"""The search for line numbers stops at a value if its lines times its characters exceed this,
since the search time grows with the square of the length."""
KEY: Final = re.compile(r"[^:=\n]+?(?=:| = )")
"""The key at the start of a message about a mistake."""

UNION_MEMBER: Final = re.compile(r"(constrained-)?(int|float|str)$|(dict|list|tuple)\[")
"""The part that Pydantic adds to a key if the setting allows several kinds of values."""

ALLOWED: Final[Mapping[str, str]] = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number that is finite",
    "bool_type": "true or false",
    "string_type": "text in quotation marks",
    "string_too_short": "text with {min_length} or more characters",
    "string_too_long": "text of {max_length} characters or fewer",
    "tuple_type": "a list in square brackets",
    "too_short": "a list with {min_length} or more entries",
    "too_long": "a list with {max_length} or fewer entries",
    "dict_type": "a table",
    "model_type": "a table",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "less_than": "less than {lt}",
    "literal_error": "{expected}",
}
"""For each of Pydantic's errors: the allowed values, without Python's terms."""
NOT_TOML: Final[Mapping[str, str]] = {
    "Cannot overwrite a value": "a key occurs twice",
    "Cannot declare": "a table occurs twice",
    "Expected '=' after a key": "a line is neither a [table] nor a key = value",
    "Expected ']' at the end": "the name of a table must begin with [ and end with ] on one line",
    "Expected newline or end": "there is more text after a value",
    "Illegal character": "text in quotation marks must start and end on the same line",
    "Invalid hex value": r"a \ in a path must be written \\, or /",
    "Invalid initial character for a key": "a key must begin with a letter, a digit, - or _",
    "Invalid statement": "a line is neither a [table] nor a key = value",
    "Invalid value": "a value must be text in quotation marks, a number, true, false or a list",
    "Unclosed array": "a list that begins with [ must end with ]",
    "Unescaped '\\'": r"a \ in a path must be written \\, or /",
    "Unterminated string": "text that begins with a quotation mark must end with one",
}
"""How the TOML parser's messages start, and what they mean, for people new to TOML."""


def explain_each(errors: Sequence[ErrorDetails], model: type[Settings]) -> Iterator[str]:
    """Describe each mistake in a line; leave out errors of a table that contains other mistakes."""
    outer = {error["loc"][:length] for error in errors for length in range(len(error["loc"]))}
    own = [error for error in errors if error["loc"] not in outer and is_of_its_kind(error)]
    yield from (explain(error, model) for error in own[:MOST_MISTAKES])
    if len(own) > MOST_MISTAKES:
        yield f"and {len(own) - MOST_MISTAKES} more mistakes"


def is_of_its_kind(error: ErrorDetails) -> bool:
    """Return whether an error is about a value of the given kind (single, or a list or table)."""
    is_one_of = any(UNION_MEMBER.match(str(part)) for part in error["loc"])
    is_several = isinstance(error["input"], dict | list)
    wants_several = error["type"] in ("dict_type", "tuple_type")
    return not (is_one_of and error["type"].endswith("_type") and is_several != wants_several)


def explain(error: ErrorDetails, model: type[Settings]) -> str:
    """Write one line with the wrong key, its value and the allowed values."""
    is_name = error["loc"][-1:] == ("[key]",)  # the name is wrong, not the value
    parts = [part for part in error["loc"] if not UNION_MEMBER.match(str(part))]
    key = join_key(parts[: -1 if is_name else None]) or "the file"
    kind, given = error["type"], error["input"]
    if kind == "extra_forbidden":
        declared: Any = model
        for name in error["loc"][:-1]:
            annotation = (
                declared.model_fields[name].annotation if name in declared.model_fields else None
            )
            options = [annotation, *getattr(annotation, "__args__", ())]
            declared = next((o for o in options if hasattr(o, "model_fields")), declared)
        known = tuple(declared.model_fields)
        near = get_close_matches(str(error["loc"][-1]), known, 1)
        meant = f'; did you mean "{near[0]}"?' if near else ""
        return f"{key}: unknown key; known here are {', '.join(known)}{meant}"
    if kind == "missing":
        return f"{key}: is missing"
    shown = "" if is_name or isinstance(given, dict) else f" = {quote_value(given)}"
    return f"{key}{shown}: {reason_of(error)}"


def reason_of(error: ErrorDetails) -> str:
    """Describe the allowed values."""
    if allowed := ALLOWED.get(error["type"]):
        bounds = {
            name: f"{bound:g}" if isinstance(bound, float) else str(bound)
            for name, bound in error.get("ctx", {}).items()
        }
        return f"must be {allowed.format(**bounds)}"
    reason = error["msg"].removeprefix("Value error, ")
    return reason[:1].lower() + reason[1:]


def explain_syntax(error: tomllib.TOMLDecodeError, text: str) -> str:
    """Describe why a text is not TOML, and where."""
    message, _, place = str(error).rpartition(" (")
    if message == "Cannot overwrite a value":
        at = re.search(r"line (\d+)", place)
        line = text.splitlines()[int(at[1]) - 1 if at else -1]
        if key := re.match(r"\s*([^\s=]+)\s*=", line):
            return f"{key[1]} occurs twice ({place}"
    plainly = (words for begins, words in NOT_TOML.items() if message.startswith(begins))
    return f"{next(plainly, message)} ({place}"


def quote_value(value: Any) -> str:
    """Write a value as in a study file, and shorten a long value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date | time):
        return str(value)
    if isinstance(value, tuple):
        value = list(value)
    return SHORT.repr(value)


def join_key(key: Iterable[int | str]) -> str:
    """Join a key's parts as printable text, since a file can contain control characters.

    The values of a list are counted from 1.
    """
    texts = (str(part + 1 if isinstance(part, int) else part) for part in key)
    return ".".join(
        text if text.isprintable() and len(text) <= LONGEST_SHOWN else SHORT.repr(text)
        for text in texts
    )


def add_line_numbers(mistakes: str, text: str) -> str:
    """Add the line's number to each mistake that starts with a key."""
    lines: Mapping[str, int] = find_lines(text)

    def add_line(mistake: str) -> str:
        match = KEY.match(mistake)
        key = match[0] if match else ""
        while key and key not in lines:
            key = key.rpartition(".")[0]
        return f"line {lines[key]}: {mistake}" if key else mistake

    return "\n  ".join(map(add_line, mistakes.split("\n  ")))


def find_lines(text: str) -> dict[str, int]:
    """Return the line of each key and table of a file, up to the first part that is not TOML."""
    places: dict[str, int] = {}
    table: tuple[str, ...] = ()
    statement, began = "", 1
    for number, line in enumerate(text.split("\n"), start=1):
        if not statement:
            began = number
        elif (number - began) * len(statement) > LONGEST_SEARCH:
            break
        statement += f"{line}\n"
        try:
            held = tomllib.loads(statement)
        except (ValueError, RecursionError):
            continue  # the statement continues in the next line
        if line.lstrip().startswith("[") and statement.count("\n") == 1:
            table = find_innermost(held)
            held = {}
        for key in [table] if not held else [(*table, *key) for key in list_keys(held)]:
            for length in range(1, len(key) + 1):
                places.setdefault(join_key(key[:length]), began)
        statement = ""
    return places


def find_innermost(held: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the name of the table in a heading."""
    name: list[str] = []
    inner: Any = held
    while inner:
        inner = inner[0] if isinstance(inner, list) else inner
        if not inner:
            break
        ((part, inner),) = inner.items()
        name.append(part)
    return tuple(name)


def list_keys(held: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, value in held.items():
        yield (name,)
        if isinstance(value, Mapping):
            yield from ((name, *key) for key in list_keys(value))
