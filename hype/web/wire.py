"""The messages between server and client: steps as JSON, and the client's checked reports.

docs/web.md lists all messages in a table. The times of callbacks show a display's rate, and when
pictures appeared. `requestAnimationFrame` calls a callback in each frame, with the time at which
the frame began. What the callback draws appears at the screen's next change, if the callback ends
in time. So the time between two callbacks is the time between two changes of the screen.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate, pairwise
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import ClientDisconnect, Request

from hype.session.steps import (
    WAITS,
    Button,
    ChoiceScreen,
    ConfidenceSlider,
    Flash,
    Page,
    PictureRequest,
    Question,
    Scene,
    Screen,
    Step,
    Trial,
    TypedQuestion,
)
from hype.session.timing import Flip, frames_of
from hype.station.config import (
    DEFAULT_SHARES,
    RESUME,
    YES_OR_NO,
    StationConfig,
    cap_label,
    fill_text,
    hint_beneath,
)
from hype.study.table import DisplaySettings

LONGEST: Final = 512
Text = Annotated[str, Field(max_length=LONGEST)]
Ms = Annotated[float, Field(ge=0, le=86_400_000)]
LARGEST_PX: Final = 32_767
Pixels = Annotated[int, Field(ge=1, le=LARGEST_PX)]
MOST_CALLBACKS: Final = 4_000
MOST_INTERVALS: Final = 1_000
ENTERED: Final = {"kind", "lowest", "highest", "whole", "longest"}
"""What the client is told about a question whose answer is typed."""

Json = dict[str, Any]
NameOf = Callable[[PictureRequest], str]


class Body(BaseModel):
    """Base class of the messages from a client; unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class DisplayReport(Body):
    """A browser's window, in CSS pixels, and the times of its callbacks if images are flashed."""

    width: Pixels
    height: Pixels
    ratio: Annotated[float, Field(gt=0, le=16)]  # device pixels for each CSS pixel
    touch: bool  # whether the main pointer is a finger
    hover: bool
    webdriver: bool = False  # whether the browser reports that a program controls it
    agent: Text
    intervals: Annotated[tuple[Ms, ...], Field(max_length=MOST_INTERVALS)]  # between callbacks
    presentations: bool = False  # whether the browser reports when changes were on the screen


class SitReport(Body):
    """A page asks to start a session. ``page``: the random name that the page chose for itself."""

    page: Annotated[str, Field(min_length=8, max_length=64)]
    display: DisplayReport


class Seated(Body):
    """Base class of messages in a session; ``seat``: the name that the server gave the page."""

    seat: Text


class StepReport(Seated):
    """A message about a step."""

    step: Text


class AnswerReport(StepReport):
    """The result of a step.

    ``side``: the side of the square in which images were flashed, in CSS pixels. ``trusted``:
    whether the answer came from a key or a click, and not from a script.
    """

    answer: Text = ""
    key: Annotated[str, Field(max_length=32)] = ""
    rt_ms: Ms = 0.0
    trusted: bool = True
    callbacks: Annotated[tuple[tuple[Ms, Ms], ...], Field(max_length=MOST_CALLBACKS)] | None = None
    presented: Annotated[tuple[Ms, ...], Field(max_length=MOST_CALLBACKS)] | None = None
    side: Pixels | None = None


class ZipReport(Body):
    """An owner asks whether a model of this name, in a zip of this size, could be added."""

    name: Text
    bytes: Annotated[int, Field(ge=1)]


class DoorsReport(Body):
    """The experimenter opens or closes the doors."""

    open: bool


class PlaceReport(Body):
    """The experimenter frees the place of an active person, or decides about a waiting person."""

    what: Literal["free", "admit", "refuse"]
    evaluator: Annotated[str, Field(max_length=64)]
    simulated: bool = False


class PauseReport(StepReport):
    """The session was paused for ``for_ms``, and continues."""

    for_ms: Ms
    why: Literal["asked", "hidden", "blurred", "left-fullscreen", "network"]


