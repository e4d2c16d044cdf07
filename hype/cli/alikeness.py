"""How alike the choices of one simulated person are: what the spread of tastes does to numbers.

People choose i over j with probability σ(d + δ), where δ differs between people: normal, with twice
the variance that a single condition's log-strength has (`hype.observers.comparing`). The intraclass
correlation of their choices is Var p / p(1 - p), p being averaged over people; the average is taken
by Gauss and Hermite's rule.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from hype.study.comparison_settings import ComparingPeopleSettings

POINTS: Final = 61
WIDEST: Final = 40.0
"""Log-odds beyond which nobody is."""
HALVINGS: Final = 60


def intraclass_correlation(people: ComparingPeopleSettings, win_rate: float) -> float:
    """Give the correlation of two choices of one person between conditions with a win rate.

    Lapses make choices less alike; those who press one key are as alike as a coin that is thrown
    for each of them, since conditions are on the left half of the times: they are passed over.
    """
    chosen, weights = spread_of_choices(people, centre(people, win_rate))
    mean = float(chosen @ weights)
    return float(np.square(chosen - mean) @ weights) / (mean * (1 - mean))


def centre(people: ComparingPeopleSettings, win_rate: float) -> float:
    """Give the difference in log-strength of the typical person that makes a win rate.

    Lapses bound win rates; beyond the bound it is the largest difference.
    """
    low, high = -WIDEST, WIDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        chosen, weights = spread_of_choices(people, middle)
        low, high = (middle, high) if float(chosen @ weights) < win_rate else (low, middle)
    return (low + high) / 2


def spread_of_choices(
    people: ComparingPeopleSettings, difference: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Give how often people of all tastes choose the better one, and how many of them there are."""
    points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    log_odds = difference + math.sqrt(2) * people.taste_spread * points
    chosen = people.lapse / 2 + (1 - people.lapse) / (1 + np.exp(-log_odds))
    return chosen, weights / weights.sum()
