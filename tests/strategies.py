"""Hypothesis strategies for the things of the game. Failing examples shrink to low cards."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ghostsim.cards import Card, Hand, Suit
from ghostsim.deals import Deal
from ghostsim.position import Position
from ghostsim.rules import Bid, Rules

#: The bits of a mask of cards, and the cards they are (DESIGN 4).
DECK = range(24)

seats: SearchStrategy[int] = st.integers(0, 2)
suits: SearchStrategy[Suit] = st.sampled_from(Suit)
#: A suit named as trump.
trumps = suits
bids: SearchStrategy[Bid] = st.sampled_from(Bid)
cards: SearchStrategy[Card] = st.sampled_from(DECK).map(Card.from_index)
#: Seeds and deal numbers: any unsigned word of 64 bits.
words: SearchStrategy[int] = st.integers(0, 2**64 - 1)

#: The eight ways to rename the suits that keep the two of a colour together, written out by hand:
#: suit s (spades 0, clubs 1, hearts 2, diamonds 3) becomes entry s.
EIGHT_RELABELLINGS = (
    (0, 1, 2, 3),
    (0, 1, 3, 2),
    (1, 0, 2, 3),
    (1, 0, 3, 2),
    (2, 3, 0, 1),
    (2, 3, 1, 0),
    (3, 2, 0, 1),
    (3, 2, 1, 0),
)
relabellings: SearchStrategy[tuple[int, int, int, int]] = st.sampled_from(EIGHT_RELABELLINGS)


def card_sets(n: int) -> SearchStrategy[frozenset[int]]:
    """Bit numbers of n different cards."""
    return st.frozensets(st.sampled_from(DECK), min_size=n, max_size=n)


def as_mask(bits: Any) -> int:
    """The mask with these bits set."""
    return sum(1 << bit for bit in bits)


#: Six cards as a mask, and as a Hand.
hand_masks: SearchStrategy[int] = card_sets(6).map(as_mask)
hands: SearchStrategy[Hand] = hand_masks.map(Hand.from_mask)


@st.composite
def layouts(draw: st.DrawFn, tricks: int | None = None) -> tuple[int, int, int]:
    """Three masks by seat of as many different cards each, 1 to 6 if not told; the rest is out."""
    n = draw(st.integers(1, 6)) if tricks is None else tricks
    order = draw(st.permutations(DECK))
    return as_mask(order[:n]), as_mask(order[n : 2 * n]), as_mask(order[2 * n : 3 * n])


@st.composite
def deals(draw: st.DrawFn) -> Deal:
    """All 24 cards dealt, six to each seat and six to the ghost."""
    first, second, third = draw(layouts(tricks=6))
    return Deal(hands=(Hand.from_mask(first), Hand.from_mask(second), Hand.from_mask(third)))


#: For each field of Rules, every value that it may have.
RULES_FIELDS: dict[str, SearchStrategy[Any]] = {
    "target": st.integers(1, 1_000_000),
    "moon_points": st.integers(0, 1000),
    "moon_set_points": st.integers(0, 1000),
    "min_bid": st.integers(3, 6),
    "swaps_per_deal": st.integers(0, 1),
    "revoke_penalty": st.integers(0, 1000),
    "set_keeps_tricks": st.booleans(),
    "defenders_score": st.booleans(),
    "all_pass": st.sampled_from(["redeal", "dealer_bids"]),
    "first_bidder": st.sampled_from(["left_of_dealer", "dealer"]),
}
rules: SearchStrategy[Rules] = st.fixed_dictionaries({}, optional=RULES_FIELDS).map(
    lambda fields: Rules(**fields)
)


@st.composite
def tricks_by_seat(draw: st.DrawFn) -> tuple[int, int, int]:
    """How many of the six tricks each seat took."""
    first = draw(st.integers(0, 6))
    second = draw(st.integers(0, 6 - first))
    return first, second, 6 - first - second


#: A line of play: which of the cards that he may play each player takes, round and round.
lines_of_play: SearchStrategy[list[int]] = st.lists(st.integers(0, 5), max_size=18)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """A position reached by any legal play from any deal, whoever declares and leads."""
    position = Position(
        draw(deals()).hands,
        draw(trumps),
        declarer=draw(seats),
        leader=draw(st.none() | seats),
        bid=draw(st.none() | bids),
    )
    for choice in draw(lines_of_play):
        position = position.play(position.legal[choice % len(position.legal)])
    return position
