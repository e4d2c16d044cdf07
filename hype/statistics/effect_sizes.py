"""How large a difference is, whatever the number of evaluators.

Eta squared: Pearson's (1905) correlation ratio, squared. Omega squared: Hays (1963), "Statistics
for Psychologists". Hedges' g: Hedges (1981), "Distribution theory for Glass's estimator of effect
size and related estimators", Journal of Educational Statistics 6.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray = npt.NDArray[np.float64]


def eta_squared(*, between: float, within: float) -> float:
    """Give the share of the scores' variance that lies between conditions, in [0, 1].

    Parameters
    ----------
    between, within
        Sums of squares; not both 0.
    """
    return between / (between + within)


def omega_squared(*, between: float, within: float, df_between: int, df_within: int) -> float:
    """Estimate that share in the population; eta squared is too large on average.

    Parameters
    ----------
    between, within
        Sums of squares; `within` is above 0.
    df_between, df_within
        Their degrees of freedom, 1 or more.

    Returns
    -------
    float
        At most 1; below 0 where conditions differ less than chance would have them (F < 1).
    """
    error = within / df_within
    return (between - df_between * error) / (between + within + error)


def small_sample_correction(df: npt.ArrayLike) -> FloatArray:
    """Give J, by which a standardised difference is too large on average: Hedges (1981).

    J(df) = Γ(df/2) / (√(df/2)·Γ((df - 1)/2)), for df of 2 or more; about 1 - 3/(4·df - 1).
    """
    half = np.asarray(df, dtype=float) / 2
    ratio = np.exp(special.gammaln(half) - special.gammaln(half - 0.5))
    return np.asarray(ratio / np.sqrt(half))


def hedges_g(difference: FloatArray, squares: FloatArray, df: FloatArray) -> list[float | None]:
    """Give Hedges' g: a difference of means in standard deviations, corrected for small samples.

    Parameters
    ----------
    difference
        Of the two means; shape (pairs,).
    squares
        Sum of squared deviations within the two conditions together; shape (pairs,).
    df
        Evaluators in the two less 2; shape (pairs,).

    Returns
    -------
    list
        J(df) · difference / s, where s² = squares / df pools the variances of the two conditions
        alone. None where no score varies within either, or df is below 2: there, g has no
        expectation and J is not defined.
    """
    defined = (squares > 0) & (df >= 2)
    kept = df[defined]
    g = np.full(len(df), np.nan)
    g[defined] = (
        small_sample_correction(kept) * difference[defined] / np.sqrt(squares[defined] / kept)
    )
    return [float(value) if known else None for value, known in zip(g, defined, strict=True)]
