"""The careful play of the cards: the rules of ``docs/strategies.md``, in their order."""

from __future__ import annotations

from collections.abc import Sequence

from ghostsim.cards import Card
from ghostsim.strategies.words import (
    cheapest,
    highest,
    is_high,
    lane_of,
    plain_cards_in,
    trump_of,
    trumps_in,
    wins_so_far,
)
from ghostsim.table.view import View


def careful_card(view: View) -> Card:
    """The card that a careful player plays, who remembers every card that he has seen.

    Parameters
    ----------
    view : View
        Of a seat that has to play.

    Returns
    -------
    Card
        A legal one.

    Examples
    --------
    The left bower is out, so the declarer does not lead the ace of trumps; his ace of hearts is
    high.

    >>> from ghostsim.cards import Suit
    >>> from ghostsim.rules import STANDARD, Bid
    >>> hand = tuple(map(Card, ("AS", "KS", "AH", "9H", "TD", "9C")))
    >>> careful_card(
    ...     View(rules=STANDARD, seat=1, dealer=0, scores=(0, 0, 0), hand=hand, declarer=1,
    ...          bid=Bid.THREE, trump=Suit.SPADES, leader=1)
    ... )
    Card('AH')
    """
    return follow(view) if view.trick else lead(view)


def lead(view: View) -> Card:
    """The card to lead. The numbers are those of the page."""
    trump, out = trump_of(view), view.unseen
    trumps, plain = trumps_in(view.hand, trump), plain_cards_in(view.hand, trump)
    is_declarer = view.seat == view.declarer
    others_have_trumps = bool(trumps_in(out, trump))

    # 1. Draw trumps with a master.
    if is_declarer and trumps and others_have_trumps:
        top = highest(trumps, trump)
        if is_high(top, out, trump):
            return top
    # 2. Cash a plain card that is high.
    high = [card for card in plain if is_high(card, out, trump)]
    if high:
        return likeliest_to_live(high, view)
    # 3. Draw trumps with a long suit.
    if is_declarer and len(trumps) >= 3 and others_have_trumps:
        return highest(trumps, trump)
    # 4. Give a trick away cheaply.
    if plain:
        return cheapest(plain, trump) if is_declarer else lowest_of_shortest(plain, view)
    # 5. Only trumps are left.
    top = highest(trumps, trump)
    return top if is_high(top, out, trump) else cheapest(trumps, trump)


def likeliest_to_live(high: Sequence[Card], view: View) -> Card:
    """Of cards that are high, the highest of the suit of which most cards are out.

    The more are out, the likelier the others are to follow suit.
    """
    trump = trump_of(view)
    lanes_out = [lane_of(card, trump) for card in view.unseen]

    def place(card: Card) -> tuple[int, int, int]:
        lane = lane_of(card, trump)
        return -lanes_out.count(lane), lane, -card.strength(trump)

    return min(high, key=place)


def lowest_of_shortest(plain: Sequence[Card], view: View) -> Card:
    """The lowest card of the shortest plain suit; of equals the lower rank, then lane order."""
    trump = trump_of(view)
    lanes = [lane_of(card, trump) for card in plain]

    def place(card: Card) -> tuple[int, int, int]:
        lane = lane_of(card, trump)
        return lanes.count(lane), card.rank, lane

    return min(plain, key=place)


def follow(view: View) -> Card:
    """The card to play to a trick that somebody else led. The numbers are those of the page."""
    trump, out = trump_of(view), view.unseen
    winning = [card for card in view.legal if wins_so_far(card, view)]
    can_follow = view.legal[0].suit_under(trump) == view.led

    # 4. The trick is lost.
    if not winning:
        return cheapest(view.legal, trump) if can_follow else discard(view)
    # 1. Last to play: win it as cheaply as can be.
    if len(view.trick) == 2:
        return cheapest(winning, trump)
    # 2. Second hand low, but for a card that nobody can beat in its suit.
    if can_follow:
        high = [card for card in winning if is_high(card, out, trump)]
        return cheapest(high or view.legal, trump)
    # 3. Ruff.
    return cheapest(winning, trump)


def discard(view: View) -> Card:
    """The card to throw away on a trick that is lost: the lowest that is not high."""
    trump, out = trump_of(view), view.unseen
    plain = plain_cards_in(view.hand, trump)
    worthless = [card for card in plain if not is_high(card, out, trump)]
    lanes = [lane_of(card, trump) for card in plain]

    def place(card: Card) -> tuple[int, int, int]:
        lane = lane_of(card, trump)
        return card.rank, lanes.count(lane), lane

    if worthless:
        return min(worthless, key=place)
    return cheapest(plain or view.hand, trump)
