import numpy as np
import pytest
from scipy import special

from hype.statistics.anova import eta_squared, hedges_g, omega_squared


def squares(values):
    return ((values - values.mean()) ** 2).sum()


def one_g(x, y):
    (g,) = hedges_g(
        np.array([x.mean() - y.mean()]),
        np.array([squares(x) + squares(y)]),
        np.array([len(x) + len(y) - 2.0]),
    )
    return g


def test_shares_by_hand():
    # Means 2, 4, 9 of two scores each: sums of squares 52 between (df 2) and 6 within (df 3).
    assert eta_squared(between=52, within=6) == pytest.approx(52 / 58)
    assert omega_squared(between=52, within=6, df_between=2, df_within=3) == pytest.approx(48 / 60)


def test_pingouin_agrees_on_g(rng):
    import pingouin

    # pingouin corrects by 1 - 3/(4 df - 1), we by the exact ratio.
    x, y = rng.normal(3, 1, 30), rng.normal(2, 2, 21)
    theirs = pingouin.compute_effsize(x, y, eftype="hedges")
    assert one_g(x, y) == pytest.approx(theirs, rel=2e-5)
    exact = theirs / (1 - 3 / (4 * 49 - 1)) * special.poch(24, 0.5) / np.sqrt(24.5)
    assert one_g(x, y) == pytest.approx(exact, rel=1e-12)


def test_g_is_none_where_undefined():
    found = hedges_g(np.array([1.0, 1.0, -1.0]), np.array([0.0, 2.0, 2.0]), np.array([8.0, 1.0, 2]))
    assert found == [None, None, pytest.approx(-1 / np.sqrt(np.pi))]
