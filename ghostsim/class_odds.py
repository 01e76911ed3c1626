"""Exact odds of many hands at once, as arrays: what the studies add up.

The same counting as in ``ghostsim.odds``, which is for one hand. All hand classes together take
about a second from the shipped opening patterns, so no table of them is stored.
"""

from __future__ import annotations

import functools
import itertools
import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ghostsim._once import once
from ghostsim._parallel import run_shared
from ghostsim.cards import N_CARDS, Suit
from ghostsim.hand_classes import RELABELLINGS, HandClasses, hand_classes, relabel
from ghostsim.kernels.bits import subsets
from ghostsim.kernels.openings import N_HANDS, N_SPLITS, add_counts_range, swap_totals_range
from ghostsim.openings import shipped_patterns
from ghostsim.rules import Bid, Rules, RulesError

#: Layouts when the ghost is unknown: 18,564 ghosts times 924 splits.
LAYOUTS = N_HANDS * N_SPLITS

#: The completion model that every probability here names.
MODEL = "P_coalition"


def points_by_tricks(bid: Bid, rules: Rules) -> NDArray[np.int64]:
    """The declarer's points for 0, 1, ... 6 tricks; int64 (7,)."""
    return np.array([rules.declarer_points(bid, tricks) for tricks in range(7)], dtype=np.int64)


def bid_totals(counts: NDArray[np.int64], rules: Rules) -> NDArray[np.int64]:
    """The declarer's points summed over layouts, for every allowed bid.

    ``counts`` int64 (..., 7) by tricks; returns int64 (..., bids), bids as in ``rules.bids``.
    """
    by_bid = np.stack([points_by_tricks(bid, rules) for bid in rules.bids])
    totals: NDArray[np.int64] = counts @ by_bid.T
    return totals


def hand_counts(masks: NDArray[np.int64], trump: Suit) -> NDArray[np.int64]:
    """The trick counts of many hands under one trump, the ghost unknown; int64 (n, 7)."""
    counts = np.zeros((len(masks), 7), dtype=np.int64)
    add_counts_range(masks, int(trump), shipped_patterns(), 0, len(masks), counts)
    return counts


@once()
def class_counts() -> NDArray[np.int64]:
    """The trick counts of every hand class in every trump, over all 17,153,136 layouts.

    Returns
    -------
    int64 (18133, 4, 7)
        By class, trump (S C H D), tricks. Counted from the shipped patterns in about a second, and
        kept for the next caller, so nothing is stored.
    """
    classes = hand_classes()
    counts = np.stack([hand_counts(classes.masks, suit) for suit in Suit], axis=1)
    counts.flags.writeable = False  # cached: all callers share them
    return counts


@once(maxsize=4)
def best_pattern_points(rules: Rules) -> NDArray[np.int32]:
    """By opening pattern, the points of the best bid, or of a pass, summed over the 924 splits."""
    patterns = shipped_patterns().astype(np.int64)
    best: NDArray[np.int64] = bid_totals(patterns, rules).max(axis=1)
    return np.maximum(best, 0).astype(np.int32)


def check_swap_allowed(rules: Rules) -> None:
    """Rules under which a hand may be traded at all."""
    if not rules.swaps_per_deal:
        raise RulesError("these rules allow no swap (swaps_per_deal is 0)")


def swap_totals(
    masks: NDArray[np.int64], rules: Rules, n_jobs: int | None = None
) -> NDArray[np.int64]:
    """Solo points of the new hand summed over all 17,153,136 layouts, for many hands given up.

    Parameters
    ----------
    masks : int64 (n,)
        The hands given up.
    rules : Rules
    n_jobs : int, optional
        Threads, as joblib counts them.

    Returns
    -------
    int64 (n,)
        Divide by ``LAYOUTS`` for points.
    """
    check_swap_allowed(rules)
    best_points = best_pattern_points(rules)
    return ghost_totals(masks, best_points[np.newaxis], n_jobs)[:, 0]


