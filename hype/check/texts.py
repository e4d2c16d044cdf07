"""The pre-flight of texts: which a study shows, in one language, and whether all can be drawn."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from hype.check.findings import Finding, Preflight
from hype.errors import InputError, SessionProblem
from hype.protocols.comparison.conduct import ComparisonProtocol
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.conduct import protocol_of
from hype.protocols.hype.settings import StudyFile
from hype.protocols.ranking.conduct import RankingProtocol
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.rating.conduct import RatingProtocol
from hype.protocols.rating.keys import meanings
from hype.protocols.rating.settings import RatingFile
from hype.protocols.rating.trial import YES_NO
from hype.protocols.studies import (
    ComparisonStudy,
    OneFile,
    OneStudy,
    RankingStudy,
    RatingStudy,
    kind_of,
)
from hype.session.stage import speech_of
from hype.station.config import ARROWS
from hype.station.fonts import face_of, families_of, is_there, lacking
from hype.station.layout import cap_label, name_in_sentence
from hype.station.typesetting import drawn
from hype.study.languages import ENGLISH, LANGUAGES, pack_of

Some = tuple[bool, tuple[str, ...]]
"""Texts that are shown only if something is so, and whether it is."""


def texts_shown(settings: OneFile) -> dict[str, str]:
    never = {name for shown, names in conditional(settings) if not shown for name in names}
    texts: dict[str, str] = settings.texts.model_dump()
    return {name: text for name, text in texts.items() if name not in never}


def usual_texts(settings: OneFile) -> dict[str, str]:
    """Give the texts of its language, whatever the study file says."""
    kind = kind_of({"study": {"methods": list(settings.study.methods)}})
    rated = settings.rating.of if isinstance(settings, RatingFile) else ""
    english = type(settings.texts)().model_dump()
    return {**english, **pack_of(settings.study.language).texts_of(kind, rated)}


def left_in_its_language(settings: OneFile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the keys of the file for what a study words itself, and for what it leaves as it was.

    Of the names of keys those count that are words of a language.
    """
    shown, usual = texts_shown(settings), usual_texts(settings)
    own = tuple(f"texts.{name}" for name, text in shown.items() if text != usual[name])
    left = tuple(f"texts.{name}" for name, text in shown.items() if text == usual[name])
    spoken_names = pack_of(settings.study.language).keys.said
    words = [
        key for key in keys_used(settings) if key in spoken_names and key not in settings.keys.names
    ]
    return own, (*left, *(f"keys.names.{key}" for key in words))


def is_language_stated(settings: OneFile) -> bool:
    return "language" in settings.study.model_fields_set or settings.study.language != ENGLISH


def keys_used(settings: OneFile) -> list[str]:
    """List the names of the keys that a study has, and of those that every study has, each once."""
    named = settings.keys.model_dump(exclude={"left_means", "names"})
    return list(dict.fromkeys((*named.values(), *ARROWS)))


def conditional(settings: OneFile) -> Iterator[Some]:
    """Yield texts that not every study shows."""
    yield settings.study.consent, ("yes", "no", "consent", "declined")
    yield settings.study.breaks, ("rest",)
    match settings:
        case StudyFile():
            yield from of_judgements(settings)
            return
        case ComparisonFile():
            yield from of_comparisons(settings)
        case RatingFile():
            yield from of_ratings(settings)
        case RankingFile():
            yield from of_rankings(settings)
    yield bool(settings.demographics), ("about_you", "withhold", "about_you_hint")


def of_judgements(settings: StudyFile) -> Iterator[Some]:
    """Yield the texts of HYPE's methods that depend on something."""
    timed = "time" in settings.study.methods
    untimed = "infinity" in settings.study.methods
    test, practice = settings.qualification, settings.practice.trials > 0
    told = (practice, timed and settings.time.feedback, untimed and settings.infinity.feedback)
    yield timed, ("question", "instructions_timed")
    yield untimed or test.enabled, ("question_untimed", "instructions_untimed")
    yield practice, ("practice",)
    yield test.enabled, ("qualification", "qualified", "unqualified")
    yield any(told) or (test.enabled and test.feedback), ("correct", "wrong")
    yield settings.timing.spoiled_trials == "repeat", ("again",)


def of_comparisons(settings: ComparisonFile) -> Iterator[Some]:
    """Yield the texts of comparisons that depend on something."""
    asked = settings.comparison
    yield asked.ties, ("tie", "instructions_ties")
    yield asked.mouse, ("instructions_mouse",)
    yield asked.practice > 0, ("practice", "correct", "wrong")
    yield asked.min_ms > 0, ("hasty",)
    yield asked.limit_ms is not None, ("missed",)


def of_ratings(settings: RatingFile) -> Iterator[Some]:
    """Yield the texts of ratings that depend on something."""
    asked, axes = settings.rating, settings.axis_names
    pairs, levels = asked.of == "pairs", [settings.levels_of(name) for name in axes]
    sides = meanings(asked.levels) if pairs else ()
    for name in ("left_much", "left", "equal", "right", "right_much"):
        yield name in sides, (name,)
    yield not pairs and YES_NO in levels, ("answer_yes", "answer_no")
    yield not pairs and any(one != YES_NO for one in levels), ("lowest", "highest")
    yield any(map(settings.optional, axes)), ("not_relevant", "instructions_not_relevant")
    yield asked.mouse, ("instructions_mouse",)
    yield asked.practice > 0, ("practice",)


