"""A check whether a count is plausible by chance alone."""

from scipy import stats


def within_chance(number: int, n: int, p: float) -> bool:
    """Tell whether ``number`` of n is in the central 99.9% of outcomes at probability p."""
    return bool(stats.binom.ppf(0.0005, n, p) <= number <= stats.binom.ppf(0.9995, n, p))
