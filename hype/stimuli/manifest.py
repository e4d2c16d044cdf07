"""A stimulus set and its manifest: images, their kinds and conditions, and their checksums.

A condition's name is any printable text. In the name of its folder, characters that file systems do
not allow are escaped as in URLs: the folder of ``a/b`` is ``a%2Fb``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hype.errors import InputError, quote_path
from hype.files import (
    LARGEST_IMAGE_BYTES,
    check_relative,
    inside,
    normalise_name,
    read_table,
    require_regular,
    shorten,
)
from hype.system import NEVER_IN_NAMES, is_name_everywhere

MANIFEST: Final = "manifest.csv"
COLUMNS: Final = ("path", "kind", "condition", "width", "height", "sha256")
MOST_DIGITS: Final = 9
"""The maximum number of digits of a width or height."""
LONGEST: Final = 64
"""The maximum number of characters of a condition's name."""
ALLOWED: Final = f"1 to {LONGEST} printable characters, and not the word real"
ESCAPED: Final = re.compile(f"[{re.escape(''.join(sorted(NEVER_IN_NAMES | set('%/'))))}]")


@dataclass(frozen=True, slots=True)
class StimulusSet:
    """The images that the manifest of a folder lists."""

    folder: Path
    stimuli: tuple[Stimulus, ...]
    sizes_px: Mapping[str, tuple[int, int]]
    # The stimulus sets of conditions that were added later, by condition
    added: Mapping[str, Path] = field(default_factory=dict)

    def folder_of(self, image: str) -> Path:
        """Return the folder to which an image's path is relative."""
        return folder_of(image, self.folder, self.added)

    @property
    def largest_px(self) -> int:
        """The longest side of any image."""
        return max(max(size) for size in self.sizes_px.values())

    @property
    def real(self) -> tuple[Stimulus, ...]:
        return tuple(s for s in self.stimuli if s.truth is Truth.REAL)

    @property
    def conditions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(s.condition for s in self.stimuli if s.truth is Truth.FAKE))

    def fake(self, condition: str) -> tuple[Stimulus, ...]:
        return tuple(s for s in self.stimuli if s.condition == condition)


def folder_of(image: str, folder: Path, added: Mapping[str, Path]) -> Path:
    """Return the folder of an image's stimulus set: ``folder`` or one of ``added``."""
    kind, _, rest = image.partition("/")
    condition = condition_in(rest.partition("/")[0])
    return added.get(condition, folder) if kind == "fake" else folder


@dataclass(frozen=True, slots=True)
class ImageFolders:
    """The stimulus set of a study, and the sets of conditions that were added later."""

    folder: Path
    added: Mapping[str, Path] = field(hash=False)


Stimuli = Path | ImageFolders
"""One stimulus set, or all sets of a study."""


def file_in(stimuli: Stimuli, image: str) -> Path:
    """Return the file of an image in one or several stimulus sets.

    Raises InputError: the path leads out of its set (`hype.files.inside`).
    """
    if isinstance(stimuli, ImageFolders):
        stimuli = folder_of(image, stimuli.folder, stimuli.added)
    return inside(stimuli, image)


def read_stimulus_set(stimuli: Stimuli) -> StimulusSet:
    """Read the manifest of one set, or all manifests of a study.

    Raises InputError: as in `read_manifests`.
    """
    if isinstance(stimuli, ImageFolders):
        return read_manifests(stimuli.folder, stimuli.added)
    return read_manifest(stimuli)


def read_manifests(folder: Path, added: Mapping[str, Path]) -> StimulusSet:
    """Read a stimulus set's manifest, then the manifests of conditions that were added later.

    Raises InputError: as in `read_manifest`; or a set in ``added`` has images other than the fakes
    of its condition; or ``folder`` also has images of that condition.
    """
    whole = read_manifest(folder)
    if not added:
        return whole
    sets = {name: read_manifest(path) for name, path in added.items()}
    for name, own in sets.items():
        where, own_folder = added[name] / MANIFEST, f"fake/{folder_name(name)}/"
        if name in whole.conditions:
            raise InputError(where, f"{folder} also has images of {name!r}", "another name")
        for stimulus in own.stimuli:
            if stimulus.condition != name or not stimulus.path.startswith(own_folder):
                problem = f"lists {stimulus.path}, which is not an image of {name!r}"
                raise InputError(where, problem, f"{own_folder}…")
    together = (whole, *sets.values())
    stimuli = tuple(stimulus for own in together for stimulus in own.stimuli)
    refuse_doubles(folder / MANIFEST, stimuli)
    sizes_px = {path: size_px for own in together for path, size_px in own.sizes_px.items()}
    return StimulusSet(folder, stimuli, sizes_px, added)


def read_manifest(folder: Path) -> StimulusSet:
    """Read a stimulus set's manifest. The images themselves are not opened.

    Raises InputError: there is no manifest; a column is missing or unreadable; a row has an
    impossible path, kind, condition, size or checksum; a picture is listed as real and as fake; a
    path is listed twice.
    """
    path = inside(folder, MANIFEST)
    made_by = f"hype stimuli scan {quote_path(folder)}"
    rows = [parse_row(*row) for row in read_table(path, COLUMNS, made_by=made_by)]
    if not rows:
        raise InputError(path, "lists no images")
    stimuli = tuple(stimulus for stimulus, _ in rows)
    refuse_doubles(path, stimuli)
    return StimulusSet(folder, stimuli, {s.path: size_px for s, size_px in rows})


