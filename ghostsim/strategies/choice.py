"""The best of a pass and every bid in every trump, once each has its worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ghostsim.cards import Suit
from ghostsim.rules import Bid
from ghostsim.strategies.base import StrategyError

#: What each bid in each trump is worth: points, or points summed over some layouts.
Worth: TypeAlias = Mapping[tuple[Bid, Suit], int]


@dataclass(frozen=True)
class Choice:
    """A pass, or a bid and the trump it is meant for, and what that is worth.

    Attributes
    ----------
    worth : int
        In the unit of the ``Worth`` it was chosen by.
    bid : Bid or None
        None for a pass.
    trump : Suit or None
    """

    worth: int
    bid: Bid | None = None
    trump: Suit | None = None


def best_choice(worth: Worth, bids: Iterable[Bid], passing: int | None) -> Choice:
    """The choice that is worth most; of equals a pass, the lower bid, the first of S C H D.

    Parameters
    ----------
    worth : Worth
    bids : iterable of Bid
        Those that can be made, low to high.
    passing : int or None
        What a pass is worth; None if it is no choice.

    Examples
    --------
    >>> worth = {(bid, suit): 4 if bid == 4 else 0 for bid in Bid for suit in Suit}
    >>> best_choice(worth, Bid, passing=3)
    Choice(worth=4, bid=<Bid.FOUR: 4>, trump=<Suit.SPADES: 0>)
    >>> best_choice(worth, Bid, passing=4).bid is None
    True

    Raises
    ------
    StrategyError
        If there is nothing to choose from.
    """
    best = None if passing is None else Choice(passing)
    for bid in bids:
        for suit in Suit:
            if best is None or worth[bid, suit] > best.worth:
                best = Choice(worth[bid, suit], bid, suit)
    if best is None:
        raise StrategyError("there is nothing to choose from: no bid is allowed, and no pass")
    return best


def best_trump(worth: Worth, bid: Bid) -> Suit:
    """The trump that is worth most for a bid; of equals the first in the order S C H D."""
    return max(Suit, key=lambda suit: worth[bid, suit])
