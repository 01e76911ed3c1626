"""Built-in strategies as arrays that the compiled game reads.

What a hand does before trump is named depends on its cards and on the bids before it, so it is
tabulated for all 134,596 hands, by whole-array arithmetic and not by asking the strategy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ghostsim._once import once
from ghostsim.class_odds import (
    LAYOUTS,
    bid_totals,
    class_odds,
    ghost_totals,
    points_by_tricks,
)
from ghostsim.endgames import endgame_table
from ghostsim.hand_classes import RELABELLINGS, all_hands, holdings_by_suit, relabel
from ghostsim.kernels import game as kernel
from ghostsim.kernels.openings import N_SPLITS
from ghostsim.openings import shipped_patterns
from ghostsim.rules import Rules
from ghostsim.strategies.base import Strategy
from ghostsim.strategies.odds import Cheat, Odds
from ghostsim.strategies.peek import Peek
from ghostsim.strategies.rules_of_thumb import Novice, Random, Steady

#: All hands of six among 24 cards.
N_HANDS = 134_596


@dataclass(frozen=True, eq=False)
class CompiledStrategy:
    """A strategy as the arrays of ``ghostsim.kernels.game.Setting``, for one set of rules.

    Attributes
    ----------
    policy : uint8 (6, 134596)
        By context and hand: the bid, 0 to pass; plus 8 to trade the hand first. The last row has
        the trump for each bid, two bits each.
    numbers : int64 (5,)
    """

    policy: NDArray[np.uint8]
    numbers: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.policy.flags.writeable = self.numbers.flags.writeable = False  # all callers share them


def compile_strategy(strategy: Strategy, rules: Rules) -> CompiledStrategy | None:
    """The compiled form of a built-in strategy; None if it has none.

    Parameters
    ----------
    strategy : Strategy
    rules : Rules
        What a bid is worth, and which there are, decides what a hand does.
    """
    make = _COMPILERS.get(type(strategy))
    return None if make is None else make(strategy, rules)


def setting_of(
    strategies: Sequence[Strategy], rules: Rules, revoke_detection: float | None = None
) -> tuple[kernel.Setting, NDArray[np.int64]] | None:
    """Some strategies and rules as the compiled game takes them, and the number of each.

    Returns
    -------
    Setting, int64 (strategies,)
        Equal strategies have one number; None if one of them has no compiled form.
    """
    if any(type(strategy) not in _COMPILERS for strategy in strategies):
        return None
    different = list(dict.fromkeys(strategies))
    compiled = [compile_strategy(strategy, rules) for strategy in different]
    known = [one for one in compiled if one is not None]
    sees = any(strategy.sees_all_cards for strategy in different)
    endgames, starts = _endgames(sees)
    numbers = np.zeros(kernel.N_RULES, dtype=np.int64)
    for bid in rules.bids:
        numbers[7 * bid : 7 * bid + 7] = points_by_tricks(bid, rules)
    numbers[kernel.MIN_BID] = rules.min_bid
    numbers[kernel.SWAPS] = rules.swaps_per_deal
    numbers[kernel.DEALER_BIDS] = rules.all_pass == "dealer_bids"
    numbers[kernel.DEALER_FIRST] = rules.first_bidder == "dealer"
    numbers[kernel.DEFENDERS_SCORE] = rules.defenders_score
    numbers[kernel.PENALTY] = rules.revoke_penalty
    numbers[kernel.TARGET] = rules.target
    # A whole number of 53 bits is below a chance times 2**53 if it is below the next whole number.
    numbers[kernel.DETECTION] = (
        -1 if revoke_detection is None else math.ceil(math.ldexp(revoke_detection, 53))
    )
    numbers[kernel.ENDGAMES :] = starts
    setting = kernel.Setting(
        policy=np.stack([one.policy for one in known]),
        numbers=np.stack([one.numbers for one in known]),
        rules=numbers,
        pattern_points=pattern_points(_bidding_rules(rules))
        if any(isinstance(strategy, Odds) for strategy in different)
        else np.zeros((1, 4), dtype=np.int32),
        endgames=endgames,
    )
    return setting, np.array([different.index(one) for one in strategies], dtype=np.int64)


@once(maxsize=8)
def pattern_points(rules: Rules) -> NDArray[np.int32]:
    """The declarer's points by opening pattern and bid, summed over the 924 splits.

    Returns
    -------
    int32 (538356, 4)
        Bids 3, 4, 5 and the moon; 0 for one that the rules do not allow.
    """
    totals = bid_totals(shipped_patterns().astype(np.int64), rules)
    by_bid = np.zeros((len(totals), 4), dtype=np.int32)
    by_bid[:, [bid - 3 for bid in rules.bids]] = totals  # within 924,000 of zero
    return by_bid


@once()
def _endgames(wanted: bool) -> tuple[NDArray[np.uint8], list[int]]:
    """The tables for 0 to 4 tricks, one after the other, and where each begins; or a stand-in."""
    if not wanted:
        return np.zeros(1, dtype=np.uint8), [0] * (kernel.DEPTH + 1)
    tables = [endgame_table(tricks) for tricks in range(kernel.DEPTH + 1)]
    starts = np.cumsum([0, *(len(table) for table in tables[:-1])])
    return np.concatenate(tables), starts.tolist()


@once()
def _hands() -> NDArray[np.int64]:
    """The masks of all hands, increasing, as the game numbers them."""
    return all_hands()


def _numbers(
    bidder: int, player: int, open_total: int = 0, over_total: int = 0
) -> NDArray[np.int64]:
    numbers = np.zeros(kernel.N_NUMBERS, dtype=np.int64)
    numbers[kernel.BIDDER], numbers[kernel.PLAYER] = bidder, player
    numbers[kernel.OPEN_TOTAL], numbers[kernel.OVER_TOTAL] = open_total, over_total
    return numbers


def _empty_policy() -> NDArray[np.uint8]:
    """Pass with every hand; the last row is for the trumps."""
    return np.zeros((kernel.TRUMPS + 1, N_HANDS), dtype=np.uint8)


def _without_tables(bidder: int, player: int) -> CompiledStrategy:
    """A strategy that decides everything as it goes."""
    return CompiledStrategy(_empty_policy(), _numbers(bidder, player))


def _lowest_bids(rules: Rules) -> list[int]:
    """The lowest bid that is possible in each context."""
    return [max(rules.min_bid, standing + 1) for standing in (0, 3, 4, 5, 0)]


def _same_trump(suit: NDArray[np.int64]) -> NDArray[np.uint8]:
    """One trump for every bid."""
    return (suit * 0b01010101).astype(np.uint8)


def _random(strategy: Random, rules: Rules) -> CompiledStrategy:
    return _without_tables(kernel.BIDS_BY_LOT, kernel.PLAYS_BY_LOT)


def _peek(strategy: Peek, rules: Rules) -> CompiledStrategy:
    return _without_tables(kernel.BIDS_BY_SIGHT, kernel.PLAYS_BY_SIGHT)


@once(maxsize=8)
def _novice(strategy: Novice, rules: Rules) -> CompiledStrategy:
    held = holdings_by_suit(_hands())
    suit = (held @ np.array([100, 10, 1])).argmax(axis=0)
    trumps = held[suit, np.arange(N_HANDS), 0]
    policy = _empty_policy()
    for context, lowest in enumerate(_lowest_bids(rules)):
        policy[context] = np.where(trumps >= lowest, trumps, 0)
    policy[: kernel.TRUMPS, trumps <= 2] |= kernel.SWAP_FIRST
    policy[kernel.TRUMPS] = _same_trump(suit)
    return CompiledStrategy(policy, _numbers(kernel.BIDS_BY_TABLE, kernel.PLAYS_HIGH))


@once(maxsize=32)
def _steady(strategy: Steady, rules: Rules) -> CompiledStrategy:
    by_suit = holdings_by_suit(_hands()).sum(axis=2)
    suit, count = by_suit.argmax(axis=0), by_suit.max(axis=0)
    needed = {3: strategy.three, 4: strategy.four, 5: strategy.five, 6: strategy.moon}
    policy = _empty_policy()
    for context, lowest in enumerate(_lowest_bids(rules)):
        good = (count >= needed[lowest]) | (context == kernel.MUST_BID)
        policy[context] = np.where(count >= strategy.moon, 6, np.where(good, lowest, 0))
    policy[: kernel.TRUMPS, count < strategy.swap_below] |= kernel.SWAP_FIRST
    policy[kernel.TRUMPS] = _same_trump(suit)
    numbers = _numbers(kernel.BIDS_BY_TABLE, kernel.PLAYS_CAREFULLY)
    return CompiledStrategy(policy, numbers)


def _bidding_rules(rules: Rules) -> Rules:
    """The rules, with what no bid by the odds depends on as it is in the standard ones.

    So rules that differ in nothing else share their tables.
    """
    standard = Rules()
    unused = ("target", "revoke_penalty", "defenders_score", "first_bidder")
    return rules.replace(**{name: getattr(standard, name) for name in unused})


def _odds(strategy: Odds, rules: Rules) -> CompiledStrategy:
    return _odds_tables(strategy.open_points, strategy.over_points, _bidding_rules(rules))


def _cheat(strategy: Cheat, rules: Rules) -> CompiledStrategy:
    odds = _odds(strategy, rules)
    numbers = odds.numbers.copy()
    numbers[kernel.REVOKES] = sum(1 << int(trick) - 1 for trick in set(strategy.tricks))
    return CompiledStrategy(odds.policy, numbers)


@once(maxsize=32)
def _odds_tables(open_points: float, over_points: float, rules: Rules) -> CompiledStrategy:
    """``odds``, or ``cheat`` before it cheats."""
    odds = class_odds(rules)
    hands = _hands()
    class_number = odds.classes.number(hands)
    # By hand, its own suits and bids: the class keeps them for the suits of its least hand.
    relabelled = np.stack([relabel(hands, relabelling) for relabelling in RELABELLINGS])
    suits = np.array(RELABELLINGS)[relabelled.argmin(axis=0)]
    totals = odds.totals[class_number[:, np.newaxis], suits]
    bids = [int(bid) for bid in rules.bids]

    policy = _empty_policy()
    for i, bid in enumerate(bids):
        policy[kernel.TRUMPS] |= (totals[:, :, i].argmax(axis=1) << 2 * (bid - 3)).astype(np.uint8)

    worth = [open_points, over_points, over_points, over_points, None]
    lowest_bids = _lowest_bids(rules)
    by_bid = totals.max(axis=1)  # hand, bid
    keep = np.zeros((kernel.N_CONTEXTS, N_HANDS), dtype=np.int64)
    for context, (lowest, points) in enumerate(zip(lowest_bids, worth, strict=True)):
        possible = by_bid[:, [i for i, bid in enumerate(bids) if bid >= lowest]]
        best = possible.max(axis=1)
        chosen = lowest + possible.argmax(axis=1)  # the first of equals, the lowest bid
        if points is not None:
            passed = round(points * LAYOUTS)
            chosen = np.where(best > passed, chosen, 0)
            best = np.maximum(best, passed)
        policy[context], keep[context] = chosen, best
    if rules.swaps_per_deal:
        contexts = [0, 1, 2, 3]
        if rules.all_pass == "dealer_bids":
            contexts.append(kernel.MUST_BID)
        patterns = pattern_points(rules)
        after = np.empty((len(contexts), len(patterns)), dtype=np.int32)
        for context in contexts:
            best = patterns[:, lowest_bids[context] - 3 :].max(axis=1)
            points = worth[context]
            after[context] = best if points is None else np.maximum(best, round(points * N_SPLITS))
        swap = ghost_totals(odds.classes.masks, after, n_jobs=-1)[class_number]
        for context in contexts:
            policy[context, swap[:, context] > keep[context]] |= kernel.SWAP_FIRST
    numbers = _numbers(
        kernel.BIDS_BY_ODDS,
        kernel.PLAYS_CAREFULLY,
        round(open_points * N_SPLITS),
        round(over_points * N_SPLITS),
    )
    return CompiledStrategy(policy, numbers)


_COMPILERS: dict[type, Callable[..., CompiledStrategy]] = {
    Random: _random,
    Novice: _novice,
    Steady: _steady,
    Odds: _odds,
    Cheat: _cheat,
    Peek: _peek,
}
