"""Unpack images from a zip file, after checking its list of files.

A zip may come from a stranger. A small zip may fill a disk when it is unpacked, or contain paths
that lead out of its folder. So this module writes the files itself: plain ones, in a new folder.
"""

from __future__ import annotations

import io
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from hype.errors import FilesRefused, InputError
from hype.files import LARGEST_IMAGE_BYTES, check_relative, put_on_one_line
from hype.stimuli.images import FORMATS, SUFFIXES
from hype.stimuli.manifest import MANIFEST

GB: Final = 10**9
MB: Final = 10**6

MOST_PACKED_BYTES: Final = 8 * GB
MOST_UNPACKED_BYTES: Final = 16 * GB
MOST_FILES: Final = 20_000
MOST_RATIO: Final = 100
"""The largest factor by which a file may grow when it is unpacked."""
LIMITS: Final = (
    f"at most {MOST_FILES:,} files, {MOST_PACKED_BYTES / GB:g} GB as a zip, "
    f"{MOST_UNPACKED_BYTES / GB:g} GB unpacked"
)
LARGEST_LIST_BYTES: Final = 8 * MB
"""The maximum size of a zip's list of files, which is read into memory."""
SMALL_BYTES: Final = MB
"""A file up to this size may grow by any factor, since it cannot fill a disk."""
PART_BYTES: Final = MB
NOISE: Final = frozenset((".DS_Store", "Thumbs.db", "desktop.ini"))
"""Files that file managers make; they are skipped."""
MAC_FOLDER: Final = "__MACOSX/"
COMPRESSIONS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED: Final = 0x1
BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(ValueError, NotImplementedError, OverflowError, IndexError),
)
"""Exceptions of the zip reader for a damaged or forged file."""
NO_FORMAT: Final = f"images ({', '.join(FORMATS)}), and a {MANIFEST}"


def unpack(path: Path, folder: Path, advance: Callable[[int, int], None]) -> None:
    """Unpack a zip of images and their manifest into a folder; call ``advance`` after each.

    Raises FilesRefused: some files are not allowed, and nothing was unpacked; or some are damaged,
    and the others were unpacked.

    Raises InputError: the file is not a zip file, or larger than `LIMITS` allows.
    """
    try:
        with LimitedFile(path) as file, zipfile.ZipFile(file) as packed:
            members = list_members(path, packed.infolist())
            require_room(path, folder, sum(member.file_size for member in members))
            damaged = []
            for done, member in enumerate(members, start=1):
                try:
                    extract(packed, member, folder / member.filename)
                except FileExistsError:
                    damaged.append(InputError(inner(path, member), "is there twice", "once"))
                except BROKEN as error:
                    problem = f"cannot be unpacked: {put_on_one_line(error)}"
                    damaged.append(InputError(inner(path, member), problem, "a complete zip"))
                advance(done, len(members))
    except FileNotFoundError:
        raise InputError(path, "there is no such file", "a folder of images, or a zip") from None
    except BROKEN as error:
        problem = f"is not a zip file, or is incomplete: {put_on_one_line(error)}"
        raise InputError(path, problem, "a zip file of images") from None
    if damaged:
        raise FilesRefused(path, damaged)


class LimitedFile(io.FileIO):
    """A file that limits each read, since a zip may declare a file list of any length."""

    def read(self, size: int | None = -1) -> bytes:
        most = LARGEST_LIST_BYTES
        content = super().read(size if size is not None and 0 <= size <= most else most + 1)
        if len(content) > most:
            raise zipfile.BadZipFile(f"its list of files has more than {most:,} bytes")
        return content


def inner(path: Path, member: zipfile.ZipInfo) -> Path:
    return path / PurePosixPath(member.filename.encode(errors="replace").decode())


def list_members(path: Path, listed: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the files of a zip to unpack, if all of them are allowed.

    Raises FilesRefused, InputError: as in `unpack`.
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
        ("is {:,} bytes large", whole, MOST_PACKED_BYTES),
        ("contains {:,} files", len(members), MOST_FILES),
        ("would be {:,} bytes large when it is unpacked", unpacked_bytes, MOST_UNPACKED_BYTES),
        ("lists {:,} compressed bytes, more than the zip has: files overlap", packed_bytes, whole),
    ):
        if number > most:
            raise InputError(path, what.format(number), LIMITS)
    problems = [problem for member in members for problem in find_problems(path, member)]
    if problems:
        raise FilesRefused(path, problems)
    return members


def find_problems(path: Path, member: zipfile.ZipInfo) -> Iterator[InputError]:
    """Yield the reason why a file of a zip is not allowed; yield nothing if it is allowed."""
    where, name = inner(path, member), PurePosixPath(member.filename)
    try:
        check_relative(where, member.filename)
    except (InputError, UnicodeEncodeError):
        problem = "has a path that leads out of the zip, or that cannot be written"
        yield InputError(ascii(str(where)), problem, "a path such as folder/0001.png")
        return
    kind = stat.S_IFMT(member.external_attr >> 16)
    suffix = name.suffix.lower()
    if kind not in (0, stat.S_IFREG):
        yield InputError(where, "is a link, or not a plain file", "plain files")
    elif suffix not in SUFFIXES and name.name != MANIFEST:
        yield InputError(where, "is not an image", NO_FORMAT)
    elif member.flag_bits & ENCRYPTED:
        yield InputError(where, "is encrypted", "a zip without a password")
    elif member.compress_type not in COMPRESSIONS:
        yield InputError(
            where, "is compressed in a way that hype does not read", "Deflate, or no compression"
        )
    elif member.file_size > LARGEST_IMAGE_BYTES:
        yield InputError(
            where, f"has {member.file_size:,} bytes", f"at most {LARGEST_IMAGE_BYTES:,}"
        )
    elif member.file_size > max(SMALL_BYTES, MOST_RATIO * member.compress_size):
        times = member.file_size / max(1, member.compress_size)
        problem = f"is {times:,.0f} times as large when it is unpacked"
        yield InputError(where, problem, f"at most {MOST_RATIO} times; images need less")


def require_room(path: Path, folder: Path, unpacked_bytes: int) -> None:
    """Refuse a zip that would fill the disk; a conversion needs two copies of each image."""
    free = shutil.disk_usage(folder).free
    if 2 * unpacked_bytes > free:
        problem = f"needs {2 * unpacked_bytes:,} bytes temporarily, but only {free:,} are free here"
        raise InputError(path, problem, "a smaller zip, or more free space")


def extract(packed: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    """Unpack one file of a zip; stop if it is longer than the zip's list says."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(member) as source, place.open("xb") as file:
        left = member.file_size
        while part := source.read(min(PART_BYTES, left + 1)):
            left -= len(part)
            if left < 0:
                raise zipfile.BadZipFile("a file is longer than in the zip's list")
            file.write(part)
