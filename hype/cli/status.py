"""`hype status`: how far the study is, who has done what, and what is owed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hype.answers.choices import Central, Simulated, Version
from hype.cli.options import Json, StudySource
from hype.console import out, print_json
from hype.errors import InputError
from hype.session.records import open_source
from hype.status.bonuses import check_bonus_key, said_of_bonuses, write_bonuses
from hype.status.kit import print_view
from hype.status.looking import look, of_everybody
from hype.status.progress import check_pay_file, said_of_pay, write_pay

USUAL_S = 2.0
"""Between two looks, unless it is said."""
LEAST_S = 0.2
MOST_S = 86_400.0


def status(
    study: StudySource,
    central: Central = False,
    simulated: Simulated = False,
    version: Version = None,
    as_json: Json = False,
    pay: Annotated[
        Path | None,
        typer.Option("--pay", metavar="CSV", help="write what each person is owed to this table"),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="FILE",
            help="the key file of hype serve: beside --pay, the bonus file of each platform",
        ),
    ] = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            metavar="",
            help="show it live, until Ctrl-C; with --json, or into a file or pipe, once more each "
            "time that something changed",
        ),
    ] = False,
    every: Annotated[
        float | None,
        typer.Option(
            "--every", metavar="SECONDS", help="between two looks of --watch; 2 unless it is said"
        ),
    ] = None,
) -> None:
    """Say who has done what, who is qualified, and what pay is due."""
    every_s = checked_every(every, watch=watch)
    if pay:
        check_pay_file(pay, simulated=simulated, watch=watch)
    check_bonus_key(key, pay)
    if watch:
        from hype.status.watching import watch_study

        if version is not None:
            raise InputError("--version --watch", "both given", "what is watched is the last one")
        watch_study(study, central=central, simulated=simulated, as_json=as_json, every_s=every_s)
        return
    loaded = open_source(study, central=central)
    tell = look(loaded, simulated=simulated, version=version)
    if pay:
        found = tell.found if version else of_everybody(loaded)
        write_pay(pay, loaded, found)
        files = write_bonuses(pay, loaded, found, key) if key else ()
        if not as_json:
            out.print(said_of_pay(pay, loaded, found), markup=False)
            if key:
                out.print(said_of_bonuses(loaded, files), markup=False)
            return
    if as_json:
        print_json(tell.as_object())
    else:
        print_view(tell.view())


def checked_every(every: float | None, *, watch: bool) -> float:
    """Give the seconds between two looks.

    Raises InputError: they are too few or too many, or nobody is to look twice.
    """
    if every is None:
        return USUAL_S
    if not watch:
        raise InputError("--every", "is given without --watch")
    if not LEAST_S <= every <= MOST_S:
        allowed = f"{LEAST_S:g} to {MOST_S:g} seconds"
        raise InputError("--every", f"{every:g} is not allowed", allowed)
    return every
