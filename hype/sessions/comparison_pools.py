"""What a study of comparisons draws from, read from its folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from hype.confine import inside
from hype.errors import InputError
from hype.files import read_table
from hype.protocol.comparison import Candidate, Prompt
from hype.protocol.steps import Stimulus, Truth
from hype.stimuli.manifest import StimulusSet, read_extra_columns, read_manifest
from hype.study.comparing import ComparisonPools, Obvious, shared_out
from hype.study.comparison_settings import ComparisonFile
from hype.study.draws import Draws, Purpose, study_sequence
from hype.study.load import ComparisonStudy

REAL: Final = "real"
"""The condition of real images, where they are compared with what models made."""
LISTED: Final = ("prompt", "better", "worse")
"""Columns of the file of validation comparisons: the prompt as it is shown, and two paths."""

MOST_NAMED: Final = 12
"""Cells that a message lists."""

Made = dict[str, dict[str, list[Candidate]]]
"""Images by prompt and condition."""


def read_comparison_pools(study: ComparisonStudy) -> ComparisonPools:
    """Read what is compared, and the comparisons with an obvious answer.

    Raises
    ------
    InputError
        A manifest is wrong; there is no prompt, or only one condition of it, or too few images; the
        study names a condition that is not there; a listed comparison cannot be made.
    """
    stimuli = read_manifest(study.stimuli_folder)
    names = compared(study, stimuli)
    made = by_prompt(study, stimuli, names)
    prompts = tuple(chosen_images(study, text, images) for text, images in made.items())
    arena = study.settings.comparison.arena is not None
    if arena:
        require_all(study, prompts, names)
    obvious = tuple(obvious_of(study, stimuli, made))
    if study.settings.validation.kind != "off" and not obvious:
        raise InputError(
            study.path,
            'validation.kind "mismatch" has no other prompt to take a wrong image from',
            'two prompts or more, or "listed", or "off"',
        )
    shares = () if arena else shared_out(study.settings, names, prompts)
    return ComparisonPools(conditions=names, prompts=prompts, obvious=obvious, shares=shares)


def compared(study: ComparisonStudy, stimuli: StimulusSet) -> tuple[str, ...]:
    """Give the conditions that are compared: those the study names, or all of the set."""
    asked = study.settings
    known = (*stimuli.conditions, *([REAL] if asked.comparison.real_too else []))
    for key, named in (
        ("stimuli.conditions", asked.stimuli.conditions),
        ("observers", tuple(asked.observers)),
    ):
        if unknown := [name for name in named if name not in known]:
            raise InputError(
                study.path,
                f"{key}: {unknown[0]!r} is no condition of {study.stimuli_folder}",
                f"one of {', '.join(known) or '(none)'}",
            )
    names = asked.stimuli.conditions or known
    if len(names) < 2:
        raise InputError(
            study.path, f"compares {', '.join(names) or 'nothing'}", "two conditions or more"
        )
    return names


def by_prompt(study: ComparisonStudy, stimuli: StimulusSet, names: Sequence[str]) -> Made:
    """Gather the images of each prompt, as it is shown, by condition.

    Raises
    ------
    InputError
        The manifest has no column of prompts, or a prompt has images of one condition only.
    """
    asked = study.settings.comparison
    column = asked.prompt_column
    extra = read_extra_columns(study.stimuli_folder)
    if not any(column in cells for cells in extra.values()):
        raise InputError(
            stimuli.folder / "manifest.csv",
            f"has no column {column!r} that says what each image shows",
            "name it with comparison.prompt_column",
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
    refuse_lone(study, made)
    return made


def refuse_unused(study: ComparisonStudy, cells: Set[str]) -> None:
    """Refuse a wording of a prompt that no image has: it would pass unnoticed."""
    asked = study.settings.comparison
    if unused := [cell for cell in asked.prompts if cell not in cells]:
        some = ", ".join(sorted(filter(None, cells))[:MOST_NAMED])
        raise InputError(
            study.path,
            f"comparison.prompts: {unused[0]!r} stands in no cell of the column "
            f"{asked.prompt_column!r} of {study.stimuli_folder}",
            f"one of its cells: {some}",
        )


def refuse_lone(study: ComparisonStudy, made: Made) -> None:
    """Refuse a prompt of which there is nothing to compare, and prompts of which there are none."""
    where = study.stimuli_folder / "manifest.csv"
    if not made:
        raise InputError(where, "has no image with a prompt of the conditions that are compared")
    for text, images in made.items():
        if len(images) < 2:
            raise InputError(
                where,
                f"the prompt {text!r} has images of one condition only ({next(iter(images))})",
                "images of two conditions or more, or no prompt in that row",
            )


def candidate(stimulus: Stimulus) -> Candidate:
    """Take an image for one that may be chosen."""
    return Candidate(
        path=stimulus.path,
        condition=REAL if stimulus.truth is Truth.REAL else stimulus.condition,
        sha256=stimulus.sha256,
    )


def chosen_images(
    study: ComparisonStudy, text: str, images: Mapping[str, Sequence[Candidate]]
) -> Prompt:
    """Draw which images of a prompt take part: as many of each condition as the study says.

    Raises
    ------
    InputError
        There are fewer.
    """
    settings = study.settings
    wanted = settings.comparison.images
    taken = {}
    for name, some in images.items():
        if len(some) < wanted:
            raise InputError(
                study.stimuli_folder / "manifest.csv",
                f"has too few images of {name!r} for the prompt {text!r}: {len(some)}, and "
                f"comparison.images = {wanted}",
                "add images, or ask for fewer",
            )
        draws = Draws(study_sequence(settings.study.seed, Purpose.DESIGN, f"{text} {name}"))
        taken[name] = tuple(some[at] for at in draws.sample(len(some), wanted))
    return Prompt(text=text, images=taken)


def require_all(study: ComparisonStudy, prompts: Sequence[Prompt], names: Sequence[str]) -> None:
    """Refuse an arena some of whose pairs have no prompt in common."""
    for prompt in prompts:
        if lacking := [name for name in names if name not in prompt.images]:
            raise InputError(
                study.stimuli_folder / "manifest.csv",
                f"has no image of {lacking[0]!r} for the prompt {prompt.text!r}",
                "an arena needs images of all conditions for each prompt",
            )


def obvious_of(study: ComparisonStudy, stimuli: StimulusSet, made: Made) -> Iterator[Obvious]:
    """Yield the comparisons with an obvious answer."""
    kind = study.settings.validation.kind
    if kind == "mismatch":
        yield from mismatches(study.settings, made)
    elif kind == "listed":
        yield from listed(study, stimuli)


def mismatches(settings: ComparisonFile, made: Made) -> Iterator[Obvious]:
    """Put an image of each prompt beside one of another prompt, both by one condition."""
    draws = Draws(study_sequence(settings.study.seed, Purpose.DESIGN, "mismatch"))
    texts = list(made)
    for at, text in enumerate(texts):
        for name, right in made[text].items():
            others = [t for t in (*texts[at + 1 :], *texts[:at]) if name in made[t]]
            if not others:
                continue
            which, better, worse = draws.uniform(3)
            wrong = made[others[int(which * len(others))]][name]
            yield Obvious(
                prompt=text,
                better=right[int(better * len(right))],
                worse=wrong[int(worse * len(wrong))],
            )


def listed(study: ComparisonStudy, stimuli: StimulusSet) -> Iterator[Obvious]:
    """Read the comparisons that the study lists.

    Raises
    ------
    InputError
        A row names an image that is not in the set, or one image twice.
    """
    path = inside(study.folder, study.settings.validation.file)
    known = {stimulus.path: candidate(stimulus) for stimulus in stimuli.stimuli}
    rows = read_table(path, LISTED, made_by="hand, with columns prompt, better, worse")
    found = False
    for where, row in rows:
        if unknown := [row[side] for side in LISTED[1:] if row[side] not in known]:
            raise InputError(where, f"{unknown[0]!r} is no image of {study.stimuli_folder}")
        if known[row["better"]].sha256 == known[row["worse"]].sha256:
            problem = f"{row['better']!r} stands beside itself, or a copy of it"
            raise InputError(where, problem, "two images")
        found = True
        yield Obvious(prompt=row["prompt"], better=known[row["better"]], worse=known[row["worse"]])
    if not found:
        raise InputError(path, "lists no comparison")
