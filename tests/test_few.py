"""A list of the first few names, and the number of the others."""

import pytest

from hype.errors import few
from hype.study.phrases import any_of


@pytest.mark.parametrize(
    ("number", "sign", "said"),
    [
        (2, ", ", "x, x"),
        (3, "; ", "x; x; x"),
        (5, ", ", "x, x, x and 2 more"),
        (2000, "; ", "x; x; x and 1,997 more"),
    ],
)
def test_many_are_counted(number, sign, said):
    assert few(["x"] * number, 3, sign) == said


@pytest.mark.parametrize(
    ("names", "said"),
    [("a", "a"), ("ab", "a or b"), ("abc", "a, b or c"), ("abcde", "a or 4 more")],
)
def test_any_of_some_names(names, said):
    assert any_of([*names]) == said
