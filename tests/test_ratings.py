"""Ratings: closed forms, two independent ways to the maximum, known weights, infinite ones."""

import math

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ghostsim.ratings import (
    RATING_POINTS,
    RatingError,
    fit_luce,
    luce_chances,
    luce_influence,
    rate,
)

pytestmark = [pytest.mark.jit_off]

#: All tables of three of four players, and two that hold one of them twice.
SEATS = np.array(
    [[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1], [2, 1, 0, 0], [0, 0, 1, 2]]
)


def won_by_all(draw: st.DrawFn) -> NDArray[np.int64]:
    wins = np.array(draw(st.lists(st.integers(1, 10_000), min_size=24, max_size=24)))
    return np.where(SEATS > 0, wins.reshape(SEATS.shape), 0)


wins_of_all = st.composite(won_by_all)()


def by_rounds(seats: NDArray[np.int64], wins: NDArray[np.int64], rounds: int) -> list[float]:
    """Hunter's MM (2004), written out: wins over the sum of games over the weight at the table."""
    weights = [1.0] * len(seats[0])
    for _ in range(rounds):
        below = [0.0] * len(weights)
        for held, won in zip(seats.tolist(), wins.tolist(), strict=True):
            at_table = sum(n * w for n, w in zip(held, weights, strict=True))
            for i, n in enumerate(held):
                below[i] += sum(won) * n / at_table
        weights = [total / b for total, b in zip(wins.sum(axis=0).tolist(), below, strict=True)]
        weights = [w / sum(weights) for w in weights]
    logs = [math.log(w) for w in weights]
    return [value - sum(logs) / len(logs) for value in logs]


def test_two_at_a_table_is_bradley_and_terry() -> None:
    weights = fit_luce([[1, 1]], [[30, 10]])
    assert weights[0] - weights[1] == pytest.approx(math.log(3), abs=1e-12)
    assert weights.sum() == pytest.approx(0, abs=1e-12)


def test_one_against_two_of_the_other() -> None:
    # At A A B a weight of w makes A win 2w of 2w + 1 games: 80 of 100 are w = 2.
    weights = fit_luce([[2, 1]], [[80, 20]])
    assert weights[0] - weights[1] == pytest.approx(math.log(2), abs=1e-12)


def test_three_by_their_shares() -> None:
    weights = fit_luce([[1, 1, 1]], [[500, 300, 200]])
    assert np.exp(weights - weights[2]) == pytest.approx([2.5, 1.5, 1])


def test_both_tables_of_two() -> None:
    # A wins 2 of 6 at A A B and 1 of 6 at A B B. 6 * 2w/(2w + 1) + 6 * w/(w + 2) = 3 gives
    # 6 w^2 + 5 w - 2 = 0.
    weights = fit_luce([[2, 1], [1, 2]], [[2, 4], [1, 5]])
    assert math.exp(weights[0] - weights[1]) == pytest.approx((math.sqrt(73) - 5) / 12)


@given(wins_of_all)
def test_each_wins_as_often_as_expected(wins: NDArray[np.int64]) -> None:
    weights = fit_luce(SEATS, wins)
    expected = (luce_chances(SEATS, weights) * wins.sum(axis=1, keepdims=True)).sum(axis=0)
    assert expected == pytest.approx(wins.sum(axis=0), rel=1e-9)


@given(wins_of_all)
def test_rounds_of_re_weighting_come_to_the_same(wins: NDArray[np.int64]) -> None:
    assert fit_luce(SEATS, wins) == pytest.approx(by_rounds(SEATS, wins, 1_000), abs=1e-6)


def test_an_optimiser_comes_to_the_same() -> None:
    words = np.random.default_rng(5)
    wins = np.where(SEATS > 0, words.integers(1, 200, SEATS.shape), 0)

    def unlikely(logs: NDArray[np.float64]) -> float:
        total = 0.0
        for held, won in zip(SEATS, wins, strict=True):
            shares = held * np.exp(logs) / (held * np.exp(logs)).sum()
            total -= (won[held > 0] * np.log(shares[held > 0])).sum()
        return total

    found = scipy.optimize.minimize(unlikely, np.zeros(4), method="BFGS", tol=1e-8).x
    assert fit_luce(SEATS, wins) == pytest.approx(found - found.mean(), abs=1e-5)


