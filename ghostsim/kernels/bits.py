"""Bit masks: counting, squeezing, spreading, and numbering the subsets of a set of slots.

Masks and counters are int64. Subsets of k of n slots are numbered in *colexicographic* order,
which for masks is simply increasing order: the subset with slots p1 < p2 < ... has number
C(p1, 1) + C(p2, 2) + ... .
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from ghostsim._jit import jit


@functools.cache
def subsets(n: int, k: int) -> NDArray[np.int64]:
    """All masks with k of n bits, increasing: position i holds the subset with number i.

    Callers share the array and must not write to it. (Marked read only it would be another type
    to numba, and every kernel that takes it would be compiled twice.)
    """
    if k == 0:
        return np.zeros(1, dtype=np.int64)
    if n < k:
        return np.zeros(0, dtype=np.int64)
    without_top = subsets(n - 1, k)
    with_top = subsets(n - 1, k - 1) | np.int64(1 << (n - 1))
    return np.concatenate([without_top, with_top])


def _squeeze_table() -> NDArray[np.int64]:
    """Entry ``keep << 6 | mask``: the kept ones of six bits, moved together at the low end."""
    table = np.zeros(64 * 64, dtype=np.int64)
    for keep in range(64):
        slots = [slot for slot in range(6) if keep >> slot & 1]
        for mask in range(64):
            table[keep << 6 | mask] = sum((mask >> slot & 1) << i for i, slot in enumerate(slots))
    return table.astype(np.uint8)


SQUEEZE = _squeeze_table()


def _rank_tables() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Shares of the low nine and of the high nine slots in the number of a subset of size k.

    ``RANK_LOW[k, mask & 511] + RANK_HIGH[k, mask >> 9]`` is the number of a mask of 18 slots:
    the high part knows how many bits lie below it, because all k are k.
    """
    low = np.zeros((7, 512), dtype=np.int32)
    high = np.zeros((7, 512), dtype=np.int32)
    for mask in range(512):
        slots = [slot for slot in range(9) if mask >> slot & 1]
        for k in range(7):
            below = k - len(slots)
            if below >= 0:
                low[k, mask] = sum(math.comb(slot, i + 1) for i, slot in enumerate(slots))
                high[k, mask] = sum(
                    math.comb(slot + 9, below + i + 1) for i, slot in enumerate(slots)
                )
    return low, high


RANK_LOW, RANK_HIGH = _rank_tables()


@jit()
def popcount(mask):
    """How many bits are set. LLVM turns this loop into one instruction."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@jit()
def squeeze(mask, keep):
    """The bits of ``mask`` at the slots set in ``keep`` (18 slots), moved together."""
    low = keep & 63
    middle = keep >> 6 & 63
    high = keep >> 12
    at_middle = popcount(low)
    at_high = at_middle + popcount(middle)
    return (
        np.int64(SQUEEZE[low << 6 | (mask & 63)])
        | np.int64(SQUEEZE[middle << 6 | (mask >> 6 & 63)]) << at_middle
        | np.int64(SQUEEZE[high << 6 | mask >> 12]) << at_high
    )


@jit()
def squeeze_lane(mask, keep):
    """``squeeze`` for seven slots."""
    low = keep & 63
    return np.int64(SQUEEZE[low << 6 | (mask & 63)]) | (mask & keep) >> 6 << popcount(low)


@jit()
def spread(mask, slots):
    """The inverse of squeezing: bit i of ``mask`` goes to the i-th lowest bit set in ``slots``."""
    out = 0
    while mask:
        slot = slots & -slots
        if mask & 1:
            out |= slot
        slots ^= slot
        mask >>= 1
    return out


@jit()
def rank(mask, k):
    """The number of a mask with k of 18 bits set, among all such masks."""
    return np.int64(RANK_LOW[k, mask & 511]) + np.int64(RANK_HIGH[k, mask >> 9])
