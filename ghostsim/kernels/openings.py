"""Opening patterns: how the declarer's tricks are spread over the 924 splits of the other cards.

A pattern is a shape of six tricks and the subset of its 18 slots that the declarer holds; it is
numbered ``shape * 18564 + subset``. ``patterns[number, k]``, uint16, says in how many of the 924
ways to split the other twelve cards between the defenders he takes k tricks, leading himself.

With the dead hand unknown, 18,564 ghosts are possible. All that a ghost does is to take cards out
from between the declarer's, so ghosts that take equally many from each gap are one case. The
**removals** list these cases for one lane: what is left of it, and in how many ways.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ghostsim._jit import jit
from ghostsim.kernels.bits import RANK_HIGH, RANK_LOW, rank, spread
from ghostsim.kernels.endgame import best_tricks
from ghostsim.kernels.relabel import (
    FORMS,
    FULL_LENGTHS,
    SHAPES,
    count_lengths,
    lay_out,
    squeeze_lanes,
    take_up,
    to_lanes,
)

N_HANDS = math.comb(18, 6)  # 18,564: a declarer's hands among 18 cards, and ghosts beside a hand
N_SPLITS = math.comb(12, 6)  # 924
RANK_LOW_6, RANK_HIGH_6 = RANK_LOW[6].copy(), RANK_HIGH[6].copy()  # of hands
N_PATTERNS = len(SHAPES[6]) * N_HANDS


@jit()
def count_patterns(numbers, shapes, hands, splits, depth, table, start, stop, out):
    """Write the histograms of the patterns ``numbers[start:stop]`` to the same rows of ``out``.

    ``shapes`` int64 (29, 4), ``hands`` the subsets of 6 of 18, ``splits`` of 6 of 12.
    """
    for i in range(start, stop):
        shape = shapes[numbers[i] // N_HANDS]
        lengths = shape[1] | shape[2] << 3 | shape[3] << 6 | shape[0] << 9
        mask = hands[numbers[i] % N_HANDS]
        others = ~mask & ((1 << 18) - 1)
        declarer = take_up(mask, lengths)
        out[i] = 0
        for split in splits:
            left = take_up(spread(split, others), lengths)
            out[i, best_tricks(6, lengths, declarer, left, 0, 0, 0, 6, depth, table)] += 1


@jit()
def build_opening_table(shapes, hands, splits, depth, deeper, start, stop, table):
    """Write the part of the opening table that belongs to some declarer's hands.

    The declarer's tricks, he leading, of all splits of all patterns: half a byte each, the even
    split in the low half. Rows are numbered as patterns are; ``shapes`` ... ``deeper`` as for
    ``count_patterns``.
    """
    for number in range(start, stop):
        shape = shapes[number // N_HANDS]
        lengths = shape[1] | shape[2] << 3 | shape[3] << 6 | shape[0] << 9
        mask = hands[number % N_HANDS]
        others = ~mask & ((1 << 18) - 1)
        declarer = take_up(mask, lengths)
        for i in range(0, N_SPLITS, 2):
            pair = 0
            for half in range(2):
                left = take_up(spread(splits[i + half], others), lengths)
                tricks = best_tricks(6, lengths, declarer, left, 0, 0, 0, 6, depth, deeper)
                pair |= tricks << 4 * half
            table[(number * N_SPLITS + i) >> 1] = pair


@jit()
def pattern_number(hand, dead, trump):
    """The pattern of a declarer's hand when six other cards are dead (card masks)."""
    declarer = to_lanes(hand, trump)
    keep = to_lanes(~dead & ((1 << 24) - 1), trump)
    lengths = count_lengths(keep)
    form = np.int64(FORMS[lengths])
    mask = lay_out(squeeze_lanes(declarer, keep), form, lengths)
    return (form & 63) * N_HANDS + rank(mask, 6)


