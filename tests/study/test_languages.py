"""The language packs are complete, and a study file replaces their texts."""

import re
import string
from pathlib import Path
from typing import Any

import pytest

from hype.errors import InputError
from hype.protocols.comparison.settings import CRITERIA, ComparisonTexts
from hype.protocols.hype.settings import Texts
from hype.protocols.load import add_language, parse_study
from hype.protocols.ranking.settings import RankingTexts
from hype.protocols.rating.settings import IMAGE_AXES, PAIR_AXES, RatingTexts
from hype.protocols.registry import protocol_of_file, protocol_of_methods
from hype.study.studies import texts_in_browsers, usual_texts
from hype.study.texts import ENGLISH, LANGUAGES, PACKS, WEB, Words, pack_of
from hype.study.web_settings import WebTexts

ALIKE = {("es", "real"), ("es", "answer_no"), ("de", "pause"), ("de", "reference"), ("fr", "rank")}
"""Words that are the same as in English."""
OTHERS = tuple(name for name in LANGUAGES if name != ENGLISH)
KINDS: dict[str, tuple[str, str, type[Words]]] = {
    "hype": ("hype", "", Texts),
    "comparison": ("comparison", "", ComparisonTexts),
    "rating of pairs": ("rating", "pairs", RatingTexts),
    "rating of images": ("rating", "images", RatingTexts),
    "ranking": ("ranking", "", RankingTexts),
}


AGE = '[demographics.age]\nquestion = "?"\nkind = "number"\nlowest = 1\nhighest = 9'
AGE += '\n[study.quotas.age]\n"1-9" = 1\n[follow_up]\nwhy = 0.5'
AGE += '\n[comprehension]\nquestion = "?"\noptions = ["a", "b"]\nright = "a"'
"""With these settings a study has all texts of its language."""


def in_english(rated: str, model: type[Words]) -> dict[str, str]:
    texts: dict[str, str] = model().model_dump()
    return texts | pack_of(ENGLISH).texts.get(rated, {})


def fields_of(text: str) -> list[str]:
    return sorted(field for _, field, _, _ in string.Formatter().parse(text) if field)


def study(language: str, method: str, more: str = "", rated: str = "pairs") -> Any:
    table = f"[{method}]\nof = '{rated}'" if method == "rating" else ""
    text = (
        f'[study]\nname = "s"\nlanguage = "{language}"\nmethods = ["{method}"]\n'
        f'[stimuli]\nfolder = "s"\n[masks]\nfolder = "m"\n{table}\n{more}'
    )
    if method != "time":
        text = text.replace('[masks]\nfolder = "m"\n', "")
    return parse_study(Path("study.toml"), text)


def test_each_language_is_a_file_and_each_file_a_language():
    assert {path.stem for path in PACKS.glob("*.toml")} == set(LANGUAGES)
    assert {"de", "fr", "es", "ja", "zh", "ar"} <= set(LANGUAGES)


def in_pack(language: str, name: str, rated: str = "") -> dict[str, str]:
    """Return the texts of a language for studies of a protocol."""
    asked = {"rating": {"of": rated}, "demographics": {"age": {"kind": "number"}}}
    asked |= {"study": {"quotas": {"age": {"18-29": 1}}}, "comprehension": {"paid": False}}
    asked["follow_up"] = {"why": 0.5}
    groups = protocol_of_methods([name]).settings.text_groups(asked)
    return pack_of(language).texts_of(groups)


@pytest.mark.parametrize("kind", [*KINDS, WEB])
@pytest.mark.parametrize("language", OTHERS)
def test_a_pack_has_every_text_with_the_placeholders_of_the_english_one(language, kind):
    if kind == WEB:
        english, texts = WebTexts().model_dump(), pack_of(language).texts[WEB]
    else:
        name, rated, model = KINDS[kind]
        english, texts = in_english(rated, model), in_pack(language, name, rated)

    assert set(texts) == set(english)
    for page, text in english.items():
        assert fields_of(texts[page]) == fields_of(text), page
        assert texts[page].count("\n\n") == text.count("\n\n"), page
        assert texts[page] == texts[page].strip()
        assert texts[page] != text or (language, page) in ALIKE, page


@pytest.mark.parametrize("language", OTHERS)
def test_a_pack_has_every_text_that_depends_on_settings(language):
    english, texts = pack_of(ENGLISH).texts, pack_of(language).texts
    assert {name: set(group) for name, group in texts.items()} == {
        name: set(group) for name, group in english.items()
    }


