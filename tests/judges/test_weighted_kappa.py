from statistics import NormalDist

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from statsmodels.stats.inter_rater import cohens_kappa

from hype.judges.results import RowUnits, kappa_of, mean_error
from hype.statistics.agreement import weigh_names

ALONE = RowUnits(evaluator=None, item=None)


def test_the_interval_is_that_of_fleiss_where_rows_are_units():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 5, 200)
    b = np.where(rng.random(200) < 0.4, a, rng.integers(0, 5, 200))
    found, theirs = kappa_of(a, b, weigh_names(5), ALONE, 0.9), cohens_kappa(confusion_matrix(a, b))
    reach = NormalDist().inv_cdf(0.95) * theirs.std_kappa / (1 - theirs.kappa**2)
    ends = np.tanh(np.arctanh(theirs.kappa) + np.array([-reach, reach]))
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_two_ways_add_up_less_what_both_count():
    rng = np.random.default_rng(2)
    evaluator, item = np.repeat(np.arange(30), 20), np.tile(np.arange(20), 30)
    influence = rng.normal(size=30)[evaluator] + rng.normal(size=20)[item]
    influence -= influence.mean()
    both = mean_error(influence, RowUnits(evaluator=evaluator, item=item))
    assert both.standard == pytest.approx(np.sqrt(1 / 30 + 1 / 20), rel=0.35)
    assert both.freedom == 19
    assert both.variance > mean_error(influence, RowUnits(evaluator=evaluator)).variance
