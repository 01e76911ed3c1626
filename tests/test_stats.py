"""Intervals: those of scipy, said with level and method, and as often right as they claim."""

import dataclasses
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from ghostsim.stats import (
    Estimate,
    EstimateError,
    check_level,
    estimate_mean,
    estimate_proportion,
    estimate_ratio,
    estimate_share,
)

pytestmark = [pytest.mark.jit_off]

levels = st.floats(0.5, 0.9999)


@st.composite
def successes_of(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 10**9))
    return draw(st.integers(0, n) | st.sampled_from([0, n])), n


@given(counts=successes_of(), level=levels)
def test_the_wilson_interval_is_that_of_scipy(counts: tuple[int, int], level: float) -> None:
    successes, n = counts
    estimate = estimate_proportion(successes, n, level=level, model="m")
    expected = scipy.stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert estimate.low == pytest.approx(expected.low, rel=1e-9, abs=1e-12)
    assert estimate.high == pytest.approx(expected.high, rel=1e-9, abs=1e-12)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.value == successes / n
    assert estimate.standard_error == pytest.approx(
        math.sqrt(estimate.value * (1 - estimate.value) / n)
    )
    assert (estimate.level, estimate.n, estimate.method) == (level, n, "Wilson")


@given(numbers=st.lists(st.integers(-100, 100), min_size=2, max_size=200), level=levels)
def test_the_interval_of_a_mean_is_the_normal_one(numbers: list[int], level: float) -> None:
    squares = sum(x * x for x in numbers)
    estimate = estimate_mean(sum(numbers), squares, len(numbers), level=level, model="m")
    error = float(scipy.stats.sem(numbers))
    assert estimate.value == pytest.approx(np.mean(numbers))
    assert estimate.standard_error == pytest.approx(error, abs=1e-12)
    if error:
        low, high = scipy.stats.norm.interval(level, loc=np.mean(numbers), scale=error)
    else:
        low = high = np.mean(numbers)
    assert [estimate.low, estimate.high] == pytest.approx([low, high])
    assert (estimate.level, estimate.n, estimate.method) == (level, len(numbers), "normal")


@given(
    numbers=st.lists(st.integers(-24, 24), min_size=2, max_size=30),
    shift=st.integers(-(10**12), 10**12),
    times=st.integers(1, 10**6),
)
def test_a_standard_error_is_exact_far_from_nought_and_for_many_deals(
    numbers: list[int], shift: int, times: int
) -> None:
    # Sums of floats would lose the variance between n * squares and total**2.
    n = len(numbers) * times
    total = sum(x + shift for x in numbers) * times
    squares = sum((x + shift) ** 2 for x in numbers) * times
    estimate = estimate_mean(total, squares, n, level=0.95, model="m")
    spread = sum(x * x for x in numbers) * times - (sum(numbers) * times) ** 2 / n
    assert estimate.standard_error == pytest.approx(
        math.sqrt(max(spread, 0) / (n - 1) / n), rel=1e-6, abs=1e-7
    )


def test_more_deals_and_lower_levels_give_shorter_intervals() -> None:
    def length(successes: int, n: int, level: float) -> float:
        estimate = estimate_proportion(successes, n, level=level, model="m")
        return estimate.high - estimate.low

    assert length(30, 100, 0.9) < length(30, 100, 0.95) < length(30, 100, 0.999)
    # Four times the deals, half the length.
    assert length(40_000, 100_000, 0.95) == pytest.approx(2 * length(160_000, 400_000, 0.95), 1e-3)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_that_were_published(
    successes: int, n: int, low: float, high: float
) -> None:
    estimate = estimate_proportion(successes, n, level=0.95, model="m")
    assert (round(estimate.low, 4), round(estimate.high, 4)) == (low, high)


# ------------------------------------------------------------------- are they right often enough?


def wilson(successes: int, n: int, level: float) -> Estimate:
    return estimate_proportion(successes, n, level=level, model="m")


def one_sigma(successes: int, n: int, level: float) -> Estimate:
    """A mistake of other programs: one standard error, whatever level is asked for."""
    p = successes / n
    error = math.sqrt(p * (1 - p) / n)
    return Estimate(p, error, p - error, p + error, level, n, "one sigma", "m")


