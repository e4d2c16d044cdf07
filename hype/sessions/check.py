"""The pre-flight of a study of HYPE's methods: everything in its files that could spoil a session.

Exposures and the station have their own modules, `check_exposures` and `check_station`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hype.confine import inside
from hype.masks.maskset import MANIFEST as MASK_MANIFEST
from hype.masks.maskset import MaskSet, read_masks
from hype.protocol.steps import Stimulus, Task
from hype.sessions.check_images import (
    ALIKE,
    Trait,
    check_images,
    few,
    manifest_of,
    stimuli_of,
    traits_of,
)
from hype.sessions.check_selection import check_selection
from hype.sessions.findings import Preflight
from hype.sessions.integrity import check_mask_size, check_sum, combined, mask_errors
from hype.sessions.pools import of_set, pools_of, read_others
from hype.stimuli.manifest import StimulusSet
from hype.study.assignment import design
from hype.study.sampling import Pools, expected_minutes, require_enough, require_images, shapes
from hype.study.studies import Study


def check_study(study: Study) -> Preflight:
    """Check a study's stimuli, masks and plan."""
    flight = Preflight()
    stimuli = stimuli_of(flight, study)
    masks = masks_of(flight, study)
    if masks:
        check_masks(flight, masks)
    if stimuli:
        check_stimuli(flight, stimuli)
        check_pools(flight, study, stimuli, masks)
    if stimuli and masks:
        flight.attempt("masks-of-other-size", lambda: check_mask_size(masks, stimuli))
    return flight


def masks_of(flight: Preflight, study: Study) -> MaskSet | None:
    """Read the manifest of the masks, where the study shows any, or say why it cannot be read."""
    folder = study.masks_folder
    if not folder:
        return None
    code = "masks-wrong" if (folder / MASK_MANIFEST).exists() else "masks-missing"
    return flight.attempt(code, lambda: read_masks(folder))


def check_pools(
    flight: Preflight, study: Study, stimuli: StimulusSet, masks: MaskSet | None
) -> None:
    """See that what is there can be drawn from."""
    others = others_of(flight, study)
    if others is None:
        return
    pools = flight.attempt("condition-unknown", lambda: pools_of(study, stimuli, masks, others))
    if pools:
        check_design(flight, study, pools)
        check_selection(flight, study, pools)


def others_of(flight: Preflight, study: Study) -> tuple[Stimulus, ...] | None:
    """Read the stimulus sets beside the study's own, and look at each of their images."""
    folder = study.other_sets.get(Task.QUALIFICATION.value)
    if folder:
        test = manifest_of(flight, folder)
        if test is None:
            return None
        giveaways(flight, test, check_images(flight, test, fact="test_images"))
    others = flight.attempt("manifest-wrong", lambda: tuple(read_others(study)))
    for stimulus in of_set(others or (), Task.CATCH):
        there = inside(*study.place_of(stimulus.path)).exists()
        code = "image-changed" if there else "image-missing"
        flight.attempt(code, partial(check_sum, study, stimulus))
    return others


def check_stimuli(flight: Preflight, stimuli: StimulusSet) -> None:
    """Decode every image; look for what tells real and fake apart beside the picture."""
    giveaways(flight, stimuli, check_images(flight, stimuli))


def giveaways(flight: Preflight, stimuli: StimulusSet, traits: Mapping[str, Trait]) -> None:
    """Look for what tells the real and the fake images of a set apart beside the picture."""
    for name, trait in traits.items():
        real = traits_of(stimuli.real, trait)
        for condition in stimuli.conditions:
            fake = traits_of(stimuli.fake(condition), trait)
            if real and fake and real != fake:
                flight.warn(
                    f"giveaway-{name}",
                    f"{stimuli.folder}: real images and those of {condition!r} differ in {name} "
                    f"({few(real)}; {few(fake)}), which may give them away",
                    ALIKE,
                )


def check_masks(flight: Preflight, masks: MaskSet) -> None:
    """Decode every mask."""
    for error in mask_errors(masks):
        flight.add("mask-unfit", error)
    flight.facts["masks"] = len(masks.paths)


def check_design(flight: Preflight, study: Study, pools: Pools) -> None:
    """See that every cell of the design can be served, and say what a session takes."""
    settings = study.settings
    cells = design(settings.evaluated(tuple(pools.fake)), settings.methods_of_one_evaluator())
    for cell in cells:
        images = flight.allows("too-few-images", partial(require_images, settings, pools, cell))
        # A mask set that cannot be read has been named already.
        if images and (pools.masks or not study.masks_folder):
            flight.attempt("too-few-masks", partial(require_enough, settings, pools, cell))
    if settings.stimuli.images_per_condition:
        flight.facts["sampled"] = {
            "images_per_condition": settings.stimuli.images_per_condition,
            "sha256": combined(s.sha256 for some in pools.sources().values() for s in some),
        }
    flight.facts["cells"] = len(cells)
    flight.facts["evaluators"] = len(cells) * settings.study.evaluators
    flight.facts["minutes"] = {
        " + ".join(cell.methods): expected_minutes(
            settings.time, shapes(settings, pools, cell, qualified=False)
        )
        for cell in cells
    }
