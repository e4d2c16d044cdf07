"""Newcomers: their links, their codes in the record, and the address where they go at the end.

A link from a platform contains the platform's name for the person. The server trusts this name, as
survey programs do. Only the desk keeps the names, with the code of each person. Sessions, records,
exports and reports contain only codes. Names are also needed for payments.

- Prolific appends ``PROLIFIC_PID``, ``STUDY_ID`` and ``SESSION_ID`` to a study's address.
- Mechanical Turk shows an ExternalQuestion in a frame and appends ``assignmentId``, ``hitId``,
  ``workerId`` and ``turkSubmitTo``; before somebody has accepted the task, the assignment is
  ``ASSIGNMENT_ID_NOT_AVAILABLE``. At the end, a form is posted from that frame; Mechanical Turk
  refuses it from another window.
- Sona appends ``survey_code``, and its completion address needs this code.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from hype.errors import InputError, WhyNot
from hype.files import inside, read_bytes, shorten, write_table
from hype.session.admitting import record_file_of
from hype.study.studies import AnyStudy
from hype.study.web_settings import (
    MOST_CODES,
    PLATFORMS,
    SURVEY_CODE,
    Platform,
    WebSettings,
    is_address,
)
from hype.web.desk import Desk, key_file
from hype.web.tokens import ServerKey

Query = Sequence[tuple[str, str]]
Why = Literal[WhyNot, "group_full", "declined", "waiting", "not_invited", "preview"]
NOT_ACCEPTED: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
INVITED: Final = "invitation"
ASSIGNMENT: Final = "assignment"
SUBMIT_TO: Final = "submit_to"
"""Names of the facts that the desk keeps because Mechanical Turk needs them at the end."""
IDS: Final[Mapping[str, re.Pattern[str]]] = {
    "PROLIFIC_PID": re.compile(r"[A-Za-z0-9]{24}"),
    "workerId": re.compile(r"[A-Za-z0-9]{5,40}"),
    "assignmentId": re.compile(r"[A-Za-z0-9]{5,40}"),
    SURVEY_CODE: re.compile(r"[A-Za-z0-9-]{1,40}"),
}
"""The parameters that platforms add to links, with their allowed values; no others are stored."""
TURK_HOST: Final = re.compile(r"(?:[a-z0-9-]{1,63}\.){0,3}mturk\.com")
PROLIFIC: Final = "https://app.prolific.com/submissions/complete"
COMPLETION: Final = "cc"
"""The parameter with the completion code in Prolific's addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A person who may take part.

    ``person`` is the person's name at the desk, such as "prolific:" and the name on Prolific; empty
    if the link does not identify the person. ``facts`` are what a platform needs at the end.
    """

    person: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


class Participant(NamedTuple):
    """An evaluator who may start a session: their code, and whether they are simulated."""

    evaluator: str
    simulated: bool = False


class TurnedAway(Exception):
    """A person may not take part, or not now; ``text`` is the name of the text that says why.

    ``ended`` is how the person's participation ended, if they had started.
    """

    def __init__(self, text: Why, ended: str = "") -> None:
        super().__init__(text)
        self.text, self.ended = text, ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """Where a person goes at the end.

    ``code`` is a code to copy, if there is one; ``platform`` is the platform's name. If there is
    only a platform's name, the person continues on the platform's page.
    """

    url: str = ""
    code: str = ""
    platform: str = ""


NOWHERE: Final = Departure()


class HandedIn(NamedTuple):
    """The form that Mechanical Turk's frame posts at the end."""

    url: str
    fields: Mapping[str, str]


def arrival(
    web: WebSettings, query: Query, *, invited: Collection[str] = (), code: str | None = None
) -> Arrival:
    """Identify the person behind a link.

    ``query``: the parameters of the link; ``code``: the code of an invitation; ``invited``: the
    codes of all invitations.

    Raises TurnedAway: the person is not invited, or only sees a preview of the task.
    """
    person = None
    if code in invited:
        person = Arrival(person=f"{INVITED}:{code}")
    elif code is None:
        number = Counter(name for name, _ in query)  # a name with two values is ignored
        given = {name: value for name, value in query if number[name] == 1}
        person = arrival_from(web.platform, given) if web.platform else None
        person = person or (Arrival() if web.is_open else None)
    if person is None:
        raise TurnedAway("not_invited")
    return person


def arrival_from(platform: Platform, given: Mapping[str, str]) -> Arrival | None:
    """Identify a person by a platform's link; None for any other link."""
    if platform == "prolific":
        return arrival_of(platform, id_in(given, "PROLIFIC_PID"))
    if platform == "sona":
        return arrival_of(platform, id_in(given, SURVEY_CODE))
    if given.get("assignmentId") == NOT_ACCEPTED:
        raise TurnedAway("preview")
    assignment, submit_to = id_in(given, "assignmentId"), turk_address(given.get("turkSubmitTo"))
    if not assignment or not submit_to:
        return None
    facts = {ASSIGNMENT: assignment, SUBMIT_TO: submit_to}
    return arrival_of(platform, id_in(given, "workerId"), facts)


