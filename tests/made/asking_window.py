"""A real window for ratings and rankings, and people at it who press and click."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from comparing_window import LOOK, READING_MS, At, Kept, PairWindow, picture_of
from real_window import Outlets, watch

from hype.protocols.prompted.trial import Candidate
from hype.protocols.ranking.trial import RankingTrial
from hype.protocols.rating.trial import RatingTrial
from hype.session.loop import Answered, Script, run_session
from hype.session.steps import Ending, Pay, PictureRequest, Response, Screen, Step, Trial
from hype.station.config import Keys, StationConfig
from hype.station.input_devices import Keyboard
from hype.station.respondent import Clicks, Respondent, SimulatedRespondent
from hype.station.station import WindowStation
from hype.station.window import x_window_id

PAY = Pay(base=0.0, per_correct=0.01, currency="$")
KEYS = Keys(left="f", right="j", go_on="space", pause="escape", tie="t", undo="backspace")
KEYS = replace(KEYS, not_relevant="n")


def candidate(name: str) -> Candidate:
    """Give an image of its own."""
    return Candidate(path=f"{name}.png", condition=name, sha256=f"sum of {name}")


@dataclass
class Shelf:
    """Where pictures come from; it notes which were taken."""

    side_px: int
    taken: list[PictureRequest] = field(default_factory=list)

    def take(self, request: PictureRequest, /) -> Any:
        self.taken.append(request)
        return picture_of(request.path, self.side_px)

    def pause(self) -> None:
        """Nothing is decoded ahead."""

    def resume(self) -> None:
        """Nor after it."""


@dataclass
class Told:
    """A mind that answers as it was told, one trial after the other; it notes the trials."""

    answers: Sequence[str]
    seen: list[Trial] = field(default_factory=list)

    def respond_to(self, step: Step) -> Response:
        if isinstance(step, RatingTrial | RankingTrial):
            self.seen.append(step)
            return Response(self.answers[len(self.seen) - 1], "", 20.0)
        return Response("yes" if isinstance(step, Screen) and step.choice else "")


@dataclass(frozen=True)
class Asking(At):
    """A station with its pictures."""

    shelf: Shelf


def asking_station(
    pair: PairWindow,
    monkeypatch: pytest.MonkeyPatch,
    respondent: Respondent,
    texts: Mapping[str, str],
    **asked: Any,
) -> Asking:
    """Make a station for ratings or rankings, each flip of which is looked at."""
    watched = watch(pair.window, pair.seen, respondent, monkeypatch)
    config = StationConfig(keys=KEYS, appearance=LOOK, texts=texts, **asked)
    pauses: list[str] = []
    shelf = Shelf(pair.facts.image_side_px)
    at = WindowStation(
        *(pair.window, pair.facts, config, Keyboard(), respondent, shelf, Outlets(watched.log)),
        on_pause=lambda _shown, response: pauses.append(response.answer),
    )
    return Asking(at, watched, pauses, shelf)


def hold(at: At, script: Script, answered: Sequence[Answered] = ()) -> Kept:
    """Hold a session to its end."""
    kept = Kept()
    assert run_session(script, at.station, at.station, kept, answered=answered) is Ending.COMPLETE
    return kept


def answers_of(kept: Kept) -> list[Answered]:
    """Give what was kept of trials."""
    return [
        Answered(step.name, step.fingerprint, response)
        for step, _, response in kept.rows
        if isinstance(step, Trial)
    ]


@contextmanager
def seated(
    pair: PairWindow, mind: Told, clicks: Clicks = "alternate"
) -> Iterator[SimulatedRespondent]:
    """Seat a robot, and let it go."""
    robot = SimulatedRespondent(
        mind, window_id=x_window_id(pair.window), reading_ms=READING_MS, clicks=clicks
    )
    yield robot
    robot.leave()


def changed(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Tell which pixels differ."""
    return (before != after).any(axis=2)
