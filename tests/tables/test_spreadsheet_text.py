import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.files import guard, unguard


@pytest.mark.parametrize(
    "text", ["=cmd()", "+1", "-2", "@x", "\tx", "NA", "None", "null", "nan", "#N/A", "'=x"]
)
def test_what_would_be_misread_gets_an_apostrophe(text):
    assert guard(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "'", "p01", "a=b", "NAN1", "Nan", "na", "'s", "<script>"])
def test_other_text_stays(text):
    assert guard(text) == unguard(text) == text


@given(st.one_of(st.text(), st.text("'=+-@NAa")))
def test_every_text_comes_back(text):
    assert unguard(guard(text)) == text
