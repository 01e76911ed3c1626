"""Strategies that a beginner and a club player could have: by lot, by trumps, by the hand count."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ghostsim._checks import whole_number
from ghostsim.cards import Card, Hand, Suit
from ghostsim.rules import Bid
from ghostsim.strategies.base import Strategy, StrategyError
from ghostsim.strategies.careful import careful_card
from ghostsim.strategies.words import (
    best_suit,
    cheapest,
    counted_suit,
    highest,
    lane_of,
    plain_cards_in,
    trump_of,
    trumps_in,
    wins_so_far,
)
from ghostsim.table.view import View


@dataclass(frozen=True)
class Random(Strategy):
    """Makes every choice by lot, among those that the rules allow."""

    def swap(self, view: View) -> bool:
        return bool(view.bids) and view.random(2) == 1

    def bid(self, view: View) -> Bid | None:
        choices = [None, *view.bids]
        return choices[view.random(len(choices))]

    def name_trump(self, view: View) -> Suit:
        return Suit(view.random(4))

    def play(self, view: View) -> Card:
        trump = trump_of(view)
        legal = sorted(view.legal, key=lambda card: (lane_of(card, trump), card.strength(trump)))
        return legal[view.random(len(legal))]


@dataclass(frozen=True)
class Novice(Strategy):
    """Bids as many tricks as it counts trumps, leads from the top, and wins as high as it can."""

    def swap(self, view: View) -> bool:
        return bool(view.bids) and Hand(view.hand).best_holding().trumps <= 2

    def bid(self, view: View) -> Bid | None:
        trumps = Hand(view.hand).best_holding().trumps
        return next((bid for bid in view.bids if bid == trumps), None)

    def name_trump(self, view: View) -> Suit:
        return best_suit(Hand(view.hand))

    def play(self, view: View) -> Card:
        trump = trump_of(view)
        if not view.trick:
            trumps, plain = trumps_in(view.hand, trump), plain_cards_in(view.hand, trump)
            leads_trump = trumps and (view.seat == view.declarer or not plain)
            return highest(trumps if leads_trump else plain, trump)
        winning = [card for card in view.legal if wins_so_far(card, view)]
        if winning:
            return highest(trumps_in(winning, trump) or winning, trump)
        return cheapest(view.legal, trump)


@dataclass(frozen=True)
class Steady(Strategy):
    """Bids and swaps by the hand count, and plays carefully.

    Parameters
    ----------
    three, four, five, moon : int
        The hand counts, 0 to 20, from which a hand is good for a bid.
    swap_below : int
        The hand count, 0 to 20, below which it swaps.

    Raises
    ------
    StrategyError
        If a count is out of range.
    TypeError
        If one is not a whole number.
    """

    three: int = 4
    four: int = 5
    five: int = 6
    moon: int = 7
    swap_below: int = 5

    def __post_init__(self) -> None:
        for field in fields(self):
            count = whole_number(getattr(self, field.name), f"steady: {field.name}")
            if not 0 <= count <= 20:
                raise StrategyError(
                    f"steady: {field.name} must be a hand count from 0 to 20, not {count}"
                )
            object.__setattr__(self, field.name, count)

    def swap(self, view: View) -> bool:
        return bool(view.bids) and Hand(view.hand).count() < self.swap_below

    def bid(self, view: View) -> Bid | None:
        if not view.bids:
            return None
        count = Hand(view.hand).count()
        if count >= self.moon:
            return Bid.MOON
        lowest = view.bids[0]
        is_good = count >= self._needed(lowest)
        return lowest if is_good or view.must_bid else None

    def _needed(self, bid: Bid) -> int:
        """The count that a bid needs."""
        by_bid = {Bid.THREE: self.three, Bid.FOUR: self.four, Bid.FIVE: self.five}
        return by_bid.get(bid, self.moon)

    def name_trump(self, view: View) -> Suit:
        return counted_suit(Hand(view.hand))

    def play(self, view: View) -> Card:
        return careful_card(view)
