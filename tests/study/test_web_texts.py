"""What is said in a browser: words of the pages, and texts that stations word otherwise."""

from collections.abc import Mapping
from typing import Any

import pytest
from test_languages import KINDS, OTHERS, fields_of, in_english, study

from hype.protocols.registry import of_methods
from hype.study.studies import texts_in_browsers, usual_texts, words_shown
from hype.study.texts import LANGUAGES, WEB, pack_of
from hype.study.web_settings import WebTexts

ALIKE = {("de", "pause"), ("fr", "rank")}
ENGLISH_WORDS: Mapping[str, str] = WebTexts().model_dump()


@pytest.mark.parametrize("language", OTHERS)
def test_a_pack_has_every_word_of_the_pages(language):
    words = pack_of(language).texts[WEB]

    assert list(words) == list(ENGLISH_WORDS)
    for name, text in ENGLISH_WORDS.items():
        assert fields_of(words[name]) == fields_of(text), name
        assert words[name].count("\n\n") == text.count("\n\n"), name
        assert words[name] == words[name].strip()
        assert words[name] != text or (language, name) in ALIKE
    WebTexts.model_validate(words)


@pytest.mark.parametrize("language", OTHERS)
def test_a_study_in_a_language_has_its_words_unless_it_words_them_itself(language):
    words = pack_of(language).texts[WEB]
    plain = study(language, "ranking").web.texts
    own = study(language, "ranking", '[web.texts]\nclose = "Bye"\n').web.texts

    assert plain.model_dump() == words
    assert own.model_dump() == words | {"close": "Bye"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_only_a_station_would_say_is_said_otherwise(language, kind):
    """All languages say the same texts otherwise, with nothing in braces that is not filled."""
    name, rated, model = KINDS[kind]
    settings = study(language, "time" if name == "hype" else name, rated=rated)
    others, english = texts_in_browsers(settings), in_english(rated, model)

    assert set(others) == set(texts_in_browsers(study("en", settings.study.methods[0], "", rated)))
    assert {"trouble", "debrief"} < set(others)
    for page, text in others.items():
        known = model.everywhere | model.in_text.get(page, set())
        assert set(fields_of(text)) <= known, page
        assert {"pay", "currency"} & set(fields_of(text)) == {"pay", "currency"} & set(
            fields_of(english[page])
        )
        assert text.count("\n\n") == english[page].count("\n\n")
        assert text == text.strip()
        assert text != usual_texts(settings)[page]


def test_no_experimenter_is_told_in_a_browser():
    for kind in KINDS:
        name, rated, _ = KINDS[kind]
        settings = study("en", "time" if name == "hype" else name, rated=rated)
        shown = words_shown(settings, settings.texts, in_browser=True).model_dump()
        assert not [text for text in shown.values() if "experimenter" in text or "station" in text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_study_words_itself_stays(language):
    own = '[texts]\ndebrief = "Done. Tell the experimenter."\n'
    settings = study(language, "comparison", own)
    before = settings.model_dump_json()
    shown = words_shown(settings, settings.texts, in_browser=True)
    at_station = words_shown(settings, settings.texts, in_browser=False)

    assert shown.debrief == settings.texts.debrief
    assert shown.trouble == pack_of(language).web["all"]["trouble"]
    assert at_station == settings.texts
    assert settings.model_dump_json() == before


ASKED = {"demographics": {"age": {"kind": "number"}}}


@pytest.mark.parametrize("method", ["hype", "comparison", "rating", "ranking"])
def test_there_are_no_groups_that_nothing_has(method):
    groups: set[str] = {"pairs", "images"}
    for name in ("infinity", "comparison", "rating", "ranking"):
        groups |= set(of_methods([name]).settings.text_groups(ASKED))
    packs: dict[str, Any] = {language: pack_of(language) for language in LANGUAGES}

    assert all(set(pack.web) <= groups for pack in packs.values())
    assert all(pack.web[method].keys() == packs["en"].web[method].keys() for pack in packs.values())
