import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from hype.statistics.crossed import Crossed
from hype.statistics.proportions import estimate_shares


def of_means(values, estimates, people, items=None) -> Crossed:
    """Return crossed samples in which each estimate is the mean of its values."""
    sizes, rows = np.bincount(estimates), np.arange(len(values))
    means = np.bincount(estimates, values) / sizes
    shape = len(values), len(sizes)
    terms = csr_array(
        ((values - means[estimates]) / sizes[estimates], (rows, estimates)), shape=shape
    )
    weights = csr_array((1 / sizes[estimates], (rows, estimates)), shape=shape)
    return Crossed(terms, weights, people, items)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_people_of_one_condition_each_make_welchs_test(rng):
    values, estimates = rng.normal(size=20), np.repeat([0, 1], [8, 12])
    error = of_means(values, estimates, np.arange(20)).error_of_difference(0, 1)

    a, b = values[:8], values[8:]
    welch = stats.ttest_ind(a, b, equal_var=False)
    assert (a.mean() - b.mean()) / error.standard == pytest.approx(welch.statistic)
    assert error.freedom == pytest.approx(welch.df)


def test_people_of_both_conditions_make_the_paired_test(rng):
    a, b = rng.normal(size=(2, 9))
    people, estimates = np.tile(np.arange(9), 2), np.repeat([0, 1], 9)
    error = of_means(np.append(a, b), estimates, people).error_of_difference(0, 1)

    paired = stats.ttest_rel(a, b)
    assert (a.mean() - b.mean()) / error.standard == pytest.approx(paired.statistic)
    assert error.freedom == pytest.approx(8)


def test_a_mean_has_students_interval(rng):
    values = rng.normal(size=6)
    error = of_means(values, np.zeros(6, int), np.arange(6)).error(0)

    low, _ = stats.t.interval(0.95, 5, values.mean(), stats.sem(values))
    assert values.mean() - error.reach(0.95) == pytest.approx(low)


def test_images_that_one_person_saw_each_add_nothing(rng):
    values, people = rng.normal(size=40), np.repeat(np.arange(8), 5)
    estimates = np.zeros(40, int)

    with_items = of_means(values, estimates, people, np.arange(40)).error(0)
    without = of_means(values, estimates, people).error(0)
    assert with_items.variance == pytest.approx(without.variance, rel=1e-12)
    assert with_items.freedom == pytest.approx(without.freedom, rel=1e-12)


@pytest.mark.parametrize("two", [False, True], ids=["about one item", "about two"])
def test_pairs_of_answers_that_share_a_person_or_an_item_count_once(rng, two):
    n = 60
    people = rng.integers(5, size=n)
    items = np.array([rng.permutation(8)[:2] for _ in range(n)]) if two else rng.integers(8, size=n)
    terms = rng.normal(size=(n, 2)) + 0.3 * people[:, None] + 0.5 * items.reshape(n, -1)[:, [0]]
    hardly = csr_array(np.full((n, 2), 1e-9))  # these weights set no lower bound

    parts = [items[:, place] for place in (0, 1)] if two else [items]
    about = np.any([a[:, None] == b for a in parts for b in parts], axis=0)
    same = people[:, None] == people
    of_people = terms.T @ same @ terms
    of_items = terms.T @ (about & ~same) @ terms
    inverse = rng.normal(size=(2, 2))
    crossed = Crossed(csr_array(terms), hardly, people, items, inverse=inverse)
    expected = inverse[:, 1] @ (of_people + np.maximum(of_items, 0)) @ inverse[:, 1]
    assert (of_items > 0).all()
    assert crossed.error(1).variance == pytest.approx(expected)
    signs = inverse @ [1, -1]
    added = max(0.0, signs @ of_items @ signs)
    assert crossed.error_of_difference(0, 1).variance == pytest.approx(
        signs @ of_people @ signs + added
    )


