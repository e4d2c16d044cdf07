"""A study file of rankings to start from: every key a first study may want, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hype.protocols.prompted.template import PromptedShape, PromptedTemplate, prompted_text
from hype.protocols.ranking.trial import MOST_RANKED

MANY: Final = 9
"""Images of a group where there are more conditions than one can hold; as in the source's test."""
TEST: Final = 20
"""Groups of a test."""
SPARED: Final = 3
"""A test takes one group of so many at most."""


def ranking_text(name: str, shape: PromptedShape) -> str:
    """Write the commented study file."""
    return prompted_text(
        *(Path(__file__).parent, name, shape),
        method="ranking",
        done="ranked",
        together=shape.conditions <= MOST_RANKED,
        many=MANY,
        tested=shape.prompts * shape.images >= SPARED * TEST,
        groups=TEST,
    )


def remarks_on(shape: PromptedShape) -> Iterator[str]:
    """Say how many images are ranked together where it cannot be all."""
    if shape.conditions > MOST_RANKED:
        yield (
            f"{shape.conditions} conditions are too many to rank at once: they take turns in "
            f"groups of {MANY} (see study.toml)."
        )


TEMPLATES: Final = {
    "ranking": PromptedTemplate(
        words="put a group of images in order",
        wanted="rankings",
        of_each=" for each group of images",
        usual=PromptedShape(),
        shape=PromptedShape,
        text=ranking_text,
        remarks=remarks_on,
    )
}
