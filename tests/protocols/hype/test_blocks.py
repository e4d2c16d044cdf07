import pandas as pd
import pytest
from known_tables import timed_table

from hype.protocols.hype.block_scores import numbered_blocks

TABLE = timed_table({"gan": {"b": [200, 260], "a": [300]}, "began": {"a": [100]}})


def test_blocks_are_numbered_in_the_order_of_their_labels():
    numbers, labels = numbered_blocks(TABLE.astype({"block": str}))
    assert labels == (
        ("began", "a", "1"),
        ("gan", "a", "1"),
        ("gan", "b", "1"),
        ("gan", "b", "2"),
    )
    assert numbers.tolist() == [2] * 5 + [3] * 5 + [1] * 5 + [0] * 5


@pytest.mark.parametrize("names", [["gan", "began"], ["unused", "gan", "began"]])
def test_categories_in_another_order_change_nothing(names):
    text = TABLE.astype({"block": str})
    table = text.assign(
        condition=pd.Categorical(text["condition"], categories=names),
        block=text["block"].astype("category"),
    )
    assert numbered_blocks(table)[1] == numbered_blocks(text)[1]
    assert numbered_blocks(table)[0].tolist() == numbered_blocks(text)[0].tolist()


def test_no_rows_have_no_blocks():
    numbers, labels = numbered_blocks(TABLE.iloc[:0])
    assert (numbers.tolist(), labels) == ([], ())
