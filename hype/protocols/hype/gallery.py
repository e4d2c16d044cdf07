"""The fakes that people took for real most and least often: the values of the paper's Figure 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hype.report.parts import Pictured

if TYPE_CHECKING:
    from hype.protocols.hype.images import Convincing, ImageDifferences, ImageScore
    from hype.protocols.hype.results import Score

ALPHA: Final = 0.05
"""Below this p images count as different."""
FAKES: Final = "fake/"
"""The folder of all fakes, which is not worth saying."""


@dataclass(frozen=True, kw_only=True)
class GalleryPicture:
    """One image, and what people made of it.

    Parameters
    ----------
    image
        Its name in the judgements.
    shown, called_fake
        Number of judgements, and how many of them said fake.
    share
        `called_fake` over `shown`, 0 to 1.
    ci_low, ci_high
        Wilson's 95 % interval of it.
    uri
        A data URI of a small copy; None where there is no picture.
    width_px, height_px
        Size of the copy, which the page may draw larger; 0 without one.
    """

    image: str
    shown: int
    called_fake: int
    share: float
    ci_low: float
    ci_high: float
    uri: str | None
    width_px: int
    height_px: int

    @property
    def name(self) -> str:
        return self.image.removeprefix(FAKES)

    @property
    def taken_for_real(self) -> str:
        """How often it passed, such as "14 of 15"."""
        return f"{self.shown - self.called_fake:,} of {self.shown:,}"

    @property
    def alt(self) -> str:
        return f"{self.name}, taken for real by {self.taken_for_real}"


@dataclass(frozen=True, kw_only=True)
class Ends:
    """The extreme images of one condition.

    Parameters
    ----------
    condition
        Which.
    most, least
        Those taken for real most and least often, the extreme one first. No image is in both: where
        there are few, the most convincing half is in the one, the rest in the other.
    differences
        Whether the fakes of the condition differ at all; None where that is not known.
    """

    condition: str
    most: tuple[GalleryPicture, ...]
    least: tuple[GalleryPicture, ...]
    differences: ImageDifferences | None = None

    @property
    def pictured(self) -> bool:
        return any(picture.uri for picture in (*self.most, *self.least))

    @property
    def note(self) -> str | None:
        """What to say where chance alone may have chosen these images; None where it has not."""
        if self.differences is None or self.differs:
            return None
        differences = self.differences
        few, many = f"{differences.fewest:,}", f"{differences.most:,}"
        each = f"between {few} and {many} times" if few != many else f"{many} times"
        if differences.most == 1:
            each = "once"
        tested = "" if differences.p is None else f" (p = {differences.p:.3f})"
        return (
            f"Among the {differences.images:,} fakes, each judged {each}, there is no more "
            f"difference than chance makes{tested}: other judgements would put other images here."
        )

    @property
    def differs(self) -> bool:
        """Whether the images of the condition differ by more than chance, as far as is known."""
        return bool(
            self.differences and self.differences.p is not None and self.differences.p < ALPHA
        )


def gallery(
    score: Score,
    pictured: Pictured | None = None,
    differences: Mapping[str, ImageDifferences] | None = None,
) -> tuple[Ends, ...]:
    """Give the most and the least convincing fakes of each condition, with their pictures.

    Parameters
    ----------
    score
        As `hype.analysis.score` returns it.
    pictured
        Gives the picture of an image; None gives none.
    differences
        Whether the fakes of each condition differ, as `hype.protocols.hype.images` returns it
        for the judgements that were scored.

    Returns
    -------
    tuple of Ends
        In the order of the score's conditions, without those whose images have no names.
    """
    return tuple(
        _ends(row.condition, row.convincing, pictured, (differences or {}).get(row.condition))
        for row in score.conditions
        if row.convincing and row.convincing.most
    )


def gallery_images(scores: Sequence[Score]) -> tuple[str, ...]:
    """Name the images of the galleries of several protocols, each as often as it is there."""
    return tuple(
        picture.image
        for score in scores
        for ends in gallery(score)
        for picture in (*ends.most, *ends.least)
    )


def _ends(
    condition: str,
    convincing: Convincing,
    pictured: Pictured | None,
    differences: ImageDifferences | None,
) -> Ends:
    most, least = _parted(convincing.most, convincing.least)
    return Ends(
        condition=condition,
        most=tuple(_picture(image, pictured) for image in most),
        least=tuple(_picture(image, pictured) for image in least),
        differences=differences,
    )


def _parted(
    most: Sequence[ImageScore], least: Sequence[ImageScore]
) -> tuple[Sequence[ImageScore], Sequence[ImageScore]]:
    """Let no image be at both ends, as all of them are where there are few."""
    both = {image.image for image in most} & {image.image for image in least}
    kept = [image for image in most if image.image in both]
    upper = {image.image for image in kept[: (len(kept) + 1) // 2]}
    return (
        [image for image in most if image.image not in both - upper],
        [image for image in least if image.image not in upper],
    )


def _picture(image: ImageScore, pictured: Pictured | None) -> GalleryPicture:
    data = pictured(image.image) if pictured else None
    uri, width_px, height_px = data or (None, 0, 0)
    return GalleryPicture(
        image=image.image,
        shown=image.shown,
        called_fake=image.called_fake,
        share=image.share,
        ci_low=image.ci_low,
        ci_high=image.ci_high,
        uri=uri,
        width_px=width_px,
        height_px=height_px,
    )
