"""The pre-flight of a study: everything in its files that could spoil a session.

Exposures and the station have their own modules, `check_exposures` and `check_station`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from PIL import Image

from hype.confine import inside
from hype.errors import InputError
from hype.masks.maskset import MANIFEST as MASK_MANIFEST
from hype.masks.maskset import MaskSet, read_masks
from hype.protocol.steps import Stimulus
from hype.sessions.findings import Preflight
from hype.sessions.integrity import check_mask_size, check_sum, mask_errors
from hype.sessions.pools import pools_of
from hype.stimuli.images import SUFFIXES, decode
from hype.stimuli.manifest import MANIFEST, StimulusSet, read_manifest
from hype.study.assignment import Cell, design
from hype.study.load import Study
from hype.study.sampling import Pools, expected_minutes, require_enough, require_images, shapes

FORMATS: Final = MappingProxyType({"jpg": "jpeg", "tif": "tiff"})
"""Suffixes that are another name for a format."""
COLOURS: Final = MappingProxyType({"L": "grey", "RGB": "colour"})
"""What the two modes of a decoded image are called."""


def check_study(study: Study) -> Preflight:
    """Check a study's stimuli, masks and plan."""
    flight = Preflight()
    stimuli = stimuli_of(flight, study)
    masks = masks_of(flight, study)
    if masks:
        check_masks(flight, masks)
    if stimuli:
        check_stimuli(flight, study, stimuli)
        pools = flight.attempt("condition-unknown", lambda: pools_of(study, stimuli, masks))
        if pools:
            check_design(flight, study, pools)
    if stimuli and masks:
        flight.attempt("masks-of-other-size", lambda: check_mask_size(masks, stimuli))
    return flight


def stimuli_of(flight: Preflight, study: Study) -> StimulusSet | None:
    """Read the manifest of the stimuli, or say why it cannot be read."""
    folder = study.stimuli_folder
    code = "manifest-wrong" if (folder / MANIFEST).exists() else "manifest-missing"
    return flight.attempt(code, lambda: read_manifest(folder))


def masks_of(flight: Preflight, study: Study) -> MaskSet | None:
    """Read the manifest of the masks, where the study shows any, or say why it cannot be read."""
    folder = study.masks_folder
    if not folder:
        return None
    code = "masks-wrong" if (folder / MASK_MANIFEST).exists() else "masks-missing"
    return flight.attempt(code, lambda: read_masks(folder))


def check_stimuli(flight: Preflight, study: Study, stimuli: StimulusSet) -> None:
    """Decode every image; look for what tells real and fake apart beside the picture."""
    modes: dict[str, str] = {}
    for stimulus in stimuli.stimuli:
        if image := look_at(flight, study, stimuli, stimulus):
            modes[stimulus.path] = image.mode
    flight.facts["images"] = dict(Counter(s.condition or "real" for s in stimuli.stimuli))
    listed = {s.path for s in stimuli.stimuli}
    unlisted = [path for path in found_images(stimuli) if path not in listed]
    if unlisted:
        flight.warn(
            "images-unlisted",
            f"{stimuli.folder}: {len(unlisted)} images are not in the manifest and will not be "
            f"shown, {unlisted[0]} among them",
            f"take them up with: hype stimuli scan {stimuli.folder}",
        )
    warn_of_giveaways(flight, stimuli, modes)


def look_at(
    flight: Preflight, study: Study, stimuli: StimulusSet, stimulus: Stimulus
) -> Image.Image | None:
    """Decode one image and compare it with its manifest; None where it cannot be decoded."""
    path = flight.attempt("image-elsewhere", lambda: inside(study.stimuli_folder, stimulus.path))
    if path is None:
        return None
    if not path.exists():
        flight.attempt("image-missing", lambda: check_sum(study, stimulus))
        return None
    image = flight.attempt("image-unreadable", lambda: decode(path))
    if image:
        flight.attempt("image-changed", lambda: require_same(study, stimuli, stimulus, image))
    return image


def require_same(
    study: Study, stimuli: StimulusSet, stimulus: Stimulus, image: Image.Image
) -> None:
    """Refuse an image whose bytes or size are not those of the manifest."""
    check_sum(study, stimulus)
    if image.size != stimuli.sizes_px[stimulus.path]:
        path = study.stimuli_folder / stimulus.path
        raise InputError(path, f"is {image.width} x {image.height} px, unlike its manifest")


def found_images(stimuli: StimulusSet) -> Iterator[str]:
    """Yield the paths of images that lie in a set's folders."""
    for kind in ("real", "fake"):
        for path in sorted((stimuli.folder / kind).rglob("*")):
            if path.suffix.lower() in SUFFIXES:
                yield path.relative_to(stimuli.folder).as_posix()


def warn_of_giveaways(flight: Preflight, stimuli: StimulusSet, modes: Mapping[str, str]) -> None:
    """Warn of what could tell real images from fakes without looking at the picture.

    ``modes`` are those of the images that could be decoded, by path.
    """
    traits: dict[str, Callable[[Stimulus], str | None]] = {
        "size": lambda s: "{} x {} px".format(*stimuli.sizes_px[s.path]),
        "format": lambda s: format_of(s.path),
        "colour": lambda s: COLOURS.get(modes.get(s.path, "")),
    }
    for name, trait in traits.items():
        real = traits_of(stimuli.real, trait)
        for condition in stimuli.conditions:
            fake = traits_of(stimuli.fake(condition), trait)
            if real and fake and real != fake:
                flight.warn(
                    f"giveaway-{name}",
                    f"{stimuli.folder}: real images and those of {condition!r} differ in {name} "
                    f"({few(real)}; {few(fake)}), which may give them away",
                    "bring all images to one size, format and mode of colour; hype new does",
                )


def traits_of(some: Sequence[Stimulus], trait: Callable[[Stimulus], str | None]) -> tuple[str, ...]:
    """Give the different values of a trait among some images, where it is known."""
    return tuple(sorted({value for s in some if (value := trait(s))}))


def few(values: Sequence[str], most: int = 3) -> str:
    """List values, not too many of them."""
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(values[:most]) + more


def format_of(path: str) -> str:
    """Name the format of an image by its suffix."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    return FORMATS.get(suffix, suffix)


def check_masks(flight: Preflight, masks: MaskSet) -> None:
    """Decode every mask."""
    for error in mask_errors(masks):
        flight.add("mask-unfit", error)
    flight.facts["masks"] = len(masks.paths)


def check_design(flight: Preflight, study: Study, pools: Pools) -> None:
    """See that every cell of the design can be served, and say what a session takes."""
    settings = study.settings
    cells = design(tuple(pools.fake), settings.methods_of_one_evaluator())
    for cell in cells:
        images = flight.allows("too-few-images", partial(require_images, settings, pools, cell))
        # A mask set that cannot be read has been named already.
        if images and (pools.masks or not study.masks_folder):
            flight.attempt("too-few-masks", partial(require_enough, settings, pools, cell))
    flight.facts["cells"] = len(cells)
    flight.facts["evaluators"] = len(cells) * settings.study.evaluators
    flight.facts["minutes"] = {
        " + ".join(methods): expected_minutes(
            settings.time,
            shapes(settings, Cell(condition="", methods=methods), qualified=False),
        )
        for methods in settings.methods_of_one_evaluator()
    }
