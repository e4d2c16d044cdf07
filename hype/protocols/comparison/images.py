"""How often each image was chosen, and which image of a prompt most and least often.

Intervals are Wilson's (1927), a tie being half a win. An image's share depends on what it stood
beside: in a design of all pairs that is the same for all images of a condition, in an arena not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from hype.protocols.prompted.results import EACH, MOST_PROMPTS
from hype.statistics.proportions import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NEEDED: Final = ("left_image", "right_image")


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


@dataclass(frozen=True, kw_only=True)
class PromptEnds:
    """The images of a prompt that were chosen most and least often.

    ``images``, ``comparisons``: how many images of it met, and how often. ``most``, ``least``: the
    extreme image first; no image is in both.
    """

    prompt: str
    images: int
    comparisons: int
    most: tuple[ImageWins, ...]
    least: tuple[ImageWins, ...]


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
    wins: pd.DataFrame, *, prompts: int, each: int, fewest: int = 2
) -> tuple[PromptEnds, ...]:
    """Give the extreme images of the prompts with the most comparisons.

    ``wins``: as `image_wins` returns it. ``prompts``: how many prompts at most; those of equally
    many comparisons in the order of their names. ``each``: how many images at either end at most.
    ``fewest``: comparisons that an image must have had. The images chosen most are those
    whose interval begins highest, those chosen least those whose interval ends lowest.
    """
    counted = wins[wins["comparisons"] >= fewest]
    by_prompt = counted.groupby("prompt", sort=True)
    sizes = by_prompt["comparisons"].sum().sort_values(ascending=False, kind="stable")
    several = [name for name in sizes.index if len(by_prompt.get_group(name)) > 1]
    return tuple(_ends(str(name), by_prompt.get_group(name), each) for name in several[:prompts])


def _ends(prompt: str, own: pd.DataFrame, each: int) -> PromptEnds:
    number = min(each, len(own) // 2)
    most = own.sort_values(["ci_low", "image"], ascending=[False, True]).head(number)
    others = own.drop(most.index)
    least = others.sort_values(["ci_high", "image"]).head(number)
    return PromptEnds(
        prompt=prompt,
        images=len(own),
        comparisons=int(own["comparisons"].sum()) // 2,
        most=tuple(_images(most)),
        least=tuple(_images(least)),
    )


def _images(rows: pd.DataFrame) -> Iterator[ImageWins]:
    fields: Sequence[str] = list(ImageWins.__dataclass_fields__)
    for values in rows[fields].astype(object).itertuples(index=False, name=None):
        cells = [cell.item() if isinstance(cell, np.generic) else cell for cell in values]
        yield ImageWins(**dict(zip(fields, cells, strict=True)))


def extreme_images(rows: pd.DataFrame, *, confidence: float = 0.95) -> tuple[PromptEnds, ...]:
    """Give the images at either end of some prompts, where images have names."""
    wins = image_wins(rows, confidence=confidence)
    if wins.empty:
        return ()
    return prompt_ends(wins, prompts=MOST_PROMPTS, each=EACH)