@pytest.mark.parametrize(("people", "tastes", "looks"), [(12, 0.5, 0.5), (3, 0.1, 1.0)])
def test_the_error_is_that_of_other_people_and_other_images(rng, people, tastes, looks):
    """This is also true for three people who see the same images."""
    images, studies = 15, 80
    person, image = (np.repeat(np.arange(people), images), np.tile(np.arange(images), people))
    means, variances = [], []
    for _ in range(studies):
        values = (
            tastes * rng.normal(size=people)[person]
            + looks * rng.normal(size=images)[image]
            + rng.normal(size=len(person))
        )
        means.append(values.mean())
        variances.append(of_means(values, np.zeros_like(person), person, image).error(0).variance)

    assert np.mean(variances) == pytest.approx(np.var(means), rel=0.35)
    expected = tastes**2 / people + looks**2 / images + 1 / (people * images)
    assert np.mean(variances) == pytest.approx(expected, rel=0.1)


def test_the_fewer_count_by_their_share_among_degrees_of_freedom(rng):
    """For three people, or five items, the quantile is nearly an average of both quantiles."""
    for number, of_items in ((3, 40), (40, 5)):
        people, items = np.repeat(np.arange(number), of_items), np.tile(np.arange(of_items), number)
        values = rng.normal(size=of_items)[items] + 0.5 * rng.normal(size=len(items))
        error = of_means(values, np.zeros_like(items), people, items).error(0)

        few, many = sorted((number - 1, of_items - 1))
        fewer = people if number < of_items else items
        left = values - values.mean()
        own = np.square(np.bincount(fewer, left) / len(left)).sum() * (few + 1) / few
        if number > of_items:  # all people saw all items
            own *= number / (number - 1)
        share = min(1.0, own / error.variance)
        assert 1 / error.freedom == pytest.approx(share / few + (1 - share) / many)
        quantiles = stats.t.ppf(0.975, [few, many, error.freedom])
        assert quantiles[2] == pytest.approx(quantiles[:2] @ [share, 1 - share], rel=0.2)


def test_items_that_are_alike_by_chance_have_no_more_degrees_of_freedom_than_they_are(rng):
    """Five items add nothing to the error, but their sum of squares is as large as people's."""
    people, items = np.repeat(np.arange(30), 5), np.tile(np.arange(5), 30)
    values = rng.normal(size=150)
    values -= (np.bincount(items, values) / 30)[items]
    values += 0.02 * rng.permutation(5)[items]
    error = of_means(values, np.zeros(150, int), people, items).error(0)
    assert error.of_items == 0
    assert 4 <= error.freedom < 29


def test_no_interval_is_narrower_than_of_independent_answers(rng):
    values = np.tile([0.0, 1.0, 1.0], 2)  # two people who are equal by chance
    people = np.repeat([0, 1], 3)
    terms, weights = (
        csr_array((values - 2 / 3)[:, np.newaxis] / 6),
        csr_array(np.full((6, 1), 1 / 6)),
    )
    free, bounded = (Crossed(terms, weights, people, bounded=how).error(0) for how in (False, True))

    assert free.reach(0.95) == pytest.approx(0, abs=1e-12)
    assert bounded.reach(0.95) == pytest.approx(1.96 * np.std(values) / np.sqrt(6), rel=1e-3)


def test_an_average_of_means_varies_as_the_mean_of_as_many_answers_each(rng):
    people, cell = np.tile(np.arange(10), 4), np.repeat([0, 1, 2, 3], 10)
    items, values = np.tile(np.repeat([0, 1], 5), 4), rng.normal(size=40)
    sides = np.array([[0.5, 0], [0.5, 0], [0, 0.5], [0, 0.5]])
    averaged = of_means(values, cell, people, items).average(sides)
    centred = values - np.array([values[cell == each].mean() for each in range(4)])[cell]
    direct = of_means(centred, cell // 2, people, items)

    for ours, theirs in (
        (averaged.error(1), direct.error(1)),
        (averaged.error_of_difference(0, 1), direct.error_of_difference(0, 1)),
    ):
        assert ours.freedom == pytest.approx(theirs.freedom)
        assert ours.variance == pytest.approx(theirs.variance)


@pytest.mark.parametrize(("people", "shows"), [(2, False), (3, True)])
def test_two_people_who_are_alike_by_chance_show_nothing(people, shows):
    """Each person chooses the first in 9 of 10; independent comparisons would show a preference."""
    person = np.repeat(np.arange(people), 10)
    points = np.where(np.arange(len(person)) % 10, 1.0, 0.0)
    (share,) = estimate_shares(np.zeros_like(person), points, person, None, groups=1)

    interval = share.estimate(0.95)
    assert (interval.low > 0.5) is shows
