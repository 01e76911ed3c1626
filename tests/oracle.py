"""A slow, obvious solver of Ghost Hand Euchre in plain Python: the tests' oracle.

Written from the rules (DESIGN 2), the two defences (DESIGN 5) and the bit layout (DESIGN 4), it
imports nothing of ghostsim, so that the library's mistakes cannot be repeated here. A card is a
string of rank and suit: "JS", "TH", "9D". Seats are 0, 1, 2 clockwise. Cards out of play (the
ghost's, those of finished tricks) are absent.

A position in the middle of a trick is given by the cards still held, the seat that led the trick,
and `played`, the trick's none, one or two cards in the order they were played, which are no longer
in the hands. Tricks to come count that trick.

`python tests/oracle.py --perft` writes tests/goldens/perft.txt to standard output.
"""

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TypeAlias, TypedDict, Unpack

Cards: TypeAlias = tuple[str, ...]
Hands: TypeAlias = tuple[Cards, Cards, Cards]
Memo: TypeAlias = dict[tuple[Hands, int], int]

# Tricks, or points, by seat.
BySeat: TypeAlias = tuple[int, int, int]
# What is kept of the selfish defence: by hands, leader and, if there is a bid, the declarer's
# tricks so far.
SelfishMemo: TypeAlias = dict[tuple[Hands, int, int], BySeat]

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


def _without(hands: Hands, played: Collection[str]) -> Hands:
    """Return the hands with the played cards taken out."""
    first, second, third = (tuple(card for card in hand if card not in played) for hand in hands)
    return first, second, third


def coalition_card_tricks(
    hands: Sequence[Collection[str]],
    trump: str,
    declarer: int,
    leader: int,
    played: Sequence[str] = (),
    memo: Memo | None = None,
) -> dict[str, int]:
    """Return, for each card that may be played now, the declarer's tricks to come if it is.

    Parameters
    ----------
    hands : sequence of three collections of str
        Cards by seat still held.
    trump : str
        One of the letters S, C, H, D.
    declarer : int
        Seat.
    leader : int
        Seat that leads the trick or has led it.
    played : sequence of str
        The trick's cards so far, none to two; the next seat is to play.
    memo : dict, optional
        Kept from call to call it saves work; one for each trump and declarer.

    Notes
    -----
    After the card, everybody plays best: the declarer for the most tricks, both defenders together
    for the fewest. The trick that the card belongs to is counted. It is
    `coalition_card_tricks_naive` with the savings of `coalition_tricks`.
    """
    start = _at_trick_start(hands, leader, played)
    choices = _one_of_each_run(start, trump)
    memo = {} if memo is None else memo
    return {
        card: _best_in_trick(start, choices, (*played, card), trump, declarer, leader, memo)
        for card in _legal_now(hands, trump, leader, played)
    }


def coalition_card_tricks_naive(
    hands: Sequence[Collection[str]],
    trump: str,
    declarer: int,
    leader: int,
    played: Sequence[str] = (),
) -> dict[str, int]:
    """Return what `coalition_card_tricks` does, by trying every line of play."""
    start = _at_trick_start(hands, leader, played)
    return {
        card: _best_from(_without(start, (*played, card)), (*played, card), trump, declarer, leader)
        for card in _legal_now(hands, trump, leader, played)
    }


def _at_trick_start(hands: Sequence[Collection[str]], leader: int, played: Sequence[str]) -> Hands:
    """Return the hands as they were when the trick began: each played card is back in its hand."""
    assert len(played) <= 2, "a trick of three cards is over"
    given_back = [list(hand) for hand in hands]
    for place, card in enumerate(played):
        given_back[(leader + place) % 3].append(card)
    return _as_hands(given_back)


def _legal_now(
    hands: Sequence[Collection[str]], trump: str, leader: int, played: Sequence[str]
) -> list[str]:
    """Return the cards that the seat to play may play."""
    return legal_plays(hands[(leader + len(played)) % 3], played[0] if played else None, trump)


def declarer_points(
    bid: int,
    tricks: int,
    moon_points: int = 24,
    moon_set_points: int = 6,
    set_keeps_tricks: bool = False,
) -> int:
    """Return the declarer's points of the deal (DESIGN 2.8); a bid of 6 is the moon."""
    if tricks < bid:
        lost = moon_set_points if bid == 6 else bid
        return (tricks if set_keeps_tricks else 0) - lost
    return moon_points if bid == 6 else tricks


class Scoring(TypedDict, total=False):
    """The rules that the selfish defence depends on; what is left out is as in `Contract`."""

    moon_points: int
    moon_set_points: int
    set_keeps_tricks: bool
    defenders_score: bool


