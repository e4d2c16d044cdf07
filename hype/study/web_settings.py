"""``[web]`` of the study file: who may take part in a browser, and where they go afterwards.

``[web]`` does not affect what is asked: it may change at any time, and is not kept in the record.
``[web.texts]`` has the texts of the server's own pages, buttons and lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Annotated, Any, ClassVar, Final, Literal
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pydantic import Field, field_validator, model_validator

from hype.study.table import Settings, Topic
from hype.study.texts import Words, english_words


class WebTexts(Words):
    """The words of pages in browsers. ``[web.texts]`` of a study file overrides any of these words.

    In texts that fill a page, the first paragraph is the title.
    """

    in_text: ClassVar[Mapping[str, Set[str]]] = {
        "small_window": {"width", "height"},
        "image": {"name"},
        "axis": {"number", "of"},
        "rank": {"rank"},
        "back_to": {"platform"},
        "close_to": {"platform"},
    }
    groups: ClassVar[tuple[str, ...]] = ("web",)

    # Lines and buttons of a running session
    loading: str = Field(description="Line while images load")
    measuring: str = Field(description="Line while the screen is measured")
    keyboard: str = Field(description="Hint that buttons have keys")
    pause: str = Field(description="Button for a pause")
    read_consent: str = Field(description="Button that shows the consent again")
    whole_screen: str = Field(description="Button for full screen")
    whole_screen_why: str = Field(description="Why full screen is used")
    left_whole_screen: str = Field(description="Line after somebody left full screen")
    was_away: str = Field(description="Line after somebody was on another page")
    connection_lost: str = Field(description="Line while the connection is lost")
    connection_back: str = Field(description="Line when the connection is back")
    busy: str = Field(description="Line while the server is busy")
    moved: str = Field(description="Page when the session is open elsewhere")
    go_on_here: str = Field(description="Button that continues the session here")
    gone: str = Field(description="Page that is out of date")
    broken: str = Field(description="Page after a technical problem")
    reload: str = Field(description="Button that loads the page again")
    stopped: str = Field(description="Page after a person has stopped")
    # Texts that screen readers say during a trial
    image: str = Field(description="Screen reader: an image")
    axis: str = Field(description="Screen reader: number of a question")
    rank: str = Field(description="Screen reader: place of an image")
    order: str = Field(description="Screen reader: the order so far")
    unmarked: str = Field(description="Screen reader: a slider without a mark")
    progress: str = Field(description="Screen reader: the progress bar")
    # At the end
    back_to: str = Field(description="Link back to the platform")
    finish: str = Field(description="Link to the end, without a platform")
    completion_code: str = Field(description="Title above the completion code")
    copy_code: str = Field(description="Button that copies the code")
    copied: str = Field(description="Button after the code was copied")
    close: str = Field(description="End of the last page, if answers are saved")
    close_now: str = Field(description="End of the last page, if nothing was saved")
    close_to: str = Field(description="End of the last page for people from platforms")
    # Why somebody cannot take part, now or at all
    no_phones: str = Field(description="Page for phones, if a study cannot run there")
    small_window: str = Field(description="Page while the window is too small")
    unsteady_display: str = Field(description="Page for screens with unsteady timing")
    old_browser: str = Field(description="Page for browsers that are too old")
    no_script: str = Field(description="Page for browsers without JavaScript")
    no_cookies: str = Field(description="Page for browsers without cookies")
    enough_people: str = Field(description="Page when the study has enough people")
    left_out: str = Field(description="Page for people whom the experimenter left out")
    not_qualified: str = Field(description="Page for people who did not pass the test")
    place_taken: str = Field(description="Page for people who were away too long")
    full: str = Field(description="Page while no place is free")
    doors_closed: str = Field(description="Page while the study is closed to newcomers")
    not_invited: str = Field(description="Page for people without an invitation")
    came_before: str = Field(description="Page for people who took part before")
    not_here: str = Field(description="Page for a wrong link")
    preview: str = Field(description="Page of a task before it is accepted")
    accepted: str = Field(description="Page of a task after it is accepted")
    own_window: str = Field(description="Link to the study in a separate window")
    handing_in: str = Field(description="Page while a task is submitted")
    hand_in: str = Field(description="Button that submits a task")


Platform = Literal["prolific", "mturk", "sona"]
PLATFORMS: Final[dict[Platform, str]] = {
    "prolific": "Prolific",
    "mturk": "Mechanical Turk",
    "sona": "Sona",
}
"""The platforms for recruiting participants."""
SURVEY_CODE: Final = "survey_code"
"""The name of the URL parameter with a participant's code, in links from and to Sona."""
MOST_CODES: Final = 100_000
MOST_PRESENT_MINUTES: Final = 30.0
LONGEST_ADDRESS: Final = 2000
COMPLETION_CODE: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
PROLIFIC_HOSTS: Final = ("app.prolific.com", "app.prolific.co")
Side = Annotated[int, Field(ge=200, le=10_000)]