def arrival_of(
    platform: Platform, who: str, facts: Mapping[str, str] | None = None
) -> Arrival | None:
    return Arrival(person=f"{platform}:{who}", facts=facts or {}) if who else None


def id_in(given: Mapping[str, str], name: str) -> str:
    """Return the value of a parameter of a platform's link; empty if it is missing or invalid."""
    value = given.get(name, "")
    return value if IDS[name].fullmatch(value) else ""


def turk_address(given: str | None) -> str:
    """Return Mechanical Turk's address for the final form; empty if ``given`` is another site."""
    if not given or not is_address(given):
        return ""
    parts = urlsplit(given)
    plain = parts.path in ("", "/") and not parts.query and not parts.fragment
    is_turk = plain and TURK_HOST.fullmatch(parts.netloc)
    return f"https://{parts.netloc}" if is_turk else ""


def platform_of(person: str) -> Platform | None:
    return next((platform for platform in PLATFORMS if person.startswith(f"{platform}:")), None)


def id_of(person: str) -> str:
    return person.partition(":")[2]


def departure(web: WebSettings, came: Arrival, ended: str) -> Departure:
    """Return where a person goes at the end, or `NOWHERE` if no address or code applies.

    ``ended``: one of `hype.store.schema.ENDINGS`.
    """
    ends = {
        "complete": web.completion,
        "unqualified": web.screen_out,
        "waiting": web.screen_out,
        "declined": web.no_consent,
        "full": web.quota_full or web.screen_out,
        "misunderstood": web.screen_out,
    }
    if ended not in ends or web.platform != platform_of(came.person):
        return NOWHERE
    where = ends[ended]
    platform = PLATFORMS[web.platform] if web.platform else ""
    if web.platform == "mturk" and hand_in_link(came, ended):
        return Departure(platform=platform)
    if not where:
        return NOWHERE
    if web.platform == "prolific":
        # An address, and also a code that people can copy if the link does not work
        url, code = f"{PROLIFIC}?{urlencode({COMPLETION: where})}", where
        if is_address(where):
            url, code = where, dict(parse_qsl(urlsplit(where).query)).get(COMPLETION, "")
        return Departure(url=url, code=code, platform=platform)
    if not is_address(where):
        return Departure(code=where, platform=platform)
    if web.platform == "sona":
        parts, code = urlsplit(where), id_of(came.person)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        query = urlencode([(key, code if key == SURVEY_CODE else old) for key, old in pairs])
        where = urlunsplit(parts._replace(query=query))
    return Departure(url=where, platform=platform)


SUBMITTED: Final = ("complete", "unqualified", "waiting")
"""Endings of people who took part and submit their work to a platform."""


def hand_in_link(came: Arrival, ended: str) -> HandedIn | None:
    """Return the form that submits a task; None for people who did not take part."""
    submit_to, assignment = came.facts.get(SUBMIT_TO, ""), came.facts.get(ASSIGNMENT, "")
    if ended not in SUBMITTED or not submit_to or not assignment:
        return None
    fields = {"assignmentId": assignment, "ended": ended}  # Mechanical Turk requires a second field
    return HandedIn(f"{submit_to}/mturk/externalSubmit", fields)


CODE: Final = re.compile(r"[A-Za-z0-9_-]{4,64}")
LARGEST_BYTES: Final = 8 << 20
MADE_LENGTH: Final = 12
"""Length of a code that the server makes: 72 bits, so that nobody can guess one."""


def invitations(study: AnyStudy, name_of: Callable[[str, int], str]) -> tuple[str, ...]:
    """Return the codes of all invitations, in order; empty if there are none.

    ``name_of`` makes a secret name from a purpose ("invitation") and a number.

    Raises InputError: the file of codes cannot be read, or a line is not a code.
    """
    codes = study.settings.web.codes
    if isinstance(codes, int):
        return tuple(name_of("invitation", n)[:MADE_LENGTH] for n in range(1, codes + 1))
    return codes_in(study, codes) if codes else ()


def check_path(key: ServerKey) -> str:
    return f"/check/{key.name('check', key.links)}"


def links_of(study: AnyStudy, key: ServerKey, address: str) -> Iterator[tuple[str, str]]:
    """Yield pairs: a word for people ("Participants", "Checkers"), and the link for them."""
    if study.settings.web.is_open:
        yield "Participants", f"{address}/"
    if study.settings.name_checker("any"):
        yield "Checkers", f"{address}{check_path(key)}"


