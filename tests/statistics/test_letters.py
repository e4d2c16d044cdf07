import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.statistics.pairs import compact_letters


def as_sets(letters):
    return {name: set(re.findall("[a-z]'*", own)) for name, own in letters.items()}


def test_a_chain_of_neighbours():
    # By hand: a and b, and b and c, share a letter; a and c are separable.
    assert compact_letters("abc", [("a", "c")]) == {"a": "a", "b": "ab", "c": "b"}


def test_letters_go_on_after_z():
    names = [f"m{i}" for i in range(60)]
    letters = compact_letters(names, combinations(names, 2))
    assert [letters[names[i]] for i in (0, 25, 26, 51, 52)] == ["a", "z", "a'", "z'", "a''"]
    assert len(set(letters.values())) == 60


@st.composite
def comparisons(draw):
    names = [f"m{i}" for i in range(draw(st.integers(1, 9)))]
    pairs = list(combinations(names, 2))
    apart = [pair for pair in pairs if draw(st.booleans())]
    return names, [pair[::-1] if draw(st.booleans()) else pair for pair in apart]


@given(comparisons(), st.randoms())
def test_a_letter_is_shared_if_and_only_if_not_separable(case, random):
    names, apart = case
    letters = compact_letters(names, apart)
    sets = as_sets(letters)
    for a, b in combinations(names, 2):
        assert (not sets[a] & sets[b]) == ((a, b) in apart or (b, a) in apart)
    assert list(letters) == names
    assert letters[names[0]].startswith("a")
    random.shuffle(apart)
    assert compact_letters(names, apart) == letters


@given(comparisons())
def test_no_letter_is_spare_and_first_uses_are_in_order(case):
    letters = compact_letters(*case)
    used = list(dict.fromkeys("".join(letters.values())))
    assert used == sorted(used)
    holders = [{n for n, own in as_sets(letters).items() if letter in own} for letter in used]
    assert not any(one < other for one in holders for other in holders)


def test_a_name_that_is_not_listed_is_refused():
    with pytest.raises(KeyError, match="nobody"):
        compact_letters(["x", "y"], [("x", "nobody")])
