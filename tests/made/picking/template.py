"""A study file of picking to start from."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hype.protocols.prompted.template import PromptedShape, PromptedTemplate, prompted_text

TEMPLATES = {
    "picking": PromptedTemplate(
        usual=PromptedShape(images=2),
        shape=PromptedShape,
        text=partial(prompted_text, Path(__file__).parent, method="picking", done="shown"),
        complete=True,
    )
}
