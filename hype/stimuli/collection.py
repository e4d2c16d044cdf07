"""Make stimulus sets: scan images in place, or convert images from other folders."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, mode
from typing import Final, NoReturn

from PIL import Image, ImageOps

from hype.errors import FilesRefused, InputError, few
from hype.files import inside, write_bytes, write_table
from hype.stimuli.images import SUFFIXES, decode, png_bytes
from hype.stimuli.manifest import (
    COLUMNS,
    MANIFEST,
    Stimulus,
    Truth,
    check_condition_name,
    condition_in,
    folder_name,
    parse_row,
    read_extra_columns,
    refuse_doubles,
    sha256_of,
)

LARGEST_SIDE_PX: Final = 512
SMALLEST_SIDE_PX: Final = 64
"""Smaller images are refused, unless the user sets --size, since people can hardly judge them."""
MOST_NAMED: Final = 5
JPEG: Final = "JPEG"
SOURCE_FORMAT: Final = "source_format"
JPEG_QUALITY: Final = "jpeg_quality"
"""Columns of a manifest: the original format, and the common JPEG quality of all images."""


@dataclass(frozen=True, slots=True)
class PixelLook:
    """Properties of an image: shorter side, mode, checksum of its pixels, facts about its file."""

    side_px: int
    mode: str
    sha256: str
    format: str
    quality: int | None
    animated: bool
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Images found in folders, by condition ("" for real ones), and the properties of their copies.

    ``prompts``: the prompt of each image, if the study has any. ``notes``: remarks for the user.
    """

    files: Mapping[str, Sequence[Path]]
    formats: Mapping[Path, str]
    side_px: int
    mode: str
    jpeg_quality: int | None = None
    notes: tuple[str, ...] = ()
    prompts: Mapping[Path, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(len(paths) for paths in self.files.values())


def collect(
    folders: Mapping[str, Path],
    *,
    prompted: bool = False,
    side_px: int | None = None,
    skip_smaller: bool = False,
    match_compression: bool = False,
    keep: bool = False,
) -> Collection:
    """Find and decode the images of folders, by condition ("" for the real ones).

    The images will be squares as large as the smallest image, at most `LARGEST_SIDE_PX`. They will
    be in colour unless all are grey. ``prompted``: read the prompts from names of folders or files.
    ``side_px``: the side of all images. ``skip_smaller``: skip images that are much smaller than
    the others. ``match_compression``: compress all images with the same JPEG quality. ``keep``:
    accept that only some conditions have JPEG images.

    Raises InputError: a folder is missing or empty; an image cannot be decoded, is a link that
    leads out of its folder, or is much smaller than the others; only some conditions have JPEG
    images; a picture is both real and fake.
    """
    for name in filter(None, folders):
        check_condition_name("--fake", name)
    files = {name: images_in(folder) for name, folder in folders.items()}
    looks = looks_of(path for paths in files.values() for path in paths)
    stimuli = [
        Stimulus(
            path=str(path),
            truth=Truth.FAKE if name else Truth.REAL,
            condition=name,
            sha256=looks[path].sha256,
        )
        for name, paths in files.items()
        for path in paths
    ]
    refuse_doubles(Path("--real and --fake"), stimuli)
    usual = median(look.side_px for look in looks.values())
    least = side_px or max(SMALLEST_SIDE_PX, usual / 2)
    small = {path for path, look in looks.items() if look.side_px < least}
    if small and not skip_smaller:
        refuse_small(small, looks, side_px)
    kept = {name: [path for path in paths if path not in small] for name, paths in files.items()}
    for name, paths in kept.items():
        if not paths:
            raise InputError(folders[name], "has no image that is large enough", "larger images")
    formats = {path: looks[path].format for paths in kept.values() for path in paths}
    if not (match_compression or keep):
        refuse_one_sided_jpeg({name: [formats[p] for p in paths] for name, paths in kept.items()})
    sides = [looks[path].side_px for path in formats]
    qualities = [quality for path in formats if (quality := looks[path].quality)]
    return Collection(
        files=kept,
        formats=formats,
        side_px=side_px or min(LARGEST_SIDE_PX, *sides),
        mode="L" if all(looks[path].mode == "L" for path in formats) else "RGB",
        # Images that have the most frequent quality stay unchanged if they keep their size.
        jpeg_quality=mode(qualities) if match_compression and qualities else None,
        notes=tuple(notes_on(folders, looks, small)),
        prompts=prompts_of(folders, kept) if prompted else {},
    )


def images_in(folder: Path) -> list[Path]:
    """List the images of a folder and its sub-folders; refuse links that lead out of it."""
    if not folder.is_dir():
        raise InputError(folder, "there is no such folder")
    images = [path for path in visible_files(folder) if path.suffix.lower() in SUFFIXES]
    if not images:
        raise InputError(folder, "holds no image", " ".join(sorted(SUFFIXES)))
    found = [inside(folder, path.relative_to(folder).as_posix()) for path in images]
    for path in found:
        try:
            path.name.encode()
        except UnicodeEncodeError:
            raise InputError(ascii(str(path)), "has a name that is not text") from None
    return found


def visible_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, except hidden ones, such as those that macOS adds."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and path.is_file():
            yield path


def describe_skipped(folder: Path) -> str:
    """Describe the files of a folder that are not images, by suffix; empty if there are none."""
    endings = Counter(
        path.suffix.lower() or "without an ending"
        for path in visible_files(folder)
        if path.suffix.lower() not in SUFFIXES and path.name != MANIFEST
    )
    counts = ", ".join(f"{number} {ending}" for ending, number in endings.most_common())
    return f"Skipped in {folder}: {counts}. These are not images that hype reads." if counts else ""


def looks_of(paths: Iterator[Path]) -> dict[Path, PixelLook]:
    """Decode images.

    Raises FilesRefused: some images cannot be decoded; the error lists all of these images.
    """
    looks: dict[Path, PixelLook] = {}
    problems: list[InputError] = []
    for path in paths:
        try:
            looks[path] = look_of(path)
        except InputError as error:
            problems.append(error)
    if problems:
        raise FilesRefused("--real and --fake", problems)
    return looks


def look_of(path: Path) -> PixelLook:
    """Decode an image. Its checksum is that of the pixels, so it does not depend on the format."""
    image = decode(path)
    pixels = f"{image.size}".encode() + image.convert("RGB").tobytes()
    return PixelLook(
        side_px=min(image.size),
        mode=image.mode,
        sha256=hashlib.sha256(pixels).hexdigest(),
        format=image.info["format"],
        quality=image.info["quality"],
        animated=image.info["animated"],
        ignored=tuple(image.info["ignored"]),
    )


def refuse_small(
    small: set[Path], looks: Mapping[Path, PixelLook], side_px: int | None
) -> NoReturn:
    where, allowed = "--real and --fake", "--skip-smaller leaves them out"
    usual = round(median(look.side_px for look in looks.values()))
    smallest = sorted(small, key=lambda path: (looks[path].side_px, path))
    named = few([f"{path} ({looks[path].side_px} px)" for path in smallest], MOST_NAMED)
    some = f"{len(small)} of {len(looks)} images {'is' if len(small) == 1 else 'are'}"
    if side_px:
        where, problem = f"--size {side_px}", f"{some} smaller: {named}"
    elif len(small) == len(looks):
        problem = (
            f"all images are smaller than {SMALLEST_SIDE_PX} px, half of them at most {usual} px"
        )
        allowed = f"larger images; or --size {looks[smallest[0]].side_px} to accept them"
    else:
        problem = f"{some} much smaller than the usual {usual} px"
        problem += f", and all images would become that small: {named}"
        allowed += "; --size N makes all images N px"
    raise InputError(where, problem, allowed)


MATCH_OR_KEEP: Final = (
    "--match-compression gives all images one JPEG quality; --keep leaves them as they are"
)


def refuse_one_sided_jpeg(
    formats: Mapping[str, Sequence[str]], *, allowed: str = MATCH_OR_KEEP
) -> None:
    """Refuse conditions if some have JPEG images and others have none."""
    jpeg = [name or "real" for name, some in formats.items() if JPEG in some]
    other = [name or "real" for name, some in formats.items() if JPEG not in some]
    if jpeg and other:
        raise InputError(
            "--real and --fake",
            f"{', '.join(jpeg)}: JPEG images; {', '.join(other)}: no JPEG images. The blocks of "
            "JPEG stay visible in a PNG and would reveal the condition",
            allowed,
        )


def notes_on(
    folders: Mapping[str, Path], looks: Mapping[Path, PixelLook], small: set[Path]
) -> Iterator[str]:
    """Yield sentences about skipped files and ignored parts of images."""
    yield from filter(None, map(describe_skipped, folders.values()))
    if small:
        largest = max(looks[path].side_px for path in small)
        yield f"Skipped images of {largest} px or less: {len(small)}."
    ignored = Counter(what for look in looks.values() for what in look.ignored)
    for what, number in ignored.items():
        yield f"Images with unreadable {what}, which was ignored: {number}."
    if animated := sum(look.animated for look in looks.values()):
        yield f"Animations (only the first frame is used): {animated}."


def copy_into(folder: Path, collection: Collection) -> Iterator[dict[str, str]]:
    """Write a collection as a stimulus set; yield the manifest's extra columns for each image."""
    quality = collection.jpeg_quality
    for name, paths in collection.files.items():
        destination = folder / "fake" / folder_name(name) if name else folder / "real"
        destination.mkdir(parents=True)
        for number, path in enumerate(paths, start=1):
            size = (collection.side_px, collection.side_px)
            copy = destination / f"{number:05d}.png"
            image = standardise(decode(path), size, collection.mode, quality)
            write_bytes(copy, png_bytes(image), private=False)
            row = {
                "path": copy.relative_to(folder).as_posix(),
                "original": path.name,
                SOURCE_FORMAT: collection.formats[path],
                JPEG_QUALITY: str(quality or ""),
            }
            yield row | ({"prompt": collection.prompts[path]} if collection.prompts else {})


DEGRADED: Final = "degraded"
"""The condition of degraded copies, and the manifest's column that says how they were made."""
SHRINKING, WORST_QUALITY = 8, 5
"""The factor by which a degraded copy is shrunk (and enlarged again), and its JPEG quality."""


def degrade_into(
    folder: Path, rows: Sequence[Mapping[str, str]], number: int
) -> Iterator[dict[str, str]]:
    """Add strongly degraded copies of some images to a stimulus set; yield their rows.

    ``rows``: the rows of possible originals, from which evenly spaced ones are taken.
    """
    destination = folder / "fake" / DEGRADED
    destination.mkdir()
    how = f"shrunk to 1/{SHRINKING}, saved as JPEG of quality {WORST_QUALITY}, enlarged again"
    for n in range(number):
        original = rows[n * len(rows) // number]
        image = decode(folder / original["path"])
        small = (max(1, image.width // SHRINKING), max(1, image.height // SHRINKING))
        worse = standardise(image, small, image.mode, WORST_QUALITY).resize(image.size)
        copy = destination / f"{n + 1:05d}.png"
        write_bytes(copy, png_bytes(worse), private=False)
        path = copy.relative_to(folder).as_posix()
        yield {"path": path, "original": original["path"], DEGRADED: how}


def standardise(
    image: Image.Image, size_px: tuple[int, int], mode: str, jpeg_quality: int | None
) -> Image.Image:
    """Convert an image to a size, a mode and, if given, a JPEG quality."""
    image = ImageOps.fit(image.convert(mode), size_px, Image.Resampling.LANCZOS)
    if jpeg_quality is None:
        return image
    buffer = io.BytesIO()
    image.save(buffer, JPEG, quality=jpeg_quality)
    return Image.open(buffer)


def scan(folder: Path, *, real_needed: bool = True) -> dict[str, int]:
    """Decode every image under ``folder`` and write a manifest; count the images by condition.

    ``folder`` contains ``real/…`` and ``fake/<condition>/…``; deeper folders are allowed. Extra
    columns of an earlier manifest are kept for images that still exist. ``real_needed``:
    refuse a set without real images; only comparisons can use such a set.

    Raises InputError: a folder is missing or has no image; an image cannot be decoded, or is a
    link that leads out of ``folder``; a picture is both real and fake. After an error, an earlier
    manifest is unchanged.
    """
    rows = [describe_image(folder, path) for path in image_files(folder)]
    refuse_doubles(folder, [parse_row(row["path"], row)[0] for row in rows])
    counts = Counter(row["condition"] for row in rows)
    needed = {"fake": len(rows) - counts[""]} | ({"real": counts[""]} if real_needed else {})
    for kind, number in needed.items():
        if not number:
            allowed = "real/… and fake/<condition>/…"
            if kind == "real":
                allowed += "; --no-real accepts a set without real images"
            raise InputError(folder / kind, "holds no image", allowed)
    has_earlier = inside(folder, MANIFEST).exists()
    extras = read_extra_columns(folder) if has_earlier else {}
    names = list(dict.fromkeys(name for extra in extras.values() for name in extra))
    for row in rows:
        row.update({name: extras.get(row["path"], {}).get(name, "") for name in names})
    write_table(folder / MANIFEST, (*COLUMNS, *names), rows, private=False)
    return dict(counts)


def image_files(folder: Path) -> Iterator[Path]:
    """Yield the images under ``real`` and ``fake``, in the order of their paths."""
    if not folder.is_dir():
        raise InputError(folder, "there is no such folder", "a folder with real/ and fake/")
    for kind in ("fake", "real"):
        for path in sorted((folder / kind).rglob("*"), key=Path.as_posix):
            hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            if not hidden and path.is_dir() and path.is_symlink():
                raise InputError(path, "is a link to a folder", "the folder itself, or its images")
            if hidden or path.is_dir():
                continue
            if not path.as_posix().isprintable():
                raise InputError(ascii(str(path)), "has a name that is not text")
            if path.suffix.lower() not in SUFFIXES:
                raise InputError(path, "has no image suffix", " ".join(sorted(SUFFIXES)))
            yield path


def describe_image(folder: Path, path: Path) -> dict[str, str]:
    relative = path.relative_to(folder)
    kind = relative.parts[0]
    if kind == "fake" and len(relative.parts) < 3:
        raise InputError(path, "is not in the folder of a condition", "fake/<condition>/<image>")
    condition = condition_in(relative.parts[1]) if kind == "fake" else ""
    if condition:
        check_condition_name(folder / kind / relative.parts[1], condition)
    image = decode(inside(folder, relative.as_posix()))
    return {
        "path": relative.as_posix(),
        "kind": kind,
        "condition": condition,
        "width": str(image.width),
        "height": str(image.height),
        "sha256": sha256_of(path),
    }


NUMBERED: Final = re.compile(r"(?P<prompt>.*?)(?:[ _-]*[_-]\d+)?")
LONGEST_PROMPT: Final = 1000
ALLOWED: Final = "name its sub-folder after the prompt, or the image like 'a sneaker_01.png'"


def prompt_of(folder: Path, image: Path) -> str:
    """Return the prompt of an image, from the name of its sub-folder or its file.

    Raises InputError: the name contains no prompt, or one that cannot be shown.
    """
    relative = image.relative_to(folder)
    inside_another = len(relative.parts) > 1
    numbered = NUMBERED.fullmatch(relative.stem)
    stem = numbered["prompt"] if numbered else relative.stem
    named = relative.parts[0] if inside_another else stem
    prompt = " ".join(named.replace("_", " ").split())
    if not prompt or prompt.isdecimal():
        raise InputError(image, "has no prompt in its name", ALLOWED)
    if not prompt.isprintable() or len(prompt) > LONGEST_PROMPT:
        raise InputError(image, "has a prompt in its name that cannot be shown", ALLOWED)
    return prompt


def prompts_of(folders: Mapping[str, Path], files: Mapping[str, Sequence[Path]]) -> dict[Path, str]:
    """Return the prompt of each image.

    Raises InputError: as in `prompt_of`; or a prompt has images of one condition only.
    """
    prompts = {
        path: prompt_of(folders[name], path) for name, paths in files.items() for path in paths
    }
    for prompt, counts in count_images(files, prompts).items():
        if len(counts) < 2:
            (only,) = counts
            raise InputError(
                folders[only],
                f"has the only images of the prompt {prompt!r}",
                "each prompt in the folders of two or more conditions, spelt in the same way",
            )
    return prompts


def count_images(
    files: Mapping[str, Sequence[Path]], prompts: Mapping[Path, str]
) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for name, paths in files.items():
        for path in paths:
            counts.setdefault(prompts[path], Counter())[name] += 1
    return counts
