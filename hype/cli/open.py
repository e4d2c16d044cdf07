"""`hype open`: show a local page in the browser, to use instead of commands."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import webbrowser
from contextlib import closing, suppress
from http.client import OK, HTTPConnection, HTTPException
from pathlib import Path
from threading import Thread
from typing import Annotated, Final
from urllib.parse import urlencode

import typer

from hype.answers.choices import shell_option
from hype.console import out
from hype.errors import InputError
from hype.files import make_folder, write_bytes
from hype.protocols.load import load_any
from hype.study.studies import STUDY_FILE, AnyStudy
from hype.system import folder_for

HERE: Final = "127.0.0.1"
PATIENCE_S: Final = 5
"""How long to wait for the answer of a running page."""


def open(  # noqa: A001  what the command is called
    study: Annotated[
        Path | None,
        typer.Argument(
            metavar="[STUDY]",
            help="a study.toml, or its folder (default: choose or make a study in this folder)",
        ),
    ] = None,
    port: Annotated[int, shell_option("--port N", "0: any free port", min=0, max=65_535)] = 0,
    browser: Annotated[
        bool, typer.Option(metavar="", help="open the page in the browser, not only print its link")
    ] = True,
) -> None:
    """Make, check, try, run and watch a study on a page in this machine's browser."""
    import uvicorn

    from hype.local_page.app import LocalPage

    folder, first = first_of(load_any(study)) if study else (Path.cwd(), "")
    note = note_of(folder)
    if link := link_of_running(note, first):
        out.print(
            f"hype open is already running for {folder}. Open {link}",
            soft_wrap=True,
            markup=False,
        )
        if browser:
            webbrowser.open(link)
        return
    try:
        listening = socket.create_server((HERE, port))
    except OSError as error:
        raise InputError(f"--port {port}", error.strerror or "cannot be used") from None
    with listening:
        number = int(listening.getsockname()[1])
        local_page = LocalPage(folder, number)
        link = f"http://{HERE}:{number}{local_page.draw_link(first)}"
        out.print(f"Open {link} (the link works once; Ctrl-C stops the page).", soft_wrap=True)
        if browser:
            Thread(target=webbrowser.open, args=(link,), daemon=True).start()
        make_folder(note.parent)
        write_bytes(note, f"{number}\n{local_page.cookie}".encode())
        config = uvicorn.Config(
            local_page.app(), log_level="warning", access_log=False, server_header=False
        )
        try:
            uvicorn.Server(config).run([listening])
        finally:
            note.unlink(missing_ok=True)


def first_of(study: AnyStudy) -> tuple[Path, str]:
    """Return the parent of a study's folder, and the study's path in it.

    If the study's folder is a link, its parent is the folder that contains the link.
    """
    path = Path(os.path.abspath(study.path))  # noqa: PTH100  resolve() would follow links
    folder = path.parent.parent
    usual = path.name == STUDY_FILE
    return folder, (path.parent if usual else path).relative_to(folder).as_posix()


def note_of(folder: Path) -> Path:
    """Return the user's file that contains the address of a folder's running page."""
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:32]
    return folder_for("state") / "open" / name


def link_of_running(note: Path, first: str) -> str:
    """Ask a running page for a new link; "" if none is running. ``first``: the study to open."""
    with suppress(OSError, ValueError, HTTPException):
        port, cookie = note.read_text(encoding="utf-8").splitlines()
        origin = f"http://{HERE}:{port}"
        headers = {"Cookie": cookie, "Origin": origin, "Content-Type": "application/json"}
        asking = HTTPConnection(HERE, int(port), timeout=PATIENCE_S)
        with closing(asking):
            asking.request("POST", f"/api/again?{urlencode({'at': first})}", "{}", headers)
            reply = asking.getresponse()
            if reply.status == OK:
                return f"{origin}{json.loads(reply.read())['link']}"
    return ""
