"""Votes on two images, counted: which one was preferred, whatever was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hype.protocols.prompted.trial import Candidate

Seen = tuple[str, str, str]
"""An image as an answer names it: its path, its condition, its SHA-256."""


class Vote(NamedTuple):
    """One answer to which of two images is better.

    ``verdict`` is above 0 where the one is, below 0 where the other is, and 0 for a tie. ``about``
    is what else is said of the pair.
    """

    prompt: str
    one: Seen
    other: Seen
    verdict: int
    about: tuple[object, ...] = ()


@dataclass(slots=True, kw_only=True)
class Ballot:
    """Votes that are scored, those that are alike counted together."""

    alike: Counter[Vote] = field(default_factory=Counter)  # how often each was given
    people: set[object] = field(default_factory=set)  # who voted
    # What else is to be known of them, such as how many answers they are made of
    told: dict[str, object] = field(default_factory=dict)

    def cast(self, evaluator: object, vote: Vote) -> None:
        self.alike[vote] += 1
        self.people.add(evaluator)


@dataclass(slots=True, kw_only=True)
class VotedPair:
    """Two images of a prompt that met, in the order of their paths, and what was answered."""

    prompt: str
    images: tuple[Candidate, Candidate]
    about: tuple[object, ...]
    votes: Counter[Candidate] = field(default_factory=Counter)
    ties: int = 0

    @property
    def chosen(self) -> Candidate:
        return max(self.images, key=lambda image: self.votes[image])

    @property
    def rejected(self) -> Candidate:
        return min(self.images, key=lambda image: self.votes[image])

    @property
    def decided(self) -> bool:
        one, other = self.images
        return self.votes[one] != self.votes[other]


Met = tuple[str, Candidate, Candidate, tuple[object, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """All pairs that met, in the order of prompts and paths."""

    by_images: Mapping[Met, VotedPair]

    @property
    def decided(self) -> Iterator[VotedPair]:
        return (pair for pair in self.by_images.values() if pair.decided)

    @property
    def undecided(self) -> int:
        return sum(not pair.decided for pair in self.by_images.values())


def count_pairs(ballot: Ballot) -> Pairs:
    """Gather votes on the same two images, whichever came first.

    A file that was replaced is another image.
    """
    found: dict[Met, VotedPair] = {}
    for vote, times in ballot.alike.items():
        one, other = image_of(*vote.one), image_of(*vote.other)
        images = (one, other) if place(one) <= place(other) else (other, one)
        pair = found.setdefault(
            (vote.prompt, *images, vote.about),
            VotedPair(prompt=vote.prompt, images=images, about=vote.about),
        )
        if vote.verdict:
            pair.votes[one if vote.verdict > 0 else other] += times
        else:
            pair.ties += times
    return Pairs(by_images=in_order(found))


def image_of(path: str, condition: str, sha256: str) -> Candidate:
    return Candidate(path=path, condition=condition, sha256=sha256)


def place(image: Candidate) -> tuple[str, str, str]:
    return image.path, image.sha256, image.condition


def in_order(found: Mapping[Met, VotedPair]) -> dict[Met, VotedPair]:
    """Sort pairs by prompt and paths: the same votes give the same file, whoever came first."""
    ordered = sorted(
        found.items(),
        key=lambda item: (item[0][0], *map(place, item[1].images), str(item[1].about)),
    )
    return dict(ordered)
