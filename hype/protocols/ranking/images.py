"""How often each image came first and last, and which images of a prompt most often.

Intervals are Wilson's (1927); of two images that are tied for a place either has half of it. How
often an image comes first depends on what it is ranked with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from hype.protocols.ranking.orders import orders
from hype.statistics.proportions import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEYS: Final = ["prompt", "image", "condition"]


@dataclass(frozen=True, kw_only=True)
class ImagePlaces:
    """One image.

    Parameters
    ----------
    image, condition, prompt
        Which; the prompt is empty where the table has none.
    rankings
        In which it is.
    first, last
        In how many of them it came first, and last; ties share.
    mean_rank
        Over them.
    """

    image: str
    condition: str
    prompt: str
    rankings: int
    first: float
    last: float
    mean_rank: float


@dataclass(frozen=True, kw_only=True)
class ImageEnds:
    """The images of a prompt that came first most often, and last; no image is in both."""

    prompt: str
    first: tuple[ImagePlaces, ...]
    last: tuple[ImagePlaces, ...]


def image_places(scored: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count where each image of each prompt came.

    Parameters
    ----------
    scored
        The scored rows.
    confidence
        Coverage of the intervals, as a proportion.

    Returns
    -------
    DataFrame
        One row for each prompt, image and condition, with the columns of `ImagePlaces`, and
        first_low and last_low, where Wilson's intervals of both shares begin; empty where images
        have no names.
    """
    if "image" not in scored:
        return pd.DataFrame(columns=[*ImagePlaces.__dataclass_fields__, "first_low", "last_low"])
    laid = orders(scored)
    size = laid.sizes[laid.ranking]
    rows = scored.iloc[laid.row]
    each = pd.DataFrame(
        {
            **{name: _texts(rows, name) for name in _KEYS},
            "rankings": 1,
            "first": (laid.rank == 1) / laid.tied,
            "last": (laid.rank + laid.tied - 1 == size) / laid.tied,
            "mean_rank": laid.mid_ranks,
        }
    )
    each = each[each["image"].ne("")]
    sums = each.groupby(_KEYS, sort=True, observed=True).sum()
    found = sums.reset_index()
    found["mean_rank"] /= found["rankings"]
    for end in ("first", "last"):
        found[f"{end}_low"] = wilson(found[end], found["rankings"], confidence=confidence)[0]
    return found


def _texts(rows: pd.DataFrame, name: str) -> list[str]:
    return list(map(str, rows[name])) if name in rows else [""] * len(rows)


def place_ends(counted: pd.DataFrame, *, prompts: int, each: int) -> tuple[ImageEnds, ...]:
    """Choose the images at either end of some prompts.

    Parameters
    ----------
    counted
        As `image_places` returns it.
    prompts
        How many prompts at most: those that were ranked most; by name where equally often.
    each
        How many images at either end at most.

    Returns
    -------
    tuple of ImageEnds
        The images whose interval of first places begins highest, and of the others those whose
        interval of last places does.
    """
    if counted.empty:
        return ()
    by_prompt = counted.groupby("prompt", sort=True)
    sizes = by_prompt["rankings"].agg(["size", "sum"])
    several = sizes[sizes["size"] > 1].sort_values("sum", ascending=False, kind="stable")
    return tuple(
        _ends(str(name), by_prompt.get_group(name), each) for name in several.index[:prompts]
    )


def _ends(prompt: str, own: pd.DataFrame, each: int) -> ImageEnds:
    number = min(each, len(own) // 2)
    best = own.sort_values(["first_low", "mean_rank", "image"], ascending=[False, True, True])
    first = best.head(number)
    others = own.drop(first.index)
    worst = others.sort_values(["last_low", "mean_rank", "image"], ascending=[False, False, True])
    return ImageEnds(
        prompt=prompt, first=tuple(_images(first)), last=tuple(_images(worst.head(number)))
    )


def _images(rows: pd.DataFrame) -> Iterator[ImagePlaces]:
    fields = list(ImagePlaces.__dataclass_fields__)
    for values in rows[fields].astype(object).itertuples(index=False, name=None):
        cells = [cell.item() if isinstance(cell, np.generic) else cell for cell in values]
        yield ImagePlaces(**dict(zip(fields, cells, strict=True)))
