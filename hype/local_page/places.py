"""The folder that the local page works in: its studies, and images that are dropped into it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, suppress
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
from hype.local_page.form import (
    Place,
    WrongSettings,
    change_text,
    form_of,
    mistakes_at,
    value_written,
)
from hype.protocols.load import load_any, refuse_endless_keys, study_of_text
from hype.session.materials import read_stimuli
from hype.session.outgoing import reading_all
from hype.session.versions import require_version, versions_of
from hype.stimuli.collection import images_in
from hype.stimuli.images import SUFFIXES
from hype.study.studies import LARGEST_STUDY_BYTES, STUDY_FILE, AnyStudy

DEEPEST: Final = 3
"""Folders from the local page's own down to one whose study is listed."""
SHOWN: Final = 6
"""Images of a folder that the page shows."""


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


def read_text(file: Path) -> tuple[str, str]:
    """Read a study file; return its text, and a checksum by which another text is noticed.

    Raises InputError: it cannot be read.
    """
    try:
        content = read_bytes(file, most_bytes=LARGEST_STUDY_BYTES)
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(file, f"cannot be read: {error}") from None
    refuse_endless_keys(file, text)
    return text, hashlib.sha256(content).hexdigest()


def study_and_conditions(file: Path, text: str) -> tuple[AnyStudy, tuple[str, ...]]:
    """Return the study of a text, and its conditions, if its images can be read.

    Raises InputError: it is none.
    """
    study = study_of_text(file, text)
    conditions = study.settings.stimuli.conditions
    with suppress(InputError):
        conditions = conditions or read_stimuli(study).conditions
    return study, conditions


def form_at(path: Path) -> dict[str, Any]:
    """Lay out a study file as a page shows it, with what is wrong in it.

    ``seen`` is the checksum of its text.
    ``people``: how many were given a version of it.

    Raises InputError: it cannot be read, or is not TOML.
    """
    file = file_of(path)
    text, seen = read_text(file)
    problem, people = "", 0
    conditions: tuple[str, ...] = ()
    try:
        study, conditions = study_and_conditions(file, text)
        with suppress(NothingRecorded), reading_all(study) as engine, engine.connect() as record:
            versions = versions_of(record, study, simulated=False)
            people = sum(version.evaluators for version in versions)
    except InputError as error:
        problem = describe(error)
    try:
        groups = form_of(text, conditions)
    except (ValueError, RecursionError):
        raise InputError(file, problem or "is not TOML") from None
    places = [field.place for group in groups for field in group.fields]
    return {
        "seen": seen,
        "groups": groups,
        "mistakes": mistakes_at(problem, places) if problem else [],
        "people": people,
    }


def describe(error: InputError) -> str:
    return error.problem + (f"; {error.allowed}" if error.allowed else "")


def write_changes(path: Path, seen: str, typed: Sequence[tuple[Place, str | None]]) -> None:
    """Write changes into a study file, if what comes of it is a study, and people's is as it was.

    ``typed``: each setting with its value as the file is to have it; None: it is taken out.

    Raises WrongSettings: it is none, or another version of one that people were given.
    Raises InputError: the file was changed meanwhile, or cannot be written.
    """
    file = file_of(path)
    text, now = read_text(file)
    if now != seen:
        raise InputError(file, "was changed meanwhile by somebody else", "load the page again")
    changes = [
        (place, None if written is None else value_written(place, written))
        for place, written in typed
    ]
    conditions: tuple[str, ...] = ()
    with suppress(InputError):
        conditions = study_and_conditions(file, text)[1]
    new = change_text(text, changes, conditions)
    try:
        study = study_of_text(file, new)
        with suppress(NothingRecorded), reading_all(study) as engine, engine.connect() as record:
            require_version(record, study, simulated=False, new_version=False)
    except InputError as error:
        fields = [field.place for group in form_of(new, conditions) for field in group.fields]
        places = [*fields, *(place for place, _ in changes)]
        raise WrongSettings(mistakes_at(describe(error), places)) from None
    write_bytes(file, new.encode(), private=False)


def describe_folder(folder: Path) -> dict[str, Any]:
    """Return the number of images in a folder, their formats and sizes, and some of their names."""
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
