"""Images of prompts, read from a stimulus set, for comparisons, ratings and rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final, TypeVar

from hype.errors import InputError
from hype.protocols.prompted.settings import TEST, PromptedStudy, ReferencedSettings
from hype.protocols.prompted.trial import Candidate, Prompt
from hype.session.materials import read_columns, read_others, read_stimuli
from hype.stimuli.manifest import MANIFEST, Stimulus, StimulusSet, Truth, read_extra_columns
from hype.study.assignment import Cell
from hype.study.draws import Draws, Purpose, study_sequence

REAL: Final = "real"
"""The name of the condition of real images, if they take part."""
REFERENCE: Final = "reference"
"""The column of the manifest that has the path of an image's reference."""
MOST_NAMED: Final = 12
"""The maximum number of cells that a message lists."""

Thing = TypeVar("Thing")
Made = dict[str, dict[str, list[Candidate]]]
"""Images by prompt and condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedPools:
    """The images of a study.

    ``conditions``: the conditions that take part, in order. ``prompts``: the prompts, with the
    images of each condition. ``references``: the reference image of each prompt.
    """

    conditions: tuple[str, ...]
    prompts: tuple[Prompt, ...]
    references: Mapping[str, Candidate] = field(default_factory=dict)


def read_pools(study: PromptedStudy) -> PromptedPools:
    """Read the images that take part.

    Raises InputError: a manifest is wrong; there is no prompt; a prompt has too few conditions or
    images; the study names an unknown condition.
    """
    stimuli = read_stimuli(study)
    names = taking_part(study, stimuli)
    made = group_by_prompt(study, stimuli, names)
    prompts = tuple(choose_images(study, text, images) for text, images in made.items())
    references = read_references(study, stimuli, made)
    return PromptedPools(conditions=names, prompts=prompts, references=references)


def cells_of_shares(method: str, shares: Sequence[object]) -> tuple[Cell, ...]:
    """List the cells of a design: one for each share."""
    numbers = range(1, len(shares) + 1)
    return tuple(Cell(condition="", methods=(method,), share=number) for number in numbers)


def manifest_of(study: PromptedStudy) -> Path:
    return study.stimuli_folder / MANIFEST


def fewest_conditions(study: PromptedStudy) -> str:
    return "two conditions or more" if study.fewest_conditions > 1 else "a condition"


def taking_part(study: PromptedStudy, stimuli: StimulusSet) -> tuple[str, ...]:
    """Return the conditions that take part: those that the study names, or all in the set.

    Raises InputError: the study names an unknown condition, or there are too few conditions.
    """
    asked = study.settings
    began = (name for name in stimuli.conditions if name not in study.added)
    conditions = (*began, *([REAL] if study.of_prompts.real_too else []), *study.added)
    for key, named in (
        ("stimuli.conditions", asked.stimuli.conditions),
        ("observers", tuple(asked.observers)),
    ):
        if unknown := [name for name in named if name not in conditions]:
            raise InputError(
                study.path,
                f"{key}: {unknown[0]!r} is not a condition of {study.stimuli_folder}",
                f"one of {', '.join(conditions) or '(none)'}",
            )
    named = asked.stimuli.conditions
    names = (*named, *study.added) if named else conditions
    if len(names) < study.fewest_conditions:
        problem = f"asks about images of {', '.join(names) or 'no condition'}"
        raise InputError(study.path, problem, fewest_conditions(study))
    return names


def first_conditions(names: Sequence[str], added: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in added)


def require_all(
    study: PromptedStudy, prompts: Sequence[Prompt], names: Sequence[str], *, design: str
) -> None:
    """Refuse a prompt without images of a condition, for designs that need all conditions."""
    for prompt in prompts:
        if lacking := [name for name in names if name not in prompt.images]:
            raise InputError(
                manifest_of(study),
                f"has no image of {lacking[0]!r} for the prompt {prompt.text!r}",
                f"{design} needs images of all conditions for each prompt",
            )


def newcomers(
    names: Sequence[str], added: Collection[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each model that joined later, with the conditions before it.

    The cells of a new model come after the existing cells, which stay the same.
    """
    for at, name in enumerate(names):
        if name in added:
            yield name, tuple(names[:at])


def keep_conditions(prompts: Sequence[Prompt], names: Collection[str]) -> tuple[Prompt, ...]:
    return tuple(
        Prompt(text=p.text, images={name: i for name, i in p.images.items() if name in names})
        for p in prompts
    )


def group_by_prompt(study: PromptedStudy, stimuli: StimulusSet, names: Sequence[str]) -> Made:
    """Collect images by prompt (as worded on the screen) and condition.

    Raises InputError: the manifest has no column of prompts, or a prompt has images of too few
    conditions.
    """
    asked = study.of_prompts
    column = asked.prompt_column
    extra = read_columns(study)
    if not any(column in cells for cells in extra.values()):
        raise InputError(
            manifest_of(study),
            f"has no column {column!r} with the prompt of each image",
            f"name the column with {study.table}.prompt_column",
        )
    refuse_unused(study, {cells.get(column, "") for cells in extra.values()})
    made: Made = {}
    for stimulus in stimuli.stimuli:
        name = stimulus.condition or REAL
        cell = extra[stimulus.path].get(column, "")
        if name not in names or not cell:
            continue
        text = asked.prompts.get(cell, cell)
        made.setdefault(text, {}).setdefault(name, []).append(candidate(stimulus))
    refuse_lone_prompts(study, made)
    return made