def of_rankings(settings: RankingFile) -> Iterator[Some]:
    """Yield the texts of rankings that depend on something."""
    asked = settings.ranking
    yield asked.ties, ("tie", "tying", "instructions_ties")
    yield asked.mouse, ("instructions_mouse",)
    yield asked.practice > 0, ("practice",)
    yield settings.screening.test > 0, ("test",)


PLACEHOLDER: Final = re.compile(r"\{\w+\}")
ALWAYS: Final = "0123456789.,%:\N{HORIZONTAL ELLIPSIS}"
"""What numbers are made of, and what stands where a text is cut."""
FEW: Final = 12
"""Characters, and texts, that a message names."""

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


def check_language(flight: Preflight, study: OneStudy) -> None:
    """Warn of a study that has some texts of its own, and leaves others in another language."""
    settings = study.settings
    own, left = left_in_its_language(settings)
    if not own or not left or is_language_stated(settings):
        return
    name = pack_of(settings.study.language).name
    some = "1 text is" if len(own) == 1 else f"{len(own)} texts are"
    flight.warn(
        "half-translated",
        f"{study.path}: {some} the study's own, and these are left in {name}: {', '.join(left)}",
        f"word these too; or say what language all are in: study.language = {choices()}",
    )


def choices() -> str:
    *others, last = (f'"{name}"' for name in LANGUAGES)
    return f"{', '.join(others)} or {last}"


def check_fonts(flight: Preflight, study: OneStudy) -> None:
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
    texts = {key: drawn(text) for key, text in words_of(study).items()}
    flight.facts["fonts"] = families_of("".join(texts.values()), font, language)
    flight.allows("characters-without-font", lambda: refuse_empty_boxes(texts, font, language))
    of_texts = {key: marks_in(text) for key, text in texts.items()}
    if marks_of_texts := {key: marks for key, marks in of_texts.items() if marks}:
        flight.find(
            problem(
                code="marks-not-drawn",
                message=f"the window cannot draw the marks that stand above, beneath or around "
                f"letters in {listed(marks_of_texts)}",
                remedy="write these texts without them, or in another script",
            )
        )


def refuse_session_in_boxes(study: OneStudy) -> None:
    """Refuse to show somebody a study whose texts no font of this station has.

    Raises
    ------
    SessionProblem
        It names the characters, and what to install.
    """
    settings = study.settings
    texts = {key: drawn(text) for key, text in words_of(study).items()}
    refuse_empty_boxes(texts, settings.display.font, settings.study.language)


def refuse_empty_boxes(texts: Mapping[str, str], font: str, language: str) -> None:
    """Refuse texts, by where they come from, with characters that no font here has."""
    of_texts = {key: lacking(text, font, language) for key, text in texts.items()}
    if missing := {key: characters for key, characters in of_texts.items() if characters}:
        characters = "".join(dict.fromkeys("".join(missing.values())))
        raise SessionProblem(
            f"no font here has {some_of(characters)} of {listed(missing)}: people would see empty "
            f"boxes; {remedy_for(characters)}"
        )


def words_of(study: OneStudy) -> dict[str, str]:
    """Give all that a study can show in letters, by where it comes from."""
    settings, speech = study.settings, speech_of(study.settings)
    keys = (f"{cap_label(k, speech)} {name_in_sentence(k, speech)}" for k in keys_used(settings))
    words = {f"texts.{name}": text for name, text in texts_shown(settings).items()}
    words |= {"keys": " ".join(keys), "numbers": f"{ALWAYS}{settings.pay.currency}"}
    words |= dict(asked_in(study))
    return {key: PLACEHOLDER.sub(" ", text) for key, text in words.items()}


def asked_in(study: OneStudy) -> Iterator[tuple[str, str]]:
    """Yield what is asked, and the prompts, where there are any."""
    match study:
        case ComparisonStudy(settings=settings):
            yield "comparison.question", settings.comparison.asked
        case RankingStudy(settings=settings):
            yield "ranking.question", settings.ranking.question
        case RatingStudy(settings=settings):
            for name in settings.axis_names:
                yield f"axes.{name}", settings.axis(name).question or settings.known_axes[name]
        case _:
            return
    for name, asked in study.settings.demographics.items():
        yield f"demographics.{name}", " ".join((asked.question, *asked.options))
    try:
        protocol = protocol_of(study)
    except InputError:  # what is wrong with its images is said elsewhere
        return
    if isinstance(protocol, ComparisonProtocol | RatingProtocol | RankingProtocol):
        yield "the prompts", "\n".join(prompt.text for prompt in protocol.pools.prompts)


def marks_in(text: str) -> str:
    """Give the marks that PsychoPy leaves out, since it draws one character in each place."""
    return "".join(c for c in text if unicodedata.category(c).startswith("M"))


def some_of(characters: str) -> str:
    few = " ".join(characters[:FEW])
    return few if len(characters) <= FEW else f"{few} … ({len(characters)} characters)"


def listed(characters_of_texts: Mapping[str, str]) -> str:
    names = list(characters_of_texts)
    more = len(names) - FEW
    return ", ".join(names[:FEW]) + (f" and {more} more" if more > 0 else "")


def remedy_for(characters: str) -> str:
    """Say what to install for characters that no font has."""
    kinds = (unicodedata.name(c, "").replace("-", " ").partition(" ")[0] for c in characters)
    packages = dict.fromkeys(PACKAGES[kind] for kind in kinds if kind in PACKAGES)
    if not packages:
        return "install a font that has them, or leave them out (emoji cannot be drawn)"
    return f"install a font that has them: apt install {' '.join(packages)}"
