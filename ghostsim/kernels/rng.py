"""Deal number i of a seed: a keyed counter generator, so that any deal can be dealt alone.

Words come from the finaliser of splitmix64 (Steele, Lea, Flood 2014), applied to the key of the
seed plus a multiple of an odd constant. A deal is one number below 24! / 6!^4, drawn without
bias by rejection, and read as (first hand, second hand, third hand) in a mixed radix.
"""

from __future__ import annotations

import numpy as np

from ghostsim._jit import jit
from ghostsim.kernels.bits import spread, subsets

FIRST_HANDS = subsets(24, 6).astype(np.int32)
SECOND_HANDS = subsets(18, 6).astype(np.int32)
THIRD_HANDS = subsets(12, 6).astype(np.int32)
N_DEALS = 134_596 * 18_564 * 924  # 24! / 6!^4, a little over half of 2^42

STEP = np.uint64(0x9E37_79B9_7F4A_7C15)
MIX_1 = np.uint64(0xBF58_476D_1CE4_E5B9)
MIX_2 = np.uint64(0x94D0_49BB_1331_11EB)
DECISIONS = np.uint64(0x6A09_E667_F3BC_C908)  # tells decisions from the dealing of cards
ALL_CARDS = (1 << 24) - 1


@jit()
def mix(word):
    """The finaliser of splitmix64: a bijection of 64-bit words that looks random (uint64)."""
    word = (word ^ (word >> np.uint64(30))) * MIX_1
    word = (word ^ (word >> np.uint64(27))) * MIX_2
    return word ^ (word >> np.uint64(31))


@jit()
def deal_number(seed, index):
    """A uniform number below ``N_DEALS``, a function of (seed, index) alone (both uint64)."""
    word = mix(mix(seed + STEP) + index * STEP)
    while True:
        word = mix(word + STEP)
        number = np.int64(word >> np.uint64(22))
        if number < N_DEALS:
            return number


@jit()
def deal_masks(number):
    """The three hands, by seat, of a deal number; the ghost is what they leave of 24 cards."""
    third = number % 924
    number //= 924
    first = np.int64(FIRST_HANDS[number // 18_564])
    left = ALL_CARDS ^ first
    second = spread(np.int64(SECOND_HANDS[number % 18_564]), left)
    left ^= second
    return first, second, spread(np.int64(THIRD_HANDS[third]), left)


@jit()
def deal_many(seed, start, hands):
    """Fill ``hands``, int64 (n, 3), with deals ``start``, ``start`` + 1, ... of a seed."""
    for i in range(hands.shape[0]):
        number = deal_number(np.uint64(seed), np.uint64(start) + np.uint64(i))
        hands[i, 0], hands[i, 1], hands[i, 2] = deal_masks(number)


@jit()
def decision_key(seed, index):
    """The key of the random words of a deal's decisions, apart from those that deal its cards."""
    return mix(mix(mix(seed + STEP) + index * STEP) ^ DECISIONS)


@jit()
def decision_word(key, number):
    """The random word (uint64) of decision ``number`` of a deal.

    One way: without the last xor it could be turned back into the key that also deals the cards,
    and a strategy is shown its word.
    """
    word = key + np.uint64(number + 1) * STEP
    return mix(mix(word)) ^ word
