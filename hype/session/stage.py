"""A station's settings for a session, from the study file and the options of the command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from PIL import Image

from hype.files import inside
from hype.session.materials import read_stimuli
from hype.session.steps import PictureRequest
from hype.station.config import Appearance, PageLook, Rgb, Speech, StationConfig, ink_on
from hype.station.pictures import fit_picture
from hype.station.window import DisplayFacts, open_window
from hype.stimuli.images import decode
from hype.study.studies import OWN, AnyFile, AnyStudy
from hype.study.table import LIGHT_RGB, DisplaySettings
from hype.study.texts import pack_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """Where and how an evaluator answers: in a window of this station, or in a browser."""

    simulated: bool
    virtual_display: bool = False
    windowed: bool = False
    screen: int | None = None
    observer_seed: int = 0
    allow_unsynced: bool = False
    in_browser: bool = False
    pilot: bool = False


PICTURES_AHEAD: Final = 10
"""Number of pictures to decode in advance, or the number in two trials if that is larger."""


@contextmanager
def window_of(config: StationConfig, seating: Seating) -> Iterator[tuple[Any, DisplayFacts]]:
    window, facts = open_window(config.appearance, virtual=seating.virtual_display)
    try:
        yield window, facts
    finally:
        window.close()


def software_sync(facts: DisplayFacts) -> str:
    return (
        f"flips do not wait for this screen ({facts.flip_hz:.0f} a second): frames are timed by "
        f"the program at {facts.refresh_hz:g} Hz, and exposures are less certain"
    )


def speech_of(settings: AnyFile) -> Speech:
    language = settings.study.language
    pack = pack_of(language)
    return Speech(
        language=language,
        caps=pack.keys.caps,
        said=pack.keys.said,
        own=settings.keys.names,
        number_pad=pack.keys.number_pad,
        decimal_mark=pack.decimal_mark,
    )


def tell_pay(texts: dict[str, str], settings: AnyFile) -> dict[str, str]:
    """Put the paragraph on pay before the question that ends the text of the consent.

    The first paragraph stays first: it is drawn as a heading. A study without pay has no paragraph
    on pay.
    """
    if not settings.pay.pay().due(1):
        texts["no_pay"] = ""
    elif texts["consent_pay"]:
        check = settings.comprehension
        names = ["consent_pay", *(["comprehension_unpaid"] if check and not check.paid else [])]
        paragraphs = texts["consent"].split("\n\n")
        last = max(1, len(paragraphs) - 1)
        paragraphs[last:last] = (texts[name] for name in names)
        texts["consent"] = "\n\n".join(paragraphs)
    return texts


def place_of_picture(study: AnyStudy, request: PictureRequest) -> tuple[Path, str]:
    """Return the folder of an image or a mask, and its path in that folder."""
    place_of = study.place_of_mask if request.mask else study.place_of
    return place_of(request.path)


def load_picture(study: AnyStudy, side_px: int, request: PictureRequest) -> Image.Image:
    enlarge = study.settings.display.enlarge
    picture = decode(inside(*place_of_picture(study, request)))
    if request.path.startswith(f"{OWN}/"):
        return picture  # pages scale the study's own pictures
    return fit_picture(picture, side_px, cover=request.mask, enlarge=enlarge)


def appearance_of(study: AnyStudy, seating: Seating, **images: Any) -> Appearance:
    """Build the window's appearance from the study; options of the command override it.

    ``images``: values for further fields of `Appearance`, such as ``images_shown``. Raises
    InputError: no manifest gives the size of the images.
    """
    fits_by_itself = study.settings.display.enlarge or seating.in_browser
    sizes_px = () if fits_by_itself else read_stimuli(study).sizes_px.values()
    largest_px = max(map(max, sizes_px), default=None)
    return replace(look_of(study, seating), largest_px=largest_px, **images)


def ink_of(display: DisplaySettings) -> Rgb:
    """Return the colour of a study's texts: the study's choice, or a colour with good contrast."""
    own = display.text_rgb != LIGHT_RGB
    return display.text_rgb if own else ink_on(display.background)


def look_of(study: AnyStudy, seating: Seating) -> Appearance:
    """Return the part of the appearance that does not depend on the images."""
    display, monitor = study.settings.display, study.settings.monitor
    return Appearance(
        size_px=display.size_px,
        size_deg=display.size_deg,
        monitor_cm=(monitor.width_cm, monitor.distance_cm) if monitor else None,
        screen=display.screen if seating.screen is None else seating.screen,
        fullscreen=display.fullscreen and not seating.windowed,
        window_px=display.window_px,
        refresh_hz=display.refresh_hz,
        background_rgb=display.background,
        text_rgb=ink_of(display),
        font=display.font,
        progress=display.progress,
        pilot=seating.pilot,
        pictures={
            page: PageLook(PictureRequest(f"{OWN}/{picture.file}", mask=False), picture.alt)
            for page, picture in study.settings.pictures.items()
        },
    )
