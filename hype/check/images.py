"""The pre-flight of images: whether all are there and whole, and what gives them away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from PIL import Image

from hype.check.findings import Preflight
from hype.check.giveaways import TELLING_AUC, Floats, measure_giveaway, traces_of
from hype.confine import inside
from hype.errors import InputError, quoted
from hype.session.materials import check_file, read_stimuli
from hype.stimuli.images import SUFFIXES, decode
from hype.stimuli.manifest import MANIFEST, Stimulus, StimulusSet, read_manifest
from hype.study.studies import AnyStudy

FORMATS: Final = MappingProxyType({"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg"})
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


@dataclass(frozen=True, kw_only=True)
class SeenImages:
    """What can be seen of images beside the picture: traits by name, measured traces by path."""

    traits: Mapping[str, Trait]
    traces: Mapping[str, Floats]


def check_images(flight: Preflight, stimuli: StimulusSet, *, fact: str = "images") -> SeenImages:
    """Decode every image, and measure what can be seen of it beside the picture.

    The numbers of images are kept as the ``fact``.
    """
    modes: dict[str, str] = {}
    traces: dict[str, Floats] = {}
    animated = 0
    for stimulus in stimuli.stimuli:
        if image := look_at(flight, stimuli, stimulus):
            modes[stimulus.path] = image.mode
            file = stimuli.folder_of(stimulus.path) / stimulus.path
            traces[stimulus.path] = traces_of(image, file.stat().st_size)
            animated += image.info["animated"]
    if animated:
        flight.warn(
            "images-animated",
            f"{stimuli.folder}: {animated} images are animations, and only their first frame is "
            "shown",
            "nothing, if the first frame is meant",
        )
    kinds = {(stimulus.condition, modes.get(stimulus.path)) for stimulus in stimuli.stimuli}
    if all({(name, "L"), (name, "RGB")} <= kinds for name, _ in kinds):
        flight.warn(
            "images-of-two-modes",
            f"{stimuli.folder}: in every condition some images are grey and some are in colour",
            ALIKE,
        )
    flight.facts[fact] = dict(Counter(s.condition or "real" for s in stimuli.stimuli))
    listed = {s.path for s in stimuli.stimuli}
    unlisted = [path for path in image_paths(stimuli) if path not in listed]
    if unlisted:
        flight.warn(
            "images-unlisted",
            f"{stimuli.folder}: {len(unlisted)} images are not in the manifest and will not be "
            f"shown, {unlisted[0]} among them",
            f"take them up with: hype stimuli scan {quoted(stimuli.folder)}",
        )
    traits: dict[str, Trait] = {
        "size": lambda s: "{} x {} px".format(*stimuli.sizes_px[s.path]),
        "format": lambda s: format_of(s.path),
        "colour": lambda s: COLOURS.get(modes.get(s.path, "")),
    }
    return SeenImages(traits=traits, traces=traces)


def warn_of_traces(flight: Preflight, stimuli: StimulusSet, seen: SeenImages) -> None:
    """Warn of conditions that a simple classifier tells from real images without the picture."""
    real = [seen.traces[s.path] for s in stimuli.real if s.path in seen.traces]
    for condition in stimuli.conditions:
        fake = [seen.traces[s.path] for s in stimuli.fake(condition) if s.path in seen.traces]
        giveaway = measure_giveaway(real, fake)
        if giveaway and giveaway.auc >= TELLING_AUC:
            flight.warn(
                "giveaway-measured",
                f"{stimuli.folder}: without a look at the picture, a simple classifier tells real "
                f"images from those of {condition!r} (AUC {giveaway.auc:.2f}; 0.5 is chance); the "
                f"strongest trace is {giveaway.strongest} (AUC {giveaway.strongest_auc:.2f})",
                "if the files and not the model make this difference, give all images one history: "
                "hype new --match-compression",
            )


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
