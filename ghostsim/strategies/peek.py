"""The strategy that sees all cards: what perfect sight is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ghostsim.cards import ALL_CARDS, Card, Mask, Suit
from ghostsim.rules import Bid, Rules
from ghostsim.strategies.base import Strategy, StrategyError
from ghostsim.strategies.choice import Worth, best_choice, best_trump
from ghostsim.strategies.words import cheapest, trump_of
from ghostsim.table.view import View

if TYPE_CHECKING:
    from ghostsim.table.deal import DealState


@dataclass(frozen=True)
class Peek(Strategy):
    """Sees all cards, bids what its hand will take and plays double dummy."""

    sees_all_cards: ClassVar[bool] = True

    def swap(self, view: View) -> bool:
        if not view.bids:
            return False
        hands = held_by_seat(view)
        ghost = ALL_CARDS & ~(hands[0] | hands[1] | hands[2])
        swapped = [ghost if seat == view.seat else hand for seat, hand in enumerate(hands)]
        passing = None if view.must_bid else 0
        keeping, swapping = (
            best_choice(worth_of_bids(held, view.seat, view.rules), view.bids, passing)
            for held in (hands, swapped)
        )
        return swapping.worth > keeping.worth

    def bid(self, view: View) -> Bid | None:
        worth = worth_of_bids(held_by_seat(view), view.seat, view.rules)
        return best_choice(worth, view.bids, None if view.must_bid else 0).bid

    def name_trump(self, view: View) -> Suit:
        if view.bid is None:
            raise StrategyError("no trump can be named: nobody has bid in this view")
        return best_trump(worth_of_bids(held_by_seat(view), view.seat, view.rules), view.bid)

    def play(self, view: View) -> Card:
        from ghostsim.batches import card_values_many

        trump = trump_of(view)
        if view.declarer is None:
            raise StrategyError("no card can be played yet: nobody declares in this view")
        # Not through a Position: that refuses a trick in which somebody has revoked.
        trick = [card.index for card in view.trick]
        tricks_by_card = card_values_many(
            [held_by_seat(view)],
            trump,
            declarer=view.declarer,
            leader=view.leader,
            trick=[*trick, -1, -1][:2],
            tricks=view.taken,
        )[0]
        values = {card: int(tricks_by_card[card.index]) for card in view.legal}
        goal = max if view.seat == view.declarer else min
        best = goal(values.values())
        return cheapest((card for card in view.legal if values[card] == best), trump)


def held_by_seat(view: View) -> list[Mask]:
    """The cards that each seat holds now, as masks."""
    state: DealState | None = getattr(view, "state", None)
    if state is None:
        raise StrategyError("peek sees all cards: it needs an OpenView, with the state of the deal")
    return [sum(card.mask for card in hand) for hand in state.hands]


def worth_of_bids(hands: Sequence[Mask], seat: int, rules: Rules) -> Worth:
    """The points that a seat would score by every bid in every trump, as the cards lie."""
    from ghostsim.batches import solve_many

    tricks = solve_many([hands] * 4, trump=list(Suit), declarer=seat).tolist()
    return {
        (bid, suit): rules.declarer_points(bid, tricks[suit]) for bid in rules.bids for suit in Suit
    }
