"""`hype open`: a local page in the browser for those who would rather not type commands."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path
from threading import Thread
from typing import Annotated, Final

import typer

from hype.answers.choices import shell_option
from hype.console import out
from hype.errors import InputError
from hype.protocols.load import load_any
from hype.study.studies import STUDY_FILE, AnyStudy

HERE: Final = "127.0.0.1"


def open(  # noqa: A001  what the command is called
    study: Annotated[
        Path | None,
        typer.Argument(
            metavar="[STUDY]",
            help="a study.toml, or the folder that holds it; without it one is chosen, or made in "
            "this folder",
        ),
    ] = None,
    port: Annotated[int, shell_option("--port N", "0: any that is free", min=0, max=65_535)] = 0,
    browser: Annotated[
        bool, typer.Option(metavar="", help="open the page in the browser, and not only its link")
    ] = True,
) -> None:
    """Make, check, try, run and watch a study on a page in this machine's browser."""
    import uvicorn

    from hype.local_page.app import LocalPage

    folder, first = first_of(load_any(study)) if study else (Path.cwd(), "")
    try:
        listening = socket.create_server((HERE, port))
    except OSError as error:
        raise InputError(f"--port {port}", error.strerror or "is none") from None
    with listening:
        number = int(listening.getsockname()[1])
        local_page = LocalPage(folder, number, first)
        link = f"http://{HERE}:{number}{local_page.way_in}"
        out.print(f"Open {link} (it lets one browser in; Ctrl-C ends it).", soft_wrap=True)
        if browser:
            Thread(target=webbrowser.open, args=(link,), daemon=True).start()
        config = uvicorn.Config(
            local_page.app(), log_level="warning", access_log=False, server_header=False
        )
        uvicorn.Server(config).run([listening])


def first_of(study: AnyStudy) -> tuple[Path, str]:
    """Return the folder that a study's folder lies in, and the study's place in it."""
    path = study.path.resolve()
    folder = path.parent.parent
    usual = path.name == STUDY_FILE
    return folder, (path.parent if usual else path).relative_to(folder).as_posix()
