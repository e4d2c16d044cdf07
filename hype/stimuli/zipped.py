"""Images that come in a zip file: what it says of itself is looked at before it is unpacked.

A zip may come from a stranger, who can let a small one be unpacked to fill a disk, or have paths in
it that lead elsewhere. Only plain files are written, by this program, into a new folder.
"""

from __future__ import annotations

import io
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from hype.errors import FilesRefused, InputError
from hype.files import LARGEST_IMAGE_BYTES, check_relative, on_one_line
from hype.stimuli.images import FORMATS, SUFFIXES
from hype.stimuli.manifest import MANIFEST

GB: Final = 10**9
MB: Final = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class ZipLimits:
    """What a zip of images may be at most; ``ratio`` is of a file's bytes to those it is in."""

    packed_bytes: int = 8 * GB
    unpacked_bytes: int = 16 * GB
    files: int = 20_000
    ratio: int = 100

    def __str__(self) -> str:
        return (
            f"at most {self.files:,} files, {self.packed_bytes / GB:g} GB as a zip, "
            f"{self.unpacked_bytes / GB:g} GB unpacked"
        )


LIMITS: Final = ZipLimits()
LARGEST_LIST_BYTES: Final = 8 * MB
"""Of a zip's list of its files, which is read as a whole."""
SMALL_BYTES: Final = MB
"""A file of fewer fills no disk, however small it was in the zip."""
PART_BYTES: Final = MB
NOISE: Final = frozenset((".DS_Store", "Thumbs.db", "desktop.ini"))
"""Files that file managers leave; and what macOS adds to a zip."""
MAC_FOLDER: Final = "__MACOSX/"
PACKED_HOW: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED: Final = 0x1
BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(ValueError, NotImplementedError, OverflowError, IndexError),
)
"""What the reader of zip files raises of one that is damaged, or made up."""
NO_FORMAT: Final = f"images ({', '.join(FORMATS)}), and a {MANIFEST}"


def unpack(path: Path, folder: Path, advance: Callable[[int, int], None]) -> None:
    """Unpack a zip of images, and of a table of them, into a folder; ``advance`` counts files.

    Raises FilesRefused: some of what is in it cannot be taken; nothing was unpacked then, or only
    what came before a damaged file.

    Raises InputError: it is no zip file, or a larger one than `LIMITS` allows.
    """
    try:
        with SparingFile(path) as file, zipfile.ZipFile(file) as packed:
            members = wanted(path, packed.infolist())
            require_room(path, folder, sum(member.file_size for member in members))
            damaged = []
            for done, member in enumerate(members, start=1):
                try:
                    extract(packed, member, folder / member.filename)
                except FileExistsError:
                    damaged.append(InputError(inner(path, member), "is there twice", "once"))
                except BROKEN as error:
                    problem = f"cannot be unpacked: {on_one_line(error)}"
                    damaged.append(InputError(inner(path, member), problem, "a whole zip file"))
                advance(done, len(members))
    except FileNotFoundError:
        raise InputError(path, "there is no such file", "a folder of images, or a zip") from None
    except BROKEN as error:
        problem = f"is no zip file, or no whole one: {on_one_line(error)}"
        raise InputError(path, problem, "a zip file of images") from None
    if damaged:
        raise FilesRefused(path, damaged)


class SparingFile(io.FileIO):
    """A file with a limit on each read, since a zip may claim that its list is the whole file."""

    def read(self, size: int | None = -1) -> bytes:
        most = LARGEST_LIST_BYTES
        content = super().read(size if size is not None and 0 <= size <= most else most + 1)
        if len(content) > most:
            raise zipfile.BadZipFile(f"its list of files has more than {most:,} bytes")
        return content


def inner(path: Path, member: zipfile.ZipInfo) -> Path:
    return path / PurePosixPath(member.filename.encode(errors="replace").decode())


def wanted(path: Path, listed: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the files of a zip that are to be unpacked, if all of it can be taken.

    Raises FilesRefused, InputError: as `unpack`.
    """
    members = [
        member
        for member in listed
        if not member.is_dir()
        and not member.filename.startswith(MAC_FOLDER)
        and member.filename.rpartition("/")[2] not in NOISE
    ]
    whole, packed_bytes = path.stat().st_size, sum(member.compress_size for member in members)
    unpacked_bytes = sum(member.file_size for member in members)
    for what, number, most in (
        ("is {:,} bytes large", whole, LIMITS.packed_bytes),
        ("holds {:,} files", len(members), LIMITS.files),
        ("would be {:,} bytes large when it is unpacked", unpacked_bytes, LIMITS.unpacked_bytes),
        ("holds files of {:,} bytes, which overlap", packed_bytes, whole),
    ):
        if number > most:
            raise InputError(path, what.format(number), str(LIMITS))
    problems = [problem for member in members for problem in mistakes(path, member)]
    if problems:
        raise FilesRefused(path, problems)
    return members


def mistakes(path: Path, member: zipfile.ZipInfo) -> Iterator[InputError]:
    """Yield why a file of a zip cannot be taken, if it cannot."""
    where, name = inner(path, member), PurePosixPath(member.filename)
    try:
        check_relative(where, member.filename)
    except (InputError, UnicodeEncodeError):
        problem = "has a path that leads out of the zip, or cannot be written"
        yield InputError(ascii(str(where)), problem, "a path such as folder/0001.png")
        return
    kind = stat.S_IFMT(member.external_attr >> 16)
    suffix = name.suffix.lower()
    if kind not in (0, stat.S_IFREG):
        yield InputError(where, "is a link, or no plain file", "plain files")
    elif suffix not in SUFFIXES and name.name != MANIFEST:
        yield InputError(where, "is no image", NO_FORMAT)
    elif member.flag_bits & ENCRYPTED:
        yield InputError(where, "is encrypted", "a zip without a password")
    elif member.compress_type not in PACKED_HOW:
        yield InputError(where, "is packed in a way that is not read here", "Deflate, or stored")
    elif member.file_size > LARGEST_IMAGE_BYTES:
        yield InputError(
            where, f"has {member.file_size:,} bytes", f"at most {LARGEST_IMAGE_BYTES:,}"
        )
    elif member.file_size > max(SMALL_BYTES, LIMITS.ratio * member.compress_size):
        times = member.file_size / max(1, member.compress_size)
        problem = f"is {times:,.0f} times as large when it is unpacked"
        yield InputError(where, problem, f"at most {LIMITS.ratio} times, as images are")


def require_room(path: Path, folder: Path, unpacked_bytes: int) -> None:
    """Refuse what would fill the disk: the images are there twice while they are made alike."""
    free = shutil.disk_usage(folder).free
    if 2 * unpacked_bytes > free:
        problem = f"needs {2 * unpacked_bytes:,} bytes for a while, and {free:,} are free here"
        raise InputError(path, problem, "a smaller zip, or more room")


def extract(packed: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    """Write a file of a zip, no longer than the zip's list says that it is."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(member) as source, place.open("xb") as file:
        left = member.file_size
        while part := source.read(min(PART_BYTES, left + 1)):
            left -= len(part)
            if left < 0:
                raise zipfile.BadZipFile("it is longer than the zip says")
            file.write(part)