def test_groups_that_hardly_ever_beat_each_other() -> None:
    # Two strong and two weak players, who play among themselves and only once win across.
    seats = [[2, 1, 0, 0], [0, 0, 2, 1], [1, 0, 1, 1]]
    wins = [[500_000, 500_000, 0, 0], [0, 0, 600_000, 300_000], [99_999, 0, 1, 0]]
    weights = fit_luce(seats, wins)
    # A seat of the first wins half as often as the one seat of the second; two seats of the
    # third twice as often as the one of the fourth, so equal; and across 1 to 99,999 between
    # the first and both others, who together weigh twice the third.
    differences = [weights[0] - weights[1], weights[2] - weights[3], weights[0] - weights[2]]
    assert differences[0] == pytest.approx(-math.log(2), abs=1e-4)
    assert differences[1] == pytest.approx(0, abs=1e-4)
    assert differences[2] == pytest.approx(math.log(2 * 99_999), abs=1e-3)


def test_known_weights_are_found_within_their_intervals() -> None:
    weights = np.array([4.0, 2.0, 1.0, 0.5])
    ratings = 400 * np.log10(weights) - (400 * np.log10(weights)).mean()
    words = np.random.default_rng(3)
    missed = 0
    shares = SEATS * weights / (SEATS * weights).sum(axis=1, keepdims=True)
    for _ in range(200):
        # 100 groups of 5 games at each table.
        wins = np.array([[words.multinomial(5, share) for share in shares] for _ in range(100)])
        found = rate(SEATS, wins, n=100, level=0.95, model="m")
        for estimate, right in zip(found, ratings, strict=True):
            assert estimate is not None
            assert abs(estimate.standard_errors_from(right)) < 5
            missed += not estimate.contains(right)
    # 40 of 800 would be right. The four of a sample hang together: as if there were 200.
    assert 15 <= missed <= 75


def test_the_error_is_that_of_groups() -> None:
    # The same outcomes ten times over in each group tell nothing new.
    words = np.random.default_rng(4)
    wins = np.where(SEATS > 0, words.integers(0, 5, (50, *SEATS.shape)), 0)
    once = rate(SEATS, wins, n=50, level=0.95, model="m")
    often = rate(SEATS, 10 * wins, n=50, level=0.95, model="m")
    for a, b in zip(once, often, strict=True):
        assert a is not None and b is not None
        assert (a.value, a.standard_error) == pytest.approx((b.value, b.standard_error))


def test_the_influence_is_what_leaving_a_group_out_does() -> None:
    words = np.random.default_rng(6)
    wins = np.where(SEATS > 0, words.integers(5, 15, (400, *SEATS.shape)), 0)
    weights = fit_luce(SEATS, wins.sum(axis=0))
    moved = luce_influence(SEATS, wins, weights)
    assert moved.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-9)
    for group in range(5):
        without = fit_luce(SEATS, wins.sum(axis=0) - wins[group])
        assert weights - without == pytest.approx(moved[group], abs=2e-5)


def test_players_may_come_in_any_order() -> None:
    words = np.random.default_rng(7)
    wins = np.where(SEATS > 0, words.integers(1, 50, SEATS.shape), 0)
    order = [2, 0, 3, 1]
    assert fit_luce(SEATS[:, order], wins[:, order]) == pytest.approx(fit_luce(SEATS, wins)[order])


# --------------------------------------------------------------------------------- infinite ratings


def test_who_never_wins_is_infinitely_far_below() -> None:
    weights = fit_luce([[1, 1, 1]], [[60, 20, 0]])
    assert weights.tolist() == pytest.approx([math.log(3) / 2, -math.log(3) / 2, -math.inf])


