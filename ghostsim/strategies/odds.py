"""Strategies that bid and swap by the exact odds of their own hand.

All is counted in whole points summed over layouts: no two choices are equal or different by
rounding. The numbers come from the opening patterns that ship with the package.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghostsim.cards import Card, Hand, Mask, Suit
from ghostsim.rules import Bid, Rules
from ghostsim.strategies.base import Strategy, StrategyError
from ghostsim.strategies.careful import careful_card
from ghostsim.strategies.choice import Worth, best_choice, best_trump
from ghostsim.strategies.words import cheapest, trump_of, trumps_in, wins_so_far
from ghostsim.table.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITS = math.comb(12, 6)
GHOSTS = math.comb(18, 6)
#: Layouts with the ghost unknown: 17,153,136.
LAYOUTS = GHOSTS * SPLITS

_MOST_POINTS = 1000


@dataclass(frozen=True)
class Odds(Strategy):
    """Bids and swaps by the exact odds of its hand, and plays carefully.

    Parameters
    ----------
    open_points : float
        What it takes a pass to be worth before anybody has bid, in points; from -1000 to 1000.
    over_points : float
        The same over somebody's bid.

    Raises
    ------
    StrategyError
        If a number is out of range.
    TypeError
        If it is not a number.
    """

    open_points: float = 0.0
    over_points: float = 0.0

    def __post_init__(self) -> None:
        for name in ("open_points", "over_points"):
            own, value = type(self).__name__.lower(), getattr(self, name)
            if isinstance(value, bool) or not hasattr(value, "__float__"):
                raise TypeError(f"{own}: {name} must be a number of points, not {value!r}")
            points = float(value)
            if not -_MOST_POINTS <= points <= _MOST_POINTS:  # nor is nan
                raise StrategyError(
                    f"{own}: {name} must be points from {-_MOST_POINTS} to {_MOST_POINTS}, "
                    f"not {value}"
                )
            object.__setattr__(self, name, points)

    def swap(self, view: View) -> bool:
        hand, bids, rules = Hand(view.hand), view.bids, view.rules
        if not bids:
            return False
        keeping = best_choice(
            worth_of_bids(hand, None, rules), bids, self.worth_of_pass(view, LAYOUTS)
        )
        return worth_of_swap(hand, bids, self.worth_of_pass(view, SPLITS), rules) > keeping.worth

    def bid(self, view: View) -> Bid | None:
        layouts = LAYOUTS if view.dead is None else SPLITS
        worth = worth_of_bids(Hand(view.hand), view.dead, view.rules)
        return best_choice(worth, view.bids, self.worth_of_pass(view, layouts)).bid

    def name_trump(self, view: View) -> Suit:
        if view.bid is None:
            raise StrategyError("no trump can be named: nobody has bid in this view")
        return best_trump(worth_of_bids(Hand(view.hand), view.dead, view.rules), view.bid)

    def play(self, view: View) -> Card:
        return careful_card(view)

    def worth_of_pass(self, view: View, layouts: int) -> int | None:
        """Points of a pass summed over some layouts; None where a pass is no choice."""
        if view.must_bid:
            return None
        return round((self.open_points if view.bid is None else self.over_points) * layouts)


@dataclass(frozen=True)
class Cheat(Odds):
    """Bids and plays as odds does, but revokes to ruff where the table lets a revoke stand.

    Parameters
    ----------
    open_points, over_points : float
        As for ``Odds``.
    tricks : str
        The tricks it revokes in, digits 1 to 6.

    Raises
    ------
    StrategyError
        If a parameter is out of range.
    TypeError
        If one is of another type.
    """

    tricks: str = "123456"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.tricks, str):
            raise TypeError(f"cheat: tricks must be a text of digits 1-6, not {self.tricks!r}")
        in_order = "".join(digit for digit in "123456" if digit in self.tricks)
        if not self.tricks or sorted(self.tricks) != list(in_order):
            raise StrategyError(
                f"cheat: tricks must be digits 1 to 6, each once, like 456, not {self.tricks!r}"
            )
        object.__setattr__(self, "tricks", in_order)

    def play(self, view: View) -> Card:
        number = str(len(view.tricks) + 1)
        revoke = ruffing_revoke(view) if view.revokes_allowed and number in self.tricks else None
        return careful_card(view) if revoke is None else revoke


def ruffing_revoke(view: View) -> Card | None:
    """The cheapest trump that wins the trick, of a seat that must follow and cannot win; or None.

    None also if the seat may play a trump: that is no revoke.
    """
    trump, led = trump_of(view), view.led
    if led is None or led == trump:
        return None
    follows = [card for card in view.hand if card.suit_under(trump) == led]
    ruffs = [card for card in trumps_in(view.hand, trump) if wins_so_far(card, view)]
    if not follows or not ruffs or any(wins_so_far(card, view) for card in follows):
        return None
    return cheapest(ruffs, trump)


# ------------------------------------------------------------------------------- the exact numbers


def worth_of_bids(hand: Hand, dead: Hand | None, rules: Rules) -> Worth:
    """The declarer's points of every bid in every trump, summed over the layouts.

    Parameters
    ----------
    hand : Hand
    dead : Hand or None
        The six dead cards if the seat knows them: then there are 924 layouts, else 17,153,136.
    rules : Rules

    Examples
    --------
    >>> worth = worth_of_bids(Hand("JS JC AS KS AH AD"), None, Rules())
    >>> worth[Bid.MOON, Suit.SPADES] == 24 * LAYOUTS
    True
    """
    from ghostsim.class_odds import bid_totals

    totals = bid_totals(_trick_counts(hand, dead), rules).tolist()
    return {(bid, suit): totals[suit][i] for i, bid in enumerate(rules.bids) for suit in Suit}


@functools.lru_cache(maxsize=4096)
def _trick_counts(hand: Hand, dead: Hand | None) -> NDArray[np.int64]:
    """Layouts by trump and the declarer's tricks; int64 (4, 7)."""
    import numpy as np

    from ghostsim.odds import trick_distribution

    return np.stack([trick_distribution(hand, suit, dead).counts for suit in Suit])


