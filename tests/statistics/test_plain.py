from dataclasses import dataclass
from enum import Enum

import pytest

from hype.statistics.estimate import plain


class Side(Enum):
    LEFT = "left"


@dataclass(frozen=True)
class Pair:
    names: tuple[str, ...]
    p: float | None
    side: Side = Side.LEFT


def test_frozen_values_become_members():
    value = {"pair": Pair(("a", "b"), 0.5), "n": 3, "ok": True}
    assert plain(value) == {
        "pair": {"names": ["a", "b"], "p": 0.5, "side": "left"},
        "n": 3,
        "ok": True,
    }


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), None])
def test_what_is_no_number_is_none(number):
    assert plain(Pair((), number)) == {"names": [], "p": None, "side": "left"}


def test_what_has_no_counterpart_is_refused():
    with pytest.raises(TypeError, match="set is not a plain value"):
        plain({"names": {"a"}})
