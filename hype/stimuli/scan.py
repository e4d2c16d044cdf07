"""A stimulus set whose images are scanned where they lie, and what images show by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hype.confine import inside
from hype.errors import InputError
from hype.files import write_table
from hype.stimuli.images import SUFFIXES, decode
from hype.stimuli.manifest import (
    COLUMNS,
    MANIFEST,
    check_condition_name,
    condition_in,
    parse_row,
    read_extra_columns,
    refuse_doubles,
    sha256_of,
)


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan found: images per condition ("" for the real ones), and where it wrote."""

    manifest: Path
    counts: dict[str, int]


def scan(folder: Path, *, real_needed: bool = True) -> Scan:
    """Decode every image under ``folder`` and write its manifest.

    ``folder`` holds ``real/…`` and ``fake/<condition>/…``, deeper folders allowed. Columns that
    an earlier manifest had beyond the fixed ones are kept for images that are still there. Without
    real images, which ``real_needed`` refuses, what conditions made can only be compared.

    Raises InputError: the folders are not there or hold no image; an image cannot be decoded, or is
    a link that leads out of ``folder``; one picture is both real and fake. The earlier manifest
    then stays as it was.
    """
    rows = [describe(folder, path) for path in image_files(folder)]
    refuse_doubles(folder, [parse_row(row["path"], row)[0] for row in rows])
    counts = Counter(row["condition"] for row in rows)
    needed = {"fake": len(rows) - counts[""]} | ({"real": counts[""]} if real_needed else {})
    for kind, number in needed.items():
        if not number:
            raise InputError(folder / kind, "holds no image", "real/… and fake/<condition>/…")
    has_earlier = inside(folder, MANIFEST).exists()
    extras = read_extra_columns(folder) if has_earlier else {}
    names = list(dict.fromkeys(name for extra in extras.values() for name in extra))
    for row in rows:
        row.update({name: extras.get(row["path"], {}).get(name, "") for name in names})
    write_table(folder / MANIFEST, (*COLUMNS, *names), rows, private=False)
    return Scan(folder / MANIFEST, dict(counts))


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
                raise InputError(ascii(str(path)), "has a name that cannot be written down")
            if path.suffix.lower() not in SUFFIXES:
                raise InputError(path, "is not an image by its name", " ".join(sorted(SUFFIXES)))
            yield path


def describe(folder: Path, path: Path) -> dict[str, str]:
    relative = path.relative_to(folder)
    kind = relative.parts[0]
    if kind == "fake" and len(relative.parts) < 3:
        raise InputError(path, "lies in no condition's folder", "fake/<condition>/<image>")
    condition = condition_in(relative.parts[1]) if kind == "fake" else ""
    if condition:
        check_condition_name(folder / kind / relative.parts[1], condition)
    image = decode(inside(folder, relative.as_posix()))
    sizes = {"width": str(image.width), "height": str(image.height)}
    return {
        "path": relative.as_posix(),
        "kind": kind,
        "condition": condition,
        **sizes,
        "sha256": sha256_of(path),
    }


NUMBERED: Final = re.compile(r"(?P<prompt>.*?)(?:[ _-]*[_-]\d+)?")
LONGEST_PROMPT: Final = 1000
ALLOWED: Final = "a sub-folder named like the prompt, or a name such as 'a sneaker_01.png'"


def prompt_of(folder: Path, image: Path) -> str:
    """Give what an image of a folder shows, by its sub-folder or its name.

    Raises InputError: they say nothing, or what cannot be shown.
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
    """Give the prompt of each image, by condition found in folders.

    Raises InputError: as from `prompt_of`; or a prompt has images of one condition only.
    """
    prompts = {
        path: prompt_of(folders[name], path) for name, paths in files.items() for path in paths
    }
    for prompt, counts in counted(files, prompts).items():
        if len(counts) < 2:
            (only,) = counts
            raise InputError(
                folders[only],
                f"has the only images of the prompt {prompt!r}",
                "images of two conditions or more; prompts are named alike in all folders",
            )
    return prompts


def counted(
    files: Mapping[str, Sequence[Path]], prompts: Mapping[Path, str]
) -> dict[str, dict[str, int]]:
    """Count the images of each prompt, by condition."""
    counts: dict[str, dict[str, int]] = {}
    for name, paths in files.items():
        for path in paths:
            counts.setdefault(prompts[path], Counter())[name] += 1
    return counts
