import pytest

from hype.protocols.hype.scoring import score
from hype.protocols.hype.tables import pair_matrix


@pytest.fixture(scope="module")
def found(scores):
    return pair_matrix(scores[0])


def test_every_pair_from_both_sides(found, scores):
    assert found["names"] == scores[0].names
    for place, (name, cells) in enumerate(found["rows"]):
        assert name == scores[0].names[place]
        assert [cell is None for cell in cells] == [at == place for at in range(len(cells))]


def test_differences_are_row_less_column(found, scores):
    pair = scores[0].pairwise[0]
    there, back = found["rows"][0][1][1], found["rows"][1][1][0]
    minus = "\N{MINUS SIGN}"
    assert there["difference"] == f"{pair.difference:.1f}"
    assert back["difference"] == f"{minus}{pair.difference:.1f}"
    assert (there["p"], there["verdict"]) == (back["p"], back["verdict"])
    assert back["said"].startswith(f"{pair.b} less {pair.a}: {minus}")


def test_pairs_that_could_not_be_tested(make_study):
    frame = make_study("infinity")
    (result,) = score(frame[frame["evaluator"].str.endswith("-0")], draws=50)
    assert [sign for sign, _, _ in pair_matrix(result)["signs"]] == ["·"]
