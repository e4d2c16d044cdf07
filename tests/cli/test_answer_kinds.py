"""What a table holds is told by its columns."""

import pytest

from hype.cli.kinds import COMPARISONS, JUDGEMENTS, RANKINGS, RATINGS, Kind, kind_in
from hype.errors import InputError
from hype.protocols.comparison.record import COMPARED
from hype.protocols.hype.exclusion import JUDGED
from hype.protocols.ranking.exclusion import RANKED
from hype.protocols.rating.exclusion import RATED
from hype.protocols.rating.ratings import bounds_in


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        (("evaluator", "condition", "truth", "answer"), JUDGEMENTS),
        (("evaluator", "conditoin", "truth", "answer"), JUDGEMENTS),
        (("left", "right", "answer"), COMPARISONS),
        (("item", "axis", "answer", "first", "second"), RATINGS),
        (("item", "axis", "answer", "condition", "truth"), RATINGS),
        (("group", "condition", "rank"), RANKINGS),
        (("Group", "Condition", "Rank"), RANKINGS),
        (JUDGED.declared(), JUDGEMENTS),
        (COMPARED.declared(), COMPARISONS),
        (RATED.declared(), RATINGS),
        (RANKED.declared(), RANKINGS),
        ((), JUDGEMENTS),
    ],
)
def test_a_table_is_known_by_its_columns(header: tuple[str, ...], kind: Kind) -> None:
    assert kind_in(header) is kind


def test_a_scale_is_its_two_ends() -> None:
    assert bounds_in("1-7") == {"lowest": 1, "highest": 7, "levels": 7}
    assert bounds_in("0-100") == {"lowest": 0, "highest": 100}
    assert bounds_in("1-10") == {"lowest": 1, "highest": 10}


@pytest.mark.parametrize("text", ["7", "7-1", "1-x", "1-1000", "", "-1-5"])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no scale"):
        bounds_in(text)
