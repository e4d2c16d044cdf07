"""Whether a count is plausible by chance alone."""

from scipy import stats


def within_chance(number: int, n: int, p: float) -> bool:
    """Whether so many of n are likely (999 in 1,000) at probability p."""
    return bool(stats.binom.ppf(0.0005, n, p) <= number <= stats.binom.ppf(0.9995, n, p))
