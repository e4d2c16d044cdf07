"""Common rules of the study files of every protocol."""

import json
import re
from typing import Any

import pytest
from asking_people import ABOUT_PEOPLE
from bare_studies import BESIDE_HYPE, NAMES, assert_refused, load
from builders import comparison_settings
from long import long_but
from prompted_builders import ranking_settings, rating_settings

from hype.errors import InputError
from hype.protocols.comparison.settings import CRITERIA, ComparisonSettings, PlannedAnalysis
from hype.protocols.load import load_study
from hype.protocols.ranking.settings import RankerSettings, RankingSettings
from hype.protocols.rating.settings import RatingSettings
from hype.protocols.rating.trial import NOT_RELEVANT
from hype.study.demographics import MOST_OPTIONS

PICTURE = {"file": "how.png", "alt": "how it goes"}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown table": ({"elsewhere": {}}, r"elsewhere: unknown key; known here are study, stimuli"),
    "another method beside": (
        {"study": {"methods": ["rating", "time"]}},
        r'study\.methods.*"rating" must be the only method',
    ),
    "no such key": ({"keys": {"left": "banana"}}, r"keys\.left = 'banana': is not a key"),
    "degrees without a monitor": (
        {"display": {"size_deg": 8.0}},
        r"display\.size_deg needs \[monitor\]",
    ),
    "a picture on no page": (
        {"pictures": dict.fromkeys(("instructions", "instructions_untimed"), PICTURE)},
        r"pictures\.instructions(_untimed)?: this study has no such page",
    ),
    "a page of no study": ({"pictures": {"odd": PICTURE}}, r"pictures\.odd: must be "),
    "an unknown brace": ({"texts": {"welcome": "{name}"}}, r"texts\.welcome.*\{name\} is not"),
    "steps without a name": (
        {"texts": {"confidence_steps": "a / b"}},
        r"confidence_steps.*six names",
    ),
    "an unknown text": ({"texts": {"odd": "x"}}, r"texts\.odd: unknown key"),
    "unknown people": ({"people": {"odd": 1.0}}, r"people\.odd: unknown key"),
    "unknown taste": (
        {"observers": {"good": {"odd": 1.0}}},
        r"observers\.good\.odd: unknown key; known here are ",
    ),
}
BEYOND = {
    "comparison": (
        "comparison.votes=0 comparison.trials=0 comparison.practice=-1 "
        'comparison.prompt="sung" validation.min_correct=1.5 analysis.win_rate=0.5 '
        "analysis.alpha=0.5 people.tie_share=1.0 comparison.arena.most_votes=0 "
        'comparison.arena.goal="worst" follow_up.confidence=1'
    ),
    "rating": (
        'rating.of="videos" rating.levels=1 rating.levels=11 rating.ratings=0 rating.items=0 '
        'rating.images=0 rating.practice=-1 rating.axis_order="sorted" people.halo=1.5 '
        "people.step=0 people.not_relevant.style=2.0"
    ),
    "ranking": (
        "follow_up.why=1.5 ranking.group=1 ranking.group=13 ranking.rankings=0 "
        "ranking.groups=0 ranking.images=0 ranking.practice=-1 ranking.held_out=1.0 "
        'ranking.question="" ranking.prompt="sung" screening.test=-1 '
        "screening.check_share=1.1 people.undo_share=0.5 people.tie_share=1.0"
    ),
}
"""Values that the keys of each protocol do not accept."""
AGE = {"question": "How old are you?", "options": ["young", "old"]}
IMAGES = {"rating": {"of": "images"}}
OF_ONE: dict[str, list[tuple[dict[str, Any], str]]] = {
    "comparison": [
        ({"comparison": {"vote": 3}}, r"comparison\.vote: unknown key; .*\bvotes\b"),
        (
            {"comparison": {"arena": {"votes": 3}}},
            r"comparison\.arena\.votes: unknown key; .*\bmost_votes\b",
        ),
        ({"study": {"evaluators": 3}}, r"study\.evaluators: unknown key"),
        ({"comparison": {"images": 0}}, r"comparison\.images = 0: must be 1 or more"),
        (
            {"comparison": {"criterion": "beauty"}},
            r"comparison: criterion 'beauty' needs a question; only preference, coh",
        ),
        (
            {"comparison": {"criterion": ["coherence", "beauty"]}},
            r"comparison: criterion 'beauty' needs a question; only preference, coh",
        ),
        ({"comparison": {"criterion": ["coherence", "coherence"]}}, r"criterion contains a name"),
        *(
            (
                {"comparison": {"criterion": ["preference", "coherence"], "question": question}},
                r"question must be a table with questions of these criteria only",
            )
            for question in ("Which?", {"beauty": "Which?"})
        ),
        (
            {"comparison": {"criterion": ["preference", "coherence"], "arena": {}}},
            r"an arena has one criterion",
        ),
        (
            {"comparison": {"limit_ms": 400.0, "min_ms": 500.0}},
            r"limit_ms 400 must be longer than min_ms 500",
        ),
        (
            {"comparison": {"criterion": "alignment", "prompt": "hidden"}},
            r'the criterion "alignment" asks about the prompt, which is hidden',
        ),
        (
            {"observers": {"fine": {"on": {"alignement": 0.1}}}},
            r"observers\.fine\.on\.alignement is not among the criteria: preference",
        ),
        (
            {"validation": {"kind": "mismatch"}},
            r'validation\.kind "mismatch" needs a prompt that is shown',
        ),
        ({"validation": {"kind": "listed", "share": 0.5}}, r"validation\.share = 0\.5"),
        ({"demographics": {"age": {**AGE, "options": ["old"]}}}, r"demographics\.age\.options"),
        (
            {"demographics": {"age": {**AGE, "options": list("abcdefghi")}}},
            r"demographics\.age\.options",
        ),
        (
            {"demographics": {"age": {**AGE, "options": ["old", "old"]}}},
            r"demographics\.age: options must differ, and none may be empty",
        ),
        (
            {"demographics": {"age": {**AGE, "options": ["old", ""]}}},
            r"options must differ, and none may be empty",
        ),
        (
            {"demographics": {"age": {**AGE, "reference": {"young": 0.5, "odd": 0.5}}}},
            r"reference must give a share for each option",
        ),
        (
            {"demographics": {"age": {**AGE, "reference": {"young": 0.5, "old": 0.6}}}},
            r"reference shares add up to 1\.1, not 1",
        ),
        (
            {"keys": {"tie": "f", "left": "f"}},
            r"tie must differ from the keys left, right and pause",
        ),
    ],
    "rating": [
        ({"follow_up": {"confidence": 4}}, r"follow_up\.confidence: this kind of study cannot"),
        ({"follow_up": {"with_answer": True}}, r"with_answer needs confidence = 2 or 3"),
        ({"rating": {"axis": 3}}, r"rating\.axis: unknown key; .*\baxes\b"),
        ({"rating": {"axes": []}}, r"rating\.axes"),
        ({"rating": {"axes": ["style", "style"]}}, r"names an axis twice"),
        ({"rating": {"axes": [" style"]}}, r"' style' is not a valid name of an axis"),
        ({"rating": {"axes": ["x" * 65]}}, r"is not a valid name of an axis"),
        (
            {"rating": {"axes": ["brightness"]}},
            r"axes\.brightness needs a question; only aesthetics, .*, overall",
        ),
        (
            {"rating": {"of": "images", "axes": ["overall"]}},
            r"axes\.overall needs a question; only anatomy, composition, style, aesth",
        ),
        (
            {"rating": {"axes": ["style"]}, "axes": {"overall": {"question": "?"}}},
            r"axes\.overall is not among rating\.axes",
        ),
        (
            {"rating": {"axes": ["style"]}, "people": {"not_relevant": {"overall": 0.1}}},
            r"people\.not_relevant\.overall is not among rating\.axes",
        ),
        (
            {"rating": {"axes": ["style"]}, "observers": {"fine": {"on": {"overall": 0.1}}}},
            r"observers\.fine\.on\.overall is not among rating\.axes",
        ),
        (
            {"rating": {"levels": 4}},
            r"rating\.levels = 4: must be odd, so that the middle level means that both are equal",
        ),
        (
            {"axes": {"style": {"kind": "scale"}}},
            r'axes\.style: kind and truth_column need rating\.of = "images"',
        ),
        (
            {"axes": {"style": {"truth_column": "style"}}},
            r'axes\.style: kind and truth_column need rating\.of = "images"',
        ),
        (
            {**IMAGES, "axes": {"aesthetics": {"lowest": 3, "highest": 3}}},
            r"axes\.aesthetics.*a scale from 3 to 3 has 1 steps; it must have 2 to 10",
        ),
        (
            {**IMAGES, "axes": {"aesthetics": {"lowest": 0, "highest": 10}}},
            r"a scale from 0 to 10 has 11 steps; it must have 2 to 10",
        ),
        (
            {**IMAGES, "axes": {"aesthetics": {"lowest": -1, "highest": 1}}},
            r"a scale from -1 to 1 has 3 steps; it must have 2 to 10 whole numbers from 0 to 10",
        ),
        (
            {**IMAGES, "axes": {"aesthetics": {"step": 0.5}}},
            r'axes\.aesthetics: step needs kind = "slider"',
        ),
        (
            {**IMAGES, "axes": {"aesthetics": {"kind": "slider"}}},
            r"a slider from 1 to 10 in steps of 1 has 10 answers; it must have 11 to 1001",
        ),
        (
            {**IMAGES, "axes": {"aesthetics": {"kind": "slider", "step": 0.5, "words": ["low"]}}},
            r"axes\.aesthetics: words has 1 entries for 2 ends of the slider",
        ),
        (
            {**IMAGES, "axes": {"aesthetics": {"kind": "slider", "lowest": 100}}},
            r"a slider from 100 to 10 in steps of 1 has -89 answers; it must have 11 to 1001",
        ),
        (
            {**IMAGES, "axes": {"aesthetics": {"kind": "slider", "step": 0.4}}},
            r"axes\.aesthetics: steps of 0\.4 from 1 to 10 do not end at 10",
        ),
        (
            {
                **IMAGES,
                "axes": {"aesthetics": {"kind": "slider", "step": 0.1}},
                "keys": {"go_on": "right"},
            },
            r"keys: 'right' moves the mark on the slider of axes\.aesthetics",
        ),
        ({"keys": {"not_relevant": "5"}}, r"is not a key, or is a digit; digits choose levels"),
        ({"keys": {"left": "num_5"}}, r"cannot be digits, since digits choose levels"),
        (
            {"keys": {"not_relevant": "j", "right": "j"}},
            r"not_relevant must differ from the keys left, right, go_on and pause",
        ),
    ],
    "ranking": [
        ({"ranking": {"order": 3}}, r"ranking\.order: unknown key; .*\bgroups\b"),
        (
            {"screening": {"checkers": ["a b"]}},
            r"screening\.checkers.*'a b' is not a pattern of codes: use letters, digits",
        ),
        ({"screening": {"checkers": ["*"]}}, r"'\*' is not a pattern .* for any characters"),
        (
            {"screening": {"min_recall": 0.5, "checkers": ["c*"]}},
            r"screening: min_recall needs a test and checkers",
        ),
        ({"screening": {"valid_from": ["../first"]}}, r'valid_from needs decide = "pass" or "ask"'),
        (
            {"screening": {"min_recall": 0.5, "test": 3}},
            r"min_recall needs a test and checkers",
        ),
        (
            {"screening": {"min_recall": 1.5, "test": 3, "checkers": ["c*"]}},
            r"screening\.min_recall = 1\.5",
        ),
        (
            {"keys": {"undo": "t"}},
            r"left, right, go_on, pause, undo and tie must be different keys",
        ),
        ({"keys": {"tie": "b"}}, r"'b' is the letter of an image \(A to L\)"),
    ],
}
"""Settings that a study of one protocol does not accept, and the messages about them."""
FULL: dict[str, dict[str, Any]] = {
    "hype": {
        "time": {"staircase": {"allow_unsettled": False}},  # this changes nothing in a session
        "observers": {"crude": {"ceiling": 0.9}},
        "study": {"quotas": {"age": {"18-29": 1, "": 2}}},
        "demographics": ABOUT_PEOPLE,
    },
    "comparison": {"comparison": {"arena": {}}, "demographics": ABOUT_PEOPLE},
    "rating": {"axes": {"style": {"question": "Whose?"}}, "people": {"halo": 0.1}},
    "ranking": {"screening": {"test": 2, "checkers": ["c*"], "min_recall": 0.4}},
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("protocol", long_but(["comparison"], NAMES))
def test_what_cannot_be_is_refused_with_its_key(protocol, what, tmp_path):
    assert_refused(protocol, tmp_path, *REFUSED[what])


@pytest.mark.parametrize(
    ("protocol", "setting"), [(name, one) for name, some in BEYOND.items() for one in some.split()]
)
def test_a_value_out_of_bounds_is_refused_with_its_key(protocol, setting, tmp_path):
    key, _, text = setting.partition("=")
    changes = value = json.loads(text)
    for name in reversed(key.split(".")):
        changes = {name: changes}
    assert_refused(protocol, tmp_path, changes, re.escape(f"{key} = {value!r}"))


@pytest.mark.parametrize(
    ("protocol", "changes", "message"),
    [(protocol, *one) for protocol, some in OF_ONE.items() for one in some],
)
def test_what_does_not_go_together_is_refused_with_its_key(protocol, changes, message, tmp_path):
    assert_refused(protocol, tmp_path, changes, message)


@pytest.mark.parametrize("protocol", NAMES)
def test_the_resolved_study_reads_back_as_the_same(protocol, tmp_path):
    """The record contains the resolved study, and `hype verify` reads it."""
    study = load(protocol, tmp_path, **FULL[protocol])
    again = type(study.settings).model_validate_json(study.settings_json())

    assert again == study.settings
    assert again.model_dump_json(exclude={"store", "web"}) == study.settings_json()


@pytest.mark.parametrize("protocol", BESIDE_HYPE)
def test_commands_for_hypes_methods_say_that_this_is_another_kind_of_study(protocol, tmp_path):
    load(protocol, tmp_path)
    with pytest.raises(InputError, match=rf'study\.methods: "{protocol}" is another kind of'):
        load_study(tmp_path)


def test_the_sources_numbers_are_the_defaults():
    comparison, rating, ranking = ComparisonSettings(), RatingSettings(), RankingSettings()
    planned, screening = PlannedAnalysis(), RankerSettings()

    assert (comparison.images, comparison.votes, comparison.wait_ms) == (4, 26, 5000.0)
    assert (planned.win_rate, planned.alpha, planned.power) == (0.55, 0.05, 0.8)
    assert (rating.of, rating.levels, rating.not_relevant, rating.ratings) == ("pairs", 5, True, 1)
    assert (ranking.rankings, ranking.group, ranking.ties) == (10, None, False)
    assert (screening.check_share, screening.test, screening.min_recall) == (0.1, 0, None)


@pytest.mark.parametrize(
    ("criterion", "given", "shown"),
    [
        ("coherence", None, "hidden"),
        ("alignment", None, "words"),
        ("alignment", "shown", "shown"),
        ("preference", "words", "words"),
    ],
)
def test_a_prompt_is_shown_as_the_source_shows_it_unless_the_study_says_otherwise(
    criterion, given, shown
):
    asked = comparison_settings(comparison={"criterion": criterion, "prompt": given}).comparison

    assert asked.shown_prompt == shown
    assert asked.asked == CRITERIA[criterion]


@pytest.mark.parametrize(
    ("changes", "answers"),
    [
        ({}, {"overall": (*"12345", NOT_RELEVANT)}),
        ({"rating": {"levels": 9}}, {"style": (*"123456789", NOT_RELEVANT)}),
        (IMAGES, {"anatomy": ("yes", "no", NOT_RELEVANT)}),
        (IMAGES, {"aesthetics": (*map(str, range(1, 11)), NOT_RELEVANT)}),
        (
            {
                "rating": {"of": "images", "axes": ["bright", "style"], "not_relevant": False},
                "axes": {
                    "bright": {"question": "?", "kind": "scale", "lowest": 0, "highest": 3},
                    "style": {"not_relevant": True},
                },
            },
            {"bright": (*"0123",), "style": ("yes", "no", NOT_RELEVANT)},
        ),
    ],
)
def test_an_axis_has_the_answers_that_the_study_says(changes, answers):
    settings = rating_settings(**changes)

    assert {axis: settings.allowed(axis) for axis in answers} == answers


def test_checkers_are_told_by_their_codes():
    settings = ranking_settings(screening={"checkers": ["check*"]})
    codes = ("check", "check1", "Check1", "ann")

    assert [code for code in codes if settings.is_checker(code)] == ["check", "check1"]


def test_as_many_options_as_there_are_keys_and_shares_may_be_rounded(tmp_path):
    options = tuple(f"option {n}" for n in range(MOST_OPTIONS))
    about = {
        "most": {"question": "Which?", "options": [*options]},
        "age": AGE | {"reference": {"young": 0.33, "old": 0.66}},
    }
    study = load("comparison", tmp_path, demographics=about)

    assert study.settings.demographics["most"].options == options