@dataclass(frozen=True)
class Contract:
    """What is played for; without a bid everybody counts tricks and nothing else."""

    trump: str
    declarer: int
    bid: int | None = None
    moon_points: int = 24
    moon_set_points: int = 6
    set_keeps_tricks: bool = False
    defenders_score: bool = True

    def points(self, tricks: BySeat, taken: int) -> BySeat:
        """Return what each seat plays for, given the tricks to come and the declarer's so far.

        That is the declarer's points of the whole deal, and a defender's from here on.
        """
        if self.bid is None:
            return tricks
        points = [to_come if self.defenders_score else 0 for to_come in tricks]
        points[self.declarer] = declarer_points(
            self.bid,
            taken + tricks[self.declarer],
            self.moon_points,
            self.moon_set_points,
            self.set_keeps_tricks,
        )
        return points[0], points[1], points[2]


def selfish_preference(values: BySeat, seat: int, declarer: int) -> tuple[int, ...]:
    """Return a key that is greater for tricks, or points, that the seat likes better (DESIGN 5).

    Everybody wants the most for himself. An indifferent defender wants the least for the declarer,
    then the least for the other defender. An indifferent declarer wants the least for the defenders
    together, then the most even split between them, then the least for the left one.
    """
    left, right = (declarer + 1) % 3, (declarer + 2) % 3
    if seat == declarer:
        together = values[left] + values[right]
        unevenness = abs(values[left] - values[right])
        return values[declarer], -together, -unevenness, -values[left]
    other = right if seat == left else left
    return values[seat], -values[declarer], -values[other]


def selfish_choice(
    outcomes: Collection[BySeat], seat: int, contract: Contract, taken: int
) -> BySeat:
    """Return the outcome, tricks to come by seat, that the seat picks.

    Points decide. If they are alike, which the standard rules do not allow for different tricks,
    tricks decide in the same way. Two different outcomes are never alike in both, as the numbers
    that a key compares fix all three.
    """
    return max(
        outcomes,
        key=lambda tricks: (
            selfish_preference(contract.points(tricks, taken), seat, contract.declarer),
            selfish_preference(tricks, seat, contract.declarer),
        ),
    )


def selfish_tricks(
    hands: Sequence[Collection[str]],
    trump: str,
    declarer: int,
    leader: int,
    played: Sequence[str] = (),
    bid: int | None = None,
    taken: int = 0,
    *,
    memo: SelfishMemo | None = None,
    **scoring: Unpack[Scoring],
) -> BySeat:
    """Return the tricks to come by seat if each seat plays for itself alone (max^n).

    Parameters
    ----------
    hands, trump, declarer, leader, played
        As for `coalition_card_tricks`.
    bid : int, optional
        3, 4, 5 or 6, the moon: seats play for their points of the deal. Without it, for tricks.
    taken : int
        The declarer's tricks so far, without the current trick; with a bid only.
    memo : dict, optional
        Kept from call to call it saves work; one for each trump, declarer, bid and scoring.
    **scoring
        Rules other than the standard ones, by the names of `Scoring`.

    Notes
    -----
    All cards are seen, and everybody knows how the others choose (`selfish_choice`). It is
    `selfish_tricks_naive` with the two savings of `coalition_tricks`. Leaving out equal cards is
    right here too, since the choice looks at nothing but the tricks that an outcome brings.
    """
    values = selfish_card_tricks(
        hands, trump, declarer, leader, played, bid, taken, memo=memo, **scoring
    )
    contract = Contract(trump, declarer, bid, **scoring)
    seat = (leader + len(played)) % 3
    return selfish_choice(values.values(), seat, contract, taken) if values else (0, 0, 0)


def selfish_card_tricks(
    hands: Sequence[Collection[str]],
    trump: str,
    declarer: int,
    leader: int,
    played: Sequence[str] = (),
    bid: int | None = None,
    taken: int = 0,
    *,
    memo: SelfishMemo | None = None,
    **scoring: Unpack[Scoring],
) -> dict[str, BySeat]:
    """Return, for each card that may be played now, the tricks to come by seat if it is.

    The arguments are those of `selfish_tricks`.
    """
    start = _at_trick_start(hands, leader, played)
    _check_taken(start, bid, taken)
    contract = Contract(trump, declarer, bid, **scoring)
    choices = _one_of_each_run(start, trump)
    memo = {} if memo is None else memo
    return {
        card: _selfish_in_trick(start, choices, (*played, card), leader, contract, taken, memo)
        for card in _legal_now(hands, trump, leader, played)
    }