def test_who_always_wins_is_infinitely_far_above() -> None:
    seats, wins = [[1, 1, 1, 0], [0, 1, 1, 1]], [[50, 0, 0, 0], [0, 20, 20, 10]]
    weights = fit_luce(seats, wins)
    assert weights[0] == math.inf
    # The others by the table without him: weights as 2, 2, 1.
    assert np.exp(weights[1:] - weights[3]) == pytest.approx([2, 2, 1])
    assert weights[1:].sum() == pytest.approx(0)


def test_beaten_through_others() -> None:
    # The last only beats the third, who never beats the first two.
    seats = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    wins = [[5, 5, 0, 0], [0, 9, 0, 0], [0, 0, 4, 4]]
    assert fit_luce(seats, wins).tolist() == [0, 0, -math.inf, -math.inf]


def test_who_never_met_cannot_be_compared() -> None:
    weights = fit_luce([[1, 1, 0, 0], [0, 0, 1, 1]], [[6, 6, 0, 0], [0, 0, 4, 4]])
    assert weights[:2].tolist() == [0, 0]  # of equal groups the one with more wins
    assert np.isnan(weights[2:]).all()
    assert np.isnan(fit_luce([[1, 1, 1]], [[0, 0, 0]])).all()


def test_infinite_ratings_have_no_interval() -> None:
    wins = np.array([[[3, 1, 0, 0]], [[2, 2, 0, 0]]])
    found = rate([[1, 1, 1, 0]], wins, n=2, level=0.9, model="m")
    assert found[2] is not None and found[3] is None
    assert (found[2].value, found[2].low, found[2].high) == (-math.inf, -math.inf, math.inf)
    # 5 to 3, and their mean is 0.
    assert found[0] is not None
    assert found[0].value == pytest.approx(200 * math.log10(5 / 3))


def test_no_game_won_by_anybody() -> None:
    none = np.zeros((3, 1, 3), dtype=np.int64)
    assert rate([[1, 1, 1]], none, n=3, level=0.9, model="m") == (None, None, None)


def test_chances_with_infinite_weights() -> None:
    weights = [math.inf, 0.0, math.log(3), -math.inf, -math.inf, math.nan]
    seats = [
        [1, 1, 1, 0, 0, 0],
        [0, 2, 1, 0, 0, 0],
        [0, 1, 0, 1, 1, 0],
        [0, 0, 0, 1, 2, 0],
        [0, 1, 1, 0, 0, 1],
        [0, 0, 0, 0, 0, 0],
    ]
    chances = luce_chances(seats, weights)
    assert chances[0].tolist() == [1, 0, 0, 0, 0, 0]
    assert chances[1].tolist() == pytest.approx([0, 0.4, 0.6, 0, 0, 0])
    assert chances[2].tolist() == [0, 1, 0, 0, 0, 0]
    assert np.isnan(chances[3, 3:5]).all() and np.isnan(chances[4, [1, 2, 5]]).all()
    assert chances[5].tolist() == [0] * 6


def test_400_points_are_ten_times_the_chance() -> None:
    assert math.log(10) * RATING_POINTS == pytest.approx(400)


@pytest.mark.parametrize(
    ("seats", "wins", "message"),
    [
        ([[1, 1]], [[1, 1, 1]], r"must both be \(tables, players\), not \(1, 2\) and \(1, 3\)"),
        ([1, 1], [1, 1], r"must both be"),
        ([[1, -1]], [[1, 0]], "must not be negative"),
        ([[2, 1], [2, 0]], [[1, 1], [0, 3]], "player 1 won at table 1, where it has no seat"),
    ],
)
def test_games_that_are_none(seats: list[list[int]], wins: list[list[int]], message: str) -> None:
    with pytest.raises(RatingError, match=message):
        fit_luce(seats, wins)


def test_whole_numbers_only() -> None:
    with pytest.raises(TypeError, match="must be whole numbers, not int64 and float64"):
        fit_luce([[1, 1]], [[0.5, 1.5]])
