"""The pre-flight of images: whether all are there and whole, and what gives them away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from PIL import Image

from hype.check.findings import Preflight
from hype.confine import inside
from hype.errors import InputError
from hype.protocols.studies import AnyStudy
from hype.session.materials import check_file, read_stimuli
from hype.stimuli.images import SUFFIXES, decode
from hype.stimuli.manifest import MANIFEST, Stimulus, StimulusSet, read_manifest

FORMATS: Final = MappingProxyType({"jpg": "jpeg", "tif": "tiff"})
"""Suffixes that are another name for a format."""
COLOURS: Final = MappingProxyType({"L": "grey", "RGB": "colour"})
"""What the two modes of a decoded image are called."""
ALIKE: Final = "bring all images to one size, format and mode of colour; hype new does"
Trait = Callable[[Stimulus], str | None]


def stimuli_of(flight: Preflight, study: AnyStudy) -> StimulusSet | None:
    if not study.added:
        return manifest_of(flight, study.stimuli_folder)
    return flight.attempt("manifest-wrong", lambda: read_stimuli(study))


def manifest_of(flight: Preflight, folder: Path) -> StimulusSet | None:
    code = "manifest-wrong" if (folder / MANIFEST).exists() else "manifest-missing"
    return flight.attempt(code, lambda: read_manifest(folder))


def check_images(
    flight: Preflight, stimuli: StimulusSet, *, fact: str = "images"
) -> dict[str, Trait]:
    """Decode every image; give what can be seen of each beside the picture, by name.

    The numbers of images are kept as the ``fact``.
    """
    modes: dict[str, str] = {}
    for stimulus in stimuli.stimuli:
        if image := look_at(flight, stimuli, stimulus):
            modes[stimulus.path] = image.mode
    flight.facts[fact] = dict(Counter(s.condition or "real" for s in stimuli.stimuli))
    listed = {s.path for s in stimuli.stimuli}
    unlisted = [path for path in image_paths(stimuli) if path not in listed]
    if unlisted:
        flight.warn(
            "images-unlisted",
            f"{stimuli.folder}: {len(unlisted)} images are not in the manifest and will not be "
            f"shown, {unlisted[0]} among them",
            f"take them up with: hype stimuli scan {stimuli.folder}",
        )
    return {
        "size": lambda s: "{} x {} px".format(*stimuli.sizes_px[s.path]),
        "format": lambda s: format_of(s.path),
        "colour": lambda s: COLOURS.get(modes.get(s.path, "")),
    }


def look_at(flight: Preflight, stimuli: StimulusSet, stimulus: Stimulus) -> Image.Image | None:
    """Decode one image and compare it with its manifest; None where it cannot be decoded."""
    folder = stimuli.folder_of(stimulus.path)
    path = flight.attempt("image-elsewhere", lambda: inside(folder, stimulus.path))
    if path is None:
        return None
    if not path.exists():
        flight.attempt("image-missing", lambda: check_listed(stimuli, stimulus))
        return None
    image = flight.attempt("image-unreadable", lambda: decode(path))
    if image:
        flight.attempt("image-changed", lambda: require_same(stimuli, stimulus, image))
    return image


def check_listed(stimuli: StimulusSet, stimulus: Stimulus) -> None:
    check_file(stimuli.folder_of(stimulus.path), stimulus.path, stimulus.sha256)


def require_same(stimuli: StimulusSet, stimulus: Stimulus, image: Image.Image) -> None:
    """Refuse an image whose bytes or size are not those of the manifest."""
    check_listed(stimuli, stimulus)
    if image.size != stimuli.sizes_px[stimulus.path]:
        path = stimuli.folder_of(stimulus.path) / stimulus.path
        raise InputError(path, f"is {image.width} x {image.height} px, unlike its manifest")


def image_paths(stimuli: StimulusSet) -> Iterator[str]:
    for kind in ("real", "fake"):
        for path in sorted((stimuli.folder / kind).rglob("*")):
            if path.suffix.lower() in SUFFIXES:
                yield path.relative_to(stimuli.folder).as_posix()


def traits_of(some: Sequence[Stimulus], trait: Trait) -> tuple[str, ...]:
    """Give the different values of a trait among some images, where it is known."""
    return tuple(sorted({value for s in some if (value := trait(s))}))


def few(values: Sequence[str], most: int = 3) -> str:
    """List values, not too many of them."""
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(values[:most]) + more


def format_of(path: str) -> str:
    suffix = Path(path).suffix.lower().removeprefix(".")
    return FORMATS.get(suffix, suffix)
