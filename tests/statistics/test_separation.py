"""When a win rate, the top and the ranking are known, however often one looks."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import beta

from hype.errors import InputError
from hype.statistics.separation import (
    BETS,
    CONCENTRATION,
    claims,
    evidence,
    interval,
    level_for,
    log_gamma,
    log_likelihood,
    separation,
    separation_by_evaluator,
)

TABLES = arrays.arrays(np.int64, (4, 4), elements=st.integers(0, 400)).map(
    lambda table: table * (1 - np.eye(4, dtype=np.int64))
)


def capital(won: int, lost: int, rate: float = 0.5) -> float:
    """What was won against a rate, by the package."""
    one, other = np.array(float(won)), np.array(float(lost))
    fair = float(evidence(won, lost)) - (won + lost) * math.log(2)
    return math.exp(fair - float(log_likelihood(one, other, np.array(rate))))


def integral(won: int, lost: int, rate: float = 0.5) -> float:
    """The same by adding up bets, which is what it means."""

    def bet(theta: float) -> float:
        odds = won * math.log(theta / rate) + lost * math.log((1 - theta) / (1 - rate))
        return float(math.exp(odds) * beta.pdf(theta, CONCENTRATION, CONCENTRATION))

    peak = (CONCENTRATION + won) / (2 * CONCENTRATION + won + lost)
    return float(quad(bet, 1e-9, 1 - 1e-9, points=[peak], limit=400)[0])


def one_sided(*pairs: tuple[int, int], conditions: int, votes: int = 400) -> np.ndarray:
    """Votes that all go to the first of each pair."""
    table = np.zeros((conditions, conditions))
    for winner, loser in pairs:
        table[winner, loser] = votes
    return table


@pytest.mark.parametrize("rate", [0.5, 0.3, 0.85])
@pytest.mark.parametrize("votes", [0, 1, 2, 7, 40])
def test_nobody_can_expect_to_win(votes: int, rate: float) -> None:
    expected = sum(
        math.comb(votes, won)
        * rate**won
        * (1 - rate) ** (votes - won)
        * capital(won, votes - won, rate)
        for won in range(votes + 1)
    )

    assert expected == pytest.approx(1, rel=1e-10)


@given(st.integers(0, 3000), st.integers(0, 3000), st.floats(0.01, 0.99))
def test_one_more_vote_leaves_the_capital_as_it_is_on_average(
    won: int, lost: int, rate: float
) -> None:
    def log_capital(more_won: int, more_lost: int) -> float:
        votes = np.array(float(won + more_won)), np.array(float(lost + more_lost))
        mixture = evidence(*votes) - sum(votes) * math.log(2)
        return float(mixture - log_likelihood(*votes, np.array(rate)))

    now = log_capital(0, 0)
    after = rate * math.exp(log_capital(1, 0) - now)
    after += (1 - rate) * math.exp(log_capital(0, 1) - now)

    assert after == pytest.approx(1, rel=1e-8)


@pytest.mark.parametrize(
    ("won", "lost", "rate"),
    [(0, 0, 0.5), (9, 3, 0.5), (70, 30, 0.5), (430, 348, 0.5), (5, 60, 0.2)],
)
def test_evidence_is_the_mean_over_bets(won: int, lost: int, rate: float) -> None:
    assert capital(won, lost, rate) == pytest.approx(integral(won, lost, rate), rel=1e-6)


@pytest.mark.parametrize(("won", "lost"), [(12, 3), (70, 30), (430, 348)])
def test_an_interval_ends_where_the_bets_have_won_enough(won: int, lost: int) -> None:
    mean = won / (won + lost)

    def excess(rate: float) -> float:
        return math.log(integral(won, lost, rate)) - math.log(1 / 0.05)

    expected = brentq(excess, mean / 4, mean), brentq(excess, mean, mean + 0.19)

    assert [float(end) for end in interval(won, lost, 0.05)] == pytest.approx(expected, abs=1e-6)


def test_an_interval_without_votes_says_nothing_and_one_sided_votes_keep_their_end() -> None:
    low, high = interval([0, 40, 0], [0, 0, 40], 0.05)

    assert low == pytest.approx([0, low[1], 0])
    assert high == pytest.approx([1, 1, 1 - low[1]])
    assert low[1] > 0.5


@pytest.mark.parametrize("rate", [0.5, 0.3])
def test_intervals_of_all_moments_together_hold_the_truth(rate: float) -> None:
    rng = np.random.default_rng(7)
    won = np.cumsum(rng.random((300, 400)) < rate, axis=1)
    votes = np.arange(1, 401)
    low, high = interval(won, votes - won, 0.2)
    missed = ((low > rate) | (high < rate)).any(axis=1).mean()

    assert 0.02 < missed < 0.2


def test_two_equal_models_are_told_apart_rarely_however_often_one_looks() -> None:
    chances, wrong = {0: 1.0}, 0.0
    for votes in range(1, 1001):
        after: dict[int, float] = {}
        for won, chance in chances.items():
            for more in (0, 1):
                after[won + more] = after.get(won + more, 0.0) + chance / 2
        places = np.array(sorted(after))
        out = places[evidence(places, votes - places) >= -math.log(0.05)]
        wrong += sum(after.pop(int(place)) for place in out)
        chances = after

    assert 0.02 < wrong < 0.05


@pytest.mark.parametrize(("last", "at_least"), [(0.0, 0.0), (-1.5, 0.1)])
def test_equal_models_have_no_top_though_pairs_are_chosen_to_make_one(
    last: float, at_least: float
) -> None:
    alpha, arenas = 0.4, 400
    rng = np.random.default_rng(3)
    strengths = np.array([0.0, 0.0, last])
    wins, arena = np.zeros((arenas, 3, 3)), np.arange(arenas)
    named = np.zeros(arenas, dtype=bool)
    for _ in range(600):
        known = claims(wins, level_for("top", alpha, 3))
        named |= (known.sum(axis=2) == 2).any(axis=1)
        ahead = np.sign(wins - wins.swapaxes(1, 2)) * evidence(wins, wins.swapaxes(1, 2))
        ahead = np.where(known | np.eye(3, dtype=bool), np.inf, ahead)
        hopeful = ahead.min(axis=2).argmax(axis=1)
        rival = ahead[arena, hopeful].argmin(axis=1)
        rate = 1 / (1 + np.exp(strengths[rival] - strengths[hopeful]))
        chosen = np.where(rng.random(arenas) < rate, (hopeful, rival), (rival, hopeful))
        wins[arena, chosen[0], chosen[1]] += 1

    assert at_least <= named.mean() < alpha


@pytest.mark.parametrize(
    ("goal", "conditions", "by_evaluator", "level"),
    [
        ("top", 2, False, 0.05),
        ("top", 3, False, 0.05 / 1.05),
        ("top", 200, False, 0.05 / 1.05),
        ("top", 5, True, 0.05 / 4),
        ("ranking", 2, False, 0.05),
        ("ranking", 5, False, 0.05 / 10),
        ("ranking", 5, True, 0.05 / 10),
    ],
)
def test_the_error_rate_is_shared_as_the_proofs_say(
    goal, conditions: int, by_evaluator: bool, level: float
) -> None:
    assert level_for(goal, 0.05, conditions, by_evaluator=by_evaluator) == pytest.approx(level)


def test_the_chances_that_each_condition_is_wrongly_the_top_add_up_to_alpha() -> None:
    level = level_for("top", 0.05, 5)

    assert sum(level**wrong_claims for wrong_claims in range(1, 200)) == pytest.approx(0.05)


def test_the_top_beats_every_other_one_itself() -> None:
    through_others = one_sided((0, 1), (1, 2), conditions=3)
    itself = one_sided((0, 1), (0, 2), conditions=3)

    assert separation(through_others, goal="top").top is None
    assert not separation(through_others, goal="top").reached
    assert separation(itself, goal="top").top == 0
    assert separation(itself, goal="top").reached
    assert separation(itself, goal="top").order is None


def test_a_ranking_is_known_through_neighbours() -> None:
    chain = one_sided((2, 0), (0, 3), (3, 1), conditions=4)
    found = separation(chain, goal="ranking")

    assert found.order == (2, 0, 3, 1)
    assert found.top == 2
    assert found.reached
    assert found.beats.sum() == 6


def test_a_ranking_with_a_gap_is_not_known_though_its_top_may_be() -> None:
    found = separation(one_sided((0, 1), (0, 2), conditions=3), goal="ranking")

    assert (found.order, found.top, found.reached) == (None, 0, False)


def test_a_circle_is_no_ranking() -> None:
    found = separation(one_sided((0, 1), (1, 2), (2, 0), conditions=3), goal="ranking")

    assert (found.order, found.top) == (None, None)


def test_a_claim_is_made_where_the_interval_leaves_out_one_half() -> None:
    won = np.arange(150, 260)
    for one in won:
        found = separation([[0, one], [400 - one, 0]], alpha=0.05)

        assert found.beats[0, 1] == (found.low[0, 1] > 0.5)
        assert found.beats[1, 0] == (found.high[0, 1] < 0.5)


@settings(max_examples=60)
@given(TABLES, st.permutations(range(4)), st.sampled_from(["top", "ranking"]))
def test_names_make_no_difference(table: np.ndarray, names: list[int], goal) -> None:
    found = separation(table, goal=goal)
    renamed = separation(table[np.ix_(names, names)], goal=goal)

    assert (renamed.beats == found.beats[np.ix_(names, names)]).all()
    assert renamed.low == pytest.approx(found.low[np.ix_(names, names)])
    assert renamed.top == (None if found.top is None else names.index(found.top))


@settings(max_examples=60)
@given(TABLES)
def test_turning_every_vote_round_turns_every_claim_round(table: np.ndarray) -> None:
    found, turned = separation(table, goal="ranking"), separation(table.T, goal="ranking")

    assert (turned.beats == found.beats.T).all()
    assert turned.low == pytest.approx(found.low.T)
    assert found.high == pytest.approx(1 - found.low.T)


@given(st.integers(0, 500), st.integers(0, 500), st.floats(0.001, 0.4))
def test_intervals_hold_what_was_seen_and_widen_with_confidence(
    won: int, lost: int, alpha: float
) -> None:
    (low, high), (lower, higher) = interval(won, lost, 2 * alpha), interval(won, lost, alpha)
    seen = won / (won + lost) if won + lost else 0.5

    assert lower <= low <= seen + 1e-9
    assert seen - 1e-9 <= high <= higher


def test_log_gamma_is_that_of_the_standard_library() -> None:
    values = np.concatenate([np.linspace(0.1, 40, 400), np.geomspace(40, 1e7, 100)])

    assert log_gamma(values) == pytest.approx(
        [math.lgamma(x) for x in values], rel=1e-12, abs=1e-11
    )


# Evaluators


def evaluators_capital(shares: Sequence[float]) -> float:
    """The mean over bets, written out."""
    won = [math.prod(2 * (x * bet + (1 - x) * (1 - bet)) for x in shares) for bet in BETS]
    return float(np.mean(won))


def told_apart(shares: list[float], alpha: float) -> bool:
    pairs = [(0, 1)] * len(shares)
    return separation_by_evaluator(pairs, shares, conditions=2, alpha=alpha).reached


@pytest.mark.parametrize("shares", [[1.0] * 7, [1.0] * 9, [0.8, 1, 0.7, 1, 0.9, 0.6, 1, 1, 1, 1]])
def test_evaluators_evidence_is_the_mean_over_bets(shares: list[float]) -> None:
    exactly = 1 / evaluators_capital(shares)

    assert told_apart(shares, min(exactly * 1.001, 0.999))
    assert not told_apart(shares, exactly * 0.999)


def test_nobody_can_expect_to_win_from_evaluators_who_balance() -> None:
    chances = {0.0: 0.25, 0.5: 0.25, 0.6: 0.25, 0.9: 0.25}
    series = list(itertools.product(chances, repeat=4))
    won = [math.prod(chances[x] for x in shares) * evaluators_capital(shares) for shares in series]

    assert sum(won) == pytest.approx(1, rel=1e-10)


def test_two_camps_are_no_majority_however_often_they_vote() -> None:
    camps = [1.0] * 8 + [0.0] * 4
    votes = np.array([[0, 50 * 8], [50 * 4, 0]])

    assert separation(votes).reached
    assert not told_apart(camps, 0.05)


def test_evaluators_who_agree_need_not_be_many() -> None:
    pairs = [(0, 1), (2, 0)] * 12
    found = separation_by_evaluator(pairs, [0.9, 0.1] * 12, conditions=3)

    assert found.top == 0
    assert not found.beats[1, 2]
    assert found.low[0, 1] > 0.5
    assert found.high[2, 0] < 0.5
    assert (found.low[1, 2], found.high[1, 2]) == (0, 1)


def test_evaluators_rows_come_in_any_order_and_either_way_round() -> None:
    rng = np.random.default_rng(5)
    pairs = np.array(list(itertools.combinations(range(4), 2)) * 9)
    shares = rng.integers(0, 6, len(pairs)) / 5
    found = separation_by_evaluator(pairs, shares, conditions=4, goal="ranking")
    order, turn = rng.permutation(len(pairs)), rng.random(len(pairs)) < 0.5
    again = separation_by_evaluator(
        np.where(turn[:, None], pairs[:, ::-1], pairs)[order],
        np.where(turn, 1 - shares, shares)[order],
        conditions=4,
        goal="ranking",
    )

    assert (again.beats == found.beats).all()
    assert again.low == pytest.approx(found.low)
    assert again.high == pytest.approx(found.high)


def test_evaluators_intervals_hold_the_mean_of_all_of_them() -> None:
    rng = np.random.default_rng(11)
    missed = 0
    for _ in range(60):
        shares = rng.beta(1.2, 0.8, 60)
        found = separation_by_evaluator([(0, 1)] * 60, shares, conditions=2, alpha=0.2)
        missed += not found.low[0, 1] <= 0.6 <= found.high[0, 1]

        assert found.low[0, 1] < shares.mean() < found.high[0, 1]
    assert missed < 12


def test_no_evaluators_say_nothing() -> None:
    found = separation_by_evaluator([], [], conditions=3)

    assert not found.beats.any()
    assert (found.low == 0).all()
    assert (found.high == 1).all()


# Bad input


@pytest.mark.parametrize(
    ("wins", "options", "message"),
    [
        ([[0, 1], [1, 0]], {"alpha": 0.0}, r"alpha: is 0.0; allowed are numbers between 0 and 1"),
        ([[0, 1], [1, 0]], {"alpha": 1.5}, r"alpha: is 1.5"),
        ([[0, 1], [1, 0]], {"goal": "bottom"}, r"goal: is 'bottom'; allowed are top, ranking"),
        ([[0]], {}, r"conditions: there is 1; a comparison takes two or more"),
        ([[0, 1, 2], [1, 0, 2]], {}, r"wins: has the shape \(2, 3\)"),
        ([[0, -1], [1, 0]], {}, "wins: holds what is no number of votes"),
        ([[0, math.nan], [1, 0]], {}, "wins: holds what is no number of votes"),
        ([[3, 1], [1, 0]], {}, "0 or more, 0 against itself"),
    ],
)
def test_what_cannot_be_used_is_refused(wins, options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        separation(wins, **options)


def test_a_share_is_a_share() -> None:
    with pytest.raises(InputError, match="shares: are not all between 0 and 1"):
        separation_by_evaluator([(0, 1)], [1.2], conditions=2)
