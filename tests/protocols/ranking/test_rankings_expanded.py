"""Rankings as comparisons, and ranks of images."""

import numpy as np
import pytest
from made_rankings import count_rankings, count_rankings_by_evaluator, made, of_rankings

from hype.protocols.ranking.orders import image_places, image_table
from hype.protocols.ranking.table import check_rankings
from hype.statistics.paired_counts import compare_rows


def test_a_tie_is_a_tie():
    counts = count_rankings(of_rankings([("ann", "g", ["a", ("c", "b"), "d"])]))
    assert counts.wins.tolist() == [[0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert counts.ties[1, 2] == counts.ties[2, 1] == 1
    assert counts.total == 6


def test_rows_are_counted_whatever_their_order(rng):
    frame = made([("ann", "g", ["a", ("b", "c")]), ("ben", "g", "cba"), ("ben", "h", "ba")])
    shuffled = check_rankings(frame.sample(frac=1, random_state=3))
    mine = count_rankings_by_evaluator(shuffled)
    np.testing.assert_array_equal(
        count_rankings(shuffled).points, count_rankings(check_rankings(frame)).points
    )
    entries = sorted(zip(mine.evaluator, mine.chosen, mine.other, mine.tied, strict=True))
    assert entries == [
        (0, 0, 1, False),
        (0, 0, 2, False),
        (0, 1, 2, True),
        (1, 1, 0, False),
        (1, 1, 0, False),
        (1, 2, 0, False),
        (1, 2, 1, False),
    ]


def test_two_images_of_one_condition_say_nothing_of_conditions():
    frame = made([("ann", "g", "aab")]).assign(image=["1", "2", "3"])
    rankings = check_rankings(frame)
    assert count_rankings(rankings).total == 2
    assert len(compare_rows(rankings)[0]) == 3


def test_unfinished_rankings_are_not_expanded():
    rankings = of_rankings([("ann", "g", "abc"), ("ben", "g", "ba")])
    assert count_rankings(rankings).total == 3
    assert count_rankings(rankings[~rankings["finished"]]).total == 0


def test_rows_point_into_the_table():
    rankings = of_rankings([("ann", "g", "ba"), ("ben", "g", [("a", "b")])])
    better, worse, tied = compare_rows(rankings)
    names = rankings["condition"].astype(str).to_numpy()
    assert [*zip(names[better], names[worse], tied, strict=True)] == [
        ("b", "a", False),
        ("a", "b", True),
    ]
    assert rankings["evaluator"].astype(str).to_numpy()[better].tolist() == ["ann", "ben"]
    assert better.dtype.kind == "i"
    assert pytest.approx(1) == tied.sum()


ORDERS = [("e", "g", ("a", "b", "c")), ("f", "g", ("a", "c", "b")), ("h", "g", (("a", "b"), "c"))]


def counted(orders=ORDERS):
    frame = made(orders, prompt="p")
    return image_places(check_rankings(frame.assign(image=frame["condition"] + ".png")))


def test_by_hand_ties_share_a_place():
    rows = counted().set_index("condition")
    assert rows["rankings"].tolist() == [3, 3, 3]
    assert rows["first"].tolist() == [2.5, 0.5, 0.0]
    assert rows["last"].tolist() == [0.0, 1.0, 2.0]
    assert rows["mean_rank"].tolist() == pytest.approx([(1 + 1 + 1.5) / 3, 6.5 / 3, 8 / 3])


def test_no_image_is_at_both_ends():
    none = image_table(counted())  # three rankings are too few to name an image
    assert (none.rows, none.note[:23]) == ((), "No image is named here:")
    more = [
        *ORDERS,
        *((name, "g", order) for name, (_, _, order) in zip("ij", ORDERS, strict=False)),
    ]
    found = image_table(counted(more)).objects()
    shown = [(row["prompt"], row["end"], row["image"]) for row in found]
    assert shown == [("p", "first", "a.png"), ("p", "last", "c.png")]


def test_without_names_of_images_there_are_no_ends():
    counts = image_places(check_rankings(made(ORDERS)))
    assert counts.empty
    assert (image_table(counts).rows, image_table(counts).note) == ((), "")
