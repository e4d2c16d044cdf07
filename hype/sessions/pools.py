"""What a study draws from, read from its folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from hype.errors import InputError
from hype.masks.maskset import MaskSet, read_masks
from hype.observers.population import Population, Spread
from hype.observers.psychometric import Psychometric
from hype.protocol.steps import Stimulus
from hype.stimuli.manifest import StimulusSet, read_manifest
from hype.study.draws import Draws, Purpose, study_sequence
from hype.study.sampling import Images, Pools
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
    test = read_manifest(study.test_folder) if study.test_folder else None
    return pools_of(study, read_manifest(study.stimuli_folder), masks, test)


def pools_of(
    study: Study, stimuli: StimulusSet, masks: MaskSet | None, test: StimulusSet | None
) -> Pools:
    """Take from the sets what the study draws from; ``test`` is the qualification's own.

    Raises
    ------
    InputError
        The study names a condition that the stimuli do not have, or asks for more images than there
        are; or the set of the qualification has no fakes, or calls real what is fake elsewhere.
    """
    names = conditions(study, stimuli, test)
    sources = sampled(study, {"": stimuli.real, **{name: stimuli.fake(name) for name in names}})
    return Pools(
        real=sources.pop(""),
        fake=sources,
        masks=masks.paths if masks else (),
        test=images_of_test(study, stimuli, test) if test else None,
    )


def sampled(
    study: Study, sources: Mapping[str, tuple[Stimulus, ...]]
) -> dict[str, tuple[Stimulus, ...]]:
    """Draw the images of each source that the study works with, the same for every evaluator.

    They follow from the study's seed and the manifest, and keep its order (Zhou et al. 2019,
    section 3: K = 5000 of each model, and as many real ones).

    Raises
    ------
    InputError
        A source has fewer than are asked for.
    """
    wanted = study.settings.stimuli.images_per_condition
    if wanted is None:
        return dict(sources)
    for name, images in sources.items():
        if len(images) < wanted:
            raise InputError(
                study.path,
                f"stimuli.images_per_condition = {wanted}, and {study.stimuli_folder} has "
                f"{len(images)} images of {name or 'real'!r}",
                f"at most {min(map(len, sources.values()))}, or leave the key out to take all",
            )
    seed = study.settings.study.seed
    drawn: dict[str, tuple[Stimulus, ...]] = {}
    for name, images in sources.items():
        places = Draws(study_sequence(seed, Purpose.IMAGES, name)).sample(len(images), wanted)
        drawn[name] = tuple(images[place] for place in sorted(places))
    return drawn


def images_of_test(study: Study, stimuli: StimulusSet, test: StimulusSet) -> Images:
    """Take the images of the qualification's own set, which say which set they are of.

    Raises
    ------
    InputError
        It has no fakes, or calls real what is fake elsewhere.
    """
    if not test.conditions:
        raise InputError(test.folder, "has no fake image", "fake/<condition>/…")
    truths = {image.sha256: image for image in stimuli.stimuli}
    for image in test.stimuli:
        other = truths.get(image.sha256, image)
        if other.truth is not image.truth:
            raise InputError(
                test.folder,
                f"{image.path} ({image.truth.value}) and {other.path} ({other.truth.value}) of "
                f"{stimuli.folder} are the same picture",
            )
    name = study.settings.qualification.stimuli

    def named(images: Iterable[Stimulus]) -> tuple[Stimulus, ...]:
        return tuple(replace(image, folder=name) for image in images)

    return Images(
        real=named(test.real),
        fake={condition: named(test.fake(condition)) for condition in test.conditions},
    )


def conditions(
    study: Study, stimuli: StimulusSet, test: StimulusSet | None = None
) -> tuple[str, ...]:
    """Give the conditions that the study evaluates: those it names, or all of the set.

    Observers may be described for the conditions of the qualification's own set too.
    """
    known = stimuli.conditions
    settings = study.settings
    tested = test.conditions if test else ()
    for key, names, allowed in (
        ("stimuli.conditions", settings.stimuli.conditions, known),
        ("observers", tuple(settings.observers), (*known, *tested)),
    ):
        if unknown := [name for name in names if name not in allowed]:
            raise InputError(
                study.path,
                f"{key}: {unknown[0]!r} is no condition of {study.stimuli_folder}",
                f"one of {', '.join(allowed) or '(none)'}",
            )
    if not known:
        raise InputError(study.stimuli_folder, "has no fake image", "fake/<condition>/…")
    return settings.stimuli.conditions or known


def population(study: Study, pools: Pools) -> Population:
    """Give the simulated people that the study describes, or plain ones where it does not."""
    settings = study.settings
    met = {**pools.fake, **(pools.test.fake if pools.test else {})}
    described = {c: settings.observers.get(c, ObserverSettings()) for c in met}
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
