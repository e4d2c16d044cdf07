"""People's votes as arrays: splits by prompt, and counts for pairs of images."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import numpy as np

from hype.errors import InputError
from hype.export.kind import ExportKind
from hype.session.materials import read_stimuli
from hype.session.outgoing import reading
from hype.statistics.arrays import BoolArray, FloatArray, IntArray, renumber
from hype.study.studies import AnyStudy

HELD_SHARE: Final = 0.15
"""The share of prompts for validation, and for the test if the study marks no test prompts."""
SPLIT: Final = "split"
"""The column of a study that marks prompts held out of training."""


class VoteSplit(str, Enum):
    """What the votes on a prompt are used for."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


@dataclass(frozen=True, kw_only=True, eq=False)
class Votes:
    """Votes on which of two images of one prompt is better."""

    images: tuple[str, ...]  # paths in the stimulus set
    conditions: tuple[str, ...]
    condition: IntArray  # index of each image's condition in ``conditions``
    prompts: tuple[str, ...]
    held_out: frozenset[str]  # prompts that the study keeps for testing
    evaluators: int
    # For each vote, shape (votes,): the indices of the person, the prompt and the two images
    evaluator: IntArray
    prompt: IntArray
    first: IntArray
    second: IntArray
    verdict: IntArray  # 1 if the first image is better, −1 if the second is, 0 for a tie.
    by_place: bool = True  # Whether ``first`` is the left image, or the one shown first.
    left_out: int = 0  # Number of votes on images whose files have changed.
    simulated: bool = False

    def select(self, rows: BoolArray) -> Votes:
        names = ("evaluator", "prompt", "first", "second", "verdict")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def checksum(self) -> str:
        """Return the SHA-256 of all votes, prompts and images."""
        digest = hashlib.sha256("\n".join((*self.images, "", *self.prompts)).encode())
        for column in (self.evaluator, self.prompt, self.first, self.second, self.verdict):
            digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
        return digest.hexdigest()


def read_votes(study: AnyStudy, kind: ExportKind, *, simulated: bool) -> Votes:
    """Read the scored votes of people or of simulated evaluators.

    Raises InputError: the study does not ask which of two images is better, or has no votes on
    unchanged images.
    """
    if kind.pairs is None:
        problem = "does not ask which of two images is better"
        allowed = "a study of comparisons, of rankings, or of ratings of pairs"
        raise InputError(study.path, problem, allowed)
    with reading(study) as engine:
        ballot = kind.pairs.votes(engine, study, simulated)
    about = [column.name for column in kind.pairs.columns]
    split = about.index(SPLIT) if SPLIT in about else None
    sums = {one.path: one.sha256 for one in read_stimuli(study).stimuli}
    rows, held_out, left_out = [], set(), 0
    for number, votes in enumerate(ballot.by_evaluator.values()):
        for vote, times in votes.items():
            if any(sums.get(image[0]) != image[2] for image in (vote.one, vote.other)):
                left_out += times
                continue
            if split is not None and vote.about[split] == VoteSplit.TEST.value:
                held_out.add(vote.prompt)
            row = (number, vote.prompt, vote.one[:2], vote.other[:2], vote.verdict)
            rows += [row] * times
    if not rows:
        problem = "has no votes on images whose files are unchanged"
        raise InputError(study.path, problem, "votes of people, or --simulated")
    numbered = votes_of_rows(rows, held_out)
    place = kind.pairs.by_place
    return replace(numbered, by_place=place, left_out=left_out, simulated=simulated)


Row = tuple[int, str, tuple[str, str], tuple[str, str], int]
"""A vote: the evaluator, the prompt, each image as (path, condition), and the verdict."""