class ImageSize(NamedTuple):
    """The size of images in CSS pixels: a square that fits into the window."""

    most: int
    across: float  # share of the window's width
    up: float  # share of the window's height

    @classmethod
    def of(cls, display: DisplaySettings, *, flashes: bool) -> ImageSize:
        """Read a study's size; by default, images fill the window or, if flashed, part of it."""
        if display.size_px is None:
            return cls(LARGEST_PX, *(DEFAULT_SHARES[1] if flashes else (1.0, 1.0)))
        return cls(round(display.size_px), 1.0, 1.0)

    def side_px(self, width: int, height: int) -> int:
        return int(min(self.most, self.across * width, self.up * height))


def screen_json(
    config: StationConfig, screen: Screen, *, fullscreen: bool, name_of: NameOf
) -> Json:
    """Describe a screen of text; the first page of a session may ask for ``fullscreen``."""
    name = screen.page.value
    if isinstance(screen, ChoiceScreen):
        return {
            "kind": "question",
            "title": fill_text(config, name, {}),
            "hint": hint_beneath(config, screen),
            **question_json(scene_of_question(screen, config)),
        }
    if screen.duration_ms is not None:
        text, bar = fill_text(config, name, {}), screen.page in WAITS
        return {"kind": "verdict", "text": text, "for_ms": screen.duration_ms, "bar": bar}
    buttons = [go_on_button(config)]
    if screen.choice:
        buttons = [
            Button(
                answer=answer,
                label=config.texts[answer],
                keys=keys,
                cap=" / ".join(cap_label(key, config.speech) for key in keys),
            )
            for answer, keys in zip(YES_OR_NO, config.keys.choices, strict=True)
        ]
    asks = fullscreen and screen.page in (Page.WELCOME, Page.RESUMED)
    look = config.appearance.pictures.get(name)
    picture = {"id": name_of(look.request), "alt": look.alt} if look else None
    page = {"kind": "page", "page": name, "buttons": list(map(asdict, buttons)), "fullscreen": asks}
    return page | {"picture": picture} | words_of(config, screen)


def go_on_button(config: StationConfig) -> Button:
    """Return the button that continues; below a slider, it sends the marked value."""
    key = config.keys.go_on
    cap = cap_label(key, config.speech)
    return Button(answer="", label=config.texts[RESUME], keys=(key,), cap=cap)


def scene_of_question(question: ChoiceScreen, config: StationConfig, **images: Any) -> Scene:
    """Return a question with its answers, and the ``images`` that it is about."""
    go_on, text = go_on_button(config), question.text
    if isinstance(question, ConfidenceSlider):
        return Scene(question=text, buttons=(go_on,), slider=question.slider, **images)
    answers = enumerate(zip(question.answers, question.options, strict=True), start=1)
    buttons = tuple(
        Button(answer=answer, label=label, keys=(f"{n}", f"num_{n}"), cap=f"{n}", aside=not answer)
        for n, (answer, label) in answers
    )
    if isinstance(question, TypedQuestion):  # keys type the answer
        buttons = tuple(replace(button, keys=(), cap="") for button in (go_on, *buttons))
        return Scene(question=text, buttons=buttons, entry=question.asked, **images)
    return Scene(question=text, buttons=buttons, layout="steps", **images)


def scene_of_step(
    step: Step, follow_ups: Sequence[Question], config: StationConfig
) -> Scene | None:
    """Return the scene of a trial, or of a question about its answer; None for other pages.

    Images must not move until the last question about them is answered, so each scene has room for
    all these questions. What disappeared with the answer, such as its buttons, is not shown again.
    """
    asked = step if isinstance(step, Question) else None
    trial = asked.about if asked else step
    if not isinstance(trial, Trial):
        return None
    scene = config.trials.scene(trial, config)
    if trial.is_time_critical:
        return None if asked else scene
    name = asked.name if asked else ""
    others = [scene_of_question(other, config) for other in follow_ups if other.name != name]
    if asked is None:
        return replace(scene, others=(*scene.others, *others))
    kept = ("pictures", "prompt", "captions", "ranks", "axis", "reference")
    images = {name: getattr(scene, name) for name in kept}
    return scene_of_question(asked, config, others=(scene, *scene.others, *others), **images)


