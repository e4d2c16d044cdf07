"""Checks of studies with prompts before they start."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations
from textwrap import wrap
from typing import Any, Final, TypeVar

from hype.check.findings import Preflight
from hype.check.images import (
    ALIKE,
    Trait,
    check_files,
    check_images,
    check_page_pictures,
    stimuli_of,
    traits_of,
    warn_of_traces,
)
from hype.errors import few
from hype.protocols.prompted.pools import (
    Made,
    PromptedPools,
    choose_images,
    group_by_prompt,
    read_references,
    taking_part,
)
from hype.protocols.prompted.settings import PromptedStudy
from hype.protocols.prompted.trial import Candidate, Prompt
from hype.session.materials import read_others
from hype.stimuli.manifest import Stimulus, StimulusSet
from hype.study.phrases import write_count

ANYBODY: Final = "anybody"
"""The code of an evaluator whose plan gives the typical duration of a session."""

Met = TypeVar("Met", bound=tuple[str, ...])
"""A pair of compared conditions, or one condition."""

PoolsT = TypeVar("PoolsT", bound=PromptedPools)


def check_materials(
    flight: Preflight, study: PromptedStudy, gather: Callable[[StimulusSet], PoolsT | None]
) -> PoolsT | None:
    """Check a study's images, and read those of its sessions; None if they cannot be read."""
    stimuli = stimuli_of(flight, study)
    check_page_pictures(flight, study, stimuli)
    if not stimuli:
        return None
    if study.settings.gate and study.settings.screening.test:
        flight.facts["gate"] = study.settings.gate.model_dump(include={"decide", "pass_rate"})
    seen = check_images(flight, stimuli)
    check_files(
        flight, study, flight.attempt("manifest-wrong", lambda: [*read_others(study)]) or ()
    )
    pools = gather(stimuli)
    if pools:
        warn_of_giveaways(flight, stimuli, pools, seen.traits)
        warn_of_traces(flight, stimuli, seen)
    return pools


def gather_or_report(
    flight: Preflight,
    study: PromptedStudy,
    stimuli: StimulusSet,
    code: str,
    read: Callable[[], PoolsT],
) -> PoolsT | None:
    """Read the images of sessions, or report what prevents it.

    ``code``: the code of the finding if ``read`` fails.
    """
    asked = gather_images(flight, study, stimuli)
    if not asked or prompts_of(flight, study, asked[1]) is None:
        return None
    return flight.attempt(code, read)


def gather_images(
    flight: Preflight, study: PromptedStudy, stimuli: StimulusSet
) -> tuple[tuple[str, ...], Made] | None:
    """Read conditions and images by prompt, as sessions do, or report what is wrong."""
    names = flight.attempt("condition-unknown", lambda: taking_part(study, stimuli))
    if not names:
        return None
    made = flight.attempt("prompts-unfit", lambda: group_by_prompt(study, stimuli, names))
    if not made:
        return None
    has_references = flight.allows(
        "reference-missing", lambda: read_references(study, stimuli, made)
    )
    return (names, made) if has_references else None


def prompts_of(flight: Preflight, study: PromptedStudy, made: Made) -> tuple[Prompt, ...] | None:
    """Choose the images that take part, or report missing ones."""
    return flight.attempt(
        "too-few-images",
        lambda: tuple(choose_images(study, text, images) for text, images in made.items()),
    )


def warn_of_giveaways(
    flight: Preflight, stimuli: StimulusSet, pools: PromptedPools, traits: Mapping[str, Trait]
) -> None:
    """Warn of file properties, such as the format, that differ between conditions."""
    by_path = {stimulus.path: stimulus for stimulus in stimuli.stimuli}
    images_of: dict[str, list[Stimulus]] = {name: [] for name in pools.conditions}
    for prompt in pools.prompts:
        for name, images in prompt.images.items():
            images_of[name] += [by_path[image.path] for image in images]
    for name, trait in traits.items():
        problems: dict[str, list[str]] = {}
        for condition, some in images_of.items():
            if values := traits_of(some, trait):
                problems.setdefault(few(values, 3), []).append(condition)
        if len(problems) > 1:
            described = "; ".join(f"{values}: {', '.join(who)}" for values, who in problems.items())
            flight.warn(
                f"giveaway-{name}",
                f"{stimuli.folder}: conditions differ in {name} ({described}), which may reveal "
                "the condition of an image",
                ALIKE,
            )


