"""`hype status`: how far the study is, who has done what, and what is owed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from hype.answers.choices import Simulated, Version
from hype.cli.options import Json, StudyPath
from hype.console import out, print_json
from hype.errors import InputError
from hype.protocols.load import load_any
from hype.protocols.studies import AnyStudy
from hype.session.standings import Owed
from hype.status.looking import look, of_everybody
from hype.status.progress import (
    bonuses_in_words,
    check_bonus_key,
    check_pay_file,
    pay_in_words,
    print_view,
    write_bonuses,
    write_pay,
)

PayFile = Annotated[
    Path | None,
    typer.Option("--pay", metavar="CSV", help="write what each person is owed to this table"),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="the file of people of hype serve: beside --pay, the bonus file of each platform",
    ),
]
Watch = Annotated[
    bool,
    typer.Option(
        "--watch",
        metavar="",
        help="show it live at a terminal, until Ctrl-C",
    ),
]
Free = Annotated[
    str | None,
    typer.Option(
        "--free",
        metavar="CODE",
        help="give the place of who has this code and has not finished to the next who comes",
    ),
]
Again = Annotated[
    str | None,
    typer.Option(
        "--again", metavar="CODE", help="let who has this code and declined take part after all"
    ),
]


def status(
    study: StudyPath,
    simulated: Simulated = False,
    version: Version = None,
    as_json: Json = False,
    pay: PayFile = None,
    key: KeyFile = None,
    watch: Watch = False,
    free: Free = None,
    again: Again = None,
) -> None:
    """Say who has done what, who is qualified, and what pay is due."""
    if pay:
        check_pay_file(pay, simulated=simulated, watch=watch)
    check_bonus_key(key, pay)
    if watch:
        refuse_beside_watch(version=version, as_json=as_json, free=free, again=again)
        from hype.status.watching import watch_study

        watch_study(study, simulated=simulated)
        return
    loaded = load_any(study)
    decide(loaded, free=free, again=again, simulated=simulated)
    tell = look(loaded, simulated=simulated, version=version)
    if pay:
        owed = loaded.leaving_out({})  # who is left out is paid all the same
        one = look(owed, simulated=simulated, version=version).found if version else None
        lines = write_owed(pay, loaded, of_everybody(owed) if one is None else one, key)
        if not as_json:
            for line in lines:
                out.print(line, markup=False)
            return
    if as_json:
        print_json(tell.as_object())
    else:
        print_view(tell.view())


def refuse_beside_watch(*, version: int | None, as_json: bool, **decided: str | None) -> None:
    """Refuse what is done or said once, where the status is shown again and again."""
    if version is not None:
        raise InputError("--version --watch", "both given", "what is watched is the last one")
    once = {"json": as_json or None, **decided}
    for name in (name for name, given in once.items() if given is not None):
        raise InputError(f"--{name} --watch", "both given", f"--{name} prints the status once")


def decide(study: AnyStudy, *, free: str | None, again: str | None, simulated: bool) -> None:
    """Free the place of one code, and let another one in again, where that was asked for."""
    from hype.session import admitting

    if free is not None:
        admitting.free(study, free, simulated=simulated)
    if again is not None:
        admitting.let_in_again(study, again, simulated=simulated)


def write_owed(
    pay: Path, study: AnyStudy, people: Sequence[Owed], key: Path | None
) -> tuple[str, ...]:
    """Write what people are owed, and with ``key`` the bonuses of each platform; say so."""
    write_pay(pay, study, people)
    files = write_bonuses(pay, study, people, key) if key else ()
    lines = (pay_in_words(pay, study, people),)
    return (*lines, bonuses_in_words(study, files)) if key else lines
