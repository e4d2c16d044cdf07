"""Questions about evaluators: which can be asked, what is taken as an answer, what is kept."""

import pytest
from pydantic import ValidationError

from hype.study.demographics import DemographicSettings

NUMBER = {"question": "How old?", "kind": "number", "lowest": 18.0, "highest": 99.0}
TEXT = {"question": "What work?", "kind": "text", "longest": 8}
CHOICE = {"question": "Glasses?", "options": ("yes", "no")}


@pytest.mark.parametrize(
    ("asked", "text", "kept"),
    [
        (NUMBER, " 18 ", "18"),
        (NUMBER, "99.0", "99"),
        (NUMBER, "٣٤", "34"),
        (NUMBER, "17", None),
        (NUMBER, "99.5", None),
        (NUMBER, "34.5", None),
        (NUMBER, "", None),
        (NUMBER, "nan", None),
        (NUMBER, "1e2", None),
        ({**NUMBER, "whole": False}, "34,5", "34.5"),
        ({**NUMBER, "whole": False}, "34.50", "34.5"),
        ({**NUMBER, "lowest": -10.0, "highest": 10.0}, "-0", "0"),
        ({**NUMBER, "lowest": -10.0, "highest": 10.0}, "-7", "-7"),
        (TEXT, "  a   b ", "a b"),
        (TEXT, "12345678", "12345678"),
        (TEXT, "123456789", None),
        (TEXT, "a\x07b", None),
        (TEXT, " ", None),
        (CHOICE, "yes", "yes"),
        (CHOICE, "Yes", None),
    ],
)
def test_what_is_taken_is_kept_in_one_form(asked, text, kept):
    settings = DemographicSettings(**asked)

    assert settings.taken(text) == kept
    assert kept is None or settings.taken(kept) == kept


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"question": "?"}, "options are missing"),
        ({"question": "?", "options": ("a",)}, "must be two at least"),
        ({**NUMBER, "highest": 18.0}, "highest must be more than lowest"),
        ({"question": "?", "kind": "number", "lowest": 1.0}, "lowest and highest are missing"),
        ({**NUMBER, "options": ("a", "b")}, 'options is not of a question whose kind is "number"'),
        ({**CHOICE, "longest": 9}, 'longest is not of a question whose kind is "choice"'),
        ({**TEXT, "longest": 501}, "500"),
        ({**TEXT, "kind": "words"}, "'choice', 'number' or 'text'"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, said):
    with pytest.raises(ValidationError, match=said):
        DemographicSettings(**asked)
