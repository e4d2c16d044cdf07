import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from hype.statistics.agreement import kappas


def kappa(a, b) -> float:
    values = sorted({*a, *b})
    table = np.zeros((len(values), len(values)))
    for x, y in zip(a, b, strict=True):
        table[values.index(x), values.index(y)] += 1
    return float(kappas(table))


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ("AABABBAB", "ABBABAAB", 0.5),  # 6 of 8 agree; 4 are expected by chance
        ("ABAB", "ABAB", 1),
        ("ABAB", "BABA", -1),
        ("AAA", "BBB", 0),
    ],
)
def test_worked_examples(a, b, wanted):
    assert kappa(a, b) == wanted


def test_two_who_always_say_the_same_have_none():
    assert np.isnan(kappa("AAA", "AAA"))
    assert np.isnan(kappas(np.diag([3.0, 0, 0])))


def test_many_tables_at_once_against_statsmodels():
    tables = np.random.default_rng(1).integers(1, 30, size=(4, 5, 3, 3)).astype(float)
    theirs = [[cohens_kappa(table).kappa for table in row] for row in tables]
    assert kappas(tables) == pytest.approx(np.array(theirs), abs=1e-9)
