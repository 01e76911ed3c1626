"""Solo play by simulation: keep or swap, bid by the odds, and count what the deal then gives.

Decisions come from the exact odds of what the player can see; the tricks come from the solver on
the deal as it lies. So a wrong table of odds shows as a mean that misses the exact value.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ghostsim.batches import solve_many
from ghostsim.cards import ALL_CARDS
from ghostsim.class_odds import (
    MODEL,
    class_odds,
    class_swap_totals,
    points_by_tricks,
    trump_in_hand,
)
from ghostsim.deals import random_hands
from ghostsim.kernels.openings import choose_range
from ghostsim.openings import shipped_patterns
from ghostsim.rules import STANDARD, Bid, Rules
from ghostsim.simulate.moments import check_units, point_bounds
from ghostsim.simulate.runner import Runner, Simulation, Watch
from ghostsim.stats import Estimate, check_level, estimate_mean, estimate_proportion

#: Deals a block of ``simulate_bids``: each is solved twice for every bid.
BID_DEALS_PER_BLOCK = 25_000


@dataclass(frozen=True)
class SwapEstimates:
    """What keeping, swapping and choosing gave, in points a deal.

    Attributes
    ----------
    keep, swap : Estimate
        Always keeping, always swapping.
    option : Estimate
        Choosing by the exact gain, less always keeping: the value of the option.
    should_swap : Estimate
        The proportion of deals whose hand should swap.
    """

    keep: Estimate
    swap: Estimate
    option: Estimate
    should_swap: Estimate


@dataclass(frozen=True)
class BidEstimates:
    """What each bid gave, in the order of ``rules.bids``.

    Attributes
    ----------
    made : tuple of Estimate
        The proportion made in the trump that makes it most often.
    points : tuple of Estimate
        Points a deal in the trump with the most mean points.
    """

    made: tuple[Estimate, ...]
    points: tuple[Estimate, ...]


def simulate_swap(
    deals: int,
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> SwapEstimates:
    """Deal, keep and swap, bid by the odds, solve, count.

    Parameters
    ----------
    deals : int
        At least 2.
    seed : int
        Deal i is deal i of this seed; seat 0 is the player.
    rules : Rules
    level : float
        Confidence level of the intervals.
    runner : Runner, optional
    """
    check_units(deals, "deals")
    check_level(level)
    runner = runner or Runner()
    class_swap_totals(rules, runner.n_jobs)  # once, before threads would each begin it
    low, high = point_bounds(rules)
    simulation = Simulation(
        "swaps",
        functools.partial(_swap_block, rules=rules),
        title="dealing, swapping, solving",
        watch=Watch(
            "the gain of the choice to swap over always keeping",
            _option,
            MODEL,
            "points a deal",
            bounds=(low - high, high - low),
        ),
    )
    ran = runner.run(simulation, deals, seed=seed, level=level)
    sums, n = ran.sums, ran.n
    keep, swap, option = (
        estimate_mean(int(sums[i]), int(sums[i + 1]), n, level=level, model=MODEL)
        for i in (0, 2, 4)
    )
    share = estimate_proportion(int(sums[6]), n, level=level, model=MODEL)
    return SwapEstimates(keep, swap, option, share)


def simulate_bids(
    deals: int,
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> BidEstimates:
    """Deal, name for each bid its best trump by the odds, solve, count.

    Parameters: as ``simulate_swap``.
    """
    check_units(deals, "deals")
    check_level(level)
    class_odds(rules)  # once, before threads would each begin it
    lowest = rules.bids[0]
    simulation = Simulation(
        "bids",
        functools.partial(_bid_block, rules=rules),
        title="dealing, bidding, solving",
        per_block=BID_DEALS_PER_BLOCK,
        watch=Watch(
            f"the share of deals in which a bid of {lowest} makes, in its likeliest trump",
            _made,
            MODEL,
            "share of deals",
        ),
    )
    ran = (runner or Runner()).run(simulation, deals, seed=seed, level=level)
    by_bid, n = ran.sums.reshape(len(rules.bids), 3), ran.n
    return BidEstimates(
        made=tuple(
            estimate_proportion(int(made), n, level=level, model=MODEL) for made, _, _ in by_bid
        ),
        points=tuple(
            estimate_mean(int(total), int(squares), n, level=level, model=MODEL)
            for _, total, squares in by_bid
        ),
    )


def _option(sums: NDArray[np.int64], n: int) -> tuple[int, int, int]:
    return n, int(sums[4]), int(sums[5])


def _made(sums: NDArray[np.int64], n: int) -> tuple[int, int, int]:
    return n, int(sums[0]), int(sums[0])


def _swap_block(seed: int, start: int, count: int, rules: Rules) -> NDArray[np.int64]:
    """Sums: keep, keep squared, swap, its square, option, its square, hands that should swap."""
    hands = random_hands(count, seed=seed, start=start)
    own = hands[:, 0].copy()
    ghost = ALL_CARDS & ~np.bitwise_or.reduce(hands, axis=1)

    odds = class_odds(rules)
    number = odds.classes.number(own)
    class_bid, class_trump = odds.best_actions()
    keep = _points(hands, class_bid[number], trump_in_hand(own, class_trump[number]), rules)

    bid = np.empty(count, dtype=np.int64)
    trump = np.empty(count, dtype=np.int64)
    by_bid = np.stack([points_by_tricks(bid, rules) for bid in rules.bids])
    choose_range(ghost, own, shipped_patterns(), by_bid, 0, count, bid, trump)
    hands[:, 0] = ghost
    swap = _points(hands, bid, trump, rules)

    swaps = (class_swap_totals(rules) > odds.keep_totals)[number]
    option = np.where(swaps, swap - keep, 0)
    sums = [total for x in (keep, swap, option) for total in (x.sum(), (x * x).sum())]
    return np.array([*sums, swaps.sum()], dtype=np.int64)


def _bid_block(seed: int, start: int, count: int, rules: Rules) -> NDArray[np.int64]:
    """For each bid: times made in its likeliest trump; points in its richest, and their squares."""
    hands = random_hands(count, seed=seed, start=start)
    own = hands[:, 0].copy()
    odds = class_odds(rules)
    number = odds.classes.number(own)
    likeliest = odds.made().argmax(axis=1)  # class, bid
    richest = odds.totals.argmax(axis=1)
    sums = []
    for i, bid in enumerate(rules.bids):
        tricks = solve_many(hands, trump_in_hand(own, likeliest[number, i]))
        made = int((tricks >= bid).sum())
        tricks = solve_many(hands, trump_in_hand(own, richest[number, i]))
        points = points_by_tricks(bid, rules)[tricks]
        sums += [made, points.sum(), (points * points).sum()]
    return np.array(sums, dtype=np.int64)


def _points(
    hands: NDArray[np.int64], bid: NDArray[np.int64], trump: NDArray[np.int64], rules: Rules
) -> NDArray[np.int64]:
    """Seat 0's points when he declares as decided (bid -1: he passes, and scores nothing)."""
    points = np.zeros(len(hands), dtype=np.int64)
    declares = bid >= 0
    tricks = solve_many(hands[declares], trump[declares])
    by_bid = np.stack([points_by_tricks(Bid(bid), rules) for bid in rules.bids])
    points[declares] = by_bid[bid[declares], tricks]
    return points
