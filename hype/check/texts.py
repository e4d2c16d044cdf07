"""The pre-flight of texts: which a study shows, in one language, and whether all can be drawn."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from hype.check.findings import Finding, Preflight
from hype.errors import SessionProblem, few
from hype.session.stage import speech_of
from hype.station.config import ARROWS, cap_label, name_in_sentence
from hype.station.typesetting import drawn, face_of, families_of, is_there, lacking
from hype.study.studies import AnyFile, AnyStudy, usual_texts
from hype.study.texts import ENGLISH, LANGUAGES, pack_of


def texts_shown(study: AnyStudy) -> dict[str, str]:
    settings = study.settings
    conditional = (
        (settings.study.consent, ("yes", "no", "consent", "consent_again", "declined")),
        (settings.study.breaks, ("rest",)),
        *study.texts_if(),
    )
    never = {name for shown, names in conditional if not shown for name in names}
    texts: dict[str, str] = settings.texts.model_dump()
    return {name: text for name, text in texts.items() if name not in never}


def keys_used(settings: AnyFile) -> list[str]:
    """List the names of the keys that a study has, and of those that every study has, each once."""
    named = settings.keys.model_dump(exclude={"left_means", "names"})
    return list(dict.fromkeys((*named.values(), *ARROWS)))


PLACEHOLDER: Final = re.compile(r"\{\w+\}")
ALWAYS: Final = "0123456789.,%:\N{HORIZONTAL ELLIPSIS}"
"""Characters of numbers, and the ellipsis of a text that is cut."""
FEW: Final = 12
"""Characters, and texts, that a message names."""

LISTED: Final = ", ".join(f'"{name}"' for name in LANGUAGES)
problem = partial(Finding, severity="problem")

PACKAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "CJK": "fonts-noto-cjk",
        "HIRAGANA": "fonts-noto-cjk",
        "KATAKANA": "fonts-noto-cjk",
        "HANGUL": "fonts-noto-cjk",
        "IDEOGRAPHIC": "fonts-noto-cjk",
        "FULLWIDTH": "fonts-noto-cjk",
        "ARABIC": "fonts-noto-core",
        "HEBREW": "fonts-noto-core",
        "LATIN": "fonts-dejavu-core",
        "GREEK": "fonts-dejavu-core",
        "CYRILLIC": "fonts-dejavu-core",
    }
)
"""Debian's packages with fonts, by the first word of characters' names."""


def check_language(flight: Preflight, study: AnyStudy) -> None:
    """Warn of a study that has some texts of its own, and leaves others in another language."""
    settings = study.settings
    shown, usual = texts_shown(study), usual_texts(settings)
    own = [name for name, text in shown.items() if text != usual[name]]
    left = [f"texts.{name}" for name in shown if name not in own]
    words = pack_of(settings.study.language).keys.said.keys() - settings.keys.names.keys()
    left += [f"keys.names.{key}" for key in keys_used(settings) if key in words]
    is_stated = "language" in settings.study.model_fields_set
    if not own or not left or is_stated or settings.study.language != ENGLISH:
        return
    name = pack_of(settings.study.language).name
    some = "1 text is" if len(own) == 1 else f"{len(own)} texts are"
    flight.warn(
        "half-translated",
        f"{study.path}: {some} the study's own, and these are left in {name}: {', '.join(left)}",
        f"word these too; or say what language all are in: study.language = {LISTED}",
    )


def check_fonts(flight: Preflight, study: AnyStudy, prompts: Iterable[str]) -> None:
    """See that there is the font that the study names, and one for every character it can show."""
    settings = study.settings
    font, language = settings.display.font, settings.study.language
    if "font" in settings.display.model_fields_set and not is_there(font):
        flight.find(
            problem(
                code="font-missing",
                message=f"display.font = {font!r}: there is no such font here, and "
                f"{face_of(font).names[0]} would be drawn instead",
                remedy="install it, or name one that fc-list : family names, or none",
            )
        )
    texts = {key: drawn(text) for key, text in words_of(study, prompts).items()}
    flight.facts["fonts"] = families_of("".join(texts.values()), font, language)
    flight.allows("characters-without-font", lambda: refuse_session_in_boxes(study, prompts))
    # PsychoPy draws one character in each place, and leaves marks out
    if marked := [
        key for key, text in texts.items() if any(unicodedata.category(c)[0] == "M" for c in text)
    ]:
        flight.find(
            problem(
                code="marks-not-drawn",
                message=f"the window cannot draw the marks that stand above, beneath or around "
                f"letters in {few(marked, FEW)}",
                remedy="write these texts without them, or in another script",
            )
        )


def refuse_session_in_boxes(study: AnyStudy, prompts: Iterable[str]) -> None:
    """Refuse to show somebody a study whose texts no font of this station has.

    Raises SessionProblem: it names the characters, and what to install.
    """
    font, language = study.settings.display.font, study.settings.study.language
    words = words_of(study, prompts).items()
    of_texts = {key: lacking(drawn(text), font, language) for key, text in words}
    if missing := {key: characters for key, characters in of_texts.items() if characters}:
        characters = "".join(dict.fromkeys("".join(missing.values())))
        raise SessionProblem(
            f"no font here has {some_of(characters)} of {few([*missing], FEW)}: people would see "
            f"empty boxes; {remedy_for(characters)}"
        )


def words_of(study: AnyStudy, prompts: Iterable[str]) -> dict[str, str]:
    """Return all that a study can show in letters, by where it comes from."""
    settings, speech = study.settings, speech_of(study.settings)
    keys = (f"{cap_label(k, speech)} {name_in_sentence(k, speech)}" for k in keys_used(settings))
    words = {f"texts.{name}": text for name, text in texts_shown(study).items()}
    words |= {"keys": " ".join(keys), "numbers": f"{ALWAYS}{settings.pay.currency}"}
    words |= dict(study.words_asked())
    words["the prompts"] = "\n".join(prompts)
    return {key: PLACEHOLDER.sub(" ", text) for key, text in words.items()}


def some_of(characters: str) -> str:
    few = " ".join(characters[:FEW])
    return few if len(characters) <= FEW else f"{few} … ({len(characters)} characters)"


def remedy_for(characters: str) -> str:
    kinds = (unicodedata.name(c, "").replace("-", " ").partition(" ")[0] for c in characters)
    packages = dict.fromkeys(PACKAGES[kind] for kind in kinds if kind in PACKAGES)
    if not packages:
        return "install a font that has them, or leave them out (emoji cannot be drawn)"
    return f"install a font that has them: apt install {' '.join(packages)}"
