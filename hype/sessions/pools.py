"""What a study draws from, read from its folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from hype.errors import InputError
from hype.masks.maskset import MaskSet, read_masks
from hype.observers.population import Population, Spread
from hype.observers.psychometric import Psychometric
from hype.protocol.steps import Stimulus, Truth
from hype.stimuli.manifest import StimulusSet, read_manifest
from hype.study.sampling import Pools
from hype.study.settings import ObserverSettings, PeopleSettings
from hype.study.studies import AnyStudy, Study

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
    return pools_of(study, read_manifest(study.stimuli_folder), masks, tuple(read_others(study)))


def read_others(study: AnyStudy) -> Iterator[Stimulus]:
    """Yield the images of a study's other stimulus sets, with paths that say so.

    Raises
    ------
    InputError
        A manifest is wrong.
    """
    for name, folder in study.other_sets.items():
        for stimulus in read_manifest(folder).stimuli:
            yield replace(stimulus, path=f"{name}/{stimulus.path}")


def pools_of(
    study: Study, stimuli: StimulusSet, masks: MaskSet | None, others: Sequence[Stimulus] = ()
) -> Pools:
    """Take from the sets what the study draws from.

    Raises
    ------
    InputError
        The study names a condition that the stimuli do not have; an image is in two of its sets.
    """
    refuse_shared(study, stimuli, others)
    return Pools(
        real=stimuli.real,
        fake={name: stimuli.fake(name) for name in conditions(study, stimuli)},
        masks=masks.paths if masks else (),
        catch={truth: tuple(s for s in others if s.truth is truth) for truth in Truth},
    )


def refuse_shared(study: Study, stimuli: StimulusSet, others: Sequence[Stimulus]) -> None:
    """Refuse an image that is judged and obvious at once, and paths that could be of either set."""
    sums = {stimulus.sha256: stimulus.path for stimulus in stimuli.stimuli}
    paths = {stimulus.path for stimulus in stimuli.stimuli}
    for other in others:
        same = sums.get(other.sha256) or (other.path if other.path in paths else None)
        if same:
            raise InputError(
                study.path,
                f"catch.stimuli: {other.path!r} is an image of {study.stimuli_folder} too ({same})",
                "images that the study does not evaluate",
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
