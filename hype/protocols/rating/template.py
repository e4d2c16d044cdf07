"""A study file of ratings to start from: every key a first study may want, with reasons."""

from __future__ import annotations

from typing import Final

from hype.protocols.prompted.protocol import (
    DISPLAY,
    OPENING,
    PromptedShape,
    PromptedTemplate,
    filled_in,
)
from hype.study.demographics import DEMOGRAPHICS
from hype.study.web_settings import WEB

"""What is taken of a condition and prompt: the number of pairs grows with its square."""
HEAD: Final = """\
# A study of ratings: how much better, axis by axis? What is not written here is as in
# Parthasarathy, Collins & Stephenson (2025), where that has a number.
#
#   hype check .                    is everything ready, and how often is what rated?
#   hype simulate .                 try it on simulated evaluators
#   hype register .                 fix study, stimuli and plan before anybody comes
#   hype run . --evaluator p01      one person at this station
#   hype score .                    the result; --judges FILE holds automated judges against it
"""
RATED: Final = """
[rating]                   # an item is two images of a prompt by two conditions
of = "pairs"               # or "images": one at a time (see below)
axes = ["aesthetics", "composition", "style", "artifacts", "anatomy", "objects", "overall"]
                           # in this order; one of your own needs a question
levels = 5                 # of a pair: from "left much better" to "right much better"; odd
not_relevant = true        # an axis may be said not to apply: missing then, and not the middle
axis_order = "fixed"       # or "random": an order for each evaluator, who keeps it
prompt = "shown"           # above the images; or "hidden"
prompt_column = "prompt"   # of the manifest: what each image shows
real_too = $real_too           # true: real images are rated as well, as the condition "real"
images = $images                 # of each condition and prompt; twice as many, four times the pairs
ratings = 3                # evaluators for each item. One is the source's: then nobody knows how
                           # far people agree on an item, nor what a judge could reach
blocks = 2
items = 15                 # a block, at most; all items are shared out among evaluators
practice = 1               # items, first; they do not count
mouse = true               # answers can be clicked on, beside the keys
# [rating.prompts]         # what stands in the column, and how it is shown
# sneaker = "a sneaker"

# An axis in words of your own; what is added to axes needs them:
# [axes.overall]
# question = "Which image would you rather keep?"
# not_relevant = false     # nobody may say that it does not apply

# Single images: of = "images" and axes = ["anatomy", "composition", "style", "aesthetics"], of
# which the first three are answered by yes and no, and the last from 1 to 10. Beside them another:
#   [axes.realism]
#   question = "How much does it look like a photograph?"
#   kind = "scale"         # or "yes-no"
#   lowest = 1
#   highest = 7            # ten steps at most: a digit for each
#   truth_column = "real"  # of the manifest, if it says what is right, in the answers' own terms
"""
REST: Final = """
# [analysis]               # planned before anybody comes
# margin = 0.05            # a win rate so near to one half is as good as one half: "equivalent"; of
                           # single images, means that differ by so small a part of the scale
# judge_margin = 0.05      # a judge may agree so much less than a second person and be as good
# strengths = "log"        # how strengths are shown: in Elo points ("elo"), or as a "share" of 100

[keys]                     # the levels have the number keys
left = "f"                 # yes to a single image; like ←, to agree to take part
right = "j"
not_relevant = "n"
go_on = "space"
pause = "escape"
"""
REWARD: Final = """
[pay]
currency = "$$"
base = 1.00
per_answer = 0.01          # for each axis of each item

# Every word on the screen can be replaced, for instance:
# [texts]
# equal = "the same"

# Simulated evaluators, to try the design on: what they see of a pair on an axis is the difference
# of two strengths, and noise.
# [observers.mymodel]      # a condition
# strength = 0.5           # on all axes but those that say otherwise
# axes = { artifacts = -0.3 }
# [people]
# taste_spread = 0.3       # how much a condition's strength differs between people
# image_spread = 0.3       # and between images of a condition
# halo = 0.4               # share of the noise that all axes of a pair have in common
# not_relevant = { style = 0.4 }   # how often an axis is said not to apply
"""


def rating_text(name: str, shape: PromptedShape) -> str:
    parts = (HEAD, OPENING, RATED, DEMOGRAPHICS, REST, DISPLAY, REWARD, WEB)
    return filled_in(parts, name, shape, method="rating", done="rated")


TEMPLATES: Final = {
    "rating": PromptedTemplate(
        words="rate how much better, axis by axis",
        wanted="ratings",
        of_each=" for each pair of images",
        usual=PromptedShape(images=1),
        shape=PromptedShape,
        text=rating_text,
    )
}
