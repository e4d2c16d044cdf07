import pytest
from known_tables import timed_table, untimed_table

from hype.protocols.hype.scoring import Options, compare_pairs, score
from hype.protocols.hype.table import check_judgements


def notes(table):
    return " ".join(note for result in score(table, draws=10) for note in result.notes)


def test_clean_data_need_no_caution():
    table = untimed_table({"a": {"x": (1, 2), "y": (3, 4)}})
    named = table.assign(image=table["trial"].astype(str))
    assert not notes(named)
    assert "name no images" in notes(table)


def test_of_few_images_others_are_not_spoken_of():
    """People err on 80% of images, with fifty images of each kind or with nine."""
    people = {f"e{number}": (40, 40) for number in range(12)}
    table = untimed_table(
        {"a": people, "b": {f"b{name}": errors for name, errors in people.items()}}
    )
    (many,) = score(table.assign(image=table["trial"].astype(str)), draws=10)
    (few,) = score(table.assign(image=(table["trial"] % 9).astype(str)), draws=10)
    assert (many.facts["images"], few.facts["images"]) == ("sample", "fixed")
    assert "(a condition's, or the real images) has only 9 images" in " ".join(few.notes)
    assert not any(row["hyper_realistic"] for row in few.rows("conditions"))
    assert all(row["hyper_realistic"] for row in many.rows("conditions"))


def test_an_evaluator_under_two_conditions():
    table = untimed_table({"a": {"x": (1, 2), "y": (3, 4)}, "b": {"x": (1, 5), "z": (3, 4)}})
    assert "x judged more than one condition, so" in notes(table)


def test_everybody_under_all_conditions_is_a_design():
    people = {f"e{i}": (i, 0) for i in range(8)}
    assert "More than one condition" not in notes(untimed_table({"a": people, "b": people}))


def test_a_lone_evaluator():
    assert "a has one evaluator" in notes(untimed_table({"a": {"x": (1, 2)}}))


@pytest.mark.parametrize(("kind", "other"), [("real", "fake"), ("fake", "real")])
def test_images_of_one_kind_alone(kind, other):
    table = untimed_table({"a": {"x": (1, 2), "y": (2, 2)}})
    assert f"a has no judgement of a {kind} image." in notes(table[table["truth"].eq(other)])


def test_unequal_numbers_of_blocks():
    text = notes(timed_table({"a": {"x": [200, 300], "y": [300]}}))
    assert "Evaluators of a gave between 5 and 10 judgements each." in text
    assert "however many blocks" in text


def test_bottoming_out():
    text = notes(timed_table({"wgan": {"x": [100], "y": [110]}, "ok": {"z": [300], "w": [310]}}))
    assert "wgan bottomed out: in 50% of its blocks" in text
    assert "shortest, 100 ms" in text
    assert "ok bottomed" not in text


def test_only_who_is_clearly_off_the_floor_is_told_from_who_sits_there():
    """The mean modes of a, b and c clearly differ, but those of a and b are at the floor."""
    table = timed_table(
        {
            "a": {f"p{n}": [100, 100] for n in range(9)},
            "b": {f"q{n}": [100, 110 + 10 * (n % 3)] for n in range(9)},
            "c": {f"r{n}": [200, 210 + 10 * (n % 3)] for n in range(9)},
        }
    )
    (found,) = score(table, draws=10, margins={"time": 50})
    verdicts = {(pair.a, pair.b): pair.verdict for pair in found.rows("pairs")}
    assert verdicts == {
        ("c", "b"): "separable",
        ("c", "a"): "separable",
        ("b", "a"): "not known",
    }
    planned = compare_pairs(check_judgements(table), "time", Options())
    assert {frozenset((pair.a, pair.b)) for pair in planned if pair.separable} == {
        frozenset("ca"),
        frozenset("cb"),
    }
    assert "gets a verdict only if the other condition is clearly above it" in " ".join(found.notes)
    theirs = {(pair.a, pair.b): pair.separable for pair in found.rows("tukey")}
    assert theirs["b", "a"]
    assert "differ for 1 of 3 pairs (b and a)" in found.table("tukey").note


def test_reason_for_missing_statistics():
    table = untimed_table({"a": {"x": (1, 1), "y": (1, 1)}, "b": {"z": (2, 2), "w": (2, 2)}})
    assert "the variance within conditions is zero" in notes(table)
