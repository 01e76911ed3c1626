"""The words of ``docs/strategies.md`` about cards, which several strategies use."""

from __future__ import annotations

from collections.abc import Iterable

from ghostsim.cards import Card, Hand, Suit
from ghostsim.position import trick_winner
from ghostsim.strategies.base import StrategyError
from ghostsim.table.view import View


def trump_of(view: View) -> Suit:
    """The trump of a view of the play."""
    if view.trump is None:
        raise StrategyError("no card can be played yet: no trump has been named in this view")
    return view.trump


def best_suit(hand: Hand) -> Suit:
    """The suit of the best holding: most trumps, then bowers, then outside aces, then S C H D.

    >>> best_suit(Hand("AS KS QS 9H TH JH"))
    <Suit.HEARTS: 2>
    """
    return max(Suit, key=hand.holding)  # of equals, max takes the first


def count_of(hand: Hand, suit: Suit) -> int:
    """The count of a suit: trumps, bowers once more, outside aces."""
    held = hand.holding(suit)
    return held.trumps + held.bowers + held.outside_aces


def counted_suit(hand: Hand) -> Suit:
    """The suit of the hand count; of equals the first in the order S C H D."""
    return max(Suit, key=lambda suit: count_of(hand, suit))


def lane_of(card: Card, trump: Suit) -> int:
    """The place of the card's suit in lane order: next 0, the green suits 1 and 2, trump 3.

    >>> [lane_of(Card(text), Suit.CLUBS) for text in ("AS", "AH", "AD", "AC", "JS")]
    [0, 1, 2, 3, 3]
    """
    suit = card.suit_under(trump)
    green = [other for other in Suit if other not in (trump, trump.next)]
    return [trump.next, *green, trump].index(suit)


def trumps_in(cards: Iterable[Card], trump: Suit) -> list[Card]:
    """The trumps among some cards, the left bower too."""
    return [card for card in cards if card.suit_under(trump) == trump]


def plain_cards_in(cards: Iterable[Card], trump: Suit) -> list[Card]:
    """The cards that are no trumps."""
    return [card for card in cards if card.suit_under(trump) != trump]


def cheapest(cards: Iterable[Card], trump: Suit) -> Card:
    """Plain before trump, then the lowest, of equal ranks the first in lane order.

    >>> cheapest(map(Card, ("9S", "JC", "AH", "AD")), Suit.SPADES)
    Card('AH')
    """
    return min(
        cards,
        key=lambda card: (
            card.suit_under(trump) == trump,
            card.strength(trump),
            lane_of(card, trump),
        ),
    )


def highest(cards: Iterable[Card], trump: Suit) -> Card:
    """The highest of some trumps or of some plain cards; of equal ranks the first in lane order."""
    return min(cards, key=lambda card: (-card.strength(trump), lane_of(card, trump)))


def is_high(card: Card, out: Iterable[Card], trump: Suit) -> bool:
    """Whether no card that is out and of the same suit in play beats it.

    >>> is_high(Card("AS"), [Card("JC"), Card("9S")], Suit.SPADES)
    False
    """
    return not any(
        other.suit_under(trump) == card.suit_under(trump)
        and other.strength(trump) > card.strength(trump)
        for other in out
    )


def wins_so_far(card: Card, view: View) -> bool:
    """Whether a card would beat the one that is winning the trick at the moment."""
    return trick_winner((*view.trick, card), 0, trump_of(view)) == len(view.trick)
