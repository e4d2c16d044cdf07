"""The pre-flight of what participants look at: texts that stand out, the size of images."""

from __future__ import annotations

from dataclasses import dataclass

from hype.check.findings import Finding, Preflight
from hype.check.station import appearance_for
from hype.errors import HypeError
from hype.protocols.studies import AnyStudy
from hype.session.stage import ink_of
from hype.station.config import Appearance, most_side_px, wanted_side_px
from hype.station.contrast import LEAST, contrast, ink_on
from hype.station.window import DisplayFacts
from hype.stimuli.manifest import read_manifest

Pixels = tuple[int, int]


def check_texts(flight: Preflight, study: AnyStudy) -> None:
    """See that texts stand out from the background."""
    display = study.settings.display
    paper = display.background_rgb
    ink, best = ink_of(display), ink_on(paper)
    found = contrast(ink, paper)
    flight.facts["text_contrast"] = round(found, 2)
    if found < LEAST:
        flight.find(
            Finding(
                code="text-contrast",
                severity="error",
                message=(
                    f"{study.path}: display.text_rgb {list(ink)} stands out "
                    f"from the background {list(paper)} by {found:.2f}:1; texts need {LEAST:g}:1"
                ),
                remedy=(
                    f"leave display.text_rgb out, which makes it {list(best)} "
                    f"({contrast(best, paper):.2f}:1)"
                ),
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How large images are: longest sides, in pixels of the screen.

    ``smallest_px`` and ``largest_px`` are the images' own, ``wanted_px`` is what the study or the
    window would give them (None: no window is known), and ``shown_px`` what the largest is given.
    """

    smallest_px: int
    largest_px: int
    wanted_px: int | None
    shown_px: int

    @property
    def enlarged(self) -> float:
        """By how much the smallest image is enlarged; 1 where none is."""
        return max(1.0, self.shown_px / self.smallest_px)


def check_sizes(flight: Preflight, study: AnyStudy, display: DisplayFacts | None) -> None:
    """Say how large images will be shown, and whether that is what the study asks for.

    Without a ``display`` it is said where it does not depend on one.
    """
    try:
        own = [max(size) for size in read_manifest(study.stimuli_folder).sizes_px.values()]
    except HypeError:
        return  # which has been said
    look = appearance_for(study)
    wanted_px = side_wanted(look, display)
    enlarge = study.settings.display.enlarge
    if wanted_px is None and enlarge:
        return
    sizes = Sizes(
        smallest_px=min(own),
        largest_px=max(own),
        wanted_px=wanted_px,
        shown_px=wanted_px if wanted_px and enlarge else min(wanted_px or max(own), max(own)),
    )
    flight.facts["image_size"] = {
        "own_px": [sizes.smallest_px, sizes.largest_px],
        "wanted_px": sizes.wanted_px,
        "shown_px": sizes.shown_px,
        "enlarged": round(sizes.enlarged, 2) if enlarge else 1.0,
    }
    if enlarge and sizes.enlarged > 1:
        flight.warn("images-enlarged", *of_enlarged(study, sizes))
    asked = study.settings.display.size_px or study.settings.display.size_deg
    if asked and wanted_px and not enlarge and sizes.smallest_px < wanted_px:
        flight.warn("images-small", *of_small(study, sizes))


def side_wanted(look: Appearance, display: DisplayFacts | None) -> int | None:
    """Give the side that images would have if they had pixels enough; None where none can know."""
    if display:
        window_px, screen_px = display.window_px, display.screen_px
    elif look.size_px is not None:
        return round(look.size_px)
    elif look.fullscreen or look.size_deg is not None:
        return None
    else:
        window_px = screen_px = look.window_px
    wanted_px = wanted_side_px(look, window_px, screen_px)
    return min(wanted_px, most_side_px(window_px, look.abreast, captioned=look.captioned))


def of_enlarged(study: AnyStudy, sizes: Sizes) -> tuple[str, str]:
    """Say by how much images are enlarged."""
    return (
        f"{study.stimuli_folder}: images of {sizes.smallest_px} px are shown at {sizes.shown_px} "
        f"px, enlarged {sizes.enlarged:.1f} times (display.enlarge): what is judged is blurred",
        "leave display.enlarge out, or take larger images",
    )


def of_small(study: AnyStudy, sizes: Sizes) -> tuple[str, str]:
    """Say that images are too small for what is asked of them."""
    own = f"{sizes.smallest_px}"
    if sizes.largest_px > sizes.smallest_px:
        own += f" to {sizes.largest_px}"
    return (
        f"{study.stimuli_folder}: images of {own} px are shown no larger than that, and "
        f"{sizes.wanted_px} px are asked for",
        "take larger images or a smaller display.size_px or size_deg; display.enlarge = true "
        "enlarges them",
    )
