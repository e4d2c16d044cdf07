"""The targets of fuzzing: readers of files from strangers, each a function of a file's bytes.

A target returns if the file was read, or raises `InputError` with a message for a terminal.
Anything else is an error: other exceptions, warnings, and messages with control characters.
"""

import atexit
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from builders import contents
from sqlalchemy import select
from strange_files import VICTIM, whole_record

from hype.errors import HypeError, InputError
from hype.masks.maskset import read_masks
from hype.protocols.hype.table import TABLE, check_judgements
from hype.protocols.load import load_any
from hype.stimuli.images import LARGEST_PIXELS, LARGEST_PX, decode
from hype.stimuli.manifest import read_extra_columns, read_manifest
from hype.store.schema import tables
from hype.store.sqlite_record import reading_record

LONGEST_MESSAGE: Final = 8000
"""In characters; a longer message would push the rest of the output off the screen."""

SUFFIXES: Final = ("", "-journal", "-wal")
Target = Callable[[bytes], None]


@cache
def folder() -> Path:
    """Return a folder of this process, which is removed when the process ends."""
    temporary = tempfile.TemporaryDirectory(prefix="hype-fuzz-")
    atexit.register(temporary.cleanup)
    return Path(temporary.name)


def written(name: str, data: bytes) -> Path:
    path = folder() / name
    path.write_bytes(data)
    return path


def study(data: bytes) -> None:
    """Read a study file, and use it as every command does."""
    loaded = load_any(written("study.toml", data))
    loaded.checksum()
    for part in (loaded.stimuli_folder, loaded.masks_folder):
        if part is not None:
            part.exists()


def judgements(data: bytes) -> None:
    """Read a table of judgements, and check it twice."""
    checks_again(written("judgements.csv", data))


def parquet(data: bytes) -> None:
    """Read a table of judgements in Parquet, and check it twice."""
    checks_again(written("judgements.parquet", data))


def checks_again(path: Path) -> None:
    """Read a table and check it again: the second check must change nothing."""
    frame = TABLE.load(path).frame
    again = check_judgements(frame)
    if not again.equals(frame):
        raise AssertionError("a second check of a table changed it")


def stimuli(data: bytes) -> None:
    """Read the manifest of a stimulus set, with columns that the user added."""
    path = written("manifest.csv", data)
    try:
        listed = read_manifest(path.parent)
    finally:
        read_extra_columns_or_refuse(path.parent)
    for stimulus in listed.stimuli:
        stays_inside(stimulus.path)


def read_extra_columns_or_refuse(stimulus_folder: Path) -> None:
    try:
        read_extra_columns(stimulus_folder)
    except InputError as error:
        check_message(error)


def masks(data: bytes) -> None:
    """Read the manifest of a mask set."""
    listed = read_masks(written("manifest.csv", data).parent)
    for name in listed.paths:
        stays_inside(name)


def image(data: bytes) -> None:
    """Decode an image, and check its mode and its size."""
    shown = decode(written("image", data))
    if shown.mode not in ("L", "RGB") or max(shown.size) > LARGEST_PX:
        raise AssertionError(f"{shown.mode}, {shown.size}")
    if shown.width * shown.height > LARGEST_PIXELS:
        raise AssertionError(f"{shown.size}")


def record(data: bytes) -> None:
    """Read a record with one file from a stranger; no file that it names may be changed."""
    VICTIM.touch()
    path = folder() / "data.sqlite"
    for file in folder().glob("data.sqlite*"):
        file.unlink()
    path.write_bytes(whole_record()[0])
    Path(f"{path}{SUFFIXES[data[0] % 3 if data else 0]}").write_bytes(data[1:])
    before = contents(folder())
    try:
        with reading_record(path) as engine, engine.connect() as connection:
            for table in tables():
                connection.execute(select(table)).all()
    finally:
        if not VICTIM.exists() or contents(folder()) != before:
            raise AssertionError("a file was changed")


TARGETS: Final[dict[str, Target]] = {
    "study": study,
    "judgements": judgements,
    "parquet": parquet,
    "stimuli": stimuli,
    "masks": masks,
    "image": image,
    "record": record,
}


def was_read(name: str, data: bytes) -> bool:
    """Run a target with a file's bytes; return True if it was read, False if it was refused.

    All other exceptions leave this function unchanged.
    """
    try:
        TARGETS[name](data)
    except HypeError as error:
        check_message(error)
        return False
    return True


def check_message(error: HypeError) -> None:
    """Check that a message is about wrong input, and that a terminal can show it."""
    message = str(error)
    if not isinstance(error, InputError) or error.exit_code != 2:
        raise AssertionError(f"exit code {error.exit_code}: {message[:500]!r}")
    if not message.replace("\n", " ").isprintable():
        raise AssertionError(f"control characters in the message: {message[:500]!r}")
    if len(message) > LONGEST_MESSAGE:
        raise AssertionError(f"a message of {len(message)} characters: {message[:500]!r}")


def stays_inside(name: str) -> None:
    """Check that a name in a manifest is that of a file in its folder."""
    path = folder() / name
    if not path.resolve().is_relative_to(folder().resolve()) or "\0" in name:
        raise AssertionError(f"{name!r} is not a file inside the folder")
