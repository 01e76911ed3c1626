"""A slow, obvious solver of Ghost Hand Euchre in plain Python: the tests' oracle.

Written from the rules (DESIGN 2) and the bit layout (DESIGN 4), it imports nothing of ghostsim, so
that the library's mistakes cannot be repeated here. A card is a string of rank and suit: "JS",
"TH", "9D". Seats are 0, 1, 2 clockwise. Cards out of play (the ghost's, those played) are absent.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import TypeAlias

Cards: TypeAlias = tuple[str, ...]
Hands: TypeAlias = tuple[Cards, Cards, Cards]
Memo: TypeAlias = dict[tuple[Hands, int], int]

# In the order of DESIGN 4, so that DECK[i] is the card of bit i.
SUITS = "SCHD"
RANKS = "9TJQKA"
DECK: Cards = tuple(rank + suit for suit in SUITS for rank in RANKS)

SAME_COLOUR = {"S": "C", "C": "S", "H": "D", "D": "H"}


def is_left_bower(card: str, trump: str) -> bool:
    """Tell whether the card is the jack of the other suit of trump's colour."""
    return card == "J" + SAME_COLOUR[trump]


@cache
def effective_suit(card: str, trump: str) -> str:
    """Return the suit that the card follows and leads as: the left bower is a trump."""
    return trump if is_left_bower(card, trump) else card[1]


@cache
def strength(card: str, trump: str) -> int:
    """Return the card's place in its effective suit; only cards of one suit may be compared."""
    if card == "J" + trump:
        return 7
    if is_left_bower(card, trump):
        return 6
    return RANKS.index(card[0])


def legal_plays(hand: Collection[str], led_card: str | None, trump: str) -> list[str]:
    """Return the cards that may be played: those of the suit led if there are any, else all."""
    if led_card is None:
        return list(hand)
    suit_led = effective_suit(led_card, trump)
    return [card for card in hand if effective_suit(card, trump) == suit_led] or list(hand)


def beats(card: str, other: str, trump: str) -> bool:
    """Tell whether the card beats one played before it that is winning the trick."""
    if effective_suit(card, trump) == effective_suit(other, trump):
        return strength(card, trump) > strength(other, trump)
    return effective_suit(card, trump) == trump


def trick_winner(cards: Sequence[str], leader: int, trump: str) -> int:
    """Return the seat that wins the trick; the cards are in the order they were played."""
    winning = 0
    for place in range(1, len(cards)):
        if beats(cards[place], cards[winning], trump):
            winning = place
    return (leader + winning) % 3


def coalition_tricks_naive(
    hands: Sequence[Collection[str]], trump: str, declarer: int, leader: int
) -> int:
    """Return the declarer's tricks as `coalition_tricks` does, by trying every line of play."""
    return _best_from(_as_hands(hands), (), trump, declarer, leader)


def _best_from(hands: Hands, played: Cards, trump: str, declarer: int, leader: int) -> int:
    """Return the declarer's tricks from here on, `played` being the trick's cards so far."""
    if len(played) == 3:
        winner = trick_winner(played, leader, trump)
        return (winner == declarer) + _best_from(hands, (), trump, declarer, winner)
    seat = (leader + len(played)) % 3
    if not hands[seat]:
        return 0
    values = [
        _best_from(_without(hands, (card,)), (*played, card), trump, declarer, leader)
        for card in legal_plays(hands[seat], played[0] if played else None, trump)
    ]
    return max(values) if seat == declarer else min(values)


def coalition_tricks(
    hands: Sequence[Collection[str]], trump: str, declarer: int, leader: int
) -> int:
    """Return how many tricks the declarer takes with best play against both defenders together.

    Parameters
    ----------
    hands : sequence of three collections of str
        Cards by seat, one to six each, as many in every hand; no card of the trick is played yet.
    trump : str
        One of the letters S, C, H, D.
    declarer : int
        Seat.
    leader : int
        Seat on lead, the declarer's or not.

    Notes
    -----
    All cards are seen. It is `coalition_tricks_naive` with two savings: a position met again is
    not worked out again, and of a hand's cards that are neighbours in a suit, as no card still in
    play lies between them, only the lowest is tried (`_one_of_each_run`).
    """
    return _best_at_trick_start(_as_hands(hands), trump, declarer, leader, {})


def _best_at_trick_start(hands: Hands, trump: str, declarer: int, leader: int, memo: Memo) -> int:
    """Return the declarer's tricks from here on, nothing played to the trick yet."""
    if not hands[0]:
        return 0
    position = (hands, leader)
    if position not in memo:
        choices = _one_of_each_run(hands, trump)
        memo[position] = _best_in_trick(hands, choices, (), trump, declarer, leader, memo)
    return memo[position]


