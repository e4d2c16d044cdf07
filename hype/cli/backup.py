"""`hype backup`: copy the record, even while sessions run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from hype.answers.choices import shell_option
from hype.cli.options import Json, StudyPath
from hype.console import out, print_json
from hype.errors import InputError
from hype.protocols.load import load_any
from hype.store.backup import back_up
from hype.store.kept import recorders
from hype.store.record import RECORD_FILE, record_of
from hype.store.sqlite_record import SqliteRecord
from hype.study.phrases import write_count


def backup(
    study: StudyPath,
    copy: Annotated[
        Path | None,
        shell_option("-o --out FILE", "the file to write (default: a new file in backups/)"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy the record into one complete file, even while sessions run.

    To continue the study from the copy, move it into the study's folder as data.sqlite.
    """
    beside = folder_of(study) / RECORD_FILE
    has_store = os.environ.get("HYPE_STORE")
    record = record_of(load_any(study)) if has_store else SqliteRecord(beside)
    made = back_up(record.reading(), beside, copy)
    if as_json:
        facts = {"people": made.people, "simulated": made.simulated, "size_bytes": made.size_bytes}
        print_json({"path": str(made.path), **facts, "study": str(study)})
    else:
        sentence = f"{made.path}: {say_amounts(made.people)}"
        if made.simulated["evaluators"]:
            sentence += f"; simulated: {say_amounts(made.simulated)}"
        out.print(f"{sentence}; {-(-made.size_bytes // 1000):,} kB", markup=False)


def folder_of(study: Path) -> Path:
    """Return a study's folder without reading its file, which a backup does not need.

    Raises InputError: there is no such study.
    """
    if not study.exists():
        raise InputError(study, "there is no such study", "a study.toml, or its folder")
    return study if study.is_dir() else study.parent


def say_amounts(amount: Mapping[str, int]) -> str:
    """Write the numbers of evaluators and answers."""
    return f"{write_count(amount['evaluators'], 'evaluator')}, {say_answers(amount)}"


def say_answers(amount: Mapping[str, int]) -> str:
    """Write the number of answers; for rankings, also the number of acts in them."""
    kinds = [list(kind.held) for kind in recorders()]
    there = (names for names in kinds if any(amount[name] for name in names))
    named, *more = (write_count(amount[name], name[:-1]) for name in next(there, kinds[0]))
    return f"{named} ({', '.join(more)})" if more else named
