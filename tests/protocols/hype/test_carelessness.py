"""Rules about careless evaluators: the counted answers, and the limit of each rule."""

import pytest

from hype.protocols.hype.settings import CatchExclusion
from hype.study.exclusion import GivenAnswer, find_broken_rules, longest_run

ALL = CatchExclusion(fast_share=0.5, one_key_share=0.75, catch_error=0.25, longest_run=4)


def blocks(*answers: str, fast: int = 0) -> list[GivenAnswer]:
    """Return blocks of answers, one for each letter; the first ``fast`` answers are too fast.

    The letters c and m are catch trials that were answered "real": c is correct, m is missed.
    """
    given = [
        GivenAnswer(
            trial=trial,
            answer="fake" if letter == "f" else "real",
            rt_ms=700.0,
            caught=letter == "c" if letter in "cm" else None,
        )
        for block in answers
        for trial, letter in enumerate(block, start=1)
    ]
    return [one._replace(rt_ms=299.9 if n < fast else 300.0) for n, one in enumerate(given)]


def test_at_the_limits_no_rule_is_broken():
    """Six of eight answers are equal, four of them in a row; one of four catch trials is missed."""
    assert find_broken_rules(blocks("fcrcm", "rfc", fast=4), ALL) == {}


@pytest.mark.parametrize(
    ("given", "rule", "words"),
    [
        (
            blocks("frfr", fast=3),
            "speed",
            "3 of 4 answers came faster than 300 ms (75%; at most 50%)",
        ),
        (blocks("fff", "ffr"), "one-key", "5 of 6 answers were the same (83%; at most 75%)"),
        (blocks("fmfcmf"), "catch", "2 of 3 catch trials were wrong (67%; at most 25%)"),
        (blocks("fffffrrr"), "run", "5 equal answers in a row (at most 4)"),
    ],
)
def test_a_rule_is_broken_above_its_limit_and_only_where_it_is_stated(given, rule, words):
    assert find_broken_rules(given, ALL) == {rule: words}
    assert find_broken_rules(given, CatchExclusion()) == {}


def test_a_run_ends_with_its_block():
    assert longest_run(blocks("rff", "ffr", "r")) == 2


def test_the_rules_in_words_are_those_that_are_stated():
    assert CatchExclusion().in_words == ()
    assert ALL.in_words == (
        "more than 50% of their answers came faster than 300 ms",
        "more than 75% of their answers were the same",
        "more than 25% of their catch trials were wrong",
        "the same answer came more than 4 times in a row",
    )