def words_of(config: StationConfig, screen: Screen) -> Json:
    """Return the texts of a page; its first paragraph is its title."""
    title, *body = fill_text(config, screen.page.value, screen.values).split("\n\n")
    return {"title": title, "body": body}


def scene_json(scene: Scene, *, refresh_hz: float, name_of: NameOf) -> Json:
    """Describe a trial; ``name_of`` gives the names of pictures."""
    names = [name_of(request) for request in scene.pictures]
    asked: Json = question_json(scene) | {
        "limit_ms": scene.limit.limit_ms if scene.limit else None,
        "too_late": scene.limit.otherwise if scene.limit else "",
    }
    if scene.flash:
        return asked | {
            "kind": "flash",
            "cues": [asdict(cue) for cue in scene.flash.cues],
            "lead": LEAD_FRAMES,
            "pictures": [
                {"id": name, "frames": frames, "mask": request.mask}
                for name, request, frames in zip(
                    names, scene.pictures, frames_in(scene.flash, refresh_hz), strict=True
                )
            ],
        }
    return asked | {
        "kind": "scene",
        "prompt": scene.prompt,
        "pictures": [{"id": name} for name in names],
        "word_ms": scene.word_ms,
        "captions": list(scene.captions),
        "ranks": list(scene.ranks),
        "moves": list(scene.moves),
        "dots": list(scene.axis) if scene.axis else None,
        "pressed": scene.pressed,
        "reference": list(scene.reference) if scene.reference else None,
        "others": list(map(question_json, scene.others)),
    }


def question_json(asked: Scene) -> Json:
    return {
        "question": asked.question,
        "buttons": list(map(asdict, asked.buttons)),
        "layout": asked.layout,
        "slider": asdict(asked.slider) if asked.slider else None,
        "entry": asked.entry.model_dump(include=ENTERED) if asked.entry else None,
    }


def frames_in(flash: Flash, refresh_hz: float) -> tuple[int, ...]:
    return tuple(frames_of(ms, refresh_hz) for ms in flash.exposures_ms)


LARGEST_BODY: Final = 256 << 10
LONGEST_BODY_S: Final = 30.0
"""How long a report may take to arrive, which is enough for the largest on a slow network."""
BodyT = TypeVar("BodyT", bound=Body)


class Refused(Exception):
    """A refused request; the answer is an HTTP status and an error word that the client knows."""

    def __init__(self, status: int, error: str, detail: str = "", wait_s: float = 0.0) -> None:
        super().__init__(detail or error)
        self.status, self.error, self.detail, self.wait_s = status, error, detail, wait_s


async def report_in(request: Request, kind: type[BodyT]) -> BodyT:
    """Read and check a report, which must be JSON, not too long, and from this site's own pages.

    Raises Refused: the request has no report of this kind.
    """
    require_own_page(request)
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused(400, "bad", "a report must be JSON")
    try:
        content = await asyncio.wait_for(content_of(request), LONGEST_BODY_S)
        return kind.model_validate_json(content)
    except asyncio.TimeoutError:
        raise Refused(408, "bad", "the report took too long to arrive") from None
    except ValidationError:
        raise Refused(400, "bad", "this is not a report") from None


def require_own_page(request: Request) -> None:
    """Refuse a request if the browser reports that another site's page sent it."""
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise Refused(403, "bad", "another site sent this")


async def content_of(request: Request) -> bytes:
    content = bytearray()
    try:
        async for part in request.stream():
            content += part
            if len(content) > LARGEST_BODY:
                raise Refused(413, "bad", "the report is too long")
    except ClientDisconnect:
        raise Refused(400, "bad", "the report broke off") from None  # the client has gone
    return bytes(content)


