"""What a study of comparisons draws from, read from its folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hype.confine import inside
from hype.errors import InputError
from hype.files import read_table
from hype.protocols.comparison.sampling import ComparisonPools, Obvious, shared_out
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.prompted.pools import Made, by_prompt, candidate, chosen_images, taking_part
from hype.protocols.prompted.trial import Prompt
from hype.protocols.studies import ComparisonStudy
from hype.stimuli.manifest import StimulusSet, read_manifest
from hype.study.draws import Draws, Purpose, study_sequence

LISTED: Final = ("prompt", "better", "worse")
"""Columns of the file of validation comparisons: the prompt as it is shown, and two paths."""


def read_comparison_pools(study: ComparisonStudy) -> ComparisonPools:
    """Read what is compared, and the comparisons with an obvious answer.

    Raises
    ------
    InputError
        A manifest is wrong; there is no prompt, or only one condition of it, or too few images; the
        study names a condition that is not there; a listed comparison cannot be made.
    """
    stimuli = read_manifest(study.stimuli_folder)
    names = taking_part(study, stimuli)
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
