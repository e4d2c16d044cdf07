"""The images and masks that a study draws from, read from its folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hype.errors import InputError
from hype.masks.maskset import MaskSet, read_mask_sets
from hype.protocols.hype.counterbalancing import require_served
from hype.protocols.hype.observer import Population, Psychometric
from hype.protocols.hype.sampling import Images, Pools
from hype.protocols.hype.settings import ObserverSettings, Study
from hype.protocols.hype.trial import Task
from hype.session.materials import read_others, read_stimuli
from hype.stimuli.manifest import Stimulus, StimulusSet, Truth
from hype.study.draws import Draws, Purpose, study_sequence

SPREADS: Final = {"threshold_spread", "ceiling_spread", "bias_spread"}


def read_pools(study: Study) -> Pools:
    """Read the manifests of a study's stimuli and masks, and select the images and masks to use."""
    masks = read_mask_sets(study.masks_folder, study.added_sets) if study.masks_folder else None
    return pools_of(study, read_stimuli(study), masks, tuple(read_others(study)))


def pools_of(
    study: Study, stimuli: StimulusSet, masks: MaskSet | None, others: Sequence[Stimulus] = ()
) -> Pools:
    """Select the images and masks of the study from its sets.

    InputError: the stimuli lack a condition or images that the study needs, or `refuse_shared`
    refuses an image.
    """
    refuse_shared(study, stimuli, others)
    obvious, test = (images_of_task(others, task) for task in (Task.CATCH, Task.QUALIFICATION))
    names = conditions(study, stimuli, others)
    sources = {"": stimuli.real, **{name: stimuli.fake(name) for name in names}}
    sources = draw_images(study, drop_repeats(sources) if study.settings.within else sources)
    return Pools(
        real=sources.pop(""),
        fake=sources,
        masks=masks.paths if masks else (),
        catch={truth: tuple(s for s in obvious if s.truth is truth) for truth in Truth},
        test=images_of_test(study, test) if test else None,
    )


def drop_repeats(sources: Mapping[str, Sequence[Stimulus]]) -> dict[str, tuple[Stimulus, ...]]:
    """Keep one of the copies in a source, and drop pictures that several sources have."""
    pictures = {name: {image.sha256: image for image in some} for name, some in sources.items()}
    having = Counter(sha256 for some in pictures.values() for sha256 in some)
    return {
        name: tuple(image for sha256, image in some.items() if having[sha256] == 1)
        for name, some in pictures.items()
    }


def images_of_task(others: Sequence[Stimulus], task: Task) -> tuple[Stimulus, ...]:
    return tuple(image for image in others if image.path.startswith(f"{task.value}/"))


def images_of_test(study: Study, test: Sequence[Stimulus]) -> Images:
    """Sort the images of the qualification's own set by condition; the set must have a fake."""
    names = dict.fromkeys(sorted(image.condition for image in test if image.condition))
    if not names:
        folder = study.other_sets[Task.QUALIFICATION.value]
        raise InputError(folder, "has no fake image", "fake/<condition>/…")
    return Images(
        real=tuple(image for image in test if not image.condition),
        fake={name: tuple(image for image in test if image.condition == name) for name in names},
    )


def draw_images(
    study: Study, sources: Mapping[str, tuple[Stimulus, ...]]
) -> dict[str, tuple[Stimulus, ...]]:
    """Draw the study's images from each source: one draw for all evaluators.

    The drawn images follow from the study's seed and the manifest's order. Zhou et al. (2019,
    section 3) draw 5000 real images and 5000 of each model. InputError if a source has too few.
    """
    wanted = study.settings.stimuli.images_per_condition
    if wanted is None:
        return dict(sources)
    for name, images in sources.items():
        if len(images) < wanted:
            raise InputError(
                study.path,
                f"stimuli.images_per_condition = {wanted}, but {study.stimuli_folder} has "
                f"{len(images)} images of {name or 'real'!r}",
                f"at most {min(map(len, sources.values()))}; without this key, all images are used",
            )
    seed = study.settings.study.seed
    drawn: dict[str, tuple[Stimulus, ...]] = {}
    for name, images in sources.items():
        places = Draws(study_sequence(seed, Purpose.IMAGES, name)).sample(len(images), wanted)
        drawn[name] = tuple(images[place] for place in sorted(places))
    return drawn


