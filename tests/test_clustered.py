"""Estimates from groups: small ones by hand, larger ones by textbook formulas and by repetition."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from ghostsim.clustered import (
    clustered_error,
    estimate_from,
    ratio_influence,
    ratio_of_groups,
    share_of_groups,
)
from ghostsim.stats import Estimate, EstimateError

pytestmark = [pytest.mark.jit_off]

ABOUT = {"level": 0.95, "model": "m"}
pairs = st.lists(st.tuples(st.integers(-100, 100), st.integers(1, 100)), min_size=2, max_size=60)


def test_a_ratio_by_hand() -> None:
    # 6 over 3, so 2; the groups are at 1 - 2 and 5 - 4 of it, a third of that each. Two of
    # them: twice the squares, 2 * (1/9 + 1/9).
    estimate = ratio_of_groups([1, 5], [1, 2], n=7, **ABOUT)  # type: ignore[arg-type]
    assert estimate.value == 2
    assert estimate.standard_error == pytest.approx(2 / 3)
    assert estimate.high - 2 == pytest.approx(2 - estimate.low)
    assert estimate.high == pytest.approx(2 + 1.959963984540054 * 2 / 3)
    assert (estimate.n, estimate.level, estimate.model) == (7, 0.95, "m")
    assert estimate.method == "clustered normal"
    assert isinstance(estimate, Estimate)
    assert "7 sets of cards" in str(estimate)


@given(pairs)
def test_the_error_of_a_ratio_is_that_of_the_textbook(rows: list[tuple[int, int]]) -> None:
    tops, bottoms = (list(column) for column in zip(*rows, strict=True))
    estimate = ratio_of_groups(tops, bottoms, n=len(rows), **ABOUT)  # type: ignore[arg-type]
    a, b, n = np.array(tops), np.array(bottoms), len(rows)
    # Cochran 1977, 6.4: the sample variance of the residuals, over n times the mean below.
    residuals = a - a.sum() / b.sum() * b
    expected = math.sqrt((residuals**2).sum() / (n - 1) / n) / b.mean()
    assert estimate.standard_error == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert math.fsum(ratio_influence(tops, bottoms)) == pytest.approx(0, abs=1e-9)


def test_groups_that_are_alike_have_no_scatter_at_all() -> None:
    # 1/3 has no end in base two; in whole numbers nothing is left over.
    for error in (
        ratio_of_groups([2, 4, 8], [6, 12, 24], n=3, **ABOUT).standard_error,  # type: ignore[arg-type]
        share_of_groups([2, 4, 8], [6, 12, 24], n=3, **ABOUT).standard_error,  # type: ignore[arg-type]
    ):
        assert error == 0
    same = share_of_groups([2, 4], [6, 12], n=2, **ABOUT)  # type: ignore[arg-type]
    assert same.low == same.high == same.value


def test_the_same_games_again_tell_nothing_new() -> None:
    # Each set of cards played ten times over, with the same outcome: ten times the games, the
    # same error. Taken for independent they would have an error smaller by sqrt(10).
    won = [1, 0, 0, 1, 1, 0, 1, 0]
    once = share_of_groups(won, [1] * 8, n=8, **ABOUT)  # type: ignore[arg-type]
    often = share_of_groups([10 * w for w in won], [10] * 8, n=8, **ABOUT)  # type: ignore[arg-type]
    assert once == often


def test_a_share_of_single_games_is_wilsons() -> None:
    won = [1] * 300 + [0] * 700
    estimate = share_of_groups(won, [1] * 1000, n=1000, **ABOUT)  # type: ignore[arg-type]
    expected = scipy.stats.binomtest(300, 1000).proportion_ci(0.95, method="wilson")
    assert [estimate.low, estimate.high] == pytest.approx([*expected], abs=3e-5)
    assert estimate.method == "clustered Wilson"


@pytest.mark.parametrize("won", [0, 3])
def test_a_share_of_none_or_all_counts_each_set_once(won: int) -> None:
    estimate = share_of_groups([won] * 50, [3] * 50, n=50, **ABOUT)  # type: ignore[arg-type]
    # Not the interval of 150 independent games, but of 50.
    expected = scipy.stats.binomtest(50 * won // 3, 50).proportion_ci(0.95, method="wilson")
    assert [estimate.low, estimate.high] == pytest.approx([*expected])


@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=30),
    st.floats(0.5, 0.999),
)
def test_a_share_stays_a_share(won: list[int], level: float) -> None:
    estimate = share_of_groups(won, [6] * len(won), n=len(won), level=level, model="m")
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


def test_intervals_hold_what_they_promise() -> None:
    # 60 sets of cards, six games each that hang together: half of the sets favour the seat.
    words = np.random.default_rng(1)
    missed = {"share": 0, "ratio": 0}
    for _ in range(1000):
        chance = np.where(words.random(60) < 0.5, 0.55, 0.05)
        won = words.binomial(6, chance).tolist()
        share = share_of_groups(won, [6] * 60, n=60, **ABOUT)  # type: ignore[arg-type]
        ratio = ratio_of_groups(won, [6] * 60, n=60, **ABOUT)  # type: ignore[arg-type]
        missed["share"] += not share.contains(0.3)
        missed["ratio"] += not ratio.contains(0.3)
    # 50 of 1000 would be right; three standard errors are 21.
    assert 29 <= missed["share"] <= 71
    assert 29 <= missed["ratio"] <= 75


def test_what_cannot_be_estimated() -> None:
    with pytest.raises(EstimateError, match="two groups or more, not 1"):
        clustered_error([0.0])
    with pytest.raises(EstimateError, match="denominators are all 0"):
        ratio_influence([0, 0], [0, 0])
    with pytest.raises(EstimateError, match="level must be"):
        estimate_from(1.0, [0.5, -0.5], n=2, level=1.0, model="m")


def test_estimates_are_equal_by_value() -> None:
    one = estimate_from(1.0, [0.5, -0.5], n=2, level=0.9, model="m")
    assert one == estimate_from(1.0, [0.5, -0.5], n=2, level=0.9, model="m")
    assert type(one) is Estimate
