"""Study files to start from, about images of prompts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hype.study.templates import filled_in


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


def prompted_text(folder: Path, name: str, shape: PromptedShape, **more: object) -> str:
    """Write the commented study file of a protocol, by its folder."""
    values = {"images": shape.images, "real_too": json.dumps(shape.real_too)}
    return filled_in(folder / "template.toml", name, **values, **more)


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
