"""The folder that the local page works in: its studies, and images that are dropped into it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any, Final

from PIL import Image

from hype.errors import HypeError, InputError, NothingRecorded
from hype.files import (
    LARGEST_IMAGE_BYTES,
    aside,
    check_relative,
    inside,
    make_folder,
    read_bytes,
    write_bytes,
)
from hype.local_page.form import FormChange, change_text, form_of, mistakes_at
from hype.protocols.load import (
    load_any,
    refuse_endless_keys,
    study_of_text,
)
from hype.session.materials import read_stimuli
from hype.session.outgoing import reading_all
from hype.session.versions import require_version, versions_of
from hype.stimuli.collection import images_in
from hype.stimuli.images import SUFFIXES
from hype.study.studies import LARGEST_STUDY_BYTES, STUDY_FILE, AnyStudy

DEEPEST: Final = 3
"""Folders from the local page's own down to one whose study is listed."""
MOST_LISTED: Final = 200
SHOWN: Final = 6
"""Images of a folder that the page shows."""


class WrongSettings(Exception):
    """What was to be written is not a study: the mistakes, each with the setting it is of."""

    def __init__(self, mistakes: Sequence[tuple[tuple[str, ...], str]]) -> None:
        super().__init__("\n".join(text for _, text in mistakes))
        self.mistakes = mistakes


def studies_in(folder: Path) -> Iterator[Path]:
    """Yield the folders with a study at and below one, the nearest first; not within another's."""
    folders = [folder]
    for _ in range(DEEPEST):
        below: list[Path] = []
        for place in folders:
            is_study = (place / STUDY_FILE).is_file()
            if is_study:
                yield place
            if is_study and place != folder:
                continue
            with suppress(OSError):
                named = (p for p in place.iterdir() if p.name[:1] != "." and p.name.isprintable())
                below += sorted(p for p in named if p.is_dir())
        folders = below


def place_of(folder: Path, place: str) -> Path:
    """Return a study of the local page's folder by its relative path, "." for the folder itself.

    Links in the folder are followed: the user made them.

    Raises InputError: it leads elsewhere.
    """
    if place == ".":
        return folder
    check_relative("the address", place)
    return folder / place


def file_of(path: Path) -> Path:
    return path / STUDY_FILE if path.is_dir() else path