def proportion_caught(
    interval: Callable[[int, int, float], Estimate], n: int, level: float
) -> float:
    # A truth of its own for each repetition: with one truth, whether the interval around a whole
    # number of successes reaches it or just misses it moves the proportion by some per cent.
    rng = np.random.default_rng(1)
    truths = rng.uniform(0.02, 0.98, size=10_000)
    successes = rng.binomial(n, truths)
    return float(
        np.mean(
            [
                interval(k, n, level).contains(p)
                for k, p in zip(successes.tolist(), truths.tolist(), strict=True)
            ]
        )
    )


@pytest.mark.parametrize("n", [100, 1_000])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_intervals_catch_the_truth_as_often_as_they_say(n: int, level: float) -> None:
    # 10,000 repetitions have a standard error of 0.4 % at most.
    assert proportion_caught(wilson, n, level) == pytest.approx(level, abs=0.012)
    assert abs(proportion_caught(one_sigma, n, level) - level) > 0.1  # that one is 68 %


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_intervals_of_means_catch_the_truth_as_often_as_they_say(level: float) -> None:
    # Points of a deal: mostly small, sometimes a set, rarely a moon.
    points = np.array([0, 3, 4, 5, -3, -4, 24, -6])
    weights = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02])
    mean = float(points @ weights)
    drawn = np.random.default_rng(2).choice(points, size=(3_000, 500), p=weights)
    caught = [
        estimate_mean(int(x.sum()), int((x * x).sum()), 500, level=level, model="m").contains(mean)
        for x in drawn
    ]
    assert np.mean(caught) == pytest.approx(level, abs=0.015)


# --------------------------------------------------------------------------- ratios and shares


def sums_of(y: np.ndarray, x: np.ndarray) -> tuple[int, int, int, int, int, int]:
    """What ``estimate_ratio`` takes, in its order."""
    ys, xs = [int(value) for value in y], [int(value) for value in x]
    return (
        sum(ys),
        sum(xs),
        sum(a * a for a in ys),
        sum(a * a for a in xs),
        sum(a * b for a, b in zip(ys, xs, strict=True)),
        len(ys),
    )


units = st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 5)), min_size=2, max_size=60)


@given(pairs=units.filter(lambda pairs: any(x for _, x in pairs)), level=levels)
def test_a_ratio_has_the_linearised_error(pairs: list[tuple[int, int]], level: float) -> None:
    y, x = np.array(pairs).T
    estimate = estimate_ratio(*sums_of(y, x), level=level, model="m")
    ratio = y.sum() / x.sum()
    left_over = y - ratio * x
    error = math.sqrt(left_over.var(ddof=1) * len(y)) / x.sum()
    assert estimate.value == pytest.approx(ratio)
    assert estimate.standard_error == pytest.approx(error, abs=1e-9)
    z = scipy.stats.norm.ppf(0.5 + level / 2)
    assert estimate.low == pytest.approx(ratio - z * error, abs=1e-8)
    assert estimate.high == pytest.approx(ratio + z * error, abs=1e-8)
    assert (estimate.level, estimate.n, estimate.method) == (level, len(y), "ratio")


@given(numbers=st.lists(st.integers(-100, 100), min_size=2, max_size=50))
def test_a_ratio_to_one_a_unit_is_the_mean(numbers: list[int]) -> None:
    y = np.array(numbers)
    ratio = estimate_ratio(*sums_of(y, np.ones_like(y)), level=0.9, model="m")
    mean = estimate_mean(sum(numbers), int((y * y).sum()), len(y), level=0.9, model="m")
    assert ratio.value == mean.value
    assert ratio.standard_error == pytest.approx(mean.standard_error, abs=1e-12)


def test_a_ratio_worked_out_on_paper() -> None:
    # y 3 0 6, x 1 0 2: each brings 3 for 1, and nothing scatters.
    assert estimate_ratio(9, 3, 45, 5, 15, 3, level=0.95, model="m").standard_error == 0
    # y 1 3, x 2 2: the ratio is 1, y - x is -1 and 1, and sqrt(2 / 1 * 2) / 4 is a half.
    estimate = estimate_ratio(4, 4, 10, 8, 8, 2, level=0.95, model="m")
    assert (estimate.value, estimate.standard_error) == (1, 0.5)


