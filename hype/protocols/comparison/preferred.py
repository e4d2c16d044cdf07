"""The images of each prompt that people chose most and least often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hype.protocols.prompted.results import FAKES
from hype.report import tabular
from hype.report.parts import Block
from hype.report.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.protocols.comparison.images import ImageWins, PromptEnds
    from hype.report.parts import Pictured
    from hype.report.tabular import Value


@dataclass(frozen=True, kw_only=True)
class ChosenImage:
    """One image, and how often it was chosen.

    ``name``, ``condition``: what to call it, and what made it. ``chosen``, ``ties``: how often,
    such as "31 of 48" and "7 ties"; the latter may be empty. ``uri``: a data URI of a small copy;
    None where there is no picture. ``width_px``, ``height_px``: size of the copy; 0 without one.
    """

    name: str
    condition: str
    chosen: str
    ties: str
    uri: str | None
    width_px: int
    height_px: int

    @property
    def alt(self) -> str:
        often = ", ".join(filter(None, [self.chosen, self.ties]))
        return f"{self.name} of {self.condition}, chosen {often}"


@dataclass(frozen=True, kw_only=True)
class PromptGallery:
    """The images of one prompt at either end, the extreme one first."""

    prompt: str
    most: tuple[ChosenImage, ...]
    least: tuple[ChosenImage, ...]


@dataclass(frozen=True, kw_only=True)
class Preferred(Block):
    """The images of several prompts at either end."""

    template: ClassVar[str] = "preferred.html"

    prompts: tuple[PromptGallery, ...]

    @property
    def pictured(self) -> bool:
        return any(image.uri for prompt in self.prompts for image in (*prompt.most, *prompt.least))


def named_images(ends: Sequence[PromptEnds]) -> tuple[str, ...]:
    return tuple(image.image for one in ends for image in (*one.most, *one.least))


def preferred(ends: Sequence[PromptEnds], pictured: Pictured) -> Preferred:
    """Add the pictures."""
    return Preferred(
        prompts=tuple(
            PromptGallery(
                prompt=one.prompt,
                most=tuple(_pictured(image, pictured) for image in one.most),
                least=tuple(_pictured(image, pictured) for image in one.least),
            )
            for one in ends
        )
    )


def _pictured(image: ImageWins, pictured: Pictured) -> ChosenImage:
    uri, width_px, height_px = pictured(image.image) or (None, 0, 0)
    return ChosenImage(
        name=image.image.removeprefix(FAKES),
        condition=image.condition,
        chosen=f"{image.wins:,} of {image.comparisons:,}",
        ties=_ties(image.ties),
        uri=uri,
        width_px=width_px,
        height_px=height_px,
    )


def _ties(number: int) -> str:
    if not number:
        return ""
    return "1 tie" if number == 1 else f"{number:,} ties"


def image_table(ends: Sequence[PromptEnds]) -> Table:
    """Lay the images out by name."""
    return Table(
        name="comparison-images",
        title="Images chosen most and least often",
        columns=(
            tabular.name("Prompt", "prompt"),
            tabular.words("End", "end"),
            tabular.words("Image", "image"),
            tabular.words("Condition", "condition"),
            tabular.whole("Compa-\nrisons", "comparisons"),
            tabular.whole("Wins", "wins"),
            tabular.whole("Ties", "ties"),
            tabular.percent("Win\nrate", "win_rate_percent"),
            tabular.interval("95% CI", "win_rate_*_percent"),
        ),
        rows=tuple(_rows(ends)),
    )


def _rows(ends: Sequence[PromptEnds]) -> Iterator[tuple[Value, ...]]:
    for one in ends:
        for end, images in (("most", one.most), ("least", one.least)):
            for image in images:
                interval = (100 * image.ci_low, 100 * image.ci_high)
                counts = (image.comparisons, image.wins, image.ties, 100 * image.share)
                yield (one.prompt, end, image.image, image.condition, *counts, interval)
