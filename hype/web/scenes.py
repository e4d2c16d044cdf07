"""What a trial looks like in a browser, as plain values: each protocol makes its own of its trials.

Sizes and places are the browser's business; what is asked, shown and answered is said here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hype.session.steps import PictureRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """An answer that can be given: by keys, by what is printed on the first of them, by a click.

    ``picture`` is the place of the image that takes it by a click as well, counted from 0;
    ``aside``, whether it stands apart from the others, which are steps of a scale.
    """

    answer: str
    label: str
    keys: tuple[str, ...] = ()
    cap: str = ""
    picture: int | None = None
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Countdown:
    """Numerals before a flash: from which, and how long each stands."""

    first: int
    each_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Flash:
    """Images and masks one after the other on one place, each for its time, then the question.

    ``tolerance_ms`` is how far each may be from its frames' nominal duration; None: half a frame.
    """

    exposures_ms: tuple[float, ...]
    countdown: Countdown
    tolerance_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimit:
    """How long there is for an answer, and what it comes to if none was given."""

    limit_ms: float
    otherwise: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One trial: what is asked, the images, and the answers that can be given.

    Without a `Flash` all images stand side by side until the answer. ``word_ms`` is how long each
    word of the prompt takes to come; until the last one has, nothing can be answered. ``captions``
    and ``ranks`` belong to the images: letters, and the places that were given to some of them.
    ``order`` is what was put in order so far, ``axis`` which of how many questions about the same
    images this is, counted from 1, and ``pressed`` the answer whose button stands pressed: it is
    seen, and cannot be given.
    """

    question: str
    buttons: tuple[Button, ...]
    pictures: tuple[PictureRequest, ...] = ()
    prompt: str = ""
    flash: Flash | None = None
    word_ms: float = 0.0
    limit: TimeLimit | None = None
    layout: Literal["row", "scale"] = "row"
    captions: tuple[str, ...] = ()
    ranks: tuple[int | None, ...] = ()
    order: str = ""
    axis: tuple[int, int] | None = None
    pressed: str = ""

    @property
    def answers(self) -> frozenset[str]:
        """All that may come of it."""
        late = {self.limit.otherwise} if self.limit else set()
        return frozenset(button.answer for button in self.buttons) - {self.pressed} | late
