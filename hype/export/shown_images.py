"""The images that were shown, copied: each is certain to be the one that was."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from hype.confine import check_relative, inside
from hype.errors import InputError
from hype.export.csv_lines import csv_lines
from hype.export.folder import write_bytes, write_text
from hype.export.kinds.base import ExportKind
from hype.export.naming import paths
from hype.files import LARGEST_IMAGE_BYTES, read_bytes, read_table
from hype.protocol.steps import Task
from hype.stimuli.manifest import COLUMNS, MANIFEST
from hype.study.studies import AnyStudy

QUALIFICATION: Final = Task.QUALIFICATION.value
PUT_BACK: Final = "put back the image that was shown"
LICENCES: Final = ("LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "LICENCE.md", "LICENCE.txt")


def images_shown(
    connection: Connection, kind: ExportKind, *, simulated: bool, tested: bool | None = None
) -> dict[str, set[str]]:
    """Read which images were shown, and the checksums under which each was.

    ``tested`` wants those of the qualification alone, or those of all other tasks.
    """
    table = kind.outgoing.answers.table
    found: dict[str, set[str]] = defaultdict(set)
    for image in kind.images:
        path, sha256 = table.c[image.path], table.c[image.sha256]
        query = select(path, sha256).distinct().where(path.is_not(None))
        if tested is not None:
            query = query.where((table.c.task == QUALIFICATION) == tested)
        for shown, checksum in connection.execute(query.where(table.c.simulated == simulated)):
            found[shown].add(checksum)
    return found


def copy_images(stimuli: Path, shown: Mapping[str, set[str]], folder: Path) -> dict[str, str]:
    """Copy images into ``folder``, with their rows of the manifest and their licence.

    Parameters
    ----------
    stimuli
        The study's stimulus set.
    shown
        The paths in it that were shown, and the checksums under which they were.

    Returns
    -------
        Where in ``folder`` each lies: a path of plain letters, digits and the like.

    Raises
    ------
    InputError
        An image is gone, or is another one than was shown.
    """
    places = paths(sorted(shown))
    for image, place in places.items():
        write_bytes(folder / place, shown_image(stimuli, image, shown[image]))
    write_text(folder / MANIFEST, manifest_of(stimuli, places))
    for name in LICENCES:
        if inside(stimuli, name).is_file():
            write_bytes(folder / name, read_bytes(stimuli / name, most_bytes=LARGEST_IMAGE_BYTES))
    return places


def copy_all_images(
    connection: Connection, study: AnyStudy, kind: ExportKind, folder: Path, *, simulated: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """Copy all images that were shown, and say where in ``folder`` each lies: two mappings.

    The second is of the images of the qualification, where they are a set of their own.
    """
    if study.test_folder is None:
        shown = images_shown(connection, kind, simulated=simulated)
        return copy_images(study.stimuli_folder, shown, folder), {}
    shown = images_shown(connection, kind, simulated=simulated, tested=False)
    places = copy_images(study.stimuli_folder, shown, folder)
    shown = images_shown(connection, kind, simulated=simulated, tested=True)
    apart = copy_images(study.test_folder, shown, folder / QUALIFICATION)
    return places, {path: f"{QUALIFICATION}/{place}" for path, place in apart.items()}


def shown_image(stimuli: Path, image: str, checksums: set[str]) -> bytes:
    """Read an image, once it is certain that it is the one that was shown."""
    check_relative("a trial's image", image)
    path = inside(stimuli, image)
    try:
        content = read_bytes(path, most_bytes=LARGEST_IMAGE_BYTES)
    except OSError as error:
        raise InputError(
            path, f"was shown and cannot be read: {error.strerror}", PUT_BACK
        ) from None
    if {hashlib.sha256(content).hexdigest()} != checksums:
        problem = "is not the image that was shown: its SHA-256 differs"
        if len(checksums) > 1:
            problem = "was not the same image whenever it was shown: its SHA-256 differs"
        raise InputError(path, problem, PUT_BACK)
    return content


def manifest_of(stimuli: Path, places: Mapping[str, str]) -> str:
    """Give the manifest's rows of these images, each after where the image lies now."""
    made_by = f"hype stimuli scan {stimuli}"
    rows = [row for _, row in read_table(inside(stimuli, MANIFEST), COLUMNS, made_by=made_by)]
    columns = [name for name in rows[0] if name] if rows else []
    cells = ((places[row["path"]], *map(row.get, columns)) for row in rows if row["path"] in places)
    return csv_lines([("stim_file", *columns), *sorted(cells)])
