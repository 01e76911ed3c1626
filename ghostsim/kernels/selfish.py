"""Double-dummy play of three players who each want their own best: max^n tables, and search.

An **outcome** is how many of the tricks to go the declarer and the defender on his left take; the
right defender takes the rest. The 28 outcomes of up to six tricks are numbered, and a seat's wishes
are a rank for each: ``ranks[n, taken, role, outcome]``, int8, the higher the better. n are the
tricks to go, ``taken`` those that the declarer took before (his contract may depend on them), role
0 the declarer, 1 the left defender, 2 the right one. No two outcomes of n tricks have one rank, so
play is unique but for cards worth the same.

**A table** is that of ``ghostsim.kernels.endgame`` with outcomes in the place of values: uint16,
five bits for each leader, ``outcome[0] | outcome[1] << 5 | outcome[2] << 10``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ghostsim._jit import jit
from ghostsim.kernels.bits import rank, spread, squeeze
from ghostsim.kernels.endgame import (
    DECLARER_HANDS,
    LEFT_HANDS,
    first_choices,
    follow_choices,
    highest,
    lane_number,
    take_out,
)
from ghostsim.kernels.relabel import FORMS, TRUMP_LANE, all_slots, lay_out, take_up

#: The tricks of the declarer and of his left, by the number of the outcome; int8 (28, 2).
OUTCOMES = np.array(
    [(declarer, left) for declarer in range(7) for left in range(7 - declarer)], dtype=np.int8
)
N_OUTCOMES = len(OUTCOMES)


def _plus_a_trick() -> NDArray[np.int8]:
    """``PLUS[winner, outcome]``: the outcome with one more trick for the winner."""
    numbers = {(d, m): i for i, (d, m) in enumerate(OUTCOMES.tolist())}
    plus = np.zeros((3, N_OUTCOMES), dtype=np.int8)
    for (declarer, left), number in numbers.items():
        plus[0, number] = numbers.get((declarer + 1, left), 0)
        plus[1, number] = numbers.get((declarer, left + 1), 0)
        plus[2, number] = number
    return plus


PLUS = _plus_a_trick()


@jit()
def look_up_outcome(n, lengths, declarer, left, leader, table):
    """The outcome of a position from the table for its n tricks."""
    form = np.int64(FORMS[lengths])
    declarer = lay_out(declarer, form, lengths)
    left = squeeze(lay_out(left, form, lengths), ~declarer & ((1 << 3 * n) - 1))
    entry = ((form & 63) * DECLARER_HANDS[n] + rank(declarer, n)) * LEFT_HANDS[n] + rank(left, n)
    return np.int64(table[entry]) >> 5 * leader & 31


@jit(
    "int64(int64, int64, int64, int64, int64, int64, int64, int64, int8[:, :, :, ::1], "
    "UniTuple(uint16[::1], 3))"
)
def selfish_outcome(n, lengths, declarer, left, leader, forced, taken, depth, ranks, tables):
    """The outcome of the n tricks to go, by search to ``depth`` tricks and look-up there.

    Arguments as in ``best_tricks``; ``taken`` are the declarer's tricks since the search began,
    ``ranks`` begins with what he had then, and ``tables[k]`` is the table for ``depth`` tricks when
    he has taken k since then. Every play is tried: what one seat gains another need not lose, so
    that alpha-beta would skip too much.
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

    best_1, rank_1 = np.int64(-1), np.int64(-1)
    plays_1 = first_choices(first_hand, forced)
    while plays_1:
        card_1 = highest(plays_1)
        plays_1 ^= card_1
        lane_1 = lane_number(card_1)
        led = 0x7F << 8 * lane_1
        winning = led | TRUMP_LANE
        lengths_1, declarer_1, left_1 = take_out(lengths, declarer, left, card_1, lane_1)

        best_2, rank_2 = np.int64(-1), np.int64(-1)
        plays_2 = follow_choices(second_hand, led, forced)
        third_choices = follow_choices(third_hand, led, forced)
        while plays_2:
            card_2 = plays_2 & -plays_2
            plays_2 ^= card_2
            lane_2 = lane_number(card_2)
            over = card_2 > card_1
            slot_2 = card_2 >> int(over and lane_2 == lane_1)
            lengths_2, declarer_2, left_2 = take_out(lengths_1, declarer_1, left_1, slot_2, lane_2)
            if over and card_2 & winning:
                ahead, ahead_card = second, card_2
            else:
                ahead, ahead_card = leader, card_1

            best_3, rank_3 = np.int64(-1), np.int64(-1)
            plays_3 = third_choices
            while plays_3:
                card_3 = plays_3 & -plays_3
                plays_3 ^= card_3
                lane_3 = lane_number(card_3)
                over_1 = int(card_3 > card_1 and lane_3 == lane_1)
                over_2 = int(card_3 > card_2 and lane_3 == lane_2)
                slot_3 = card_3 >> over_1 + over_2
                lengths_3, declarer_3, left_3 = take_out(
                    lengths_2, declarer_2, left_2, slot_3, lane_3
                )
                winner = third if card_3 > ahead_card and card_3 & winning else ahead
                then = taken + int(winner == 0)
                if n - 1 == depth:
                    rest = look_up_outcome(
                        depth, lengths_3, declarer_3, left_3, winner, tables[then]
                    )
                else:
                    rest = selfish_outcome(
                        n - 1,
                        lengths_3,
                        declarer_3,
                        left_3,
                        winner,
                        np.int64(0),  # a bare 0 is a type of its own: it crashes from the cache
                        then,
                        depth,
                        ranks,
                        tables,
                    )
                outcome = np.int64(PLUS[winner, rest])
                its_rank = np.int64(ranks[n, taken, third, outcome])
                if its_rank > rank_3:
                    best_3, rank_3 = outcome, its_rank

            its_rank = np.int64(ranks[n, taken, second, best_3])
            if its_rank > rank_2:
                best_2, rank_2 = best_3, its_rank

        its_rank = np.int64(ranks[n, taken, leader, best_2])
        if its_rank > rank_1:
            best_1, rank_1 = best_2, its_rank
    return best_1


@jit()
def build_selfish_table(n, shapes, declarer_hands, left_hands, ranks, previous, start, stop, table):
    """Write the part of a max^n ``table`` for n tricks that belongs to some declarer's hands.

    As ``build_table`` does; ``previous[k]`` is the table for n - 1 tricks when the declarer has
    taken k of this one.
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
                outcome = selfish_outcome(
                    n, lengths, declarer, left, leader, 0, 0, n - 1, ranks, previous
                )
                entry = entry << 5 | outcome
            table[number * len(left_hands) + i] = entry
