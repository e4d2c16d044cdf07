"""`hype stimuli`: stimulus sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hype.answers.choices import shell_option
from hype.console import out
from hype.stimuli.collection import scan as scan_folder
from hype.stimuli.manifest import MANIFEST

app = typer.Typer(help="Stimulus sets: folders of images with a manifest.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Keep `scan` a subcommand, although it is the only one."""


@app.command()
def scan(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="folder with real/… and fake/<condition>/…")
    ],
    real: Annotated[
        bool,
        shell_option(
            "--real/--no-real",
            "whether real images are required; a study of comparisons needs none",
        ),
    ] = True,
) -> None:
    """Check a folder of images and write its manifest.csv."""
    scanned = scan_folder(folder, real_needed=real)
    counts = ", ".join(f"{n} {name or 'real'}" for name, n in sorted(scanned.items()))
    out.print(f"{folder / MANIFEST}: {counts}")
