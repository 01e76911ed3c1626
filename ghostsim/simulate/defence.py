"""Both defences by simulation: the same deals, bid by the odds, played by coalition and selfishly.

Seat 0 declares every hand on which a bid is worth more than a pass, in the trump that scores most.
Compared numbers share their deals, so their differences are means of differences.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from ghostsim.batches import solve_many
from ghostsim.class_odds import MODEL, class_odds, points_by_tricks, trump_in_hand
from ghostsim.deals import random_hands
from ghostsim.preferences import Objective, Ties
from ghostsim.rules import STANDARD, Bid, Rules
from ghostsim.simulate.moments import check_units, point_bounds
from ghostsim.simulate.runner import Runner, Simulation, Watch
from ghostsim.stats import Estimate, check_level, estimate_mean, estimate_proportion

OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
#: The tie rules compared with the standard one.
OTHER_TIES: tuple[Ties, ...] = tuple(ties for ties in get_args(Ties) if ties != "standard")

#: What is added up for a pair of ways to play: deals in which any seat's tricks differ; deals by
#: the change of the declarer's tricks, from -6 to 6; the change of his points, and its square.
_N_SUMS = 1 + 13 + 2
#: Deals a block, half a second of work: each is solved for every objective and tie rule.
DEALS_PER_BLOCK = 5_000


def selfish_model(objective: str) -> str:
    """The completion model's name."""
    return f"P_selfish({objective})"


@dataclass(frozen=True)
class Change:
    """What another way to play changes, in the mean over deals.

    Attributes
    ----------
    any_seat, declarer : Estimate
        The proportions of deals in which some seat's tricks differ, and the declarer's. Against
        the coalition, whose defenders' tricks are not settled seat by seat, the two are one.
    by_tricks : dict of Estimate
        The proportion of deals by the change of the declarer's tricks, -6 to 6.
    tricks, points : Estimate
        The mean change of the declarer's tricks, and of his points. The defenders together lose as
        many tricks as he gains.
    """

    any_seat: Estimate
    declarer: Estimate
    by_tricks: dict[int, Estimate]
    tricks: Estimate
    points: Estimate


@dataclass(frozen=True)
class BidDefences:
    """What the defences make of one bid.

    Attributes
    ----------
    bid : Bid
    deals : int
        All that were dealt.
    n : int
        Deals in which the bid is worth more than a pass.
    made : dict of Estimate
        How often it makes, by model.
    selfish : dict of Change
        From the coalition to selfish play, by objective.
    ties : dict of Change
        From the standard tie rule to another, by objective and tie rule.
    """

    bid: Bid
    deals: int
    n: int
    made: dict[str, Estimate]
    selfish: dict[Objective, Change]
    ties: dict[tuple[Objective, Ties], Change]


