"""Pictures for the report: small copies of images of a stimulus set."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.confine import inside
from hype.errors import InputError

if TYPE_CHECKING:
    from hype.report.parts import Background

NOT_PICTURED: Final = (
    "These answers were read from a central store, which has no images: none is pictured here."
)
Pictured = Callable[[str], tuple[str, int, int] | None]


def pictures_in(folder: Path | None, images: Iterable[str]) -> Pictured:
    """Make small copies of images, all of them together small enough for a page.

    Parameters
    ----------
    folder
        Of the stimuli; None where none is known. Where it has a manifest, an image that is not the
        one in the manifest has no picture.
    images
        Names of the images, as they stand in the judgements: paths from the folder. One that is
        shown several times stands here as often.

    Returns
    -------
    Callable
        Gives the data URI, the width and the height in px for a name; None where there is no
        picture. It never raises.
    """
    from hype.stimuli.thumbnails import thumbnails

    names = tuple(images)
    copies = thumbnails(folder, names, checksums=checksums_in(folder)) if folder and names else {}
    found = {name: (copy.uri, copy.width_px, copy.height_px) for name, copy in copies.items()}
    return found.get


def checksums_in(folder: Path) -> dict[str, str] | None:
    """Give the checksums of a stimulus set by path; None where it has no manifest.

    None are given where the manifest cannot be read: then nobody can say what was judged.
    """
    from hype.stimuli.manifest import MANIFEST, read_manifest

    try:
        if not inside(folder, MANIFEST).exists():
            return None
        return {stimulus.path: stimulus.sha256 for stimulus in read_manifest(folder).stimuli}
    except (InputError, OSError):
        return {}


def why_not_pictured(background: Background | None, stimuli: Path | None) -> Background | None:
    """Say in a page's words why it pictures nothing, where a study's images are not here."""
    if background is None or stimuli is not None:
        return background
    return replace(background, people=(*background.people, NOT_PICTURED))