def test_a_ratio_is_exact_where_sums_of_floats_are_not() -> None:
    # A million times y = 10**9 + 1 or 10**9 - 1 for x = 1: the mean is 10**9, the deviation 1.
    n, big = 10**6, 10**9
    yy = (n // 2) * ((big + 1) ** 2 + (big - 1) ** 2)
    estimate = estimate_ratio(n * big, n, yy, n, n * big, n, level=0.95, model="m")
    assert estimate.standard_error == pytest.approx(1 / math.sqrt(n - 1), rel=1e-12)


def test_a_share_worked_out_on_paper() -> None:
    # y 0 1, x 1 3: the share is 1/4; y - x / 4 is -1/4 and 1/4, so the error is
    # sqrt(2 / 1 * 2 / 16) / 4 = 1/8, that of (1/4 * 3/4) / (1/64) = 12 independent things.
    estimate = estimate_share(1, 4, 1, 10, 3, 2, level=0.95, model="m")
    assert (estimate.value, estimate.standard_error) == (0.25, 0.125)
    wilson = scipy.stats.binomtest(3, 12).proportion_ci(0.95, method="wilson")
    assert [estimate.low, estimate.high] == pytest.approx([wilson.low, wilson.high])
    assert (estimate.n, estimate.method) == (2, "clustered Wilson")
    # None of 6 things, of 2 units: as if each unit had brought one.
    none = estimate_share(0, 6, 0, 18, 0, 2, level=0.95, model="m")
    wilson = scipy.stats.binomtest(0, 2).proportion_ci(0.95, method="wilson")
    assert [none.low, none.high] == pytest.approx([0, wilson.high])
    every = estimate_share(6, 6, 18, 18, 18, 2, level=0.95, model="m")
    assert [every.low, every.high] == pytest.approx([1 - wilson.high, 1])
    # A third in every unit: nothing scatters, and there is no interval to speak of.
    alike = estimate_share(2, 6, 2, 18, 6, 2, level=0.95, model="m")
    assert (alike.low, alike.high, alike.method) == (1 / 3, 1 / 3, "ratio")


@given(
    pairs=st.lists(
        st.integers(0, 5).flatmap(lambda x: st.tuples(st.integers(0, x), st.just(x))),
        min_size=2,
        max_size=60,
    ).filter(lambda pairs: any(x for _, x in pairs)),
    level=levels,
)
def test_a_share_is_a_ratio_that_stays_in_its_bounds(
    pairs: list[tuple[int, int]], level: float
) -> None:
    y, x = np.array(pairs).T
    share = estimate_share(*sums_of(y, x), level=level, model="m")
    ratio = estimate_ratio(*sums_of(y, x), level=level, model="m")
    assert (share.value, share.standard_error) == (ratio.value, ratio.standard_error)
    assert -1e-12 <= share.low <= share.value <= share.high <= 1 + 1e-12


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_ratios_and_shares_catch_the_truth_as_often_as_they_say(level: float) -> None:
    # A deal brings 0 to 3 bids, that hang together: they make with its own chance, 0.5 or 0.9.
    # Points are 4 or -3 a bid. The true ratios are those of expectations.
    rng = np.random.default_rng(3)
    samples, n = 3_000, 400
    bids = rng.choice(4, p=[0.1, 0.4, 0.3, 0.2], size=(samples, n))
    chance = np.where(bids > 1, 0.9, 0.5)
    made = rng.binomial(bids, chance)
    points = 4 * made - 3 * (bids - made)
    truth = (0.4 * 0.5 + 0.3 * 2 * 0.9 + 0.2 * 3 * 0.9) / (0.4 + 0.6 + 0.6)
    ratios = shares = 0
    for y, x, won in zip(points, bids, made, strict=True):
        ratio = estimate_ratio(*sums_of(y, x), level=level, model="m")
        ratios += ratio.contains(7 * truth - 3)
        shares += estimate_share(*sums_of(won, x), level=level, model="m").contains(truth)
    assert ratios / samples == pytest.approx(level, abs=0.02)
    assert shares / samples == pytest.approx(level, abs=0.02)


# ------------------------------------------------------------------------ what an estimate says


def test_an_estimate_is_a_frozen_value_that_says_all_it_should() -> None:
    estimate = estimate_proportion(643, 1_000, level=0.99, model="P_coalition")
    text = str(estimate)
    for part in ("0.6430", "99%", "Wilson", "1,000 deals", "P_coalition"):
        assert part in text
    assert f"[{estimate.low:.4f}, {estimate.high:.4f}]" in text
    assert "99.9%" in str(estimate_proportion(643, 1_000, level=0.999, model="m"))
    assert estimate == estimate_proportion(643, 1_000, level=0.99, model="P_coalition")
    assert estimate != estimate_proportion(643, 1_000, level=0.95, model="P_coalition")
    assert pickle.loads(pickle.dumps(estimate)) == estimate
    assert len({estimate, dataclasses.replace(estimate)}) == 1
    with pytest.raises(AttributeError):
        estimate.value = 1.0  # type: ignore[misc]


def test_an_interval_contains_its_ends_and_nothing_beyond() -> None:
    estimate = estimate_mean(10, 60, 4, level=0.95, model="m")
    assert all(map(estimate.contains, (estimate.low, estimate.value, estimate.high)))
    assert not estimate.contains(math.nextafter(estimate.low, -math.inf))
    assert not estimate.contains(math.nextafter(estimate.high, math.inf))


def test_distances_are_in_standard_errors() -> None:
    estimate = estimate_mean(10, 60, 4, level=0.95, model="m")
    away = estimate.value - 3 * estimate.standard_error
    assert estimate.standard_errors_from(away) == pytest.approx(3)
    assert estimate.standard_errors_from(estimate.value) == 0
    certain = estimate_mean(12, 36, 4, level=0.95, model="m")  # 3 3 3 3
    assert certain.standard_error == 0
    assert certain.standard_errors_from(3) == 0
    assert certain.standard_errors_from(2.5) == math.inf
    assert certain.standard_errors_from(3.5) == -math.inf


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, 95, 1 - 1e-12, math.nan, math.inf, -math.inf])
def test_levels_that_are_none(level: float) -> None:
    for call in (
        lambda: check_level(level),
        lambda: estimate_mean(10, 60, 4, level=level, model="m"),
        lambda: estimate_proportion(1, 4, level=level, model="m"),
    ):
        with pytest.raises(EstimateError, match=f"level must be .*not {level}"):
            call()
    assert issubclass(EstimateError, ValueError)


