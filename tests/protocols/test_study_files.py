"""What holds of the study files of every protocol."""

from typing import Any

import pytest
from asking_people import ABOUT_PEOPLE
from bare_studies import BESIDE_HYPE, NAMES, assert_refused, load
from long import long_but

from hype.errors import InputError
from hype.protocols.load import load_study

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown table": ({"elsewhere": {}}, r"elsewhere: unknown key; known here are study, stimuli"),
    "another method beside": (
        {"study": {"methods": ["rating", "time"]}},
        r'study\.methods.*"rating" stands alone',
    ),
    "no such key": ({"keys": {"left": "banana"}}, r"keys\.left = 'banana': is no key"),
    "degrees without a monitor": (
        {"display": {"size_deg": 8.0}},
        r"display\.size_deg needs \[monitor\]",
    ),
    "an unknown brace": ({"texts": {"welcome": "{name}"}}, r"texts\.welcome.*\{name\} is not"),
    "an unknown text": ({"texts": {"odd": "x"}}, r"texts\.odd: unknown key"),
    "unknown people": ({"people": {"odd": 1.0}}, r"people\.odd: unknown key"),
    "unknown taste": (
        {"observers": {"good": {"odd": 1.0}}},
        r"observers\.good\.odd: unknown key; known here are ",
    ),
}
FULL: dict[str, dict[str, Any]] = {
    "hype": {
        "time": {"staircase": {"allow_unsettled": False}},  # which says nothing of what is done
        "observers": {"crude": {"ceiling": 0.9}},
        "study": {"quotas": {"age": {"18-29": 1, "": 2}}},
        "demographics": ABOUT_PEOPLE,
    },
    "comparison": {
        "comparison": {"arena": {}},
        "demographics": ABOUT_PEOPLE,
    },
    "rating": {"axes": {"style": {"question": "Whose?"}}, "people": {"halo": 0.1}},
    "ranking": {"screening": {"test": 2, "checkers": ["c*"], "min_recall": 0.4}},
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("protocol", long_but(["comparison"], NAMES))
def test_what_cannot_be_is_refused_with_its_key(protocol, what, tmp_path):
    assert_refused(protocol, tmp_path, *REFUSED[what])


@pytest.mark.parametrize("protocol", NAMES)
def test_the_resolved_study_reads_back_as_the_same(protocol, tmp_path):
    """The record keeps it, and verifying reads it."""
    study = load(protocol, tmp_path, **FULL[protocol])
    again = type(study.settings).model_validate_json(study.resolved())

    assert again == study.settings
    assert again.model_dump_json(exclude={"store", "web"}) == study.resolved()


@pytest.mark.parametrize("protocol", BESIDE_HYPE)
def test_commands_for_hypes_methods_say_that_this_is_another_kind_of_study(protocol, tmp_path):
    load(protocol, tmp_path)
    with pytest.raises(InputError, match=rf'study\.methods: "{protocol}" is another kind of'):
        load_study(tmp_path)
