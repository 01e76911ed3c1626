"""Simulation: the same sums however they are computed, and estimates that catch wrong odds."""

import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import joblib
import numpy as np
import pytest
from joblib.parallel import BACKENDS as BACKENDS_OF_JOBLIB
from joblib.parallel import ThreadingBackend
from numpy.typing import NDArray

from ghostsim.batches import solve_many
from ghostsim.cards import Hand, Suit
from ghostsim.class_odds import LAYOUTS, ClassOdds, bid_totals, class_odds, swap_totals
from ghostsim.deals import Deal, SeedError, random_hands
from ghostsim.kernels.openings import choose_range
from ghostsim.odds import bid_table, solo_value, swap_gain, swap_value
from ghostsim.openings import shipped_patterns
from ghostsim.rules import HALF_MOON, NO_SWAP, STANDARD, Bid, Rules, RulesError
from ghostsim.simulate import solo
from ghostsim.simulate.runner import Runner, Simulation, SimulationError
from ghostsim.simulate.solo import (
    BidEstimates,
    SwapEstimates,
    simulate_bids,
    simulate_swap,
)
from ghostsim.solver import solve
from ghostsim.stats import Estimate, EstimateError

Sums = NDArray[np.int64]
TWO_JOBS = Runner(n_jobs=2)

# ------------------------------------------------------------------- however it is computed


BLOCKS: dict[str, Callable[..., Sums]] = {
    "swap": functools.partial(solo._swap_block, rules=STANDARD),
    "bids": functools.partial(solo._bid_block, rules=STANDARD),
}
DEALS = 3_001


@pytest.fixture(scope="module", params=BLOCKS)
def block(request: pytest.FixtureRequest) -> Callable[..., Sums]:
    return BLOCKS[request.param]


@pytest.fixture(scope="module")
def in_one_block(block: Callable[..., Sums]) -> Sums:
    return block(5, 0, DEALS)


def in_blocks(block: Callable[..., Sums], runner: Runner) -> Sums:
    return runner.run(Simulation("deals", block), DEALS, seed=5).sums


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
@pytest.mark.parametrize("block_size", [97, 1_000, DEALS, 50_000])
def test_sums_do_not_depend_on_blocks_and_jobs(
    block: Callable[..., Sums], in_one_block: Sums, n_jobs: int | None, block_size: int
) -> None:
    sums = in_blocks(block, Runner(n_jobs=n_jobs, block_size=block_size))
    assert sums.dtype == np.int64
    assert sums.tobytes() == in_one_block.tobytes()


