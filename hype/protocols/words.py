"""The words of a study, at a station and in a browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeVar

from hype.protocols.registry import of_methods
from hype.study.shared import SharedSettings
from hype.study.texts import Words, pack_of

WordsT = TypeVar("WordsT", bound=Words)


def usual_texts(settings: SharedSettings) -> dict[str, str]:
    """Give the texts of its language, whatever the study file says."""
    english = type(settings.texts)().model_dump()
    return {**english, **pack_of(settings.study.language).texts_of(groups_of(settings))}


def words_shown(settings: SharedSettings, words: WordsT, *, in_browser: bool) -> WordsT:
    """Give a study's ``words`` as they are shown.

    In a browser there is no experimenter to tell, and maybe no key to press: a text that its
    language has given makes room for another one there. What the study words itself stays.
    """
    if not in_browser:
        return words
    usual, now = usual_texts(settings), words.model_dump()
    others = texts_in_browsers(settings)
    left = {name: text for name, text in others.items() if now[name] == usual[name]}
    return words.model_copy(update=left)


def texts_in_browsers(settings: SharedSettings) -> Mapping[str, str]:
    """Give what browsers have of a study's texts in the place of those for stations."""
    found = pack_of(settings.study.language).in_browsers(groups_of(settings))
    known = type(settings.texts).model_fields
    return {name: text for name, text in found.items() if name in known}


def groups_of(settings: SharedSettings) -> tuple[str, ...]:
    """Name the groups of a language's texts that a study has."""
    tables = json.loads(settings.model_dump_json())
    return of_methods(settings.study.methods).text_groups(tables)
