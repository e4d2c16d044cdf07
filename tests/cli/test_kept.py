"""The parts that stay the same from version 1.0.0 on: commands, study files, the record.

The file `golden/kept.json` lists them, one on each line. If a change is intended, delete the file:
the next run writes it and fails, so that you read the change before you commit it. Such a change
needs a line in CHANGELOG.md; a change of the record needs a new `VERSION`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from hype.cli.main import COMMANDS, program
from hype.protocols.registry import PROTOCOLS
from hype.store.schema import VERSION, tables

KEPT = Path(__file__).parent / "golden" / "kept.json"


def commands(command: Any, name: str) -> Iterator[list[str]]:
    """Yield each command with its arguments and options."""
    if hasattr(command, "commands"):
        for word, inner in sorted(command.commands.items()):
            yield from commands(inner, f"{name} {word}")
        return
    options = [
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    ]
    yield [name, *sorted(options)]


def keys(model: type[BaseModel], place: str) -> Iterator[list[Any]]:
    """Yield each key of a study file with its default value."""
    for name, field in model.model_fields.items():
        here = f"{place}.{name}" if place else name
        inner = models_in(field.annotation)
        for one in inner:
            yield from keys(one, here)
        if not inner:
            usual = field.get_default(call_default_factory=True)
            yield [here, "needed" if field.is_required() else to_jsonable_python(usual)]


def models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in models_in(inner)]


def test_commands_settings_and_record_are_kept():
    record = [
        [table.name, *(f"{column.name} {column.type}" for column in table.columns)]
        for table in sorted(tables(), key=lambda table: table.name)
    ]
    now = {
        "commands": list(commands(program(tuple(COMMANDS)), "hype")),
        **{p.name: list(keys(p.settings, "")) for p in PROTOCOLS},
        f"record of version {VERSION}": record,
    }
    if not KEPT.exists():
        parts = [
            f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, lines)) + "\n]"
            for name, lines in now.items()
        ]
        KEPT.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
        pytest.fail(f"{KEPT} was missing and has been written: read it, then commit it")
    assert now == json.loads(KEPT.read_text(encoding="utf-8"))
