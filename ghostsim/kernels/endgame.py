"""Double-dummy play against a coalition of defenders: endgame tables, and search down to them.

A position at the start of a trick is (n tricks to go, lengths, and the lanes of the declarer, of
the defender on his left and of the one on his right); the leader is counted from the declarer:
0 he, 1 left, 2 right. Its value is the number of the n tricks that the declarer takes when he
plays for as many as he can and both defenders, seeing everything, for as few.

**A table** holds all values for n tricks, one byte a position, its three digits in base six the
values by leader: ``value[0] + 6 * value[1] + 36 * value[2]``. The entry of a position is numbered
(shape, subset of 3n slots the declarer holds, subset of the other 2n the left defender holds).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ghostsim._jit import jit
from ghostsim.kernels.bits import rank, spread, squeeze
from ghostsim.kernels.relabel import (
    FORMS,
    TRUMP_LANE,
    all_slots,
    count_lengths,
    lay_out,
    squeeze_lanes,
    take_up,
    to_lanes,
)

DECLARER_HANDS = np.array([math.comb(3 * n, n) for n in range(7)], dtype=np.int64)
LEFT_HANDS = np.array([math.comb(2 * n, n) for n in range(7)], dtype=np.int64)


def _digits() -> NDArray[np.uint8]:
    """``DIGITS[leader, entry]``: the value in a table entry for a leader."""
    entry = np.arange(256)
    return np.stack([entry % 6, entry // 6 % 6, entry // 36]).astype(np.uint8)


DIGITS = _digits()


@jit()
def lane_number(card):
    """The lane, 0-3, that a card (one bit) lies in."""
    # int, because without the compiler the sum of two numpy truth values is their "or".
    return int(card > 0xFF) + int(card > 0xFFFF) + int(card > 0xFF_FFFF)


@jit()
def highest(mask):
    """The highest bit set in lanes that are not empty."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    return mask ^ mask >> 1


@jit()
def drop(lanes, card, lane):
    """Take a card out of lanes; what lies above it in its lane moves down by one slot."""
    above = lane & -card
    return lanes & ~above | lanes >> 1 & above


@jit()
def choices(hand, led):
    """The plays worth trying: follow to the lane led if possible, one card of each sequence.

    Cards of one hand that are next to each other among the cards in play are worth the same, so
    the highest of each run stands for the run.
    """
    follow = hand & led
    if follow:
        hand = follow
    return hand & ~(hand >> 1)


@jit()
def take_out(lengths, declarer, left, card, lane):
    """Lengths, and the lanes of two hands, after one card has left the play."""
    slots = 0x7F << 8 * lane
    return lengths - (1 << 3 * lane), drop(declarer, card, slots), drop(left, card, slots)


@jit()
def first_choices(hand, forced):
    """``choices`` of a leader, or the card he has led."""
    card = hand & forced
    return card if card else choices(hand, 0)


@jit()
def follow_choices(hand, led, forced):
    """``choices`` of a hand that follows, or the card it has played."""
    card = hand & forced
    return card if card else choices(hand, led)


@jit()
def cheapest(plays, ahead, winning):
    """Of some plays the lowest that beats the card ahead, or else the lowest.

    Trying cards in this order cuts a sixth of the look-ups off a search that tries high cards
    first. ``winning`` are the slots of the suit led and of trump.
    """
    winners = plays & winning & -(ahead << 1)
    if winners:
        plays = winners
    return plays & -plays


@jit()
def look_up(n, lengths, declarer, left, leader, table):
    """The value of a position from the table for its n tricks."""
    form = np.int64(FORMS[lengths])
    declarer = lay_out(declarer, form, lengths)
    left = squeeze(lay_out(left, form, lengths), ~declarer & ((1 << 3 * n) - 1))
    entry = ((form & 63) * DECLARER_HANDS[n] + rank(declarer, n)) * LEFT_HANDS[n] + rank(left, n)
    return np.int64(DIGITS[leader, table[entry]])


