"""The pre-flight of texts: two languages in one study, and characters without a font."""

from pathlib import Path

import pytest
from builders import whole_study
from known import check_fonts, hold_session, words_of
from paper_station import evaluators_of, record_of

from hype.check.findings import Finding, Preflight
from hype.check.texts import check_language, list_texts
from hype.errors import SessionProblem
from hype.protocols.load import parse_study
from hype.protocols.registry import study_of
from hype.session.stage import Seating
from hype.study.studies import AnyStudy
from hype.study.texts import LANGUAGES

NOWHERE = "\U0010fff0"
"""A private-use character that no font has."""
LEAN = """
[practice]
trials = 0
[qualification]
enabled = false
"""


def study(more: str = "", *, method: str = "time", of_study: str = "") -> AnyStudy:
    masks = "[masks]\nfolder = 'm'\n" if method == "time" else ""
    text = (
        f"[study]\nname = 's'\nmethods = ['{method}']\n{of_study}\n"
        f"[stimuli]\nfolder = 's'\n{masks}{more}"
    )
    file = Path("/nowhere/study.toml")
    return study_of(file, parse_study(file, text))


def language_findings(one: AnyStudy) -> list[Finding]:
    flight = Preflight()
    check_language(flight, one)
    return flight.findings


def font_findings(one: AnyStudy) -> dict[str, Finding]:
    flight = Preflight()
    check_fonts(flight, one)
    assert flight.facts["fonts"]
    return {finding.code: finding for finding in flight.findings}


def test_a_half_translated_study_hears_which_texts_are_its_own():
    (found,) = language_findings(study('[texts]\nreal = "ist echt"\nfake = "ist es nicht"\n'))

    assert (found.code, found.severity) == ("half-translated", "warning")
    assert "texts.real, texts.fake: probably not in English, unlike " in found.message
    assert found.message.endswith(" other texts")
    assert 'study.language = "en", "de"' in found.remedy


def test_what_a_study_never_shows_need_not_be_translated():
    listed = list_texts(study())

    assert "again" not in listed
    assert "question_untimed" in listed  # the qualification is untimed


@pytest.mark.parametrize(
    "one",
    [
        study(),
        study('[texts]\nreal = "taken with a camera"\nfake = "AI-made"\n'),
        study(of_study="language = 'de'"),
        study('[texts]\nreal = "true"\n', of_study="language = 'en'"),
        study('[texts]\nreal = "wirklich"\n', of_study="language = 'de'"),
    ],
    ids=["English", "own English", "German", "reworded English", "reworded German"],
)
def test_nothing_is_said_where_there_is_one_language(one):
    assert language_findings(one) == []


@pytest.mark.parametrize("named", [True, False])
def test_a_study_all_in_words_of_its_own_wants_the_keys_named_too(named):
    """A study in a language without a pack: in Dutch the space bar has another name."""
    shown = list_texts(study(LEAN))
    fields = (f"{name} = 'een beeld en de vraag'\n" for name in shown)
    names = "[keys.names]\nspace = 'de spatiebalk'\n" if named else ""
    found = language_findings(study(f"{LEAN}[texts]\n{''.join(fields)}{names}"))

    assert [one.message.rpartition("unlike ")[2] for one in found] == (
        [] if named else ["keys.names.space"]
    )


@pytest.mark.parametrize(
    ("method", "more", "shown", "never"),
    [
        ("time", LEAN, {"question", "rest"}, {"practice", "question_untimed", "again"}),
        ("comparison", "", {"hasty", "instructions_mouse"}, {"tie", "missed", "about_you"}),
        ("comparison", "[comparison]\nties = true\nmouse = false\n", {"tie"}, {"mouse"}),
        ("rating", "", {"left_much", "not_relevant"}, {"answer_yes", "lowest"}),
        ("rating", "[rating]\nlevels = 3\n", {"left"}, {"left_much"}),
        ("rating", "[rating]\nof = 'images'\n", {"answer_no", "highest"}, {"left", "equal"}),
        ("ranking", "[ranking]\nties = true\n", {"tying", "practice"}, {"test"}),
    ],
)
def test_only_texts_that_a_study_shows_are_looked_at(method, more, shown, never):
    found = set(list_texts(study(more, method=method)))

    assert shown <= found
    assert not never & found


def test_a_font_that_does_not_exist_is_a_problem():
    found = font_findings(study('[display]\nfont = "Imaginaire"\n'))

    assert found["font-missing"].severity == "problem"
    assert "'Imaginaire': this font is not installed" in found["font-missing"].message
    assert font_findings(study('[display]\nfont = "DejaVu Sans"\n')) == {}
    assert font_findings(study()) == {}


def test_characters_that_no_font_has_are_named_with_their_texts():
    found = font_findings(study(f'[texts]\nreal = "a{NOWHERE}"\nfake = "{NOWHERE}"\n'))
    lacking = found["characters-without-font"]

    assert lacking.severity == "problem"
    assert f"no installed font has {NOWHERE}, used in texts.real, texts.fake:" in lacking.message


@pytest.mark.parametrize(
    ("key", "more"),
    [
        ("comparison.question", '[comparison]\nquestion = "{}"\n'),
        ("demographics.age", '[demographics.age]\nquestion = "a"\noptions = ["b", "{}"]\n'),
        ("keys", '[keys.names]\nspace = "{}"\n'),
        ("numbers", '[pay]\ncurrency = "{}"\n'),
    ],
)
def test_all_that_can_be_read_at_the_window_is_looked_at(key, more):
    one = study(more.format(NOWHERE), method="comparison")

    assert NOWHERE in words_of(one)[key]
    assert f" used in {key}:" in font_findings(one)["characters-without-font"].message


def test_marks_that_psychopy_would_leave_out_are_a_problem():
    """PsychoPy draws one code point per position: Hindi loses its vowels, German loses nothing."""
    hindi = font_findings(study('[texts]\nreal = "\N{DEVANAGARI LETTER KA}\u093f"\n'))
    german = font_findings(study('[texts]\nreal = "u\u0308"\n'))

    assert "texts.real" in hindi["marks-not-drawn"].message
    assert "marks-not-drawn" not in german


def test_what_a_machine_without_fonts_for_a_script_wants_is_said():
    """With or without the fonts: the check either passes or names the packages to install."""
    for language in LANGUAGES:
        found = font_findings(study(of_study=f"language = '{language}'"))
        assert set(found) <= {"characters-without-font"}
        if language in ("en", "de", "fr", "es"):
            assert not found
        for finding in found.values():
            assert "fonts-noto-core and fonts-noto-cjk" in finding.remedy
            assert "texts.welcome" in finding.message


def test_nobody_is_seated_before_empty_boxes(tmp_path):
    one = whole_study(tmp_path, texts={"real": NOWHERE})
    with record_of(one) as engine:
        with pytest.raises(SessionProblem, match="people would see empty boxes; leave them out"):
            hold_session(engine, one, "p01", Seating(simulated=False, windowed=True))
        assert evaluators_of(engine) == []
