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


def test_no_rows_have_no_blocks():
    numbers, labels = numbered_blocks(TABLE.iloc[:0])
    assert (numbers.tolist(), labels) == ([], ())
