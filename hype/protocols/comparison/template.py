"""A study file of comparisons to start from: every key a first study may want, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
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

HEAD: Final = """\
# A study of comparisons: which of two? What is not written here is as in Christodoulou &
# Kuhlmann-Jørgensen (2024), where that has a number.
#
#   hype check .                    is everything ready?
#   hype power .                    what can it show, and how many evaluators does that take?
#   hype simulate .                 try it on simulated evaluators
#   hype register .                 fix study, stimuli and plan before anybody comes
#   hype run . --evaluator p01      one person at this station
#   hype score .                    the ranking
"""

OF_PAIRS: Final = """
[comparison]               # every image meets those of the other conditions on the same prompt
criterion = "alignment"    # or "preference", or "coherence", or your own, with a question
# question = "Which image shows the caption better?"   # as it is asked, instead of the criterion's
prompt = "words"           # word by word; or "shown" at once, or "hidden"
"""
OF_ARENA: Final = """
[comparison]               # pairs of conditions are chosen as evaluators come: an arena
criterion = "preference"   # or "alignment", or "coherence", or your own, with a question
# question = "Which image do you like better?"   # as it is asked, instead of the criterion's
prompt = "shown"           # or "words", which appear one by one, or "hidden"
"""
SHOWN: Final = """\
prompt_column = "prompt"   # of the manifest: what each image shows
word_ms = 250              # each word of a prompt that appears by words
ties = false               # true: "no difference" is a third answer
real_too = $real_too           # true: real images are compared as well, as the condition "real"
images = $images                 # of each condition and prompt
"""
SHARED_OUT: Final = """\
votes = 26                 # for each comparison: so many evaluators are shown it
blocks = 2
trials = 48                # a block, at most; all comparisons are shared out among evaluators
"""
ARENA: Final = """\
blocks = 2
trials = 24                # a block; an evaluator's pairs are chosen before the session begins
"""
ASKED: Final = """\
practice = 3               # first, if there are comparisons with an obvious answer; 0 for none
min_ms = 500               # an answer before that is hasty: it counts, is marked, and
wait_ms = 5000             # costs a wait
# limit_ms = 20000         # without it nobody is hurried
mouse = true               # images can be clicked on, beside the keys
# [comparison.prompts]     # what stands in the column, and how it is shown
# sneaker = "a sneaker"
"""
RULE: Final = """
[comparison.arena]
pairs = "adaptive"         # those that tell most about the goal; or "random"
goal = "top"               # to know the best; or "ranking", to know the order of all
images = "sample"          # claims are to hold for other prompts too: it takes 10 of them or more;
                           # or "fixed": for these prompts and images alone
alpha = 0.05               # chance of ever claiming what is not so, however often one looks
most_votes = 5000          # planned before: it ends there in any case
"""
MISMATCHED: Final = """
[validation]               # comparisons with an obvious answer, mixed in
kind = "mismatch"          # an image of the prompt beside one of another, by one condition;
                           # needs a prompt that is shown and the criterion "alignment".
                           # Or "listed" in a file of yours, which any criterion can have; or "off"
share = 0.1                # of all that is shown
min_correct = 0.75         # who gets fewer of them right is not scored
# file = "validation.csv"  # of kind "listed": columns prompt, better, worse (paths of two images)
"""
OFF: Final = """
[validation]               # comparisons with an obvious answer, mixed in
kind = "off"               # better "listed": in a file of yours. Or "mismatch", which needs several
                           # prompts, one that is shown, and the criterion "alignment"
share = 0.1                # of all that is shown
min_correct = 0.75         # who gets fewer of them right is not scored
# file = "validation.csv"  # of kind "listed": columns prompt, better, worse (paths of two images)
"""
PLANNED: Final = """
[analysis]                 # planned before anybody comes; hype register fixes it
win_rate = 0.55            # the smallest that is to be told from one half
alpha = 0.05
power = 0.8
ties = "davidson"          # a tie is a part of the model; or "half" a win to either
# margin = 0.05            # a win rate so near to one half is as good as one half: "equivalent"
# judge_margin = 0.05      # a judge may agree so much less than a second person and be as good
# strengths = "log"        # how strengths are shown: in Elo points ("elo"), or as a "share" of 100

[keys]
left = "f"
right = "j"
tie = "space"              # where ties = true; it may be the key that goes on
go_on = "space"
pause = "escape"
"""
REWARD: Final = """
[pay]
currency = "$$"
base = 1.00
per_answer = 0.03

# Every word on the screen can be replaced, for instance:
# [texts]
# tie = "cannot decide"

# Simulated evaluators, to try the design on: they choose i over j with probability σ(sᵢ - sⱼ).
# [observers.mymodel]      # a condition
# strength = 0.5
# [people]
# taste_spread = 0.3       # how much a condition's strength differs between people
# image_spread = 0.3       # and between its images; hype power plans with both
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonShape(PromptedShape):
    """What a study of comparisons is made of.

    ``arena``: pairs are chosen as evaluators come. With one prompt there is no other to mismatch
    it.
    """

    arena: bool = False


def comparison_text(name: str, shape: ComparisonShape) -> str:
    """Write the commented study file."""
    mismatched = not shape.arena and shape.prompts > 1
    parts = (
        HEAD,
        OPENING,
        OF_ARENA if shape.arena else OF_PAIRS,
        SHOWN,
        ARENA if shape.arena else SHARED_OUT,
        ASKED,
        RULE if shape.arena else "",
        MISMATCHED if mismatched else OFF,
        DEMOGRAPHICS,
        PLANNED,
        DISPLAY,
        REWARD,
        WEB,
    )
    return filled_in(parts, name, shape, method="comparison", done="compared")


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
