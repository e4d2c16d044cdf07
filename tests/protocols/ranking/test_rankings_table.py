import time

import numpy as np
import pandas as pd
import pytest
from made_rankings import made

from hype.errors import InputError
from hype.protocols.ranking.table import check_rankings

TWO = [("ann", "g1", "abc"), ("ben", "g1", "bca")]


def refused(frame, message, **options):
    with pytest.raises(InputError, match=message):
        check_rankings(frame, where="t.csv", **options)


def test_equal_ranks_mean_the_same_however_they_are_counted():
    frame = made([("ann", "g", "abcd"), ("ben", "g", "abcd"), ("cat", "g", "abcd")])
    frame["rank"] = [1, 1, 2, 3, 1, 1, 3, 4, 5, 5, 8, 9]
    checked = check_rankings(frame)
    assert checked["rank"].tolist() == [1, 1, 3, 4] * 3
    assert checked["ranking"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert checked["finished"].all()
    pd.testing.assert_frame_equal(check_rankings(checked), checked)


def test_an_image_is_not_twice_in_a_ranking():
    frame = made([("ann", "g1", "abca")])
    refused(frame, r"row 3 \(group 'g1' of 'ann'\): the condition 'a' is twice in the ranking")
    frame["image"] = ["1.png", "2.png", "3.png", "4.png"]
    assert check_rankings(frame)["finished"].all()
    frame["image"] = ["1.png", "2.png", "3.png", "1.png"]
    refused(frame, "the image '1.png' is twice in the ranking")
    refused(made(TWO).drop(columns="evaluator"), "add the column 'evaluator', with the person")


def test_sessions_and_tasks_tell_rankings_apart():
    frame = pd.concat([made(TWO, session="1"), made(TWO, session="2")], ignore_index=True)
    assert check_rankings(frame)["ranking"].max() == 3
    frame = pd.concat([made(TWO, task="test"), made(TWO, task="ranking")], ignore_index=True)
    assert check_rankings(frame)["ranking"].max() == 3
    twice = pd.concat([made(TWO), made(TWO).assign(rank=range(1, 7))])
    refused(twice, "the condition 'a' is twice in the ranking")
    turned = made(TWO)
    turned["rank"] = 4 - turned["rank"]
    refused(pd.concat([made(TWO), turned]), "add the column 'session', with different names")


def test_what_is_unfinished_is_no_error():
    frame = made([*TWO, ("cat", "g1", "ab"), ("dan", "g1", "cab"), ("eve", "g2", "a")])
    frame = frame.astype({"rank": object})
    frame.loc[9, "rank"] = ""
    checked = check_rankings(frame)
    by_ranking = checked.groupby("ranking")["finished"].agg(["all", "any"])
    assert by_ranking["all"].tolist() == [True, True, False, False, False]
    assert by_ranking["any"].tolist() == by_ranking["all"].tolist()
    assert np.isnan(checked["rank"][9])


def test_the_same_group_has_the_same_images():
    refused(made([("ann", "g", "abc"), ("ben", "g", "abd")]), "the condition 'd' is not in the")
    # A partial ranking with another image is refused too.
    refused(made([("ann", "g", "abc"), ("ben", "g", "ad")]), r"row 4 .*'d' is not in the first")
    prompts = made(TWO).assign(prompt=["p"] * 5 + ["q"])
    refused(prompts, "row 5, column prompt: 'q' differs from row 0; .* one prompt")
    images = made(TWO).assign(image=[*"123", *"231"])
    check_rankings(images)
    refused(images.assign(condition=[*"abc", *"bcb"]), "condition: 'b' differs from row 0")


def test_a_ranking_is_a_checkers_or_not():
    frame = made(TWO)
    half = frame.assign(checker=[True, *[False] * 5])
    refused(half, "row 1 .*differs from another row of the same ranking in the column 'checker'")


def test_many_rows_are_checked_quickly():
    row = np.arange(120_000)
    texts = {"evaluator": row // 400, "group": row // 4, "condition": row % 4}
    frame = pd.DataFrame({name: cells.astype(str) for name, cells in texts.items()})
    begin = time.perf_counter()
    assert check_rankings(frame.assign(rank=1 + row % 4))["finished"].all()
    assert time.perf_counter() - begin < 4  # a loop over the rows would take longer


def test_two_who_stopped_at_different_images_of_a_group_are_no_error():
    frame = made([("ann", "g", "ab"), ("ben", "g", "bc"), *TWO])
    frame.loc[:3, "rank"] = np.nan
    checked = check_rankings(frame)
    assert checked["finished"].tolist() == [False] * 4 + [True] * 6
