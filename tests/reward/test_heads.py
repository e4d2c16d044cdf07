from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from made_tastes import tasted
from scipy.optimize import check_grad

from hype.reward.heads import Training, along_penalties, loss_on, negative_log_likelihood
from hype.reward.votes import pairs_of
from hype.statistics.bradley_terry import fit_strengths
from hype.statistics.paired_counts import Counts
from hype.statistics.strengths import fit_davidson


def everybody(made):
    return pairs_of(made.votes, np.ones(made.votes.evaluators))


def counts(votes):
    """Wins and ties of conditions, one by one."""
    won, tied = np.zeros((4, 4)), np.zeros((4, 4))
    sides = votes.condition[votes.first], votes.condition[votes.second], votes.verdict
    for one, other, verdict in zip(*sides, strict=True):
        if verdict:
            won[(one, other) if verdict > 0 else (other, one)] += 1
        else:
            tied[one, other] += 1
            tied[other, one] += 1
    return won, tied


@pytest.mark.parametrize("hidden", [0, 3])
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_the_slope_is_that_of_the_loss(hidden, ties):
    made = tasted(prompts=20, features=4, votes=300, ties=ties)
    training = Training(made.features, everybody(made), hidden)
    rng = np.random.default_rng(1)
    point = training.start(rng) + rng.normal(size=training.start(rng).size) / 3

    def loss(point, which):
        return training.loss(point, 0.1, training.features, training.pairs)[which]

    assert check_grad(lambda p: loss(p, 0), lambda p: loss(p, 1), point) < 1e-6


@pytest.mark.parametrize("ties", [0.0, 0.25])
def test_what_made_an_image_as_its_features_gives_the_strengths_of_conditions(ties):
    made = tasted(votes=3000, ties=ties, seed=2)
    made_by = np.eye(4)[made.votes.condition]
    training = Training(made_by, everybody(made), 0)
    trained = training.fit(1e-9, training.start(np.random.default_rng(0)))
    scores = trained.head.scores(np.eye(4))
    won, tied = counts(made.votes)
    if ties:
        strengths = fit_davidson(Counts(conditions=("a", "b", "c", "d"), wins=won, ties=tied))
        assert trained.log_nu == pytest.approx(strengths.log_nu, abs=1e-4)
    else:
        strengths = fit_strengths(won)

    assert scores - scores.mean() == pytest.approx(strengths.log_strengths, abs=1e-4)


def test_kl_to_soft_labels_is_the_same_loss_but_for_what_no_score_changes():
    made = tasted(prompts=10, votes=400)
    pairs, rng = everybody(made), np.random.default_rng(3)
    number = pairs.for_one + pairs.for_other
    share = np.clip(pairs.for_one / number, 1e-12, 1 - 1e-12)

    def kl(ahead):
        one = 1 / (1 + np.exp(-ahead))
        each = share * np.log(share / one) + (1 - share) * np.log((1 - share) / (1 - one))
        return float(number @ each)

    either = [rng.normal(size=len(share)) for _ in range(2)]
    losses = [negative_log_likelihood(ahead, pairs, -np.inf)[0] for ahead in either]

    assert losses[0] - losses[1] == pytest.approx(kl(either[0]) - kl(either[1]))


def test_units_and_origins_of_features_do_not_matter():
    made = tasted(prompts=40, votes=800)
    other = made.features * np.logspace(-3, 3, 12) + np.logspace(0, 2, 12)
    scores = []
    for features in (made.features, other):
        training = Training(features, everybody(made), 0)
        trained = training.fit(0.01, training.start(np.random.default_rng(0)))
        found = trained.head.scores(features)
        scores.append(found - found.mean())

    assert scores[1] == pytest.approx(scores[0], abs=1e-4)


def test_where_the_search_goes_along_axes_it_ends_where_it_ended():
    made = tasted(prompts=40, votes=800)
    training = Training(made.features, everybody(made), 0)
    start = training.start(np.random.default_rng(0))
    along = training.fit(0.01, start)
    training.axes = None
    plain = training.fit(0.01, start)

    assert along.steps < plain.steps
    assert along.point == pytest.approx(plain.point, abs=2e-3)


def test_a_feature_that_does_not_vary_gets_no_weight():
    made = tasted(prompts=20, features=3, votes=300)
    features = np.column_stack([made.features, np.full(len(made.features), 7.3)])
    training = Training(features, everybody(made), 0)
    head = training.fit(0.1, training.start(np.random.default_rng(0))).head

    assert head.weights["weight"][3] == 0
    assert (head.weights["weight"][:3] != 0).all()


