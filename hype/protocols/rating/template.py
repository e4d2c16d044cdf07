"""The study of ratings to start from."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from hype.protocols.prompted.template import PromptedShape, PromptedTemplate, prompted_text

TEMPLATES: Final = {
    "rating": PromptedTemplate(
        words="rate how much better, axis by axis",
        wanted="ratings",
        of_each=" for each pair of images",
        usual=PromptedShape(images=1),
        shape=PromptedShape,
        text=partial(prompted_text, Path(__file__).parent, method="rating", done="rated"),
    )
}