def _best_in_trick(
    hands: Hands,
    choices: Hands,
    played: Cards,
    trump: str,
    declarer: int,
    leader: int,
    memo: Memo,
) -> int:
    """Return the declarer's tricks from here on; `hands` and `choices` are those of its start."""
    if len(played) == 3:
        winner = trick_winner(played, leader, trump)
        rest = _best_at_trick_start(_without(hands, played), trump, declarer, winner, memo)
        return (winner == declarer) + rest
    seat = (leader + len(played)) % 3
    values = [
        _best_in_trick(hands, choices, (*played, card), trump, declarer, leader, memo)
        for card in legal_plays(choices[seat], played[0] if played else None, trump)
    ]
    return max(values) if seat == declarer else min(values)


def _one_of_each_run(hands: Hands, trump: str) -> Hands:
    """Leave out each card whose next lower one in its suit, of those in play, is in the same hand.

    Swapping the names of two such cards changes neither who beats whom nor who must follow, now or
    later, so that playing one is worth as much as playing the other. The cards of a trick under
    way count as in play: they can lie between two cards of a hand.
    """
    holder = {card: seat for seat, hand in enumerate(hands) for card in hand}
    in_order = sorted(holder, key=lambda card: (effective_suit(card, trump), strength(card, trump)))
    choices: tuple[list[str], list[str], list[str]] = ([], [], [])
    below = None
    for card in in_order:
        continues_run = (
            below is not None
            and holder[below] == holder[card]
            and effective_suit(below, trump) == effective_suit(card, trump)
        )
        if not continues_run:
            choices[holder[card]].append(card)
        below = card
    return tuple(choices[0]), tuple(choices[1]), tuple(choices[2])


def _as_hands(hands: Sequence[Collection[str]]) -> Hands:
    """Return the hands as tuples in one order, so that equal positions are equal keys."""
    first, second, third = (tuple(sorted(hand)) for hand in hands)
    assert len(first) == len(second) == len(third), "hands must be of one size"
    assert len({*first, *second, *third} & set(DECK)) == 3 * len(first), "not 3n different cards"
    return first, second, third


def _without(hands: Hands, played: Cards) -> Hands:
    """Return the hands with the played cards taken out."""
    first, second, third = (tuple(card for card in hand if card not in played) for hand in hands)
    return first, second, third


def declarer_points(bid: int, tricks: int, moon_points: int = 24, moon_set: int = 6) -> int:
    """Return the declarer's points of the deal (DESIGN 2.8); a bid of 6 is the moon."""
    if tricks < bid:
        return -moon_set if bid == 6 else -bid
    return moon_points if bid == 6 else tricks


def ghosts(hand: Collection[str]) -> Iterator[Cards]:
    """Yield each of the 18,564 ghosts that may lie beside a hand of six."""
    return combinations([card for card in DECK if card not in hand], 6)


def splits(hand: Collection[str], dead: Collection[str]) -> Iterator[tuple[Cards, Cards]]:
    """Yield each of the 924 ways to deal the other twelve cards to the left and right defender."""
    others = [card for card in DECK if card not in hand and card not in dead]
    for left in combinations(others, 6):
        yield left, tuple(card for card in others if card not in left)


def distribution_given_dead(hand: Collection[str], dead: Collection[str], trump: str) -> list[int]:
    """Return, for each number of tricks 0-6, in how many of the 924 splits it is what he takes.

    He is the declarer, holds `hand` and leads; `dead` are the six cards out of play.
    """
    # One memo serves all splits: what a position is worth depends on the cards left in each hand
    # and the seat on lead, with trump and declarer the same throughout, and not on how it arose.
    memo: Memo = {}
    counts = [0] * 7
    for left, right in splits(hand, dead):
        hands = _as_hands((hand, left, right))
        counts[_best_at_trick_start(hands, trump, 0, 0, memo)] += 1
    return counts


def card_bit(card: str) -> int:
    """Return the card's bit number by DESIGN 4: 6*suit + rank."""
    suit = {"S": 0, "C": 1, "H": 2, "D": 3}[card[1]]
    rank = {"9": 0, "T": 1, "J": 2, "Q": 3, "K": 4, "A": 5}[card[0]]
    return 6 * suit + rank


def hand_mask(hand: Collection[str]) -> int:
    """Return the hand as a number with the bit of each card set."""
    return sum(1 << card_bit(card) for card in hand)


def mask_hand(mask: int) -> Cards:
    """Return the cards whose bits are set, lowest bit first."""
    return tuple(card for card in DECK if mask >> card_bit(card) & 1)
