"""A study's images and masks: their metadata, and whether they are complete and unchanged."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar, cast

from hype.errors import InputError
from hype.files import inside
from hype.masks.maskset import METHODS, MaskSet, check_mask, list_words, read_rows, write_command
from hype.stimuli.images import decode
from hype.stimuli.manifest import (
    Stimulus,
    StimulusSet,
    read_extra_columns,
    read_manifest,
    read_stimulus_set,
    sha256_of,
)
from hype.study.studies import AnyStudy

ReadT = TypeVar("ReadT")


def read_stimuli(study: AnyStudy) -> StimulusSet:
    """Read the manifests of a study's stimuli, including models that joined.

    Raises InputError: a manifest is wrong.
    """
    return read_stimulus_set(study.image_folders)


def read_columns(study: AnyStudy) -> dict[str, dict[str, str]]:
    """Read the columns that users added to a study's manifests, by image path and column.

    Raises InputError: a manifest is missing.
    """
    sets = (study.stimuli_folder, *study.added_sets.values())
    return {path: row for folder in sets for path, row in read_extra_columns(folder).items()}


def read_others(study: AnyStudy) -> Iterator[Stimulus]:
    """Yield the images of a study's other stimulus sets; each path starts with the set's name.

    Raises InputError: a manifest is wrong.
    """
    for name, folder in study.other_sets.items():
        for stimulus in read_manifest(folder).stimuli:
            yield replace(stimulus, path=f"{name}/{stimulus.path}")


def combine_sums(sums: Iterable[str]) -> str:
    """Return the SHA-256 (hex) of the checksums of files, in the order given."""
    digest = hashlib.sha256()
    for image in sums:
        digest.update(image.encode())
    return digest.hexdigest()


def check_mask_size(masks: MaskSet, stimuli: StimulusSet) -> None:
    """Refuse masks that are not as large as the images: scaling would change their texture."""
    wanted_px = stimuli.largest_px
    if masks.size_px != wanted_px:
        raise InputError(
            masks.folder,
            f"masks are {masks.size_px} px, but the images are {wanted_px} px",
            f"make new ones: {write_command(masks.folder, stimuli.folder, len(masks.paths))}",
        )


def check_image(study: AnyStudy, name: str, sha256: str) -> None:
    """Refuse a study's image whose checksum differs from the manifest's."""
    check_file(*study.place_of(name), sha256)


def check_file(folder: Path, name: str, sha256: str) -> None:
    """Refuse an image of a folder that is missing or has changed."""
    path = folder / name
    try:
        changed = while_same(sha256_of, folder, name) != sha256
    except FileNotFoundError:
        raise InputError(path, "is missing, but the manifest lists it") from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    if changed:
        decode(path)  # refuses an empty or broken file with its own message
        raise InputError(
            path,
            "changed since its checksum was computed",
            "put the image back, or scan the folder again before anyone starts",
        )


def masks_sum(masks: MaskSet, names: Iterable[str]) -> str:
    """Return the SHA-256 (hex) of the checksums of masks, which must have their set's size.

    Raises InputError: a mask is missing, is no image or has another size.
    """

    def check(name: str) -> str:
        check_mask(masks, name, while_same(size_of, *masks.place(name)))
        return while_same(sha256_of, *masks.place(name))

    return combine_sums(map(check, names))


def size_of(path: Path) -> tuple[int, int]:
    return decode(path).size


def while_same(read: Callable[[Path], ReadT], folder: Path, name: str) -> ReadT:
    """Read a file of a folder, and read it again only if its size or times have changed.

    Raises InputError: the file is outside the folder, or ``read`` refuses it. Raises OSError: the
    file cannot be read.
    """
    try:
        now = (folder / name).stat()
    except OSError:
        return read(inside(folder, name))
    state = now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns
    return cast("ReadT", _read_in_state(read, folder, name, state))


@lru_cache(maxsize=100_000)
def _read_in_state(
    read: Callable[[Path], object], folder: Path, name: str, _state: tuple[int, ...]
) -> object:
    return read(inside(folder, name))


def mask_errors(masks: MaskSet, stimuli: Path) -> Iterator[InputError]:
    """Yield one problem for each wrong mask of a set, and one for all missing masks."""
    missing = [name for name in masks.paths if not Path(*masks.place(name)).exists()]
    if missing:
        rows = rows_of_masks(masks.folder)
        command = write_command(masks.folder, stimuli, len(rows), rows[0])
        problem = f"{len(missing)} of {len(masks.paths)} masks are missing, such as {min(missing)}"
        yield InputError(masks.folder, problem, command if rows[0]["method"] in METHODS else "")
    for name in [name for name in masks.paths if name not in set(missing)]:
        try:
            check_mask(masks, name, size_of(inside(*masks.place(name))))
        except InputError as error:
            yield error


def list_making(study: AnyStudy) -> list[str]:
    """Return the command that makes a study's missing masks; empty if none is missing.

    Raises InputError: the manifest is wrong or missing.
    """
    folder = study.masks_folder
    rows = rows_of_masks(folder) if folder else []
    if folder is None or all((folder / row["path"]).exists() for row in rows):
        return []
    return list_words(folder, study.stimuli_folder, len(rows), rows[0])


def describe_materials(study: AnyStudy) -> dict[str, str]:
    """Describe the real images of a study, and its masks if it has any.

    Raises InputError: a manifest is wrong.
    """
    real = sorted(image.sha256 for image in read_manifest(study.stimuli_folder).real)
    joint = combine_sums(real)[:12]
    described = {"the real images": f"{len(real)} with the joint checksum {joint}"}
    if study.masks_folder is not None:
        rows = rows_of_masks(study.masks_folder)
        kinds = {f"{row['method']} {row['size_px']} px" for row in rows}
        described["masks"] = ", ".join(sorted(kinds))
    return described


def mask_methods(study: AnyStudy) -> tuple[str, ...]:
    """Return the methods of a study's masks; empty if it has none, or they cannot be read."""
    if study.masks_folder is None:
        return ()
    try:
        return tuple(sorted({row["method"] for row in rows_of_masks(study.masks_folder)}))
    except InputError:
        return ()


def rows_of_masks(folder: Path) -> list[dict[str, str]]:
    return [row for _, row in read_rows(folder)]