def simulate_defences(
    deals: int,
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> tuple[BidDefences, ...]:
    """Deal, bid by the odds, and play each deal by both defences and every tie rule.

    Parameters
    ----------
    deals : int
        At least 2.
    seed : int
        Deal i is deal i of this seed.
    rules : Rules
    level : float
        Confidence level of the intervals.
    runner : Runner, optional

    Returns
    -------
    tuple of BidDefences
        One for each bid of the rules that was worth more than a pass in two deals or more.
    """
    check_units(deals, "deals")
    check_level(level)
    class_odds(rules)  # once, before threads would each begin it
    low, high = point_bounds(rules)
    simulation = Simulation(
        "defences",
        functools.partial(_block, rules=rules),
        title="dealing, bidding, solving",
        per_block=DEALS_PER_BLOCK,
        watch=Watch(
            f"the gain of a declarer who bids {rules.bids[0]} if defenders are selfish, for points",
            _gained,
            f"{selfish_model('points')} - {MODEL}",
            "points a deal",
            bounds=(low - high, high - low),
        ),
    )
    ran = (runner or Runner()).run(simulation, deals, seed=seed, level=level)
    by_bid = ran.sums.reshape(len(rules.bids), -1)
    return tuple(
        _estimates(bid, row, ran.n, level)
        for bid, row in zip(rules.bids, by_bid.tolist(), strict=True)
        if row[0] >= 2
    )


def _block(seed: int, start: int, count: int, rules: Rules) -> NDArray[np.int64]:
    """For each bid in turn, the sums that ``_estimates`` reads."""
    hands = random_hands(count, seed=seed, start=start)
    odds = class_odds(rules)
    own = hands[:, 0].copy()
    number = odds.classes.number(own)
    richest = odds.totals.argmax(axis=1)  # class, bid
    worth_it = odds.totals.max(axis=1) > 0
    sums: list[int] = []
    for i, bid in enumerate(rules.bids):
        bids = worth_it[number, i]
        trump = trump_in_hand(own[bids], richest[number[bids], i])
        sums += _bid_sums(hands[bids], trump, bid, rules)
    return np.array(sums, dtype=np.int64)


def _bid_sums(
    hands: NDArray[np.int64], trump: NDArray[np.int64], bid: Bid, rules: Rules
) -> list[int]:
    coalition = solve_many(hands, trump)[:, np.newaxis]
    points = points_by_tricks(bid, rules)
    sums = [len(hands), int((coalition >= bid).sum())]
    for objective in OBJECTIVES:
        ways = {
            ties: solve_many(
                hands,
                trump,
                defence="selfish",
                objective=objective,
                bid=bid,
                rules=rules,
                ties=ties,
            )
            for ties in get_args(Ties)
        }
        standard = ways.pop("standard")
        sums.append(int((standard[:, 0] >= bid).sum()))
        sums += _change_sums(coalition, standard[:, :1], points)
        for other in ways.values():
            sums += _change_sums(standard, other, points)
    return sums


def _change_sums(
    before: NDArray[np.int8], after: NDArray[np.int8], points: NDArray[np.int64]
) -> list[int]:
    tricks = after[:, 0] - before[:, 0]
    gained = points[after[:, 0]] - points[before[:, 0]]
    return [
        int((before != after).any(axis=1).sum()),
        *np.bincount(tricks + 6, minlength=13).tolist(),
        int(gained.sum()),
        int((gained * gained).sum()),
    ]


def _gained(sums: NDArray[np.int64], _: int) -> tuple[int, int, int]:
    """Deals with the lowest bid, and what selfish play for points changed in them."""
    before = 2 + OBJECTIVES.index("points") * (1 + _N_SUMS * (1 + len(OTHER_TIES)))
    gained, squares = sums[before + _N_SUMS - 1 : before + _N_SUMS + 1].tolist()
    return int(sums[0]), gained, squares


def _estimates(bid: Bid, row: list[int], deals: int, level: float) -> BidDefences:
    numbers = iter(row)
    n = next(numbers)
    made = {MODEL: estimate_proportion(next(numbers), n, level=level, model=MODEL)}
    selfish: dict[Objective, Change] = {}
    ties: dict[tuple[Objective, Ties], Change] = {}
    for objective in OBJECTIVES:
        model = selfish_model(objective)
        made[model] = estimate_proportion(next(numbers), n, level=level, model=model)
        compared = f"{model} - {MODEL}"
        selfish[objective] = _change([next(numbers) for _ in range(_N_SUMS)], n, level, compared)
        for other in OTHER_TIES:
            compared = f"{model}, ties {other} - standard"
            change = _change([next(numbers) for _ in range(_N_SUMS)], n, level, compared)
            ties[objective, other] = change
    return BidDefences(bid, deals, n, made, selfish, ties)


def _change(sums: list[int], n: int, level: float, model: str) -> Change:
    any_seat, *by_tricks, gained, gained_squared = sums
    changes = dict(zip(range(-6, 7), by_tricks, strict=True))
    tricks = sum(change * count for change, count in changes.items())
    squares = sum(change * change * count for change, count in changes.items())
    share = functools.partial(estimate_proportion, n=n, level=level, model=model)
    mean = functools.partial(estimate_mean, n=n, level=level, model=model)
    return Change(
        any_seat=share(any_seat),
        declarer=share(n - changes[0]),
        by_tricks={change: share(count) for change, count in changes.items()},
        tricks=mean(tricks, squares),
        points=mean(gained, gained_squared),
    )
