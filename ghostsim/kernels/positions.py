"""Rows of positions, as card masks: whole deals, endings, and tricks under way.

A row is three masks of the cards still held, by seat; up to two cards of the current trick (their
numbers 0-23 in order of play, -1 for none); trump; the declarer's seat; the seat that led the
trick. All rows of one call have n tricks to go, the current one included. Arrays of one row stand
for all. The caller has checked that each seat has n cards, the trick's included, all different.
"""

from __future__ import annotations

import numpy as np

from ghostsim._jit import jit
from ghostsim.kernels.bits import popcount, rank, squeeze
from ghostsim.kernels.endgame import best_tricks, highest
from ghostsim.kernels.openings import N_HANDS, N_SPLITS
from ghostsim.kernels.relabel import (
    FORMS,
    count_lengths,
    lay_out,
    squeeze_lanes,
    to_lanes,
)
from ghostsim.kernels.selfish import selfish_outcome

#: Rows whose table entries are worked out before the first of them is read.
ROWS_AHEAD = 256


@jit()
def set_up(hands, trick, trump, declarer, leader):
    """A row as the searches take it.

    Returns the lanes of all cards in play, the lengths, the lanes of the declarer's and of his
    left's cards (each with the card it has played to the trick), the leader as counted from the
    declarer, the cards forced, and the lanes led (0 before a card is led).
    """
    own, left, right = hands[declarer], hands[(declarer + 1) % 3], hands[(declarer + 2) % 3]
    first = (leader - declarer) % 3
    on_table = 0
    led = 0
    for place in range(2):
        card = np.int64(trick[place])
        if card >= 0:
            mask = 1 << card
            on_table |= mask
            player = (first + place) % 3
            if player == 0:
                own |= mask
            elif player == 1:
                left |= mask
            else:
                right |= mask
            if place == 0:
                lead = to_lanes(mask, trump)
                for lane in range(0, 32, 8):
                    if lead >> lane & 0x7F:
                        led = 0x7F << lane
    own_lanes = to_lanes(own, trump)
    left_lanes = to_lanes(left, trump)
    keep = own_lanes | left_lanes | to_lanes(right, trump)
    forced = 0
    if on_table:
        forced = squeeze_lanes(to_lanes(on_table, trump), keep)
    return (
        keep,
        count_lengths(keep),
        squeeze_lanes(own_lanes, keep),
        squeeze_lanes(left_lanes, keep),
        first,
        forced,
        led,
    )


@jit()
def solve_rows(hands, trick, trump, declarer, leader, n, depth, table, out):
    """Fill ``out``, int8: the declarer's tricks of the n to go, against the coalition."""
    for i in range(len(hands)):
        _, lengths, own, left, first, forced, _ = set_up(
            hands[i],
            trick[i % len(trick)],
            trump[i % len(trump)],
            declarer[i % len(declarer)],
            leader[i % len(leader)],
        )
        out[i] = best_tricks(n, lengths, own, left, first, forced, 0, n, depth, table)


@jit()
def solve_rows_selfishly(hands, trick, trump, declarer, leader, n, depth, ranks, tables, out):
    """Fill ``out``, int8: the outcomes of the n tricks to go when every seat is selfish."""
    for i in range(len(hands)):
        _, lengths, own, left, first, forced, _ = set_up(
            hands[i],
            trick[i % len(trick)],
            trump[i % len(trump)],
            declarer[i % len(declarer)],
            leader[i % len(leader)],
        )
        out[i] = selfish_outcome(n, lengths, own, left, first, forced, 0, depth, ranks, tables)


