"""The first of some names, and how many more there are."""

import pytest

from hype.errors import few


@pytest.mark.parametrize(
    ("number", "sign", "said"),
    [
        (2, ", ", "x, x"),
        (3, "; ", "x; x; x"),
        (5, ", ", "x, x, x and 2 more"),
        (2000, "; ", "x; x; x and 1,997 more"),
        (5, " or ", "x or x or x or 2 more"),
    ],
)
def test_many_are_counted(number, sign, said):
    assert few(["x"] * number, 3, sign) == said
