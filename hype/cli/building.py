"""Building a new study: all of it beside its place, and then there at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.progress import Progress

from hype.errors import InputError
from hype.files import aside, write_bytes
from hype.protocols.load import STUDY_FILE
from hype.stimuli.scan import Collection, copy_into


def require_free(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(folder, "is there already", "a new or an empty folder")


def parse_fakes(fakes: Sequence[str]) -> Mapping[str, Path]:
    parsed: dict[str, Path] = {}
    for text in fakes:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder):
            raise InputError(
                "--fake",
                f"{text!r} does not name a folder",
                "NAME=FOLDER, as in --fake mymodel=samples/",
            )
        if name in parsed:
            raise InputError("--fake", f"{name!r} is given twice", "each condition once")
        parsed[name] = Path(folder)
    return parsed


def build_aside(folder: Path, text: str, fill: Callable[[Path], None]) -> None:
    """Build the study in a temporary folder beside its place, and move it there when whole.

    ``fill`` is given that folder, with the study file in it.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with aside(folder.parent, "new") as temporary:
            temporary.chmod(0o755)
            write_bytes(temporary / STUDY_FILE, text.encode(), private=False)
            fill(temporary)
            temporary.replace(folder)
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None


def copy_images(bar: Progress, stimuli: Path, collection: Collection) -> list[dict[str, str]]:
    """Copy images into a stimulus set under a bar; gives a row of each."""
    task = bar.add_task("Copying images", total=len(collection))
    rows = []
    for row in copy_into(stimuli, collection):
        rows.append(row)
        bar.advance(task)
    return rows
