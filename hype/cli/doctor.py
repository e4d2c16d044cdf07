"""`hype doctor`: what works on this machine."""

from __future__ import annotations

import platform
import sys
from dataclasses import asdict
from importlib.metadata import version
from typing import Final

import typer

from hype.check.machine import parts
from hype.cli.options import Json
from hype.console import err, out, print_json

STYLES: Final = {"works": "green", "limited": "yellow", "missing": "dim"}
NAME_WIDTH: Final = 22
INDENT: Final = " " * (9 + NAME_WIDTH)


def doctor(as_json: Json = False) -> None:
    """Show what works on this machine, what is missing, and how to install it.

    No study is needed. The exit code is 1 if tables and records cannot be scored here; anything
    else that is missing is only reported.
    """
    with err.status("Checking this machine"):
        machine_parts = tuple(parts())
    ok = machine_parts[0].state == "works"
    about = {
        "hype": version("hype"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "folder": sys.prefix,
    }
    if as_json:
        print_json({"ok": ok, **about, "parts": [asdict(part) for part in machine_parts]})
    else:
        line = "hype {hype}, Python {python}, {system}, in {folder}".format(**about)
        out.print(line, markup=False)
        for part in machine_parts:
            out.print(f"[{STYLES[part.state]}]{part.state:9}[/]", end="")
            out.print(f"{part.name:{NAME_WIDTH}}{part.found}", markup=False)
            if part.remedy:
                out.print(f"{INDENT}{part.remedy}", style="dim", markup=False)
        out.print(
            "[green]Tables and records can be scored here.[/]"
            if ok
            else "[bold red]Nothing can be scored here.[/]"
        )
    raise typer.Exit(0 if ok else 1)
