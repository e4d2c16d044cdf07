"""A study file of comparisons to start from: every key a first study may want, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from hype.protocols.prompted.template import PromptedShape, PromptedTemplate, prompted_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonShape(PromptedShape):
    """What a study of comparisons is made of.

    ``arena``: pairs are chosen as evaluators come. With one prompt there is no other to mismatch
    it.
    """

    arena: bool = False


def comparison_text(name: str, shape: ComparisonShape) -> str:
    """Write the commented study file."""
    return prompted_text(
        *(Path(__file__).parent, name, shape),
        method="comparison",
        done="compared",
        arena=shape.arena,
        mismatched=not shape.arena and shape.prompts > 1,
    )


def remarks_on(shape: PromptedShape) -> Iterator[str]:
    """Say why nothing says who looked."""
    if shape.prompts == 1:
        yield (
            "With one prompt there is no other to mismatch it: comparisons with an obvious answer "
            "are off (see study.toml)."
        )


TEMPLATES: Final = {
    "comparison": PromptedTemplate(
        words="say which of two images is better: every pair",
        wanted="votes",
        of_each=" for each pair of images",
        usual=ComparisonShape(),
        shape=ComparisonShape,
        text=comparison_text,
        remarks=remarks_on,
        trial="power",
    ),
    "arena": PromptedTemplate(
        words="say which of two images is better: pairs chosen on the way, an arena",
        usual=ComparisonShape(arena=True),
        shape=partial(ComparisonShape, arena=True),
        text=comparison_text,
        trial="power",
        complete=True,
    ),
}