def warn_of_copies(
    flight: Preflight,
    study: PromptedStudy,
    same: Sequence[tuple[Candidate, Candidate]],
    *,
    one: str,
    many: str,
) -> None:
    """Warn of pairs whose two files are the same picture.

    ``one``, ``many``: what such a pair is called, such as "comparison" and "comparisons".
    """
    if same:
        what = f"1 {one} shows" if len(same) == 1 else f"{len(same):,} {many} show"
        first, second = (image.path for image in same[0])
        flight.warn(
            "image-with-itself",
            f"{study.stimuli_folder}: {what} one picture twice: {first} and {second}"
            + (" among them" if len(same) > 1 else ""),
            "replace one of them",
        )


def copies_of_references(pools: PromptedPools) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield the images that are the same picture as their reference."""
    for prompt in pools.prompts:
        if reference := pools.references.get(prompt.text):
            images = chain.from_iterable(prompt.images.values())
            yield from ((one, reference) for one in images if one.sha256 == reference.sha256)


def copies_in(prompts: Collection[Prompt]) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield the pairs of images of one prompt, but of two conditions, that are the same picture."""
    for prompt in prompts:
        same_picture: dict[str, list[Candidate]] = {}
        for image in chain.from_iterable(prompt.images.values()):
            same_picture.setdefault(image.sha256, []).append(image)
        for some in same_picture.values():
            pairs = combinations(some, 2)
            yield from (pair for pair in pairs if pair[0].condition != pair[1].condition)


def count_conditions(prompts: Collection[Prompt]) -> dict[str, int]:
    """Count each prompt's pairs of images of two conditions; return the fewest and the most."""
    sizes = [[*map(len, prompt.images.values())] for prompt in prompts]
    numbers = [sum(one * other for one, other in combinations(own, 2)) for own in sizes]
    return {"least": min(numbers), "most": max(numbers)}


def warn_of_uneven_pairs(
    flight: Preflight,
    study: PromptedStudy,
    pools: PromptedPools,
    counts: Mapping[Met, int],
    *,
    done: str,
) -> None:
    """Warn of prompts that lack a condition, so that pairs are not judged equally often.

    ``done``: compared, rated or ranked.
    """
    if len(set(counts.values())) == 1:
        return
    least, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    text, name = lacking(pools)
    flight.warn(
        "pairs-uneven",
        f"{study.stimuli_folder}: {' and '.join(least)} are {done} {counts[least]:,} times, and "
        f"{' and '.join(most)} {counts[most]:,} times: the prompt {text!r} has no image of "
        f"{name!r}",
        "add the images, or list only conditions with all prompts in stimuli.conditions",
    )


def lacking(pools: PromptedPools) -> tuple[str, str]:
    """Name the first prompt that lacks a condition, and the condition."""
    every = ((p.text, name) for p in pools.prompts for name in pools.conditions)
    of_prompts = {prompt.text: prompt.images for prompt in pools.prompts}
    missing = ((text, name) for text, name in every if name not in of_prompts[text])
    return next(missing, ("", ""))


def spread(counts: Mapping[Met, int], times: int) -> dict[str, int]:
    """Return the fewest and the most answers to a pair, if each item gets ``times`` answers."""
    return {"least": min(counts.values()) * times, "most": max(counts.values()) * times}


Facts = Mapping[str, Any]

Line = tuple[str, str]
"""A title (may be empty) and a text."""
WIDTH: Final = 66
"""The maximum length of a line in characters, without its title."""


def fold(title: str, names: Sequence[str]) -> Iterator[Line]:
    lines = wrap(", ".join(names), WIDTH)
    yield from zip([title, *[""] * (len(lines) - 1)], lines, strict=True)


def write_range(range_: Mapping[str, int]) -> str:
    least, most = range_["least"], range_["most"]
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def prompts_in(facts: Facts, images: str) -> str:
    numbers = facts[images].values()
    each = write_range({"least": min(numbers), "most": max(numbers)})
    every = sum(facts["images"][name] for name in facts[images])
    used = f"{sum(numbers):,} of {every:,} in all"
    return f"{facts['prompts']:,}; {each} images of each condition take part, {used}"


def evaluators_in(facts: Facts) -> str:
    return f"{facts['evaluators']:,} in {write_count(facts['cells'], 'share')}"


def session_in(facts: Facts, unit: str = "") -> str:
    (minutes,) = facts["minutes"].values()
    session = ", ".join(f"{number} {task}" for task, number in facts["session"].items() if number)
    return f"about {write_count(minutes, 'minute')} ({unit}{session})"
