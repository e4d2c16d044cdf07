import numpy as np
import pandas as pd
import pytest

from hype.judges.benchmark import benchmark_table


def table(rows):
    return pd.DataFrame(rows, columns=["condition", "style", "prompt", "score"])


def row_of(found, condition, style=""):
    return next(row for row in found.rows if (row["condition"], row["style"]) == (condition, style))


def test_by_hand():
    # Photo has two groups: prompts p0, p1 and p2, p3. A's means are 2 and 5, B's are 4 and 4.
    rows = [("A", "photo", f"p{n}", score) for n, score in enumerate((1, 3, 4, 6))]
    rows += [("B", "photo", f"p{n}", score) for n, score in enumerate((4, 4, 3, 5))]
    rows += [("A", "paint", "p0", 7), ("B", "paint", "p0", 8), ("A", "paint", "p9", 9)]
    found = benchmark_table(table(rows), groups=2)

    assert found.styles == ("photo", "paint")
    assert found.conditions == ("B", "A")
    photo = row_of(found, "A", "photo"), row_of(found, "B", "photo")
    assert [(one["mean"], one["rank"]) for one in photo] == [(3.5, 2), (4, 1)]
    assert photo[0]["sd"] == pytest.approx(np.sqrt(((2 - 3.5) ** 2 + (5 - 3.5) ** 2) / 1))
    assert photo[1]["sd"] == 0
    paint = row_of(found, "A", "paint"), row_of(found, "B", "paint")
    assert [(one["mean"], one["prompts"], one["of_prompts"]) for one in paint] == [
        (8, 2, 2),
        (8, 1, 2),
    ]
    assert [one["rank"] for one in paint] == [1, 1]
    assert paint[1]["sd"] is None
    assert found.notes == (
        "B has no score for 1 of the 2 prompts of paint; its mean is over the other prompts.",
    )


def test_several_images_of_a_prompt_are_one_mean():
    rows = [("A", "s", "p", 1), ("A", "s", "p", 3), ("A", "s", "q", 8)]
    assert row_of(benchmark_table(table(rows), groups=2), "A", "s")["mean"] == 5


def test_too_few_prompts():
    found = benchmark_table(table([("A", "s", f"p{n}", n) for n in range(9)]))
    assert row_of(found, "A", "s")["sd"] is None
    assert found.notes == (
        "There are 9 prompts of s, too few for 10 groups, so there is no standard deviation.",
    )
