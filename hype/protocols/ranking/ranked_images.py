"""The images of each prompt that people put first most often, and last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hype.protocols.prompted.results import EACH, FAKES, MOST_PROMPTS
from hype.protocols.ranking.images import image_places, place_ends
from hype.report import tabular, wording
from hype.report.parts import Block
from hype.report.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from hype.protocols.hype.gallery import Pictured
    from hype.protocols.ranking.images import ImageEnds, ImagePlaces
    from hype.report.tabular import Value


@dataclass(frozen=True, kw_only=True)
class RankedImage:
    """One image, and how often it came first or last.

    Parameters
    ----------
    name, condition
        What to call it, and what made it.
    end, often
        First or last, and how often, such as "8 of 10".
    uri
        A data URI of a small copy; None where there is no picture.
    width_px, height_px
        Size of the copy; 0 without one.
    """

    name: str
    condition: str
    end: str
    often: str
    uri: str | None
    width_px: int
    height_px: int

    @property
    def alt(self) -> str:
        return f"{self.name} of {self.condition}, {self.end} in {self.often}"


@dataclass(frozen=True, kw_only=True)
class RankedPrompt:
    """The images of one prompt at either end, the extreme one first."""

    prompt: str
    first: tuple[RankedImage, ...]
    last: tuple[RankedImage, ...]


@dataclass(frozen=True, kw_only=True)
class RankedImages(Block):
    """The images of several prompts at either end."""

    template: ClassVar[str] = "ranked_images.html"

    prompts: tuple[RankedPrompt, ...]

    @property
    def pictured(self) -> bool:
        return any(image.uri for prompt in self.prompts for image in (*prompt.first, *prompt.last))


def ends_of(scored: pd.DataFrame, *, confidence: float = 0.95) -> tuple[ImageEnds, ...]:
    """Give the images at either end of some prompts, where images have names."""
    counted = image_places(scored, confidence=confidence)
    return place_ends(counted, prompts=MOST_PROMPTS, each=EACH)


def named_images(ends: Sequence[ImageEnds]) -> tuple[str, ...]:
    return tuple(image.image for one in ends for image in (*one.first, *one.last))


def ranked_images(ends: Sequence[ImageEnds], pictured: Pictured) -> RankedImages:
    """Add the pictures."""
    return RankedImages(
        prompts=tuple(
            RankedPrompt(
                prompt=one.prompt,
                first=tuple(
                    _pictured(image, "first", image.first, pictured) for image in one.first
                ),
                last=tuple(_pictured(image, "last", image.last, pictured) for image in one.last),
            )
            for one in ends
        )
    )


def _pictured(image: ImagePlaces, end: str, times: float, pictured: Pictured) -> RankedImage:
    uri, width_px, height_px = pictured(image.image) or (None, 0, 0)
    shown = f"{times:,.0f}" if times == round(times) else wording.number(times, 1)
    return RankedImage(
        name=image.image.removeprefix(FAKES),
        condition=image.condition,
        end=end,
        often=f"{shown} of {image.rankings:,}",
        uri=uri,
        width_px=width_px,
        height_px=height_px,
    )


def image_table(ends: Sequence[ImageEnds]) -> Table:
    """Lay the images out by name."""
    return Table(
        name="ranking-images",
        title="Images most often first and last",
        columns=(
            tabular.name("Prompt", "prompt"),
            tabular.words("End", "end"),
            tabular.words("Image", "image"),
            tabular.words("Condition", "condition"),
            tabular.whole("Rankings", "rankings"),
            tabular.number("First", "first"),
            tabular.number("Last", "last"),
            tabular.number("Mean\nrank", "mean_rank", 2),
        ),
        rows=tuple(_rows(ends)),
        note="Times that an image was put first, and last; ties share a place.",
    )


def _rows(ends: Sequence[ImageEnds]) -> Iterator[tuple[Value, ...]]:
    for one in ends:
        for end, images in (("first", one.first), ("last", one.last)):
            for image in images:
                counts = (image.rankings, image.first, image.last, image.mean_rank)
                yield (one.prompt, end, image.image, image.condition, *counts)
