import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from hype.statistics.paired_counts import Counts, EvaluatorCounts
from hype.statistics.pairs import rule_of, step_down
from hype.statistics.strength_table import Certainty, StrengthTable, strength_table

PAIRS = np.triu_indices(20, 1)


def studied(
    rng: np.random.Generator,
    strengths: np.ndarray,
    people: int,
    each: int,
    prompts: int = 0,
    images: float = 0.0,
    tastes: float = 0.0,
) -> tuple[Counts, EvaluatorCounts]:
    """Draw comparisons of images of two conditions, with a random prompt each time."""
    size = len(strengths)
    first, second = np.triu_indices(size, 1)
    pair = rng.permutation(np.resize(np.arange(len(first)), people * each))
    a, b = first[pair], second[pair]
    prompt = rng.integers(max(1, prompts), size=len(pair))
    looks = strengths + images * rng.standard_normal((max(1, prompts), size))
    own = tastes * rng.standard_normal((people, size))
    who = np.repeat(np.arange(people), each)
    away = looks[prompt, a] - looks[prompt, b] + own[who, a] - own[who, b]
    won = rng.random(len(pair)) < 1 / (1 + np.exp(-away))
    chosen, other = np.where(won, a, b), np.where(won, b, a)
    wins = np.zeros((size, size))
    np.add.at(wins, (chosen, other), 1)
    names = tuple(f"m{place:02d}" for place in range(size))
    counts = Counts(conditions=names, wins=wins, ties=np.zeros_like(wins))
    return counts, EvaluatorCounts(
        conditions=names,
        evaluators=people,
        evaluator=who,
        chosen=chosen,
        other=other,
        tied=np.zeros(len(pair), dtype=bool),
        items=prompt if prompts else None,
    )


def separable(table: StrengthTable) -> list[tuple[str, str]]:
    return [(pair.a, pair.b) for pair in table.differences if pair.verdict == "separable"]


def test_differences_have_the_errors_of_statsmodels(rng):
    counts, answers = studied(rng, np.array([0.6, 0.2, -0.2, -0.6]), people=400, each=6, tastes=1.0)
    table = strength_table(counts, answers, ties="half")
    design = np.eye(4)[answers.chosen] - np.eye(4)[answers.other]
    turned = rng.random(len(design)) < 0.5
    design[turned] *= -1
    import statsmodels.api as sm  # here, since few test processes need it

    model = sm.GLM(1.0 - turned, design[:, 1:], family=sm.families.Binomial())
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": answers.evaluator})
    for pair in table.differences:
        contrast = np.eye(4)[int(pair.a[1:])] - np.eye(4)[int(pair.b[1:])]
        theirs = fitted.t_test(contrast[1:])
        assert pair.difference.value == pytest.approx(float(theirs.effect[0]), abs=1e-6)
        assert pair.standard == pytest.approx(float(theirs.sd[0, 0]), rel=0.01)
        assert pair.p == pytest.approx(float(theirs.pvalue), abs=0.01)


def of_mean_0(size: int) -> np.ndarray:
    """Return the covariance of independent estimates minus their mean."""
    return np.eye(size) - 1 / size


@pytest.mark.parametrize("size", [2, 3, 6])
def test_of_equal_errors_the_smallest_p_is_tukeys(size):
    number = size * (size - 1) // 2
    for z in (1.5, 2.5, 3.2):
        p = np.full(number, 0.9)
        p[0] = 2 * stats.norm.sf(z)
        tukey = stats.studentized_range.sf(np.sqrt(2) * z, size, 1e5)
        assert step_down(p, of_mean_0(size))[0] == pytest.approx(tukey, rel=0.03)


def test_it_finds_what_holms_rule_does_and_more(rng):
    p = np.sort(10 ** rng.uniform(-6, 0, size=len(PAIRS[0])))
    ours, holm = step_down(p, of_mean_0(20)), multipletests(p, method="holm")[1]
    assert (ours <= holm + 0.005).all()
    assert (np.diff(ours) >= 0).all()
    assert (ours < 0.05).sum() >= (holm < 0.05).sum()
    assert np.array_equal(ours, step_down(p, of_mean_0(20)))


@pytest.mark.parametrize(
    ("people", "items", "conditions", "rule"),
    [
        (9, None, 3, "holm"),
        (10, None, 3, "max-t"),
        (10, None, 10, "holm"),
        (40, 19, 3, "holm"),
        (40, 20, 3, "max-t"),
        (40, 20, 12, "holm"),
        (24, 24, 12, "max-t"),
    ],
)
def test_few_people_or_prompts_tell_no_correlations(people, items, conditions, rule):
    assert rule_of(people, items, conditions) == rule


def test_twenty_models_are_ranked(rng):
    """Tests of win rates with Holm's rule would separate only 1 of the 190 pairs."""
    strengths = np.linspace(2, -2, 20)
    table = strength_table(*studied(rng, strengths, people=100, each=30), ties="half")
    found = separable(table)
    assert len(found) >= 125
    assert all(a < b for a, b in found)


def test_equivalent_is_what_lies_within_the_margin(rng):
    counts, answers = studied(rng, np.zeros(3), people=300, each=30)
    table = strength_table(counts, answers, ties="half", certainty=Certainty(margin=0.1))
    assert {pair.verdict for pair in table.differences} == {"equivalent"}
    assert all(pair.p_equivalent < 0.05 for pair in table.differences)
