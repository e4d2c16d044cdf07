"""The templates of `hype new` for studies that ask about images of prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from hype.protocols.comparison.template import ComparisonShape, comparison_text
from hype.protocols.prompted.template_parts import PromptedShape
from hype.protocols.ranking import template as ranking_template
from hype.protocols.ranking.template import MANY, ranking_text
from hype.protocols.ranking.trial import MOST_RANKED
from hype.protocols.rating import template as rating_template
from hype.protocols.rating.template import rating_text


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
    """

    usual: PromptedShape
    shape: Callable[..., PromptedShape]
    text: Callable[[str, Any], str]
    remarks: Callable[[Any], Iterator[str]] = no_remarks
    trial: str = "simulate"
    complete: bool = False


def remarks_on_comparisons(shape: PromptedShape) -> Iterator[str]:
    """Say why nothing says who looked."""
    if shape.prompts == 1:
        yield (
            "With one prompt there is no other to mismatch it: comparisons with an obvious answer "
            "are off (see study.toml)."
        )


def remarks_on_rankings(shape: PromptedShape) -> Iterator[str]:
    """Say how many images are ranked together where it cannot be all."""
    if shape.conditions > MOST_RANKED:
        yield (
            f"{shape.conditions} conditions are too many to rank at once: they take turns in "
            f"groups of {MANY} (see study.toml)."
        )


PROMPTED: Final[Mapping[str, PromptedTemplate]] = MappingProxyType(
    {
        "comparison": PromptedTemplate(
            usual=ComparisonShape(),
            shape=ComparisonShape,
            text=comparison_text,
            remarks=remarks_on_comparisons,
            trial="power",
        ),
        "arena": PromptedTemplate(
            usual=ComparisonShape(arena=True),
            shape=partial(ComparisonShape, arena=True),
            text=comparison_text,
            trial="power",
            complete=True,
        ),
        "rating": PromptedTemplate(
            usual=rating_template.USUAL, shape=PromptedShape, text=rating_text
        ),
        "ranking": PromptedTemplate(
            usual=ranking_template.USUAL,
            shape=PromptedShape,
            text=ranking_text,
            remarks=remarks_on_rankings,
        ),
    }
)
"""Each by its name."""
