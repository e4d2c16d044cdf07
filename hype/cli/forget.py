"""`hype forget`: remove one person's data on request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from hype.answers.choices import Simulated, shell_option
from hype.cli.options import Json, ask, is_interactive
from hype.console import err, out, print_json
from hype.errors import InputError
from hype.protocols.load import load_any
from hype.store.forgetting import (
    EvaluatorHeld,
    copies_with,
    evaluator_to_forget,
    remove,
    wipe_traces,
)
from hype.store.record import RECORD_FILE, record_of
from hype.study.phrases import write_count
from hype.study.studies import STUDY_FILE, AnyStudy
from hype.web.desk import desk_of, people_in

USAGE = "hype forget STUDY EVALUATOR, or in the study's folder: hype forget EVALUATOR"


def forget(
    study: Annotated[
        str | None, typer.Argument(metavar="STUDY", help="can be left out in the study's folder")
    ] = None,
    code: Annotated[
        str | None, typer.Argument(metavar="EVALUATOR", help="the evaluator's code")
    ] = None,
    evaluator: Annotated[str | None, shell_option("--evaluator ID", "the evaluator's code")] = None,
    simulated: Simulated = False,
    key: Annotated[
        Path | None,
        shell_option(
            "--key FILE",
            "also delete the person's line from this file of people; with --store it is deleted "
            "automatically",
        ),
    ] = None,
    yes: Annotated[bool, shell_option("--yes", "do not ask for confirmation")] = False,
    as_json: Json = False,
) -> None:
    """Remove one person's data from a study on request, and keep a note of the removal.

    Copies elsewhere are not changed; the command lists the backups that contain this person.
    """
    given = [word for word in (study, code, evaluator) if word is not None]
    loaded, who = find_study(given)
    if key is not None and not loaded.store:
        people_in(key)
    record = record_of(loaded)
    if not record.is_there():
        raise InputError(record.where, "there is no record yet", "so there is nobody to forget")
    with record.writing() as engine:
        desk = desk_of(loaded, engine, key)
        with evaluator_to_forget(engine, record, who, simulated=simulated) as person:
            kind = "simulated evaluator" if simulated else "evaluator"
            asked = f"Permanently remove {kind} {who} from {loaded.settings.study.name}"
            question = f"{asked} ({amount_of(loaded, person)})? [y/N]"
            if not yes and is_interactive() and ask(question).lower() not in ("y", "yes"):
                err.print("Nothing was removed.")
                raise typer.Exit(1)
            is_known = key is not None or (loaded.store and not simulated)
            struck = desk.strike(who) if is_known else None
            remove(engine, person)
        try:
            wipe_traces(engine)
        finally:
            backups = copies_with(loaded.folder / RECORD_FILE, person.who)
            if as_json:
                print_json(
                    {
                        "study": str(loaded.path),
                        "evaluator": person.who.evaluator,
                        "simulated": person.who.simulated,
                        "sessions": person.sessions,
                        loaded.trials: person.judgements,
                        "backups": [str(copy) for copy in backups],
                        "key_struck": struck,
                    }
                )
            else:
                print_removal(loaded, person, backups, struck)


def find_study(given: Sequence[str]) -> tuple[AnyStudy, str]:
    """Split the arguments into the study and the evaluator, who comes last."""
    if len(given) == 2:
        return load_any(Path(given[0])), given[1]
    if len(given) != 1:
        raise InputError("hype forget", f"needs one or two arguments, not {len(given)}", USAGE)
    if not Path(STUDY_FILE).exists():
        raise InputError(STUDY_FILE, "there is no study in this folder", USAGE)
    return load_any(Path()), given[0]


def amount_of(study: AnyStudy, person: EvaluatorHeld) -> str:
    """Write an evaluator's numbers of sessions and answers; rankings are counted in acts."""
    answers = write_count(person.judgements, study.trials.removesuffix("s"))
    return f"{write_count(person.sessions, 'session')}, {answers}"


def print_removal(
    study: AnyStudy, person: EvaluatorHeld, backups: Sequence[Path], struck: bool | None
) -> None:
    """Report what was removed, and where else the person's data may be."""
    code = person.who.evaluator
    lines = [
        f"{code} was removed from {study.settings.study.name}: {amount_of(study, person)}.",
        "The record keeps a note that a person was removed, but not who.",
    ]
    if struck is not None:
        which = "table" if study.store else "file"
        had = "no longer has a" if struck else "had no"
        lines.append(f"The {which} of people {had} line on {code}.")
    if backups:
        lines.append(
            f"These backups still contain {code}, or cannot be read; delete them when newer ones "
            "exist:"
        )
        lines += [f"  {copy}" for copy in backups]
    lines.append(
        f"Look for {code} in earlier exports, reports and other copies: hype cannot find them."
    )
    if struck is None and not person.who.simulated:
        lines.append(f"If a file of people has a line on {code}, --key FILE deletes it.")
    out.print("\n".join(lines), markup=False)