JudgedBy = Literal["presentations", "callbacks"]
"""What shows when pictures appeared: the browser's presentation times, or only the times of
callbacks, although these do not show when what was drawn appeared on the screen."""
PRESENTATIONS: Final = "presentations"
CALLBACKS: Final = "callbacks"
LEAD_FRAMES: Final = 6
"""The number of callbacks before the first picture; these draw nothing new."""
REGULAR: Final = 0.25
"""An interval is regular if it differs from the median by at most this share of the median."""
LEAST_REGULAR: Final = 0.9
"""A display is unsteady if less than this share of its intervals is regular."""
SLOWEST_HZ: Final = 20.0
FASTEST_HZ: Final = 1000.0


class Callback(NamedTuple):
    """The times of one callback, in ms of the page's clock."""

    began: float  # the time that the callback was given: when its frame began
    drawn: float  # when the callback's drawing ended


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayRate:
    """How often a display changes, and how regularly."""

    refresh_hz: float
    regular: float  # share of the intervals that were one frame, 0 to 1

    @property
    def is_held(self) -> bool:
        return self.regular >= LEAST_REGULAR and SLOWEST_HZ <= self.refresh_hz <= FASTEST_HZ


def display_rate(intervals_ms: Sequence[float]) -> DisplayRate:
    """Compute a display's rate from the mean of its regular intervals between callbacks.

    Raises ValueError: there are no intervals, or one is not positive.
    """
    if not intervals_ms or min(intervals_ms) <= 0:
        raise ValueError("give one or more intervals between callbacks, all above 0")
    usual = statistics.median(intervals_ms)
    regular = [ms for ms in intervals_ms if abs(ms - usual) <= REGULAR * usual]
    return DisplayRate(
        refresh_hz=1000 / statistics.fmean(regular), regular=len(regular) / len(intervals_ms)
    )


def flips_of(
    callbacks: Sequence[Callback],
    frames: Sequence[int],
    refresh_hz: float,
    judged_by: JudgedBy,
    *,
    presented: Sequence[float] | None = None,
) -> tuple[Flip, ...]:
    """Return when each picture, and then the empty screen, appeared: in s, by the page's clock.

    ``frames``: the planned number of frames of each picture.
    ``presented``: when each change was on the screen, in ms, if the browser reports it. If not, the
    times are those of the callbacks. A picture may then have appeared later: by the whole frames
    that its callback took and, if ``judged_by`` is "presentations" but none were reported for this
    trial, by one more frame.

    Raises ValueError: the number of callbacks or of presentations is wrong, or time goes backwards.
    """
    if len(callbacks) != LEAD_FRAMES + sum(frames) + 1:
        raise ValueError(f"{sum(frames)} frames cannot have {len(callbacks)} callbacks")
    if any(one.began >= other.began for one, other in pairwise(callbacks)):
        raise ValueError("a callback began before the previous callback")
    if any(callback.drawn < callback.began for callback in callbacks):
        raise ValueError("something was drawn before its callback began")
    frame_ms = 1000 / refresh_hz
    places = (LEAD_FRAMES + before for before in accumulate(frames, initial=0))
    changes = [callbacks[place] for place in places]
    if presented is None:
        unseen = int(judged_by == PRESENTATIONS)
        return tuple(flip_of(change, frame_ms, unseen) for change in changes)
    if len(presented) != len(changes):
        raise ValueError(f"{len(changes)} changes cannot have {len(presented)} presentations")
    if any(shown < change.began for shown, change in zip(presented, changes, strict=True)):
        raise ValueError("a change was seen before its callback began")
    return tuple(Flip(ms / 1000, ms / 1000, ms / 1000) for ms in presented)


def flip_of(callback: Callback, frame_ms: float, unseen_frames: int) -> Flip:
    began_s = callback.began / 1000
    late_frames = int((callback.drawn - callback.began) / frame_ms) + unseen_frames
    return Flip(began_s, began_s, began_s + late_frames * frame_ms / 1000)