def test_single_precision_ends_where_double_does(monkeypatch):
    made = tasted(prompts=60, votes=1500)
    heads = []
    for most, kind in ((10**9, np.float64), (0, np.float32)):
        monkeypatch.setattr("hype.reward.heads.MOST_DOUBLES", most)
        training = Training(made.features.astype(kind), everybody(made), 0)
        assert training.features.dtype == kind
        heads.append(training.fit(0.01, training.start(np.random.default_rng(0))).point)

    assert heads[1] == pytest.approx(heads[0], abs=1e-3)


def test_the_penalty_is_the_one_that_validation_prompts_like_best():
    made, other = tasted(votes=300, features=40, seed=4), tasted(votes=3000, features=40, seed=4)
    training = Training(made.features, everybody(made), 0)
    validation = other.features, everybody(other)
    fits = []
    best = along_penalties(training, validation, np.random.SeedSequence(0), lambda: fits.append(1))
    start = training.start(np.random.default_rng(0))
    losses = {p: loss_on(training.fit(p, start), *validation) for p in (10.0, 0.1, 1e-3, 1e-5)}

    assert loss_on(best, *validation) <= min(losses.values()) + 1e-4
    assert best.penalty in (1.0, 0.1)
    assert len(fits) < 8


def test_a_hidden_layer_learns_what_no_line_can():
    rng = np.random.default_rng(5)
    made = tasted(prompts=100, features=2, votes=4000)
    x = rng.normal(size=made.features.shape)
    scores = 2 * np.abs(x[:, 0])
    ahead = scores[made.votes.first] - scores[made.votes.second]
    verdict = np.where(rng.random(len(ahead)) < 1 / (1 + np.exp(-ahead)), 1, -1)
    pairs = pairs_of(
        made.votes.of(np.ones(4000, dtype=bool)).__class__(
            **{**vars(made.votes), "verdict": verdict}
        ),
        np.ones(30),
    )
    right = []
    for hidden in (0, 6):
        training = Training(x, pairs, hidden)
        head = training.fit(1e-3, training.start(np.random.default_rng(0))).head
        right.append(
            float(
                (
                    np.sign(
                        np.diff(head.scores(x)[[made.votes.second, made.votes.first]], axis=0)[0]
                    )
                    == np.sign(ahead)
                ).mean()
            )
        )

    assert right[0] < 0.6
    assert right[1] > 0.9


def test_fewer_images_than_features_lead_to_the_same_scores_by_a_shorter_way(monkeypatch):
    made = tasted(prompts=10, features=60, votes=400)
    scores = []
    for reduce in (Training.reduce, lambda _: None):
        monkeypatch.setattr(Training, "reduce", reduce)
        training = Training(made.features, everybody(made), 0)
        head = training.fit(0.1, training.start(np.random.default_rng(0))).head
        shown = head.scores(made.features)
        scores.append(shown - shown.mean())

    assert training.features.shape[1] == 60
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)


def test_features_that_never_vary_give_equal_scores_also_where_they_are_many():
    made = tasted(prompts=5, votes=200)
    training = Training(np.full((20, 30), 7.0), everybody(made), 0)
    head = training.fit(0.1, training.start(np.random.default_rng(0))).head

    assert head.weights["weight"].tolist() == [0.0] * 30


@pytest.mark.parametrize("hidden", [0, 4])
def test_threads_and_blocks_of_images_change_little_and_threads_nothing(hidden, monkeypatch):
    made = tasted(prompts=60, votes=1500)
    points = {}
    for name, block, each in (("whole", 10_000, map), ("blocks", 50, map), ("threads", 50, None)):
        monkeypatch.setattr("hype.reward.heads.BLOCK", block)
        with ThreadPoolExecutor(3) as pool:
            training = Training(made.features, everybody(made), hidden, each or pool.map)
            start = training.start(np.random.default_rng(0))
            points[name] = training.fit(0.1, start).point

    assert points["threads"].tobytes() == points["blocks"].tobytes()
    assert points["blocks"] == pytest.approx(points["whole"], abs=1e-3)


def test_a_hidden_layer_learns_from_some_prompts_at_a_time(monkeypatch):
    made = tasted(prompts=100, votes=4000)
    monkeypatch.setattr("hype.reward.heads.IMAGES_A_STEP", 60)
    training = Training(made.features.astype(np.float32), everybody(made), 4)
    batches = training.batches(training.pairs, np.random.default_rng(0))
    seen = [next(batches) for _ in range(7)]
    head = training.fit(1e-3, training.start(np.random.default_rng(0))).head

    assert sum(len(images) for images, _ in seen) == len(training.features)
    assert sum(pairs.total for _, pairs in seen) == 4000
    assert np.corrcoef(head.scores(made.features), made.scores)[0, 1] > 0.97