class WebSettings(Settings):
    """``[web]``: sessions in browsers.

    Anybody with the link can take part, unless ``codes`` or a ``platform`` limits this.
    """

    topic = Topic.BROWSERS
    address: str = ""
    """Address of the server. The address that participants open in their browsers."""
    open: bool | None = None
    """Anybody with the link may take part. If empty, this is allowed unless there are invitations
    or a platform."""
    codes: int | str | None = None
    """Invitations. The number of invitations, or the name of a file with one code per line."""
    platform: Platform | None = None
    """Platform. The site from which participants come."""
    completion: str = ""
    """Address or code after the end. People who finished are sent there or see the code."""
    screen_out: str = ""
    """Address or code after a failed test. People who failed are sent there or see the code."""
    no_consent: str = ""
    """Address or code if consent is refused. People who refuse are sent there or see the code."""
    quota_full: str = ""
    """Address or code when a group is full. If empty, the one for a failed test is used."""
    smallest_window: tuple[Side, Side] | None = None
    """Smallest window. The width and height of the window in CSS pixels."""
    phones: bool = True
    """Allow phones. Flashed images are never shown on phones."""
    release_minutes: Annotated[float, Field(gt=0, le=100_000)] = 30.0
    """Minutes until an unused place is free. After so long without an answer, others may get it."""
    most_at_once: Annotated[int, Field(ge=1, le=10_000)] = 60
    """Maximum number of participants at the same time."""
    fullscreen: Literal["asked", "off"] = "asked"
    """Whole screen in browsers. "asked": participants are asked to use the whole screen."""
    texts: WebTexts = english_words(WebTexts)

    @property
    def is_given(self) -> bool:
        """Whether the study file sets a key of ``[web]``; ``texts`` does not count."""
        return bool(self.model_fields_set - {"texts"})

    @property
    def present_minutes(self) -> float:
        """How long a participant counts as present after their last step."""
        return min(MOST_PRESENT_MINUTES, self.release_minutes)

    @property
    def is_open(self) -> bool:
        """Whether anybody with the link can take part."""
        return not (self.codes or self.platform) if self.open is None else self.open

    @field_validator("address")
    @classmethod
    def is_of_a_server(cls, given: str) -> str:
        parts = split_address(given) if given else None
        if parts and (parts.path not in ("", "/") or "?" in given or "#" in given):
            parts = None
        if given and parts is None:
            raise ValueError(
                "is not the address of a server, such as https://study.example.org: nothing may "
                "follow the server's name"
            )
        return given.rstrip("/")

    @field_validator("codes", mode="before")
    @classmethod
    def codes_are_a_number_or_a_file(cls, given: Any) -> Any:
        is_number = isinstance(given, int) and not isinstance(given, bool)
        if given is None or (is_number and 1 <= given <= MOST_CODES):
            return given
        if isinstance(given, str) and given:
            return given
        raise ValueError(
            f"is neither a number of codes from 1 to {MOST_CODES:,} nor the name of a file with "
            "one code per line"
        )

    @field_validator("completion", "screen_out", "no_consent", "quota_full")
    @classmethod
    def is_address_or_code(cls, given: str) -> str:
        if not given or COMPLETION_CODE.fullmatch(given) or is_address(given):
            return given
        raise ValueError(
            "is neither an address that begins with https:// nor a code of up to 64 letters, "
            "digits, '-' and '_'"
        )

    @model_validator(mode="after")
    def parts_fit(self) -> WebSettings:
        """Check that the keys are consistent with each other."""
        if self.open is False and not self.codes and not self.platform:
            raise ValueError("open = false, so nobody can take part: set codes or a platform too")
        ends = ("completion", "screen_out", "no_consent", "quota_full")
        given = {name: getattr(self, name) for name in ends}
        given = {name: where for name, where in given.items() if where}
        by_place: dict[str, str] = {}
        for name, where in given.items():
            other = by_place.setdefault(where, name)
            if self.platform and other != name:
                raise ValueError(
                    f"{other} and {name} are the same: the platform could not distinguish them"
                )
            refuse_unfit(self.platform, name, where)
        return self


def is_address(given: str) -> bool:
    """Return whether a text is an https address to which participants can be sent."""
    parts = split_address(given)
    return parts is not None and parts.scheme == "https"


def split_address(given: str) -> SplitResult | None:
    """Return the parts of a web address; None if it is invalid or misleading (contains "@")."""
    if len(given) > LONGEST_ADDRESS or not given.isascii() or not given.isprintable():
        return None
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        return None
    plain = " " not in given and "\\" not in given and "@" not in parts.netloc
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    return parts if is_web and plain and port != 0 else None


def refuse_unfit(platform: Platform | None, name: str, where: str) -> None:
    """Refuse an address or code for the session's end that the platform would not accept."""
    if platform == "mturk":
        raise ValueError(f"{name} is not needed: the program itself reports to Mechanical Turk")
    if platform == "prolific" and is_address(where):
        if urlsplit(where).hostname not in PROLIFIC_HOSTS:
            raise ValueError(f"{name} is not an address of Prolific: give only its code")
    elif platform == "sona" and name == "completion":
        names = {name for name, _ in parse_qsl(urlsplit(where).query, keep_blank_values=True)}
        if not is_address(where) or SURVEY_CODE not in names:
            raise ValueError(
                "completion is not Sona's completion URL (client-side), which contains survey_code="
            )