def refuse_shared(study: Study, stimuli: StimulusSet, others: Sequence[Stimulus]) -> None:
    """Refuse an image that is in two sets with different roles.

    An image that people judge cannot also be an obvious image. The qualification may share a
    picture with the study if it is real in both sets, or fake in both.
    """
    sums = {stimulus.sha256: stimulus for stimulus in stimuli.stimuli}
    paths = {stimulus.path: stimulus for stimulus in stimuli.stimuli}
    for other in others:
        same = sums.get(other.sha256)
        if images_of_task([other], Task.QUALIFICATION) and same and same.truth is other.truth:
            same = None
        if same := same or paths.get(other.path):
            name = other.path.partition("/")[0]
            raise InputError(
                study.path,
                f"{name}.stimuli: {other.path!r} ({other.truth.value}) is also an image of "
                f"{study.stimuli_folder} ({same.path}, {same.truth.value})",
                "images that the study does not evaluate",
            )


def conditions(
    study: Study, stimuli: StimulusSet, others: Sequence[Stimulus] = ()
) -> tuple[str, ...]:
    """Return the conditions that the study evaluates: those it names, or all in its stimuli.

    The table ``observers`` may also name conditions of the qualification's own set.
    """
    known = stimuli.conditions
    settings = study.settings
    tested = dict.fromkeys(
        s.condition for s in images_of_task(others, Task.QUALIFICATION) if s.condition
    )
    for key, names, allowed in (
        ("stimuli.conditions", settings.stimuli.conditions, known),
        ("observers", tuple(settings.observers), (*known, *tested)),
    ):
        if unknown := [name for name in names if name not in allowed]:
            raise InputError(
                study.path,
                f"{key}: {unknown[0]!r} is not a condition of {study.stimuli_folder}",
                f"one of {', '.join(allowed) or '(none)'}",
            )
    if not known:
        raise InputError(study.stimuli_folder, "has no fake image", "fake/<condition>/…")
    names = settings.stimuli.conditions or tuple(n for n in known if n not in study.added)
    names = (*names, *study.added)
    require_served(study.path, settings, names)
    return names


def population(study: Study, pools: Pools) -> Population:
    """Return the simulated people of the study, with defaults for missing settings.

    If a condition sets no spread, the spread in ``[people]`` is used.
    """
    settings = study.settings
    people, plain = settings.people, ObserverSettings()
    spreads = people.model_dump(include=SPREADS)
    typical = {
        name: settings.observers.get(name, plain).model_dump(exclude_none=True)
        for name in (*pools.fake, *(pools.test.fake if pools.test else ()))
    }
    return Population(
        typical={name: Psychometric(**spreads | own) for name, own in typical.items()},
        image_seed=settings.study.seed,
        **people.model_dump(exclude=SPREADS),
    )


def conditions_of(study: Study, stimuli: StimulusSet) -> tuple[str, ...]:
    """Return the conditions in a study's stimuli that the study evaluates.

    Raises InputError: the study names a condition that the stimuli do not have.
    """
    others = tuple(read_others(study)) if study.settings.qualification.stimuli else ()
    return conditions(study, stimuli, others)


def conditions_known(study: Study, met: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """Return the conditions of a study, and a problem if its stimuli cannot be read.

    If there is a problem, the conditions are those that the study file names. If it names none,
    they are those of its simulated ``observers`` and those ``met`` in the record: maybe not all.
    """
    try:
        return conditions_of(study, read_stimuli(study)), ""
    except InputError as error:
        conditions_met = {*study.settings.observers, *met}
        named = study.settings.stimuli.conditions or tuple(sorted(conditions_met - {*study.added}))
        return (*named, *study.added), str(error)
