"""What the study files to start from have in common, above all those about images of prompts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from string import Template
from typing import Any, Final

OPENING: Final = """
[study]
name = $name
seed = 2019                # everything random follows from it and the evaluator's code
methods = ["$method"]
consent = true
breaks = true              # between blocks, ended by the evaluator
# language = "de"          # what people read: en (without it), de, fr, es, ja, zh, ar

[stimuli]
folder = "stimuli"         # fake/<condition>/…, listed by: hype stimuli scan stimuli
# conditions = ["a", "b"]  # of those that are there, the ones that are $done; all without it
"""

DISPLAY: Final = """
[display]
fullscreen = true
screen = 0
# progress = true          # between trials a quiet bar tells how much of the block is done
# size_px = 384            # the square that an image fills
# enlarge = true           # also beyond its own pixels, at which it otherwise stays
# size_deg = 8             # the same in degrees of visual angle, which needs:
# [monitor]
# width_cm = 53.0          # visible width of the screen
# distance_cm = 57.0       # eyes to screen
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedShape:
    """What a study of images of prompts is made of.

    Attributes
    ----------
    images
        Of each condition and prompt that take part.
    real_too
        Whether real images take part, as a condition of their own.
    prompts, conditions
        How many there are.
    """

    images: int = 4
    real_too: bool = False
    prompts: int = 2
    conditions: int = 2


def filled_in(
    parts: Iterable[str], name: str, shape: PromptedShape, **more: str | int | float
) -> str:
    """Put a study file together, and fill in what its study is made of."""
    return Template("".join(parts)).substitute(
        name=json.dumps(name, ensure_ascii=False),  # a JSON string is a TOML string
        images=shape.images,
        real_too=json.dumps(shape.real_too),
        **more,
    )


def no_remarks(_shape: PromptedShape) -> Iterator[str]:
    """Say nothing of a study."""
    yield from ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedTemplate:
    """One kind of study to start from.

    Attributes
    ----------
    usual
        What it is made of where nothing is known of its images; of these at most as many.
    shape
        Makes what it is made of, from what is known.
    text
        Writes the study file, from its name and what it is made of.
    remarks
        Says what is unusual about it.
    trial
        The command that says what the design gives.
    complete
        Whether each prompt must have images of all conditions.
    words
        What evaluators do, as `hype new` lists it.
    wanted, of_each
        The key that says how many evaluators are wanted, and for each of what; empty where an
        experiment ends by its own rule.
    """

    usual: PromptedShape
    shape: Callable[..., PromptedShape]
    text: Callable[[str, Any], str]
    remarks: Callable[[Any], Iterator[str]] = no_remarks
    trial: str = "simulate"
    complete: bool = False
    words: str = ""
    wanted: str = ""
    of_each: str = ""
