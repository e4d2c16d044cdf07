"""Questions about evaluators, and quotas of their answers."""

from typing import Any

import pytest
from builders import settings_of
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from hype.study.demographics import DemographicSettings, count_groups, group_of, takes_one_more

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

    assert settings.accept(text) == kept
    assert kept is None or settings.accept(kept) == kept


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"question": "?"}, "options are missing"),
        ({"question": "?", "options": ("a",)}, "must be at least two"),
        ({**NUMBER, "highest": 18.0}, "highest must be more than lowest"),
        (
            {"question": "?", "kind": "number", "lowest": 1.0},
            "lowest and highest, the range of numbers, are missing",
        ),
        ({**NUMBER, "options": ("a", "b")}, 'options is not a key of a question with kind = "nu'),
        ({**CHOICE, "longest": 9}, 'longest is not a key of a question with kind = "choice"'),
        ({**TEXT, "longest": 501}, "500"),
        ({**TEXT, "kind": "words"}, "'choice', 'number' or 'text'"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, said):
    with pytest.raises(ValidationError, match=said):
        DemographicSettings(**asked)


EYES = DemographicSettings(question="Glasses?", options=("yes", "no", "at times"))
AGE = DemographicSettings(question="Age?", kind="number", lowest=-5, highest=99, whole=False)
BANDS = {"-5--1": 1, "18-29": 2, "30-49.5": 0, "": 1}


@pytest.mark.parametrize(
    ("asked", "quota", "answer", "group"),
    [
        (EYES, {"yes": 1, "no": 0}, "yes", "yes"),
        (EYES, {"yes": 1, "no": 0}, "at times", None),
        (EYES, {"yes": 1, "no": 0}, "", None),
        (EYES, {"yes": 1, "": 0}, "", ""),
        (AGE, BANDS, "18", "18-29"),
        (AGE, BANDS, "29", "18-29"),
        (AGE, BANDS, "29.5", None),
        (AGE, BANDS, "49.5", "30-49.5"),
        (AGE, BANDS, "-5", "-5--1"),
        (AGE, BANDS, "0", None),
        (AGE, BANDS, "", ""),
    ],
)
def test_the_group_of_an_answer(asked, quota, answer, group):
    assert group_of(answer, quota, asked) == group


@given(st.lists(st.integers(-5, 99).map(str) | st.just("")), st.integers(0, 6))
def test_a_group_takes_as_many_as_its_quota_whoever_comes(answers, most):
    quota = {"-5-17": 2, "18-29": most, "30-49": 3}
    taken: dict[str, int] = {}
    for answer in answers:
        if takes_one_more(answer, taken, quota, AGE):
            taken[answer] = taken.get(answer, 0) + 1
    came = count_groups({answer: answers.count(answer) for answer in answers}, quota, AGE)

    assert count_groups(taken, quota, AGE) == {
        group: min(came[group], most) for group, most in quota.items() if min(came[group], most)
    }
    assert sum(taken.values()) == sum(min(came[group], quota[group]) for group in quota)


ASKED: dict[str, Any] = {
    "eyes": {"question": "Glasses?", "options": ("yes", "no")},
    "age": {"question": "Age?", "kind": "number", "lowest": 18.0, "highest": 99.0},
    "work": {"question": "Work?", "kind": "text"},
}


@pytest.mark.parametrize(
    ("quotas", "problem"),
    [
        ({"town": {"A": 1}}, r"quotas\.town: .* no such question; it has eyes, age, work"),
        ({"eyes": {}}, r"quotas\.eyes: has no group"),
        (
            {"eyes": {"Yes": 1}},
            r"'Yes' is not an option of the question; use 'yes', 'no', and ''",
        ),
        ({"eyes": {"yes": -1}}, r"greater than or equal to 0"),
        ({"work": {"clerk": 1}}, r"quotas\.work: a question with kind = .text. has no groups"),
        ({"age": {"young": 1}}, r"'young' is not a range within 18 to 99, such as '18-99'"),
        ({"age": {"17-29": 1}}, r"'17-29' is not a range"),
        ({"age": {"29-18": 1}}, r"'29-18' is not a range"),
        ({"age": {"30-49": 1, "18-30": 1}}, r"'18-30' and '30-49' have numbers in common"),
    ],
)
def test_quotas_that_cannot_be_are_refused(quotas, problem):
    with pytest.raises(ValidationError, match=problem):
        settings_of(study={"quotas": quotas}, demographics=ASKED)