@jit("int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, uint8[::1])")
def best_tricks(n, lengths, declarer, left, leader, forced, low, high, depth, table):
    """The declarer's tricks of the n to go, by search to ``depth`` tricks and look-up there.

    Alpha-beta: only values between ``low`` and ``high`` are told apart, what is below or above
    counts as one of these. At each card the declarer raises ``low``, or a defender lowers
    ``high``, and the rest is skipped where they meet. (0, n) gives the exact value.

    ``forced`` are cards, at most one a hand, that their owners must play to the first trick: those
    on the table already. 0 for none. The caller gives lanes squeezed to the cards in play, those
    on the table included, 0 <= depth < n, and the table for ``depth`` tricks.
    """
    right = all_slots(lengths) ^ declarer ^ left
    if leader == 0:
        first_hand, second_hand, third_hand = declarer, left, right
    elif leader == 1:
        first_hand, second_hand, third_hand = left, right, declarer
    else:
        first_hand, second_hand, third_hand = right, declarer, left
    second = (leader + 1) % 3
    third = (leader + 2) % 3

    plays_1 = first_choices(first_hand, forced)
    while plays_1 and low < high:
        card_1 = highest(plays_1)
        plays_1 ^= card_1
        lane_1 = lane_number(card_1)
        led = 0x7F << 8 * lane_1
        winning = led | TRUMP_LANE
        lengths_1, declarer_1, left_1 = take_out(lengths, declarer, left, card_1, lane_1)

        low_2, high_2 = low, high
        plays_2 = follow_choices(second_hand, led, forced)
        third_choices = follow_choices(third_hand, led, forced)
        while plays_2 and low_2 < high_2:
            card_2 = cheapest(plays_2, card_1, winning)
            plays_2 ^= card_2
            lane_2 = lane_number(card_2)
            # The cards played before have left the lanes: a card above one is a slot lower now.
            over = card_2 > card_1
            slot_2 = card_2 >> int(over and lane_2 == lane_1)
            lengths_2, declarer_2, left_2 = take_out(lengths_1, declarer_1, left_1, slot_2, lane_2)
            if over and card_2 & winning:
                ahead, ahead_card = second, card_2
            else:
                ahead, ahead_card = leader, card_1

            low_3, high_3 = low_2, high_2
            plays_3 = third_choices
            while plays_3 and low_3 < high_3:
                card_3 = cheapest(plays_3, ahead_card, winning)
                plays_3 ^= card_3
                lane_3 = lane_number(card_3)
                over_1 = int(card_3 > card_1 and lane_3 == lane_1)
                over_2 = int(card_3 > card_2 and lane_3 == lane_2)
                slot_3 = card_3 >> over_1 + over_2
                lengths_3, declarer_3, left_3 = take_out(
                    lengths_2, declarer_2, left_2, slot_3, lane_3
                )
                winner = third if card_3 > ahead_card and card_3 & winning else ahead
                won = 1 if winner == 0 else 0
                if n - 1 == depth:
                    value = won + look_up(depth, lengths_3, declarer_3, left_3, winner, table)
                else:
                    value = won + best_tricks(
                        n - 1,
                        lengths_3,
                        declarer_3,
                        left_3,
                        winner,
                        np.int64(0),  # a bare 0 is a type of its own: it crashes from the cache
                        max(low_3 - won, 0),
                        min(high_3 - won, n - 1),
                        depth,
                        table,
                    )
                if third == 0:
                    low_3 = max(low_3, value)
                else:
                    high_3 = min(high_3, value)

            if second == 0:
                low_2 = max(low_2, high_3)
            else:
                high_2 = min(high_2, low_3 if third == 0 else high_3)

        if leader == 0:
            low = max(low, high_2)
        else:
            high = min(high, low_2 if second == 0 else high_2)
    return low if leader == 0 else high


@jit()
def build_table(n, shapes, declarer_hands, left_hands, previous, start, stop, table):
    """Write the part of ``table`` for n tricks that belongs to some declarer's hands.

    Hands are numbered through all shapes: number ``shape * len(declarer_hands) + hand``, from
    ``start`` to ``stop``. ``shapes`` int64 (shapes, 4); ``declarer_hands`` the subsets of n of
    3n slots, ``left_hands`` of n of 2n; ``previous`` the table for n - 1 tricks.
    """
    for number in range(start, stop):
        shape = shapes[number // len(declarer_hands)]
        mask = declarer_hands[number % len(declarer_hands)]
        lengths = shape[1] | shape[2] << 3 | shape[3] << 6 | shape[0] << 9
        others = ~mask & ((1 << 3 * n) - 1)
        declarer = take_up(mask, lengths)
        for i in range(len(left_hands)):
            left = take_up(spread(left_hands[i], others), lengths)
            entry = 0
            for leader in (2, 1, 0):
                entry = 6 * entry + best_tricks(
                    n, lengths, declarer, left, leader, 0, 0, n, n - 1, previous
                )
            table[number * len(left_hands) + i] = entry


@jit()
def deal_tricks(first, second, third, trump, leader, depth, table):
    """The declarer's tricks of a deal: card masks of his hand, his left's, his right's."""
    declarer = to_lanes(first, trump)
    left = to_lanes(second, trump)
    keep = declarer | left | to_lanes(third, trump)
    return best_tricks(
        6,
        count_lengths(keep),
        squeeze_lanes(declarer, keep),
        squeeze_lanes(left, keep),
        leader,
        0,
        0,
        6,
        depth,
        table,
    )
