import pandas as pd
import pytest

from hype.protocols.hype.images import image_differences
from hype.protocols.hype.report import gallery
from hype.protocols.hype.scoring import score

URI = "data:image/png;base64,AAAA"


def judgements(passed, *, condition="gan", shown=5):
    """A table in which images were taken for real this often; images have names by their place."""
    rows = [
        (f"{condition}-{time}", condition, "fake", "real" if time < often else "fake", image)
        for number, often in enumerate(passed)
        for image in [f"fake/{condition}/{number:02d}.png"]
        for time in range(shown)
    ]
    rows += [
        (f"{condition}-{time}", condition, "real", "real", "real/0.png") for time in range(shown)
    ]
    return pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer", "image"])


def scored(*tables):
    return score(pd.concat(tables, ignore_index=True), draws=100)[0]


def pictured(name):
    return (URI, 28, 28) if name == "fake/gan/03.png" else None


TWELVE = judgements([0, 0, 0, 4, 1, 1, 1, 1, 3, 3, 3, 2])


def test_the_ends_are_those_of_the_score():
    (ends,) = gallery(scored(TWELVE), pictured)
    assert ends["condition"] == "gan"
    assert [p["name"] for p in ends["most"]] == [
        f"gan/{n}.png" for n in ("03", "08", "09", "10", "11")
    ]
    assert [p["name"] for p in ends["least"]] == [
        f"gan/{n}.png" for n in ("00", "01", "02", "04", "05")
    ]


def test_a_picture_says_what_people_made_of_it():
    best = gallery(scored(TWELVE), pictured)[0]["most"][1]
    assert best["alt"] == "gan/08.png, taken for real by 3 of 5"


def test_pictures_are_there_where_they_can_be_had():
    (ends,) = gallery(scored(TWELVE), pictured)
    first, second = ends["most"][:2]
    assert (first["uri"], first["width_px"], first["height_px"]) == (URI, 28, 28)
    assert (second["uri"], second["width_px"], second["height_px"]) == (None, 0, 0)


@pytest.mark.parametrize(
    ("passed", "most", "least"),
    [([4, 3, 0], ["00", "01"], ["02"]), ([4, 4, 3, 1, 0, 0], 3, 3)],
)
def test_no_image_is_at_both_ends(passed, most, least):
    (ends,) = gallery(scored(judgements(passed)), pictured)
    found = [[p["image"][-6:-4] for p in end] for end in (ends["most"], ends["least"])]
    if isinstance(most, int):
        assert [len(end) for end in found] == [most, least]
        assert not set(found[0]) & set(found[1])
        assert set(found[0]) == {"00", "01", "02"}
    else:
        assert found == [most, least]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, r"the 400 fakes, each judged between 1 and 3 times, no more .*\(p = 0\.300\)"),
        ({"fewest": 3}, "each judged 3 times, no more difference"),
        ({"most": 1, "p": None}, "judged once each: whether they differ cannot be told"),
        ({"p": None}, "all judged alike: whether they differ cannot be told"),
    ],
)
def test_where_chance_has_chosen_the_images_it_says_so(values, said):
    found = {"images": 400, "fewest": 1, "most": 3, "p": 0.3} | values
    (ends,) = gallery(scored(TWELVE), pictured, {"gan": found})
    assert ends["by_chance"] == (found["p"] is not None)
    assert pd.Series([ends["note"]]).str.contains(said).all()


def test_where_images_differ_there_is_no_note():
    differ = image_differences(judgements([0, 0, 0, 5, 5, 5, 5]).assign(task="infinity"))
    assert differ["gan"]["p"] < 0.05
    for found in (differ, None):
        (ends,) = gallery(scored(TWELVE), pictured, found)
        assert (ends["by_chance"], ends["note"]) == (False, None)
