"""A study file of rankings to start from: every key a first study may want, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hype.protocols.prompted.protocol import (
    DISPLAY,
    OPENING,
    PromptedShape,
    PromptedTemplate,
    filled_in,
)
from hype.protocols.ranking.trial import MOST_RANKED
from hype.study.demographics import DEMOGRAPHICS
from hype.study.web_settings import WEB

MANY: Final = 9
"""Images of a group where there are more conditions than one can hold; as in the source's test."""
TEST: Final = 20
"""Groups of a test."""
SPARED: Final = 3
"""A test takes one group of so many at most."""
HEAD: Final = """\
# A study of rankings: which is best, which comes next? What is not written here is as in Wu et al.
# (2023), where that has a number.
#
#   hype check .                    is everything ready, and how often is what ranked?
#   hype simulate .                 try it on simulated evaluators, checkers among them
#   hype register .                 fix study, stimuli and plan before anybody comes
#   hype run . --evaluator p01      one person at this station
#   hype run . --evaluator check01  a checker, whenever hype status says that groups wait for one
#   hype score .                    the result; --judges FILE holds preference models against it
"""
RANKED: Final = """
[ranking]                  # a group is one image of each condition, all of one prompt
# question = "Put the images in order, the most beautiful one first."   # instead of the source's
$group
ties = false               # true: images may share a place
prompt = "shown"           # above the images; or "hidden"
prompt_column = "prompt"   # of the manifest: what each image shows
real_too = $real_too           # true: a real image is in every group, as the condition "real"
images = $images                 # of each condition and prompt: as many groups has a prompt
rankings = 10              # evaluators for each group
blocks = 2
groups = 20                # a block, at most; all groups are shared out among evaluators
practice = 1               # groups, first; they do not count
held_out = 0.0             # share of the prompts that is kept for testing preference models
mouse = true               # images can be clicked on, beside the keys
# [ranking.prompts]        # what stands in the column, and how it is shown
# sneaker = "a sneaker"

[screening]                # whether people rank as checkers do: recall@2 says how often somebody's
                           # first choice is among the checker's first two
checkers = ["check*"]      # whose codes begin so; they know what to look for, and have no share
check_share = 0.1          # of everybody's groups, which a checker ranks again; 0 for none
$test
# min_recall = 0.7         # who has less in the test is not scored; by chance it is 2 in a group's
                           # size. It needs a test, and checkers who take it too
"""
ALL_OF_THEM: Final = """\
# group = 4                # images of a group; without it one of every condition, 12 at most"""
SOME_OF_THEM: Final = """\
group = {size}                  # images of a group, 12 at most: conditions take turns"""
NO_TEST: Final = """\
test = 0                   # groups that everybody ranks first, checkers too; not scored. It takes
                           # 20 to tell people apart; the source has 300"""
A_TEST: Final = """\
test = {groups}                  # groups that everybody ranks first, checkers too; not scored.
                           # Fewer tell nobody apart; the source has 300"""
REST: Final = """
# [analysis]               # planned before anybody comes
# margin = 0.05            # a win rate so near to one half is as good as one half: "equivalent"
# judge_margin = 0.05      # a judge may agree so much less than a second person and be as good
# strengths = "log"        # how strengths are shown: in Elo points ("elo"), or as a "share" of 100

[keys]                     # images have the letters from A on
left = "left"              # to agree, or not, to take part
right = "right"
undo = "backspace"
tie = "t"                  # where ties = true
go_on = "space"
pause = "escape"
"""
REWARD: Final = """
[pay]
currency = "$$"
base = 1.00
per_answer = 0.10          # for each ranking, the test's and a checker's too

# Every word on the screen can be replaced, for instance:
# [texts]
# undo = "undo"

# Simulated evaluators, to try the design on: they rank by Plackett and Luce's model.
# [observers.mymodel]      # a condition
# strength = 0.5
# [people]
# taste_spread = 0.3       # how much a condition's strength differs between people
# image_spread = 0.3       # and between images of a condition
"""


def ranking_text(name: str, shape: PromptedShape) -> str:
    """Write the commented study file."""
    parts = (HEAD, OPENING, RANKED, DEMOGRAPHICS, REST, DISPLAY, REWARD, WEB)
    together = ALL_OF_THEM if shape.conditions <= MOST_RANKED else SOME_OF_THEM.format(size=MANY)
    leaves_enough = shape.prompts * shape.images >= SPARED * TEST
    test = A_TEST.format(groups=TEST) if leaves_enough else NO_TEST
    return filled_in(parts, name, shape, method="ranking", done="ranked", group=together, test=test)


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
