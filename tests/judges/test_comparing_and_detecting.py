"""Judges of comparisons and judgements: examples by hand, swapped images, known behaviour."""

import pandas as pd
import pytest

from hype.errors import InputError
from hype.judges.choices import judge_comparisons, judge_judgements
from hype.judges.files import read_judges
from hype.judges.results import JudgeOptions
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.hype.table import check_judgements

COMPARED = """evaluator,left,right,left_image,right_image,answer
e1,a,b,a/1,b/1,left
e2,b,a,b/1,a/1,right
e3,a,b,a/1,b/1,right
e1,a,b,a/2,b/2,left
e2,a,b,a/2,b/2,left
e3,b,a,b/2,a/2,tie
e1,b,c,b/1,c/1,left
e2,c,b,c/1,b/1,left
"""
"""Two of three people choose a/1 over b/1; two choose a/2, one ties; b/1 and c/1 get one each."""
ORDERS = """left_image,right_image,answer
a/1,b/1,left
b/1,a/1,right
a/2,b/2,left
b/2,a/2,left
c/1,b/1,right
b/1,c/1,left
"""
"""This judge chooses a/1 in both orders, and of a/2 and b/2 always the left image."""


def table_of(folder, text, name="judge"):
    path = folder / f"{name}.csv"
    path.write_text(text)
    return path


def compared(folder, judge):
    votes = check_comparisons(pd.read_csv(table_of(folder, COMPARED, "votes")))
    judges = read_judges([table_of(folder, judge)])
    return judge_comparisons(votes, judges, JudgeOptions()).judges[0]


def test_a_judge_is_right_in_the_choices_that_it_would_make(tmp_path):
    judge = compared(tmp_path, ORDERS)
    # It is right in 2 of 3 votes on a/1 and b/1, in 1 of 2 (a tie) on a/2, and in 1 of 2 on b/1.
    assert judge.accuracy.value == pytest.approx((2 + 1 + 1) / 7)
    # Each vote's agreement with the others: ½, ½, 0 on a/1 and b/1; 1, 1 on a/2; 0, 0 on b/1.
    assert judge.person.value == pytest.approx((0.5 + 0.5 + 0 + 1 + 1 + 0 + 0) / 7)
    assert judge.difference.value == pytest.approx(1 / 7)
    assert (judge.pairs_judged, judge.of_pairs, judge.pairs_decided) == (3, 3, 2)
    first = judge.first_image
    assert (first["judge"].value, first["judge"].n, first["same"], first["both"]) == (
        pytest.approx(4 / 6),
        *(6, 2, 3),
    )


def test_turning_a_judge_s_orders_round_changes_its_places_alone(tmp_path):
    turned = pd.read_csv(table_of(tmp_path, ORDERS, "orders"))
    sides = {"left_image": "right_image", "right_image": "left_image"}
    turned = turned.rename(columns=sides)
    turned["answer"] = turned["answer"].map({"left": "right", "right": "left"})
    judge, other = (compared(tmp_path, text) for text in (ORDERS, turned.to_csv(index=False)))
    assert other.accuracy == judge.accuracy
    assert other.first_image["judge"].value == pytest.approx(1 - judge.first_image["judge"].value)


def test_of_one_order_alone_no_place_is_known(tmp_path):
    once = "\n".join(ORDERS.splitlines()[::2][:1] + ORDERS.splitlines()[1::2]) + "\n"
    assert compared(tmp_path, once).first_image is None


def test_what_is_missing_is_counted(tmp_path):
    text = (
        "left_image,right_image,answer,missing\na/1,b/1,,refused\nb/1,a/1,,refused\na/2,b/2,left,\n"
    )
    judge = compared(tmp_path, text)
    assert dict(judge.missing) == {"refused": 2}
    assert (judge.pairs_judged, judge.comparisons) == (1, 2)


def test_two_images_that_nobody_compared_are_refused(tmp_path):
    with pytest.raises(InputError, match="it must be two images that people compared"):
        compared(tmp_path, "left_image,right_image,answer\na/1,c/1,left\n")


JUDGED = """evaluator,condition,truth,answer,image
e1,a,fake,fake,f1
e2,a,fake,real,f1
e1,a,fake,real,f2
e2,a,fake,real,f2
e1,a,real,real,r1
e2,a,real,fake,r1
e1,a,real,real,r2
"""


def judged_by_people(folder):
    table = pd.read_csv(table_of(folder, JUDGED, "judged"))
    return check_judgements(table.assign(task="infinity"))


def test_errors_of_a_detector_by_hand(tmp_path):
    judgements = judged_by_people(tmp_path)
    text = "image,answer\nf1,fake\nf2,real\nr1,real\nr2,fake\n"
    judge = judge_judgements(judgements, read_judges([table_of(tmp_path, text)]), JudgeOptions())
    (one,) = judge.judges
    assert {row["of"]: (row["judge"].value, row["people"].value) for row in one.errors} == {
        "all": (0.5, pytest.approx(4 / 7)),
        **dict.fromkeys(("fakes", "fakes of a"), (0.5, 0.75)),
        "reals": (0.5, pytest.approx(1 / 3)),
    }
    assert one.accuracy.value == pytest.approx(4 / 7)
    assert (one.pairs, one.constant) == ((), "")


def test_a_judge_that_scores_images_says_of_none_whether_it_is_real(tmp_path):
    judgements = judged_by_people(tmp_path)
    judges = read_judges([table_of(tmp_path, "image,score\nf1,0.5\n")])
    with pytest.raises(InputError, match="scores images, but people answered real or fake"):
        judge_judgements(judgements, judges, JudgeOptions())
