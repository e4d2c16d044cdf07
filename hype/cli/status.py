"""`hype status`: the progress of a study, its evaluators, and their pay."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

from rich.console import Group
from rich.live import Live
from rich.text import Text
from sqlalchemy.exc import DBAPIError

from hype.answers.choices import Choices, Simulated, Version, shell_option
from hype.cli.options import Json, StudyPath
from hype.console import PrintableConsole, out, print_json, warn
from hype.errors import HypeError, InputError, NothingRecorded
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.session.admitting import change_place
from hype.statistics.estimate import plain
from hype.status.looking import Status, look
from hype.status.showing import parts_of
from hype.study.studies import AnyStudy
from hype.system import put_last
from hype.web.desk import FileDesk, people_known, refuse_in_study
from hype.web.pay import check_pay_files, people_of_all_versions, write_bonuses, write_pay

EACH_S: Final = 2.0
"""Time between two updates of --watch."""
LOWER: Final = 10
"""Niceness of --watch, so that a session on the same machine has priority."""


def status(
    study: StudyPath,
    simulated: Simulated = False,
    version: Version = None,
    as_json: Json = False,
    pay: Annotated[
        Path | None, shell_option("--pay CSV", "write the pay of each person to this table")
    ] = None,
    key: Annotated[
        Path | None,
        shell_option(
            "--key FILE",
            "the file of people that hype serve wrote on another machine; --pay needs it for "
            "the bonus files of the platforms",
        ),
    ] = None,
    agreement: Annotated[
        bool,
        shell_option(
            "--agreement",
            "also show how much people agree: Krippendorff's α, recall@2 of rankers (slower)",
        ),
    ] = False,
    watch: Annotated[
        bool, shell_option("--watch", "update the status in a terminal until Ctrl-C")
    ] = False,
    free: Annotated[
        str | None,
        shell_option(
            "--free CODE",
            "give the place of this unfinished evaluator to the next one",
        ),
    ] = None,
    again: Annotated[
        str | None,
        shell_option("--again CODE", "let this evaluator, who declined, take part after all"),
    ] = None,
    admit: Annotated[
        str | None,
        shell_option("--admit CODE", "let this evaluator, who waits after the test, continue"),
    ] = None,
    refuse: Annotated[
        str | None,
        shell_option("--refuse CODE", "turn away this evaluator, who waits after the test"),
    ] = None,
) -> None:
    """Show who has done what, who is qualified, and what pay is due."""
    if watch:
        others = (version, pay, key, free, again, admit, refuse)
        if as_json or any(other is not None for other in others):
            raise InputError(
                "--watch", "other options are given", "use only --simulated and --agreement"
            )
        watch_study(study, simulated=simulated, agreement=agreement)
        return
    check_pay_files(pay, key, simulated=simulated)
    loaded = load_any(study)
    asked = {"free": free, "again": again, "admit": admit, "refuse": refuse}
    for what, code in asked.items():
        if code is not None:
            change_place(loaded, code, what, simulated=simulated)
    design = protocol_of(loaded).design.status
    if pay:
        owed = loaded.leave_out_people({})  # excluded evaluators are paid too
        if version:
            people = look(owed, design, simulated=simulated, version=version).facts["evaluators"]
        else:
            people = people_of_all_versions(owed, design)
        lines = [write_pay(pay, loaded, people)]
        is_known = loaded.store or FileDesk.of(loaded).people_path.exists()
        if key or (is_known and loaded.settings.web.platform):
            refuse_in_study(pay)
            lines += write_bonuses(pay, loaded, people, people_known(loaded, key))
        if not as_json:
            for line in lines:
                out.print(line, markup=False)
            return
    found = look_at(loaded, simulated=simulated, version=version, agreement=agreement)
    if as_json:
        print_json(plain(found.facts))
    else:
        print_status(found)


def print_status(status: Status) -> None:
    for warning in status.warnings:
        warn(warning)
    for part in parts_of(status):
        out.print(part)


def look_at(
    study: AnyStudy, *, simulated: bool, agreement: bool, version: int | None = None
) -> Status:
    """Read a study's status once; ``agreement``: whether to compute people's agreement too."""
    protocol = protocol_of(study)
    status = look(
        *(study, protocol.design.status), simulated=simulated, version=version, agreement=agreement
    )
    if not agreement:
        return status
    choices, alpha, scoring = Choices(simulated=simulated), None, protocol.scoring
    with suppress(InputError):  # nobody has finished
        alpha = scoring.compute_agreement(scoring.read(status.study, choices), choices)
    return replace(status, facts={**status.facts, "agreement": alpha})


def watch_study(source: Path, *, simulated: bool, agreement: bool) -> None:
    """Show the status of a study until Ctrl-C.

    The study file is read each time, since it may change. If the study file or the record
    cannot be read, the reason is shown above the last status.

    Raises InputError: this is not a terminal, or the input is wrong at the start.
    """
    console = PrintableConsole(highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        raise InputError("--watch", "needs a terminal", "leave it out to print the status once")
    status: Status | None = None
    with (
        suppress(KeyboardInterrupt),
        Live(console=console, screen=True, auto_refresh=False) as live,
    ):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # `Live` then restores the screen
        put_last(os.getpid(), LOWER)
        while True:
            problem = ""
            try:
                status = look_at(load_any(source), simulated=simulated, agreement=agreement)
            except (HypeError, DBAPIError, sqlite3.Error) as error:
                wrong = isinstance(error, InputError) and not isinstance(error, NothingRecorded)
                if status is None and wrong:
                    raise
                problem = f"cannot be read now: {error}"
            live.update(status_screen(status, problem), refresh=True)
            time.sleep(EACH_S)


def status_screen(status: Status | None, problem: str) -> Group:
    """Lay out one screen; the terminal cuts it off at the bottom."""
    now = f"{datetime.now():%H:%M:%S} · every {EACH_S:g} s · Ctrl-C ends"
    parts = [Text(now, style="dim")]
    if problem:
        parts.append(Text(problem, style="bold red"))
    if status is None:
        return Group(*parts)
    parts += [Text(f"warning {warning}", style="yellow") for warning in status.warnings]
    return Group(*parts, *parts_of(status, last_first=True))