def read_extra_columns(folder: Path) -> dict[str, dict[str, str]]:
    """Read a manifest's extra columns (those not in `COLUMNS`): for each path, cells by column.

    Spaces around a cell's text are removed, and columns without a name are skipped.

    Raises InputError: there is no manifest, or it has no column ``path``.
    """
    rows = read_table(
        inside(folder, MANIFEST), ("path",), made_by=f"hype stimuli scan {quote_path(folder)}"
    )
    return {
        row["path"]: {
            name: normalise_name(value.strip())
            for name, value in row.items()
            if name and name not in COLUMNS
        }
        for _, row in rows
    }


def parse_row(where: str, row: Mapping[str, str]) -> tuple[Stimulus, tuple[int, int]]:
    """Return the stimulus in a row of a manifest, and its size (width, height) in pixels."""
    check_relative(where, row["path"])
    if row["kind"] not in ("real", "fake"):
        raise InputError(where, f"kind {shorten(row['kind'])}", "real or fake")
    if not row["condition"].isprintable():
        raise InputError(where, f"condition {shorten(row['condition'])}", "a printable name")
    if row["condition"] == "real":
        raise InputError(where, "condition 'real'", "another name; 'real' is for real images")
    if (row["kind"] == "fake") != bool(row["condition"]):
        raise InputError(
            where,
            f"condition {shorten(row['condition'])} of a {row['kind']} image",
            "fakes have a condition, real images have none",
        )
    sha256 = row["sha256"]
    if len(sha256) != 64 or set(sha256) - set("0123456789abcdef"):
        raise InputError(where, f"sha256 {shorten(sha256)}", "64 hexadecimal digits")
    sides = (row["width"], row["height"])
    if not all(is_size(side) for side in sides):
        problem = f"width {shorten(sides[0])}, height {shorten(sides[1])}"
        raise InputError(where, problem, "whole numbers of pixels, at least 1")
    size_px = (int(sides[0]), int(sides[1]))
    stimulus = Stimulus(
        path=row["path"], truth=Truth(row["kind"]), condition=row["condition"], sha256=sha256
    )
    return stimulus, size_px


def is_size(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS and int(text) > 0


def refuse_doubles(where: Path, stimuli: Sequence[Stimulus]) -> None:
    """Refuse a path that is listed twice, and a picture that is listed as real and as fake."""
    paths: set[str] = set()
    by_sum: dict[str, Stimulus] = {}
    for stimulus in stimuli:
        twin = by_sum.setdefault(stimulus.sha256, stimulus)
        if twin.truth is not stimulus.truth:
            real, fake = sorted((twin, stimulus), key=lambda s: s.truth is Truth.FAKE)
            raise InputError(
                where, f"{real.path} (real) and {fake.path} (fake) are the same picture"
            )
        if stimulus.path in paths:
            raise InputError(where, f"lists {stimulus.path} twice", "each image once")
        paths.add(stimulus.path)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of an image file, in hexadecimal.

    Raises InputError: it is not a regular file, or larger than `hype.files.LARGEST_IMAGE_BYTES`.
    Raises OSError: the file cannot be read.
    """
    require_regular(path, most_bytes=LARGEST_IMAGE_BYTES)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest()


class Truth(str, Enum):
    """The kinds of stimuli, which are also an evaluator's possible answers."""

    REAL = "real"
    FAKE = "fake"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """One image of a stimulus set; ``path`` is relative to the set.

    ``condition`` is empty for a real image.
    """

    path: str
    truth: Truth
    condition: str
    sha256: str


def check_condition_name(where: object, name: str) -> None:
    """Refuse a name that is not allowed for a condition.

    Raises InputError.
    """
    is_plain = name.isprintable() and name == normalise_name(name) and 1 <= len(name) <= LONGEST
    if not is_plain or name.casefold() == "real":
        raise InputError(where, f"{name[: 2 * LONGEST]!r} cannot name a condition", ALLOWED)


def folder_name(condition: str) -> str:
    name = ESCAPED.sub(lambda match: f"%{ord(match[0]):02X}", condition)
    if name.endswith((".", " ")):
        name = f"{name[:-1]}%{ord(name[-1]):02X}"
    if name.startswith(".") or not is_name_everywhere(name):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    return name


def condition_in(folder: str) -> str:
    return unquote(folder)


def checksums_in(stimuli: Stimuli) -> dict[str, str] | None:
    """Return the checksums of a stimulus set by path; None if it has no manifest.

    If the manifest cannot be read, the result is empty: nobody can tell which images people saw.
    """
    try:
        if not file_in(stimuli, MANIFEST).exists():
            return None
        return {stimulus.path: stimulus.sha256 for stimulus in read_stimulus_set(stimuli).stimuli}
    except (InputError, OSError):
        return {}
