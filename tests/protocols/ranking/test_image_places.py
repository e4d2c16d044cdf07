import pytest
from made_rankings import made

from hype.protocols.ranking.orders import image_places, place_ends
from hype.protocols.ranking.table import check_rankings

ORDERS = [
    ("e", "g", ("a", "b", "c")),
    ("f", "g", ("a", "c", "b")),
    ("h", "g", (("a", "b"), "c")),
]


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
    (none,) = place_ends(counted(), prompts=5, each=3)  # of three rankings nothing is said
    assert (none["first"], none["last"], none["seldom"]) == ((), (), 3)
    more = [
        *ORDERS,
        *((name, "g", order) for name, (_, _, order) in zip("ij", ORDERS, strict=False)),
    ]
    (found,) = place_ends(counted(more), prompts=5, each=3)
    assert found["prompt"] == "p"
    assert [one["image"] for one in found["first"]] == ["a.png"]
    assert [one["image"] for one in found["last"]] == ["c.png"]


def test_without_names_of_images_there_are_no_ends():
    counts = image_places(check_rankings(made(ORDERS)))
    assert counts.empty
    assert place_ends(counts, prompts=5, each=3) == ()