@jit()
def read_rows(hands, trump, declarer, table, out):
    """Fill ``out``, int8: the declarer's tricks of whole deals that he leads to, by look-up alone.

    ``table`` is the opening table: half a byte for each (pattern, split). Entries are found for
    many rows before any is read, so that the reads, each from another part of memory, overlap.
    """
    entries = np.empty(ROWS_AHEAD, dtype=np.int64)
    for start in range(0, len(hands), ROWS_AHEAD):
        stop = min(start + ROWS_AHEAD, len(hands))
        for i in range(start, stop):
            seat = declarer[i % len(declarer)]
            named = trump[i % len(trump)]
            own = to_lanes(hands[i, seat], named)
            left = to_lanes(hands[i, (seat + 1) % 3], named)
            keep = own | left | to_lanes(hands[i, (seat + 2) % 3], named)
            lengths = count_lengths(keep)
            form = np.int64(FORMS[lengths])
            own = lay_out(squeeze_lanes(own, keep), form, lengths)
            left = lay_out(squeeze_lanes(left, keep), form, lengths)
            left = squeeze(left, ~own & ((1 << 18) - 1))
            entries[i - start] = ((form & 63) * N_HANDS + rank(own, 6)) * N_SPLITS + rank(left, 6)
        for i in range(start, stop):
            entry = entries[i - start]
            out[i] = table[entry >> 1] >> ((entry & 1) << 2) & 7


@jit()
def top_of_run(slot, hand):
    """The highest of the cards that lie next to each other from a card of a hand upwards."""
    while slot << 1 & hand:
        slot <<= 1
    return slot


@jit()
def runs_to_play(hand, led):
    """The cards that may be played, and one card, the highest, of each run among them."""
    legal = hand & led
    if legal == 0:
        legal = hand
    return legal, legal & ~(hand >> 1)


@jit()
def spread_values(cards, trump, keep, hand, legal, values, out):
    """Write the value of each legal card, taken from the top of its run; -1 for other cards.

    ``cards`` the mask of the seat to play; ``values`` by slot; ``out`` int8 (24,) by card.
    """
    for card in range(24):
        out[card] = -1
        if cards >> card & 1:
            slot = squeeze_lanes(to_lanes(1 << card, trump), keep)
            if slot & legal:
                out[card] = values[popcount(top_of_run(slot, hand) - 1)]


@jit()
def card_rows(hands, trick, trump, declarer, leader, n, depth, table, out):
    """Fill ``out``, int8 (rows, 24): ``solve_rows`` after each card; -1 if it is not legal."""
    values = np.empty(32, dtype=np.int8)
    for i in range(len(hands)):
        played = trick[i % len(trick)]
        named = trump[i % len(trump)]
        seat = leader[i % len(leader)]
        keep, lengths, own, left, first, forced, led = set_up(
            hands[i], played, named, declarer[i % len(declarer)], seat
        )
        cards = hands[i, (seat + int(played[0] >= 0) + int(played[1] >= 0)) % 3]
        hand = squeeze_lanes(to_lanes(cards, named), keep)
        legal, plays = runs_to_play(hand, led)
        while plays:
            card = highest(plays)
            plays ^= card
            values[popcount(card - 1)] = best_tricks(
                n, lengths, own, left, first, forced | card, 0, n, depth, table
            )
        spread_values(cards, named, keep, hand, legal, values, out[i])


@jit()
def card_rows_selfishly(hands, trick, trump, declarer, leader, n, depth, ranks, tables, out):
    """Fill ``out``, int8 (rows, 24): ``solve_rows_selfishly`` after each card; -1 if not legal."""
    values = np.empty(32, dtype=np.int8)
    for i in range(len(hands)):
        played = trick[i % len(trick)]
        named = trump[i % len(trump)]
        seat = leader[i % len(leader)]
        keep, lengths, own, left, first, forced, led = set_up(
            hands[i], played, named, declarer[i % len(declarer)], seat
        )
        cards = hands[i, (seat + int(played[0] >= 0) + int(played[1] >= 0)) % 3]
        hand = squeeze_lanes(to_lanes(cards, named), keep)
        legal, plays = runs_to_play(hand, led)
        while plays:
            card = highest(plays)
            plays ^= card
            values[popcount(card - 1)] = selfish_outcome(
                n, lengths, own, left, first, forced | card, 0, depth, ranks, tables
            )
        spread_values(cards, named, keep, hand, legal, values, out[i])
