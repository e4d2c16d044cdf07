"""What a study draws from, read from its folders."""

from __future__ import annotations

from typing import Final

from hype.errors import InputError
from hype.masks.maskset import MaskSet, read_masks
from hype.observers.population import Population, Spread
from hype.observers.psychometric import Psychometric
from hype.stimuli.manifest import StimulusSet, read_manifest
from hype.study.sampling import Pools
from hype.study.settings import ObserverSettings, PeopleSettings
from hype.study.studies import Study

SPREADS: Final = {
    "threshold_spread": "threshold",
    "ceiling_spread": "ceiling",
    "bias_spread": "bias",
}
"""Settings of ``[people]``, and of single observers, by what they are the spread of."""


def read_pools(study: Study) -> Pools:
    """Read the manifests of a study's stimuli and masks.

    Raises
    ------
    InputError
        A manifest is wrong, or the study names a condition that the stimuli do not have.
    """
    masks = read_masks(study.masks_folder) if study.masks_folder else None
    return pools_of(study, read_manifest(study.stimuli_folder), masks)


def pools_of(study: Study, stimuli: StimulusSet, masks: MaskSet | None) -> Pools:
    """Take from the sets what the study draws from.

    Raises
    ------
    InputError
        The study names a condition that the stimuli do not have.
    """
    return Pools(
        real=stimuli.real,
        fake={name: stimuli.fake(name) for name in conditions(study, stimuli)},
        masks=masks.paths if masks else (),
    )


def conditions(study: Study, stimuli: StimulusSet) -> tuple[str, ...]:
    """Give the conditions that the study evaluates: those it names, or all of the set."""
    known = stimuli.conditions
    settings = study.settings
    for key, names in (
        ("stimuli.conditions", settings.stimuli.conditions),
        ("observers", tuple(settings.observers)),
    ):
        if unknown := [name for name in names if name not in known]:
            raise InputError(
                study.path,
                f"{key}: {unknown[0]!r} is no condition of {study.stimuli_folder}",
                f"one of {', '.join(known) or '(none)'}",
            )
    if not known:
        raise InputError(study.stimuli_folder, "has no fake image", "fake/<condition>/…")
    return settings.stimuli.conditions or known


def population(study: Study, pools: Pools) -> Population:
    """Give the simulated people that the study describes, or plain ones where it does not."""
    settings = study.settings
    described = {c: settings.observers.get(c, ObserverSettings()) for c in pools.fake}
    return Population(
        typical={
            c: Psychometric(**d.model_dump(exclude=set(SPREADS))) for c, d in described.items()
        },
        own_spreads={c: own_spread(d, settings.people) for c, d in described.items()},
        image_seed=settings.study.seed,
        **settings.people.model_dump(),
    )


def own_spread(observer: ObserverSettings, people: PeopleSettings) -> Spread:
    """Give by how much people differ in one condition: its own numbers, or else those of all."""
    own = observer.model_dump(include=set(SPREADS), exclude_none=True)
    common = people.model_dump(include=set(SPREADS))
    return Spread(**{SPREADS[key]: value for key, value in (common | own).items()})