def read_references(study: PromptedStudy, stimuli: StimulusSet, made: Made) -> dict[str, Candidate]:
    """Read the reference image of each prompt; empty if the study shows no references.

    Images of models that joined later are shown with the existing references. Raises InputError: an
    image has no reference; a reference is not in the set; a prompt has two references.
    """
    asked, where = study.of_prompts, manifest_of(study)
    if not isinstance(asked, ReferencedSettings) or asked.show_reference is None:
        return {}
    listed, extra = {s.path: s for s in stimuli.stimuli}, read_columns(study)
    references: dict[str, Candidate] = {}
    for text, images in made.items():
        for image in chain.from_iterable(images.values()):
            if image.condition in study.added:
                continue
            path = extra[image.path].get(REFERENCE, "")
            if path not in listed:
                problem = f"is {path!r}, which is not an image of the set" if path else "is missing"
                problem = f"the reference of {image.path} {problem}"
                raise InputError(where, problem, f"a path in the column {REFERENCE!r}")
            own = references.setdefault(text, candidate(listed[path]))
            if own.path != path:
                problem = f"the prompt {text!r} has two references: {own.path} and {path}"
                raise InputError(where, problem, "one reference for all images of a prompt")
    return references


def require_references(
    study: PromptedStudy, references: Mapping[str, Candidate], prompts: Iterable[str]
) -> None:
    """Refuse a prompt without a reference, if the study shows references."""
    if references and (alone := [text for text in prompts if text not in references]):
        problem = f"the prompt {alone[0]!r} has no reference in the manifest"
        raise InputError(study.path, problem, "a reference for each prompt, or omit show_reference")


def refuse_unused(study: PromptedStudy, cells: Set[str]) -> None:
    """Refuse a wording for a prompt without images, since it is probably a typo."""
    asked = study.of_prompts
    if unused := [cell for cell in asked.prompts if cell not in cells]:
        some = ", ".join(sorted(filter(None, cells))[:MOST_NAMED])
        raise InputError(
            study.path,
            f"{study.table}.prompts: {unused[0]!r} is in no cell of the column "
            f"{asked.prompt_column!r} of {study.stimuli_folder}",
            f"one of its cells: {some}",
        )


def refuse_lone_prompts(study: PromptedStudy, made: Made) -> None:
    """Refuse prompts with too few conditions, and stimuli without prompts."""
    where = manifest_of(study)
    if not made:
        raise InputError(where, "has no image that has a prompt and a condition that takes part")
    for text, images in made.items():
        if len(images) < study.fewest_conditions:
            raise InputError(
                where,
                f"the prompt {text!r} has images of one condition only ({next(iter(images))})",
                f"images of {fewest_conditions(study)}; or leave its images' prompt cells empty",
            )


def candidate(stimulus: Stimulus) -> Candidate:
    """Turn a stimulus into an image that can be shown and chosen."""
    return Candidate(
        path=stimulus.path,
        condition=REAL if stimulus.truth is Truth.REAL else stimulus.condition,
        sha256=stimulus.sha256,
    )


QUALITY: Final = {"quality": "quality"}
"""The quality column of a test's manifest; a larger number means a better image."""
TestImages = Sequence[tuple[Candidate, Mapping[str, str]]]
"""A prompt's test images, each with its quality, or with the right answer on each axis."""


def draw_test(
    study: PromptedStudy,
    list_trials: Callable[[str, TestImages], Iterable[Thing]],
    columns: Mapping[str, str] = QUALITY,
    *,
    numbers: bool = True,
) -> tuple[Thing, ...]:
    """Draw the trials of a test from all that its images allow; empty if the test has no images.

    Raises InputError: the quality of an image is not a number, or there are too few images.
    """
    asked, rule, folder = study.of_prompts, study.settings.screening, study.other_sets.get(TEST)
    if folder is None:
        return ()
    rows, made = read_extra_columns(folder), dict[str, list[tuple[Candidate, dict[str, str]]]]()
    for stimulus in read_others(study):
        row = rows[stimulus.path.removeprefix(f"{TEST}/")]
        known = {name: row[column] for name, column in columns.items() if row.get(column)}
        if wrong := [cell for cell in known.values() if numbers and not is_number(cell)]:
            where = f"{folder / MANIFEST}: {stimulus.path}"
            raise InputError(where, f"the quality {wrong[0]!r} is not a number", "a number")
        if known and (cell := row.get(asked.prompt_column, "")):
            made.setdefault(asked.prompts.get(cell, cell), []).append((candidate(stimulus), known))
    things = [thing for text, images in made.items() for thing in list_trials(text, images)]
    if len(things) < rule.test:
        problem = f"screening.test = {rule.test}, but its images give only {len(things)} trials"
        raise InputError(folder / MANIFEST, problem, "a shorter test, or more images")
    draws = Draws(study_sequence(study.settings.study.seed, Purpose.DESIGN, TEST))
    return tuple(things[at] for at in draws.sample(len(things), rule.test))


def is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def choose_images(
    study: PromptedStudy, text: str, images: Mapping[str, Sequence[Candidate]]
) -> Prompt:
    """Draw as many images of a prompt from each condition as the study sets.

    Raises InputError: a condition has too few images.
    """
    seed, number = study.settings.study.seed, study.of_prompts.images
    taken = {}
    for name, some in images.items():
        if len(some) < number:
            raise InputError(
                manifest_of(study),
                f"has too few images of {name!r} for the prompt {text!r}: {len(some)}, but "
                f"{study.table}.images = {number}",
                "add images, or ask for fewer",
            )
        draws = Draws(study_sequence(seed, Purpose.DESIGN, f"{text} {name}"))
        taken[name] = tuple(some[at] for at in draws.sample(len(some), number))
    return Prompt(text=text, images=taken)