def selfish_tricks_naive(
    hands: Sequence[Collection[str]],
    trump: str,
    declarer: int,
    leader: int,
    played: Sequence[str] = (),
    bid: int | None = None,
    taken: int = 0,
    **scoring: Unpack[Scoring],
) -> BySeat:
    """Return the tricks to come as `selfish_tricks` does, by trying every line of play."""
    start = _at_trick_start(hands, leader, played)
    _check_taken(start, bid, taken)
    contract = Contract(trump, declarer, bid, **scoring)
    return _selfish_from(_without(start, played), tuple(played), leader, contract, taken)


def _check_taken(start: Hands, bid: int | None, taken: int) -> None:
    """Refuse tricks that the declarer cannot have: there are six in the deal."""
    assert 0 <= taken <= 6 - len(start[0]), "more tricks taken than have been played"
    assert bid is not None or taken == 0, "tricks so far matter only with a bid"


def _selfish_from(
    hands: Hands, played: Cards, leader: int, contract: Contract, taken: int
) -> BySeat:
    """Return the tricks to come by seat; `taken` is without the current trick, `played`."""
    if len(played) == 3:
        winner = trick_winner(played, leader, contract.trump)
        taken_now = taken + (winner == contract.declarer)
        return _one_more(_selfish_from(hands, (), winner, contract, taken_now), winner)
    seat = (leader + len(played)) % 3
    if not hands[seat]:
        return 0, 0, 0
    outcomes = [
        _selfish_from(_without(hands, (card,)), (*played, card), leader, contract, taken)
        for card in legal_plays(hands[seat], played[0] if played else None, contract.trump)
    ]
    return selfish_choice(outcomes, seat, contract, taken)


def _selfish_at_trick_start(
    hands: Hands, leader: int, contract: Contract, taken: int, memo: SelfishMemo
) -> BySeat:
    """Return the tricks to come by seat, nothing played to the trick yet."""
    if not hands[0]:
        return 0, 0, 0
    position = (hands, leader, 0 if contract.bid is None else taken)
    if position not in memo:
        choices = _one_of_each_run(hands, contract.trump)
        memo[position] = _selfish_in_trick(hands, choices, (), leader, contract, taken, memo)
    return memo[position]


def _selfish_in_trick(
    hands: Hands,
    choices: Hands,
    played: Cards,
    leader: int,
    contract: Contract,
    taken: int,
    memo: SelfishMemo,
) -> BySeat:
    """Return the tricks to come; `hands`, `choices` and `taken` are those of the trick's start."""
    if len(played) == 3:
        winner = trick_winner(played, leader, contract.trump)
        taken_now = taken + (winner == contract.declarer)
        rest = _selfish_at_trick_start(_without(hands, played), winner, contract, taken_now, memo)
        return _one_more(rest, winner)
    seat = (leader + len(played)) % 3
    outcomes = [
        _selfish_in_trick(hands, choices, (*played, card), leader, contract, taken, memo)
        for card in legal_plays(choices[seat], played[0] if played else None, contract.trump)
    ]
    return selfish_choice(outcomes, seat, contract, taken)


def _one_more(tricks: BySeat, winner: int) -> BySeat:
    """Return the tricks with one more for the winner."""
    first, second, third = (count + (seat == winner) for seat, count in enumerate(tricks))
    return first, second, third


def perft(
    hands: Sequence[Collection[str]],
    trump: str,
    leader: int,
    max_depth: int,
    played: Sequence[str] = (),
) -> list[int]:
    """Return how many ways there are to play 1, 2, ... `max_depth` cards by the rules.

    Two ways differ if any card differs, or the order in which they are played. At each depth the
    positions that can arise are kept with the number of ways that lead there, so that a full deal
    to its end takes seconds and not days. Depths beyond the last card have no way.
    """
    start = _without(_at_trick_start(hands, leader, played), played)
    ways = {(start, leader, tuple(played)): 1}
    counts = []
    for _ in range(max_depth):
        ways_then: dict[tuple[Hands, int, Cards], int] = {}
        for (held, led_by, trick), number in ways.items():
            for card in _legal_now(held, trump, led_by, trick):
                after = _after_card(held, trump, led_by, trick, card)
                ways_then[after] = ways_then.get(after, 0) + number
        ways = ways_then
        counts.append(sum(ways.values()))
    return counts


def count_plays(
    hands: Sequence[Collection[str]],
    trump: str,
    leader: int,
    played: Sequence[str] = (),
    *,
    depth: int,
) -> int:
    """Return how many ways there are to play the next `depth` cards by the rules."""
    return perft(hands, trump, leader, depth, played)[-1] if depth else 1


