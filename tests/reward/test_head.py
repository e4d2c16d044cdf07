import numpy as np
import pytest
from made_tastes import tasted
from scipy.optimize import check_grad

from hype.reward.model import Training, best_head, loss_on
from hype.reward.votes import pairs_of
from hype.statistics.bradley_terry import fit_strengths
from hype.statistics.paired_counts import Counts
from hype.statistics.strengths import fit_davidson


def everybody(made):
    return pairs_of(made.votes)


def counts(votes):
    """Make single votes from the wins and ties of conditions."""
    won, tied = np.zeros((4, 4)), np.zeros((4, 4))
    sides = votes.condition[votes.first], votes.condition[votes.second], votes.verdict
    for one, other, verdict in zip(*sides, strict=True):
        if verdict:
            won[(one, other) if verdict > 0 else (other, one)] += 1
        else:
            tied[one, other] += 1
            tied[other, one] += 1
    return won, tied


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_the_slope_is_that_of_the_loss(ties):
    made = tasted(prompts=20, features=4, votes=300, ties=ties)
    training = Training(made.features, everybody(made))
    point = np.random.default_rng(1).normal(size=5) / 3

    def loss(point, which):
        return training.loss(point, 0.1)[which]

    assert check_grad(lambda p: loss(p, 0), lambda p: loss(p, 1), point) < 1e-6


@pytest.mark.parametrize("ties", [0.0, 0.25])
def test_what_made_an_image_as_its_features_gives_the_strengths_of_conditions(ties):
    made = tasted(votes=3000, ties=ties, seed=2)
    made_by = np.eye(4)[made.votes.condition]
    training = Training(made_by, everybody(made))
    trained = training.fit(1e-9)
    scores = trained.scores(np.eye(4))
    won, tied = counts(made.votes)
    if ties:
        strengths = fit_davidson(Counts(conditions=("a", "b", "c", "d"), wins=won, ties=tied))
        assert trained.log_nu == pytest.approx(strengths.log_nu, abs=1e-4)
    else:
        strengths = fit_strengths(won)

    assert scores - scores.mean() == pytest.approx(strengths.log_strengths, abs=1e-4)


def test_where_the_search_goes_along_axes_it_ends_where_it_ended():
    made = tasted(prompts=40, votes=800)
    training = Training(made.features, everybody(made))
    along = training.fit(0.01)
    training.axes = None
    plain = training.fit(0.01)

    assert along.steps < plain.steps
    assert along.weight == pytest.approx(plain.weight, abs=2e-3)


def test_a_feature_that_does_not_vary_gets_no_weight():
    made = tasted(prompts=20, features=3, votes=300)
    features = np.column_stack([made.features, np.full(len(made.features), 7.3)])
    training = Training(features, everybody(made))
    head = training.fit(0.1)

    assert head.weight[3] == 0
    assert (head.weight[:3] != 0).all()


def test_single_precision_ends_where_double_does(monkeypatch):
    made = tasted(prompts=60, votes=1500)
    heads = []
    for most, kind in ((10**9, np.float64), (0, np.float32)):
        monkeypatch.setattr("hype.reward.model.MOST_DOUBLES", most)
        training = Training(made.features.astype(kind), everybody(made))
        assert training.features.dtype == kind
        heads.append(training.fit(0.01).weight)

    assert heads[1] == pytest.approx(heads[0], abs=1e-3)


def test_the_penalty_is_the_one_that_validation_prompts_like_best():
    made, other = tasted(votes=300, features=40, seed=4), tasted(votes=3000, features=40, seed=4)
    training = Training(made.features, everybody(made))
    validation = other.features, everybody(other)
    fits = []
    best = best_head(training, validation, lambda: fits.append(1))
    losses = {p: loss_on(training.fit(p), *validation) for p in (10.0, 0.1, 1e-3, 1e-5)}

    assert loss_on(best, *validation) <= min(losses.values()) + 1e-4
    assert best.penalty in (1.0, 0.1)
    assert len(fits) < 8


def test_fewer_images_than_features_have_a_minimum_too():
    made = tasted(prompts=10, features=60, votes=400)
    training = Training(made.features, everybody(made))
    head = training.fit(0.1)
    point = np.append(np.divide(head.weight, training.scale), 0.0)

    assert np.abs(training.loss(point, 0.1)[1]).max() < 1e-4
