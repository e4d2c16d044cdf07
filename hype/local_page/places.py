"""The local page's folder: its studies, and the images that users drop on the page."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

from PIL import Image

from hype.errors import HypeError, InputError, NothingRecorded
from hype.files import (
    LARGEST_IMAGE_BYTES,
    PREFIX,
    aside,
    check_relative,
    inside,
    make_folder,
    read_bytes,
    write_bytes,
)
from hype.local_page.form import Place, WrongSettings, change_text, form_of, mistakes_at
from hype.protocols.load import load_any, refuse_endless_keys, study_of_text
from hype.session.outgoing import reading_all
from hype.session.versions import require_version, versions_of
from hype.stimuli.collection import images_in
from hype.stimuli.images import SUFFIXES
from hype.study.studies import LARGEST_STUDY_BYTES, STUDY_FILE, AnyStudy

ReadT = TypeVar("ReadT")

DEEPEST: Final = 3
"""The number of levels of folders that are searched for studies."""
DROPPED: Final = "dropped"
SHOWN: Final = 6
"""The maximum number of images of a folder that the page shows."""


def studies_in(folder: Path) -> Iterator[Path]:
    """Yield the study in a folder, then those in its subfolders; do not search inside a study."""
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
    """Return a study of the local page's folder by its relative path; "." is the folder itself.

    Links in the folder are followed, since the user made them.

    Raises InputError: the path leads out of the folder.
    """
    if place == ".":
        return folder
    check_relative("the address", place)
    return folder / place


def file_of(path: Path) -> Path:
    return path / STUDY_FILE if path.is_dir() else path


def read_text(file: Path) -> tuple[str, str]:
    """Read a study file; return its text, and a checksum to detect later changes.

    Raises InputError: the file cannot be read.
    """
    try:
        content = read_bytes(file, most_bytes=LARGEST_STUDY_BYTES)
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(file, f"cannot be read: {error}") from None
    refuse_endless_keys(file, text)
    return text, hashlib.sha256(content).hexdigest()


def form_at(path: Path, *, in_browser: bool = False) -> dict[str, Any]:
    """Return the form of a study file for the page, with the mistakes in the file.

    ``seen``: the checksum of the file's text.
    ``people``: how many people have started any version of the study.

    Raises InputError: the file cannot be read, or is not TOML.
    """
    file = file_of(path)
    text, seen = read_text(file)
    problem, people = "", 0
    try:
        study = study_of_text(file, text)
        with suppress(NothingRecorded), reading_all(study) as engine, engine.connect() as record:
            versions = versions_of(record, study, simulated=False)
            people = sum(version.evaluators for version in versions)
    except InputError as error:
        problem = describe(error)
    try:
        groups = form_of(text, in_browser=in_browser)
    except (ValueError, RecursionError):
        raise InputError(file, problem or "is not TOML") from None
    places = [field.place for group in groups for field in group.fields]
    mistakes = mistakes_at(problem, places) if problem else []
    return {"seen": seen, "groups": groups, "mistakes": mistakes, "people": people}


def describe(error: InputError) -> str:
    return error.problem + (f"; {error.allowed}" if error.allowed else "")


def write_changes(path: Path, seen: str, typed: Sequence[tuple[Place, str | None]]) -> None:
    """Write changes into a study file, if it stays valid and people who started are not affected.

    ``typed``: each changed setting with the text of its field; None removes the setting.

    Raises WrongSettings: the new file is not a valid study, or is a new version although people
    have started. Raises InputError: the file was changed meanwhile, or cannot be written.
    """
    file = file_of(path)
    text, now = read_text(file)
    if now != seen:
        raise InputError(file, "has been changed by another program", "load the page again")
    new = change_text(text, typed)
    try:
        study = study_of_text(file, new)
        with suppress(NothingRecorded), reading_all(study) as engine, engine.connect() as record:
            require_version(record, study, simulated=False, new_version=False)
    except InputError as error:
        fields = [field.place for group in form_of(new) for field in group.fields]
        changed = [place for place, _ in typed]
        raise WrongSettings(mistakes_at(describe(error), [*fields, *changed], changed)) from None
    write_bytes(file, new.encode(), private=False)


def describe_folder(folder: Path) -> dict[str, Any]:
    """Return the number of images in a folder, their formats and sizes, and some of the names."""
    try:
        images = images_in(folder)
    except InputError as error:
        return {"images": 0, "formats": [], "sizes": "", "some": [], "problem": error.problem}
    formats: Counter[str] = Counter()
    sizes = []
    for path in images:
        unreadable = (OSError, SyntaxError, ValueError, Image.DecompressionBombError)
        with suppress(*unreadable), Image.open(path) as image:  # reads the header, not the pixels
            formats[image.format or ""] += 1
            sizes.append(image.size)
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
    """Images that users dropped on the page, with a separate folder for each dropped folder.

    A temporary folder next to the studies contains them; it is removed when the program ends.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.kept = ExitStack()

    @cached_property
    def room(self) -> Path:
        """The folder of the images; it is made at the first use.

        Raises InputError: the folder cannot be made.
        """
        try:
            return self.kept.enter_context(aside(self._folder, DROPPED))
        except OSError as error:
            raise InputError(self._folder, f"cannot be written: {error.strerror}") from None

    def at(self, path: str) -> Path:
        """Return the path of a dropped image or folder.

        Raises InputError: the path leads out of the images' folder.
        """
        return inside(self.room, path)

    def shorten(self, text: str) -> str:
        """Remove the temporary folder from a text, since users know only the images' own names."""
        room = re.escape(f"{self._folder / PREFIX.format(what=DROPPED)}")
        return re.sub(rf"{room}[^/]+/[^/]+/", "", text)

    async def keep_image(self, path: str, content: AsyncIterator[bytes]) -> None:
        """Save an image under the path that it had in its folder.

        Raises InputError: the path is wrong or has no image suffix, or the image is too large.
        """
        check_relative("an image", path)
        if Path(path).suffix.lower() not in SUFFIXES:
            raise InputError(path, "has no image suffix", " ".join(sorted(SUFFIXES)))
        place = self.at(path)
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
            raise InputError(path, f"cannot be saved: {error.strerror}") from None


def read_study(path: Path, read: Callable[[AnyStudy], ReadT], without: ReadT) -> ReadT:
    """Read a property of a study; return ``without`` if the study has a mistake."""
    with suppress(HypeError):
        return read(load_any(path))
    return without


def name_of(path: Path) -> str:
    """Return the name of a study, or of its folder if its file has a mistake."""
    return read_study(path, lambda study: study.settings.study.name, path.name)