def votes_of_rows(rows: Collection[Row], held_out: Collection[str]) -> Votes:
    """Turn rows into arrays; number prompts, images and conditions in the order of their names."""
    condition = {image[0]: image[1] for row in rows for image in row[2:4]}
    images, conditions = sorted(condition), sorted(set(condition.values()))
    prompts = sorted({row[1] for row in rows})
    image_number = {name: n for n, name in enumerate(images)}
    condition_number = {name: n for n, name in enumerate(conditions)}
    prompt_number = {name: n for n, name in enumerate(prompts)}
    columns = np.array(
        [
            (who, prompt_number[p], image_number[one[0]], image_number[other[0]], verdict)
            for who, p, one, other, verdict in rows
        ],
        dtype=np.int64,
    ).T
    evaluators, columns[0] = renumber(columns[0])
    return Votes(
        images=tuple(images),
        conditions=tuple(conditions),
        condition=np.array([condition_number[condition[name]] for name in images], dtype=np.int64),
        prompts=tuple(prompts),
        held_out=frozenset(held_out),
        evaluators=evaluators,
        **dict(zip(("evaluator", "prompt", "first", "second", "verdict"), columns, strict=True)),
    )


def split_prompts(votes: Votes, rng: np.random.Generator) -> Mapping[VoteSplit, IntArray]:
    """Split the prompts into three parts.

    The test prompts are those that the study holds out, or else a random share. Raises
    InputError: there are fewer than three prompts, or none is left for training.
    """
    held = np.array([name in votes.held_out for name in votes.prompts])
    rest = rng.permutation(np.flatnonzero(~held))
    share = max(1, round(HELD_SHARE * len(rest)))
    tests = np.flatnonzero(held) if held.any() else rest[:share]
    rest = rest if held.any() else rest[share:]
    if len(rest) < 2:
        problem = f"{len(votes.prompts)} prompts, {int(held.sum())} of them held out for the test"
        raise InputError("prompts", problem, "one or more each for training, validation and test")
    return {
        VoteSplit.TRAIN: np.sort(rest[share:]),
        VoteSplit.VALIDATION: np.sort(rest[:share]),
        VoteSplit.TEST: np.sort(tests),
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class VotedPairs:
    """Pairs of images, with the votes for each; arrays of shape (pairs,)."""

    # one, other: indices of the images
    one: IntArray
    other: IntArray
    prompt: IntArray
    # for_one, for_other, ties: numbers of votes for each image, and number of ties
    for_one: FloatArray
    for_other: FloatArray
    ties: FloatArray

    def select(self, rows: BoolArray) -> VotedPairs:
        return VotedPairs(**{name: values[rows] for name, values in vars(self).items()})

    @property
    def images(self) -> IntArray:
        return np.unique(np.append(self.one, self.other))

    @property
    def total(self) -> float:
        return float(self.for_one.sum() + self.for_other.sum() + self.ties.sum())


def pairs_of(votes: Votes) -> VotedPairs:
    """Count the votes on the same two images, in either order."""
    swapped = votes.first > votes.second
    one, other = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    keys, place = np.unique(one * len(votes.images) + other, return_inverse=True)
    side = np.where(swapped, -votes.verdict, votes.verdict)
    sums = [
        np.bincount(place, side == way, minlength=len(keys)).astype(float) for way in (1, -1, 0)
    ]
    prompt = np.zeros(len(keys), dtype=np.int64)
    prompt[place] = votes.prompt
    return VotedPairs(
        one=keys // len(votes.images),
        other=keys % len(votes.images),
        prompt=prompt,
        for_one=sums[0],
        for_other=sums[1],
        ties=sums[2],
    )


def others_choices(votes: Votes) -> tuple[FloatArray, FloatArray]:
    """For each vote, count the other votes on the same two images: two arrays of shape (votes,).

    The first array counts those with the same choice, the second those with any choice. A tie is
    not a choice.
    """
    one, other = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    _, pair = np.unique(one * len(votes.images) + other, return_inverse=True)
    side = np.where(votes.first > votes.second, -votes.verdict, votes.verdict)
    up, down = (np.bincount(pair, weights=side == way) for way in (1, -1))
    own = (side != 0).astype(float)
    same = np.where(side > 0, up[pair], down[pair]) - own
    return np.where(side != 0, same, 0.0), up[pair] + down[pair] - own