@pytest.mark.parametrize("language", OTHERS)
def test_a_pack_has_every_question(language):
    asked = pack_of(language).questions

    assert {kind: set(questions) for kind, questions in asked.items()} == {
        "comparison": set(CRITERIA),
        "pairs": set(PAIR_AXES),
        "images": set(IMAGE_AXES),
        "ranking": {"order"},
    }
    assert all(text for questions in asked.values() for text in questions.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pack_names_the_keys_that_have_no_sign_of_their_own(language):
    keys = pack_of(language).keys

    assert {"space", "return", "escape", "tab", "backspace"} <= set(keys.caps)
    assert {"comma", "period", "slash", "semicolon", "minus"} <= set(keys.said)
    assert fields_of(keys.number_pad) == ["digit"]


@pytest.mark.parametrize("language", ["ja", "zh", "ar"])
def test_nothing_but_keys_is_left_in_latin_letters(language):
    """A text without translation would be in English."""
    pack = pack_of(language)
    every = [*pack.texts.values(), *pack.web.values(), *pack.questions.values()]

    for text in (text for group in every for text in group.values()):
        assert not re.search("[A-Za-z]", re.sub(r"\{\w+\}|JavaScript|Cookie", "", text)), text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", OTHERS)
def test_a_study_that_names_a_language_has_its_words_unless_it_words_them_itself(language, kind):
    name, rated, _ = KINDS[kind]
    own = f'{AGE}\n[web.texts]\nclose = "Bye"\n'
    settings = study(language, "time" if name == "hype" else name, own, rated=rated)

    assert settings.texts.model_dump() == in_pack(language, name, rated)
    assert settings.web.texts.model_dump() == pack_of(language).texts[WEB] | {"close": "Bye"}
    # The settings in the record are the same.
    kept = settings.model_dump_json()
    assert f'"language":"{language}"' in kept
    assert type(settings).model_validate_json(kept) == settings


def test_questions_are_asked_in_the_language_unless_they_are_the_studys_own():
    german = pack_of("de").questions
    coherence = study("de", "comparison", '[comparison]\ncriterion = "coherence"\n')
    own = study("de", "comparison", '[comparison]\nquestion = "Na?"\n')
    mine = study("de", "comparison", '[comparison]\ncriterion = "x"\nquestion = "Na?"\n')
    rated = study("de", "rating", '[axes.style]\nquestion = "Stil?"\n')
    fewer = study("de", "rating", 'axes = ["mine", "style"]\n[axes.mine]\nquestion = "Meins?"\n')

    assert coherence.comparison.asked == german["comparison"]["coherence"]
    assert own.comparison.asked == mine.comparison.asked == "Na?"
    assert {name: one.question for name, one in rated.axes.items()} == german["pairs"] | {
        "style": "Stil?"
    }
    assert {name: one.question for name, one in fewer.axes.items()} == {
        "mine": "Meins?",
        "style": german["pairs"]["style"],
    }
    assert study("de", "ranking").ranking.question == german["ranking"]["order"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('[keys.names]\nspacebar = "x"\n', "keys.names.*'spacebar' is not a key"),
        ("[texts]\nwelcome = 3\n", "texts.welcome"),
        ('[texts]\nwelcome = "{left}"\n', "texts.welcome"),
    ],
)
def test_what_cannot_be_is_refused_in_any_language(more, says):
    with pytest.raises(InputError, match=says):
        study("de", "time", more)


def test_an_unknown_language_is_refused_with_those_that_there_are():
    with pytest.raises(InputError, match=r"study\.language = 'tlh'.*'en', 'de'"):
        study("tlh", "time")


@pytest.mark.parametrize(
    "tables",
    [
        {"study": 3},
        {"study": {"language": ["de"]}},
        {"study": {"language": "de"}, "comparison": 3, "axes": 3, "rating": [], "texts": 1},
        {"study": {"language": "de"}, "axes": {"style": 1}, "rating": {"axes": 3}},
        {"study": {"language": "de"}, "comparison": {"criterion": []}},
    ],
)
@pytest.mark.parametrize("kind", ["hype", "comparison", "rating", "ranking"])
def test_what_makes_no_sense_is_left_to_the_models(tables, kind):
    laid = add_language(tables, protocol_of_methods([kind]).settings)

    assert laid["study"] == tables["study"]
    with pytest.raises(ValueError, match="validation error"):
        protocol_of_file({"study": {"methods": [kind]}}).settings.model_validate(laid)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_only_a_station_would_say_is_said_otherwise(language, kind):
    """In browsers all languages replace the same texts, and every word in braces is filled."""
    name, rated, model = KINDS[kind]
    settings = study(language, "time" if name == "hype" else name, rated=rated)
    others, english = texts_in_browsers(settings), in_english(rated, model)

    in_browsers = texts_in_browsers(study("en", settings.study.methods[0], "", rated))
    assert set(others) == set(in_browsers)
    assert {"trouble", "debrief"} < set(others)
    for page, text in others.items():
        known = model.everywhere | model.in_text.get(page, set())
        assert set(fields_of(text)) <= known, page
        assert {"pay", "currency"} & set(fields_of(text)) == {"pay", "currency"} & set(
            fields_of(english[page])
        )
        assert text.count("\n\n") == in_browsers[page].count("\n\n")
        assert not [field for field in fields_of(text) if field.endswith("_key")], (
            "no key on phones"
        )
        assert text == text.strip()
        assert text != usual_texts(settings)[page]


ASKED = {"demographics": {"age": {"kind": "number"}}, "follow_up": {"why": 1.0}}


@pytest.mark.parametrize("method", ["hype", "comparison", "rating", "ranking"])
def test_there_are_no_groups_that_nothing_has(method):
    groups: set[str] = {"pairs", "images"}
    for name in ("infinity", "comparison", "rating", "ranking"):
        groups |= set(protocol_of_methods([name]).settings.text_groups(ASKED))
    packs: dict[str, Any] = {language: pack_of(language) for language in LANGUAGES}

    assert all(set(pack.web) <= groups for pack in packs.values())
    assert all(pack.web[method].keys() == packs["en"].web[method].keys() for pack in packs.values())
