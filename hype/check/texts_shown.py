"""Which texts a study shows, and which of them are its own."""

from __future__ import annotations

from collections.abc import Iterator

from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.hype.settings import StudyFile
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.rating.screen import meanings
from hype.protocols.rating.settings import RatingFile
from hype.protocols.rating.trial import YES_NO
from hype.protocols.studies import OneFile, kind_of
from hype.station.config import ARROWS
from hype.study.languages import ENGLISH, pack_of

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
    said = pack_of(settings.study.language).keys.said
    words = [key for key in keys_used(settings) if key in said and key not in settings.keys.names]
    return own, (*left, *(f"keys.names.{key}" for key in words))


def is_language_said(settings: OneFile) -> bool:
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
