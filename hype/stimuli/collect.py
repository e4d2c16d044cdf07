"""Taking images from anywhere into a stimulus set in which only the pictures differ."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from PIL import Image, ImageOps

from hype.confine import inside
from hype.errors import InputError
from hype.files import write_bytes
from hype.stimuli.images import SUFFIXES, decode, png_bytes
from hype.stimuli.manifest import Stimulus, Truth, refuse_doubles
from hype.stimuli.scan import CONDITION_NAME, prompts_of

LARGEST_SIDE_PX: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Images found in folders, by condition ("" for the real ones), and how all will look.

    ``prompts`` says what each shows, where that matters.
    """

    files: Mapping[str, Sequence[Path]]
    side_px: int
    mode: str
    prompts: Mapping[Path, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(len(paths) for paths in self.files.values())


def collect(real: Path, fakes: Mapping[str, Path]) -> Collection:
    """Find and decode the images of the given folders.

    All will be squares of one size, the smallest that occurs and at most `LARGEST_SIDE_PX`, in
    colour unless all are grey: real and fake alike, so that nothing but the picture differs.

    Raises
    ------
    InputError
        A folder is missing or empty, an image cannot be decoded or is a link that leads out of its
        folder, a picture is both real and fake.
    """
    return found_in({"": real, **fakes})


def collect_prompted(real: Path | None, fakes: Mapping[str, Path]) -> Collection:
    """Find the images of the given folders likewise, and what each shows.

    Raises
    ------
    InputError
        As from `collect`, and from `hype.stimuli.scan.prompts_of`.
    """
    folders = fakes if real is None else {"": real, **fakes}
    images = found_in(folders)
    return replace(images, prompts=prompts_of(folders, images.files))


def found_in(folders: Mapping[str, Path]) -> Collection:
    """Find and decode the images of folders, by condition."""
    for name in filter(None, folders):
        if not CONDITION_NAME.fullmatch(name):
            raise InputError(
                "--fake", f"{name!r} cannot name a condition", "letters, digits, '.', '_' and '-'"
            )
    files = {name: images_in(folder) for name, folder in folders.items()}
    looks = {path: look_of(path) for paths in files.values() for path in paths}
    refuse_doubles(Path("--real and --fake"), list(as_stimuli(files, looks)))
    return Collection(
        files=files,
        side_px=min(LARGEST_SIDE_PX, *(look.side_px for look in looks.values())),
        mode="L" if all(look.mode == "L" for look in looks.values()) else "RGB",
    )


@dataclass(frozen=True, slots=True)
class Look:
    """What an image looks like: its shorter side, its mode, and a checksum of its pixels."""

    side_px: int
    mode: str
    sha256: str


def look_of(path: Path) -> Look:
    """Decode an image; pixels are compared, since one picture may come in two formats."""
    image = decode(path)
    pixels = f"{image.size}".encode() + image.convert("RGB").tobytes()
    return Look(min(image.size), image.mode, hashlib.sha256(pixels).hexdigest())


def images_in(folder: Path) -> list[Path]:
    """List the images of a folder and the folders in it; links that lead elsewhere are refused."""
    if not folder.is_dir():
        raise InputError(folder, "there is no such folder")
    images = sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
    if not images:
        raise InputError(folder, "holds no image", " ".join(sorted(SUFFIXES)))
    return [nameable(inside(folder, path.relative_to(folder).as_posix())) for path in images]


def nameable(path: Path) -> Path:
    """Refuse a name that is no text, and could not be written into a manifest."""
    try:
        path.name.encode()
    except UnicodeEncodeError:
        raise InputError(ascii(str(path)), "has a name that cannot be written down") from None
    return path


def as_stimuli(
    files: Mapping[str, Sequence[Path]], looks: Mapping[Path, Look]
) -> Iterator[Stimulus]:
    """Yield the files as stimuli, to be compared."""
    for name, paths in files.items():
        truth = Truth.FAKE if name else Truth.REAL
        for path in paths:
            look = looks[path]
            yield Stimulus(path=str(path), truth=truth, condition=name, sha256=look.sha256)


def copy_into(folder: Path, collection: Collection) -> Iterator[dict[str, str]]:
    """Write a collection as a stimulus set; yield path and original of each image.

    Its prompt too, where images have one.
    """
    for name, paths in collection.files.items():
        destination = folder / "fake" / name if name else folder / "real"
        destination.mkdir(parents=True)
        for number, path in enumerate(paths, start=1):
            side = (collection.side_px, collection.side_px)
            image = ImageOps.fit(
                decode(path).convert(collection.mode), side, Image.Resampling.LANCZOS
            )
            copy = destination / f"{number:05d}.png"
            write_bytes(copy, png_bytes(image), private=False)
            row = {"path": copy.relative_to(folder).as_posix(), "original": path.name}
            yield row | ({"prompt": collection.prompts[path]} if collection.prompts else {})
