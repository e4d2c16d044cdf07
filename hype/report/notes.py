"""What scores say in sentences: a protocol's ``notes.txt``, filled from its scores.

Each block of the file is a place where sentences stand. Where these stand one by one, each is a
call of ``note``. The block ``notes`` has what a reader must know to read the scores rightly, each
note with its weight, the name of a `hype.tables.reasons.Weight`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jinja2 import Template

from hype.report.methods import as_sentences, environment_of
from hype.tables.reasons import Note, Weight


def said(folder: Path, block: str, **facts: object) -> str:
    """Write the sentences of a block; empty where it has nothing to say.

    Raises jinja2.UndefinedError: the block names a fact that is not given.
    """
    template = _template(folder)
    return as_sentences("".join(template.blocks[block](template.new_context(facts))))


def notes_of(folder: Path, block: str = "notes", /, **facts: object) -> tuple[Note, ...]:
    """Write the notes of a block, in the order of its file; those that say nothing are left out."""
    notes: list[Note] = []

    def note(weight: str = "detail", *, caller: Callable[[], str]) -> str:
        notes.append(Note(as_sentences(caller()), Weight[weight.upper()]))
        return ""

    said(folder, block, note=note, **facts)
    return tuple(filter(None, notes))


def _template(folder: Path) -> Template:
    return environment_of(folder).get_template(f"{folder.name}/notes.txt")