def what_is_left(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same number for hands that, dead, leave the same cards but for their names.

    Before trump is named, all that counts of a suit is how many of its cards are left, and if the
    jack is, how many are above and below it: the jack alone changes place or suit with the trump.
    Suits may change names as in ``RELABELLINGS``.

    Returns
    -------
    int64 (n,)
        496 different numbers for the 134,596 hands.
    """
    left = ~masks[:, np.newaxis] >> np.arange(0, N_CARDS, 6) & 63
    below, jack, above = (np.bitwise_count(left & part) for part in (0b11, 0b100, 0b111000))
    of_suit = np.where(jack == 1, 6 + 3 * above + below, above + below).astype(np.int64)
    numbers = [of_suit[:, relabelling] @ 18 ** np.arange(4) for relabelling in RELABELLINGS]
    least: NDArray[np.int64] = np.minimum.reduce(numbers)
    return least


def ghost_totals(
    masks: NDArray[np.int64], best_points: NDArray[np.int32], n_jobs: int | None = None
) -> NDArray[np.int64]:
    """The best points of the ghost's cards, summed over all layouts, for many hands given up.

    Parameters
    ----------
    masks : int64 (n,)
        The hands given up.
    best_points : int32 (contexts, 538356)
        The best points in each context by opening pattern, summed over the 924 splits.
    n_jobs : int, optional
        Threads, as joblib counts them.

    Returns
    -------
    int64 (n, contexts)
    """
    # Hands that leave the same to the others are counted once.
    _, first, which = np.unique(what_is_left(masks), return_index=True, return_inverse=True)
    different = masks[first]
    ghosts = subsets(18, 6)
    best_points = np.ascontiguousarray(best_points)
    out = np.empty((len(different), len(best_points)), dtype=np.int64)
    calls = [
        functools.partial(swap_totals_range, different, best_points, ghosts, start, stop, out)
        for start, stop in itertools.pairwise([*range(0, len(different), 100), len(different)])
    ]
    run_shared(calls, n_jobs)
    totals: NDArray[np.int64] = out[which]
    return totals


_class_swap_totals: dict[Rules, NDArray[np.int64]] = {}
_swap_lock = threading.Lock()


def class_swap_totals(rules: Rules, n_jobs: int | None = None) -> NDArray[np.int64]:
    """``swap_totals`` of every hand class, kept for the next caller; int64 (18133,)."""
    with _swap_lock:
        if rules not in _class_swap_totals:
            totals = swap_totals(hand_classes().masks, rules, n_jobs)
            totals.flags.writeable = False
            _class_swap_totals[rules] = totals
        return _class_swap_totals[rules]


@dataclass(frozen=True, eq=False)
class ClassOdds:
    """Every hand class: its trick counts and what each bid is worth with the ghost unknown.

    Attributes
    ----------
    classes : HandClasses
    rules : Rules
    counts : int64 (18133, 4, 7)
        Layouts by trump and tricks; 17,153,136 for each trump.
    totals : int64 (18133, 4, bids)
        The declarer's points summed over the layouts; bids as in ``rules.bids``.
    """

    classes: HandClasses
    rules: Rules
    counts: NDArray[np.int64]
    totals: NDArray[np.int64]

    @property
    def keep_totals(self) -> NDArray[np.int64]:
        """The solo value of keeping the hand, summed over layouts; int64 (18133,)."""
        best: NDArray[np.int64] = self.totals.max(axis=(1, 2))
        return np.maximum(best, 0)

    def best_actions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The bid and the trump of the solo value of each class, -1 and -1 for a pass.

        Ties as in ``SoloValue``: pass, then the lower bid, then trumps in the order S C H D. Bids
        are positions in ``rules.bids``.
        """
        by_bid = self.totals.transpose(0, 2, 1).reshape(len(self.totals), -1)
        best = by_bid.argmax(axis=1)  # the first of equals: lowest bid, then first trump
        passes = by_bid.max(axis=1) <= 0
        return np.where(passes, -1, best // 4), np.where(passes, -1, best % 4)

    def made(self) -> NDArray[np.int64]:
        """Layouts in which each bid is made in each trump; int64 (18133, 4, bids)."""
        at_least = np.cumsum(self.counts[..., ::-1], axis=-1)[..., ::-1]
        return at_least[..., [int(bid) for bid in self.rules.bids]]


@once(maxsize=4)
def class_odds(rules: Rules) -> ClassOdds:
    """The odds of every hand class under some rules."""
    classes = hand_classes()
    counts = class_counts()
    totals = bid_totals(counts, rules)
    totals.flags.writeable = False  # cached: all callers share them
    return ClassOdds(classes, rules, counts, totals)


def trump_in_hand(masks: NDArray[np.int64], class_trump: NDArray[np.int64]) -> NDArray[np.int64]:
    """Trumps said for the hand that stands for a class, in the suits of hands of that class.

    Parameters
    ----------
    masks : int64 (n,)
        Hands.
    class_trump : int64 (n,)
        For each, a suit 0-3 of the hand that stands for its class, or -1.
    """
    relabelled = np.stack([relabel(masks, relabelling) for relabelling in RELABELLINGS])
    used = np.argmin(relabelled, axis=0)
    # A relabelling sends suit s to RELABELLINGS[used][s]; we want the s that went to the trump.
    inverse = np.argsort(np.array(RELABELLINGS), axis=1)
    return np.where(class_trump < 0, -1, inverse[used, class_trump])
