"""Images of prompts, as trials of comparisons, ratings and rankings show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An image that may be chosen: its path in the set, what made it, its checksum."""

    path: str
    condition: str
    sha256: str


def each_once(images: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Give images in their order, each once."""
    return tuple({image.path: image for image in images}.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt, and the images of it that each condition made."""

    text: str
    images: Mapping[str, tuple[Candidate, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Two images of one prompt that are to be compared, whichever side each is on."""

    prompt: str
    one: Candidate
    other: Candidate


def meetings(
    conditions: Sequence[str], prompts: Sequence[Prompt]
) -> dict[tuple[str, str], list[Meeting]]:
    """List all comparisons of the design, by the pair of conditions."""
    return {
        (one, other): [
            Meeting(prompt=prompt.text, one=first, other=second)
            for prompt in prompts
            for first, second in product(prompt.images.get(one, ()), prompt.images.get(other, ()))
        ]
        for one, other in combinations(conditions, 2)
    }
