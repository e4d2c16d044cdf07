"""The images that were shown, copied: each is certain to be the one that was."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from hype.confine import check_relative, inside
from hype.errors import InputError
from hype.export.csv_lines import csv_lines
from hype.export.folder import write_bytes, write_text
from hype.export.kind import ExportKind
from hype.export.naming import paths
from hype.files import LARGEST_IMAGE_BYTES, read_bytes, read_table
from hype.protocols.studies import AnyStudy
from hype.stimuli.manifest import COLUMNS, MANIFEST

PUT_BACK: Final = "put back the image that was shown"
LICENCES: Final = ("LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "LICENCE.md", "LICENCE.txt")


def images_shown(
    connection: Connection, kind: ExportKind, *, simulated: bool
) -> dict[str, set[str]]:
    """Read which images were shown, and the checksums under which each was."""
    table = kind.outgoing.answers.table
    found: dict[str, set[str]] = defaultdict(set)
    for image in kind.images:
        path, sha256 = table.c[image.path], table.c[image.sha256]
        query = select(path, sha256).distinct().where(path.is_not(None))
        for shown, checksum in connection.execute(query.where(table.c.simulated == simulated)):
            found[shown].add(checksum)
    return found


def copy_images(study: AnyStudy, shown: Mapping[str, set[str]], folder: Path) -> dict[str, str]:
    """Copy images into ``folder``, with their rows of the manifest and their licence.

    Parameters
    ----------
    shown
        The paths that were shown, and the checksums under which they were.

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
        write_bytes(folder / place, shown_image(study, image, shown[image]))
    write_text(folder / MANIFEST, manifest_of(study, places))
    for beginning, stimuli in sets_of(study):
        for name in LICENCES:
            if inside(stimuli, name).is_file():
                licence = read_bytes(stimuli / name, most_bytes=LARGEST_IMAGE_BYTES)
                write_bytes(folder / beginning / name, licence)
    return places


def sets_of(study: AnyStudy) -> list[tuple[str, Path]]:
    return [("", study.stimuli_folder), *study.other_sets.items()]


def shown_image(study: AnyStudy, image: str, checksums: set[str]) -> bytes:
    """Read an image, once it is certain that it is the one that was shown."""
    check_relative("a trial's image", image)
    path = inside(*study.place_of(image))
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


def manifest_of(study: AnyStudy, places: Mapping[str, str]) -> str:
    """Give the manifests' rows of these images, each after where the image lies now."""
    rows = [row for one in sets_of(study) for row in manifest_rows(*one)]
    columns = list(dict.fromkeys(name for row in rows for name in row if name))
    cells = ((places[row["path"]], *map(row.get, columns)) for row in rows if row["path"] in places)
    return csv_lines([("stim_file", *columns), *sorted(cells)])


def manifest_rows(beginning: str, stimuli: Path) -> Iterator[dict[str, str]]:
    made_by = f"hype stimuli scan {stimuli}"
    for _, row in read_table(inside(stimuli, MANIFEST), COLUMNS, made_by=made_by):
        yield row | {"path": f"{beginning}/{row['path']}" if beginning else row["path"]}