def write_links(path: Path, codes: Sequence[str], address: str) -> None:
    """Write a table of invitations, each with its link.

    ``address`` is where participants reach the server.

    Raises InputError: there are no invitations, or the table cannot be written.
    """
    if not codes:
        raise InputError(
            "--invitations",
            "the study invites nobody",
            "set codes in [web], to a number or a file",
        )
    rows = ({"code": code, "link": f"{address.rstrip('/')}/join/{code}"} for code in codes)
    write_table(path, ("code", "link"), rows)


def codes_in(study: AnyStudy, file: str) -> tuple[str, ...]:
    """Read a file of codes, one on each line; empty lines are skipped.

    Raises InputError: the file cannot be read, or a line is not a code, or occurs twice.
    """
    path = inside(study.folder, file)
    try:
        lines = read_bytes(path, most_bytes=LARGEST_BYTES).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"cannot be read as invitation codes: {error}") from None
    codes: list[str] = []
    first_lines: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        code = line.strip()
        if not code:
            continue
        where = f"{path} line {number}"
        if not CODE.fullmatch(code):
            problem = f"{shorten(code)} is not an invitation code"
            raise InputError(where, problem, "4 to 64 letters, digits, '-' and '_'")
        if code in first_lines:
            raise InputError(where, f"repeats the code of line {first_lines[code]}")
        first_lines[code] = number
        codes.append(code)
    if not 0 < len(codes) <= MOST_CODES:
        raise InputError(path, f"contains {len(codes):,} codes", f"1 to {MOST_CODES:,}")
    return tuple(codes)


@dataclass(frozen=True)
class Entrance:
    """Identifies newcomers by their links; only the desk knows their names."""

    study: AnyStudy
    key: ServerKey
    desk: Desk

    @property
    def web(self) -> WebSettings:
        return self.study.settings.web

    @cached_property
    def invited(self) -> frozenset[str]:
        """The codes of all invitations, from a file or made by the server.

        Raises InputError: the file is missing, or is not a file of codes.
        """
        return frozenset(invitations(self.study, self.key.name))

    def come(self, query: Query, code: str | None = None, *, checker: str = "") -> Participant:
        """Identify the participant behind a link.

        ``checker``: the code for a new person who came by the checkers' link, which is always open.

        Raises TurnedAway: the person may not take part.
        Raises HypeError: the desk cannot be read or written.
        """
        web = self.web.model_copy(update={"open": True}) if checker else self.web
        came = arrival(web, query, invited=self.invited, code=code)
        if not came.person:
            return Participant(checker or f"web-{secrets.token_hex(6)}")
        rule, gate = self.study.settings.study, self.study.settings.gate
        named = () if checker else (*rule.not_from, *(gate.valid_from if gate else ()))
        elsewhere = filter(None, (record_file_of(self.study.folder / name) for name in named))
        others = (key_file(record.parent).with_suffix(".csv") for record in elsewhere)
        return Participant(self.desk.code_of(came.person, came.facts, others, checker))

    def hand_in(self, who: Participant, ended: str) -> HandedIn | None:
        """Return the form that the platform's frame posts after the end of the session.

        Raises HypeError: the desk cannot be read.
        """
        return hand_in_link(self._arrival(who), ended)

    def _arrival(self, who: Participant) -> Arrival:
        row = self.desk.row_of(who.evaluator)
        facts = {name: row[name] for name in (ASSIGNMENT, SUBMIT_TO) if row.get(name)}
        return Arrival(person=row.get("person", ""), facts=facts)

    def notice(self, name: str, **values: object) -> dict[str, Any]:
        """Return the title and paragraphs of a page that says why a person cannot continue."""
        known = defaultdict(str, values)  # placeholders without a value become empty
        title, *body = self.words[name].format_map(known).split("\n\n")
        return {"title": title, "body": body}

    @cached_property
    def words(self) -> dict[str, str]:
        """All texts that the browser may show: those of the study and those of the pages."""
        shown = self.study.words_in_browser.model_dump()
        return shown | self.study.settings.web.texts.model_dump()

    def farewell(self, who: Participant, step: dict[str, Any]) -> dict[str, Any]:
        """Add to a person's last page where they can go next.

        Raises HypeError: the desk cannot be read.
        """
        ended, words = str(step["ended"]), self.words
        left = departure(self.web, self._arrival(who), ended)
        close = words["close_now" if ended in ("declined", "full") else "close"]
        if left.platform and not left.url and not left.code:
            close = words["close_to"].format(platform=left.platform)
        button = words["finish"]
        if left.platform:
            button = words["back_to"].format(platform=left.platform)
        going = {"go_to": left.url or None, "code": left.code or None}
        return step | going | {"button": button, "close": close}
