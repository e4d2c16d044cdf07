"""Choices for scores of comparisons, ratings and rankings that cannot be meant."""

import pytest

from hype.errors import InputError
from hype.protocols.comparison.scoring import PairwiseOptions
from hype.protocols.ranking.scoring import RankingOptions
from hype.protocols.rating.axes import RatingOptions

OF_ALL = {
    "ties": ("win", "ties: 'win'; allowed are davidson, half, none"),
    "alpha": (0.0, "alpha: 0; allowed is a number above 0 and below 1"),
    "confidence": (1.0, "confidence: 1; allowed is a number above 0 and below 1"),
}
OF_ONE = {
    PairwiseOptions: {
        "seed": (-1, "seed: -1"),
        "min_correct": (70.0, "min_correct: 70; allowed is a number from 0 to 1"),
    },
    RatingOptions: {
        "level": ("ratio", "level: 'ratio'; allowed are ordinal, interval, nominal"),
        "leaderboard": ({"a": float("nan")}, "leaderboard: 'a' has nan; allowed is a number"),
    },
    RankingOptions: {
        "seed": (-1, "seed: -1"),
        "min_recall": (2, "min_recall: 2"),
        "check_share": (-1, "check_share: -1"),
    },
}


@pytest.mark.parametrize("options", OF_ONE)
def test_a_choice_that_cannot_be_meant_is_refused(options):
    for name, (value, message) in (OF_ALL | OF_ONE[options]).items():
        with pytest.raises(InputError, match=message):
            options(**{name: value})
