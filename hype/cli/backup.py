"""`hype backup`: a copy of the record, while sessions run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hype.cli.options import Json, StudyPath
from hype.console import out, print_json
from hype.errors import InputError
from hype.store.backup import Backup, EvaluatorsHeld, back_up
from hype.store.record import RECORD_FILE


def backup(
    study: StudyPath,
    copy: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="where it goes; without it, a new file in the study's folder backups",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy the record into one sound file, also while sessions run.

    The copy is a record: put back as data.sqlite, sessions go on from it.
    """
    made = back_up(folder_of(study) / RECORD_FILE, copy)
    if as_json:
        print_json(asdict(made) | {"study": str(study), "path": str(made.path)})
    else:
        out.print(sentence(made), markup=False)


def folder_of(study: Path) -> Path:
    """Give a study's folder; its file is not read, since a record can be saved without it.

    Raises InputError: there is no such study.
    """
    if not study.exists():
        raise InputError(study, "there is no such study", "a study.toml, or the folder that has it")
    return study if study.is_dir() else study.parent


def sentence(made: Backup) -> str:
    simulated = f"; simulated: {amounts(made.simulated)}" if made.simulated.evaluators else ""
    kilobytes = -(-made.size_bytes // 1000)
    return f"{made.path}: {amounts(made.people)}{simulated}; {kilobytes:,} kB"


def amounts(amount: EvaluatorsHeld) -> str:
    """Write how many evaluators there are, and how many answers: of one kind in any study."""
    return f"{counted(amount.evaluators, 'evaluator')}, {answers(amount)}"


def answers(amount: EvaluatorsHeld) -> str:
    """Write how many answers there are; of rankings, what those in the making have too."""
    if amount.acts:
        return f"{counted(amount.rankings, 'ranking')} ({counted(amount.acts, 'act')})"
    kinds = {"comparison": amount.comparisons, "rating": amount.ratings}
    there = (counted(number, what) for what, number in kinds.items() if number)
    return next(there, counted(amount.judgements, "judgement"))


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
