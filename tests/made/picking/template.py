"""A study file of picking to start from."""

from __future__ import annotations

from hype.protocols.prompted.protocol import (
    DISPLAY,
    OPENING,
    PromptedShape,
    PromptedTemplate,
    filled_in,
)
from hype.study.demographics import DEMOGRAPHICS
from hype.study.web_settings import WEB

ASKED = """
[picking]                  # one image of each condition in a row: which is the best?
question = "Which image is the best?"
real_too = $real_too
images = $images           # rows of each prompt
evaluators = 12
# [observers.mymodel]      # a condition, as simulated evaluators see it
# strength = 0.5
"""


def picking_text(name: str, shape: PromptedShape) -> str:
    parts = (OPENING, ASKED, DEMOGRAPHICS, DISPLAY, WEB)
    return filled_in(parts, name, shape, method="picking", done="shown")


PICKING = PromptedTemplate(
    usual=PromptedShape(images=2), shape=PromptedShape, text=picking_text, complete=True
)
