"""``[web]`` of a study file: who may take part in a browser, and where they go afterwards."""

import re

import pytest
from bare_studies import NAMES, assert_refused, load

from hype.errors import InputError
from hype.protocols.load import load_any
from hype.study.texts import LANGUAGES

COMPLETION = "https://lab.sona-systems.com/webstudy_credit.aspx?id=7&survey_code=XXXX"


@pytest.mark.parametrize("protocol", NAMES)
def test_nothing_of_it_is_part_of_the_study_that_is_kept(protocol, tmp_path):
    plain = load(protocol, tmp_path)
    given = load(protocol, tmp_path, web={"codes": 40, "texts": {"go_on_here": "Here"}})

    assert plain.settings_json() == given.settings_json()
    assert '"web"' not in plain.settings_json()
    assert given.settings.web.texts.go_on_here == "Here"
    assert (plain.settings.web.is_given, given.settings.web.is_given) == (False, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_brings_the_words_of_the_pages_and_gives_nothing_else(language, tmp_path):
    one = load("comparison", tmp_path, study={"language": language}).settings.web

    assert not one.is_given
    assert one.is_open


@pytest.mark.parametrize(
    ("web", "is_open"),
    [
        ({}, True),
        ({"codes": 3}, False),
        ({"codes": "codes.txt"}, False),
        ({"platform": "mturk"}, False),
        ({"platform": "sona", "completion": COMPLETION, "open": True}, True),
    ],
)
def test_whoever_has_the_link_may_come_unless_it_says_who(web, is_open, tmp_path):
    assert load("rating", tmp_path, web=web).settings.web.is_open is is_open


@pytest.mark.parametrize(
    "where",
    [
        "C1A2B3C4",
        "https://app.prolific.com/submissions/complete?cc=C1A2B3C4",
        "https://app.prolific.co/submissions/complete?cc=C1A2B3C4",
    ],
)
def test_prolific_takes_a_code_or_the_address_that_it_gives(where, tmp_path):
    web = {"platform": "prolific", "completion": where}

    assert load("hype", tmp_path, web=web).settings.web.completion == where


@pytest.mark.parametrize("given", ["https://lab.org/", "https://lab.org", "http://10.0.0.7:8000"])
def test_a_server_is_where_people_reach_it(given, tmp_path):
    found = load("hype", tmp_path, web={"address": given}).settings.web.address

    assert found == given.rstrip("/")


@pytest.mark.parametrize(
    ("web", "message"),
    [
        ({"open": False}, "open = false, so nobody can take part: set codes or a platform"),
        ({"codes": 0}, "web.codes = 0: is neither a number of codes from 1 to 100,000 nor"),
        ({"codes": True}, "web.codes = true: is neither"),
        ({"codes": ""}, "web.codes = '': is neither"),
        ({"platform": "clickworker"}, "web.platform = 'clickworker': must be 'prolific'"),
        ({"completion": "http://lab.org"}, "is neither an address that begins with https:// nor"),
        ({"completion": "javascript:alert(1)"}, "is neither an address"),
        ({"completion": "https://you@lab.org/"}, "is neither an address"),
        ({"completion": "https://lab.org:0/"}, "is neither an address"),
        ({"completion": "https://lab.org:99999/"}, "is neither an address"),
        ({"completion": "https://"}, "is neither an address"),
        ({"completion": "https://lab.org/a b"}, "is neither an address"),
        ({"completion": "https://lab.org\\@evil.org/"}, "is neither an address"),
        ({"completion": "https://bücher.example/"}, "is neither an address"),
        ({"completion": "https://lab.org/" + "a" * 2000}, "is neither an address"),
        (
            {"platform": "prolific", "completion": "https://lab.org/"},
            "is not an address of Prolific",
        ),
        (
            {"platform": "mturk", "completion": "A1"},
            "completion is not needed: the program itself reports to Mechanical Turk",
        ),
        ({"platform": "sona", "completion": "A1"}, "not Sona's completion URL"),
        (
            {"platform": "sona", "completion": "https://lab.sona-systems.com/?id=1"},
            "not Sona's completion URL",
        ),
        (
            {"platform": "prolific", "completion": "A1", "no_consent": "A1"},
            "completion and no_consent are the same: the platform could not distinguish them",
        ),
        (
            {"address": "study.example.org"},
            "web.address = 'study.example.org': is not the address of",
        ),
        ({"address": "https://lab.org/study"}, "nothing may follow the server's name"),
        ({"address": "https://lab.org/?a=b"}, "is not the address of a server"),
        ({"address": "https://lab.org#"}, "is not the address of a server"),
        ({"address": "ftp://lab.org"}, "is not the address of a server"),
        ({"address": "https://you@lab.org"}, "is not the address of a server"),
        ({"smallest_window": [100, 600]}, "smallest_window.1 = 100: must be"),
        ({"release_minutes": 0}, "release_minutes = 0"),
        ({"most_at_once": 0}, "most_at_once = 0"),
        ({"fullscreen": "forced"}, "fullscreen = 'forced': must be 'asked' or 'off'"),
        ({"texts": {"back_to": "To {home}"}}, "{home} is not known here; known are {platform}"),
        ({"text": {}}, "web.text: unknown key; known here are address, open, codes"),
    ],
)
def test_what_does_not_fit_is_refused(web, message, tmp_path):
    assert_refused("ranking", tmp_path, {"web": web}, re.escape(message))


def test_what_is_no_table_is_refused_in_every_language(tmp_path):
    for language in ("en", "de"):
        text = f"web = 3\n[study]\nname='s'\nlanguage='{language}'\nmethods=['ranking']\n"
        (tmp_path / "study.toml").write_text(text + "[stimuli]\nfolder='s'\n")
        with pytest.raises(InputError, match="web = 3"):
            load_any(tmp_path)
