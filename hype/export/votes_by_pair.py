"""The scored comparisons of each two images, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final

from hype.protocol.comparison import Candidate, Choice
from hype.sessions.outgoing import Exported

CELLS: Final = (
    *("excluded", "evaluator", "prompt", "answer"),
    *("left_image", "left", "left_sha256", "right_image", "right", "right_sha256"),
)


@dataclass(slots=True, kw_only=True)
class Pair:
    """Two images of a prompt that met, in the order of their paths, and what was answered."""

    prompt: str
    images: tuple[Candidate, Candidate]
    votes: Counter[Candidate] = field(default_factory=Counter)
    ties: int = 0

    @property
    def chosen(self) -> Candidate:
        """The image that got more votes."""
        return max(self.images, key=lambda image: self.votes[image])

    @property
    def rejected(self) -> Candidate:
        """The other one."""
        return min(self.images, key=lambda image: self.votes[image])

    @property
    def decided(self) -> bool:
        """Whether one got more votes than the other."""
        one, other = self.images
        return self.votes[one] != self.votes[other]

    def count(self, answer: str, left: Candidate, right: Candidate, times: int) -> None:
        """Count an answer in that was given so many times."""
        if answer == Choice.TIE.value:
            self.ties += times
        else:
            self.votes[left if answer == Choice.LEFT.value else right] += times


Met = tuple[str, Candidate, Candidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """All pairs that met, in the order of prompts and paths, and of how many people's answers."""

    by_images: Mapping[Met, Pair]
    people: int
    votes: int

    @property
    def decided(self) -> Iterator[Pair]:
        """Those of which one image got more votes."""
        return (pair for pair in self.by_images.values() if pair.decided)

    @property
    def undecided(self) -> int:
        """How many there are of which none did."""
        return sum(not pair.decided for pair in self.by_images.values())


def count_pairs(exported: Exported) -> Pairs:
    """Count the answers that are scored. A file that was replaced is another image."""
    cells: Any = itemgetter(*map(exported.columns.index, CELLS))
    alike: Counter[Any] = Counter()
    people = set()
    for excluded, evaluator, *said in map(cells, exported.rows):
        if not excluded:
            alike[tuple(said)] += 1
            people.add(evaluator)
    return Pairs(by_images=in_order(pairs_of(alike)), people=len(people), votes=alike.total())


def pairs_of(alike: Mapping[Any, int]) -> dict[Met, Pair]:
    """Gather answers to the same two images, whichever was on the left."""
    found: dict[Met, Pair] = {}
    for (prompt, answer, *sides), times in alike.items():
        left, right = image_of(*sides[:3]), image_of(*sides[3:])
        one, other = sorted((left, right), key=place)
        pair = found.setdefault((prompt, one, other), Pair(prompt=prompt, images=(one, other)))
        pair.count(answer, left, right, times)
    return found


def image_of(path: str, condition: str, sha256: str) -> Candidate:
    """Give an image as it was shown."""
    return Candidate(path=path, condition=condition, sha256=sha256)


def place(image: Candidate) -> tuple[str, str, str]:
    """Give what images are ordered by."""
    return image.path, image.sha256, image.condition


def in_order(found: Mapping[Met, Pair]) -> dict[Met, Pair]:
    """Sort pairs by prompt and paths: the same votes give the same file, whoever came first."""
    ordered = sorted(found.items(), key=lambda item: (item[0][0], *map(place, item[0][1:])))
    return dict(ordered)
