"""How often each image was chosen, and which image of a prompt most and least often.

Intervals are Wilson's (1927), a tie being half a win. An image's share depends on what it stood
beside: in a design of all pairs that is the same for all images of a condition, in an arena not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pandas as pd

from hype.protocols.prompted.results import EACH, MOST_PROMPTS, ImageEnds, ends_of_prompts
from hype.statistics.proportions import wilson

NEEDED: Final = ("left_image", "right_image")
MOST: Final = {"ci_low": False, "image": True}
LEAST: Final = {"ci_high": True, "image": True}
"""By which columns the images chosen most and least come first, and whether ascending."""


@dataclass(frozen=True, kw_only=True)
class ImageWins:
    """One image.

    ``image``, ``condition``, ``prompt``: which; the prompt is empty where the table has none.
    ``comparisons``, ``wins``, ``ties``: with it on either side, and how they went. ``share``,
    ``ci_low``, ``ci_high``: wins and half the ties over comparisons, as proportions, with Wilson's
    interval.
    """

    image: str
    condition: str
    prompt: str
    comparisons: int
    wins: int
    ties: int
    share: float
    ci_low: float
    ci_high: float


def image_wins(votes: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count the comparisons of each image of each prompt.

    ``votes``: the scored rows. Gives one row for each prompt, image and condition, with the columns
    of `ImageWins`; empty where images have no names.
    """
    if not set(NEEDED) <= set(votes.columns):
        return pd.DataFrame(columns=list(ImageWins.__dataclass_fields__))
    sides = [_side(votes, side) for side in ("left", "right")]
    each = pd.concat(sides, ignore_index=True)
    each = each[each["image"].ne("")]
    keys = ["prompt", "image", "condition"]
    sums = each.groupby(keys, sort=True, observed=True)[["wins", "ties"]].agg(["size", "sum"])
    counted = sums.index.to_frame(index=False)
    counted["comparisons"] = sums["wins", "size"].to_numpy()
    for name in ("wins", "ties"):
        counted[name] = sums[name, "sum"].to_numpy().astype(int)
    won = counted["wins"].to_numpy() + counted["ties"].to_numpy() / 2
    counted["share"] = won / counted["comparisons"].to_numpy()
    ends = wilson(won, counted["comparisons"].to_numpy(), confidence=confidence)
    counted["ci_low"], counted["ci_high"] = ends
    return counted[list(ImageWins.__dataclass_fields__)]


def _side(votes: pd.DataFrame, side: str) -> pd.DataFrame:
    prompt = votes["prompt"].astype(str) if "prompt" in votes else ""
    return pd.DataFrame(
        {
            "prompt": prompt,
            "image": votes[f"{side}_image"].astype(str),
            "condition": votes[side].astype(str),
            "wins": votes["answer"].eq(side).to_numpy(),
            "ties": votes["answer"].eq("tie").to_numpy(),
        }
    )


def prompt_ends(
    wins: pd.DataFrame, *, prompts: int = MOST_PROMPTS, each: int = EACH
) -> tuple[ImageEnds[ImageWins], ...]:
    """Give the extreme images of some prompts.

    The images chosen most are those whose interval begins highest, those chosen least those whose
    interval ends lowest.
    """
    return ends_of_prompts(
        wins,
        ImageWins,
        times="comparisons",
        first=MOST,
        last=LEAST,
        prompts=prompts,
        each=each,
    )