def text_of(file: Path) -> str:
    """Read a study file.

    Raises InputError: it cannot be read.
    """
    try:
        text = read_bytes(file, most_bytes=LARGEST_STUDY_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(file, f"cannot be read: {error}") from None
    refuse_endless_keys(file, text)
    return text


def checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def form_at(path: Path) -> dict[str, Any]:
    """Lay out a study file as a page shows it, with what is wrong in it.

    ``seen`` is the checksum of its text, by which is known whether somebody else wrote it since.
    ``people``: how many were given a version of it.

    Raises InputError: it cannot be read, or is not TOML.
    """
    file = file_of(path)
    text = text_of(file)
    problem, people = "", 0
    try:
        people = people_of(study_of_text(file, text))
    except InputError as error:
        problem = error.problem + (f"; {error.allowed}" if error.allowed else "")
    try:
        groups = form_of(text, conditions_of(file, text))
    except (ValueError, RecursionError):
        raise InputError(file, problem or "is not TOML") from None
    places = [field.place for group in groups for field in group.fields]
    mistakes = tuple(mistakes_at(problem, places)) if problem else ()
    return {
        "file": str(file),
        "seen": checksum(text),
        "groups": [asdict(group) for group in groups],
        "mistakes": mistakes,
        "people": people,
    }


def conditions_of(file: Path, text: str) -> tuple[str, ...]:
    """Return the conditions of a study; empty if it, or its images, cannot be read."""
    with suppress(InputError):
        study = study_of_text(file, text)
        return study.settings.stimuli.conditions or read_stimuli(study).conditions
    return ()


def people_of(study: AnyStudy) -> int:
    """Count the people who were given a version of a study."""
    with suppress(NothingRecorded), reading_all(study) as engine, engine.connect() as connection:
        return sum(
            version.evaluators for version in versions_of(connection, study, simulated=False)
        )
    return 0


def write_changes(path: Path, seen: str, changes: Sequence[FormChange]) -> None:
    """Write changes into a study file, if what comes of it is a study, and people's is as it was.

    Raises WrongSettings: it is none, or another version of one that people were given.
    Raises InputError: the file was changed meanwhile, or cannot be written.
    """
    file = file_of(path)
    text = text_of(file)
    if checksum(text) != seen:
        raise InputError(file, "was changed meanwhile by somebody else", "load the page again")
    conditions = conditions_of(file, text)
    new = change_text(text, changes, conditions)
    places = [change.place for change in changes]
    try:
        study = study_of_text(file, new)
        with (
            suppress(NothingRecorded),
            reading_all(study) as engine,
            engine.connect() as connection,
        ):
            require_version(connection, study, simulated=False, new_version=False)
    except InputError as error:
        fields = [field.place for group in form_of(new, conditions) for field in group.fields]
        problem = error.problem + (f"; {error.allowed}" if error.allowed else "")
        raise WrongSettings(mistakes_at(problem, [*fields, *places])) from None
    write_bytes(file, new.encode(), private=False)


def describe_folder(folder: Path) -> dict[str, Any]:
    """Give the number of images in a folder, their formats and sizes, and some of their names."""
    try:
        images = images_in(folder)
    except InputError as error:
        return {"images": 0, "formats": [], "sizes": "", "some": [], "problem": error.problem}
    formats: Counter[str] = Counter()
    sizes = []
    for path in images:
        try:
            with Image.open(path) as image:  # its beginning, not the picture
                formats[image.format or ""] += 1
                sizes.append(image.size)
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
            formats["unreadable"] += 1
    ends = [f"{width} x {height}" for width, height in (min(sizes), max(sizes))] if sizes else []
    return {
        "images": len(images),
        "formats": [f"{number} {name}" for name, number in formats.most_common()],
        "sizes": " to ".join(dict.fromkeys(ends)) + " px" if ends else "",
        "some": [
            path.relative_to(folder).as_posix() for path in images[:: -(-len(images) // SHOWN)]
        ],
        "problem": "",
    }


class Dropped:
    """Images that were dropped on the page, each folder in one of its own.

    They lie next to the studies in a folder that is removed when the program ends, in any way.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open, self._turn = ExitStack(), Lock()
        self._room: Path | None = None

    def __enter__(self) -> Dropped:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def room(self) -> Path:
        """Return the folder of the images; make it if there is none.

        Raises InputError: it cannot be made.
        """
        with self._turn:
            try:
                self._room = self._room or self._open.enter_context(aside(self._folder, "dropped"))
            except OSError as error:
                raise InputError(self._folder, f"cannot be written: {error.strerror}") from None
            return self._room

    def shorten(self, text: str) -> str:
        """Take out of a text where the images lie: users know them by the names they had."""
        return re.sub(rf"{re.escape(str(self._room))}/[^/]+/", "", text)

    async def put(self, path: str, content: AsyncIterator[bytes]) -> None:
        """Keep an image under the path that it had in its folder.

        Raises InputError: it is none by its name, too large, or its path leads elsewhere.
        """
        check_relative("an image", path)
        if Path(path).suffix.lower() not in SUFFIXES:
            raise InputError(path, "is not an image by its name", " ".join(sorted(SUFFIXES)))
        place = inside(self.room(), path)
        make_folder(place.parent)
        size = 0
        try:
            with place.open("xb") as file:
                async for part in content:
                    size += len(part)
                    if size > LARGEST_IMAGE_BYTES:
                        raise InputError(path, "is too large", f"{LARGEST_IMAGE_BYTES:,} bytes")
                    file.write(part)
        except OSError as error:
            raise InputError(path, f"cannot be kept: {error.strerror}") from None


def name_of(path: Path) -> str:
    """Return what a study is called; its folder's name where its file is wrong."""
    try:
        return load_any(path).settings.study.name
    except HypeError:
        return path.name
