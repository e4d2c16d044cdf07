"""What a table holds is told by its columns."""

import pytest

from hype.errors import InputError
from hype.protocols.comparison.export import COMPARED
from hype.protocols.hype.export import JUDGED
from hype.protocols.ranking.exclusion import RANKED
from hype.protocols.rating.export import RATED
from hype.protocols.rating.scoring import bounds_in
from hype.protocols.registry import of_table


@pytest.mark.parametrize(
    ("header", "protocol"),
    [
        (("evaluator", "condition", "truth", "answer"), "hype"),
        (("evaluator", "conditoin", "truth", "answer"), "hype"),
        (("left", "right", "answer"), "comparison"),
        (("item", "axis", "answer", "first", "second"), "rating"),
        (("item", "axis", "answer", "condition", "truth"), "rating"),
        (("group", "condition", "rank"), "ranking"),
        (("Group", "Condition", "Rank"), "ranking"),
        (JUDGED.declared(), "hype"),
        (COMPARED.declared(), "comparison"),
        (RATED.declared(), "rating"),
        (RANKED.declared(), "ranking"),
        ((), "hype"),
    ],
)
def test_a_table_is_known_by_its_columns(header: tuple[str, ...], protocol: str) -> None:
    assert of_table(header).name == protocol


def test_a_scale_is_its_two_ends() -> None:
    assert bounds_in("1-7") == {"lowest": 1, "highest": 7, "levels": 7}
    assert bounds_in("0-100") == {"lowest": 0, "highest": 100}
    assert bounds_in("1-10") == {"lowest": 1, "highest": 10}


@pytest.mark.parametrize("text", ["7", "7-1", "1-x", "1-1000", "", "-1-5"])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no scale"):
        bounds_in(text)