@pytest.mark.parametrize("backend", ["threading", "sequential", "loky"])
def test_sums_do_not_depend_on_the_backend(
    block: Callable[..., Sums],
    in_one_block: Sums,
    backend: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n_jobs = None if backend == "sequential" else 2
    if backend == "loky":

        def here(*_: object) -> None:
            raise AssertionError("it should have been solved in another process")

        monkeypatch.setattr(solo, "solve_many", here)
    with joblib.parallel_config(backend, n_jobs=n_jobs):
        sums = in_blocks(block, Runner(block_size=500))
    assert sums.tobytes() == in_one_block.tobytes()


def test_a_backend_that_gives_results_only_when_all_are_there_will_do(
    block: Callable[..., Sums], in_one_block: Sums, monkeypatch: pytest.MonkeyPatch
) -> None:
    class AllAtOnce(ThreadingBackend):  # type: ignore[misc]  # joblib has no types
        supports_return_generator = False

    monkeypatch.setitem(BACKENDS_OF_JOBLIB, "all at once", AllAtOnce)
    with joblib.parallel_config("all at once", n_jobs=2):
        sums = in_blocks(block, Runner(block_size=500))
    assert sums.tobytes() == in_one_block.tobytes()


def test_sums_depend_on_the_seed_and_the_number_of_deals(
    block: Callable[..., Sums], in_one_block: Sums
) -> None:
    assert block(6, 0, DEALS).tolist() != in_one_block.tolist()
    assert block(5, 1, DEALS).tolist() != in_one_block.tolist()
    # Deals 0-999 and 1000-3000 are those of 0-3000.
    assert (block(5, 0, 1_000) + block(5, 1_000, 2_001)).tolist() == in_one_block.tolist()


# -------------------------------------------------------------- what a block adds up, told again


def outcomes(deal: Deal, bid: Bid, trumps: Iterable[Suit], rules: Rules) -> set[int]:
    """Seat 0's points for a bid in one of several trumps that are equally good before the deal."""
    return {rules.declarer_points(bid, solve(deal, trump).declarer_tricks) for trump in trumps}


def equally_good(hand: Any, dead: Any, rules: Rules) -> tuple[Bid | None, list[Suit]]:
    """The bid that is best, and every trump in which it is as good."""
    best = solo_value(hand, dead, rules)
    if best.bid is None:
        return None, []
    frame = bid_table(hand, dead, rules).to_frame()
    equals = frame[(frame.bid == best.bid) & (frame.points == best.points)]
    return best.bid, [Suit.parse(trump) for trump in equals.trump]


@pytest.mark.parametrize("rules", [STANDARD, Rules(min_bid=4, set_keeps_tricks=True)], ids=str)
def test_swaps_of_single_deals_told_again(rules: Rules) -> None:
    swapped = 0
    for index in range(60):
        deal = Deal.random(seed=11, index=index)
        hand, ghost = deal.hands[0], deal.ghost
        bid, trumps = equally_good(hand, None, rules)
        keeps = {0} if bid is None else outcomes(deal, bid, trumps, rules)
        bid, trumps = equally_good(ghost, hand, rules)
        after = Deal(hands=(ghost, *deal.hands[1:]))
        swaps = {0} if bid is None else outcomes(after, bid, trumps, rules)
        gains = swap_gain(hand, rules) > 0
        swapped += gains
        possible = {
            (keep, keep**2, swap, swap**2, option, option**2, int(gains))
            for keep, swap in itertools.product(keeps, swaps)
            for option in [swap - keep if gains else 0]
        }
        assert tuple(solo._swap_block(11, index, 1, rules).tolist()) in possible, (index, deal)
    assert 15 < swapped < 55  # both kinds of hands were there


@pytest.mark.parametrize("rules", [STANDARD, Rules(min_bid=4, moon_points=10)], ids=str)
def test_bids_of_single_deals_told_again(rules: Rules) -> None:
    for index in range(60):
        deal = Deal.random(seed=12, index=index)
        frame = bid_table(deal.hands[0], rules=rules).to_frame()
        got = solo._bid_block(12, index, 1, rules).reshape(len(rules.bids), 3).tolist()
        for bid, (made, points, squares) in zip(rules.bids, got, strict=True):
            rows = frame[frame.bid == bid]
            likeliest = rows[rows.p_make == rows.p_make.max()].trump
            richest = rows[rows.points == rows.points.max()].trump
            assert made in {solve(deal, t).declarer_tricks >= bid for t in likeliest}
            assert points in outcomes(deal, bid, map(Suit.parse, richest), rules)
            assert squares == points**2


@pytest.mark.jit_off
@pytest.mark.bounds
def test_bids_on_many_hands_are_those_on_each() -> None:
    # Of equals the pass, then the lower bid, then the first trump: as SoloValue says.
    rng = np.random.default_rng(13)
    order = np.argsort(rng.random((150, 24)), axis=1)
    masks = (np.int64(1) << order[:, :12].reshape(-1, 2, 6)).sum(axis=2).tolist()
    ties = [
        ("JS JC AS AC 9H 9D", "QS QC TS TC TH TD"),  # spades and clubs are worth the same
        ("JH JD AH AD 9S 9C", "QS QC TS TC TH TD"),  # hearts and diamonds
        ("JS JC AS KS QS AH", "TS TC TH TD QC QD"),
        ("9S TS 9C TC 9H TH", "9D TD QD KD QH KH"),  # nothing is worth a bid
    ]
    masks += [[Hand(own).mask, Hand(dead).mask] for own, dead in ties]
    own, dead = (np.array(column) for column in zip(*masks, strict=True))
    for rules in (STANDARD, Rules(moon_points=6), Rules(min_bid=6, moon_points=0)):
        by_bid = np.array([[rules.declarer_points(b, k) for k in range(7)] for b in rules.bids])
        bid, trump = np.full(len(own), 9), np.full(len(own), 9)
        choose_range(own, dead, shipped_patterns(), by_bid, 0, len(own), bid, trump)
        for i, (hand, gone) in enumerate(masks):
            value = solo_value(Hand.from_mask(hand), Hand.from_mask(gone), rules)
            expected = None if bid[i] < 0 else (rules.bids[bid[i]], Suit(int(trump[i])))
            assert expected == (None if value.bid is None else (value.bid, value.trump))
            assert (bid[i] < 0) == (trump[i] < 0)


# ------------------------------------------------------------------------------- the estimates
#
# The seeds are fixed, so these tests fail by a change of the code and not by luck.

SIMULATED = 150_000
LEVEL = 0.999


@pytest.fixture(scope="module", params=[STANDARD, HALF_MOON], ids=str)
def rules(request: pytest.FixtureRequest) -> Rules:
    assert isinstance(request.param, Rules)
    return request.param


def exact_swaps(odds: ClassOdds, keep: NDArray[np.int64], swap: NDArray[np.int64]) -> list[float]:
    """Mean keep and swap, value of the option, share that should swap."""
    weights = odds.classes.hands / 134_596
    gain = swap - keep
    means = [float(weights @ (x / LAYOUTS)) for x in (keep, swap, np.maximum(gain, 0))]
    return [*means, float(weights @ (gain > 0))]


def as_list(estimates: SwapEstimates) -> list[Estimate]:
    return [estimates.keep, estimates.swap, estimates.option, estimates.should_swap]


@pytest.fixture(scope="module")
def swaps(rules: Rules) -> tuple[list[Estimate], list[float]]:
    """Estimates, and the exact numbers."""
    odds = class_odds(rules)
    exact = exact_swaps(odds, odds.keep_totals, swap_totals(odds.classes.masks, rules, n_jobs=2))
    found = simulate_swap(SIMULATED, seed=1, rules=rules, level=LEVEL, runner=TWO_JOBS)
    return as_list(found), exact


def test_the_exact_swap_values_are_inside_the_intervals(
    swaps: tuple[list[Estimate], list[float]],
) -> None:
    for estimate, exact in zip(*swaps, strict=True):
        assert estimate.contains(exact), (estimate, exact)
        assert (estimate.n, estimate.level) == (SIMULATED, LEVEL)
        assert estimate.model == "P_coalition"
    assert [estimate.method for estimate in swaps[0]] == ["normal"] * 3 + ["Wilson"]


def test_wrong_swap_values_would_be_outside(swaps: tuple[list[Estimate], list[float]]) -> None:
    for estimate, exact in zip(*swaps, strict=True):
        for shift in (-0.1, 0.1):
            assert not estimate.contains(exact + shift)
    # Nor could one be taken for another.
    for i, j in itertools.permutations(range(4), 2):
        assert not swaps[0][i].contains(swaps[1][j])


@pytest.mark.parametrize("per_mille", [-50, 50])
def test_odds_that_are_wrong_by_a_little_would_be_found(
    rules: Rules, swaps: tuple[list[Estimate], list[float]], per_mille: int
) -> None:
    # Move 5 % of all layouts to one trick more, or one trick less.
    odds = class_odds(rules)
    counts = odds.counts.copy()
    step = np.sign(per_mille)
    moved = counts * abs(per_mille) // 1000
    moved[..., 6 if step > 0 else 0] = 0
    counts += np.roll(moved, step, axis=-1) - moved
    assert (counts.sum(axis=-1) == LAYOUTS).all()
    assert counts.min() >= 0
    wrong = np.maximum(bid_totals(counts, rules).max(axis=(1, 2)), 0)
    mean_keep = float(odds.classes.hands @ (wrong / LAYOUTS)) / 134_596
    assert not swaps[0][0].contains(mean_keep)
    assert abs(mean_keep - swaps[1][0]) < 0.3


@pytest.fixture(scope="module")
def made_and_points(rules: Rules) -> tuple[BidEstimates, list[float], list[float]]:
    odds = class_odds(rules)
    weights = odds.classes.hands / 134_596
    made = weights @ (odds.made().max(axis=1) / LAYOUTS)
    points = weights @ (odds.totals.max(axis=1) / LAYOUTS)
    estimates = simulate_bids(SIMULATED, seed=2, rules=rules, level=LEVEL, runner=TWO_JOBS)
    return estimates, made.tolist(), points.tolist()


def test_the_exact_bids_are_inside_the_intervals(
    made_and_points: tuple[BidEstimates, list[float], list[float]],
) -> None:
    estimates, made, points = made_and_points
    assert len(estimates.made) == len(estimates.points) == len(made) == 4
    for estimate, exact in zip([*estimates.made, *estimates.points], [*made, *points], strict=True):
        assert estimate.contains(exact), (estimate, exact)
        assert (estimate.n, estimate.level, estimate.model) == (SIMULATED, LEVEL, "P_coalition")
    assert made == sorted(made, reverse=True)


def test_wrong_bids_would_be_outside(
    made_and_points: tuple[BidEstimates, list[float], list[float]],
) -> None:
    estimates, made, points = made_and_points
    for estimate, exact in zip(estimates.made, made, strict=True):
        assert not any(map(estimate.contains, (exact - 0.01, exact + 0.01)))
    for estimate, exact in zip(estimates.points, points, strict=True):
        assert not any(map(estimate.contains, (exact - 0.1, exact + 0.1)))


def test_estimates_are_functions_of_their_arguments() -> None:
    first = simulate_swap(4_000, seed=3)
    assert simulate_swap(4_000, seed=3, runner=TWO_JOBS) == first
    with joblib.parallel_config("threading", n_jobs=2):
        assert simulate_swap(4_000, seed=3) == first
    assert simulate_swap(4_000, seed=4) != first
    assert simulate_swap(4_001, seed=3) != first
    assert simulate_bids(4_000, seed=3) == simulate_bids(4_000, seed=3, runner=TWO_JOBS)
    wider = simulate_swap(4_000, seed=3, level=0.99)
    for narrow, wide in zip(as_list(first), as_list(wider), strict=True):
        assert narrow.level == 0.95
        assert wide.low < narrow.low < narrow.value == wide.value < narrow.high < wide.high


def test_the_least_number_of_deals() -> None:
    estimates = simulate_swap(2)
    assert estimates.keep.n == 2
    deals = [Deal.random(seed=0, index=index) for index in (0, 1)]
    assert estimates.should_swap.value == np.mean([swap_gain(deal.hands[0]) > 0 for deal in deals])


def test_rules_with_fewer_bids_give_fewer_estimates() -> None:
    estimates = simulate_bids(500, rules=Rules(min_bid=5))
    assert len(estimates.made) == len(estimates.points) == 2
    assert estimates.made == simulate_bids(500).made[2:]


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("simulate", [simulate_swap, simulate_bids])
def test_bad_arguments(simulate: Callable[..., object]) -> None:
    for deals in (1, 0, -5):
        with pytest.raises(SimulationError, match=f"two deals or more, not {deals}"):
            simulate(deals)
    assert issubclass(SimulationError, ValueError)
    with pytest.raises(TypeError):
        simulate(1e3)
    with pytest.raises(SeedError, match="seed must be from 0"):
        simulate(10, seed=-1)
    with pytest.raises(TypeError, match="seed must be a whole number"):
        simulate(10, seed=1.5)
    with pytest.raises(EstimateError, match=r"level must be .* not 95"):
        simulate(10, level=95)


def test_there_is_no_swap_to_simulate_without_one() -> None:
    with pytest.raises(RulesError, match="no swap"):
        simulate_swap(10, rules=NO_SWAP)
    assert simulate_bids(10, rules=NO_SWAP) == simulate_bids(10)


@pytest.mark.parametrize("ambient", [{"backend": "multiprocessing"}, {"prefer": "processes"}])
def test_ambient_backends_of_processes_are_taken(ambient: dict[str, str]) -> None:
    expected = simulate_swap(500, seed=1)
    hands = random_hands(60_000, seed=1)
    tricks = solve_many(hands, "S")
    with joblib.parallel_config(n_jobs=2, **ambient):
        assert simulate_swap(500, seed=1) == expected
        assert (solve_many(hands, "S") == tricks).all()
        assert swap_value("9S TS 9C TC 9H TH") > 0
