"""What a study knows of items and images, and need not be written in the files of judges."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from hype.judges.table import Judges


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownImage:
    """An image of a study: what made it, what it shows, and in which style, as far as known."""

    condition: str
    prompt: str
    style: str = ""


_KNOWN: Final = ("condition", "prompt", "style")


def with_known_images(judges: Judges, images: Mapping[str, KnownImage]) -> Judges:
    """Say of images that a file names alone what the study knows of them.

    Parameters
    ----------
    judges
        As `read_judges` returns them.
    images
        By path, as the files name them.

    Returns
    -------
    Judges
        Rows of scores whose file says no prompt have condition, prompt and style of the study, if
        it has the image; all others are as they were.
    """
    scores = judges.scores
    paths = scores["image"].cat.categories
    codes = scores["image"].cat.codes.to_numpy()
    bare = scores["prompt"].eq("").to_numpy()
    filled = scores.copy(deep=False)
    for name in _KNOWN:
        of_path = [getattr(images[p], name) if p in images else "" for p in paths]
        known = pd.Series(of_path, dtype=object).to_numpy()[codes]
        filled[name] = pd.Categorical(np.where(bare, known, scores[name].astype(object)))
    return replace(judges, scores=filled)


def without_items(judges: Judges, items: Collection[str]) -> Judges:
    """Pass over answers to items that a study has, and that nobody has rated yet.

    A judge may be asked of the whole design before people are.
    """
    answers = judges.answers
    kept = ~answers["item"].isin(list(items)).to_numpy()
    if kept.all():
        return judges
    left = answers[kept].reset_index(drop=True)
    for name in ("file", "judge", "item", "axis", "answer"):
        left[name] = left[name].cat.remove_unused_categories()
    return replace(judges, answers=left)
