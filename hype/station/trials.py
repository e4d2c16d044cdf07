"""What the station asks of a protocol: how its trials are shown and answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hype.session.loop import Presentation
from hype.session.steps import Response, Step

if TYPE_CHECKING:
    from hype.station.config import StationConfig
    from hype.station.layout import Layout
    from hype.station.pictures import Pictures
    from hype.station.presenting import StationWindow
    from hype.web.scenes import Scene


class StepPresenter(Protocol):
    """How one kind of step is shown and answered. ``step`` is of that kind."""

    def present(self, step: Any, /) -> Presentation:
        """Show it up to the moment from which it can be answered."""
        ...

    def respond(self, step: Any, /) -> Response:
        """Wait for the answer. The pause key pauses; then it is asked again."""
        ...


class ExposureTriggers(Protocol):
    """Whom to tell that an image came on or was covered, at the flip that did it."""

    def image_on(self) -> None:
        """The image is on the screen."""
        ...

    def image_off(self) -> None:
        """It is not any more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What presenters of trials work with."""

    window: StationWindow
    layout: Layout
    pictures: Pictures
    triggers: ExposureTriggers
    refresh_hz: float


class TrialLook(Protocol):
    """What a station needs to know of a protocol's trials, as plain values."""

    @property
    def question(self) -> str:
        """What is asked of every trial, where that is one question; or nothing."""

    @property
    def mouse(self) -> bool:
        """Whether answers to trials may be clicked on, as pages always may be."""

    def presenters(self, stage: Stage, /) -> Mapping[type[Step], StepPresenter]:
        """Give what shows each kind of its trials, and loads it."""

    def scene(self, trial: Any, config: StationConfig, /) -> Scene:
        """Say what a trial looks like in a browser."""
