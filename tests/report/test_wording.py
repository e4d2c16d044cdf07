import pytest

from hype.report import wording


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.0, "p < 0.001"),
        (0.00099, "p < 0.001"),
        (0.0234, "p = 0.023"),
        (0.9999, "p > 0.999"),
        (1.0, "p > 0.999"),
        (None, "p not computed"),
    ],
)
def test_probability(p, words):
    assert wording.probability(p) == words


def test_numbers_have_a_true_minus_sign_and_a_dash_where_there_is_none():
    assert wording.number(-3.25) == "\N{MINUS SIGN}3.2"
    assert wording.number(None) == "\N{EN DASH}"
    assert wording.interval(1, 2.34) == "1.0 \N{EN DASH} 2.3"
    assert wording.interval(None, None) == "\N{EN DASH}"
