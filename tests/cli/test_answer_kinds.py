"""The columns of a table decide which kind of answers it contains."""

import pytest

from hype.errors import InputError
from hype.protocols.comparison.export import COMPARED
from hype.protocols.hype.export import JUDGED
from hype.protocols.ranking.export import RANKED
from hype.protocols.rating.export import RATED
from hype.protocols.registry import protocol_of_table
from hype.study.scales import Scale, read_scale


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
        (JUDGED.declare_columns(), "hype"),
        (COMPARED.declare_columns(), "comparison"),
        (RATED.declare_columns(), "rating"),
        (RANKED.declare_columns(), "ranking"),
        ((), "hype"),
    ],
)
def test_a_table_is_known_by_its_columns(header, protocol):
    assert protocol_of_table(header).name == protocol


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("1-7", Scale(lowest=1, highest=7, levels=7)),
        ("0-100", Scale(lowest=0, highest=100)),
        ("-2-2", Scale(lowest=-2, highest=2)),
        ("-100:100", Scale(lowest=-100, highest=100, decimals=True)),
        ("0:1", Scale(lowest=0, highest=1, decimals=True)),
    ],
)
def test_a_scale_is_its_two_ends(text, scale):
    assert read_scale(text) == scale


@pytest.mark.parametrize("text", ["7", "7-1", "1-x", "0.5-2", "", "1:nan"])
def test_what_is_no_scale_is_refused(text):
    with pytest.raises(InputError, match="is not a scale"):
        read_scale(text)