def _removals() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every way to take cards that are not the declarer's out of one lane.

    Returns rows (mask left, ways) and starts: lane length s, declarer's mask m and r cards taken
    have the rows ``starts[s - 5, m, r] : starts[s - 5, m, r + 1]``.
    """
    rows: list[tuple[int, int]] = []
    starts = np.zeros((3, 128, 9), dtype=np.int64)
    for size in (5, 6, 7):
        for mask in range(1 << size):
            # Squeezing one slot at a time, from the top, merges equal results as they arise.
            cases = {(0, 0): 1}  # (cards taken, mask left) -> ways
            for slot in reversed(range(size)):
                grown: dict[tuple[int, int], int] = {}
                for (taken, left), ways in cases.items():
                    options = [(taken, left << 1 | (mask >> slot & 1))]
                    if not mask >> slot & 1:
                        options.append((taken + 1, left))
                    for case in options:
                        grown[case] = grown.get(case, 0) + ways
                cases = grown
            for taken in range(8):
                starts[size - 5, mask, taken] = len(rows)
                rows += [(left, ways) for (r, left), ways in sorted(cases.items()) if r == taken]
            starts[size - 5, mask, 8] = len(rows)
    return np.array(rows, dtype=np.int64), starts


REMOVALS, REMOVAL_STARTS = _removals()


@jit()
def add_counts(declarer, patterns, counts):
    """Add to ``counts``, int64 (7,), the 17,153,136 layouts of a hand with the ghost unknown.

    ``declarer`` his hand in lanes of all 24 cards.
    """
    starts_next = REMOVAL_STARTS[0, declarer & 0x7F]
    starts_green = REMOVAL_STARTS[1, declarer >> 8 & 0x7F]
    starts_other = REMOVAL_STARTS[1, declarer >> 16 & 0x7F]
    starts_trump = REMOVAL_STARTS[2, declarer >> 24]
    for taken_next in range(6):
        for taken_green in range(7 - taken_next):
            for taken_other in range(7 - taken_next - taken_green):
                taken_trump = 6 - taken_next - taken_green - taken_other
                lengths = FULL_LENGTHS - (
                    taken_next | taken_green << 3 | taken_other << 6 | taken_trump << 9
                )
                form = np.int64(FORMS[lengths])
                for i in range(starts_next[taken_next], starts_next[taken_next + 1]):
                    for j in range(starts_green[taken_green], starts_green[taken_green + 1]):
                        for k in range(starts_other[taken_other], starts_other[taken_other + 1]):
                            plain = REMOVALS[i, 0] | REMOVALS[j, 0] << 8 | REMOVALS[k, 0] << 16
                            ways = REMOVALS[i, 1] * REMOVALS[j, 1] * REMOVALS[k, 1]
                            for m in range(
                                starts_trump[taken_trump], starts_trump[taken_trump + 1]
                            ):
                                mask = lay_out(plain | REMOVALS[m, 0] << 24, form, lengths)
                                row = patterns[(form & 63) * N_HANDS + rank(mask, 6)]
                                weight = ways * REMOVALS[m, 1]
                                for tricks in range(7):
                                    counts[tricks] += weight * row[tricks]


@jit()
def add_counts_range(hands, trump, patterns, start, stop, counts):
    """``add_counts`` of the card masks ``hands[start:stop]`` to the same rows of ``counts``."""
    for i in range(start, stop):
        add_counts(to_lanes(hands[i], trump), patterns, counts[i])


@jit()
def number_ghosts(dead, low, high, moved, numbers):
    """Write the pattern of every ghost in every trump when ``dead``, a card mask, is dead.

    ``low`` and ``high``, uint16 (ghosts,), say which of the low and of the high nine of the 18
    other cards are in a ghost; ``moved`` int32 (2, 512) is scratch; ``numbers`` int32 (4, ghosts).
    For each trump the patterns of all ghosts have one shape, and a ghost becomes its subset by
    moving each card to its slot.
    """
    left = ~dead & ((1 << 24) - 1)
    for trump in range(4):
        keep = to_lanes(left, trump)
        lengths = count_lengths(keep)
        form = np.int64(FORMS[lengths])
        shape = np.int32((form & 63) * N_HANDS)
        for half in range(2):
            for cards in range(1, 512):
                lowest = cards & -cards
                if cards == lowest:
                    lanes = to_lanes(spread(cards << 9 * half, left), trump)
                    slot = np.int32(lay_out(squeeze_lanes(lanes, keep), form, lengths))
                else:
                    slot = moved[half, lowest]
                moved[half, cards] = moved[half, cards ^ lowest] | slot
        # Arrays of one dimension, one loop: the compiler turns it into vector instructions.
        moved_low, moved_high, out = moved[0], moved[1], numbers[trump]
        for i in range(len(low)):
            mask = moved_low[low[i]] | moved_high[high[i]]
            out[i] = shape + RANK_LOW_6[mask & 511] + RANK_HIGH_6[mask >> 9]


@jit()
def swap_totals_range(hands, best_points, ghosts, start, stop, out):
    """Sums over all ghosts of the best points of the ghost, when ``hands[start:stop]`` are dead.

    ``hands`` card masks; ``best_points`` int32 (contexts, patterns): in each context, which bids
    are allowed and what a pass is worth, the best points summed over the 924 splits; ``ghosts``
    the subsets of 6 of 18. Writes the same rows of ``out``, int64 (hands, contexts).
    """
    low = (ghosts & 511).astype(np.uint16)
    high = (ghosts >> 9).astype(np.uint16)
    moved = np.zeros((2, 512), dtype=np.int32)
    numbers = np.zeros((4, len(ghosts)), dtype=np.int32)
    for row in range(start, stop):
        number_ghosts(hands[row], low, high, moved, numbers)
        first, second, third, fourth = numbers[0], numbers[1], numbers[2], numbers[3]
        for context in range(len(best_points)):
            points = best_points[context]
            total = 0
            for i in range(len(ghosts)):
                total += max(
                    max(points[first[i]], points[second[i]]),
                    max(points[third[i]], points[fourth[i]]),
                )
            out[row, context] = total


@jit()
def choose_range(hands, dead, patterns, points, start, stop, bid, trump):
    """The best bid and trump of each hand when its dead hand is known; -1 and -1 to pass.

    ``points`` int64 (bids, 7) by tricks; ``hands``, ``dead`` card masks; ``bid``, ``trump`` int64,
    written from ``start`` to ``stop``. Equals go to a pass, the lower bid, the first trump.
    """
    numbers = np.zeros(4, dtype=np.int64)
    for i in range(start, stop):
        for suit in range(4):
            numbers[suit] = pattern_number(hands[i], dead[i], suit)
        best = 0
        bid[i] = -1
        trump[i] = -1
        for j in range(len(points)):
            for suit in range(4):
                total = 0
                for tricks in range(7):
                    total += points[j, tricks] * patterns[numbers[suit], tricks]
                if total > best:
                    best = total
                    bid[i] = j
                    trump[i] = suit