def worth_of_swap(hand: Hand, bids: tuple[Bid, ...], passing: int | None, rules: Rules) -> int:
    """Points of the new hand, summed over 18,564 ghosts and the 924 splits of each.

    Parameters
    ----------
    hand : Hand
        The hand given up, dead afterwards.
    bids : tuple of Bid
        Those that can be made.
    passing : int or None
        What a pass is worth, summed over 924 splits; None if it is no choice.
    rules : Rules

    Examples
    --------
    >>> from ghostsim.odds import swap_value
    >>> hand, rules = Hand("9S TS 9C TC 9H TH"), Rules()
    >>> worth_of_swap(hand, rules.bids, 0, rules) / LAYOUTS == swap_value(hand)
    True
    """
    import numpy as np

    from ghostsim.hand_classes import canonical

    # The same for all hands of a class: suits that change names change no maximum over trumps.
    mask = int(canonical(np.array([hand.mask]))[0])
    return _worth_of_swap(mask, bids, passing, rules)


@functools.lru_cache(maxsize=4096)
def _worth_of_swap(dead: Mask, bids: tuple[Bid, ...], passing: int | None, rules: Rules) -> int:
    import numpy as np

    from ghostsim.class_odds import ghost_totals

    best = _best_by_pattern(bids, passing, rules)
    return int(ghost_totals(np.array([dead]), best[np.newaxis])[0, 0])


@functools.lru_cache(maxsize=8)
def _best_by_pattern(bids: tuple[Bid, ...], passing: int | None, rules: Rules) -> NDArray[np.int32]:
    """By opening pattern, the points of the best of the bids or a pass, over the 924 splits."""
    import numpy as np

    from ghostsim.class_odds import bid_totals
    from ghostsim.openings import shipped_patterns

    totals = bid_totals(shipped_patterns().astype(np.int64), rules)
    best = totals[:, [rules.bids.index(bid) for bid in bids]].max(axis=1)
    if passing is not None:
        best = np.maximum(best, passing)
    points: NDArray[np.int32] = best.astype(np.int32)  # within 924,000 of zero
    return points