def count_plays_naive(
    hands: Sequence[Collection[str]],
    trump: str,
    leader: int,
    played: Sequence[str] = (),
    *,
    depth: int,
) -> int:
    """Return what `count_plays` does, by playing out every way."""
    if depth == 0:
        return 1
    held = _without(_at_trick_start(hands, leader, played), played)
    after = [
        _after_card(held, trump, leader, tuple(played), card)
        for card in _legal_now(held, trump, leader, played)
    ]
    return sum(
        count_plays_naive(hands_then, trump, leader_then, trick_then, depth=depth - 1)
        for hands_then, leader_then, trick_then in after
    )


def _after_card(
    hands: Hands, trump: str, leader: int, played: Cards, card: str
) -> tuple[Hands, int, Cards]:
    """Return the hands, the leader and the trick's cards once the card is played."""
    hands, played = _without(hands, (card,)), (*played, card)
    if len(played) == 3:
        return hands, trick_winner(played, leader, trump), ()
    return hands, leader, played


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


# The deals of tests/goldens/perft.txt: what they show, the hands by seat, trump, declarer (who
# leads). They were put together by hand, each for one thing that the rules of play must get right.
PERFT_DEALS: tuple[tuple[str, str, str, int], ...] = (
    (
        "both bowers and two more trumps; the ghost has AC QD TD JH 9H QH",
        "JS JC AS KS AH 9D / QS TS 9S AD KC QC / TC 9C KH JD TH KD",
        "S",
        0,
    ),
    (
        "the left bower is the only trump beside the declarer's, among cards of its printed suit",
        "JH AH KH QH TH AS / JD AD KD QD KS QS / TD 9D JS TS AC KC",
        "H",
        0,
    ),
    (
        "each defender has a bower and nothing else of trump or next",
        "AD KD QD TD 9D AH / JD AS KS QS JS TS / JH AC KC QC JC TC",
        "D",
        0,
    ),
    (
        "nobody can ever follow, as each hand is a suit of its own: (6!)^3 ways",
        "JS JC AS KS QS TS / AH KH QH JH TH 9H / AD KD QD JD TD 9D",
        "S",
        0,
    ),
    (
        "the same, but the trump is clubs, of which the spades have the left bower and nobody more",
        "AH KH QH JH TH 9H / AS KS QS JS TS 9S / AD KD QD JD TD 9D",
        "C",
        0,
    ),
    (
        "all six of the declarer's cards are trumps; the left bower, the seventh, must follow",
        "JC AC KC QC TC 9C / JS AS KS QH JH TH / TS 9S QS AD KD 9D",
        "C",
        0,
    ),
    (
        "the same deal, played by the one who has the left bower and no other trump",
        "JC AC KC QC TC 9C / JS AS KS QH JH TH / TS 9S QS AD KD 9D",
        "C",
        1,
    ),
    (
        "the left defender is void of trump and of one plain suit, declarer is seat 2",
        "KD QD TD AC KC QC / 9D 9S AS JS JC TC / JH JD AH 9H AD KS",
        "H",
        2,
    ),
    (
        "in print two cards of three suits in every hand; but JH is the left bower, the only trump",
        "AS 9S KH TH QC TC / KS TS AH QH 9C JC / QS JS 9H JH AC KC",
        "D",
        1,
    ),
)

PERFT_DEPTH = 18


def perft_deal(text: str) -> Hands:
    """Return the hands of a text such as "JS JC / AH KH / 9D TD"."""
    return _as_hands([hand.split() for hand in text.split(" / ")])


def perft_lines(max_depth: int = PERFT_DEPTH) -> Iterator[str]:
    """Yield the lines of tests/goldens/perft.txt, up to some depth."""
    yield "# How many ways there are to play the first 1, 2, ... 18 cards of a deal by the rules."
    yield "#"
    yield "# The oracle (tests/oracle.py) counted them. To count them again:"
    yield "#"
    yield "#     python tests/oracle.py --perft > tests/goldens/perft.txt"
    yield "#"
    yield "# Hands are those of seats 0, 1, 2; the declarer leads. Lines: depth, count."
    for name, text, trump, declarer in PERFT_DEALS:
        yield ""
        yield f"# {name}"
        yield f"deal {text} / trump {trump} / declarer {declarer}"
        counts = perft(perft_deal(text), trump, declarer, max_depth)
        for depth, count in enumerate(counts, start=1):
            yield f"{depth} {count}"


if __name__ == "__main__":
    if sys.argv[1:] != ["--perft"]:
        sys.exit("usage: python tests/oracle.py --perft")
    for line in perft_lines():
        sys.stdout.write(line + "\n")
