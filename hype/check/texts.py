"""The pre-flight of texts: whether all are in one language, and whether they can be drawn."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from hype.check.findings import Preflight
from hype.errors import SessionProblem, few
from hype.session.stage import speech_of
from hype.station.config import ARROWS, cap_label, name_in_sentence
from hype.station.typesetting import face_of, families_of, is_there, lacking, reorder_text
from hype.study.studies import AnyFile, AnyStudy, usual_texts
from hype.study.texts import ENGLISH, LANGUAGES, pack_of


def list_texts(study: AnyStudy) -> dict[str, str]:
    """Return the texts that a study can show, by name."""
    settings = study.settings
    conditional = (
        (
            settings.study.consent,
            ("yes", "no", "consent", "consent_pay", "consent_again", "declined"),
        ),
        (settings.study.breaks, ("rest",)),
        *study.texts_if(),
    )
    never = {name for shown, names in conditional if not shown for name in names}
    texts: dict[str, str] = settings.texts.model_dump()
    return {name: text for name, text in texts.items() if name not in never}


def keys_used(settings: AnyFile) -> list[str]:
    """List the names of all keys that a study uses, including the arrows, which all studies use."""
    named = settings.keys.model_dump(exclude={"left_means", "names"})
    return list(dict.fromkeys((*named.values(), *ARROWS)))


PLACEHOLDER: Final = re.compile(r"\{\w+\}")
ALWAYS: Final = "0123456789.,%:\N{HORIZONTAL ELLIPSIS}"
"""Characters that every study may show: those of numbers, and the ellipsis in shortened texts."""
FEW: Final = 12
"""A message lists at most this many characters, or texts."""

LISTED: Final = ", ".join(f'"{name}"' for name in LANGUAGES)


def check_language(flight: Preflight, study: AnyStudy) -> None:
    """Warn of a study that has some texts in another language and leaves the others in English."""
    settings = study.settings
    texts, usual = list_texts(study), usual_texts(settings)
    changed = [name for name, text in texts.items() if text != usual[name]]
    if not changed or "language" in settings.study.model_fields_set:
        return
    foreign = [name for name in changed if is_foreign(texts[name])]
    left = [f"texts.{name}" for name in texts if name not in changed]
    words = pack_of(ENGLISH).keys.said.keys() - settings.keys.names.keys()
    left += [f"keys.names.{key}" for key in keys_used(settings) if key in words]
    if not foreign or not left:
        return
    named = few([f"texts.{name}" for name in foreign], FEW)
    others = few(left, FEW) if len(left) <= len(foreign) else f"{len(left)} other texts"
    flight.warn(
        "half-translated",
        f"{study.path}: {named}: probably not in English, unlike {others}",
        f"translate the others too, or set the language of all texts: study.language = {LISTED}",
    )


def is_foreign(text: str) -> bool:
    """Return whether a text has non-ASCII letters, or more foreign words than English ones."""
    words, *packs = (
        {*re.findall(r"[^\W\d_]+", each.lower())}
        for each in (PLACEHOLDER.sub("", text), *(f"{pack_of(name)}" for name in LANGUAGES))
    )
    english, *others = (len(words & known) for known in packs)
    return not "".join(words).isascii() or max(others) > english


def check_fonts(flight: Preflight, study: AnyStudy, prompts: Iterable[str]) -> None:
    """Check that the study's font is installed, and that fonts have all characters of its texts."""
    settings = study.settings
    font, language = settings.display.font, settings.study.language
    if "font" in settings.display.model_fields_set and not is_there(font):
        flight.refuse(
            "font-missing",
            f"display.font = {font!r}: this font is not installed, and "
            f"{face_of(font).names[0]} would replace it",
            "install it, choose a font that fc-list : family lists, or leave display.font out",
        )
    texts = {key: reorder_text(text) for key, text in words_of(study, prompts).items()}
    flight.facts["fonts"] = families_of("".join(texts.values()), font, language)
    flight.allows("characters-without-font", lambda: require_glyphs(study, prompts))
    # PsychoPy draws each character separately and cannot combine marks
    if marked := [
        key for key, text in texts.items() if any(unicodedata.category(c)[0] == "M" for c in text)
    ]:
        flight.refuse(
            "marks-not-drawn",
            "the window cannot draw combining marks (above, below or around a letter), "
            f"which occur in {few(marked, FEW)}",
            "write these texts without such marks, or in another script",
        )


def require_glyphs(study: AnyStudy, prompts: Iterable[str]) -> None:
    """Refuse a study with characters that no font of this station has.

    Raises SessionProblem: some characters lack a font; the error names the package to install.
    """
    font, language = study.settings.display.font, study.settings.study.language
    words = words_of(study, prompts).items()
    by_text = {key: lacking(reorder_text(text), font, language) for key, text in words}
    if missing := {key: characters for key, characters in by_text.items() if characters}:
        characters = "".join(dict.fromkeys("".join(missing.values())))
        some = " ".join(characters[:FEW])
        if len(characters) > FEW:
            some += f" … ({len(characters)} characters)"
        raise SessionProblem(
            f"no installed font has {some}, used in {few([*missing], FEW)}: people "
            "would see empty boxes; leave them out, or install a font that has them (on Debian, "
            "fonts-noto-core and fonts-noto-cjk have all but emoji, which no window can draw)"
        )


def words_of(study: AnyStudy, prompts: Iterable[str]) -> dict[str, str]:
    """Return all text that a study can show, by its source."""
    settings, speech = study.settings, speech_of(study.settings)
    keys = (f"{cap_label(k, speech)} {name_in_sentence(k, speech)}" for k in keys_used(settings))
    words = {f"texts.{name}": text for name, text in list_texts(study).items()}
    words |= {"keys": " ".join(keys), "numbers": f"{ALWAYS}{settings.pay.currency}"}
    words |= dict(study.words_asked())
    words["the prompts"] = "\n".join(prompts)
    return {key: PLACEHOLDER.sub(" ", text) for key, text in words.items()}
