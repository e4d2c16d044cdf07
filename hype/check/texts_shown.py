"""Which texts a study shows, and which of them are its own."""

from __future__ import annotations

from collections.abc import Iterator

from hype.protocols.protocol import TextsIf
from hype.protocols.registry import of_methods
from hype.station.config import ARROWS
from hype.study.languages import ENGLISH, pack_of
from hype.study.shared import SharedSettings


def texts_shown(settings: SharedSettings) -> dict[str, str]:
    never = {name for shown, names in conditional(settings) if not shown for name in names}
    texts: dict[str, str] = settings.texts.model_dump()
    return {name: text for name, text in texts.items() if name not in never}


def usual_texts(settings: SharedSettings) -> dict[str, str]:
    """Give the texts of its language, whatever the study file says."""
    protocol = of_methods(settings.study.methods)
    english = type(settings.texts)().model_dump()
    return {
        **english,
        **pack_of(settings.study.language).texts_of(
            protocol.name, protocol.packs_of_texts(settings)
        ),
    }


def left_in_its_language(settings: SharedSettings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the keys of the file for what a study words itself, and for what it leaves as it was.

    Of the names of keys those count that are words of a language.
    """
    shown, usual = texts_shown(settings), usual_texts(settings)
    own = tuple(f"texts.{name}" for name, text in shown.items() if text != usual[name])
    left = tuple(f"texts.{name}" for name, text in shown.items() if text == usual[name])
    said = pack_of(settings.study.language).keys.said
    words = [key for key in keys_used(settings) if key in said and key not in settings.keys.names]
    return own, (*left, *(f"keys.names.{key}" for key in words))


def is_language_said(settings: SharedSettings) -> bool:
    return "language" in settings.study.model_fields_set or settings.study.language != ENGLISH


def keys_used(settings: SharedSettings) -> list[str]:
    """List the names of the keys that a study has, and of those that every study has, each once."""
    named = settings.keys.model_dump(exclude={"left_means", "names"})
    return list(dict.fromkeys((*named.values(), *ARROWS)))


def conditional(settings: SharedSettings) -> Iterator[TextsIf]:
    """Yield texts that not every study shows."""
    yield settings.study.consent, ("yes", "no", "consent", "declined")
    yield settings.study.breaks, ("rest",)
    yield from of_methods(settings.study.methods).texts_if(settings)
