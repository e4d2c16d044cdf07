"""The entrance of a study's server: who may come in, who they are to the record, where they go."""

from __future__ import annotations

import json
import os
import secrets
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.files import make_folder
from hype.people_file import code_of, people_in
from hype.session.admitting import record_of
from hype.study.studies import AnyStudy
from hype.study.web_settings import WebSettings
from hype.web.arrivals import (
    ASSIGNMENT,
    SUBMIT_TO,
    Arrival,
    Departure,
    HandedIn,
    Query,
    arrival,
    departure,
    handed_in,
    invitations,
)
from hype.web.sittings import Participant
from hype.web.tokens import ServerKey, key_file
from hype.web.wire import Json

PEOPLE: Final = "HYPE_PEOPLE"
"""The variable that tells workers where the file of people is."""


def people_file(study: AnyStudy) -> Path:
    """Give where the file is that says who is who: never in the study."""
    named = os.environ.get(PEOPLE)
    return Path(named) if named else key_file(study.folder).with_suffix(".csv")


@dataclass(frozen=True)
class Entrance:
    """Who comes, by their links; who they are is in the file of people alone."""

    study: AnyStudy
    key: ServerKey
    people: Path

    @property
    def web(self) -> WebSettings:
        return self.study.settings.web

    @cached_property
    def invited(self) -> frozenset[str]:
        """The codes of all invitations: those of a file, or as many as are asked for.

        Raises InputError: their file is missing, or none.
        """
        return frozenset(invitations(self.study, self.key.name))

    def come(self, query: Query, code: str | None = None) -> Participant:
        """Tell who comes with a link.

        Raises TurnedAway: they may not take part.
        Raises InputError: the file of people cannot be read or written.
        """
        came = arrival(self.web, query, invited=self.invited, code=code)
        if not came.person:
            return Participant(f"web-{secrets.token_hex(6)}")
        named = self.study.settings.study.not_from
        elsewhere = filter(None, (record_of(self.study.folder / name) for name in named))
        others = (key_file(record.parent).with_suffix(".csv") for record in elsewhere)
        return Participant(code_of(self.people, came.person, came.facts, others))

    def leave(self, who: Participant, ended: str) -> Departure:
        """Tell where somebody goes in the end.

        Raises InputError: the file of people cannot be read.
        """
        return departure(self.web, self._arrival(who), ended)

    def hand_in(self, who: Participant, ended: str) -> HandedIn | None:
        """Give what the platform's frame posts, once a part has ended.

        Raises InputError: the file of people cannot be read.
        """
        return handed_in(self._arrival(who), ended)

    def _arrival(self, who: Participant) -> Arrival:
        row = people_in(self.people).get(who.evaluator, {}) if self.people.exists() else {}
        facts = {name: row[name] for name in (ASSIGNMENT, SUBMIT_TO) if row.get(name)}
        return Arrival(person=row.get("person", ""), facts=facts)

    def notice(self, name: str, **values: object) -> Json:
        """Give the words of a page that says why it does not go on: its title and paragraphs."""
        known = defaultdict(str, values)  # a text of the study may name keys: none is asked for
        title, *body = self.words[name].format_map(known).split("\n\n")
        return {"title": title, "body": body}

    @cached_property
    def words(self) -> dict[str, str]:
        """All words of the client: the study's own and those of the pages."""
        shown = self.study.words_in_browser.model_dump()
        return shown | self.study.settings.web.texts.model_dump()

    @cached_property
    def words_as_data(self) -> str:
        """The same as JSON that can stand in a page."""
        return json.dumps(self.words, ensure_ascii=False).replace("<", "\\u003c")


def farewell(entrance: Entrance, who: Participant, step: Json) -> Json:
    """Add to a session's last step where it goes from there."""
    left = entrance.leave(who, ended := str(step["ended"]))
    words = entrance.words
    button = words["back_to"].format(platform=left.platform) if left.platform else words["finish"]
    waits = left.platform and not left.url and not left.code
    close = words["close_now" if ended in ("declined", "full") else "close"]
    if waits:
        close = words["close_to"].format(platform=left.platform)
    going: Json = {"go_to": left.url or None, "code": left.code or None}
    return step | going | {"button": button, "close": close}


@dataclass(frozen=True, slots=True)
class DoorSign:
    """A file that is there as long as the doors are closed."""

    path: Path

    @classmethod
    def of(cls, study: AnyStudy) -> DoorSign:
        return cls(key_file(study.folder).with_suffix(".closed"))

    @property
    def since_unix_s(self) -> float | None:
        """When the doors were closed; None while they are open."""
        try:
            return self.path.stat().st_mtime
        except OSError:
            return None

    def open(self) -> None:
        """Let newcomers in.

        Raises InputError: the sign cannot be taken away.
        """
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(self.path, f"cannot be deleted: {error.strerror}") from None

    def close(self) -> None:
        """Let nobody new in; those who have begun go on.

        Raises InputError: the sign cannot be put up.
        """
        make_folder(self.path.parent)
        try:
            self.path.touch(exist_ok=True)
        except OSError as error:
            raise InputError(self.path, f"cannot be written: {error.strerror}") from None