@pytest.mark.parametrize("level", [0.5, 0.95, 1e-9, 0.999999])
def test_levels_that_are_some(level: float) -> None:
    assert check_level(level) == level


@pytest.mark.parametrize("n", [1, 0, -4])
def test_a_mean_takes_two_deals(n: int) -> None:
    with pytest.raises(EstimateError, match=f"two deals or more, not {n}"):
        estimate_mean(10, 60, n, level=0.95, model="m")


@pytest.mark.parametrize(("successes", "n"), [(5, 4), (-1, 4), (0, 0), (1, 0), (0, -1)])
def test_successes_that_are_no_proportion(successes: int, n: int) -> None:
    with pytest.raises(EstimateError, match=f"{successes} successes of {n} deals"):
        estimate_proportion(successes, n, level=0.95, model="m")


@pytest.mark.parametrize("estimate", [estimate_ratio, estimate_share])
def test_sums_that_give_no_ratio(estimate: Callable[..., Estimate]) -> None:
    with pytest.raises(EstimateError, match="two deals or more, not 1"):
        estimate(1, 1, 1, 1, 1, 1, level=0.95, model="m")
    for total_x in (0, -2):
        with pytest.raises(EstimateError, match=f"divide by, not a total_x of {total_x}"):
            estimate(0, total_x, 0, 4, 0, 4, level=0.95, model="m")
    with pytest.raises(EstimateError, match="no numbers have the sums of products yy 0, xx 2, xy"):
        estimate(1, 2, 0, 2, 1, 2, level=0.95, model="m")
    with pytest.raises(EstimateError, match="level must be"):
        estimate(1, 2, 1, 2, 1, 2, level=95, model="m")


@pytest.mark.parametrize("total_y", [-1, 3])
def test_more_than_all_is_no_share(total_y: int) -> None:
    with pytest.raises(EstimateError, match=f"{total_y} of 2 are no share"):
        estimate_share(total_y, 2, 9, 2, total_y, 2, level=0.95, model="m")
